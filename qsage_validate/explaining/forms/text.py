"""An explanation as indented text with a small board at each node.

The lines of the program are those without ``|``: a question is ``if ...:`` with what is behind its
yes below and, after ``else:``, what is behind its no.  That is all that is needed to play by it.
"""

from __future__ import annotations

from collections.abc import Iterator

from qsage_validate.explaining.shown import Shown, ShownNode


def lines(explanation: Shown, *, boards: bool = True) -> Iterator[str]:
    """The lines of the text."""
    yield f"{explanation.title}: {explanation.measure}."
    yield ""
    yield from _node(explanation.root, "", boards)
    yield ""
    if explanation.not_shown:
        yield explanation.not_shown
    yield explanation.footing
    if boards:
        yield explanation.signs


def _node(node: ShownNode, indent: str, boards: bool) -> Iterator[str]:
    if node.cut:
        more = "1 node" if node.cut == 1 else f"{node.cut} nodes"
        yield f"{indent}... ({more} more, for {node.count})"
        return
    if node.question is None:
        yield f"{indent}{node.answer}"
        if boards:
            yield from (f"{indent}| {row}" for row in node.rows)
        return
    yield f"{indent}if {node.question}:"
    yes, no = node.children
    yield from _node(yes, indent + "  ", boards)
    yield f"{indent}else:"
    yield from _node(no, indent + "  ", boards)


def explanation_text(explanation: Shown, *, boards: bool = True) -> str:
    """The text, with a newline at its end."""
    return "".join(f"{line}\n" for line in lines(explanation, boards=boards))
