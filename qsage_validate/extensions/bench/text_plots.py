"""Plots for a terminal, in characters."""

from __future__ import annotations

import math
from collections import Counter
from typing import Final

from qsage_validate.extensions.bench.series import SECONDS, Panel, SeriesComparison
from qsage_validate.extensions.bench.summaries import seconds_text
from qsage_validate.extensions.bench.table import ResultTable

_LEAST: Final = 1e-3
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


def cactus_table(panel: Panel) -> ResultTable:
    """The number of instances each way decided within given amounts, with a bar of all."""
    curves, measure = panel.curves, panel.measure
    longest = max((c.amounts[-1] for c in curves if c.amounts), default=0.0)
    enough = (k for k, mark in enumerate(measure.marks) if longest <= mark)
    marks = measure.marks[: next(enough, len(measure.marks) - 1) + 1]
    most = max((len(curve.amounts) for curve in curves), default=0)
    said, of_all = measure.of_all
    rows = []
    for curve in curves:
        within = [sum(amount <= mark for amount in curve.amounts) for mark in marks]
        rows.append(
            (
                curve.configuration,
                bar(len(curve.amounts), most, 24),
                str(len(curve.amounts)),
                *map(str, within),
                seconds_text(of_all(curve.amounts)),
            )
        )
    names = (f"{mark:g} {measure.unit}" for mark in marks)
    columns = ("way", "decided", "all", *names, said)
    what = f"so many {'seconds' if measure is SECONDS else measure.unit} each"
    answer = f" as {panel.title}" if panel.title else ""
    return ResultTable(f"Instances decided{answer} within {what}", columns, tuple(rows), left=2)


def bar(value: float, most: float, width: int) -> str:
    """A bar of at most ``width`` characters, in steps of an eighth of one."""
    eighths = round(8 * width * value / most) if most else 0
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def scatter_text(found: SeriesComparison, width: int = 56, height: int = 20) -> str:
    """A scatter plot with logarithmic axes; digits count points that share a place.

    ``·`` is the diagonal; points on the upper and the right edge were not decided.
    """
    low, high = math.log10(_LEAST), math.log10(max(found.limit, 10 * _LEAST))

    def place(seconds: float | None, cells: int) -> int:
        if seconds is None:
            return cells - 1
        share = (math.log10(max(seconds, _LEAST)) - low) / (high - low)
        return max(0, min(cells - 2, int(share * (cells - 1))))

    grid = [[" "] * width for _ in range(height)]
    for k in range(width):
        grid[round(k * (height - 1) / (width - 1))][k] = "·"
    numbers = Counter((place(p.y, height), place(p.x, width)) for p in found.points)
    for (row, column), number in numbers.items():
        grid[row][column] = "o" if number == 1 else str(number) if number < 10 else "#"
    lines = [f"{found.y_name} (seconds, logarithmic)"]
    lines += [f"│{''.join(row)}" for row in reversed(grid)]
    lines.append(f"└{'─' * width}")
    left, right = f"{_LEAST:g} s", f"{found.limit:g} s, then undecided"
    lines.append(f" {left}{right:>{width - len(left)}}")
    lines.append(f"{found.x_name} (seconds, logarithmic)".rjust(width + 1))
    return "\n".join(lines) + "\n"


def comparison_notes(found: SeriesComparison) -> list[str]:
    both = sum(p.x is not None and p.y is not None for p in found.points)
    only_x = sum(p.x is not None and p.y is None for p in found.points)
    only_y = sum(p.x is None and p.y is not None for p in found.points)
    notes = [
        f"{len(found.points)} instances: {both} decided by both, {only_x} by {found.x_name} only, "
        f"{only_y} by {found.y_name} only"
    ]
    if found.ratio is not None:
        notes.append(
            f"where both decided, {found.y_name} took {found.ratio:.2f} times as long as "
            f"{found.x_name} (geometric mean)"
        )
    return notes
