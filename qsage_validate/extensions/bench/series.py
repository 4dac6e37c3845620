"""The numbers behind cactus and scatter plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench.campaign import latest
from qsage_validate.extensions.bench.run import RunRecord, RunResult


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
