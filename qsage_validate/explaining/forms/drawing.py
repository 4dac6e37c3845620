"""An explanation as one SVG: the tree from top to bottom, with a board at each answer."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from qsage_validate.explaining.shown import Shown, ShownNode
from qsage_validate.render.board_svg import FONT, STYLE, drawing, paint, size
from qsage_validate.render.markup import escape, number

_INDENT: Final = 26.0
_LINE: Final = 20.0
_LETTERS: Final = 72
_LETTER: Final = 8.6
_MARGIN: Final = 16.0
_BOARD: Final = 0.6
"""Boards of examples are drawn at this share of their size."""


@dataclass
class _Page:
    """Rows of text and boards from top to bottom; ``width`` is what they need."""

    parts: list[str]
    top: float = _MARGIN
    width: float = 0.0

    def text(self, line: str, left: float, kind: str, *, bold: bool = False) -> None:
        """A line of text."""
        self.top += _LINE
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text x="{number(left)}" y="{number(self.top)}" font-size="14"{weight} {paint(kind)}>'
            f"{escape(line)}</text>"
        )
        self.width = max(self.width, left + len(line) * _LETTER)

    def board(self, node: ShownNode, left: float) -> None:
        """The example of a node, as a board or as text."""
        if node.drawn is None:
            for row in node.rows:
                self.text(row, left, "remark")
            return
        board, marks, _ = node.drawn
        width, height = size(board)
        self.top += _LINE / 3
        self.parts.append(
            f'<g transform="translate({number(left)} {number(self.top)}) scale({_BOARD})">'
            f"{drawing(board, marks)}</g>"
        )
        self.top += height * _BOARD
        self.width = max(self.width, left + width * _BOARD)


def explanation_svg(explanation: Shown) -> str:
    """The drawing; what a screen reader is told is the title and the size of the tree."""
    page = _Page([])
    for line in wrap(f"{explanation.title}: {explanation.measure}.", _LETTERS):
        page.text(line, _MARGIN, "caption", bold=True)
    _node(page, explanation.root, _MARGIN)
    width, height = page.width + _MARGIN, page.top + _MARGIN
    box = f"0 0 {number(width)} {number(height)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
        f'height="{number(height)}" viewBox="{box}" role="img" '
        f'aria-labelledby="explanation-t explanation-d" font-family="{escape(FONT)}">'
        f'<title id="explanation-t">{escape(explanation.title)}</title>'
        f'<desc id="explanation-d">{escape(explanation.measure)}</desc><style>{STYLE}</style>'
        f'<rect width="{number(width)}" height="{number(height)}" {paint("page")}/>'
        f"{''.join(page.parts)}</svg>\n"
    )


def _node(page: _Page, node: ShownNode, left: float) -> None:
    side = {True: "yes: ", False: "no: ", None: ""}[node.side]
    page.top += _LINE / 3
    if node.question is not None:
        for line in wrap(f"{side}{node.question}?", _LETTERS):
            page.text(line, left, "caption")
        for child in node.children:
            _node(page, child, left + _INDENT)
        return
    text = f"{node.cut} nodes more" if node.cut else str(node.answer)
    for line in wrap(f"{side}{text}", _LETTERS):
        page.text(line, left, "caption", bold=not node.cut)
    page.text(node.count, left, "remark")
    page.board(node, left)
