"""An explanation as indented text with a small board at each node.

The lines of the program are those without ``|``: a question is ``if ...:`` with what is behind its
yes below and, after ``else:``, what is behind its no.  That is all that is needed to play by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from qsage_validate.explaining.explanation import Explanation, Node, example_rows
from qsage_validate.games.protocol import Board

ORDER: Final = (
    "The first move of several is the one whose square comes first, row by row from the top and "
    "each from the left; then the one that leaves the first square; then the first by name. "
    "A move by which nothing comes to a square is one to the square that it names."
)
SIGNS: Final = (
    "Each board is an example. A small letter is the last move, * the reply, x a reply that "
    "captures."
)


def squares_line(board: Board) -> str:
    """How squares are called."""
    first, below = board.square_name((1, 1)), board.square_name((1, min(2, board.height)))
    return f"Square {first} is at the top left, {below} below it."


def positions_text(number: int) -> str:
    """A number of positions in words."""
    return "1 position" if number == 1 else f"{number:,} positions"


def lines(explanation: Explanation, *, boards: bool = True) -> Iterator[str]:
    """The lines of the text."""
    yield f"{explanation.title}: {explanation.measure}."
    yield ""
    yield from _node(explanation.root, "", boards)
    yield ""
    if not explanation.whole:
        nodes, positions = explanation.cut
        known = positions_text(len(explanation.found.situations))
        of_all = f"{nodes} of {explanation.found.nodes} nodes, for {positions:,} of {known}"
        yield f"Not shown: {of_all}."
    yield f"{squares_line(explanation.game.initial.board)} {ORDER}"
    if boards:
        yield SIGNS


def _node(node: Node, indent: str, boards: bool) -> Iterator[str]:
    met = positions_text(len(node.met))
    if node.cut:
        more = "1 node" if node.cut == 1 else f"{node.cut} nodes"
        yield f"{indent}... ({more} more, for {met})"
        return
    if node.question is None:
        yield f"{indent}{node.answer}"
        if boards:
            yield from (f"{indent}| {' '.join(row)}" for row in example_rows(node))
            yield f"{indent}| {_caption(node)}{met}"
        return
    yield f"{indent}if {node.question}:"
    yes, no = node.children
    yield from _node(yes, indent + "  ", boards)
    yield f"{indent}else:"
    yield from _node(no, indent + "  ", boards)


def _caption(node: Node) -> str:
    return "" if node.reply is None else f"{node.reply.made.text}; "


def explanation_text(explanation: Explanation, *, boards: bool = True) -> str:
    """The text, with a newline at its end."""
    return "".join(f"{line}\n" for line in lines(explanation, boards=boards))
