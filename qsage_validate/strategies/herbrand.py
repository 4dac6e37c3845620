"""Reads plays of a Herbrand certificate: it plays White, all existentials are the opponent's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from qsage_validate.certificates.oracles.oracle import Oracle
from qsage_validate.certificates.oracles.refuter import Refuter
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.grid import Layout
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.strategies.reader import CertificateReader, RandomNumbers
from qsage_validate.strategies.readings import (
    Answer,
    BoardCode,
    BoardReading,
    GridCode,
    LayoutMove,
    Legality,
    Line,
    MoveCode,
    SquareXY,
    VerdictReading,
)
from qsage_validate.strategies.unfolding import Unfolding
from qsage_validate.strategies.values import ask


class HerbrandReader(CertificateReader):
    """White's replies as the Herbrand functions give them; the rest follows from the moves."""

    def __init__(
        self, certificate: CircuitCertificate, qbf: Qbf, layout: Layout, oracle: Oracle
    ) -> None:
        super().__init__(layout, Player.WHITE, oracle, GridCode(layout))
        self.layout: Layout = layout
        self.squares = BoardCode(layout)
        self._code = MoveCode(layout)
        self._certificate = certificate
        self._qbf = qbf
        self._unfolding = Unfolding(qbf, layout)

    @property
    def knows_legality(self) -> bool:
        return True

    @property
    def places(self) -> tuple[SquareXY, ...]:
        return tuple(self.squares.squares)

    @cached_property
    def _refuter(self) -> Refuter:
        return Refuter(self._certificate, self._qbf)

    def with_answer(self, line: Line, answer: Answer) -> Line:
        """The line after White's ply, with the indicators that follow from it."""
        after = super().with_answer(line, answer)
        indicators = self._unfolding.follow(_known(after), after.plies)
        return Line(after.plies, {**after.choice, **indicators}, after.reply)

    def boards(self, lines: Sequence[Line], wanted: Sequence[int] = ()) -> list[BoardReading]:
        readings = []
        for line in lines:
            states = self._unfolding.states(_known(line), line.plies)
            board = None if states is None else self.squares.board(states)
            at = self._unfolding.literals_at(_known(line), line.plies, wanted) if wanted else {}
            readings.append(BoardReading(board, at))
        return readings

    def legality(
        self, lines: Sequence[Line], moves: Sequence[LayoutMove]
    ) -> list[list[Legality | None] | None]:
        return [
            [self._legality(line, move) for move in moves]
            if self._unfolding.constrains(_known(line), line.plies + 1)
            else None
            for line in lines
        ]

    def _legality(self, line: Line, move: LayoutMove) -> Legality:
        after = self.with_move(line, move)
        own = {v: value for v, value in after.choice.items() if v not in line.choice}
        objections = self._unfolding.objections(_known(line), own, after.plies)
        if objections is None:
            return Legality(True)
        return Legality(False, tuple(objections), objections)

    def verdicts(self, lines: Sequence[Line]) -> list[VerdictReading]:
        return [self._verdict(line) for line in lines]

    def sample_verdicts(
        self, lines: Sequence[Line], generators: Sequence[RandomNumbers]
    ) -> list[VerdictReading]:
        """The exact verdicts, which are cheap here: one SAT call for each different line."""
        found = {line.key: line for line in lines}
        readings = {key: self._verdict(line) for key, line in found.items()}
        return [readings[line.key] for line in lines]

    def _verdict(self, line: Line) -> VerdictReading:
        """False is what the certificate promised: no values of Black's make the matrix true.

        Only the moves and claims are fixed; indicators, goals and state variables, and whatever
        a play that ended early left open, are looked for by a SAT solver.
        """
        made = {abs(v) for move in self.layout.moves[: line.plies] for v in move.literals}
        made |= {abs(m.stop) for m in self.layout.moves[: line.plies] if m.stop is not None}
        fixed = {v: value for v, value in line.choice.items() if v in made}
        found = self._refuter.refutation(fixed)
        position = [*self.layout.board.x, *self.layout.board.y]
        universal = [abs(v) for v in position if abs(v) not in self.opponent]
        if found is None:
            row = ask(self.oracle, [line.choice], universal)[0].tolist()
            x, y = self._code.decode_square(dict(zip(universal, row, strict=True)))
            note = f"at the symbolic square ({x},{y}), whatever values Black's variables take"
            return VerdictReading(False, note)
        states = {abs(v) for state in self.layout.board.states for v in state}
        free = [v for v in found if v not in fixed and v not in states]
        values = ", ".join(f"{self._qbf.name(v)} = {int(found[v])}" for v in free)
        return VerdictReading(True, f"with {values}" if values else "")


def _known(line: Line) -> dict[int, bool]:
    return {**line.choice, **line.reply}
