"""Reads plays of a Skolem certificate: it plays Black, all universals are the opponent's.

Every question is the certificate's value under a choice of the universals: White's moves so
far, later ones (and White's stop variables) false, and the symbolic position, which makes the
state variables speak of one square.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product

from qsage_validate.certificates.oracles.oracle import Oracle
from qsage_validate.encodings.layout.grid import Layout
from qsage_validate.games.protocol import Player
from qsage_validate.strategies.reader import CertificateReader, RandomNumbers
from qsage_validate.strategies.readings import (
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
from qsage_validate.strategies.values import ask

# How many values of the symbolic position and White's goal a verdict is evaluated for.
_VERDICT_LIMIT = 1 << 14


class SkolemReader(CertificateReader):
    """Black's replies, the boards and White's legality as the Skolem functions give them."""

    def __init__(self, layout: Layout, oracle: Oracle) -> None:
        super().__init__(layout, Player.BLACK, oracle, GridCode(layout))
        self.layout: Layout = layout
        self.squares = BoardCode(layout)
        self._code = MoveCode(layout)

    @property
    def knows_legality(self) -> bool:
        own = [move.ply for move in self.layout.moves if move.player is Player.WHITE]
        return all(self.layout.indicator(ply) is not None for ply in own)

    @property
    def places(self) -> tuple[SquareXY, ...]:
        return tuple(self.squares.squares)

    def boards(self, lines: Sequence[Line], wanted: Sequence[int] = ()) -> list[BoardReading]:
        if not lines:
            return []
        plies = lines[0].plies
        has_state = plies < len(self.layout.board.states)
        state = self.layout.board.states[plies] if has_state else ()
        places = self._places()
        choices = [{**line.choice, **place} for line in lines for place in places]
        rows = ask(self.oracle, choices, [*state, *wanted]).tolist()
        readings = []
        for first in range(0, len(rows), len(places)):
            part = rows[first : first + len(places)]
            board = self.squares.board([(r[0], r[1]) for r in part]) if has_state else None
            columns = list(zip(*part, strict=True))[len(state) :]
            readings.append(BoardReading(board, dict(zip(wanted, columns, strict=True))))
        return readings

    def legality(
        self, lines: Sequence[Line], moves: Sequence[LayoutMove]
    ) -> list[list[Legality | None] | None]:
        indicators = self.layout.indicator(lines[0].plies + 1) if lines else None
        if indicators is None:
            return [None] * len(lines)
        literals = [] if indicators.bounds is None else [indicators.bounds]
        literals += indicators.preconditions
        choices = [self.with_move(line, move).choice for line in lines for move in moves]
        rows = ask(self.oracle, choices, literals).tolist()
        verdicts = [
            Legality(
                all(row), tuple(v for v, holds in zip(literals, row, strict=True) if not holds)
            )
            for row in rows
        ]
        return [[*verdicts[k : k + len(moves)]] for k in range(0, len(verdicts), len(moves))]

    def verdicts(self, lines: Sequence[Line]) -> list[VerdictReading]:
        literal = self.layout.verdict
        if literal is None:
            return [VerdictReading(None, "the layout names no verdict", exact=False)] * len(lines)
        patterns = [self.patterns(line) for line in lines]
        choices = [
            {**line.choice, **pattern}
            for line, own in zip(lines, patterns, strict=True)
            for pattern in own
        ]
        values = ask(self.oracle, choices, [literal])[:, 0]
        readings, first = [], 0
        for line, own in zip(lines, patterns, strict=True):
            readings.append(self._verdict(line, own, values[first : first + len(own)].tolist()))
            first += len(own)
        return readings

    def sample_verdicts(
        self, lines: Sequence[Line], generators: Sequence[RandomNumbers]
    ) -> list[VerdictReading]:
        """For a goal of White's that is drawn, at every square of the board."""
        if self.layout.verdict is None:
            return self.verdicts(lines)
        goals = [self._drawn(line, own) for line, own in zip(lines, generators, strict=True)]
        questions = {
            (line.key, tuple(goal.items())): {**line.choice, **goal}
            for line, goal in zip(lines, goals, strict=True)
        }
        places = self._places()
        choices = [{**choice, **place} for choice in questions.values() for place in places]
        values = ask(self.oracle, choices, [self.layout.verdict])[:, 0]
        rows = dict(zip(questions, values.reshape(-1, len(places)).tolist(), strict=True))
        readings = []
        for line, goal in zip(lines, goals, strict=True):
            row: list[bool] = rows[line.key, tuple(goal.items())]
            note = "" if all(row) else self._describe({**goal, **places[row.index(False)]})
            readings.append(VerdictReading(all(row), note, exact=False))
        return readings

    def _drawn(self, line: Line, generator: RandomNumbers) -> dict[int, bool]:
        position = {abs(v) for v in (*self.layout.board.x, *self.layout.board.y)}
        return {v: generator.random() < 0.5 for v in self.rest(line) if v not in position}

    def _places(self) -> list[dict[int, bool]]:
        """The values of the symbolic position on the squares, row by row.

        An axis of length 1 may have an existential bit: it is not ours to choose.
        """
        return [
            {v: value for v, value in self.squares.at(x, y).items() if v in self.opponent}
            for x, y in self.squares.squares
        ]

    def _verdict(
        self, line: Line, patterns: list[dict[int, bool]], values: list[bool]
    ) -> VerdictReading:
        exact = len(patterns) == 1 << len(self.rest(line))
        if not all(values):
            return VerdictReading(False, self._describe(patterns[values.index(False)]), exact)
        what = "the symbolic position" + (" and White's goal" if self._claims(line) else "")
        number = f"all {len(patterns)}" if exact else str(len(patterns))
        return VerdictReading(True, f"under {number} values of {what}", exact)

    def _claims(self, line: Line) -> bool:
        """Whether White claimed the goal: only then White's goal variables matter."""
        stops = [m.stop for m in self.layout.moves if m.player is Player.WHITE and m.stop]
        return any(line.choice.get(abs(s), s < 0) != (s < 0) for s in stops)

    def rest(self, line: Line) -> list[int]:
        """The universals that the verdict must not depend on, the symbolic position first."""
        goals = self.layout.goals
        literals = [*self.layout.board.x, *self.layout.board.y]
        if self._claims(line):
            literals += [*goals.white_condition, *goals.white_x, *goals.white_y]
        wanted = dict.fromkeys(abs(literal) for literal in literals)
        return [v for v in wanted if v in self.opponent and v not in line.choice]

    def patterns(self, line: Line) -> list[dict[int, bool]]:
        """The values of :meth:`rest` that a verdict is evaluated for."""
        rest = self.rest(line)
        # Reversed, so that the first variables (the symbolic position) change the quickest.
        every = (bits[::-1] for bits in product((False, True), repeat=len(rest)))
        return [dict(zip(rest, bits, strict=True)) for bits in islice(every, _VERDICT_LIMIT)]

    def _describe(self, pattern: dict[int, bool]) -> str:
        at = self._code.decode_square(pattern)
        place = f"at the symbolic square ({at[0]},{at[1]})"
        goals = self.layout.goals
        names = (("condition", goals.white_condition), ("x", goals.white_x), ("y", goals.white_y))
        claim = [
            f"{name} {self._code.number(bits, pattern) + 1}"
            for name, bits in names
            if any(abs(b) in pattern for b in bits)
        ]
        return place + (f" for White's goal {', '.join(claim)}" if claim else "")
