"""Games as plain simulators: what a formula is judged by needs five methods and a number.

A researcher's own rules, an OpenSpiel game and this package's games are judged alike.

Of rules in Python, from files and from OpenSpiel, a game of this package is made here.  It has no
circuit of its rules: what needs one (the levels *rules* and *boards*, encoders, the sandwich of the
level *encoding*) is left out.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeVar

from qsage_validate.errors import (
    IllegalMoveError,
    InputError,
    MalformedMoveError,
    MissingExtraError,
    QsageError,
    UsageError,
)
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import (
    BoardPicture,
    Illegality,
    Move,
    Outcome,
    Player,
    Position,
    Square,
    TwoPlayerGame,
    Witness,
)
from qsage_validate.system.limits import NEVER, Deadline, Limits

if TYPE_CHECKING:
    from qsage_validate.solvers.search import SearchSolver


class Simulator(Protocol):
    """A two-player game of bounded depth, on states that are hashable.

    Nothing has ended before :meth:`winner` says so, ``plies`` plies are made, or no move is legal;
    where nobody has won then, White has held out.
    """

    @property
    def plies(self) -> int:
        """The largest number of plies of a play."""
        ...

    def start(self) -> Any:
        """The state before ply 1."""
        ...

    def to_move(self, state: Any) -> Player:
        """The player who makes the next ply; asked only of states in which the play goes on."""
        ...

    def legal_moves(self, state: Any) -> Sequence[str]:
        """The texts of the legal moves, each once."""
        ...

    def play(self, state: Any, move: str) -> Any:
        """The state after a legal move."""
        ...

    def winner(self, state: Any) -> Player | None:
        """The player who has won, or ``None``."""
        ...


class GameSimulator:
    """A game of this package as a simulator; its states are positions."""

    def __init__(self, game: TwoPlayerGame) -> None:
        self.game = game
        self.plies = game.plies

    def start(self) -> Position:
        return self.game.initial

    def to_move(self, state: Position) -> Player:
        return state.to_move

    def legal_moves(self, state: Position) -> Sequence[str]:
        return [str(move) for move in state.legal_moves()]

    def play(self, state: Position, move: str) -> Position:
        return state.after(self.game.parse_move(move, state.to_move))

    def winner(self, state: Position) -> Player | None:
        outcome = state.outcome
        return None if outcome is None else outcome.winner


def simulator_of(game: TwoPlayerGame) -> GameSimulator:
    """A game of this package as a simulator."""
    return GameSimulator(game)


class GameValues:
    """Who wins after each play: minimax on the states of a simulator, each looked at once.

    ``search`` says who wins from a state, in the place of minimax, where something quicker does.
    """

    def __init__(
        self,
        simulator: Simulator,
        *,
        search: Callable[[Any], Player] | None = None,
        deadline: Deadline = NEVER,
    ) -> None:
        self.simulator = simulator
        self._search = search
        self._deadline = deadline
        self._known: dict[tuple[Hashable, int], Player] = {}
        self._moves: dict[Hashable, Sequence[str]] = {}

    @classmethod
    def of_game(cls, game: TwoPlayerGame, *, deadline: Deadline = NEVER) -> GameValues:
        """The values of a game of this package, by its search."""
        solver: list[SearchSolver] = []

        def search(position: Position) -> Player:
            if not solver:
                from qsage_validate.solvers.search import search_for

                solver.append(search_for(game, limits=Limits(deadline)))
            return solver[0].winner(position)

        return cls(GameSimulator(game), search=search, deadline=deadline)

    def ended(self, state: Any, made: int) -> Player | None:
        """The winner of a play that has ended in ``state`` after ``made`` plies, or ``None``."""
        winner = self.simulator.winner(state)
        if winner is None and (made >= self.simulator.plies or not self.legal(state)):
            return Player.WHITE
        return winner

    def legal(self, state: Any) -> Sequence[str]:
        """The legal moves in a state in which nobody has won."""
        found = self._moves.get(state)
        if found is None:
            found = self._moves[state] = tuple(self.simulator.legal_moves(state))
        return found

    def winner(self, state: Any, made: int) -> Player:
        """The player who wins from ``state``, which ``made`` plies lead to.

        Raises ``UndecidedError`` at the deadline.
        """
        known = self._known.get((state, made))
        if known is not None:
            return known
        found = self.ended(state, made)
        if found is None:
            self._deadline.check("the game's value is looked for")
            found = self._search(state) if self._search else self._minimax(state, made)
        self._known[state, made] = found
        return found

    def _minimax(self, state: Any, made: int) -> Player:
        player, play = self.simulator.to_move(state), self.simulator.play
        after = (self.winner(play(state, move), made + 1) for move in self.legal(state))
        return player if player in after else player.other

    def after(self, moves: Sequence[str]) -> Any:
        """The state after a play; raises ``IllegalMoveError`` where a move is not legal."""
        state = self.simulator.start()
        for made, move in enumerate(moves):
            if self.ended(state, made) is not None or move not in self.legal(state):
                shown = " ".join(moves[:made]) or "the start"
                raise IllegalMoveError(f"{move} is not legal after {shown}")
            state = self.simulator.play(state, move)
        return state

    def value(self, moves: Sequence[str]) -> bool:
        """True if Black wins after a play of legal moves."""
        return self.winner(self.after(moves), len(moves)) is Player.BLACK


# Rules in Python as a game of this package: search, referee, plays and the judge take it


_MOST_STATES: Final = 20_000
"""So many states are looked at for the list of all moves; moves of others are not in it."""
_MOST_PLIES: Final = 10_000
_METHODS: Final = ("start", "to_move", "legal_moves", "play", "winner")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SimulatedPosition(Position):
    """A state of a simulator, before a ply."""

    game: SimulatedGame
    state: Hashable
    ply: int

    def __str__(self) -> str:
        return f"{self.game.text(self.state)} ply {self.ply}"

    @property
    def to_move(self) -> Player:
        if self.game.winner(self.state) is None and self.ply <= self.game.plies:
            return self.game.mover(self.state)
        return self.game.player_at(self.ply)

    @property
    def outcome(self) -> Outcome | None:
        winner = self.game.winner(self.state)
        if winner is not None:
            return Outcome(winner, "the rules say so")
        if self.ply > self.game.plies:
            return Outcome(Player.WHITE, "all plies are played without a win of Black's")
        if not self.game.legal(self.state):
            return Outcome(Player.WHITE, "no move is legal, and nobody has won")
        return None

    @property
    def board(self) -> BoardPicture:
        return self.game.board(self.state)

    def legal_moves(self) -> Sequence[str]:
        if self.game.winner(self.state) is not None or self.ply > self.game.plies:
            return ()
        return self.game.legal(self.state)

    def after(self, move: Move) -> SimulatedPosition:
        return SimulatedPosition(self.game, self.game.next(self.state, str(move)), self.ply + 1)

    def illegality(self, move: Move) -> Illegality | None:
        if str(move) in self.legal_moves():
            return None
        if self.outcome is not None:
            return Illegality.after_end(move, self.outcome)
        rule = f"the rules do not list {move} here"
        return Illegality(rule, f"{move}: {rule}")


class SimulatedGame(TwoPlayerGame):
    """The game of a :class:`Simulator`; its moves are the simulator's texts.

    Raises ``UsageError`` for an object that lacks a method, and later for what a method returns
    that is none of its values, or raises.
    """

    language: ClassVar[str] = "python"
    lists_moves: ClassVar[bool] = False
    name: str = ""

    def __init__(self, simulator: Simulator, name: str = "") -> None:
        missing = [one for one in _METHODS if not callable(getattr(simulator, one, None))]
        if missing:
            raise UsageError(
                f"found rules without {' and '.join(missing)}, expected the methods "
                f"{', '.join(_METHODS)} and the number plies"
            )
        plies = getattr(simulator, "plies", None)
        if not isinstance(plies, int) or not 0 <= plies <= _MOST_PLIES:
            raise UsageError(f"found plies = {plies!r}, expected a number of at most {_MOST_PLIES}")
        self.simulator = simulator
        self.name = name or type(simulator).__name__
        self._plies = plies
        self._legal: dict[Hashable, tuple[str, ...]] = {}
        self._winner: dict[Hashable, Player | None] = {}
        start = self._called("start", simulator.start)
        try:
            hash(start)
        except TypeError:
            found = type(start).__name__
            raise UsageError(
                f"{self.name}: found a state of {found}, expected hashable states"
            ) from None
        self._start: Hashable = start
        over = self.winner(start) is not None or not plies or not self.legal(start)
        self.first_player = Player.BLACK if over else self.mover(start)

    @property
    def identity(self) -> tuple[object, ...]:
        return ("python", self.name, id(self.simulator))

    @property
    def plies(self) -> int:
        return self._plies

    @property
    def initial(self) -> SimulatedPosition:
        return SimulatedPosition(self, self._start, 1)

    # -- the simulator's answers, checked ---------------------------------------------------

    def _called(self, name: str, function: Callable[..., T], *arguments: Any) -> T:
        try:
            return function(*arguments)
        except QsageError:
            raise
        except Exception as error:  # whatever the user's rules raise is theirs
            text = f"{self.name}: {name} raised {type(error).__name__}: {error}"
            raise UsageError(text) from error

    def mover(self, state: Hashable) -> Player:
        """The player who makes the next ply."""
        return self._player("to_move", self._called("to_move", self.simulator.to_move, state))

    def winner(self, state: Hashable) -> Player | None:
        """The player who has won, if one has."""
        if state not in self._winner:
            found = self._called("winner", self.simulator.winner, state)
            self._winner[state] = None if found is None else self._player("winner", found)
        return self._winner[state]

    def _player(self, method: str, found: object) -> Player:
        if isinstance(found, Player):
            return found
        if isinstance(found, str) and found.lower() in ("black", "white"):
            return Player(found.lower())
        raise UsageError(
            f"{self.name}: {method} returned {found!r}, expected Player.BLACK or Player.WHITE"
        )

    def legal(self, state: Hashable) -> tuple[str, ...]:
        """The texts of the legal moves."""
        known = self._legal.get(state)
        if known is None:
            found: list[Any] = self._called(
                "legal_moves", lambda: list(self.simulator.legal_moves(state))
            )
            wrong = [move for move in found if not isinstance(move, str) or not move.strip()]
            if wrong:
                raise UsageError(
                    f"{self.name}: legal_moves has {wrong[0]!r}, expected texts of moves"
                )
            if len(set(found)) != len(found):
                twice = next(move for move in found if found.count(move) > 1)
                raise UsageError(f"{self.name}: legal_moves has {quoted(twice)} twice")
            known = self._legal[state] = tuple(found)
        return known

    def next(self, state: Hashable, move: str) -> Hashable:
        """The state after a legal move."""
        found: Hashable = self._called("play", self.simulator.play, state, move)
        return found

    # -- moves ------------------------------------------------------------------------------

    def player_at(self, ply: int) -> Player:
        return self._movers[ply - 1] if ply <= len(self._movers) else self._movers[-1].other

    @cached_property
    def _movers(self) -> tuple[Player, ...]:
        """The players of the plies of one play, as long as it goes on."""
        position = self.initial
        found: list[Player] = [self.first_player]
        while position.outcome is None:
            found[position.ply - 1 :] = [position.to_move]
            position = position.after(position.legal_moves()[0])
        while len(found) < self.plies:
            found.append(found[-1].other)
        return tuple(found)

    @cached_property
    def _moves(self) -> dict[Player, tuple[str, ...]]:
        """The moves of each player in the states that are looked at.

        Both players' stand in one order, that in which moves come up for anybody.
        """
        order: dict[str, None] = {}
        found: dict[Player, set[str]] = {player: set() for player in Player}
        frontier: list[SimulatedPosition] = [self.initial]
        seen: set[Hashable] = {self._start}
        while frontier:
            following: list[SimulatedPosition] = []
            for position in frontier:
                if position.outcome is not None:
                    continue
                own = position.legal_moves()
                order.update(dict.fromkeys(own))
                found[position.to_move].update(own)
                for move in own:
                    after = position.after(move)
                    if after.state not in seen and len(seen) < _MOST_STATES:
                        seen.add(after.state)
                        following.append(after)
            frontier = following
        return {player: tuple(m for m in order if m in own) for player, own in found.items()}

    def moves(self, player: Player) -> Sequence[str]:
        return self._moves[player]

    def parse_move(self, text: str, player: Player) -> str:
        """The move of this text, without regard to blanks at its ends."""
        move = text.strip()
        if not move or not move.isprintable():
            raise MalformedMoveError(
                f"found {quoted(text)}, expected a move such as {self._sample}"
            )
        return move

    @cached_property
    def _sample(self) -> str:
        return next(iter(self.initial.legal_moves()), "those of the rules")

    # -- pictures ---------------------------------------------------------------------------

    def text(self, state: Hashable) -> str:
        """The state in words: by the simulator's method ``text``, if it has one."""
        own = getattr(self.simulator, "text", None)
        return str(self._called("text", own, state) if callable(own) else state)

    def board(self, state: Hashable) -> BoardPicture:
        """The picture of a state: a row for each line of its text.

        A simulator may have a method ``board`` that returns a ``BoardPicture``, or rows of signs
        with a slash between them (``"B../.W."``).
        """
        own = getattr(self.simulator, "board", None)
        if callable(own):
            return self._drawn(self._called("board", own, state))
        rows = self.text(state).splitlines() or [""]
        return BoardPicture(1, len(rows), (Square.OPEN,) * len(rows), names=tuple(rows))

    def _drawn(self, found: object) -> BoardPicture:
        if isinstance(found, BoardPicture):
            return found
        signs = {square.value: square for square in Square}
        rows = found.split("/") if isinstance(found, str) else []
        if not rows or len(set(map(len, rows))) != 1 or not set("".join(rows)) <= signs.keys():
            raise UsageError(
                f"{self.name}: board returned {found!r}, expected rows of one length as B../.W."
            )
        return BoardPicture(
            len(rows[0]), len(rows), tuple(signs[sign] for row in rows for sign in row)
        )

    def atoms(self, position: Position) -> frozenset[str]:
        return frozenset()

    @property
    def words(self) -> Collection[str]:
        return ()

    def board_of(self, atoms: Collection[str]) -> BoardPicture:
        return self.initial.board

    def square_of(self, text: str) -> tuple[int, int] | None:
        return None

    def witnesses(self, position: Position, player: Player) -> frozenset[Witness]:
        outcome = position.outcome
        return frozenset({player} if outcome is not None and outcome.winner is player else ())


# Games of OpenSpiel as simulators: two players, in turn, without chance or secrets


_PLAYERS: Final = (Player.BLACK, Player.WHITE)


class OpenSpielSimulator:
    """A game by its name in OpenSpiel, as ``hex(board_size=3)``; player 0 is Black.

    Black wins where the play ends with a positive return for player 0; a draw is White's.  A state
    is the tuple of the actions that led to it, since OpenSpiel promises no other key.  ``plies``
    is the largest number of plies that are looked at, by default all.

    Raises ``UsageError`` for a name that OpenSpiel does not know, and for a game that is none of
    two players with open information and without chance; ``MissingExtraError`` without OpenSpiel.
    """

    def __init__(self, name: str, plies: int | None = None) -> None:
        try:
            spiel: Any = import_module("pyspiel")
        except ImportError:
            raise MissingExtraError("a game of OpenSpiel", "openspiel") from None
        try:
            self._game = spiel.load_game(name)
        except spiel.SpielError as error:
            raise UsageError(f"OpenSpiel: {str(error).splitlines()[0]}") from None
        kind = self._game.get_type()
        wrong = [
            text
            for holds, text in (
                (self._game.num_players() == 2, "two players"),
                (kind.dynamics == spiel.GameType.Dynamics.SEQUENTIAL, "moves in turn"),
                (kind.chance_mode == spiel.GameType.ChanceMode.DETERMINISTIC, "no chance"),
                (
                    kind.information == spiel.GameType.Information.PERFECT_INFORMATION,
                    "open information",
                ),
            )
            if not holds
        ]
        if wrong:
            raise UsageError(f"found the OpenSpiel game {name}, expected one with {wrong[0]}")
        self.name = name
        longest: int = self._game.max_game_length()
        self.plies = longest if plies is None else min(plies, longest)
        self._states: dict[tuple[int, ...], Any] = {(): self._game.new_initial_state()}

    def start(self) -> tuple[int, ...]:
        return ()

    def to_move(self, state: tuple[int, ...]) -> Player:
        return _PLAYERS[self._state(state).current_player()]

    def legal_moves(self, state: tuple[int, ...]) -> Sequence[str]:
        """OpenSpiel's texts of actions."""
        return list(self._actions(state))

    def play(self, state: tuple[int, ...], move: str) -> tuple[int, ...]:
        """The actions with one more."""
        return (*state, self._actions(state)[move])

    def winner(self, state: tuple[int, ...]) -> Player | None:
        """Black for a positive return of player 0, at the end."""
        own = self._state(state)
        if not own.is_terminal():
            return None
        return Player.BLACK if own.returns()[0] > 0 else Player.WHITE

    def text(self, state: tuple[int, ...]) -> str:
        return str(self._state(state))

    def _actions(self, state: tuple[int, ...]) -> dict[str, int]:
        own = self._state(state)
        if own.is_terminal():
            return {}
        player = own.current_player()
        # Some games end the texts of actions with a semicolon.
        return {own.action_to_string(player, a).rstrip(" ;"): a for a in own.legal_actions()}

    def _state(self, actions: tuple[int, ...]) -> Any:
        found = self._states.get(actions)
        if found is None:
            found = self._state(actions[:-1]).child(actions[-1])
            self._states[actions] = found
        return found


# Games that are rules in Python, by the words of a command: a file, or a game of OpenSpiel


_OPENSPIEL: Final = "openspiel:"
_FILE: Final = re.compile(r"(.+\.py)(?::([A-Za-z_]\w*))?")
_NAME: Final = "game"
"""The name that a file has its rules under, where no other one is given."""


def names_python_rules(words: Sequence[str]) -> bool:
    """True if the words of a command name a Python file or a game of OpenSpiel."""
    return bool(words) and (
        words[0].startswith(_OPENSPIEL) or _FILE.fullmatch(words[0]) is not None
    )


def python_game(words: Sequence[str]) -> SimulatedGame:
    """The game that the words name: ``rules.py``, ``rules.py:NAME`` or ``openspiel:NAME``.

    Behind it ``--depth N`` bounds the plies.  NAME is an object with the methods of
    ``Simulator``, or a class or function that makes one; it is ``game`` where none is named.  The
    file is run.  Raises ``UsageError`` for other words and other objects, ``InputError`` for a file
    that cannot be read or run.
    """
    name, *rest = words
    depth = _depth(rest)
    if name.startswith(_OPENSPIEL):
        own = name.removeprefix(_OPENSPIEL)
        return SimulatedGame(OpenSpielSimulator(own, depth), f"{own} of OpenSpiel")
    match = _FILE.fullmatch(name)
    if match is None:
        raise UsageError(f"found {quoted(name)}, expected FILE.py, FILE.py:NAME or openspiel:NAME")
    path, wanted = match[1], match[2] or _NAME
    found = getattr(_module(path), wanted, None)
    if found is None:
        raise UsageError(f"{path}: found no {quoted(wanted)}, expected rules under that name")
    is_maker = isinstance(found, type) or (callable(found) and not hasattr(found, "legal_moves"))
    rules = _made(path, wanted, found) if is_maker else found
    stem = os.path.splitext(os.path.basename(path))[0]
    game = SimulatedGame(rules, getattr(rules, "name", None) or stem)
    return (
        game
        if depth is None or depth >= game.plies
        else SimulatedGame(_Bounded(rules, depth), game.name)
    )


def _made(path: str, name: str, maker: Callable[[], Any]) -> Any:
    try:
        return maker()
    except Exception as error:  # whatever the user's rules raise is theirs
        raise UsageError(f"{path}: {name} raised {type(error).__name__}: {error}") from error


def _depth(words: Sequence[str]) -> int | None:
    if not words:
        return None
    match = re.fullmatch(r"--depth[= ]([0-9]{1,4})", " ".join(words))
    if match is None:
        raise UsageError(f"found {quoted(' '.join(words))}, expected '--depth N' behind the rules")
    return int(match[1])


class _Bounded:
    """Rules of a simulator whose plays are cut."""

    def __init__(self, rules: Any, plies: int) -> None:
        self.plies = plies
        self._rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)


def _module(path: str) -> Any:
    if not os.path.isfile(path):
        raise InputError(path, None, None, "no such file", "a Python file with rules")
    name = f"qsage_rules_{abs(hash(os.path.abspath(path)))}"
    loader = SourceFileLoader(name, path)
    module = module_from_spec(ModuleSpec(name, loader, origin=path))
    module.__file__ = path
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except SyntaxError as error:
        found = str(error.msg)
        raise InputError(path, error.lineno, error.offset, found, "a Python file") from None
    except Exception as error:  # whatever the user's file raises is its own
        found = f"{type(error).__name__}: {error}"
        raise InputError(path, None, None, found, "a file that can be run") from error
    return module
