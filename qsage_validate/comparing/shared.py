"""The variables that two formulas have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.source import Source, quoted

_ITEM = re.compile(r"[^\s,]+")


@dataclass(frozen=True, slots=True)
class Shared:
    """The first formula's variable for each shared one of the second; ``source`` says why."""

    first_of: Mapping[int, int]
    source: str

    def reversed(self) -> Shared:
        """The same with the formulas exchanged."""
        return Shared({a: b for b, a in self.first_of.items()}, self.source)


def read_shared(path: str, first: Qbf, second: Qbf) -> Shared:
    """The variables that a file lists: names that mean one in both, or pairs ``5=17``.

    Blanks and commas separate them; what follows ``#`` on a line is a comment.  Raises
    ``InputError`` for names that a formula does not quantify, for variables of one player in the
    first and of the other in the second, and for variables that are listed twice.
    """
    source = Source.open(path)
    source.check_not_empty("shared variables")
    numbers = [_numbers(first), _numbers(second)]
    quantifiers = [first.quantifiers(), second.quantifiers()]
    found: dict[int, int] = {}
    for offset, text in _items(source):
        names = text.split("=")
        if len(names) > 2 or "" in names:
            raise source.error(offset, quoted(text), "a variable or a pair, 5=17")
        pair: list[int] = []
        ends, formulas = (names[0], names[-1]), ("first", "second")
        for name, known, which in zip(ends, numbers, formulas, strict=True):
            if name not in known:
                expected = f"a variable that the {which} formula quantifies"
                raise source.error(offset, quoted(name), expected)
            pair.append(known[name])
        sides = [of[v].value for of, v in zip(quantifiers, pair, strict=True)]
        if sides[0] != sides[1]:
            what = f"{quoted(text)}, which is of {sides[0]} in the first formula and of {sides[1]}"
            raise source.error(offset, f"{what} in the second", "a variable of one player in both")
        if pair[1] in found or pair[0] in found.values():
            raise source.error(offset, f"{quoted(text)} again", "each variable once")
        found[pair[1]] = pair[0]
    if not found:
        raise InputError(source.path or path, 1, 1, "no variable", "shared variables")
    noun = "variable" if len(found) == 1 else "variables"
    return Shared(found, f"{len(found)} {noun} of {source.path or path}")


def shared_names(first: Qbf, second: Qbf) -> Shared:
    """The variables of one player that have one name in both formulas; raises ``UsageError``."""
    known, quantifiers = _numbers(first), first.quantifiers()
    own = second.quantifiers()
    found = {
        v: known[name]
        for name, v in _numbers(second).items()
        if name in known and quantifiers[known[name]] is own[v]
    }
    if not found:
        raise UsageError("the formulas share no names: list the variables in a file (--shared)")
    noun = "variable of equal name" if len(found) == 1 else "variables of equal names"
    return Shared(found, f"{len(found)} {noun}")


def _numbers(formula: Qbf) -> dict[str, int]:
    quantified = formula.quantifiers()
    return {text: v for text, v in formula.by_text().items() if v in quantified}


def _items(source: Source) -> Iterator[tuple[int, str]]:
    for _, start, line in source.lines():
        for match in _ITEM.finditer(line.partition("#")[0]):
            yield start + match.start(), match.group()
