"""The views of explanations, and explanations as programs in Python and SMT-LIB.

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

*SMT-LIB.*  Each ply of the opponent's is a constant, each reply a ``define-fun`` over them that
has the form of the tree.  The rules and what the questions ask are gates.  At the end stands the
claim that the program wins, as a question that a solver must answer with ``unsat``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Final, Protocol

from qsage_validate.circuit.aig import TRUE, AigBuilder
from qsage_validate.errors import UndecidedError, counted, one_line
from qsage_validate.extensions.explain import standalone
from qsage_validate.extensions.explain.answers import AnswerFork, Tree
from qsage_validate.extensions.explain.circuits import (
    Played,
    SituationGates,
    Spot,
    StoneAtoms,
    SymbolicGame,
    Unrolled,
    circuit_of,
    either,
    gates_below,
    numbered,
)
from qsage_validate.extensions.explain.explanation import ExplainedProgram
from qsage_validate.extensions.explain.situation import OWN, Place, Words
from qsage_validate.games.protocol import BoardPicture, Player, Square
from qsage_validate.kernel.game import Rules, State, TooLargeError
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
from qsage_validate.system.limits import NEVER, Deadline

# The views of explanations: a tree of questions and answers, whatever it is about


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
        text = f"{counted(node.cut, 'node')} more" if node.cut else str(node.answer)
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
        return f"{counted(node.cut, 'node')} more"
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
    text = f"{counted(node.cut, 'node')} more" if node.cut else str(node.answer)
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
        more = counted(node.cut, "node")
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


# An explanation as a Python module that needs nothing but Python


_SIGN: Final = {player: square.value for player, square in OWN.items()}
_WIDTH: Final = 99


class PythonWords(Words[str, str]):
    """Questions and answers as expressions about ``at``, an ``At`` of ``standalone``."""

    def stands(self, place: Place, what: Square) -> str:
        return f"at.stands({place}) == {_quoted_text(what.value)}"

    def went(self, theirs: bool, place: Place) -> str:
        return f"at.went({_last(theirs)}, {place})"

    def went_in(self, theirs: bool, region: str, number: int) -> str:
        rest = f", {number}" if number else ""
        return f"at.went_in({_last(theirs)}, {_quoted_text(region)}{rest})"

    def was(self, theirs: bool, kind: str) -> str:
        return f"at.was({_last(theirs)}, {_quoted_text(kind)})"

    def beside(self, theirs: bool, shift: Place, what: Square | None) -> str:
        there = "" if what is None else what.value
        return f"at.beside({_last(theirs)}, {shift[0]}, {shift[1]}, {_quoted_text(there)})"

    def apart(self, shift: Place) -> str:
        return f"at.apart({shift[0]}, {shift[1]})"

    def related(self, relation: str) -> str:
        return f"at.related({_quoted_text(relation)})"

    def by_ply(self, ply: int) -> str:
        return f"at.by_ply({ply})"

    def threatened(self) -> str:
        return "at.threatened()"

    def odd(self) -> str:
        return "at.odd()"

    def ahead(self, player: Player, by: int) -> str:
        return f"at.ahead({_quoted_text(_SIGN[player])}, {by})"

    def possible(self, answer: str) -> str:
        return f"{answer} is not None"

    def joined(self, word: str, parts: Sequence[str]) -> str:
        return f"not ({parts[0]})" if word == "not" else f" {word} ".join(f"({p})" for p in parts)

    def exactly(self, text: str) -> str:
        return f"at.exactly({_quoted_text(text)})"

    def shifted(self, theirs: bool, shift: Place) -> str:
        return f"at.shifted({_last(theirs)}, {shift[0]}, {shift[1]})"

    def first_of(self, cases: Sequence[tuple[str, str]]) -> str:
        chosen = "".join(f"{answer} if {asked} else " for asked, answer in cases)
        return f"({chosen}None)"

    def mapped(self, squares: Mapping[Place, Place]) -> str:
        return f"at.mapped({dict(squares)})"

    def pick(self, quality: str, kind: str, last: bool) -> str:
        rest = f", {_quoted_text(kind)}" if kind else ""
        return f"at.pick({_quoted_text(quality)}{rest}{', last=True' if last else ''})"


def _last(theirs: bool) -> str:
    return "at.theirs" if theirs else "at.ours"


def _quoted_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def python_module(explanation: ExplainedProgram, deadline: Deadline = NEVER) -> str:
    """The module: the tree as ``choose``, and ``reply`` from the opponent's moves to one's own.

    Raises ``UsageError`` for a game whose rules are no circuit and for a part of a program, and
    ``UndecidedError`` at the deadline.
    """
    explanation.check_whole(".py")
    try:
        return "".join(f"{line}\n" for line in _module(explanation, deadline))
    except TooLargeError as error:
        raise UndecidedError(f"undecided: {error}") from None


def _module(explanation: ExplainedProgram, deadline: Deadline) -> Iterator[str]:
    hero, foe = explanation.hero, explanation.hero.other
    text = one_line(f"{explanation.title}: {explanation.measure}.").replace("\\", " ")
    yield '"""' + "\n".join(wrap(text.replace('"', "'"), _WIDTH - 3))
    yield ""
    yield f"reply(MOVES) says what {hero} plays after the list MOVES of {foe}'s moves, as does"
    yield "'python FILE MOVE ...'. The tree is the function choose, below the words that it uses."
    yield '"""'
    own = inspect.getsource(standalone)
    yield own[own.index("\nfrom __future__") :].rstrip("\n")
    yield ""
    yield ""
    yield "def choose(at: At) -> Move | None:"
    yield f'    """What {hero} plays."""'
    yield from _tree(explanation.tree, "    ")
    yield ""
    yield ""
    yield "def reply(moves: Sequence[str]) -> list[str]:"
    yield f'    """{hero}\'s moves after the last of {foe}\'s, mostly one; none after the end.'
    yield ""
    yield f"    ``moves`` are all of {foe}'s moves so far, such as {_example(explanation)}. Raises"
    yield "    ``ValueError`` for an illegal one."
    yield '    """'
    yield f'    return played(GAME, "{_SIGN[hero]}", choose, moves).replies'
    yield ""
    yield ""
    yield from _rules(explanation, deadline)
    yield ""
    yield 'if __name__ == "__main__":'
    yield f'    sys.exit(run(GAME, "{_SIGN[hero]}", choose))'


def _example(explanation: ExplainedProgram) -> str:
    theirs = (at.theirs for at in explanation.found.situations)
    return next((_quoted_text(move.text) for move in theirs if move is not None), "none")


def _tree(tree: Tree, indent: str) -> Iterator[str]:
    words = PythonWords()
    if isinstance(tree, AnswerFork):
        yield from (f"{indent}# {line}" for line in wrap(one_line(str(tree.question)), 80))
        yield f"{indent}if {tree.question.said(words)}:"
        yield from _tree(tree.yes, indent + "    ")
        yield f"{indent}else:"
        yield from _tree(tree.no, indent + "    ")
        return
    yield from (f"{indent}# {line}" for line in wrap(one_line(str(tree.answer)), 80))
    yield f"{indent}return {tree.answer.said(words)}"


def _rules(explanation: ExplainedProgram, deadline: Deadline) -> Iterator[str]:
    """The rules as data, ply by ply."""
    game = explanation.game
    board = game.initial.board
    rules = circuit_of(game, AigBuilder(), deadline)
    stones = StoneAtoms.of_rules(game, rules, explanation.found.situations)
    yield "# The rules as gates, ply by ply."
    yield "PLIES = ["
    state = rules.initial
    for ply in range(1, rules.plies + 1):
        deadline.check("the rules were written")
        lines, state = _ply(rules, stones, ply, state)
        yield from lines
    yield "]"
    yield "NAMED: dict[str, Place] = {"
    for text in dict.fromkeys(str(move) for player in Player for move in game.moves(player)):
        place = game.square_of(text)
        if place is not None:
            yield f"    {_quoted_text(text)}: {place},"
    yield "}"
    squares = "".join(square.value for square in board.squares)
    yield f'GAME = Game({board.width}, {board.height}, "{squares}", PLIES, NAMED)'


def _ply(rules: Rules, stones: StoneAtoms, ply: int, state: State) -> tuple[list[str], State]:
    """A ply from a state, and the next state, whose literals are constants or new inputs."""
    builder, mover = rules.builder, rules.mover(ply)
    legal = list(rules.legal(state, ply))
    made = [builder.input() for _ in legal]
    done = [builder.and_(*pair) for pair in zip(made, legal, strict=True)]
    after = rules.after(state, ply, done)
    kept = [literal for literal in after if literal > TRUE]
    black, white = (stones.literals(rules, after, ply, player) for player in Player)
    won = rules.won(after, ply)
    ended = [won[Player.BLACK], won[Player.WHITE]]
    inputs = [literal for literal in state if literal > TRUE]
    parts = [legal, kept, black, white, ended]
    gates, outputs = numbered(builder, [*inputs, *made], [one for part in parts for one in part])
    text = [f"    Ply(  # {ply}", f'        "{_SIGN[mover]}",']
    text += _numbers([_quoted_text(move) for move in rules.moves(ply)])
    text += _numbers([str(literal) for gate in gates for literal in gate])
    rest = iter(outputs)
    for part in parts[:-1]:
        text += _numbers([str(next(rest)) for _ in part])
    text += [f"        ({next(rest)}, {next(rest)}),", "    ),"]
    return text, tuple(literal if literal <= TRUE else builder.input() for literal in after)


def _numbers(items: Sequence[str]) -> list[str]:
    lines, line = list[str](), "        ["
    for item in items:
        if len(line) + len(item) > _WIDTH - 3:
            lines.append(line.rstrip())
            line = "         "
        line += f"{item}, "
    return [*lines, f"{line.removesuffix(', ')}],"]


# An explanation in SMT-LIB: the replies as functions of the opponent's moves


_TAKEN: Final = (
    "true", "false", "not", "and", "or", "xor", "ite", "=", "=>", "distinct", "let", "forall",
    "exists", "match", "par", "as", "is", "Bool", "Move", "legal", "wins",
)  # fmt: skip


def smtlib_module(explanation: ExplainedProgram, deadline: Deadline = NEVER) -> str:
    """The script: definitions, and the claim that the program wins.

    Raises ``UsageError`` for a game whose rules are no circuit and for a part of a program, and
    ``UndecidedError`` at a limit.
    """
    explanation.check_whole(".smt2")
    try:
        return _Script(explanation, deadline).text()
    except TooLargeError as error:
        raise UndecidedError(f"undecided: {error}") from None


@dataclass
class _SmtNames:
    """Symbols of SMT-LIB, each for one thing."""

    known: set[str] = field(default_factory=lambda: set(_TAKEN))

    def new(self, text: str) -> str:
        """A symbol for a text, in bars."""
        name = one_line(text).replace("|", "!").replace("\\", "/")
        while name in self.known:
            name += "'"
        self.known.add(name)
        return f"|{name}|"


class _Script:
    def __init__(self, explanation: ExplainedProgram, deadline: Deadline) -> None:
        self.explanation, self.deadline = explanation, deadline
        self.game, self.hero = explanation.game, explanation.hero
        self.rules = circuit_of(self.game, AigBuilder(), deadline)
        self.builder = self.rules.builder
        stones = StoneAtoms.of_rules(self.game, self.rules, explanation.found.situations)
        self.table = SymbolicGame(self.rules, stones, deadline)
        self.names = _SmtNames()
        self.none = self.names.new("no move")
        texts = (t for ply in range(1, self.rules.plies + 1) for t in self.rules.moves(ply))
        self.symbols = {text: self.names.new(text) for text in dict.fromkeys(texts)}
        self.consts = list[str]()
        self.inputs = dict[int, str]()
        self.used = set[int]()
        self.program = list[str]()

    # -- the play ---------------------------------------------------------------------------------

    def text(self) -> str:
        plays = Unrolled(self.table, self.hero)
        while plays.goes_on:
            self.deadline.check("the program was written in SMT-LIB")
            if plays.spot.mover is self.hero:
                plays.play(self._reply(plays.view, plays.alive))
            else:
                plays.play(self._given(plays.spot))
        claims = [
            f"(define-fun legal () Bool {self._literal(plays.legal)})",
            f"(define-fun wins () Bool {self._literal(plays.wins)})",
        ]
        lines = [*self._head(), *self._gates(), *self.program, *self._claim(claims)]
        return "".join(f"{line}\n" for line in lines)

    def _given(self, spot: Spot) -> Played:
        """A move of the opponent's: a constant."""
        const = self.names.new(f"move {spot.time + 1}")
        self.consts.append(const)
        found = {}
        for step in spot.steps:
            literal = self.builder.input()
            self.inputs[literal] = f"(= {const} {self.symbols[step.text]})"
            found[step.number] = self.builder.and_(literal, step.legal)
        return found

    def _reply(self, view: SituationGates, alive: int) -> Played:
        """A move of the program's: a function that has the form of the tree."""
        ply = view.spot.time + 1
        term, played = self._tree(self.explanation.tree, view, ply)
        if alive != TRUE:
            term = f"(ite {self._literal(alive)}\n  {term}\n  {self.none})"
        self.program += ["", f"(define-fun {self.names.new(f'reply {ply}')} () Move", f"  {term})"]
        return played

    def _tree(self, tree: Tree, view: SituationGates, ply: int) -> tuple[str, Played]:
        builder = self.builder
        if isinstance(tree, AnswerFork):
            asked = tree.question.said(view)
            if asked <= TRUE:
                return self._tree(tree.yes if asked else tree.no, view, ply)
            name = self._defined(f"ply {ply}: {tree.question}", "Bool", self._literal(asked))
            yes, played = self._tree(tree.yes, view, ply)
            no, other = self._tree(tree.no, view, ply)
            both = either(builder, asked, played, other)
            return f"(ite {name} {yes} {no})", both
        played = tree.answer.said(view)
        moves = self.rules.moves(ply)
        if list(played.values()) == [TRUE]:
            return self.symbols[moves[next(iter(played))]], played
        lines = [
            f"  (ite {self._literal(holds)} {self.symbols[moves[number]]}"
            for number, holds in played.items()
        ]
        term = "\n".join(["", *lines, f"  {self.none}{')' * len(lines)}"])
        return self._defined(f"ply {ply}: {tree.answer}", "Move", term), played

    # -- the text ---------------------------------------------------------------------------------

    def _defined(self, text: str, sort: str, term: str) -> str:
        name = self.names.new(text)
        self.program.append(f"(define-fun {name} () {sort} {term})")
        return name

    def _literal(self, literal: int) -> str:
        if literal <= TRUE:
            return "true" if literal else "false"
        self.used.add(literal & ~1)
        name = f"n!{literal >> 1}"
        return f"(not {name})" if literal & 1 else name

    def _head(self) -> Iterator[str]:
        hero, foe = self.hero, self.hero.other
        told = (
            f"{self.explanation.title}: {self.explanation.measure}. {foe}'s moves are the "
            f"constants 'move N', {hero}'s are the functions 'reply N', for ply N. The last "
            f"question is whether {foe} can make legal moves against which {hero} does not win: "
            "unsat. Behind it one may ask for a reply: (assert (= |move 2| ...)) (check-sat) "
            "(get-value (|reply 3|))."
        )
        yield from (f"; {line}" for line in wrap(one_line(told), 97))
        yield "(set-logic QF_DT)"
        symbols = " ".join(f"({symbol})" for symbol in (self.none, *self.symbols.values()))
        yield f"(declare-datatypes ((Move 0)) (({symbols})))"
        yield from (f"(declare-const {const} Move)" for const in self.consts)
        yield ""
        yield "; The rules, and what the questions ask, as gates."

    def _gates(self) -> Iterator[str]:
        for literal, sides in gates_below(self.builder, sorted(self.used), self.inputs).items():
            if sides is None:
                term = self.inputs[literal]
            else:
                term = f"(and {self._literal(sides[0])} {self._literal(sides[1])})"
            yield f"(define-fun n!{literal >> 1} () Bool {term})"
        yield ""
        yield "; The program, ply by ply."

    def _claim(self, claims: Sequence[str]) -> Iterator[str]:
        yield ""
        yield f"; {self.hero} wins against all legal moves."
        yield from claims
        yield "(push 1)"
        yield "(assert legal)"
        yield "(assert (not wins))"
        yield "(check-sat)"
        yield "(pop 1)"
