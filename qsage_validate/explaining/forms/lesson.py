"""A lesson: the answers of a program as exercises on one page, the key positions first."""

from __future__ import annotations

from collections.abc import Iterator

from qsage_validate.explaining.forms.page import board_of, html_page
from qsage_validate.explaining.shown import Shown, ShownNode
from qsage_validate.render.board_svg import board_svg
from qsage_validate.render.markup import escape


def lesson_page(explanation: Shown) -> str:
    """The page: an example at a time, the answer and its reason folded below.

    The exercises are ordered by how much comes to an answer, so that the first ones decide the
    most plays.
    """
    leaves = list(_answers(explanation.root, ()))
    leaves.sort(key=lambda leaf: (-leaf[0].weight, leaf[0].number))
    total = sum(node.weight for node, _ in leaves)
    exercises = "\n".join(
        _exercise(f"{number}. {explanation.turn}", node, asked, f"{total:,} {explanation.unit}")
        for number, (node, asked) in enumerate(leaves, 1)
    )
    first = f"{explanation.turn}: what do you play?"
    body = f"<p>{escape(first)}</p>\n{exercises}\n<p>{escape(explanation.footing)}</p>"
    return html_page(f"Lesson: {explanation.title}", explanation.measure, body)


def _answers(
    node: ShownNode, asked: tuple[tuple[str, bool], ...]
) -> Iterator[tuple[ShownNode, tuple[tuple[str, bool], ...]]]:
    """The answers that are met, each with the questions on the way and their answers."""
    if node.question is not None:
        for child, side in zip(node.children, (True, False), strict=False):
            yield from _answers(child, (*asked, (str(node.question), side)))
    elif node.weight and not node.cut:
        yield node, asked


def _exercise(title: str, node: ShownNode, asked: tuple[tuple[str, bool], ...], total: str) -> str:
    reasons = "".join(f"<li>{escape(text)}: {'yes' if side else 'no'}</li>" for text, side in asked)
    why = f"<ul>{reasons}</ul>" if reasons else ""
    return (
        f"<section><h2>{escape(title)}</h2>\n{_posed(title, node)}\n"
        f"<details><summary>Answer ({node.weight:,} of {escape(total)})</summary>\n"
        f"<p><b>{escape(str(node.answer))}</b></p>{why}\n{board_of(node)}</details></section>"
    )


def _posed(title: str, node: ShownNode) -> str:
    posed = node.posed
    if isinstance(posed, str):
        return f"<pre>{escape(posed)}</pre>"
    assert posed is not None, "something comes to an answer that is met"
    board, marks = posed
    name = f"exercise-{title.partition('.')[0]}"
    return board_svg(board, marks, title=f"Exercise {title}", identifier=name, standalone=False)
