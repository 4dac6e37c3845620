"""Cactus and scatter plots as pictures (PNG, SVG or PDF by the file's name), by matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from qsage_validate.bench.series import Comparison, Curve
from qsage_validate.errors import MissingExtraError, UsageError, visible
from qsage_validate.formats.source import write_atomic

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: Final = ("png", "svg", "pdf")

_LEAST: Final = 1e-3
_MARKERS: Final = "os^vD<>pPX*hd"


def check_picture(path: str) -> str:
    """The format of a picture by its name; raises ``UsageError`` or ``MissingExtraError``.

    Called before any work is done for the picture.
    """
    kind = PurePath(path).suffix.lower().removeprefix(".")
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
    # A name with dollars is no formula.
    mpl.rcParams["text.parse_math"] = False
    return kind


def write_cactus(curves: Sequence[Curve], path: str, title: str) -> None:
    """Write a cactus plot: the number of instances decided (x) by seconds for each one (y)."""
    kind = check_picture(path)
    figure, axes = _figure(visible(title))
    for curve, marker in zip(curves, _MARKERS * len(curves), strict=False):
        seconds = [max(s, _LEAST) for s in curve.seconds]
        places = range(1, len(seconds) + 1)
        label = visible(f"{curve.configuration} ({len(seconds)})")
        axes.plot(places, seconds, marker=marker, markersize=4, linewidth=1, label=label)
    axes.set_yscale("log")
    axes.set_xlabel("instances decided")
    axes.set_ylabel("seconds")
    _legend(figure)
    axes.grid(visible=True, alpha=0.3)
    _write(figure, path, kind)


def write_scatter(found: Comparison, path: str, title: str) -> None:
    """Each instance by the seconds of both; undecided ones stand on the dashed lines."""
    kind = check_picture(path)
    figure, axes = _figure(visible(title))
    edge = found.limit * 1.6
    families = dict.fromkeys(point.family for point in found.points)
    for family, marker in zip(families, _MARKERS * len(families), strict=False):
        own = [p for p in found.points if p.family == family]
        x = [edge if p.x is None else max(p.x, _LEAST) for p in own]
        y = [edge if p.y is None else max(p.y, _LEAST) for p in own]
        axes.scatter(x, y, marker=marker, s=22, label=visible(family))
    axes.plot([_LEAST, edge], [_LEAST, edge], color="grey", linewidth=0.8)
    axes.axhline(edge, color="grey", linestyle="--", linewidth=0.8)
    axes.axvline(edge, color="grey", linestyle="--", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_aspect("equal")
    axes.set_xlabel(visible(f"{found.x_name} (seconds)"))
    axes.set_ylabel(visible(f"{found.y_name} (seconds)"))
    _legend(figure)
    _write(figure, path, kind)


def _figure(title: str) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title)
    return figure, axes


def _legend(figure: Figure) -> None:
    # Beside the axes: within them it would hide points.
    figure.legend(fontsize="small", loc="outside right upper")


def _write(figure: Figure, path: str, kind: str) -> None:
    buffer = io.BytesIO()
    # Without a date the same results give the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    figure.savefig(buffer, format=kind, dpi=150, metadata=metadata)
    write_atomic(path, buffer.getvalue())
