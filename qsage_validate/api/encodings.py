"""Whether somebody's formula is the formula of a game, position by position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from qsage_validate.api.formulas import Formula, read_formula
from qsage_validate.api.frames import data_frame, html_table
from qsage_validate.api.games import Rules, rules_of
from qsage_validate.api.sources import FileSource
from qsage_validate.api.words import parameter_words
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.errors import UsageError
from qsage_validate.games.protocol import Player
from qsage_validate.judging.judged import judge_formula
from qsage_validate.judging.simulator import GameValues
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.verdict import Refuted, Verdict


@dataclass(frozen=True)
class Difference:
    """A play of legal moves after which a formula has not the game's value.

    ``position`` is the text of the position.  ``game`` says whether Black wins there, ``formula``
    the formula's value with the moves fixed; it is ``None`` where the last move has no code.
    """

    moves: tuple[str, ...]
    position: str
    game: bool
    formula: bool | None
    text: str = field(repr=False, default="")

    def as_row(self) -> dict[str, object]:
        """The cells of a table."""
        return {
            "moves": " ".join(self.moves),
            "position": self.position,
            "Black wins": self.game,
            "formula": self.formula,
        }


class Differences(Sequence[Difference]):
    """A table of differences, the shortest play first."""

    def __init__(self, rows: Sequence[Difference]) -> None:
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, index: int) -> Difference: ...
    @overload
    def __getitem__(self, index: slice) -> Differences: ...
    def __getitem__(self, index: int | slice) -> Difference | Differences:
        found = self._rows[index]
        return found if isinstance(found, Difference) else Differences(found)

    def __len__(self) -> int:
        return len(self._rows)

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each difference (extra ``frame``)."""
        return data_frame(row.as_row() for row in self)

    def __str__(self) -> str:
        return "\n".join(_columns(["moves", "position", "Black wins", "formula"], self._cells()))

    def __repr__(self) -> str:
        return f"<Differences {len(self)}>"

    def _repr_html_(self) -> str:
        return html_table(["moves", "position", "Black wins", "formula"], self._cells())

    def _cells(self) -> list[list[str]]:
        return [[str(cell) for cell in row.as_row().values()] for row in self]


def _columns(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    for row in (head, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


@dataclass(frozen=True)
class EncodingReport:
    """Whether a formula has the game's value after each play of legal moves, under a layout.

    ``verdict`` is ``proved``, ``refuted``, ``claimed``, ``no fault found`` or ``undecided``, and
    ``text`` says why.  ``layout`` is the one by which the formula was judged; ``None`` where none
    was found.
    """

    outcome: Verdict = field(repr=False)
    layout: Layout | None = field(repr=False)
    differences: Differences = field(repr=False)

    @property
    def verdict(self) -> str:
        """One word."""
        return self.outcome.word

    @property
    def text(self) -> str:
        """The reason of the verdict."""
        return self.outcome.reason

    @property
    def ok(self) -> bool:
        """Whether the formula is proved to be the game's."""
        return self.verdict == "proved"

    def __repr__(self) -> str:
        return f"<EncodingReport {self.verdict}: {len(self.differences)} differences>"

    def _repr_html_(self) -> str:
        return (
            html_table([f"EncodingReport {self.verdict}: {self.text}"], [])
            + self.differences._repr_html_()
        )


@parameter_words
def validate_encoding(
    formula: Formula | FileSource,
    game: Rules | None = None,
    *,
    timeout: float | None = None,
    differences: int = 1,
) -> EncodingReport:
    """Decide whether ``formula`` is the formula of ``game``, position by position.

    The formula's layout is taken, or else found.  Without ``game`` the rules are those in the
    formula's file.  ``differences`` is how many of them are looked for, ``timeout`` the seconds for
    all.  The verdict is ``undecided`` where no layout stands out.  Raises ``UsageError`` where no
    game is known, or where it cannot be the formula's.
    """
    own = formula if isinstance(formula, Formula) else read_formula(formula)
    rules = own.problem.game if game is None else rules_of(game)
    if rules is None:
        raise UsageError("found no rules in the formula's file, expected game=")
    if differences < 1:
        raise UsageError(f"found differences={differences}, expected 1 or more")
    judged = judge_formula(
        own.qbf,
        rules,
        own.layout,
        deadline=Deadline.after(timeout),
        most_differences=differences,
    )
    verdict = judged.verdict
    rows = []
    if isinstance(verdict, Refuted):
        values = GameValues.of_game(rules)
        rows = [_row(finding.moves, finding.text, values) for finding in verdict.findings]
    return EncodingReport(verdict, judged.layout, Differences(rows))


def _row(moves: tuple[str, ...], text: str, values: GameValues) -> Difference:
    state = values.after(moves)
    black = values.winner(state, len(moves)) is Player.BLACK
    return Difference(moves, str(state), black, None if "has no code" in text else not black, text)
