"""An explanation as one HTML page that folds, with a drawn board at each node."""

from __future__ import annotations

from collections.abc import Iterator

from qsage_validate.explaining.shown import Shown, ShownNode
from qsage_validate.render.board_svg import STYLE, board_svg
from qsage_validate.render.markup import escape

_PAGE = """\
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
details,.leaf{margin:.3rem 0 .3rem 1.2rem}
summary{cursor:pointer}
.side{font-weight:600}
.count{opacity:.75}
svg{display:block;margin:.4rem 0;max-width:100%;height:auto}
"""


def explanation_page(explanation: Shown) -> str:
    """The page; it needs no script and nothing from elsewhere."""
    body = "\n".join(_node(explanation.root))
    told = f"<p>{escape(f'{explanation.footing} {explanation.picture_key}'.strip())}</p>"
    return html_page(explanation.title, explanation.measure, f"{body}\n{told}")


def html_page(title: str, measure: str, body: str) -> str:
    """A page of its own with a title and the size of the tree; ``body`` is HTML."""
    title = escape(title)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_PAGE}{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{title}</h1>\n<p>{escape(measure)}.</p>\n{body}\n</body>\n</html>\n"
    )


def _node(node: ShownNode) -> Iterator[str]:
    side = {True: "yes: ", False: "no: ", None: ""}[node.side]
    told = f'<span class="side">{side}</span>' if side else ""
    met = f'<span class="count">({node.count})</span>'
    if node.question is None:
        text = f"{node.cut} nodes more" if node.cut else str(node.answer)
        yield f'<div class="leaf">{told}{escape(text)} {met}'
        yield board_of(node)
        yield "</div>"
        return
    yield f"<details open><summary>{told}{escape(str(node.question))}? {met}</summary>"
    for child in node.children:
        yield from _node(child)
    yield "</details>"


def board_of(node: ShownNode) -> str:
    """The example of an answer, drawn where it is a board; empty where there is none."""
    drawn = node.drawn
    if drawn is None:
        return f"<pre>{escape(chr(10).join(node.rows))}</pre>" if node.rows else ""
    board, marks, reply = drawn
    return board_svg(
        board, marks, title=f"Reply: {reply}", identifier=f"node-{node.number}", standalone=False
    )
