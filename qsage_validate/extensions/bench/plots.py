"""Cactus and scatter plots as pictures (PNG, SVG or PDF by the file's name), by matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from qsage_validate.errors import MissingExtraError, UsageError, visible
from qsage_validate.extensions.bench.series import SECONDS, Panel, SeriesComparison
from qsage_validate.formats.writing import write_atomic

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: Final = ("png", "svg", "pdf")

_LEAST: Final = SECONDS.least
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
