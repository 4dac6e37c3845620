"""Reading plays of a certificate: replies, boards, legality and the verdict.

A reader works on :class:`~qsage_validate.strategies.readings.Assignment` values, many at a time,
so that one person's play and a thousand random plays in lock step are the same code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from qsage_validate.certificates.oracles.oracle import Oracle, ask
from qsage_validate.encodings.layout.layout import Layout, Ply
from qsage_validate.formats.grid_names import named_cell
from qsage_validate.games.protocol import BoardPicture, Player
from qsage_validate.strategies.readings import (
    Assignment,
    Atoms,
    BoardReading,
    LayoutMove,
    Legality,
    PlyCode,
    SquareOf,
    SquareXY,
    StrategyAnswer,
    VerdictReading,
)

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
