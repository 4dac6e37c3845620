"""The rows of the terminal, so that nothing is sent that stands there already.

Textual repaints regions, and each row of a region from the left side of its widget on: two squares
of a board are some kilobytes.  Here each row is remembered as it was last sent, and only the pieces
in which it differs are sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from itertools import groupby
from operator import itemgetter
from typing import Any, Protocol, runtime_checkable

from rich.console import Console, RenderableType
from rich.control import Control
from textual.geometry import Region, Size
from textual.strip import Strip


class _Update(Protocol):
    """What Textual is about to send; its own classes have no public names."""

    def render_segments(self, console: Console) -> str: ...


@runtime_checkable
class _WholeUpdate(_Update, Protocol):
    """Rows of a region, each in pieces."""

    strips: Sequence[Sequence[Strip]]
    region: Region


@runtime_checkable
class _PartUpdate(_Update, Protocol):
    """Pieces of rows by the columns where they begin, and the spans of them that are repainted."""

    chops: Sequence[Mapping[int, Strip | None]]
    chop_ends: Sequence[Sequence[int]]
    spans: Sequence[tuple[int, int, int]]


class Rows:
    """The rows that were sent to a terminal, as far as they are known."""

    def __init__(self) -> None:
        self._size = Size(0, 0)
        self._rows: dict[int, Strip] = {}

    def forget(self) -> None:
        """Draw all rows anew next time: another program has written to the terminal."""
        self._rows = {}

    def shorter(self, update: RenderableType | None, size: Size) -> Any:
        """An update that sends what differs of one of Textual's, to a terminal of this size.

        What repaints the whole screen is sent as it is, for what stood there may be gone.
        """
        if size != self._size:
            self._size, self._rows = size, {}
        if isinstance(update, _PartUpdate):
            parts = update
            return _sent(update, lambda console: self._differing(parts, console))
        if isinstance(update, _WholeUpdate):
            screen = update
            return _sent(update, lambda console: self._whole(screen, console))
        return update

    def _whole(self, update: _WholeUpdate, console: Console) -> str:
        rows = dict(enumerate(map(Strip.join, update.strips)))
        whole = update.region == self._size.region
        self._rows = rows if whole else {}
        return update.render_segments(console)

    def _differing(self, update: _PartUpdate, console: Console) -> str:
        sent = []
        for x, y, piece in _pieces(update):
            row, end = self._rows.get(y), x + piece.cell_length
            if row is None or end > row.cell_length:
                sent.append((x, y, piece))
                continue
            sent += [(x + at, y, part) for at, part in _differences(row.crop(x, end), piece)]
            self._rows[y] = Strip.join([row.crop(0, x), piece, row.crop(end)]).simplify()
        return "".join(
            f"{Control.move_to(x, y).segment.text}{part.render(console)}" for x, y, part in sent
        )


def _sent(update: _Update, text: Callable[[Console], str]) -> _Update:
    """The update with another text, worked out when it is sent: else nothing is remembered."""
    made = copy(update)
    setattr(made, "render_segments", text)  # noqa: B010 (in the place of its class's)
    return made


def _pieces(update: _PartUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Column, row and content of each piece of the regions that an update repaints."""
    for y, left, right in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=True):
            first, last = max(x, left), min(end, right)
            if strip is not None and first < last:
                yield first, y, strip.crop(first - x, last - x)


def _differences(old: Strip, new: Strip) -> Iterator[tuple[int, Strip]]:
    """Place and content of each part of ``new`` that is not what ``old`` has there."""
    new = new.simplify()
    if {old.cell_count, new.cell_count} != {new.cell_length}:
        # With characters of two columns parts may begin in the middle of one.
        yield 0, new
        return
    at, parts = 0, []
    for segment in new:
        end = at + segment.cell_length
        parts.append((old.crop(at, end).simplify() == Strip([segment]), at, segment))
        at = end
    for stands_there, run in groupby(parts, itemgetter(0)):
        if not stands_there:
            differing = [*run]
            yield differing[0][1], Strip(segment for _, _, segment in differing)
