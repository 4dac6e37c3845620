"""An explanation as one HTML page that folds, with a drawn board at each node."""

from __future__ import annotations

from collections.abc import Iterator

from qsage_validate.explaining.explanation import Explanation, Node
from qsage_validate.explaining.text import ORDER, positions_text, squares_line
from qsage_validate.render.board_svg import STYLE, Marks, board_svg
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


def explanation_page(explanation: Explanation) -> str:
    """The page; it needs no script and nothing from elsewhere."""
    title = escape(explanation.title)
    body = "\n".join(_node(explanation.root))
    rest = f"{squares_line(explanation.game.initial.board)} {ORDER}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_PAGE}{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{title}</h1>\n<p>{escape(explanation.measure)}.</p>\n{body}\n"
        f"<p>{escape(rest)} Each board is an example: the ring is the last move, the coloured "
        "square is where the reply goes.</p>\n</body>\n</html>\n"
    )


def _node(node: Node) -> Iterator[str]:
    side = {True: "yes: ", False: "no: ", None: ""}[node.side]
    told = f'<span class="side">{side}</span>' if side else ""
    met = f'<span class="count">({positions_text(len(node.met))})</span>'
    if node.question is None:
        text = f"{node.cut} nodes more" if node.cut else str(node.answer)
        yield f'<div class="leaf">{told}{escape(text)} {met}'
        yield _board(node)
        yield "</div>"
        return
    yield f"<details open><summary>{told}{escape(str(node.question))}? {met}</summary>"
    for child in node.children:
        yield from _node(child)
    yield "</details>"


def _board(node: Node) -> str:
    """The example of a leaf, with the last move and the reply."""
    if not node.met or node.reply is None:
        return ""
    at, reply = node.example, node.reply.made
    last = None if at.theirs is None else at.theirs.to
    marks = Marks(changed=() if reply.to is None else (reply.to,), last=last)
    return board_svg(
        at.board,
        marks,
        title=f"Reply: {reply.text}",
        identifier=f"node-{node.number}",
        standalone=False,
    )
