"""What the layouts in a formula's comments have in common, whatever their version: their words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.errors import InputError
from qsage_validate.formats.source import quoted
from qsage_validate.games.model_text import ModelParts, PartLine, parts_of
from qsage_validate.games.protocol import Player

_KEYWORDS: Final = frozenset(
    (
        *("encoding", "game", "board", "actions", "move", "indicators", "goal", "symbolic"),
        *("state", "verdict", "gate", "model", "list", "atoms", "conclusive", "illegal"),
    )
)
"""The first words of layout lines, of all versions, behind the first line."""

_FIRST: Final = "qsage-layout"
_ONE_LINE: Final = frozenset(("name", "rounds", "win", "role"))
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_LITERAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,8})")
_KINDS: Final = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}


def layout_lines(qbf: Qbf) -> list[tuple[int, str]]:
    """The comments of ``qbf`` that begin with ``@``, without that: (line, text).

    The first one says the version; there are none where the comments are somebody else's.
    Raises ``InputError`` for a layout that begins with another line: it would count for nothing.
    """
    lines = [(number, content[1:].strip()) for number, content in _contents(qbf)]
    keywords = [(text.split(maxsplit=1) or [""])[0] for _, text in lines]
    if any(k in _KEYWORDS or k.startswith(_FIRST) for k in keywords):
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


class LineReader:
    """Reads the words of layout lines; ``line`` is the number of the one at hand.

    ``known`` are the variables and gates that the file has numbers for, ``by_name`` those that it
    has names for.  ``placed`` maps the variables that have a meaning already to its line.
    """

    def __init__(self, qbf: Qbf) -> None:
        self.qbf = qbf
        self.line = 0
        self.quantifiers = qbf.quantifiers()
        # Numbers that only the reader gave, to names and to clauses, mean nothing in the file.
        inner = qbf.names.keys() | set(qbf.unwritten)
        self.known = (self.quantifiers.keys() | qbf.gates.keys()) - inner
        self.by_name = {name: number for number, name in qbf.names.items()}
        self.placed: dict[int, int] = {}
        self.game: str | None = None
        self.model: dict[str, list[PartLine]] = {}
        self._comments = dict(qbf.comments)

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
            kind = "gate" if found is None else f"{_KINDS[found]} variable"
            raise self.fail(f"the {kind} {shown}", f"{_KINDS[chooser]} variables")
        self.placed[variable] = self.line

    # -- models -----------------------------------------------------------------------------

    def kind_of_game(self, words: list[str], kinds: tuple[str, ...]) -> str:
        """The kind in the line ``game``."""
        if len(words) != 1 or words[0] not in kinds:
            found = quoted(" ".join(words))
            raise self.fail(f"the kind of game {found}", " or ".join(map(repr, kinds)))
        return words[0]

    def add_model(self, rest: str) -> None:
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
        """How many characters are left of a model's line, in a comment that fills its line."""
        comment = self._comments[self.line]
        clausal = bool(self.qbf.unwritten)
        sign = len("c #") if clausal and not comment.startswith(" ") else 1
        return sign + len(comment.rstrip()) - len(text.rstrip())

    def model_parts(self, kind: str) -> ModelParts:
        """The model by part; raises the error for a part that games of this kind do not have."""
        known = parts_of(kind)
        for part, lines in self.model.items():
            if part not in known:
                expected = f"one of {', '.join(known)}"
                raise self.fail(f"the part {quoted(part)} of a model", expected, lines[0].line)
        return ModelParts.at_lines(self.model, self.qbf.path)
