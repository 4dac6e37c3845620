"""Lines of a layout, one by one: what both versions of them have, and where a line is wrong."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.errors import InputError
from qsage_validate.formats.source import quoted
from qsage_validate.games.model_text import ModelParts, PartLine, parts_of
from qsage_validate.games.protocol import Player

FIRST: Final = "qsage-layout"
"""The keyword of the first line, which says the version."""

CHOOSERS: Final = {Player.BLACK: Quantifier.EXISTS, Player.WHITE: Quantifier.FORALL}
"""How the variables of a player's moves are quantified."""

_ONE_LINE: Final = frozenset(("name", "rounds", "win", "role"))
_WORD: Final = re.compile(r"\[[^\]]*\]|\S+")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_LITERAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,8})")
_QUANTIFIED: Final = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}


class LineReader(ABC):
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
        self.known = (self.quantifiers.keys() | qbf.gates.keys()) - qbf.without_text
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
            if keyword not in (FIRST, *self.keywords):
                expected = f"one of {', '.join((FIRST, *self.keywords))}"
                raise self.fail(f"layout keyword {quoted(keyword)}", expected)
            name = "version" if keyword == FIRST else keyword
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
