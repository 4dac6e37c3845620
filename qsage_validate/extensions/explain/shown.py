"""The views of explanations: a tree of questions and answers, whatever it is about.

===========  =====================================================================================
view         what it is
===========  =====================================================================================
text         indented, with a small board at each node
HTML         one page that folds, with a drawn board at each node
lesson       one page of exercises: the answers of a program, the key positions first
SVG          the tree from top to bottom, with a board at each answer
JSON, DOT    the same as data, and as a graph for Graphviz
===========  =====================================================================================

In the text the lines of the program are those without ``|``: a question is ``if ...:`` with what is
behind its yes below and, after ``else:``, what is behind its no.  That is all that is needed to
play by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Final, Protocol

from qsage_validate.extensions.explain.explanation import ExplainedProgram
from qsage_validate.games.protocol import BoardPicture
from qsage_validate.render.svg import (
    FONT,
    STYLE,
    Marks,
    board_svg,
    drawing,
    escape,
    number,
    paint,
    size,
)

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
    body = "\n".join(_page_node(explanation.root))
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


def _page_node(node: ShownNode) -> Iterator[str]:
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
        yield from _page_node(child)
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


class Worded(Protocol):
    """A question or an answer: ``str`` is for people, ``formal`` is read back."""

    @property
    def formal(self) -> str:
        """The words that a program reads."""


class ShownNode(Protocol):
    """A node: a fork has a ``question`` and children, yes first; a leaf has an ``answer``."""

    @property
    def number(self) -> int:
        """The number of the node from 1, depth first."""

    @property
    def side(self) -> bool | None:
        """The answer, to the question above, that leads here."""

    @property
    def question(self) -> Worded | None: ...

    @property
    def answer(self) -> Worded | None: ...

    @property
    def children(self) -> Sequence[ShownNode]:
        """The nodes behind the answers yes and no, in this order."""

    @property
    def cut(self) -> int:
        """The number of nodes below that are not shown."""

    @property
    def count(self) -> str:
        """How much comes here, in words."""

    @property
    def rows(self) -> Sequence[str]:
        """An example of what comes here, as lines of text."""

    @property
    def data(self) -> Mapping[str, object]:
        """What comes here, and an example, for JSON."""

    @property
    def weight(self) -> int:
        """How much comes here, as a number."""

    @property
    def posed(self) -> tuple[BoardPicture, Marks] | str | None:
        """The example without its reply, drawn or in words; ``None`` where there is none."""

    @property
    def drawn(self) -> tuple[BoardPicture, Marks, str] | None:
        """The board of an example with its marks, and the reply; ``None`` where none is drawn."""

    def walk(self) -> Iterator[ShownNode]:
        """The node and those below, depth first."""


class Shown(Protocol):
    @property
    def title(self) -> str: ...

    @property
    def turn(self) -> str:
        """Whose turn it is in the examples, in words."""

    @property
    def unit(self) -> str:
        """The word for what is counted at a node: positions, or states."""

    @property
    def measure(self) -> str:
        """The size of the tree, and what is known of it."""

    @property
    def root(self) -> ShownNode: ...

    @property
    def not_shown(self) -> str:
        """What is left out, in a sentence; empty where all is shown."""

    @property
    def footing(self) -> str:
        """How the text is read."""

    @property
    def signs(self) -> str:
        """The meaning of the signs in examples of the text."""

    @property
    def picture_key(self) -> str:
        """The meaning of the signs on drawn boards."""


def explanation_data(explanation: ExplainedProgram) -> dict[str, object]:
    """The fields of ``--json``: the game, the measures, and the tree."""
    found = explanation.found
    return {
        "game": explanation.game.name,
        "player": explanation.hero.value,
        "nodes": found.nodes,
        "depth": found.depth,
        "questions": list(explanation.predicates),
        "smallest": found.smallest,
        "lower_bound": found.lower_bound,
        "lookahead": explanation.lookahead,
        "positions": len(found.situations),
        "all_positions": found.whole,
        "samples": found.samples,
        "rounds": found.rounds,
        "seconds": round(explanation.seconds, 3),
        "shown": found.nodes - explanation.cut[0],
        "tree": node_data(explanation.root),
    }


def node_data(node: ShownNode) -> Mapping[str, object]:
    """A node and those below as an object of JSON."""
    data: dict[str, object] = {"node": node.number, **node.data}
    if node.cut:
        return {**data, "not_shown": node.cut}
    if node.question is None:
        assert node.answer is not None, "a leaf has an answer"
        return {**data, "answer": str(node.answer), "formal": node.answer.formal}
    yes, no = map(node_data, node.children)
    asked = {"question": str(node.question), "formal": node.question.formal}
    return {**data, **asked, "yes": yes, "no": no}


def dot(explanation: Shown) -> str:
    """The tree in the language of Graphviz."""
    return "".join(f"{line}\n" for line in _dot(explanation))


def _dot(explanation: Shown) -> Iterator[str]:
    yield "digraph explanation {"
    yield f"  label={_quoted(explanation.title)};"
    yield '  node [fontname="Helvetica"];'
    for node in explanation.root.walk():
        shape = "ellipse" if node.question is not None else "box"
        style = ', style="dashed"' if node.cut else ""
        yield f"  n{node.number} [shape={shape}{style}, label={_quoted(_label(node))}];"
        for child, word in zip(node.children, ("yes", "no"), strict=False):
            yield f'  n{node.number} -> n{child.number} [label="{word}"];'
    yield "}"


def _label(node: ShownNode) -> str:
    if node.cut:
        return f"{node.cut} nodes more"
    return f"{node.question}?" if node.question is not None else str(node.answer)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


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
    """The example of an exercise as HTML; empty where nothing comes to the node."""
    posed = node.posed
    if posed is None:
        return ""
    if isinstance(posed, str):
        return f"<pre>{escape(posed)}</pre>"
    board, marks = posed
    name = f"exercise-{title.partition('.')[0]}"
    return board_svg(board, marks, title=f"Exercise {title}", identifier=name, standalone=False)


def lines(explanation: Shown, *, boards: bool = True) -> Iterator[str]:
    yield f"{explanation.title}: {explanation.measure}."
    yield ""
    yield from _text_node(explanation.root, "", boards)
    yield ""
    if explanation.not_shown:
        yield explanation.not_shown
    yield explanation.footing
    if boards:
        yield explanation.signs


def _text_node(node: ShownNode, indent: str, boards: bool) -> Iterator[str]:
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
    yield from _text_node(yes, indent + "  ", boards)
    yield f"{indent}else:"
    yield from _text_node(no, indent + "  ", boards)


def explanation_text(explanation: Shown, *, boards: bool = True) -> str:
    """The text, with a newline at its end."""
    return "".join(f"{line}\n" for line in lines(explanation, boards=boards))
