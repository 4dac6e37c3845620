"""Words of a layout's lines: numbers, literals, bit lists, the one place of each variable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.errors import InputError
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import Player

CHOOSERS: Final = {Player.BLACK: Quantifier.EXISTS, Player.WHITE: Quantifier.FORALL}
"""How the variables of a player's moves are quantified."""

_WORD: Final = re.compile(r"\[[^\]]*\]|\S+")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_LITERAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,8})")
_SIGNED: Final = r"(0|-?[1-9][0-9]{0,8})"
_RANGE: Final = re.compile(rf"{_SIGNED}\.\.{_SIGNED}(?:/([1-9][0-9]{{0,8}}))?")
_TIMES: Final = re.compile(rf"{_SIGNED}\*([1-9][0-9]{{0,8}})")
_QUANTIFIED: Final = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}


def words_of(text: str) -> list[str]:
    """The words of a line; a bit list is one."""
    return _WORD.findall(text)


class LineReader:
    """Reads the words of layout lines; ``line`` is the number of the one at hand.

    ``known`` are the variables and gates that the file has numbers for, ``by_name`` those that it
    has names for.  ``placed`` maps the variables that have a meaning already to its line.
    """

    def __init__(self, qbf: Qbf) -> None:
        self.qbf = qbf
        self.line = 0
        self.quantifiers = qbf.quantifiers()
        self.known = (self.quantifiers.keys() | qbf.gates.keys()) - qbf.without_text
        self.by_name = {name: number for number, name in qbf.names.items()}
        self.placed: dict[int, int] = {}

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
        number = self.by_name.get(word.removeprefix("-"))
        return number if number is None or not word.startswith("-") else -number

    def known_literal(self, literal: int) -> int:
        """A literal, if the file has a variable or gate of this number."""
        if abs(literal) not in self.known:
            raise self.fail(f"literal {literal}", "a variable or gate of the file")
        return literal

    def player(self, word: str) -> Player:
        if word not in ("black", "white"):
            raise self.fail(quoted(word), "'black' or 'white'")
        return Player(word)

    def vector(self, word: str, most: int, *, zeros: bool = False) -> Bits:
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

    def count(self, words: Sequence[str], count: int, expected: str) -> Sequence[str]:
        if len(words) != count:
            raise self.fail(f"{len(words)} values", expected)
        return words

    def pairs(
        self, words: Sequence[str], required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, str]:
        """``key value`` pairs; all of ``required`` must be there, once, and nothing unknown."""
        if len(words) % 2:
            raise self.fail(quoted(" ".join(words)), "pairs of a key and a value")
        keys = words[::2]
        found = dict(zip(keys, words[1::2], strict=True))
        missing = [key for key in required if key not in found]
        unknown = [key for key in found if key not in (*required, *optional)]
        if missing or unknown or len(found) < len(keys):
            expected = f"keys {', '.join((*required, *optional))}"
            raise self.fail(f"keys {', '.join(keys) or 'none'}", expected)
        return found

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
