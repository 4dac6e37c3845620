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
    body = "\n".join(_node(explanation.root))
    rest = f"{squares_line(explanation.game.initial.board)} {ORDER}"
    told = (
        f"<p>{escape(rest)} Each board is an example: the ring is the last move, the coloured "
        "square is where the reply goes.</p>"
    )
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


def _node(node: Node) -> Iterator[str]:
    side = {True: "yes: ", False: "no: ", None: ""}[node.side]
    told = f'<span class="side">{side}</span>' if side else ""
    met = f'<span class="count">({positions_text(len(node.met))})</span>'
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


def example_marks(node: Node) -> Marks | None:
    """The last move and the reply on the example of an answer; ``None`` where there is none."""
    if not node.met or node.reply is None:
        return None
    theirs, to = node.example.theirs, node.reply.made.to
    last = None if theirs is None else theirs.to
    return Marks(changed=() if to is None else (to,), last=last)


def board_of(node: Node) -> str:
    """The example of an answer, with the last move and the reply; empty where there is none."""
    marks = example_marks(node)
    if marks is None or node.reply is None:
        return ""
    return board_svg(
        node.example.board,
        marks,
        title=f"Reply: {node.reply.made.text}",
        identifier=f"node-{node.number}",
        standalone=False,
    )
