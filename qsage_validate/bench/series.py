"""The numbers behind cactus and scatter plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qsage_validate.bench.campaign import latest
from qsage_validate.bench.record import Record
from qsage_validate.errors import UsageError


@dataclass(frozen=True, slots=True)
class Curve:
    """A way's times for what it decided, in increasing order: the curve of a cactus plot."""

    way: str
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """An instance in a scatter plot; ``None`` where the way did not decide it."""

    instance: str
    family: str
    x: float | None
    y: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two ways on the instances that both were run on.

    ``limit`` is the largest time limit of the runs, where undecided points are drawn.
    """

    x_way: str
    y_way: str
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
    """One curve for each way, the one that decided most first."""
    times: dict[str, list[float]] = {}
    for record in latest(records):
        own = times.setdefault(record.run.way, [])
        if record.result.decided:
            own.append(record.result.seconds)
    found = [Curve(way, tuple(sorted(seconds))) for way, seconds in times.items()]
    return sorted(found, key=lambda curve: (-len(curve.seconds), sum(curve.seconds)))


def comparison(records: Sequence[Record], x_way: str, y_way: str) -> Comparison:
    """Two ways against each other; raises ``UsageError`` with the ways that there are."""
    known = latest(records)
    ways = dict.fromkeys(record.run.way for record in known)
    for way in (x_way, y_way):
        if way not in ways:
            raise UsageError(f"found no results of {way!r}, expected one of {', '.join(ways)}")
    places = {(r.run.instance, r.run.way): r for r in known}
    points = []
    limit = 0.0
    for instance in dict.fromkeys(r.run.instance for r in known):
        x, y = places.get((instance, x_way)), places.get((instance, y_way))
        if x is not None and y is not None:
            points.append(Point(instance, x.run.family, _decided(x), _decided(y)))
            limit = max(limit, *(r.run.seconds or r.result.seconds for r in (x, y)))
    if not points:
        raise UsageError(f"{x_way} and {y_way} have no instance in common")
    return Comparison(x_way, y_way, tuple(points), limit)


def _decided(record: Record) -> float | None:
    return record.result.seconds if record.result.decided else None
