"""Plays as a certificate's formula says them: replies, boards, legality and the verdict.

A reader works on :class:`~qsage_validate.strategies.reader.Assignment` values, many at a time,
so that one person's play and a thousand random plays in lock step are the same code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, cached_property
from typing import Protocol

from qsage_validate.certificates.oracle import Oracle, ask
from qsage_validate.encodings.layout import (
    Layout,
    MoveCoding,
    Ply,
    UnspecifiedLegality,
    grid_move,
    literal_value,
)
from qsage_validate.formats.grid_names import named_cell
from qsage_validate.games.protocol import BoardPicture, Player, TwoPlayerGame

# A play as the formula sees it: moves as bits, boards as state variables


SquareXY = tuple[int, int]
Values = Mapping[int, bool]
SquareOf = Callable[[str], SquareXY | None]


class NamedGroup(Enum):
    """The kind of thing that a named value is; the interface groups by it."""

    MOVE = "move"
    STOP = "game stop"
    INDICATOR = "indicator"
    GATE = "gate"
    GOAL = "goal"
    STATE = "state"
    VERDICT = "verdict"
    BLOCK = "block"
    FORMULA = "formula"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class LayoutMove:
    """A move as a layout can say it: ``occupy(2,3)``, ``b2``, ``(mark 1 1)``; equal by its text.

    ``square`` is the square that it names (1-based), where one is known; ``action`` the action of
    a move on a grid, else empty.  ``said`` is the move as people say it, where a game says it.
    """

    text: str
    square: SquareXY | None = field(compare=False, default=None)
    action: str = field(compare=False, default="")
    said: str = field(compare=False, default="")

    @classmethod
    def on_grid(cls, action: str, x: int, y: int) -> LayoutMove:
        return cls(f"{action}({x},{y})", (x, y), action)

    def __str__(self) -> str:
        return self.text

    @property
    def words(self) -> str:
        """The move for people: as they say it, else its text."""
        return self.said or self.text


@dataclass(frozen=True, slots=True)
class Assignment:
    """The plies made so far: who chose which values.

    ``choice`` are the opponent's variables (in a Herbrand certificate's case also those that
    follow from the moves, like indicators), ``reply`` the certificate's move variables.  Both
    are by QBF variable and must not be changed.
    """

    plies: int = 0
    choice: Mapping[int, bool] = field(default_factory=dict)
    reply: Mapping[int, bool] = field(default_factory=dict)

    @property
    def key(self) -> tuple[int, frozenset[tuple[int, bool]]]:
        """Equal for plays in which the opponent chose the same: their answers are the same."""
        return self.plies, frozenset(self.choice.items())


@dataclass(frozen=True, slots=True)
class StrategyAnswer:
    """The certificate's ply.

    ``move`` is ``None`` when the bits name no action or no square of the board (``problem``
    says which); ``stop`` is the game-stop variable; ``values`` the variables of the ply.
    """

    move: LayoutMove | None
    stop: bool
    values: Mapping[int, bool]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Atoms:
    """A position in words: the true atoms among those with literals in the formula."""

    true: frozenset[str]
    known: frozenset[str]


@dataclass(frozen=True, slots=True)
class BoardReading:
    """A board read square by square, and other literals at the same time.

    ``board`` is ``None`` when the formula leaves no consistent values; ``at`` maps each wanted
    literal to its values on the squares, row by row (``None`` where it is not determined yet; one
    value where there are no squares to read it on).  Formulas that keep a position in words have
    ``atoms``; the game draws a board from them.
    """

    board: BoardPicture | None
    at: Mapping[int, tuple[bool | None, ...]]
    atoms: Atoms | None = None


@dataclass(frozen=True, slots=True)
class Legality:
    """The formula's legality of a move: ``false`` are the literals against it.

    ``false_at`` has the symbolic squares at which they do, where they depend on one; ``earlier``
    is the ply, from 1, whose variables already say the same move, where that alone forbids it.
    """

    legal: bool
    false: tuple[int, ...] = ()
    false_at: Mapping[int, tuple[SquareXY, ...]] = field(default_factory=dict)
    earlier: int | None = None


@dataclass(frozen=True, slots=True)
class VerdictReading:
    """The verdict of a finished play.

    ``value`` is whether the matrix holds in this play whatever the rest of the variables of the
    certificate's opponent (``None``: there is no verdict literal); ``exact`` whether all
    values of the rest were covered; ``note`` says what was looked at, or for what it fails.
    """

    value: bool | None
    note: str
    exact: bool = True


def split_moves(text: str) -> list[str]:
    """The moves of a play that was joined by blanks; blanks inside parentheses are a move's."""
    moves: list[str] = []
    depth = 0
    for word in text.split():
        if depth:
            moves[-1] += f" {word}"
        else:
            moves.append(word)
        depth = max(0, depth + word.count("(") - word.count(")"))
    return moves


class PlyCode:
    """Translates the moves of each ply (from 1) to the values of its variables and back.

    ``square_of`` says where a move is drawn whose text has no coordinates.
    """

    def __init__(self, layout: Layout, square_of: SquareOf = named_cell) -> None:
        self._layout = layout
        self._square_of = square_of
        self._moves = cache(lambda texts: tuple(map(self._move, texts)))

    def _coding(self, ply: int) -> MoveCoding:
        return self._layout.moves[ply - 1].coding

    def _move(self, text: str) -> LayoutMove:
        parts = grid_move(text) if self._layout.actions else None
        if parts is None:
            return LayoutMove(text, self._square_of(text))
        return LayoutMove.on_grid(*parts)

    def encode(self, ply: int, move: LayoutMove) -> dict[int, bool]:
        """The values of the ply's variables for ``move``, the stop variable left out."""
        return self._coding(ply).encode(str(move))

    def decode(self, ply: int, values: Mapping[int, bool]) -> StrategyAnswer:
        """The move that ``values`` stand for."""
        own = self._layout.moves[ply - 1]
        text, problem = own.coding.decode(values)
        stop = own.stop is not None and literal_value(values, own.stop)
        variables = {abs(v): literal_value(values, abs(v)) for v in own.all_variables}
        return StrategyAnswer(None if text is None else self._move(text), stop, variables, problem)

    def moves(self, ply: int) -> list[LayoutMove]:
        """Every move of a ply, legal or not, in a fixed order."""
        return list(self._moves(self._coding(ply).moves))

    def no_moves(self, ply: int) -> list[LayoutMove]:
        """The codes of a ply's variables that are no moves: squares off the board and such."""
        return [self._move(text) for text in self._coding(ply).no_moves]

    def can_say(self, ply: int, move: LayoutMove) -> bool:
        """True if the variables of a ply have a value for ``move``."""
        return self._coding(ply).can_say(str(move))

    def find(self, ply: int, text: str) -> LayoutMove | None:
        """The move whose text is ``text``; ``None`` where the ply cannot say it."""
        return self._move(text) if self._coding(ply).can_say(text) else None


# Reading plays of a certificate: replies, boards, legality and the verdict


_Column = tuple[bool | None, ...]


class RandomNumbers(Protocol):
    """Whatever draws numbers from 0 to 1, without 1."""

    def random(self) -> float: ...


class CertificateReader(ABC):
    """Reads plays of one certificate with the help of a layout."""

    def __init__(
        self, layout: Layout, player: Player, oracle: Oracle, square_of: SquareOf = named_cell
    ) -> None:
        self.layout = layout
        self.player = player
        self.oracle = oracle
        self.opponent = frozenset(oracle.opponent)
        self.code = PlyCode(layout, square_of)
        self._square_of = square_of
        # A board that is too large to be shown is refused before anything is asked.
        self._squares = layout.state.squares

    @property
    @abstractmethod
    def knows_legality(self) -> bool:
        """True if :meth:`legality` has an answer at every ply of the opponent."""

    @cached_property
    def places(self) -> tuple[SquareXY, ...]:
        """The squares on which a reading has the values of literals; none for one value."""
        names = enumerate(self.layout.state.names, start=1)
        return self._squares or tuple(self._square_of(n) or (1, number) for number, n in names)

    def start(self) -> Assignment:
        """The play before ply 1."""
        return Assignment()

    def variables(self, ply: int) -> Ply:
        """The variables of ply ``ply`` (from 1)."""
        return self.layout.moves[ply - 1]

    def with_move(self, play: Assignment, move: LayoutMove, *, stop: bool = False) -> Assignment:
        """The play after the opponent's ``move``; ``stop`` claims the goal."""
        variables = self.variables(play.plies + 1)
        values = self.code.encode(play.plies + 1, move)
        if variables.stop is not None:
            values[abs(variables.stop)] = stop != (variables.stop < 0)
        own = {v: value for v, value in values.items() if v in self.opponent}
        return Assignment(play.plies + 1, {**play.choice, **own}, play.reply)

    @property
    def reads_atoms(self) -> bool:
        """True if the certificate reads what the opponent says of the position."""
        return False

    def with_atoms(self, play: Assignment, true: Collection[str]) -> Assignment:
        """The play in which the opponent says of the position what holds in it."""
        return play

    def with_answer(self, play: Assignment, answer: StrategyAnswer) -> Assignment:
        """The play after the certificate's ply."""
        return Assignment(play.plies + 1, play.choice, {**play.reply, **answer.values})

    def answers(self, plays: Sequence[Assignment]) -> list[StrategyAnswer]:
        """The certificate's ply after each play; all plays have the same number of plies."""
        if not plays:
            return []
        ply = plays[0].plies + 1
        variables = self.variables(ply)
        wanted = [abs(v) for v in variables.all_variables]
        rows = ask(self.oracle, [play.choice for play in plays], wanted)
        return [self.code.decode(ply, dict(zip(wanted, row, strict=True))) for row in rows.tolist()]

    def state(self, plies: int) -> dict[str, int]:
        """The formula's position after so many plies: kinds and their literals.

        Of atoms that the certificate's opponent chooses (who loses by lying) there is nothing to
        read.
        """
        state = self.layout.state
        literals = state.states[plies] if plies < len(state.states) else ()
        pairs = zip(state.kinds, literals, strict=False)
        chosen = self.player is Player.BLACK and not state.is_board
        free = self.opponent if chosen else frozenset[int]()
        return {kind: x for kind, x in pairs if x and abs(x) not in free}

    @abstractmethod
    def boards(self, plays: Sequence[Assignment], wanted: Sequence[int] = ()) -> list[BoardReading]:
        """The position of each play, and the literals ``wanted`` at every place."""

    def readings(
        self, kinds: Sequence[str], wanted: Sequence[int], rows: Sequence[_Column]
    ) -> list[BoardReading]:
        """Positions from the values of ``kinds`` and ``wanted``: a row for each play and place."""
        found = []
        step = len(self.layout.state.at_places)
        for first in range(0, len(rows), step):
            columns = list(zip(*rows[first : first + step], strict=True))
            at = dict(zip(wanted, columns[len(kinds) :], strict=True))
            found.append(self.reading(kinds, columns[: len(kinds)], at))
        return found

    def reading(
        self, kinds: Sequence[str], columns: Sequence[_Column], at: Mapping[int, _Column]
    ) -> BoardReading:
        """The position that ``kinds`` have with these values at each place.

        A grid has a board, else there are atoms; neither where the formula does not determine
        them.
        """
        state = self.layout.state
        if state.code is not None:
            squares = [
                state.code.decode(bool(one), bool(two)) for one, two in zip(*columns, strict=True)
            ]
            return BoardReading(BoardPicture(*state.size, tuple(squares)) if kinds else None, at)
        places = state.places if state.position else ("",)
        values = {
            f"{kind} {place}" if place else kind: value
            for kind, column in zip(kinds, columns, strict=True)
            for place, value in zip(places, column, strict=True)
            if value is not None
        }
        true = frozenset(atom for atom, value in values.items() if value)
        return BoardReading(None, at, Atoms(true, frozenset(values)) if values else None)

    @abstractmethod
    def legality(
        self, plays: Sequence[Assignment], moves: Sequence[LayoutMove]
    ) -> list[list[Legality | None] | None]:
        """The formula's legality of each of the opponent's moves after each play.

        ``None`` for a play after which the formula says nothing or the place of its answer is
        unknown; also for single moves of which it says nothing.
        """

    @abstractmethod
    def verdicts(self, plays: Sequence[Assignment]) -> list[VerdictReading]:
        """The verdict of finished plays, for the rest of the variables whatever they are."""

    @abstractmethod
    def sample_verdicts(
        self, plays: Sequence[Assignment], generators: Sequence[RandomNumbers]
    ) -> list[VerdictReading]:
        """The verdict of each play for values of the rest that its generator draws.

        Much cheaper than :meth:`verdicts`, for many plays.
        """


# Whose turn it is, and what is known, by formula and rules


def mover_of(layout: Layout, game: TwoPlayerGame | None, ply: int) -> Player:
    """The player of a ply (from 1); behind the layout's last one the rules say who that is."""
    if ply <= layout.plies or game is None:
        return layout.moves[ply - 1].player
    return game.player_at(ply)


def plies_of(layout: Layout, game: TwoPlayerGame | None) -> int:
    """The largest number of plies of a play."""
    return max(layout.plies, 0 if game is None else game.moves_made)


def knows_illegal(reader: CertificateReader, game: TwoPlayerGame | None) -> bool:
    """True if illegal moves are known, by the formula or by the rules.

    The layout tells the meaning of a formula's silence (``UnspecifiedLegality``).
    """
    if reader.knows_legality or reader.layout.silence is UnspecifiedLegality.FREE:
        return reader.knows_legality
    return game is not None
