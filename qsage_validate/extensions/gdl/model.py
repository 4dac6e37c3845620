"""The typed model of a game in GDL, and its rules as normal clauses.

Source: He, Saffidine and Thielscher 2024, section 2.1; the language is that of Love et al.,
"General Game Playing: Game Description Language Specification".  The semantics is in
``machine``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from os.path import basename
from typing import Final, TypeAlias

from qsage_validate.errors import visible
from qsage_validate.formats.source import Source


@dataclass(frozen=True, slots=True, order=True)
class Variable:
    """A variable; ``name`` is without the question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


Ground: TypeAlias = "str | tuple[Ground, ...]"
"""A ground term: a constant, or a functor with its arguments as a tuple.

Plain values, because a play looks at very many of them.
"""

Term: TypeAlias = "Variable | str | tuple[Term, ...]"
"""A term; a function term is a tuple with the functor first."""

KEYWORDS: Final[Mapping[str, int]] = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "legal": 2,
    "does": 2,
    "terminal": 0,
    "goal": 2,
    "input": 2,
    "base": 1,
}
"""The relations that have a meaning of their own, with their numbers of arguments (Table 1)."""

_WIDTH: Final = 100
MAX_CLAUSES: Final = 4096
"""No rule may stand for more normal clauses than this (each ``or`` multiplies)."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation with its arguments; ``offset`` is where it begins in the file."""

    relation: str
    arguments: tuple[Term, ...] = ()
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        if not self.arguments:
            return self.relation
        return f"({' '.join((self.relation, *map(term_text, self.arguments)))})"

    @property
    def key(self) -> Key:
        """Relations of one name and different numbers of arguments are different."""
        return self.relation, len(self.arguments)


Key: TypeAlias = "tuple[str, int]"
"""The key of a relation: its name and its number of arguments."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """``(distinct left right)``: the terms are syntactically different."""

    left: Term
    right: Term
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"(distinct {term_text(self.left)} {term_text(self.right)})"


@dataclass(frozen=True, slots=True)
class GdlNot:
    """``(not part)``."""

    part: Formula
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"(not {self.part})"


@dataclass(frozen=True, slots=True)
class GdlAnd:
    """``(and part ...)``."""

    parts: tuple[Formula, ...]
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"({' '.join(('and', *map(str, self.parts)))})"


@dataclass(frozen=True, slots=True)
class GdlOr:
    """``(or part ...)``."""

    parts: tuple[Formula, ...]
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"({' '.join(('or', *map(str, self.parts)))})"


Formula: TypeAlias = "Atom | Distinct | GdlNot | GdlAnd | GdlOr"


@dataclass(frozen=True, slots=True)
class GdlRule:
    """``(<= head body ...)``, or a fact when there is no body."""

    head: Atom
    body: tuple[Formula, ...] = ()
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        if not self.body:
            return str(self.head)
        return f"({' '.join(('<=', str(self.head), *map(str, self.body)))})"

    def text(self) -> str:
        """The rule on several lines where it is long."""
        line = str(self)
        if len(line) <= _WIDTH:
            return line
        return "\n    ".join((f"(<= {self.head}", *map(str, self.body))) + ")"


@dataclass(frozen=True, slots=True)
class GdlLiteral:
    """An atom or a comparison of two terms, or its negation; part of a normal clause."""

    atom: Atom | Distinct
    positive: bool = True

    def __str__(self) -> str:
        return str(self.atom) if self.positive else f"(not {self.atom})"


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule without ``or`` and ``and``; ``rule`` is the rule of the file that it is part of."""

    head: Atom
    body: tuple[GdlLiteral, ...]
    rule: GdlRule


@dataclass(frozen=True)
class Description:
    """A game description: its rules in the order of the file."""

    rules: tuple[GdlRule, ...]
    source: Source = field(compare=False, default_factory=lambda: Source(""))

    @property
    def name(self) -> str:
        """The file's name without its ending, for people."""
        return visible(basename(self.source.path or "game").rsplit(".", 1)[0])

    def text(self) -> str:
        """The description in KIF, which parses back; comments of the file are not kept."""
        return "".join(f"{rule.text()}\n" for rule in self.rules)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The rules as normal clauses (disjunctive normal form of the bodies).

        Raises ``InputError`` for a rule that stands for too many.
        """
        return tuple(clause for rule in self.rules for clause in self._clauses_of(rule))

    def _clauses_of(self, rule: GdlRule) -> Iterator[Clause]:
        count = 1
        for part in rule.body:
            count *= _size(part, positive=True)
            if count > MAX_CLAUSES:
                raise self.source.error(
                    rule.offset,
                    f"a rule that stands for more than {MAX_CLAUSES:,} clauses",
                    "fewer 'or' in one rule",
                )
        for bodies in product(*(_normal(part, positive=True) for part in rule.body)):
            body = tuple(dict.fromkeys(literal for part in bodies for literal in part))
            yield Clause(rule.head, body, rule)


def _size(formula: Formula, *, positive: bool) -> int:
    """The number of conjunctions in the formula's disjunctive normal form."""
    match formula:
        case GdlNot(part):
            return _size(part, positive=not positive)
        case GdlAnd(parts) | GdlOr(parts):
            sizes = [_size(part, positive=positive) for part in parts]
            if isinstance(formula, GdlOr) is positive:
                return sum(sizes)
            total = 1
            for size in sizes:
                total = min(total * size, MAX_CLAUSES + 1)
            return total
    return 1


def _normal(formula: Formula, *, positive: bool) -> list[tuple[GdlLiteral, ...]]:
    """The conjunctions whose disjunction the formula (or its negation) is."""
    match formula:
        case Atom() | Distinct():
            return [(GdlLiteral(formula, positive),)]
        case GdlNot(part):
            return _normal(part, positive=not positive)
        case GdlAnd(parts) | GdlOr(parts):
            normal = [_normal(part, positive=positive) for part in parts]
            if isinstance(formula, GdlOr) is positive:
                return [conjunction for part in normal for conjunction in part]
            return [
                tuple(literal for conjunction in choice for literal in conjunction)
                for choice in product(*normal)
            ]


def variables(terms: Iterable[Term]) -> Iterator[Variable]:
    """The variables of terms, from left to right, each as often as it occurs."""
    for term in terms:
        if isinstance(term, Variable):
            yield term
        elif isinstance(term, tuple):
            yield from variables(term[1:])


def arguments_of(atom: Atom | Distinct) -> tuple[Term, ...]:
    """The arguments of an atom, or the two sides of a comparison."""
    return atom.arguments if isinstance(atom, Atom) else (atom.left, atom.right)


def term_text(term: Term) -> str:
    """A term as it stands in a file: ``(cell 1 ?y b)``."""
    if isinstance(term, tuple):
        return f"({' '.join(map(term_text, term))})"
    return str(term)


def term_order(term: Ground) -> tuple[object, ...]:
    """A sort key of ground terms: numbers by value, before words, before function terms."""
    if isinstance(term, tuple):
        return (2, str(term[0]), len(term), *(term_order(part) for part in term[1:]))
    return (0, int(term), term) if _is_number(term) else (1, term)


def _is_number(word: str) -> bool:
    # Python refuses to convert very long ones.
    return word.isascii() and word.isdigit() and len(word) <= 1000
