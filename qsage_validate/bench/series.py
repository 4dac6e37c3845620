"""The numbers behind cactus and scatter plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qsage_validate.bench.campaign import latest
from qsage_validate.bench.run import Record
from qsage_validate.errors import UsageError


@dataclass(frozen=True, slots=True)
class Curve:
    """A configuration's times for what it decided, increasing: the curve of a cactus plot."""

    configuration: str
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """An instance in a scatter plot; ``None`` where the configuration did not decide it."""

    instance: str
    family: str
    x: float | None
    y: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
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


def curves(records: Sequence[Record]) -> list[Curve]:
    """One curve for each configuration, the one that decided most first."""
    times: dict[str, list[float]] = {}
    for record in latest(records):
        own = times.setdefault(record.run.configuration, [])
        if record.result.decided:
            own.append(record.result.seconds)
    found = [Curve(config, tuple(sorted(seconds))) for config, seconds in times.items()]
    return sorted(found, key=lambda curve: (-len(curve.seconds), sum(curve.seconds)))


def comparison(records: Sequence[Record], x_name: str, y_name: str) -> Comparison:
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
    return Comparison(x_name, y_name, tuple(points), limit)


def _decided(record: Record) -> float | None:
    return record.result.seconds if record.result.decided else None
