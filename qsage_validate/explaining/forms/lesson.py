"""A lesson: the answers of a program as exercises on one page, the key positions first."""

from __future__ import annotations

from collections.abc import Iterator

from qsage_validate.explaining.explanation import Explanation, Node, positions_text
from qsage_validate.explaining.forms.page import board_of, html_page
from qsage_validate.render.board_svg import Marks, board_svg
from qsage_validate.render.markup import escape


def lesson_page(explanation: Explanation) -> str:
    """The page: a board at a time, the answer and its reason folded below.

    The exercises are ordered by the number of positions that come to an answer, so that the
    first ones decide the most plays.
    """
    hero = str(explanation.hero)
    leaves = list(_answers(explanation.root, ()))
    leaves.sort(key=lambda leaf: (-len(leaf[0].met), leaf[0].number))
    total = sum(len(node.met) for node, _ in leaves)
    exercises = "\n".join(
        _exercise(number, node, asked, total, hero)
        for number, (node, asked) in enumerate(leaves, 1)
    )
    first = f"You play {hero}. On each board it is your turn: what do you play?"
    last = explanation.footing
    body = f"<p>{escape(first)}</p>\n{exercises}\n<p>{escape(last)}</p>"
    return html_page(f"Lesson: {explanation.title}", explanation.measure, body)


def _answers(
    node: Node, asked: tuple[tuple[str, bool], ...]
) -> Iterator[tuple[Node, tuple[tuple[str, bool], ...]]]:
    """The answers that are met, each with the questions on the way and their answers."""
    if node.question is not None:
        for child, side in zip(node.children, (True, False), strict=False):
            yield from _answers(child, (*asked, (str(node.question), side)))
    elif node.met and not node.cut:
        yield node, asked


def _exercise(
    number: int, node: Node, asked: tuple[tuple[str, bool], ...], total: int, hero: str
) -> str:
    at = node.example
    last = None if at.theirs is None else at.theirs.to
    question = board_svg(
        at.board,
        Marks(last=last),
        title=f"Exercise {number}: {hero} to move",
        identifier=f"exercise-{number}",
        standalone=False,
    )
    share = f"{len(node.met):,} of {positions_text(total)}"
    reasons = "".join(f"<li>{escape(text)}: {'yes' if side else 'no'}</li>" for text, side in asked)
    why = f"<ul>{reasons}</ul>" if reasons else ""
    return (
        f"<section><h2>{number}. {hero} to move</h2>\n{question}\n"
        f"<details><summary>Answer ({share})</summary>\n"
        f"<p><b>{escape(str(node.answer))}</b></p>{why}\n{board_of(node)}</details></section>"
    )
