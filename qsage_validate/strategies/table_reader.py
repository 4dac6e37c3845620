"""Reads plays of formulas that list the moves of a ply and keep a position in words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from typing import Final

from qsage_validate.certificates.oracles.oracle import Oracle
from qsage_validate.certificates.oracles.refuter import Refuter
from qsage_validate.certificates.support import variables_read
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.ternary import PartialSimulator
from qsage_validate.encodings.layout.grid import value_bits
from qsage_validate.encodings.layout.tables import TableLayout
from qsage_validate.formats.grid_names import named_cell
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.strategies.legality import TableLegality
from qsage_validate.strategies.reader import CertificateReader, RandomNumbers
from qsage_validate.strategies.readings import (
    Atoms,
    BoardReading,
    LayoutMove,
    Legality,
    Line,
    SquareXY,
    VerdictReading,
    fix,
)
from qsage_validate.strategies.table_code import SquareOf, TableCode
from qsage_validate.strategies.values import ask

# How many values of the opponent's remaining variables a verdict is evaluated for.
_VERDICT_LIMIT: Final = 1 << 10
# How many are drawn where a verdict is only sampled.
_DRAWN: Final = 8
# Choices that are asked about at a time.
_ASKED: Final = 1 << 14

Values = Mapping[int, bool]


class TableReader(CertificateReader):
    """What Skolem and Herbrand certificates have in common: how atoms are read.

    With a symbolic position each atom is read at its place; the values of other literals are
    then those at the places, else there is one value.
    """

    def __init__(
        self, layout: TableLayout, player: Player, oracle: Oracle, square_of: SquareOf
    ) -> None:
        super().__init__(layout, player, oracle, TableCode(layout, square_of))
        self.layout: TableLayout = layout
        self._square_of = square_of

    @cached_property
    def places(self) -> tuple[SquareXY, ...]:
        """The squares of the symbolic position's places; none where there is no such position."""
        names = enumerate(self.layout.state.places, start=1)
        return tuple(self._square_of(name) or (1, number) for number, name in names)

    @cached_property
    def _at_places(self) -> tuple[dict[int, bool], ...]:
        """The values of the symbolic position at each place; one empty one without it."""
        state = self.layout.state
        if not state.position:
            return ({},)
        values: list[dict[int, bool]] = []
        for number in range(len(state.places)):
            at: dict[int, bool] = {}
            fix(at, state.position, value_bits(number, len(state.position)))
            values.append(at)
        return tuple(values)

    def _state(self, plies: int) -> dict[str, int]:
        """The kinds of atoms that the formula has after so many plies, with their literals.

        Where the certificate's opponent chooses what the position is (and loses by lying), there
        is nothing to read.
        """
        state = self.layout.state
        literals = state.states[plies] if plies < len(state.states) else ()
        pairs = zip(state.atoms, literals, strict=False)
        free = self.opponent if self.player is Player.BLACK else frozenset[int]()
        return {atom: x for atom, x in pairs if x and abs(x) not in free}

    def boards(self, lines: Sequence[Line], wanted: Sequence[int] = ()) -> list[BoardReading]:
        if not lines:
            return []
        kinds = self._state(lines[0].plies)
        literals = [*kinds.values(), *wanted]
        readings = []
        for rows in self._values(lines, literals):
            columns = list(zip(*rows, strict=True))
            atoms = self._atoms(list(kinds), columns[: len(kinds)])
            at = dict(zip(wanted, columns[len(kinds) :], strict=True))
            readings.append(BoardReading(None, at, atoms))
        return readings

    def _atoms(self, kinds: list[str], columns: Sequence[tuple[bool | None, ...]]) -> Atoms | None:
        """The atoms of one position; ``None`` where the formula does not determine it."""
        places = self.layout.state.places if self.layout.state.position else ("",)
        true: set[str] = set()
        known: set[str] = set()
        for kind, values in zip(kinds, columns, strict=True):
            for place, value in zip(places, values, strict=True):
                if value is not None:
                    atom = f"{kind} {place}" if place else kind
                    known.add(atom)
                    if value:
                        true.add(atom)
        return Atoms(frozenset(true), frozenset(known)) if known else None

    @abstractmethod
    def _values(
        self, lines: Sequence[Line], literals: Sequence[int]
    ) -> list[list[tuple[bool | None, ...]]]:
        """The values of ``literals`` at each place, for each line."""


class TableSkolemReader(TableReader):
    """Plays of a Skolem certificate: it plays Black, all universals are the opponent's."""

    def __init__(
        self, layout: TableLayout, oracle: Oracle, square_of: SquareOf = named_cell
    ) -> None:
        super().__init__(layout, Player.BLACK, oracle, square_of)

    @property
    def knows_legality(self) -> bool:
        own = (move.ply for move in self.layout.moves if move.player is Player.WHITE)
        return all(self._legality.tells(ply) for ply in own)

    @cached_property
    def _legality(self) -> TableLegality:
        at = dict(zip(self.layout.state.places, self._at_places, strict=False))
        assert isinstance(self.code, TableCode), "the code of a table"
        return TableLegality(self.layout, self.code, self._state, at)

    def _values(
        self, lines: Sequence[Line], literals: Sequence[int]
    ) -> list[list[tuple[bool | None, ...]]]:
        places = self._at_places
        choices = [{**line.choice, **at} for line in lines for at in places]
        rows: list[tuple[bool | None, ...]] = [
            tuple(row) for row in ask(self.oracle, choices, literals).tolist()
        ]
        return [rows[k : k + len(places)] for k in range(0, len(rows), len(places))]

    def legality(
        self, lines: Sequence[Line], moves: Sequence[LayoutMove]
    ) -> list[list[Legality | None] | None]:
        if not lines:
            return []
        ply = lines[0].plies + 1
        if not self._legality.tells(ply):
            return [None] * len(lines)
        needed = [self._legality.literals(ply, move) for move in moves]
        questions = [
            (literal, {**self.with_move(line, move).choice, **at})
            for line in lines
            for move, own in zip(moves, needed, strict=True)
            for literal, at in own
        ]
        literals = list(dict.fromkeys(literal for literal, _ in questions))
        table = ask(self.oracle, [choice for _, choice in questions], literals)
        column = {literal: k for k, literal in enumerate(literals)}
        values = iter([bool(table[k, column[x]]) for k, (x, _) in enumerate(questions)])
        found: list[list[Legality | None] | None] = []
        for line in lines:
            earlier = self._legality.earlier(line)
            told: list[Legality | None] = []
            for move, own in zip(moves, needed, strict=True):
                false = tuple(literal for literal, _ in own if not next(values))
                told.append(self._legality.verdict(ply, move, false, earlier))
            found.append(told)
        return found

    # -- the verdict ------------------------------------------------------------------------

    def rest(self, line: Line) -> list[int]:
        """The universals without a value that the verdict must not depend on.

        The symbolic position first; White's moves of later plies last.
        """
        position = [abs(v) for v in self.layout.state.position]
        rest = [*position, *(v for v in self.oracle.opponent if v not in position)]
        return [v for v in rest if v in self.opponent and v not in line.choice]

    def verdicts(self, lines: Sequence[Line]) -> list[VerdictReading]:
        patterns = []
        for line in lines:
            rest = self.rest(line)
            # Reversed, so that the first variables change the quickest.
            every = (bits[::-1] for bits in product((False, True), repeat=len(rest)))
            kept = islice(every, _VERDICT_LIMIT)
            patterns.append([dict(zip(rest, bits, strict=True)) for bits in kept])
        return self._verdicts(lines, patterns)

    def sample_verdicts(
        self, lines: Sequence[Line], generators: Sequence[RandomNumbers]
    ) -> list[VerdictReading]:
        patterns = []
        for line, generator in zip(lines, generators, strict=True):
            rest = self.rest(line)
            patterns.append([{v: generator.random() < 0.5 for v in rest} for _ in range(_DRAWN)])
        return self._verdicts(lines, patterns)

    def _verdicts(
        self, lines: Sequence[Line], patterns: Sequence[list[dict[int, bool]]]
    ) -> list[VerdictReading]:
        literal = self.layout.verdict
        if literal is None:
            return [VerdictReading(None, "the layout names no verdict", exact=False)] * len(lines)
        readings: list[VerdictReading] = []
        pairs = list(zip(lines, patterns, strict=True))
        while pairs:
            count = max(1, _ASKED // max(1, len(pairs[0][1])))
            batch, pairs = pairs[:count], pairs[count:]
            choices = [{**line.choice, **own} for line, each in batch for own in each]
            values = iter(ask(self.oracle, choices, [literal])[:, 0].tolist())
            readings += [
                self._verdict(line, own, list(islice(values, len(own)))) for line, own in batch
            ]
        return readings

    def _verdict(
        self, line: Line, patterns: list[dict[int, bool]], values: list[bool]
    ) -> VerdictReading:
        every = 1 << len(self.rest(line))
        exact = len(patterns) >= every
        if not all(values):
            return VerdictReading(False, self._describe(patterns[values.index(False)]), exact)
        if every == 1:
            return VerdictReading(True, "", exact)
        number = f"all {every}" if exact else str(len(patterns))
        return VerdictReading(True, f"under {number} values of {self._what(line)}", exact)

    def _what(self, line: Line) -> str:
        position = {abs(v) for v in self.layout.state.position}
        others = [v for v in self.rest(line) if v not in position]
        parts = ["the symbolic position"] if position else []
        return " and ".join([*parts, *(["White's other variables"] if others else [])])

    def _describe(self, pattern: Values) -> str:
        """What White chose in a pattern that falsifies the verdict."""
        state = self.layout.state
        for name, at in zip(state.places, self._at_places, strict=False):
            if at and all(pattern.get(v) == value for v, value in at.items()):
                return f"at the symbolic position {name}"
        return ""


class TableHerbrandReader(TableReader):
    """Plays of a Herbrand certificate: it plays White, all existentials are the opponent's.

    What else Black decides follows from the moves through the matrix alone: of a position only
    that much is read as the moves and the certificate determine gate by gate.  Where a solver's
    functions read a board of Black's, it is what the rules say.
    """

    def __init__(
        self,
        certificate: CircuitCertificate,
        qbf: Qbf,
        layout: TableLayout,
        oracle: Oracle,
        square_of: SquareOf = named_cell,
    ) -> None:
        super().__init__(layout, Player.WHITE, oracle, square_of)
        self._certificate = certificate
        self._qbf = qbf
        read = variables_read(certificate)
        # By time: the literals of atoms that Black decides and White's functions read.
        self._told = [
            [(atom, x) for atom, x in zip(layout.state.atoms, row, strict=False) if abs(x) in read]
            for row in (() if layout.state.position else layout.state.states)
        ]

    @property
    def reads_atoms(self) -> bool:
        return any(self._told)

    def with_atoms(self, line: Line, true: Collection[str]) -> Line:
        told = self._told[line.plies] if line.plies < len(self._told) else ()
        values = {abs(x): (atom in true) == (x > 0) for atom, x in told}
        return replace(line, choice={**line.choice, **values}) if values else line

    @property
    def knows_legality(self) -> bool:
        return False

    @cached_property
    def _matrix(self) -> PartialSimulator:
        return PartialSimulator(self._qbf)

    @cached_property
    def _refuter(self) -> Refuter:
        return Refuter(self._certificate, self._qbf)

    def _values(
        self, lines: Sequence[Line], literals: Sequence[int]
    ) -> list[list[tuple[bool | None, ...]]]:
        places = self._at_places
        known = [{**line.choice, **line.reply, **at} for line in lines for at in places]
        rows = self._matrix.run(known, literals)
        return [rows[k : k + len(places)] for k in range(0, len(rows), len(places))]

    def legality(
        self, lines: Sequence[Line], moves: Sequence[LayoutMove]
    ) -> list[list[Legality | None] | None]:
        """Nothing: whether the matrix falls by a move of Black's or by what comes, who can say."""
        return [None] * len(lines)

    def verdicts(self, lines: Sequence[Line]) -> list[VerdictReading]:
        found = {line.key: line for line in lines}
        readings = {key: self._verdict(line) for key, line in found.items()}
        return [readings[line.key] for line in lines]

    def sample_verdicts(
        self, lines: Sequence[Line], generators: Sequence[RandomNumbers]
    ) -> list[VerdictReading]:
        """The exact verdicts: one SAT call for each different line."""
        return self.verdicts(lines)

    def _verdict(self, line: Line) -> VerdictReading:
        """False is what the certificate promised: no values of Black's make the matrix true."""
        found = self._refuter.refutation(line.choice)
        if found is None:
            return VerdictReading(False, "whatever values Black's other variables take")
        free = [v for v in found if v not in line.choice]
        shown = ", ".join(f"{self._qbf.name(v)} = {int(found[v])}" for v in free[:8])
        more = ", …" if len(free) > 8 else ""
        return VerdictReading(True, f"with {shown}{more}" if free else "")
