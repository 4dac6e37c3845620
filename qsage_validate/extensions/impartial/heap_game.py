"""An impartial game from one state on, as the protocol of all games has it.

Heaps are rows of tokens, a move is an action with numbers: ``take(2)``.  Referee, search and
interface then treat it like any other game of bounded depth: Black and White have the same
moves, and the player who cannot move loses (in misère play: wins).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final, cast

from qsage_validate.arena.frame import HeapMove
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError, counted
from qsage_validate.extensions.impartial.model import ImpartialFormula, state_text
from qsage_validate.extensions.impartial.rules import (
    EndlessGameError,
    ImpartialMove,
    ImpartialReach,
    ImpartialRules,
    State,
    illegality,
    reach,
    state_after,
)
from qsage_validate.games.kernel import Kernel
from qsage_validate.games.kernel import State as KernelState
from qsage_validate.games.protocol import (
    BoardPicture,
    Illegality,
    Outcome,
    Player,
    Position,
    Shape,
    Square,
    TwoPlayerGame,
)

MAX_TOKENS: Final = 60
"""Heaps with more tokens are not drawn."""

MAX_HEAPS: Final = 12
"""Games with more variables are not drawn."""

MAX_LISTED: Final = 2000
"""No more legal moves of a position are listed."""

_NUMBER = r"[+-]?\d{1,18}"
_CALL = re.compile(r"\s*(?P<name>[^\s(),]+)\s*(?:\((?P<arguments>[^()]*)\))?\s*")
_NUMBERS = re.compile(rf"\s*{_NUMBER}(?:\s*[,\s]\s*{_NUMBER})*\s*")


class HeapGame(TwoPlayerGame):
    """The game of ``rules`` from ``start`` on; ``first`` makes ply 1.

    ``start`` must be legal.  Without ``plies`` the game ends where its rules end it, and
    :attr:`plies` is the length of the longest play, or 0 where there is none or it is not known:
    plays need not end, or there are too many states.  Its atoms are ``v = 3``.
    """

    language = "impartial"

    def __init__(
        self,
        rules: ImpartialRules,
        start: State,
        first: Player = Player.BLACK,
        plies: int | None = None,
    ) -> None:
        self.rules = rules
        self.start = start
        self.bound = plies
        self.first_player = first
        self._name = f"{rules.game.name} from {state_text(rules.game.variables, start)}"

    @property
    def name(self) -> str:
        return self._name

    @cached_property
    def reach(self) -> ImpartialReach | None:
        """The states reachable from the start; ``None``: too many states, or an endless play."""
        return None if isinstance(self._explored, EndlessGameError) else self._explored

    @property
    def endless(self) -> State | None:
        """A state that can be reached and that plays can come back to, if one was met."""
        return self._explored.state if isinstance(self._explored, EndlessGameError) else None

    @cached_property
    def _explored(self) -> ImpartialReach | EndlessGameError | None:
        try:
            return reach(self.rules, self.start)
        except EndlessGameError as error:
            return error

    @property
    def identity(self) -> tuple[object, ...]:
        return self.name, str(self.initial), self.plies

    @cached_property
    def plies(self) -> int:
        if self.bound is not None:
            return self.bound
        return 0 if self.reach is None else self.reach.longest

    @property
    def initial(self) -> HeapPosition:
        return HeapPosition(self, self.start, self.first_player, 1)

    @property
    def drawable(self) -> bool:
        """True if heaps are shown as rows of tokens; otherwise they are shown as numbers."""
        if len(self.start) > MAX_HEAPS or not 0 < self.width <= MAX_TOKENS:
            return False
        return min(self.start) >= 0 and (self.reach is None or self.reach.smallest >= 0)

    @cached_property
    def width(self) -> int:
        """The number of tokens a row has room for: the largest heap known to be reachable."""
        largest = max(self.start) if self.reach is None else self.reach.largest
        return max(1, largest)

    def board(self, state: State) -> BoardPicture:
        """Heaps as rows of tokens; what is beyond :attr:`width` is cut off."""
        width = min(self.width, MAX_TOKENS)
        squares: list[Square] = []
        for value in state:
            tokens = min(max(value, 0), width)
            squares += [Square.BLACK] * tokens + [Square.OPEN] * (width - tokens)
        names = self.rules.game.variables
        return BoardPicture(width, len(state), tuple(squares), Shape.HEAPS, names)

    def atoms(self, position: Position) -> frozenset[str]:
        assert isinstance(position, HeapPosition), "a position of this game"
        values = zip(self.rules.game.variables, position.state, strict=True)
        return frozenset(f"{name} = {value}" for name, value in values)

    @property
    def words(self) -> Collection[str]:
        return ()

    def board_of(self, atoms: Collection[str]) -> BoardPicture:
        values = dict(atom.split(" = ") for atom in atoms)
        return self.board(tuple(int(values.get(name, 0)) for name in self.rules.game.variables))

    def square_of(self, text: str) -> None:
        """Always ``None``: a heap is a row of tokens."""

    def witnesses(self, position: Position, player: Player) -> frozenset[Player]:
        """The player, where the play has ended with a win of the player's."""
        outcome = position.outcome
        won = outcome is not None and outcome.winner is player
        return frozenset({player} if won else ())

    # -- moves ------------------------------------------------------------------------------

    def parse_move(self, text: str, player: Player) -> HeapMove:
        """The move ``take(2)``; ``2`` alone where one action only has so many numbers."""
        actions = self.rules.game.actions
        known = [action.name for action in actions]
        example = f"{known[0]}({','.join(['1'] * len(actions[0].parameters))})"
        if _NUMBERS.fullmatch(text) and text.strip() not in known:
            return self._only_action(_numbers(text))
        match = _CALL.fullmatch(text)
        if match is None:
            raise MalformedMoveError(f"found {text.strip()!r}, expected a move like {example}")
        names = [n for n in known if n == match["name"]]
        names = names or [n for n in known if n.lower() == match["name"].lower()]
        if not names:
            raise MalformedMoveError(
                f"found the unknown action {match['name']!r}, expected one of {', '.join(known)}"
            )
        written = match["arguments"] or ""
        if written.strip() and not _NUMBERS.fullmatch(written):
            raise MalformedMoveError(f"found {text.strip()!r}, expected numbers as in {example}")
        arguments = _numbers(written)
        wanted = len(actions[known.index(names[0])].parameters)
        if len(arguments) != wanted:
            raise MalformedMoveError(
                f"found {counted(len(arguments), 'number')} in {text.strip()!r}, expected {wanted}"
            )
        return HeapMove(names[0], arguments)

    def _only_action(self, arguments: tuple[int, ...]) -> HeapMove:
        fitting = [
            HeapMove(action.name, arguments)
            for action in self.rules.game.actions
            if len(action.parameters) == len(arguments)
        ]
        shown = ", ".join(map(str, arguments))
        if not fitting:
            raise MalformedMoveError(f"found {shown!r}, expected an action with its numbers")
        if len(fitting) > 1:
            raise AmbiguousMoveError(f"found {shown!r}, expected one of {_listed(fitting)}")
        return fitting[0]

    def moves(self, player: Player) -> Sequence[HeapMove]:
        """All moves that are legal in some state that can be reached, in a fixed order.

        Raises ``UsageError`` where there are too many states.
        """
        return self._all_moves

    @cached_property
    def _all_moves(self) -> tuple[HeapMove, ...]:
        if self.reach is None:
            raise UsageError(
                f"{self.name} has too many states, or endless plays, to list its moves"
            )
        found: dict[HeapMove, None] = {}
        for state in self.reach.states:
            found |= dict.fromkeys(map(heap_move, self.rules.moves(state)))
        return tuple(found)

    def kernel(self) -> HeapKernel:
        return HeapKernel(self.rules, self.start)


@dataclass(frozen=True)
class HeapPosition(Position):
    """A state with the player to move; ``str`` is ``v = 3; Black; 1``."""

    game: HeapGame = field(compare=False, repr=False)
    state: State
    player: Player
    ply: int

    def __str__(self) -> str:
        return f"{self.text}; {self.player}; {self.ply}"

    @property
    def text(self) -> str:
        """The state alone: ``v1 = 3, v2 = 0``."""
        return state_text(self.game.rules.game.variables, self.state)

    @property
    def to_move(self) -> Player:
        return self.player

    @property
    def board(self) -> BoardPicture:
        return self.game.board(self.state)

    @cached_property
    def outcome(self) -> Outcome | None:
        rules = self.game.rules
        if next(rules.moves(self.state), None) is None:
            winner = self.player if rules.misere else self.player.other
            rule = ", which wins in misère play" if rules.misere else ""
            reason = f"{self.player} cannot move{rule}"
            return Outcome(winner, reason, stuck=True, plies=int(rules.misere))
        if self.game.bound is not None and self.ply > self.game.bound:
            return Outcome(Player.WHITE, "all plies are played")
        return None

    def legal_moves(self) -> Sequence[HeapMove]:
        """The legal moves, at most ``MAX_LISTED`` of them."""
        if self.outcome is not None:
            return ()
        found = islice(self.game.rules.moves(self.state), MAX_LISTED)
        return tuple(heap_move(move) for move in found)

    def move(self, move: object) -> ImpartialMove | None:
        """The legal move of the rules behind ``move``, with the state after it.

        Legal is what no precondition forbids: there may be very many moves to list.
        """
        if not isinstance(move, HeapMove) or self.illegality(move) is not None:
            return None
        game = self.game.rules.game
        index = next(i for i, action in enumerate(game.actions) if action.name == move.action)
        action = game.actions[index]
        chosen = dict(zip(action.parameters, move.arguments, strict=True))
        after = state_after(action, game.variables, self.state, chosen)
        return ImpartialMove(index, move.action, move.arguments, after)

    def after(self, move: object) -> HeapPosition:
        found = None if isinstance(move, str) else self.move(move)
        return self.play(move) if found is None else self.moved(found.after)

    def moved(self, state: State) -> HeapPosition:
        """The position in which the other player is to move at ``state``."""
        return HeapPosition(self.game, state, self.player.other, self.ply + 1)

    def illegality(self, move: object) -> Illegality | None:
        if isinstance(move, str):
            move = self.named(move)
        if self.outcome is not None:
            text = "the play is over"
            return Illegality(text, f"{move}: {text}")
        if not isinstance(move, HeapMove):
            return Illegality("unknown move", f"{move}: no move of this game")
        return illegality(self.game.rules, self.state, move.action, move.arguments)


def parse_state(rules: ImpartialRules, text: str) -> State:
    """The legal state ``v1=3 v2=4``, or ``3,4`` in the order of the variables.

    Raises ``UsageError``.
    """
    variables = rules.game.variables
    example = " ".join(f"{name}=3" for name in variables)
    if _NUMBERS.fullmatch(text):
        values = _numbers(text)
        if len(values) != len(variables):
            raise UsageError(
                f"found the state {text.strip()!r}, expected "
                f"{counted(len(variables), 'number')}, as in "
                f"{example!r}"
            )
        return _legal(rules, values, text)
    found: dict[str, int] = {}
    for part in re.split(r"[,\s]+", re.sub(r"\s*=\s*", "=", text.strip())):
        name, sign, value = part.removeprefix("?").partition("=")
        if not sign or name not in variables or not re.fullmatch(_NUMBER, value):
            raise UsageError(f"found {part!r} in the state, expected {example!r}")
        if name in found:
            raise UsageError(f"found {name} twice in the state, expected {example!r}")
        found[name] = int(value)
    missing = [name for name in variables if name not in found]
    if missing:
        raise UsageError(f"found no value for {', '.join(missing)}, expected {example!r}")
    return _legal(rules, tuple(found[name] for name in variables), text)


def _legal(rules: ImpartialRules, state: State, text: str) -> State:
    if not rules.is_legal(state):
        constraint: ImpartialFormula = rules.game.constraint
        raise UsageError(
            f"found the state {text.strip()!r}, expected a legal one of {rules.game.name}: "
            f"{constraint}"
        )
    return state


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(_NUMBER, text))


def _listed(moves: Sequence[HeapMove]) -> str:
    return ", ".join(map(str, moves))


def heap_move(move: ImpartialMove) -> HeapMove:
    """The move of the rules, without the state after it."""
    return HeapMove(move.name, move.arguments)


class HeapKernel(Kernel):
    """The rules from ``start`` on; a state is the tuple of values.

    In normal play a move wins that leaves no move; in misère play a player without a move wins.
    """

    def __init__(self, rules: ImpartialRules, start: State) -> None:
        self._rules = rules
        self.initial = start
        self._numbers: dict[HeapMove, int] = {}
        self._moves: list[HeapMove] = []

    def successors(self, state: KernelState, player: Player) -> list[tuple[int, KernelState, bool]]:
        normal = not self._rules.misere
        return [
            (self._number(name, arguments), after, normal and self._stuck(after))
            for name, arguments, after in self._all(state)
        ]

    def wins_at_once(self, state: KernelState, player: Player) -> bool:
        if self._rules.misere:
            return self._stuck(cast(State, state))
        return any(self._stuck(after) for _, _, after in self._all(state))

    def key(self, state: KernelState) -> Hashable:
        return state

    def move(self, number: int, player: Player) -> HeapMove:
        return self._moves[number]

    def state(self, position: Position) -> KernelState:
        assert isinstance(position, HeapPosition), "a position of this game"
        return position.state

    def _all(self, state: KernelState) -> list[tuple[str, tuple[int, ...], State]]:
        found = self._rules.moves(cast(State, state))
        return [(move.name, move.arguments, move.after) for move in found]

    def _stuck(self, state: State) -> bool:
        return next(self._rules.moves(state), None) is None

    def _number(self, name: str, arguments: tuple[int, ...]) -> int:
        move = HeapMove(name, arguments)
        number = self._numbers.setdefault(move, len(self._moves))
        if number == len(self._moves):
            self._moves.append(move)
        return number
