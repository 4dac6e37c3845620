"""A small bar chart as SVG; the numbers stand on the bars, so that it can be read without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qsage_validate.render.markup import escape, number

_WIDTH, _HEIGHT = 560.0, 190.0
_TOP, _BOTTOM, _SIDE = 26.0, 40.0, 8.0
_WIDEST = 56.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A column: its name below, and two stacked parts."""

    name: str
    good: int
    bad: int = 0

    @property
    def total(self) -> int:
        """Both parts."""
        return self.good + self.bad


def bar_chart(bars: Sequence[Bar], *, title: str, axis: str, identifier: str = "chart") -> str:
    """The chart as an ``svg`` element for a page that has the rules for ``.chart``.

    The second part of a bar is hatched: colour alone says nothing.
    """
    most = max((bar.total for bar in bars), default=0) or 1
    room = (_WIDTH - 2 * _SIDE) / max(len(bars), 1)
    wide = min(_WIDEST, room * 0.7)
    floor, scale = _HEIGHT - _BOTTOM, (_HEIGHT - _BOTTOM - _TOP) / most
    said = "; ".join(
        f"{bar.name}: {bar.good:,}" + (f" and {bar.bad:,} not as promised" if bar.bad else "")
        for bar in bars
    )
    parts = [
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {number(_WIDTH)} {number(_HEIGHT)}" width="{number(_WIDTH)}" '
        f'height="{number(_HEIGHT)}" aria-labelledby="{identifier}-t {identifier}-d">',
        f'<title id="{identifier}-t">{escape(title)}</title>',
        f'<desc id="{identifier}-d">{escape(said)}</desc>',
        f'<defs><pattern id="{identifier}-h" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="6" height="6" class="bad"/>'
        '<path d="M0 0V6" class="hatch"/></pattern></defs>',
        f'<path class="floor" d="M{number(_SIDE)} {number(floor)}H{number(_WIDTH - _SIDE)}"/>',
    ]
    for k, bar in enumerate(bars):
        middle = _SIDE + room * (k + 0.5)
        left = number(middle - wide / 2)
        # A bar that stands for something is never too low to be seen.
        high = max(bar.good * scale, 1.5 if bar.good else 0)
        more = max(bar.bad * scale, 1.5 if bar.bad else 0)
        for low, tall, paint in (
            (floor, high, 'class="good"'),
            (floor - high, more, f'fill="url(#{identifier}-h)"'),
        ):
            if tall:
                parts.append(
                    f'<rect x="{left}" y="{number(low - tall)}" width="{number(wide)}" '
                    f'height="{number(tall)}" {paint}/>'
                )
        if bar.total:
            above = number(floor - high - more - 6)
            parts.append(f'<text x="{number(middle)}" y="{above}">{bar.total:,}</text>')
        below = number(floor + 16)
        parts.append(f'<text x="{number(middle)}" y="{below}">{escape(bar.name)}</text>')
    parts.append(
        f'<text class="axis" x="{number(_WIDTH / 2)}" y="{number(_HEIGHT - 6)}">'
        f"{escape(axis)}</text></svg>"
    )
    return "".join(parts)
