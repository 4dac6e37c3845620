"""Reads plays of a Herbrand certificate: it plays White, all existentials are the opponent's.

What else Black decides follows from the moves through the matrix.  Where the formula tells a
board, its states and indicators are found by SAT on the matrix unfolded over the squares; else
only that much is read as the moves and the certificate determine gate by gate, in three values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from qsage_validate.certificates.oracles.oracle import Oracle, ask
from qsage_validate.certificates.oracles.refuter import Refuter, Refutes
from qsage_validate.certificates.support import variables_read
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.ternary import PartialSimulator
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.formats.grid_names import named_cell
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.strategies.reader import CertificateReader, RandomNumbers
from qsage_validate.strategies.readings import (
    Answer,
    Assignment,
    BoardReading,
    LayoutMove,
    Legality,
    SquareOf,
    VerdictReading,
)
from qsage_validate.strategies.unfolding import Unfolding

# So many values of Black's are named in a verdict where a layout does not know what they mean.
_NAMED = 8


class HerbrandReader(CertificateReader):
    """White's replies as the Herbrand functions give them; the rest follows from the moves.

    Where a solver's functions read a position of Black's, it is what the rules say.
    """

    def __init__(
        self,
        certificate: CircuitCertificate,
        qbf: Qbf,
        layout: Layout,
        oracle: Oracle,
        square_of: SquareOf = named_cell,
        *,
        refuter: Refutes | None = None,
    ) -> None:
        """``refuter`` gives verdicts; by default they follow from the certificate's functions."""
        super().__init__(layout, Player.WHITE, oracle, square_of)
        self.qbf = qbf
        self._certificate = certificate
        self._given = refuter
        self._following: _Following = (
            _Unfolded(self) if layout.state.is_board else _Determined(self)
        )
        read = variables_read(certificate)
        # By time: the literals of atoms that Black decides and White's functions read.
        state = layout.state
        self._told = [
            [(atom, x) for atom, x in zip(state.kinds, row, strict=False) if abs(x) in read]
            for row in (state.states if state.lists_atoms else ())
        ]

    @property
    def reads_atoms(self) -> bool:
        return any(self._told)

    def with_atoms(self, play: Assignment, true: Collection[str]) -> Assignment:
        told = self._told[play.plies] if play.plies < len(self._told) else ()
        values = {abs(x): (atom in true) == (x > 0) for atom, x in told}
        return replace(play, choice={**play.choice, **values}) if values else play

    def with_answer(self, play: Assignment, answer: Answer) -> Assignment:
        """The play after White's ply, with the indicators that follow from it."""
        after = super().with_answer(play, answer)
        follow = self._following.indicators(after)
        return replace(after, choice={**after.choice, **follow}) if follow else after

    @property
    def knows_legality(self) -> bool:
        return self._following.knows_legality

    def boards(self, plays: Sequence[Assignment], wanted: Sequence[int] = ()) -> list[BoardReading]:
        return self._following.boards(plays, wanted) if plays else []

    def legality(
        self, plays: Sequence[Assignment], moves: Sequence[LayoutMove]
    ) -> list[list[Legality | None] | None]:
        return [self._following.legality(play, moves) for play in plays]

    # -- the verdict ------------------------------------------------------------------------

    @cached_property
    def _refuter(self) -> Refutes:
        return self._given or Refuter(self._certificate, self.qbf)

    def verdicts(self, plays: Sequence[Assignment]) -> list[VerdictReading]:
        """The verdicts, by one SAT call for each different play."""
        found = {play.key: play for play in plays}
        readings = {key: self._verdict(play) for key, play in found.items()}
        return [readings[play.key] for play in plays]

    def sample_verdicts(
        self, plays: Sequence[Assignment], generators: Sequence[RandomNumbers]
    ) -> list[VerdictReading]:
        """The exact verdicts, which are cheap here."""
        return self.verdicts(plays)

    def _verdict(self, play: Assignment) -> VerdictReading:
        """False is what the certificate promised: no values of Black's make the matrix true."""
        fixed = self._following.fixed(play)
        found = self._refuter.refutation(fixed, play.reply)
        if found is None:
            return VerdictReading(False, self._following.refuted(play))
        free = [v for v in found if v not in fixed and v not in self._following.shown]
        named = free if self.layout.state.is_board else free[:_NAMED]
        values = ", ".join(f"{self.qbf.name(v)} = {int(found[v])}" for v in named)
        more = ", …" if len(free) > len(named) else ""
        return VerdictReading(True, f"with {values}{more}" if values else "")


class _Following(ABC):
    """The consequences of the moves of a play; ``shown`` are variables that a board shows."""

    shown: frozenset[int] = frozenset()

    def __init__(self, reader: HerbrandReader) -> None:
        self.reader = reader
        self.layout = reader.layout

    @property
    @abstractmethod
    def knows_legality(self) -> bool:
        """True if it is known which moves of Black's are legal."""

    def indicators(self, play: Assignment) -> dict[int, bool]:
        """The variables of Black's that follow from White's ply, which was just made."""
        return {}

    @abstractmethod
    def legality(
        self, play: Assignment, moves: Sequence[LayoutMove]
    ) -> list[Legality | None] | None:
        """The formula's legality of moves of Black's, in the form of the reader's ``legality``."""

    @abstractmethod
    def boards(self, plays: Sequence[Assignment], wanted: Sequence[int]) -> list[BoardReading]:
        """The positions, and the literals ``wanted`` at every place."""

    @abstractmethod
    def fixed(self, play: Assignment) -> Mapping[int, bool]:
        """The values of Black's that a verdict takes as given."""

    @abstractmethod
    def refuted(self, play: Assignment) -> str:
        """The reason why the matrix is false."""


class _Unfolded(_Following):
    """Consequences by SAT: the constraints of the plies imply states, indicators, objections."""

    knows_legality = True

    def __init__(self, reader: HerbrandReader) -> None:
        super().__init__(reader)
        self._unfolding = Unfolding(reader.qbf, self.layout)
        self.shown = frozenset(map(abs, self.layout.state.literals))

    def indicators(self, play: Assignment) -> dict[int, bool]:
        return self._unfolding.follow(_known(play), play.plies)

    def boards(self, plays: Sequence[Assignment], wanted: Sequence[int]) -> list[BoardReading]:
        return [self._board(play, wanted) for play in plays]

    def _board(self, play: Assignment, wanted: Sequence[int]) -> BoardReading:
        states = self._unfolding.states(_known(play), play.plies)
        at = self._unfolding.literals_at(_known(play), play.plies, wanted) if wanted else {}
        kinds = () if states is None else self.layout.state.kinds
        return self.reader.reading(kinds, list(zip(*(states or ()), strict=True)), at)

    def legality(
        self, play: Assignment, moves: Sequence[LayoutMove]
    ) -> list[Legality | None] | None:
        if not self._unfolding.constrains(_known(play), play.plies + 1):
            return None
        return [self._legality(play, move) for move in moves]

    def _legality(self, play: Assignment, move: LayoutMove) -> Legality:
        after = self.reader.with_move(play, move)
        own = {v: value for v, value in after.choice.items() if v not in play.choice}
        objections = self._unfolding.objections(_known(play), own, after.plies)
        if objections is None:
            return Legality(True)
        return Legality(False, tuple(objections), objections)

    def fixed(self, play: Assignment) -> Mapping[int, bool]:
        """The moves and claims alone.

        Indicators, goals and state variables, and whatever a play that ended early left open,
        are looked for.
        """
        earlier = {abs(v) for ply in self.layout.moves[: play.plies] for v in ply.all_variables}
        return {v: value for v, value in play.choice.items() if v in earlier}

    def refuted(self, play: Assignment) -> str:
        state, reader = self.layout.state, self.reader
        universal = [abs(v) for v in state.position if abs(v) not in reader.opponent]
        row = ask(reader.oracle, [play.choice], universal)[0].tolist()
        x, y = (axis.read(dict(zip(universal, row, strict=True))) + 1 for axis in state.axes)
        return f"at the symbolic square ({x},{y}), whatever values Black's variables take"


class _Determined(_Following):
    """Consequences by simulation in three values; of legality nothing is known.

    The cause of a false matrix is unknown: a move of Black's, or a later choice.
    """

    knows_legality = False

    @cached_property
    def _matrix(self) -> PartialSimulator:
        return PartialSimulator(self.reader.qbf)

    def boards(self, plays: Sequence[Assignment], wanted: Sequence[int]) -> list[BoardReading]:
        kinds = self.reader.state(plays[0].plies)
        places = self.layout.state.at_places
        known = [{**_known(play), **at} for play in plays for at in places]
        rows = self._matrix.run(known, [*kinds.values(), *wanted])
        return self.reader.readings(list(kinds), wanted, rows)

    def legality(self, play: Assignment, moves: Sequence[LayoutMove]) -> None:
        return None

    def fixed(self, play: Assignment) -> Mapping[int, bool]:
        return play.choice

    def refuted(self, play: Assignment) -> str:
        return "whatever values Black's other variables take"


def _known(play: Assignment) -> dict[int, bool]:
    return {**play.choice, **play.reply}
