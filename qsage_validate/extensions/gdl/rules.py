"""Games in GDL by their rules: boards, positions, moves, and the depths to ask about.

``(cell 1 2 x)`` is a grid when two places never hold two things at once.  Nothing but the
drawing depends on it.

The interpretation of each part:

* Black is the role whose win is asked for (the first role unless another is named), White the
  other.  Black wins when the play ends with a goal of Black's of at least ``win``, within so many
  rounds; everything else is White's, draws among it.
* Black chooses, then White, whoever of them has a choice: this is Definition 5 of He, Saffidine
  and Thielscher 2024 to the letter.  Plies alternate, as search wants it, even where the turns of
  the game do not.  One more ply is left at the end, at which Black claims a win that the last
  round brought, so a game of N rounds has 2N + 1 plies; :func:`rounds_of` turns plies back.
* A state in which both have a choice is an error that names it: the game is not turn-taking.

``rounds_game`` makes these rules from a question about a game.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count as count_from
from itertools import pairwise
from typing import Final, TypeAlias

from qsage_validate.errors import InputError, MalformedMoveError, UsageError, counted
from qsage_validate.extensions.gdl.machine import (
    GdlBounds,
    State,
    StateMachine,
    horizon,
    move_domains,
    state_text,
    turn_order,
    why_not,
)
from qsage_validate.extensions.gdl.model import (
    Atom,
    Clause,
    Description,
    GdlModel,
    Ground,
    Key,
    Term,
    Variable,
    arguments_of,
    term_order,
    term_text,
)
from qsage_validate.extensions.gdl.parser import parse_ground
from qsage_validate.formats.source import quoted
from qsage_validate.games.kernel import Kernel
from qsage_validate.games.kernel import State as KernelState
from qsage_validate.games.library.catalogue import name_of
from qsage_validate.games.protocol import (
    BoardPicture,
    Illegality,
    Move,
    NotPlayableError,
    Outcome,
    Player,
    Position,
    Square,
    TwoPlayerGame,
)
from qsage_validate.solvers.deepening import Depths

# Fluents that look like a grid, and the roles that own the things on it


_PLAYS: Final = 12
_MAX_ROUNDS: Final = 200
_SMALLEST: Final = 4


@dataclass(frozen=True)
class GdlGrid:
    """The fluents ``(functor column row thing)``; rows are drawn upwards.

    ``owners`` has the role that puts a thing there, for those that only one role does.
    """

    functor: str
    columns: tuple[Ground, ...]
    rows: tuple[Ground, ...]
    owners: Mapping[Ground, Ground]

    def things(self, state: State) -> dict[tuple[Ground, Ground], Ground]:
        """The things on the grid, by column and row."""
        return {
            (fluent[1], fluent[2]): fluent[3]
            for fluent in state
            if isinstance(fluent, tuple) and len(fluent) == 4 and fluent[0] == self.functor
        }

    def board(self, state: State, black: Ground) -> BoardPicture:
        """The state as a board: Black's, White's and neutral things."""
        things = self.things(state)
        squares = []
        for row in reversed(self.rows):
            for column in self.columns:
                thing = things.get((column, row))
                owner = None if thing is None else self.owners.get(thing)
                kind = Square.OPEN if owner is None else Square.WHITE
                squares.append(Square.BLACK if owner == black else kind)
        names = tuple(term_text(row) for row in reversed(self.rows))
        columns = tuple(map(term_text, self.columns))
        return BoardPicture(len(columns), len(names), tuple(squares), names=names, columns=columns)

    def square_of(self, move: Ground) -> tuple[int, int] | None:
        """The square, 1-based (x, y) from the top, of the last column and row that are named."""
        words = move[1:] if isinstance(move, tuple) else ()
        for column, row in reversed(list(pairwise(words))):
            if column in self.columns and row in self.rows:
                return self.columns.index(column) + 1, len(self.rows) - self.rows.index(row)
        return None


def find_grid(machine: StateMachine) -> GdlGrid | None:
    """The grid of a game, from a few random plays and its base propositions."""
    states: list[State] = []
    makers: dict[tuple[str, Ground], set[Ground]] = {}
    rng = random.Random(0)
    for _ in range(_PLAYS):
        _play(machine, rng, states, makers)
    candidates: dict[str, set[tuple[Ground, Ground]]] = {}
    broken: set[str] = set()
    for state in states:
        seen: set[tuple[Ground, ...]] = set()
        for functor, place in _places(state):
            if (functor, *place) in seen:
                broken.add(functor)
            seen.add((functor, *place))
            candidates.setdefault(functor, set()).add(place)
    for functor, place in _places(fact[0] for fact in machine.static.facts(("base", 1))):
        if functor in candidates:
            candidates[functor].add(place)
    fitting = {
        functor: places
        for functor, places in candidates.items()
        if functor not in broken and len(places) >= _SMALLEST
    }
    if not fitting:
        return None
    functor, places = max(fitting.items(), key=lambda item: len(item[1]))
    owners = {role: role for role in machine.roles}
    for (name, thing), roles in makers.items():
        if name == functor and len(roles) == 1:
            owners.setdefault(thing, next(iter(roles)))
    columns = sorted({column for column, _ in places}, key=term_order)
    rows = sorted({row for _, row in places}, key=term_order)
    return GdlGrid(functor, tuple(columns), tuple(rows), owners)


def _places(fluents: Iterable[Ground]) -> list[tuple[str, tuple[Ground, Ground]]]:
    return [
        (str(fluent[0]), (fluent[1], fluent[2]))
        for fluent in fluents
        if isinstance(fluent, tuple) and len(fluent) == 4
    ]


def _play(
    machine: StateMachine,
    rng: random.Random,
    states: list[State],
    makers: dict[tuple[str, Ground], set[Ground]],
) -> None:
    """A random play: its states, and the roles that make each thing appear."""
    state = machine.initial
    for _ in range(_MAX_ROUNDS):
        states.append(state)
        legal = {role: machine.legal(state, role) for role in machine.roles}
        if machine.terminal(state) or not all(legal.values()):
            return
        after = machine.successor(state, {role: rng.choice(m) for role, m in legal.items()})
        choosing = [role for role, moves in legal.items() if len(moves) > 1]
        if len(choosing) == 1:
            for fluent in after - state:
                if isinstance(fluent, tuple) and len(fluent) == 4:
                    makers.setdefault((str(fluent[0]), fluent[3]), set()).add(choosing[0])
        state = after


# A two-player game in GDL by the protocol of all games, with each round as two plies


BLACK, WHITE = Player.BLACK, Player.WHITE
MAX_ROUNDS: Final = 10_000

# Rows of a table that shows a state.
_MAX_ROWS: Final = 60
_KEPT: Final = 200_000
_CALL = re.compile(r"\s*[^\s();,]+\s*\(.*\)\s*", re.DOTALL)


def rounds_of(plies: int) -> int:
    """The number of rounds that ``plies`` plies of a :class:`RoundsGame` make up."""
    return plies // 2


@dataclass(frozen=True, slots=True)
class GdlMove:
    """A move of a role: ``(mark 1 1)``, ``noop``."""

    term: Ground

    def __str__(self) -> str:
        return term_text(self.term)


class NotTurnTakingError(NotPlayableError):
    """Both roles have a choice in a state that can be reached."""


@dataclass(frozen=True)
class RoundsPosition(Position):
    """A state, and Black's move of this round once it is chosen."""

    game: RoundsGame = field(repr=False, hash=False)
    state: State
    chosen: Ground | None
    ply: int

    def __str__(self) -> str:
        part = "" if self.chosen is None else f" after {GdlMove(self.chosen)}"
        return f"{state_text(self.state)} ply {(self.ply + 1) // 2}{part}"

    @property
    def to_move(self) -> Player:
        return BLACK if self.chosen is None else WHITE

    @property
    def outcome(self) -> Outcome | None:
        if self.chosen is not None:
            return None
        rounds, outcome = self.game.rounds, self.game.end(self.state)
        if outcome is None and (self.ply + 1) // 2 > rounds:
            return Outcome(WHITE, f"held out for {rounds_text(rounds)}")
        return outcome

    @property
    def board(self) -> BoardPicture:
        return self.game.board(self.state)

    def legal_moves(self) -> Sequence[GdlMove]:
        if self.outcome is not None:
            return ()
        return [GdlMove(m) for m in self.game.choices(self.state)[self.to_move]]

    def after(self, move: Move) -> RoundsPosition:
        if isinstance(move, str):
            return self.play(move)
        assert isinstance(move, GdlMove), "a legal move"
        if self.chosen is None:
            return RoundsPosition(self.game, self.state, move.term, self.ply + 1)
        after = self.game.after(self.state, self.chosen, move.term)
        return RoundsPosition(self.game, after, None, self.ply + 1)

    def illegality(self, move: Move) -> Illegality | None:
        move = self.named(move)
        if move in self.legal_moves():
            return None
        outcome = self.outcome
        if outcome is not None:
            return Illegality.after_end(move, outcome)
        if not isinstance(move, GdlMove):
            return Illegality("unknown move", f"{move}: no move of {self.game.name}")
        return self.game.illegality(self.state, self.to_move, move)


class RoundsGame(TwoPlayerGame):
    """The game of a description, for so many ``rounds``; ``black`` names a role.

    Raises ``InputError`` for a description that is not valid, ``UsageError`` for another number
    of roles than two, for a role that there is not, and for a number out of range.
    """

    language = "gdl"
    lists_moves = False

    def __init__(
        self,
        description: Description,
        rounds: int,
        *,
        black: str | None = None,
        win: int = 100,
        name: str | None = None,
    ) -> None:
        self.machine = StateMachine(description)
        self.description = description
        names = [term_text(role) for role in self.machine.roles]
        if len(names) != 2:
            raise UsageError(
                f"found {counted(len(names), 'role')} in {description.name} "
                f"({', '.join(names)}), expected two"
            )
        if black is not None and black.lower() not in [name.lower() for name in names]:
            raise UsageError(f"found the role {quoted(black)}, expected {' or '.join(names)}")
        if not 0 <= rounds <= MAX_ROUNDS:
            raise UsageError(f"found {rounds} rounds, expected 0 to {MAX_ROUNDS:,}")
        if not 0 < win <= 100:
            raise UsageError(f"found {win} as the goal that wins, expected 1 to 100")
        first, second = self.machine.roles
        swap = black is not None and black.lower() == names[1].lower()
        self.roles: Mapping[Player, Ground] = {
            BLACK: second if swap else first,
            WHITE: first if swap else second,
        }
        self.win = win
        self.rounds = rounds
        self.first_player = BLACK
        self._name = name or description.name

    def __reduce__(self) -> tuple[object, ...]:
        # The machine has functions made for the clauses, which cannot be pickled: made anew.
        return _game, (self.description, self.rounds, self.roles[BLACK], self.win, self.name)

    @property
    def name(self) -> str:
        return self._name

    @property
    def identity(self) -> tuple[object, ...]:
        return self.description.rules, self.rounds, self.win, tuple(self.roles.items())

    @property
    def plies(self) -> int:
        return 2 * self.rounds + 1

    @property
    def moves_made(self) -> int:
        return 2 * self.rounds

    def count(self, plies: int) -> int:
        return rounds_of(plies)

    def span(self, plies: int | None) -> str:
        return rounds_text(None if plies is None else rounds_of(plies))

    @property
    def initial(self) -> RoundsPosition:
        return RoundsPosition(self, self.machine.initial, None, 1)

    def after(self, state: State, black: Ground, white: Ground) -> State:
        return self.machine.successor(state, {self.roles[BLACK]: black, self.roles[WHITE]: white})

    # -- turns --------------------------------------------------------------------------------

    @cached_property
    def steps(self) -> tuple[GdlBounds, ...]:
        return tuple(horizon(self.machine, max(self.rounds, 1)))

    def check_turns(self, plays: int = 20) -> None:
        """Look at a few random plays; errors as in :meth:`choices`, where one shows them.

        Games whose order of play is known need no look.
        """
        if turn_order(self.steps) is not None:
            return
        rng = random.Random(0)
        for _ in range(plays):
            state = self.machine.initial
            for _ in range(self.rounds):
                if self.machine.terminal(state):
                    break
                moves = self.choices(state)
                joint = {self.roles[p]: rng.choice(own) for p, own in moves.items()}
                state = self.machine.successor(state, joint)

    def choices(self, state: State) -> Mapping[Player, tuple[Ground, ...]]:
        """The legal moves of each player in a state that is not terminal.

        Raises ``NotTurnTakingError`` when both have a choice, ``NotPlayableError`` when one has
        no legal move.
        """
        legal = {p: self.machine.legal(state, role) for p, role in self.roles.items()}
        for player, moves in legal.items():
            if not moves:
                raise NotPlayableError(
                    f"found no legal move of {term_text(self.roles[player])} in "
                    f"{state_text(state)}, expected one: the game has not ended"
                )
        if all(len(moves) > 1 for moves in legal.values()):
            shown = " and ".join(
                f"{term_text(self.roles[player])} (" + _some(moves) + ")"
                for player, moves in legal.items()
            )
            raise NotTurnTakingError(
                f"found a choice of both roles, {shown}, in {state_text(state)}, expected a "
                "turn-taking game (bounds of others: --at-once maximin and minimax)"
            )
        return legal

    @cached_property
    def _domains(self) -> Mapping[Ground, tuple[Ground, ...]]:
        return move_domains(self.steps)

    # -- ends ---------------------------------------------------------------------------------

    def end(self, state: State) -> Outcome | None:
        """The outcome of the play in a terminal state; ``None`` in any other state."""
        if not self.machine.terminal(state):
            return None
        role = self.roles[BLACK]
        goals = self.machine.goals(state, role)
        shown = " and ".join(map(str, goals)) or "no value"
        best = max(goals, default=0)
        winner = BLACK if best >= self.win else WHITE
        short = "" if winner is BLACK else f", less than {self.win}"
        reason = f"the game has ended with goal {shown} for {term_text(role)}{short}"
        # The win is claimed at a ply of its own.
        return Outcome(winner, reason, plies=1)

    def illegality(self, state: State, player: Player, move: GdlMove) -> Illegality:
        """The reason why a move is not legal in a state that is not terminal."""
        role = self.roles[player]
        clauses = self.machine.program.clauses_of(("legal", 2))
        failure = why_not(self.machine.view(state), clauses, (role, move.term))
        if failure is None:
            rule = f"no rule makes {move} legal for {term_text(role)}"
            return Illegality(rule, f"{move}: {rule}")
        line = self.description.source.line_of(failure.clause.rule.offset)
        rule = str(failure.literal)
        text = f"{move}: {failure.shown} is false (rule for {failure.clause.head}, line {line})"
        return Illegality(rule, text, None, failure.index, failure.sentence(state))

    # -- pictures -----------------------------------------------------------------------------

    @cached_property
    def grid(self) -> GdlGrid | None:
        """The fluents that look like a grid, if some do."""
        return find_grid(self.machine)

    def board(self, state: State) -> BoardPicture:
        """The state as a board, as far as that shows it.

        Where there is no grid it is a table: a row for each fluent, with a stone where it is true.
        """
        if self.grid is None:
            stones = tuple(Square.BLACK if f in state else Square.OPEN for f in self._table)
            return BoardPicture(1, len(stones), stones, names=tuple(map(term_text, self._table)))
        return self.grid.board(state, self.roles[BLACK])

    @cached_property
    def _table(self) -> tuple[Ground, ...]:
        """The fluents that can be true in some round, as many as a person can look at."""
        return self._fluents[:_MAX_ROWS] or tuple(self.machine.initial)

    @cached_property
    def _fluents(self) -> tuple[Ground, ...]:
        """The fluents that can be true in some round, in a fixed order."""
        steps = horizon(self.machine, self.rounds + 1)
        return tuple(sorted({f for step in steps for f in step.possible}, key=term_order))

    def atoms(self, position: Position) -> frozenset[str]:
        """The fluents; what Black has chosen in this round is none."""
        assert isinstance(position, RoundsPosition), "a position of this game"
        return frozenset(map(term_text, position.state))

    @property
    def words(self) -> Collection[str]:
        return list(map(term_text, self._fluents))

    def board_of(self, atoms: Collection[str]) -> BoardPicture:
        return self.board(frozenset(map(self._ground, atoms)))

    def square_of(self, text: str) -> tuple[int, int] | None:
        """The last column and row of the grid among the words of a move."""
        if self.grid is None:
            return None
        return self.grid.square_of(self._ground(text))

    def witnesses(self, position: Position, player: Player) -> frozenset[Player]:
        """The player, where the play has ended by the description with a win of the player's."""
        assert isinstance(position, RoundsPosition), "a position of this game"
        outcome = None if position.chosen is not None else self.end(position.state)
        won = outcome is not None and outcome.winner is player
        return frozenset({player} if won else ())

    # -- texts --------------------------------------------------------------------------------

    @cached_property
    def _spelling(self) -> Mapping[str, str]:
        words: dict[str, str] = {}
        for clause in self.description.clauses:
            for atom in (clause.head, *(literal.atom for literal in clause.body)):
                for word in _words(getattr(atom, "arguments", ())):
                    words.setdefault(word.lower(), word)
        return words

    def _ground(self, text: str) -> Ground:
        return _respelt(parse_ground(text), self._spelling)

    def parse_move(self, text: str, player: Player) -> GdlMove:
        """The move in ``text``: ``(mark 1 1)``, or ``mark(1,1)``, or ``mark 1 1``.

        Its name and number of arguments are those of a move that the player can have.
        """
        shown = text.strip()
        if _CALL.fullmatch(shown) and not shown.startswith("("):
            name, _, rest = shown.partition("(")
            shown = f"({name} {rest.replace(',', ' ')}"
        elif shown and not shown.startswith("(") and len(shown.split()) > 1:
            shown = f"({shown})"
        try:
            term = self._ground(shown)
        except InputError:
            term = None
        if term is None or _form(term) not in self._forms[player]:
            moves = self.moves(player)
            example = str(moves[0]) if moves else "noop"
            raise MalformedMoveError(f"found {quoted(text)}, expected a move like {example}")
        return GdlMove(term)

    @cached_property
    def _forms(self) -> Mapping[Player, _Forms]:
        """The names and numbers of arguments of each player's moves.

        Formulas have codes for moves that can never be legal, where what tells that is finer
        than what their encoder knows: the forms are those that the rules for ``legal`` allow.
        """
        allowed = _MoveForms(self.description.clauses).at(("legal", 2), 1)
        return {
            player: allowed | {_form(move.term) for move in self.moves(player)} for player in Player
        }

    def moves(self, player: Player) -> Sequence[GdlMove]:
        """All moves that can be legal for a player in some round, at most."""
        return [GdlMove(move) for move in self._domains.get(self.roles[player], ())]

    def kernel(self) -> Kernel:
        return RoundsKernel(self)


def _game(description: Description, rounds: int, black: Ground, win: int, name: str) -> RoundsGame:
    return RoundsGame(description, rounds, black=term_text(black), win=win, name=name)


def _form(term: Term) -> tuple[Term, int]:
    return (term[0], len(term) - 1) if isinstance(term, tuple) else (term, 0)


_Forms: TypeAlias = "frozenset[tuple[Term, int]]"

_HEADS: Final[Mapping[Key, Sequence[Key]]] = {
    ("true", 1): (("init", 1), ("next", 1)),
    ("does", 2): (("legal", 2),),
}
"""The relations whose rules say what is true of a relation without rules."""


class _MoveForms:
    """The forms of what may stand at a place of a relation, and perhaps more.

    A variable in a rule's head has the forms of its place in one of the conditions.
    """

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._clauses = clauses
        self._seen: set[tuple[Key, int]] = set()

    def at(self, key: Key, place: int) -> _Forms:
        if (key, place) in self._seen:
            return frozenset()
        self._seen.add((key, place))
        heads = _HEADS.get(key, (key,))
        own = (clause for clause in self._clauses if clause.head.key in heads)
        return frozenset().union(*(self._of(clause, place) for clause in own))

    def _of(self, clause: Clause, place: int) -> _Forms:
        term = clause.head.arguments[place]
        if not isinstance(term, Variable):
            return frozenset({_form(term)})
        for literal in clause.body:
            atom = literal.atom
            if literal.positive and isinstance(atom, Atom) and term in atom.arguments:
                return self.at(atom.key, atom.arguments.index(term))
        return self._every

    @cached_property
    def _every(self) -> _Forms:
        """The forms of all terms of the description."""
        found: set[tuple[Term, int]] = set()
        waiting: list[Term] = [
            term
            for clause in self._clauses
            for atom in (clause.head, *(literal.atom for literal in clause.body))
            for term in arguments_of(atom)
        ]
        while waiting:
            term = waiting.pop()
            if not isinstance(term, Variable):
                found.add(_form(term))
                waiting += term[1:] if isinstance(term, tuple) else ()
        return frozenset(found)


def _words(terms: Sequence[Term]) -> list[str]:
    found: list[str] = []
    for term in terms:
        if isinstance(term, tuple):
            found += _words(term)
        elif not isinstance(term, Variable):
            found.append(term)
    return found


def _respelt(term: Ground, words: Mapping[str, str]) -> Ground:
    if isinstance(term, tuple):
        return tuple(_respelt(part, words) for part in term)
    return words.get(term.lower(), term)


def _some(moves: Sequence[Ground]) -> str:
    shown = ", ".join(map(term_text, moves[:3]))
    return shown + (", ..." if len(moves) > 3 else "")


def rounds_text(number: int | None) -> str:
    """A number of rounds in words; ``None`` is any number."""
    if number is None:
        return "any number of rounds"
    return f"{counted(number, 'round')}"


Successors = list[tuple[int, KernelState, bool]]


class RoundsKernel(Kernel):
    """States are those of the game; with Black's part of the round chosen, a pair.

    Black wins at once where the game has ended with Black's goal; White by a part of the round
    that ends it without.
    """

    def __init__(self, game: RoundsGame) -> None:
        self._game = game
        self.initial = game.machine.initial
        self._numbers: dict[Player, dict[Ground, int]] = {player: {} for player in Player}
        self._moves: dict[Player, list[GdlMove]] = {player: [] for player in Player}
        self._known: dict[KernelState, Successors] = {}

    def _number(self, player: Player, move: Ground) -> int:
        numbers = self._numbers[player]
        if move not in numbers:
            numbers[move] = len(numbers)
            self._moves[player].append(GdlMove(move))
        return numbers[move]

    def _end(self, state: State) -> Player | None:
        outcome = self._game.end(state)
        return None if outcome is None else outcome.winner

    def successors(self, state: KernelState, player: Player) -> Successors:
        known = self._known.get(state)
        if known is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            known = self._known[state] = self._find(state)
        return known

    def _find(self, state: KernelState) -> Successors:
        inner = self._game
        if isinstance(state, frozenset):
            if self._end(state) is not None:
                return []
            return [
                (self._number(BLACK, move), (state, move), False)
                for move in inner.choices(state)[BLACK]
            ]
        before, chosen = _pair(state)
        found: Successors = []
        for move in inner.choices(before)[WHITE]:
            after = self._game.after(before, chosen, move)
            found.append((self._number(WHITE, move), after, self._end(after) is WHITE))
        return found

    def wins_at_once(self, state: KernelState, player: Player) -> bool:
        if player is BLACK:
            assert isinstance(state, frozenset)
            return self._end(state) is BLACK
        return any(won for _, _, won in self.successors(state, player))

    def key(self, state: KernelState) -> Hashable:
        return state

    def move(self, number: int, player: Player) -> Move:
        return self._moves[player][number]

    def state(self, position: Position) -> KernelState:
        if not isinstance(position, RoundsPosition):
            raise UsageError(f"found {position}, expected a position by rounds")
        if position.chosen is None:
            return position.state
        return position.state, position.chosen


def _pair(state: KernelState) -> tuple[State, Ground]:
    assert isinstance(state, tuple)
    before, chosen = state
    assert isinstance(before, frozenset)
    return before, chosen


def rounds_game(model: GdlModel) -> RoundsGame:
    """The game with two plies a round, Black's part and White's; errors as it has them."""
    return RoundsGame(
        model.two_roles, model.rounds, black=model.role, win=model.win, name=name_of(model)
    )


# The depths of a game in GDL


_MOST_ROUNDS: Final = 400


class RoundDepths(Depths):
    """The rounds of a game in GDL; the win may come in any of them."""

    def __init__(self, model: GdlModel) -> None:
        self.model = model
        self.bound = None

    def count(self, plies: int) -> str:
        return f"{counted(plies, 'round')}"

    def searched(self, plies: int) -> int:
        # Without the ply at which a win of its last round is claimed, a round is not decided.
        return rounds_of(max(plies - 1, 0))

    def relevant(self, first: int = 1, last: int | None = None) -> Iterator[int]:
        return iter(range(first, last + 1)) if last is not None else count_from(first)

    def last(self, last: int | None = None) -> int | None:
        return _MOST_ROUNDS if last is None else last
