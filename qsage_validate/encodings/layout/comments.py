"""The layout inside a formula's file, as comments that other tools skip.

Each line is a comment that begins with ``@`` (``#@ move 1 black …`` in QCIR, ``c @ …`` in
QDIMACS).  ``docs/reference/layout.md`` describes the lines of both versions.  Version 1
(``@ qsage-layout 1``) is about grids, whose moves have action and coordinates.  Version 2 lists the
moves of a ply: texts that many lines mean, the moves of plies and the atoms of states, are written
once, and runs of literals in short, so that a game of 361 positions and plies takes some ten
kilobytes.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import repeat
from typing import ClassVar, Final

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier
from qsage_validate.encodings.layout.codings import Bits, GridCoding, Number
from qsage_validate.encodings.layout.layout import (
    GoalVariables,
    IllegalMoves,
    Indicators,
    Layout,
    Ply,
    Silence,
    StateCode,
    StateView,
    board_view,
    listed,
    on_grid,
)
from qsage_validate.errors import InputError
from qsage_validate.formats.source import quoted
from qsage_validate.games.model_text import ModelParts, PartLine, parts_of
from qsage_validate.games.protocol import Player

_FIRST: Final = "qsage-layout"
_ONE_LINE: Final = frozenset(("name", "rounds", "win", "role"))
_WORD: Final = re.compile(r"\[[^\]]*\]|\S+")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_LITERAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,8})")
_QUANTIFIED: Final = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}
_CHOOSERS: Final = {Player.BLACK: Quantifier.EXISTS, Player.WHITE: Quantifier.FORALL}
_MOST_BITS: Final = 64
_BARE: Final = re.compile(r"[!#-Z\\^-~]+")
_TEXT: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^\s"]+)')
_OUTPUT: Final = "output"
_SIGNED: Final = r"(0|-?[1-9][0-9]{0,8})"
_RANGE: Final = re.compile(rf"{_SIGNED}\.\.{_SIGNED}(?:/([1-9][0-9]{{0,8}}))?")
_TIMES: Final = re.compile(rf"{_SIGNED}\*([1-9][0-9]{{0,8}})")


# --- Writing ----------------------------------------------------------------------------------


def layout_comments(layout: Layout, output: int | None = None) -> tuple[str, ...]:
    """The comment lines for ``layout``, without the format's comment sign.

    In version 2 a verdict that is ``output`` is called that, and not by its number.
    """
    lines = _grid_lines(layout) if layout.state.is_board else _listed_lines(layout, output)
    return tuple(f"@ {line}" for line in lines)


def _grid_lines(layout: Layout) -> Iterator[str]:
    yield f"{_FIRST} 1"
    yield f"encoding {layout.encoding}"
    yield f"game {layout.game}"
    state = layout.state
    yield " ".join(map(str, ("board", *state.size)))
    for player in Player:
        yield " ".join(["actions", player.value, *layout.actions.get(player, ())])
    for ply in layout.moves:
        action, x, y = map(_plain, ply.vectors)
        line = f"move {ply.ply} {ply.player.value} action {action} x {x} y {y}"
        yield line if ply.stop is None else f"{line} stop {ply.stop}"
    for ply in layout.moves:
        if ply.indicators is not None:
            bounds = "" if ply.indicators.bounds is None else f" bounds {ply.indicators.bounds}"
            preconditions = _plain(ply.indicators.preconditions)
            yield f"indicators {ply.ply}{bounds} preconditions {preconditions}"
    for field in fields(GoalVariables):
        bits = getattr(layout.goals, field.name)
        if bits:
            yield f"goal {field.name.replace('_', '-')} {_plain(bits)}"
    assert state.code is not None, "the lines of a grid"
    x, y = _plain(state.x), _plain(state.y)
    yield f"symbolic x {x} y {y} code {state.code.value.replace(' ', '-')}"
    for time, literals in enumerate(state.states):
        yield " ".join(map(str, ("state", time, *literals)))
    if layout.verdict is not None:
        yield f"verdict {layout.verdict}"
    for name, literal in layout.gates.items():
        yield f"gate {literal} {name}"
    for part, text in layout.model.items():
        for line in text.splitlines():
            yield f"model {part} | {line}".rstrip()


def _plain(bits: Bits) -> str:
    return "[" + " ".join(map(str, bits)) + "]"


def _listed_lines(layout: Layout, output: int | None) -> Iterator[str]:
    yield f"{_FIRST} 2"
    yield f"encoding {layout.encoding}"
    yield f"game {layout.game}"
    lists: dict[tuple[str, ...], int] = {}

    def listed(texts: tuple[str, ...]) -> Iterator[str]:
        if texts not in lists:
            lists[texts] = len(lists) + 1
            yield " ".join([f"list {lists[texts]}", *map(_text, texts)])

    for ply in layout.moves:
        yield from listed(ply.moves)
        line = f"move {ply.ply} {ply.player.value} list {lists[ply.moves]}"
        name = "code" if ply.coding.numbers else "literals"
        for key, bits in ((name, ply.variables), ("legal", ply.legal)):
            if bits:
                line += f" {key} {_bits(bits)}"
        yield line if ply.stop is None else f"{line} stop {ply.stop}"
    state = layout.state
    if state.kinds:
        yield from listed(state.kinds)
        one_sided = " one-sided" if state.one_sided else ""
        yield f"atoms list {lists[state.kinds]}{one_sided}"
    if state.position or state.places:
        yield from listed(state.places)
        yield f"symbolic {_bits(state.position)} list {lists[state.places]}"
    for time, bits in enumerate(state.states):
        yield f"state {time} {_bits(bits)}"
    if layout.verdict is not None:
        yield f"verdict {_OUTPUT if layout.verdict == output else layout.verdict}"
    if len(layout.conclusive) == 1:
        yield f"conclusive {'true' if layout.conclusive[0] else 'false'}"
    if layout.illegal is not IllegalMoves.LOSES or layout.black_passes:
        yield f"illegal {layout.illegal.value}" + (" black-passes" if layout.black_passes else "")
    for name, literal in layout.gates.items():
        yield f"gate {literal} {name}"
    for part, text in layout.model.items():
        for line in text.split("\n"):
            yield f"model {part} | {line}".rstrip(" ")


def _text(text: str) -> str:
    """A text as one word: in quotation marks where it has blanks or other signs."""
    return text if _BARE.fullmatch(text) else json.dumps(text)


def _bits(bits: Bits) -> str:
    """``[1 2 5..9 10..14/2 0*3]``: literals, runs with a step, one literal so many times."""
    parts: list[str] = []
    at = 0
    while at < len(bits):
        step, end = _run(bits, at)
        if end - at < 3:
            parts.append(str(bits[at]))
            at += 1
            continue
        if step == 0:
            parts.append(f"{bits[at]}*{end - at}")
        else:
            suffix = "" if abs(step) == 1 else f"/{abs(step)}"
            parts.append(f"{bits[at]}..{bits[end - 1]}{suffix}")
        at = end
    return f"[{' '.join(parts)}]"


def _run(bits: Bits, start: int) -> tuple[int, int]:
    """The step of the longest arithmetic progression from ``start`` on, and its end."""
    if start + 1 == len(bits):
        return 0, start + 1
    step = bits[start + 1] - bits[start]
    end = start + 2
    while end < len(bits) and bits[end] - bits[end - 1] == step:
        end += 1
    return step, end


# --- Layouts and formulas ---------------------------------------------------------------------


def with_layout(qbf: Qbf, layout: Layout) -> Qbf:
    """``qbf`` with the layout as its only comments, and without names.

    The layout may name variables and, in a circuit, gates.  The gates of a conjunction of clauses
    get other numbers when it is written as QDIMACS: of these only the output can be named.
    Variables lose their names, if they had any: a layout goes by numbers, and says what they mean.
    Raises ``ValueError`` for a literal that the formula does not have.
    """
    clausal = is_clausal(qbf)
    known = set(qbf.levels()) | (set() if clausal else set(qbf.gates))
    literals = [*layout.gates.values(), *layout.state.position, *layout.state.literals]
    if layout.verdict is not None and layout.verdict != qbf.output:
        literals.append(layout.verdict)
    for ply in layout.moves:
        literals += [*ply.all_variables, *ply.says_legal]
    for literal in literals:
        if literal and abs(literal) not in known:
            what = "variable" if clausal else "variable or gate"
            raise ValueError(f"the layout names {literal}, which is no {what} of the formula")
    comments = layout_comments(layout, output=qbf.output if clausal else None)
    return replace(qbf, names={}, comments=tuple(enumerate(comments, start=1)))


def comments_in_clauses(qbf: Qbf, variables: Collection[int]) -> tuple[str, ...]:
    """The comments of ``qbf`` for a clausal form in which only ``variables`` mean what they did.

    Of a layout that lists moves only these are named; other comments stay as they are.
    """
    layout = layout_from_comments(qbf) if _version(layout_lines(qbf)) == 2 else None
    if layout is None:
        return tuple(text for _, text in qbf.comments)
    return layout_comments(only_variables(layout, variables, qbf.output), qbf.output)


def only_variables(layout: Layout, variables: Collection[int], output: int) -> Layout:
    """The layout without the literals that are none of ``variables``, the ``output`` apart.

    Moves without a variable are left out: those that cannot be made.
    """

    def kept(bits: Bits) -> Bits:
        found = tuple(x if abs(x) in variables else 0 for x in bits)
        return found if any(found) else ()

    def made(ply: Ply) -> Ply:
        legal = kept(ply.legal)
        if ply.coding.numbers or all(abs(x) in variables for x in ply.variables):
            return replace(ply, legal=legal)
        places = [k for k, x in enumerate(ply.variables) if abs(x) in variables]
        return listed(
            ply.ply,
            ply.player,
            tuple(ply.moves[k] for k in places),
            literals=tuple(ply.variables[k] for k in places),
            legal=tuple(legal[k] for k in places) if legal else (),
            stop=ply.stop,
        )

    verdict = layout.verdict
    known = verdict is None or verdict == output or abs(verdict) in variables
    return replace(
        layout,
        moves=tuple(map(made, layout.moves)),
        state=replace(layout.state, states=tuple(map(kept, layout.state.states))),
        verdict=verdict if known else None,
        gates={name: x for name, x in layout.gates.items() if abs(x) in variables},
    )


def is_clausal(qbf: Qbf) -> bool:
    """True if the matrix is a conjunction of clauses, which QDIMACS takes as it is.

    Then a layout cannot name gates.
    """
    top = qbf.gates.get(qbf.output)
    if top is None or top.connective is not Connective.AND:
        return False
    for literal in top.inputs:
        gate = qbf.gates.get(abs(literal))
        if gate is None:
            continue
        nested = any(abs(x) in qbf.gates for x in gate.inputs)
        if literal < 0 or nested or gate.connective is not Connective.OR:
            return False
    return True


# --- Reading ----------------------------------------------------------------------------------


def layout_from_comments(qbf: Qbf) -> Layout | None:
    """The layout that the comments of ``qbf`` carry, of either version; ``None`` without one.

    Raises ``InputError`` with the line of the first comment that is not as described, or that
    names a variable or gate which the formula does not have.
    """
    lines = layout_lines(qbf)
    if not lines:
        return None
    reader = _ListedReader(qbf) if _version(lines) == 2 else _GridReader(qbf)
    return reader.read(lines)


def _version(lines: Sequence[tuple[int, str]]) -> int:
    """The version of layout lines; 1 unless they say 2."""
    return 2 if lines and lines[0][1].split() == [_FIRST, "2"] else 1


def layout_lines(qbf: Qbf) -> list[tuple[int, str]]:
    """The comments of ``qbf`` that begin with ``@``, without that: (line, text).

    The first one says the version; there are none in a file of another tool.
    Raises ``InputError`` for a layout that begins with another line: it would count for nothing.
    """
    lines = [(number, content[1:].strip()) for number, content in _contents(qbf)]
    keywords = [(text.split(maxsplit=1) or [""])[0] for _, text in lines]
    known = {*_GridReader.keywords, *_ListedReader.keywords}
    if any(k in known or k.startswith(_FIRST) for k in keywords):
        if not keywords[0].startswith(_FIRST):
            number, text = lines[0]
            raise InputError(qbf.path, number, 1, f"'@ {text}'", f"the line '@ {_FIRST} VERSION'")
        return lines
    return []


def _contents(qbf: Qbf) -> Iterable[tuple[int, str]]:
    for number, text in qbf.comments:
        content = text.strip().removeprefix("#").strip()
        if content.startswith("@"):
            yield number, content


class _Reader(ABC):
    """Reads layout lines one by one; ``line`` is the number of the one at hand.

    ``known`` are the variables and gates that the file has numbers for, ``by_name`` those that it
    has names for.  ``placed`` maps the variables that have a meaning already to its line.
    """

    keywords: ClassVar[tuple[str, ...]]
    games: ClassVar[tuple[str, ...]]

    def __init__(self, qbf: Qbf) -> None:
        self.qbf = qbf
        self.line = 0
        self.quantifiers = qbf.quantifiers()
        # Numbers that only the reader gave, to names and to clauses, mean nothing in the file.
        inner = qbf.names.keys() | set(qbf.unwritten)
        self.known = (self.quantifiers.keys() | qbf.gates.keys()) - inner
        self.by_name = {name: number for number, name in qbf.names.items()}
        self.placed: dict[int, int] = {}
        self.at: dict[str, int] = {}
        self.encoding = "unknown"
        self.game = ""
        self.states: list[Bits] = []
        self.verdict: int | None = None
        self.gates: dict[str, int] = {}
        self.model: dict[str, list[PartLine]] = {}
        self._comments = dict(qbf.comments)

    def parse(self, lines: Sequence[tuple[int, str]]) -> None:
        """Read each line by the method that is called like its keyword."""
        for self.line, text in lines:
            keyword, _, rest = text.partition(" ")
            if keyword not in (_FIRST, *self.keywords):
                expected = f"one of {', '.join((_FIRST, *self.keywords))}"
                raise self.fail(f"layout keyword {quoted(keyword)}", expected)
            name = "version" if keyword == _FIRST else keyword
            reader: Callable[[list[str], str], None] = getattr(self, f"read_{name}")
            words = _WORD.findall(rest)
            what = self.what(keyword, words)
            if keyword == "gate" and len(words) > 1:
                what = f"gate {rest.split(maxsplit=1)[1]}"
            if what:
                self.once(self.at, what)
            reader(words, rest)

    @abstractmethod
    def what(self, keyword: str, words: Sequence[str]) -> str:
        """The subject of a line that no other line may have; empty where others may."""

    # -- errors -----------------------------------------------------------------------------

    def fail(self, found: str, expected: str, line: int | None = None) -> InputError:
        """The error of a line, the one at hand unless said."""
        return InputError(self.qbf.path, self.line if line is None else line, 1, found, expected)

    def once(self, seen: dict[str, int], what: str) -> None:
        """Note the line of ``what``; raise the error for a second one."""
        if what in seen:
            raise self.fail(f"a second line {quoted(what)}", f"one (it is in line {seen[what]})")
        seen[what] = self.line

    # -- words ------------------------------------------------------------------------------

    def number(self, word: str) -> int:
        """A word that is a number."""
        if not _NUMBER.fullmatch(word):
            raise self.fail(quoted(word), "a number")
        return int(word)

    def literal(self, word: str) -> int:
        """A word that is a literal of the file: a number or a name of it, perhaps negated."""
        named = self.named_literal(word)
        if named is not None:
            return named
        if not _LITERAL.fullmatch(word):
            raise self.fail(quoted(word), "a literal")
        return self.known_literal(int(word))

    def named_literal(self, word: str) -> int | None:
        """The literal of a word that is one of the file's names."""
        number = self.by_name.get(word.removeprefix("-"))
        return number if number is None or not word.startswith("-") else -number

    def known_literal(self, literal: int) -> int:
        """A literal, if the file has a variable or gate of this number."""
        if abs(literal) not in self.known:
            raise self.fail(f"literal {literal}", "a variable or gate of the file")
        return literal

    def player(self, word: str) -> Player:
        """A word that is a player."""
        if word not in ("black", "white"):
            raise self.fail(quoted(word), "'black' or 'white'")
        return Player(word)

    # -- places -----------------------------------------------------------------------------

    def place(self, literal: int, chooser: Quantifier) -> None:
        """Give a literal's variable its one meaning, which ``chooser`` decides about.

        Raises the error for a gate, for a variable of the other player and for one that has a
        meaning already.
        """
        variable = abs(literal)
        shown = self.qbf.name(variable)
        found = self.quantifiers.get(variable)
        if variable in self.placed:
            place = f"it is in line {self.placed[variable]}"
            raise self.fail(f"variable {shown} once more", f"each variable in one place ({place})")
        if found is not chooser:
            kind = "gate" if found is None else f"{_QUANTIFIED[found]} variable"
            raise self.fail(f"the {kind} {shown}", f"{_QUANTIFIED[chooser]} variables")
        self.placed[variable] = self.line

    def chosen(self, bits: Bits, chooser: Quantifier) -> Bits:
        """Literals of a move, a goal or the symbolic position, which ``chooser`` decides."""
        for literal in bits:
            self.place(literal, chooser)
        return bits

    # -- lines that both versions have ------------------------------------------------------

    def count(self, words: list[str], count: int, expected: str) -> list[str]:
        """The words of a line that has so many."""
        if len(words) != count:
            raise self.fail(f"{len(words)} values", expected)
        return words

    def read_encoding(self, words: list[str], _: str) -> None:
        """The line ``encoding NAME``."""
        (self.encoding,) = self.count(words, 1, "the name of the encoding")

    def read_gate(self, words: list[str], rest: str) -> None:
        """The line ``gate LITERAL NAME``."""
        if len(words) < 2:
            raise self.fail(quoted(rest), "a literal and a name")
        self.gates[rest.split(maxsplit=1)[1]] = self.literal(words[0])

    # -- models -----------------------------------------------------------------------------

    def read_game(self, words: list[str], _: str) -> None:
        """The line ``game KIND``."""
        if len(words) != 1 or words[0] not in self.games:
            found = quoted(" ".join(words))
            raise self.fail(f"the kind of game {found}", " or ".join(map(repr, self.games)))
        self.game = words[0]

    def read_model(self, _: list[str], rest: str) -> None:
        """The line ``model PART | TEXT``."""
        part, bar, line = rest.partition("|")
        part = part.strip()
        if not bar or len(part.split()) != 1:
            raise self.fail(quoted(rest), "'model PART | TEXT'")
        if part in _ONE_LINE and part in self.model:
            first = self.model[part][0].line
            raise self.fail(f"a second line of {quoted(part)}", f"one (it is in line {first})")
        text = line.removeprefix(" ")
        if not text.isprintable() and part in _ONE_LINE:
            raise self.fail(f"a control character in {quoted(part)}", "printable text")
        self.model.setdefault(part, []).append(PartLine(text, self.line, self._indent(text)))

    def _indent(self, text: str) -> int:
        """The number of characters before a model's line, in a comment that fills its line."""
        comment = self._comments[self.line]
        clausal = bool(self.qbf.unwritten)
        sign = len("c #") if clausal and not comment.startswith(" ") else 1
        return sign + len(comment.rstrip()) - len(text.rstrip())

    def model_parts(self) -> ModelParts:
        """The model by part; raises the error for a part that such games do not have."""
        known = parts_of(self.game)
        for part, lines in self.model.items():
            if part not in known:
                expected = f"one of {', '.join(known)}"
                raise self.fail(f"the part {quoted(part)} of a model", expected, lines[0].line)
        return ModelParts.at_lines(self.model, self.qbf.path)


@dataclass(frozen=True, slots=True)
class _Move:
    """A line ``move`` of a grid before the line with the board is read."""

    ply: int
    player: Player
    action: Bits
    x: Bits
    y: Bits
    stop: int | None


class _GridReader(_Reader):
    """Reads version 1."""

    keywords = (
        *("encoding", "game", "board", "actions", "move", "indicators", "goal"),
        *("symbolic", "state", "verdict", "gate", "model"),
    )
    games = ("bddl",)

    def __init__(self, qbf: Qbf) -> None:
        super().__init__(qbf)
        self.game = "bddl"
        self.size = (0, 0)
        self.actions: dict[Player, tuple[str, ...]] = dict.fromkeys(Player, ())
        self.moves: list[_Move] = []
        self.position: tuple[Bits, Bits] = ((), ())
        self.code = StateCode.OPEN_WHITE
        self.goals = GoalVariables()
        self.indicators: dict[int, Indicators] = {}

    def read(self, lines: Sequence[tuple[int, str]]) -> Layout:
        """The layout of all lines."""
        self.parse(lines)
        self._check()
        return Layout(
            moves=tuple(map(self._ply, self.moves)),
            state=board_view(*self._square(*self.position), tuple(self.states), self.code),
            actions=self.actions,
            goals=self.goals,
            verdict=self.verdict,
            gates=self.gates,
            encoding=self.encoding,
            game=self.game,
            model=self.model_parts(),
            silence=Silence.FREE,
        )

    def _square(self, x: Bits, y: Bits) -> tuple[Number, Number]:
        width, height = self.size
        return Number(x, width), Number(y, height)

    def _ply(self, move: _Move) -> Ply:
        coding = GridCoding(self.actions[move.player], move.action, *self._square(move.x, move.y))
        return on_grid(move.ply, move.player, coding, move.stop, self.indicators.get(move.ply))

    def what(self, keyword: str, words: Sequence[str]) -> str:
        if keyword == "model":
            return ""
        keyed = keyword in ("actions", "goal", "move", "indicators", "state")
        return " ".join([keyword, *words[:1]]) if keyed else keyword

    # -- what single lines cannot tell ------------------------------------------------------

    def _check(self) -> None:
        for what in ("board", "symbolic"):
            if what not in self.at:
                raise self.fail(f"a layout without a line {quoted(what)}", "one")
        self._axes("symbolic", *self.position)
        for move in self.moves:
            self._check_move(move)
        for name in ("black", "white"):
            for axis, size in zip("xy", self.size, strict=True):
                bits = getattr(self.goals, f"{name}_{axis}")
                if bits:
                    self._width(self.at[f"goal {name}-{axis}"], bits, size, axis)
        if len(self.states) not in (len(self.moves), len(self.moves) + 1):
            raise self.fail(
                f"{len(self.states)} states for {len(self.moves)} moves",
                "a state before every move and perhaps one after the last",
                self.at[f"state {len(self.states) - 1}"] if self.states else None,
            )
        self._check_indicators()

    def _check_move(self, move: _Move) -> None:
        line = self.at[f"move {move.ply}"]
        names = self.actions[move.player]
        if not names:
            expected = f"a line 'actions {move.player.value}' with names"
            raise self.fail(f"a {move.player.value} ply", expected, line)
        self._width(line, move.action, len(names), "actions")
        self._axes(f"move {move.ply}", move.x, move.y)
        if move.stop is not None and move.ply == len(self.moves):
            raise self.fail("'stop' in the last ply", "it where another ply follows", line)

    def _axes(self, what: str, x: Bits, y: Bits) -> None:
        self._width(self.at[what], x, self.size[0], "columns")
        self._width(self.at[what], y, self.size[1], "rows")

    def _width(self, line: int, bits: Bits, count: int, what: str) -> None:
        """A list has just as many bits as numbers from 0 to ``count`` - 1 need."""
        needed = (count - 1).bit_length()
        if len(bits) != needed:
            what = {"x": "columns", "y": "rows"}.get(what, what)
            bit = "bit" if len(bits) == 1 else "bits"
            raise self.fail(f"{len(bits)} {bit} for {count} {what}", str(needed), line)

    def _check_indicators(self) -> None:
        """They belong to White's plies, and to all of them if to any."""
        players = {move.ply: move.player for move in self.moves}
        for ply in self.indicators:
            if players.get(ply) is not Player.WHITE:
                line = self.at[f"indicators {ply}"]
                raise self.fail(f"indicators of ply {ply}", "a White ply", line)
        for ply, player in players.items():
            if player is Player.WHITE and self.indicators and f"indicators {ply}" not in self.at:
                found = f"a White ply {ply} without a line 'indicators'"
                expected = "indicators of all White plies, or of none"
                raise self.fail(found, expected, self.at[f"move {ply}"])

    # -- words ------------------------------------------------------------------------------

    def _vector(self, word: str) -> Bits:
        if not (word.startswith("[") and word.endswith("]")):
            raise self.fail(quoted(word), "a bit list such as [3 4]")
        return tuple(self.literal(part) for part in word[1:-1].split())

    def _pairs(
        self, words: list[str], required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, str]:
        """``key value`` pairs; all of ``required`` must be there, once, and nothing unknown."""
        if len(words) % 2:
            raise self.fail(quoted(" ".join(words)), "pairs of a key and a value")
        keys = words[::2]
        pairs = dict(zip(keys, words[1::2], strict=True))
        missing = [key for key in required if key not in pairs]
        unknown = [key for key in pairs if key not in (*required, *optional)]
        if missing or unknown or len(pairs) < len(keys):
            expected = f"keys {', '.join((*required, *optional))}"
            raise self.fail(f"keys {', '.join(keys) or 'none'}", expected)
        return pairs

    # -- lines ------------------------------------------------------------------------------

    def read_version(self, words: list[str], _: str) -> None:
        if words != ["1"]:
            found = f"layout version {quoted(' '.join(words))}"
            raise self.fail(found, "version 1")

    def read_board(self, words: list[str], _: str) -> None:
        width, height = map(self.number, self.count(words, 2, "width and height"))
        if not width or not height:
            raise self.fail(f"a board of {width}x{height}", "width and height from 1")
        self.size = width, height

    def read_actions(self, words: list[str], _: str) -> None:
        player = self.player(words[0] if words else "")
        names = tuple(words[1:])
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise self.fail(f"the action {quoted(twice)} twice", "each action once")
        self.actions[player] = names

    def read_move(self, words: list[str], _: str) -> None:
        if len(words) < 2:
            raise self.fail(f"{len(words)} values", "ply, player and bits")
        ply = self.number(words[0])
        if ply != len(self.moves) + 1:
            raise self.fail(f"ply {ply}", f"ply {len(self.moves) + 1}")
        pairs = self._pairs(words[2:], ("action", "x", "y"), ("stop",))
        player = self.player(words[1])
        chooser = _CHOOSERS[player]
        action, x, y = (self.chosen(self._vector(pairs[k]), chooser) for k in ("action", "x", "y"))
        stop = self.literal(pairs["stop"]) if "stop" in pairs else None
        if stop is not None:
            self.place(stop, chooser)
        self.moves.append(_Move(ply, player, action, x, y, stop))

    def read_indicators(self, words: list[str], _: str) -> None:
        if not words:
            raise self.fail("0 values", "ply and literals")
        pairs = self._pairs(words[1:], ("preconditions",), ("bounds",))
        bounds = self.literal(pairs["bounds"]) if "bounds" in pairs else None
        preconditions = self._vector(pairs["preconditions"])
        for literal in (*preconditions, *(() if bounds is None else (bounds,))):
            # A gate may say the same; a variable that White chooses, or of a move, may not.
            if abs(literal) in self.quantifiers:
                self.place(literal, Quantifier.EXISTS)
        self.indicators[self.number(words[0])] = Indicators(bounds, preconditions)

    def read_goal(self, words: list[str], _: str) -> None:
        name, bits = self.count(words, 2, "the name of the goal variables and their bits")
        names = {field.name.replace("_", "-"): field.name for field in fields(GoalVariables)}
        if name not in names:
            raise self.fail(quoted(name), f"one of {', '.join(names)}")
        # Black chooses the goal that Black has reached, and the part that White's goal lacks;
        # White chooses the goal that White has reached.
        chooser = Quantifier.FORALL if name.startswith("white") else Quantifier.EXISTS
        chosen = self.chosen(self._vector(bits), chooser)
        self.goals = replace(self.goals, **{names[name]: chosen})

    def read_symbolic(self, words: list[str], _: str) -> None:
        pairs = self._pairs(words, ("x", "y", "code"))
        codes = {code.value.replace(" ", "-"): code for code in StateCode}
        if pairs["code"] not in codes:
            raise self.fail(quoted(pairs["code"]), f"one of {', '.join(codes)}")
        x, y = (self.chosen(self._vector(pairs[k]), Quantifier.FORALL) for k in ("x", "y"))
        self.position, self.code = (x, y), codes[pairs["code"]]

    def read_state(self, words: list[str], _: str) -> None:
        time, first, second = self.count(words, 3, "the step and two literals")
        if self.number(time) != len(self.states):
            raise self.fail(f"state {time}", f"state {len(self.states)}")
        state = self.literal(first), self.literal(second)
        for literal in state:
            # A gate may say the same, and of a board that never changes a bit of the square.
            if self.quantifiers.get(abs(literal)) is Quantifier.EXISTS:
                self.place(literal, Quantifier.EXISTS)
        self.states.append(state)

    def read_verdict(self, words: list[str], _: str) -> None:
        (literal,) = self.count(words, 1, "one literal")
        self.verdict = self.literal(literal)


class _ListedReader(_Reader):
    """Reads version 2."""

    keywords = (
        *("encoding", "game", "list", "move", "atoms", "symbolic", "state"),
        *("verdict", "conclusive", "illegal", "gate", "model"),
    )
    games = ("positional", "gdl")

    def __init__(self, qbf: Qbf) -> None:
        super().__init__(qbf)
        self.game = "positional"
        self.lists: dict[int, tuple[str, ...]] = {}
        self.moves: list[Ply] = []
        self.atoms: tuple[str, ...] | None = None
        self.places: tuple[str, ...] = ()
        self.axes: tuple[Number, ...] = ()
        self.one_sided = False
        self.conclusive: tuple[bool, ...] = (True, False)
        self.illegal = IllegalMoves.LOSES
        self.black_passes = False
        top = qbf.gates.get(qbf.output)
        conjuncts = top.inputs if top is not None and top.connective is Connective.AND else ()
        self.asserted = {x for x in conjuncts if x in self.quantifiers}
        self.shared: set[int] = set()

    def read(self, lines: Sequence[tuple[int, str]]) -> Layout:
        """The layout of all lines."""
        self.parse(lines)
        if len(self.states) > len(self.moves) + 1:
            raise self.fail(
                f"{len(self.states)} states for {len(self.moves)} moves",
                "a state before every move and perhaps one after the last",
                self.at[f"state {len(self.states) - 1}"],
            )
        return Layout(
            moves=tuple(self.moves),
            state=StateView(
                self.atoms or (), tuple(self.states), self.axes, self.places, self.one_sided
            ),
            verdict=self.verdict,
            gates=self.gates,
            encoding=self.encoding,
            game=self.game,
            model=self.model_parts(),
            conclusive=self.conclusive,
            illegal=self.illegal,
            black_passes=self.black_passes,
        )

    def read_version(self, words: list[str], _: str) -> None:
        """The first line, which said that this is the reader."""

    def what(self, keyword: str, words: Sequence[str]) -> str:
        return "" if keyword in ("list", "move", "state", "gate", "model") else keyword

    # -- words ------------------------------------------------------------------------------

    def _vector(self, word: str, most: int, *, zeros: bool = False) -> Bits:
        """A bit list of at most so many literals; ``zeros`` may stand for missing ones."""
        if not (word.startswith("[") and word.endswith("]")):
            raise self.fail(quoted(word), "a bit list such as [3 4]")
        found: list[int] = []
        for part in word[1:-1].split():
            named = self.named_literal(part)
            for literal in self._run(part) if named is None else (named,):
                if len(found) == most:
                    raise self.fail(f"more than {most} literals", f"at most {most}")
                given = named is not None or (zeros and not literal)
                found.append(literal if given else self.known_literal(literal))
        return tuple(found)

    def _run(self, part: str) -> Iterable[int]:
        if match := _RANGE.fullmatch(part):
            first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
            if (last - first) % step:
                raise self.fail(quoted(part), f"a run that its steps of {step} end at {last}")
            return range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
        if match := _TIMES.fullmatch(part):
            return repeat(int(match[1]), int(match[2]))
        if not re.fullmatch(_SIGNED, part):
            raise self.fail(quoted(part), "a literal, or a run such as 3..9")
        return [int(part)]

    def _one_each(self, literals: Bits, chooser: Quantifier) -> Bits:
        """One literal for each move.

        Moves that cannot be made may share a constant that is false: a gate without inputs, or a
        negated variable that the matrix asserts.
        """
        for literal in literals:
            gate = self.qbf.gates.get(abs(literal))
            if gate is not None and not gate.inputs:
                if (gate.connective is Connective.AND) is (literal > 0):
                    raise self.fail(f"the constant {literal}, which is true", "a false one")
                continue
            if -literal in self.asserted and abs(literal) in self.shared:
                continue
            if -literal in self.asserted:
                self.shared.add(abs(literal))
            self.place(literal, chooser)
        return literals

    def _texts(self, word: str) -> tuple[str, ...]:
        number = self.number(word)
        if number not in self.lists:
            raise self.fail(f"list {number}", "a list from a line above")
        return self.lists[number]

    # -- lines ------------------------------------------------------------------------------

    def read_list(self, words: list[str], rest: str) -> None:
        word, _, texts = rest.partition(" ")
        number = self.number(word)
        if number in self.lists:
            raise self.fail(f"list {number} once more", "another number")
        found: list[str] = []
        at = 0
        texts = texts.rstrip()
        while at < len(texts):
            match = _TEXT.match(texts, at)
            if match is None or (match.end() < len(texts) and not texts[match.end()].isspace()):
                raise self.fail(quoted(texts[at:].strip()), "texts, with a blank between them")
            found.append(self._unquoted(match[1]))
            at = match.end()
        if len(set(found)) != len(found):
            twice = next(text for text in found if found.count(text) > 1)
            raise self.fail(f"{quoted(twice)} twice in a list", "each text once")
        self.lists[number] = tuple(found)

    def _unquoted(self, word: str) -> str:
        if not word.startswith('"'):
            return word
        try:
            text = json.loads(word)
        except ValueError:
            raise self.fail(quoted(word), "a text in quotation marks, as in JSON") from None
        assert isinstance(text, str)
        return text

    def read_move(self, words: list[str], rest: str) -> None:
        if len(words) < 4 or words[2] != "list" or len(words) % 2:
            raise self.fail(quoted(rest), "'PLY PLAYER list NUMBER' and pairs of a key and bits")
        if self.number(words[0]) != len(self.moves) + 1:
            raise self.fail(f"ply {words[0]}", f"ply {len(self.moves) + 1}")
        player = self.player(words[1])
        moves = self._texts(words[3])
        keys = words[4::2]
        unknown = [k for k in keys if k not in ("code", "literals", "legal", "stop")]
        if unknown or len(set(keys)) != len(keys):
            wrong = unknown[0] if unknown else next(k for k in keys if keys.count(k) > 1)
            raise self.fail(quoted(wrong), "code, literals, legal or stop, each once")
        pairs = dict(zip(keys, words[5::2], strict=True))
        chooser = _CHOOSERS[player]
        code = self._vector(pairs.get("code", "[]"), _MOST_BITS)
        literals = self._vector(pairs.get("literals", "[]"), len(moves))
        legal = self._vector(pairs.get("legal", "[]"), len(moves), zeros=True)
        for name, bits in (("literals", literals), ("legal", legal)):
            if bits and len(bits) != len(moves):
                raise self.fail(f"{len(bits)} {name} for {len(moves)} moves", "one for each move")
        if code and literals:
            raise self.fail("code and literals", "one of them")
        if not literals and len(moves) > 1 << len(code):
            raise self.fail(f"{len(code)} bits for {len(moves)} moves", "enough bits for each move")
        code, literals = self.chosen(code, chooser), self._one_each(literals, chooser)
        stop = self.literal(pairs["stop"]) if "stop" in pairs else None
        if stop is not None:
            self.place(stop, chooser)
        ply = len(self.moves) + 1
        self.moves.append(listed(ply, player, moves, code, literals, legal, stop))

    def read_atoms(self, words: list[str], rest: str) -> None:
        self.one_sided = rest.endswith(" one-sided")
        word, number = self.count(words[: len(words) - self.one_sided], 2, "'list' and its number")
        if word != "list":
            raise self.fail(quoted(word), "'list'")
        self.atoms = self._texts(number)

    def read_symbolic(self, words: list[str], _: str) -> None:
        bits, word, number = self.count(words, 3, "bits, 'list' and its number")
        if word != "list":
            raise self.fail(quoted(word), "'list'")
        self.places = self._texts(number)
        position = self.chosen(self._vector(bits, _MOST_BITS), Quantifier.FORALL)
        if len(self.places) > 1 << len(position):
            found = f"{len(position)} bits for {len(self.places)} places"
            raise self.fail(found, "enough bits for each place")
        self.axes = (Number(position, len(self.places)),)

    def read_state(self, words: list[str], _: str) -> None:
        time, bits = self.count(words, 2, "the time and a bit list")
        if self.atoms is None:
            raise self.fail("a state", "a line 'atoms' above it")
        if self.number(time) != len(self.states):
            raise self.fail(f"state {time}", f"state {len(self.states)}")
        literals = self._vector(bits, len(self.atoms), zeros=True)
        if literals and len(literals) != len(self.atoms):
            raise self.fail(f"{len(literals)} literals", f"one for each of {len(self.atoms)} atoms")
        self.at[f"state {time}"] = self.line
        self.states.append(literals)

    def read_verdict(self, words: list[str], _: str) -> None:
        (word,) = self.count(words, 1, f"one literal, or '{_OUTPUT}'")
        self.verdict = self.qbf.output if word == _OUTPUT else self.literal(word)

    def read_conclusive(self, words: list[str], _: str) -> None:
        (word,) = self.count(words, 1, "'true' or 'false'")
        if word not in ("true", "false"):
            raise self.fail(quoted(word), "'true' or 'false'")
        self.conclusive = (word == "true",)

    def read_illegal(self, words: list[str], rest: str) -> None:
        self.black_passes = rest.endswith(" black-passes")
        (word,) = self.count(
            words[: len(words) - self.black_passes], 1, "'loses', 'ignored' or 'replaced'"
        )
        if word not in (one.value for one in IllegalMoves):
            raise self.fail(quoted(word), "'loses', 'ignored' or 'replaced'")
        self.illegal = IllegalMoves(word)
