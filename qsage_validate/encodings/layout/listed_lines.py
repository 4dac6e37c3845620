"""Version 2 of the lines of a layout: each ply lists its moves, and each state its atoms.

Texts that many lines mean, the moves of plies and the atoms of states, are written once, and runs
of literals in short, so that a game of 361 positions and plies takes some ten kilobytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Final

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier
from qsage_validate.encodings.layout.codings import Bits, Number
from qsage_validate.encodings.layout.layout import IllegalMoves, Layout, Ply, StateView, listed
from qsage_validate.encodings.layout.line_reader import CHOOSERS, FIRST, LineReader
from qsage_validate.formats.source import quoted

_MOST_BITS: Final = 64
_BARE: Final = re.compile(r"[!#-Z\\^-~]+")
_TEXT: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^\s"]+)')
_OUTPUT: Final = "output"
_SIGNED: Final = r"(0|-?[1-9][0-9]{0,8})"
_RANGE: Final = re.compile(rf"{_SIGNED}\.\.{_SIGNED}(?:/([1-9][0-9]{{0,8}}))?")
_TIMES: Final = re.compile(rf"{_SIGNED}\*([1-9][0-9]{{0,8}})")


def listed_lines(layout: Layout, output: int | None) -> Iterator[str]:
    """The lines of a layout; a verdict that is ``output`` is called that, and not by its number."""
    yield f"{FIRST} 2"
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


class ListedReader(LineReader):
    """Reads version 2; errors as in ``layout_from_comments``."""

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
        chooser = CHOOSERS[player]
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
