"""Layouts with tables of moves as comments inside a formula's file.

The lines are those of ``layout_comments.py`` where the same is to be said; ``docs/layout.md``
describes both.  The first is ``@ qsage-layout 2``.  Texts that many lines mean, the moves of
plies and the atoms of states, are written once, and runs of literals in short: a game of 361
positions and plies takes some ten kilobytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Final

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier
from qsage_validate.encodings.layout.grid import Bits
from qsage_validate.encodings.layout.grid_comments import layout_from_comments
from qsage_validate.encodings.layout.lines import LineReader, layout_lines
from qsage_validate.encodings.layout.tables import (
    AnyLayout,
    IllegalMoves,
    MoveTable,
    StateTable,
    TableLayout,
)
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import Player

VERSION: Final = 2
_MOST_BITS: Final = 64
_BARE: Final = re.compile(r"[!#-Z\\^-~]+")
_TEXT: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^\s"]+)')
_WORD: Final = re.compile(r"\[[^\]]*\]|\S+")
_OUTPUT: Final = "output"
_NUMBER: Final = r"(0|-?[1-9][0-9]{0,8})"
_RANGE: Final = re.compile(rf"{_NUMBER}\.\.{_NUMBER}(?:/([1-9][0-9]{{0,8}}))?")
_TIMES: Final = re.compile(rf"{_NUMBER}\*([1-9][0-9]{{0,8}})")
_KINDS: Final = ("positional", "gdl")


# --- Writing ----------------------------------------------------------------------------------


def with_table_layout(qbf: Qbf, layout: TableLayout) -> Qbf:
    """``qbf`` with the layout in its comments, in place of those that it had, and without names.

    The layout may name variables and, in a circuit, gates.  The gates of a conjunction of clauses
    get other numbers when it is written as QDIMACS: of these only the output can be named.
    Variables lose their names, if they had any: a layout goes by numbers, and says what they mean.
    Raises ``ValueError`` for a literal that the formula does not have.
    """
    clausal = is_clausal(qbf)
    known = set(qbf.levels()) | (set() if clausal else set(qbf.gates))
    literals = [*layout.gates.values()]
    if layout.verdict is not None and layout.verdict != qbf.output:
        literals.append(layout.verdict)
    for table in layout.moves:
        literals += [*table.code, *table.literals, *table.legal]
        literals += [] if table.stop is None else [table.stop]
    literals += [*layout.state.position, *(x for state in layout.state.states for x in state)]
    for literal in literals:
        if literal and abs(literal) not in known:
            what = "variable" if clausal else "variable or gate"
            raise ValueError(f"the layout names {literal}, which is no {what} of the formula")
    comments = table_layout_comments(layout, output=qbf.output if clausal else None)
    return replace(qbf, names={}, comments=tuple(enumerate(comments, start=1)))


def comments_in_clauses(qbf: Qbf, variables: Collection[int]) -> tuple[str, ...]:
    """The comments of ``qbf`` for a clausal form in which only ``variables`` mean what they did.

    Of a layout with tables of moves only these are named; other comments stay as they are.
    """
    layout = table_layout_from_comments(qbf)
    if layout is None:
        return tuple(text for _, text in qbf.comments)
    return table_layout_comments(only_variables(layout, variables, qbf.output), qbf.output)


def only_variables(layout: TableLayout, variables: Collection[int], output: int) -> TableLayout:
    """The layout without the literals that are none of ``variables``, the ``output`` apart.

    Moves without a variable are left out: those that cannot be made.
    """

    def kept(bits: Bits) -> Bits:
        found = tuple(x if abs(x) in variables else 0 for x in bits)
        return found if any(found) else ()

    def made(table: MoveTable) -> MoveTable:
        legal = kept(table.legal)
        if all(abs(x) in variables for x in table.literals):
            return replace(table, legal=legal)
        places = [k for k, x in enumerate(table.literals) if abs(x) in variables]
        return replace(
            table,
            moves=tuple(table.moves[k] for k in places),
            literals=tuple(table.literals[k] for k in places),
            legal=tuple(legal[k] for k in places) if legal else (),
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
    """Whether the matrix is a conjunction of clauses, which QDIMACS takes as it is.

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


def table_layout_comments(layout: TableLayout, output: int | None = None) -> tuple[str, ...]:
    """The comment lines for ``layout``, without the format's comment sign.

    A verdict that is ``output`` is called that, and not by its number.
    """
    return tuple(f"@ {line}" for line in _lines(layout, output))


def _lines(layout: TableLayout, output: int | None) -> Iterator[str]:
    yield f"qsage-layout {VERSION}"
    yield f"encoding {layout.encoding}"
    yield f"game {layout.game}"
    lists: dict[tuple[str, ...], int] = {}

    def listed(texts: tuple[str, ...]) -> Iterator[str]:
        if texts not in lists:
            lists[texts] = len(lists) + 1
            yield " ".join([f"list {lists[texts]}", *map(_text, texts)])

    for table in layout.moves:
        yield from listed(table.moves)
        line = f"move {table.ply} {table.player.value} list {lists[table.moves]}"
        for name, bits in (
            ("code", table.code),
            ("literals", table.literals),
            ("legal", table.legal),
        ):
            if bits:
                line += f" {name} {_bits(bits)}"
        yield line if table.stop is None else f"{line} stop {table.stop}"
    state = layout.state
    if state.atoms:
        yield from listed(state.atoms)
        one_sided = " one-sided" if state.one_sided else ""
        yield f"atoms list {lists[state.atoms]}{one_sided}"
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


# --- Reading ----------------------------------------------------------------------------------


def any_layout_from_comments(qbf: Qbf) -> AnyLayout | None:
    """The layout that the comments of ``qbf`` carry, of either version; ``None`` without one."""
    return table_layout_from_comments(qbf) or layout_from_comments(qbf)


def table_layout_from_comments(qbf: Qbf) -> TableLayout | None:
    """The layout with tables of moves that the comments of ``qbf`` carry.

    ``None`` where there is none, or one of another version.  Raises ``InputError`` with the line
    of the first comment that is not as described, or that names a variable or gate which the
    formula does not have.
    """
    lines = layout_lines(qbf)
    if not lines or lines[0][1].split() != ["qsage-layout", str(VERSION)]:
        return None
    return _Reader(qbf).read(lines)


class _Reader(LineReader):
    """Reads layout lines one by one into the parts of a layout."""

    def __init__(self, qbf: Qbf) -> None:
        super().__init__(qbf)
        self.encoding = "unknown"
        self.kind = "positional"
        self.lists: dict[int, tuple[str, ...]] = {}
        self.moves: list[MoveTable] = []
        self.atoms: tuple[str, ...] | None = None
        self.places: tuple[str, ...] = ()
        self.position: Bits = ()
        self.states: list[Bits] = []
        self.one_sided = False
        self.verdict: int | None = None
        self.conclusive: tuple[bool, ...] = (True, False)
        self.illegal = IllegalMoves.LOSES
        self.black_passes = False
        self.gates: dict[str, int] = {}
        top = qbf.gates.get(qbf.output)
        conjuncts = top.inputs if top is not None and top.connective is Connective.AND else ()
        self.asserted = {x for x in conjuncts if x in self.quantifiers}
        self.shared: set[int] = set()
        self.at: dict[str, int] = {}

    def read(self, lines: Sequence[tuple[int, str]]) -> TableLayout:
        readers: dict[str, Callable[[str], None]] = {
            "qsage-layout": self._version,
            "encoding": self._encoding,
            "game": self._game,
            "list": self._list,
            "move": self._move,
            "atoms": self._atoms,
            "symbolic": self._symbolic,
            "state": self._state,
            "verdict": self._verdict,
            "conclusive": self._conclusive,
            "illegal": self._illegal,
            "gate": self._gate,
            "model": self.add_model,
        }
        for self.line, text in lines:
            keyword, _, rest = text.partition(" ")
            reader = readers.get(keyword)
            if reader is None:
                raise self.fail(f"layout keyword {quoted(keyword)}", f"one of {', '.join(readers)}")
            if keyword not in ("list", "move", "state", "gate", "model"):
                self.once(self.at, keyword)
            reader(rest)
        if len(self.states) > len(self.moves) + 1:
            raise self.fail(
                f"{len(self.states)} states for {len(self.moves)} moves",
                "a state before every move and perhaps one after the last",
                self.at[f"state {len(self.states) - 1}"],
            )
        return TableLayout(
            tuple(self.moves),
            StateTable(
                self.atoms or (), tuple(self.states), self.position, self.places, self.one_sided
            ),
            self.verdict,
            self.gates,
            self.encoding,
            self.kind,
            self.model_parts(self.kind),
            conclusive=self.conclusive,
            illegal=self.illegal,
            black_passes=self.black_passes,
        )

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
        if not re.fullmatch(_NUMBER, part):
            raise self.fail(quoted(part), "a literal, or a run such as 3..9")
        return [int(part)]

    def _chosen(self, bits: Bits, chooser: Quantifier) -> Bits:
        """Literals of a move or of the symbolic position, whose variables ``chooser`` decides."""
        for literal in bits:
            self.place(literal, chooser)
        return bits

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

    def _words(self, rest: str, count: int, expected: str) -> list[str]:
        words = _WORD.findall(rest)
        if len(words) != count:
            raise self.fail(f"{len(words)} values", expected)
        return words

    def _texts(self, word: str) -> tuple[str, ...]:
        number = self.number(word)
        if number not in self.lists:
            raise self.fail(f"list {number}", "a list from a line above")
        return self.lists[number]

    # -- lines ------------------------------------------------------------------------------

    def _version(self, rest: str) -> None:
        assert rest.split() == [str(VERSION)], "the first line was looked at, there is no second"

    def _encoding(self, rest: str) -> None:
        (self.encoding,) = self._words(rest, 1, "the name of the encoding")

    def _game(self, rest: str) -> None:
        self.kind = self.kind_of_game(rest.split(), _KINDS)

    def _list(self, rest: str) -> None:
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

    def _move(self, rest: str) -> None:
        words = _WORD.findall(rest)
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
        chooser = Quantifier.EXISTS if player is Player.BLACK else Quantifier.FORALL
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
        code, literals = self._chosen(code, chooser), self._one_each(literals, chooser)
        stop = self.literal(pairs["stop"]) if "stop" in pairs else None
        if stop is not None:
            self.place(stop, chooser)
        self.moves.append(
            MoveTable(len(self.moves) + 1, player, moves, code, literals, legal, stop)
        )

    def _atoms(self, rest: str) -> None:
        self.one_sided = rest.endswith(" one-sided")
        rest = rest.removesuffix(" one-sided")
        word, number = self._words(rest, 2, "'list' and its number")
        if word != "list":
            raise self.fail(quoted(word), "'list'")
        self.atoms = self._texts(number)

    def _symbolic(self, rest: str) -> None:
        bits, word, number = self._words(rest, 3, "bits, 'list' and its number")
        if word != "list":
            raise self.fail(quoted(word), "'list'")
        self.places = self._texts(number)
        self.position = self._chosen(self._vector(bits, _MOST_BITS), Quantifier.FORALL)
        if len(self.places) > 1 << len(self.position):
            raise self.fail(
                f"{len(self.position)} bits for {len(self.places)} places",
                "enough bits for each place",
            )

    def _state(self, rest: str) -> None:
        time, bits = self._words(rest, 2, "the time and a bit list")
        if self.atoms is None:
            raise self.fail("a state", "a line 'atoms' above it")
        if self.number(time) != len(self.states):
            raise self.fail(f"state {time}", f"state {len(self.states)}")
        literals = self._vector(bits, len(self.atoms), zeros=True)
        if literals and len(literals) != len(self.atoms):
            raise self.fail(f"{len(literals)} literals", f"one for each of {len(self.atoms)} atoms")
        self.at[f"state {time}"] = self.line
        self.states.append(literals)

    def _verdict(self, rest: str) -> None:
        (word,) = self._words(rest, 1, f"one literal, or '{_OUTPUT}'")
        self.verdict = self.qbf.output if word == _OUTPUT else self.literal(word)

    def _conclusive(self, rest: str) -> None:
        (word,) = self._words(rest, 1, "'true' or 'false'")
        if word not in ("true", "false"):
            raise self.fail(quoted(word), "'true' or 'false'")
        self.conclusive = (word == "true",)

    def _illegal(self, rest: str) -> None:
        self.black_passes = rest.endswith(" black-passes")
        rest = rest.removesuffix(" black-passes")
        (word,) = self._words(rest, 1, "'loses', 'ignored' or 'replaced'")
        if word not in (one.value for one in IllegalMoves):
            raise self.fail(quoted(word), "'loses', 'ignored' or 'replaced'")
        self.illegal = IllegalMoves(word)

    def _gate(self, rest: str) -> None:
        word, _, name = rest.strip().partition(" ")
        if not name.strip():
            raise self.fail(quoted(rest), "a literal and a name")
        self.once(self.at, f"gate {name.strip()}")
        self.gates[name.strip()] = self.literal(word)
