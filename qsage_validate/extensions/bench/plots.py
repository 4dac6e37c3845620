"""Results as summaries and plots, in the terminal and as files."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from qsage_validate.errors import MissingExtraError, UsageError, visible
from qsage_validate.extensions.bench.campaign import latest
from qsage_validate.extensions.bench.experiment import ResultTable, RunRecord, RunResult
from qsage_validate.formats.source import unpacked_name
from qsage_validate.formats.writing import write_atomic

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# The numbers behind cactus and scatter plots


@dataclass(frozen=True, slots=True)
class RunMeasure:
    """What a run used: its name, how much, and amounts within which a text counts instances.

    ``least`` is the least amount of a logarithmic axis; ``of_all`` is what is said of all amounts.
    """

    name: str
    unit: str
    of: Callable[[RunResult], float | None]
    marks: tuple[float, ...]
    least: float
    of_all: tuple[str, Callable[[Sequence[float]], float]]


SECONDS: Final = RunMeasure(
    "seconds",
    "s",
    lambda result: result.seconds,
    (0.01, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0),
    1e-3,
    ("seconds in all", sum),
)
MEMORY: Final = RunMeasure(
    "memory",
    "MB",
    lambda result: result.peak_mb,
    (50, 100, 200, 500, 1000, 2000, 4000, 8000),
    1.0,
    ("most MB", lambda amounts: max(amounts, default=0.0)),
)
MEASURES: Final[Mapping[str, RunMeasure]] = {measure.name: measure for measure in (SECONDS, MEMORY)}


@dataclass(frozen=True, slots=True)
class Curve:
    """What a configuration used for what it decided, increasing: the curve of a cactus plot."""

    configuration: str
    amounts: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """The curves of one cactus plot among others."""

    title: str
    measure: RunMeasure
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """An instance in a scatter plot; ``None`` where the configuration did not decide it."""

    instance: str
    family: str
    x: float | None
    y: float | None


@dataclass(frozen=True, slots=True)
class SeriesComparison:
    """Two configurations on the instances that both were run on.

    ``limit`` is the largest time limit of the runs, where undecided points are drawn.
    """

    x_name: str
    y_name: str
    points: tuple[Point, ...]
    limit: float

    @property
    def ratio(self) -> float | None:
        """The geometric mean of y over x, on instances that both decided."""
        from statistics import geometric_mean

        ratios = [
            max(p.y, 1e-3) / max(p.x, 1e-3)
            for p in self.points
            if p.x is not None and p.y is not None
        ]
        return geometric_mean(ratios) if ratios else None


def curves(
    records: Sequence[RunRecord], measure: RunMeasure = SECONDS, truth: bool | None = None
) -> list[Curve]:
    """One curve for each configuration, the one that decided most first.

    With ``truth`` only what was decided so counts.  Runs whose amount is not known are left out.
    """
    used: dict[str, list[float]] = {}
    for record in latest(records):
        own, result = used.setdefault(record.run.configuration, []), record.result
        amount = measure.of(result)
        if result.decided and amount is not None and truth in (None, result.truth):
            own.append(amount)
    found = [Curve(config, tuple(sorted(amounts))) for config, amounts in used.items()]
    return sorted(found, key=lambda curve: (-len(curve.amounts), sum(curve.amounts)))


def panels(
    records: Sequence[RunRecord], measures: Sequence[RunMeasure], *, split: bool
) -> list[list[Panel]]:
    """A row of cactus plots for each measure: all answers, or false ones and true ones."""
    answers = {"false": False, "true": True} if split else {"": None}
    return [
        [
            Panel(title, measure, tuple(curves(records, measure, truth)))
            for title, truth in answers.items()
        ]
        for measure in measures
    ]


def comparison(records: Sequence[RunRecord], x_name: str, y_name: str) -> SeriesComparison:
    """Two configurations against each other; ``UsageError`` lists the ones that exist."""
    known = latest(records)
    configs = dict.fromkeys(record.run.configuration for record in known)
    for config in (x_name, y_name):
        if config not in configs:
            names = ", ".join(configs)
            raise UsageError(f"found no results of {config!r}, expected one of {names}")
    places = {(r.run.instance, r.run.configuration): r for r in known}
    points = []
    limit = 0.0
    for instance in dict.fromkeys(r.run.instance for r in known):
        x, y = places.get((instance, x_name)), places.get((instance, y_name))
        if x is not None and y is not None:
            points.append(Point(instance, x.run.family, _decided(x), _decided(y)))
            limit = max(limit, *(r.run.seconds or r.result.seconds for r in (x, y)))
    if not points:
        raise UsageError(f"{x_name} and {y_name} have no instance in common")
    return SeriesComparison(x_name, y_name, tuple(points), limit)


def _decided(record: RunRecord) -> float | None:
    return record.result.seconds if record.result.decided else None


# Tables that suit every experiment: counts by family and configuration, and each run


def default_tables() -> dict[str, Callable[[Sequence[RunRecord]], ResultTable]]:
    """The tables of this module by name, for an experiment's ``tables``."""
    return {"summary": summary, "runs": all_runs, "times": times}


def by_processor(records: Sequence[RunRecord]) -> list[RunRecord]:
    """The records with processor time in the place of wall-clock time, where it is known.

    On a machine that has other work the first says more.
    """
    return [
        record
        if record.result.cpu_seconds is None
        else replace(record, result=replace(record.result, seconds=record.result.cpu_seconds))
        for record in records
    ]


def configuration_names(records: Sequence[RunRecord]) -> list[str]:
    """The configurations that occur, in the order in which they do."""
    return list(dict.fromkeys(record.run.configuration for record in records))


def counts(records: Sequence[RunRecord]) -> dict[tuple[str, str], int]:
    """Instances decided, by family and configuration; 0 where there were runs but none was."""
    found: dict[tuple[str, str], int] = {}
    for record in latest(records):
        place = record.run.family, record.run.configuration
        found[place] = found.get(place, 0) + record.result.decided
    return found


def summary(records: Sequence[RunRecord]) -> ResultTable:
    """By family: instances, and how many each configuration decided; below, totals and seconds."""
    known = latest(records)
    configs = configuration_names(records)
    families = list(dict.fromkeys(record.run.family for record in known))
    solved = counts(records)
    rows = []
    for family in families:
        instances = {r.run.instance for r in known if r.run.family == family}
        cells = (solved.get((family, config)) for config in configs)
        rows.append((family, str(len(instances)), *("" if n is None else str(n) for n in cells)))
    total = {r.run.instance for r in known}
    sums = [sum(n for (_, w), n in solved.items() if w == config) for config in configs]
    rows.append(("total", str(len(total)), *map(str, sums)))
    spent = [
        sum(r.result.seconds for r in known if r.run.configuration == config and r.result.decided)
        for config in configs
    ]
    rows.append(("seconds for these", "", *map(seconds_text, spent)))
    return ResultTable("Instances decided", ("family", "instances", *configs), tuple(rows))


def times(records: Sequence[RunRecord]) -> ResultTable:
    """An instance a row: the answer, and how long each configuration took (or why it has none)."""

    def time(result: RunResult) -> tuple[str]:
        return (seconds_text(result.seconds) if result.decided else result.status,)

    return by_instance("Seconds", records, [""], time)


def by_instance(
    title: str,
    records: Sequence[RunRecord],
    columns: Sequence[str],
    cells: Callable[[RunResult], Sequence[str]],
) -> ResultTable:
    """An instance a row: the answer, and for each configuration the cells of these columns."""
    known = latest(records)
    configs = configuration_names(records)
    places = {(r.run.instance, r.run.configuration): r.result for r in known}
    rows = []
    for instance in dict.fromkeys(r.run.instance for r in known):
        own = [places.get((instance, config)) for config in configs]
        answers = dict.fromkeys(result.status for result in own if result and result.decided)
        shown = [cells(result) if result else ("",) * len(columns) for result in own]
        rows.append((instance, " / ".join(answers) or "?", *chain(*shown)))
    names = [f"{config}: {what}" if what else config for config in configs for what in columns]
    return ResultTable(title, ("instance", "answer", *names), tuple(rows), left=2)


def all_runs(records: Sequence[RunRecord]) -> ResultTable:
    """Every record, in the order in which they were made."""
    rows = [
        (
            r.run.instance,
            r.run.configuration,
            r.result.status,
            seconds_text(r.result.seconds),
            "" if r.result.peak_mb is None else f"{r.result.peak_mb:,.0f}",
            "" if r.run.seconds is None else f"{r.run.seconds:g}",
            r.result.why,
        )
        for r in records
    ]
    columns = ("instance", "way", "result", "seconds", "peak MB", "limit s", "remark")
    return ResultTable("Runs", columns, tuple(rows), left=3)


def limits_text(records: Iterable[RunRecord]) -> str:
    """The limits of runs in seconds: ``60``, or ``60 to 600`` where they differ."""
    limits = sorted({math.inf if r.run.seconds is None else r.run.seconds for r in records})
    shown = ["none" if limit == math.inf else f"{limit:,g}" for limit in limits]
    return " to ".join(dict.fromkeys((shown[0], shown[-1]))) if shown else ""


def seconds_text(seconds: float) -> str:
    """Seconds with as many digits as they are worth."""
    return f"{seconds:.2f}" if seconds < 9.995 else f"{seconds:,.1f}"


# Plots for a terminal, in characters


_LEAST_SECONDS: Final = 1e-3
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
    low, high = math.log10(_LEAST_SECONDS), math.log10(max(found.limit, 10 * _LEAST_SECONDS))

    def place(seconds: float | None, cells: int) -> int:
        if seconds is None:
            return cells - 1
        share = (math.log10(max(seconds, _LEAST_SECONDS)) - low) / (high - low)
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
    left, right = f"{_LEAST_SECONDS:g} s", f"{found.limit:g} s, then undecided"
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


# Cactus and scatter plots as pictures (PNG, SVG or PDF by the file's name), by matplotlib


FORMATS: Final = ("png", "svg", "pdf")

_LEAST: Final = SECONDS.least
_MARKERS: Final = "os^vD<>pPX*hd"


def check_picture(path: str) -> str:
    """The format of a picture by its name; raises ``UsageError`` or ``MissingExtraError``.

    Called before any work is done for the picture.
    """
    kind = PurePath(unpacked_name(path)).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        endings = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"found {path!r} for a picture, expected a name with one of {endings}")
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("writing plots", "plot") from None
    mpl.use("agg")
    # The same results give the same file.
    mpl.rcParams["svg.hashsalt"] = "qsage"
    return kind


def _label(text: str) -> str:
    """A text from outside; a name with dollars is no formula, as the numbers at an axis are."""
    return visible(text).replace("$", r"\$")


def write_cactus(rows: Sequence[Sequence[Panel]], path: str, title: str) -> None:
    """Write cactus plots: the number of instances decided (x) by what each one took (y).

    A row of panels above the next one; a way has the same colour and sign in all of them.
    """
    kind = check_picture(path)
    across, down = max(map(len, rows)), len(rows)
    figure, grid = _figure(_label(title), across, down)
    names = dict.fromkeys(curve.configuration for panel in rows[0] for curve in panel.curves)
    # Numbers of instances differ from panel to panel, and are told where there is one.
    shown = {name: name for name in names}
    if across == down == 1:
        shown = {
            c.configuration: f"{c.configuration} ({len(c.amounts)})" for c in rows[0][0].curves
        }
    signs = {name: _MARKERS[k % len(_MARKERS)] for k, name in enumerate(names)}
    for row, axes_of_row in zip(rows, grid, strict=True):
        for panel, axes in zip(row, axes_of_row, strict=True):
            order = {curve.configuration: curve for curve in panel.curves}
            # All curves in one order, so that matplotlib gives each the same colour.
            for name in names:
                amounts = [max(amount, panel.measure.least) for amount in order[name].amounts]
                places = range(1, len(amounts) + 1)
                axes.plot(
                    places,
                    amounts,
                    marker=signs[name],
                    markersize=4,
                    linewidth=1,
                    label=_label(shown[name]),
                )
            axes.set_yscale("log")
            axes.set_xlabel(f"instances decided{f' as {panel.title}' if panel.title else ''}")
            axes.set_ylabel("seconds" if panel.measure is SECONDS else panel.measure.unit)
            axes.grid(visible=True, alpha=0.3)
    _legend(figure, grid[0][0])
    _write(figure, path, kind)


def write_scatter(found: SeriesComparison, path: str, title: str) -> None:
    """Each instance by the seconds of both; undecided ones stand on the dashed lines."""
    kind = check_picture(path)
    figure, ((axes,),) = _figure(_label(title))
    edge = found.limit * 1.6
    families = dict.fromkeys(point.family for point in found.points)
    for family, marker in zip(families, _MARKERS * len(families), strict=False):
        own = [p for p in found.points if p.family == family]
        x = [edge if p.x is None else max(p.x, _LEAST) for p in own]
        y = [edge if p.y is None else max(p.y, _LEAST) for p in own]
        axes.scatter(x, y, marker=marker, s=22, label=_label(family))
    axes.plot([_LEAST, edge], [_LEAST, edge], color="grey", linewidth=0.8)
    axes.axhline(edge, color="grey", linestyle="--", linewidth=0.8)
    axes.axvline(edge, color="grey", linestyle="--", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_aspect("equal")
    axes.set_xlabel(_label(f"{found.x_name} (seconds)"))
    axes.set_ylabel(_label(f"{found.y_name} (seconds)"))
    _legend(figure, axes)
    _write(figure, path, kind)


def _figure(title: str, across: int = 1, down: int = 1) -> tuple[Figure, Sequence[Sequence[Axes]]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4 + 4.4 * across, 1 + 4 * down), layout="constrained")
    figure.suptitle(title)
    return figure, figure.subplots(down, across, squeeze=False).tolist()


def _legend(figure: Figure, axes: Axes) -> None:
    # Beside the axes: within them it would hide points.
    figure.legend(*axes.get_legend_handles_labels(), fontsize="small", loc="outside right upper")


def _write(figure: Figure, path: str, kind: str) -> None:
    buffer = io.BytesIO()
    # Without a date the same results give the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    figure.savefig(buffer, format=kind, dpi=150, metadata=metadata)
    write_atomic(path, buffer.getvalue())
