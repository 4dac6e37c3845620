"""Quantifier-free linear integer arithmetic with congruences (SynMS paper, section 2.1).

Expressions are kept as sums of variables with integer factors, so that nothing non-linear can
be said.  Formulas are immutable and hashable; ``str`` gives the infix text that
:mod:`~qsage_validate.extensions.impartial.infix` reads.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final


@dataclass(frozen=True)
class Linear:
    """``Σ factor * variable + constant``; the terms are sorted by name, no factor is 0."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    @classmethod
    def of(cls, terms: Mapping[str, int], constant: int = 0) -> Linear:
        """The sum of ``factor * name`` over ``terms``, plus ``constant``."""
        return cls(tuple(sorted((n, a) for n, a in terms.items() if a)), constant)

    @classmethod
    def variable(cls, name: str) -> Linear:
        """The variable ``name`` alone."""
        return cls(((name, 1),))

    def __add__(self, other: Linear | int) -> Linear:
        if isinstance(other, int):
            return Linear(self.terms, self.constant + other)
        terms = dict(self.terms)
        for name, factor in other.terms:
            terms[name] = terms.get(name, 0) + factor
        return Linear.of(terms, self.constant + other.constant)

    def __neg__(self) -> Linear:
        return self.scaled(-1)

    def __sub__(self, other: Linear | int) -> Linear:
        return self + (-other)

    def scaled(self, factor: int) -> Linear:
        """This expression times an integer."""
        return Linear.of({n: a * factor for n, a in self.terms}, self.constant * factor)

    @property
    def is_constant(self) -> bool:
        return not self.terms

    def variables(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.terms)

    def value(self, state: Mapping[str, int]) -> int:
        """The integer that this is in ``state``."""
        return sum(factor * state[name] for name, factor in self.terms) + self.constant

    def substitute(self, values: Mapping[str, Linear]) -> Linear:
        """Put expressions for variables, all at once."""
        if not any(name in values for name, _ in self.terms):
            return self
        terms: dict[str, int] = {}
        constant = self.constant
        for name, factor in self.terms:
            put = values.get(name)
            if put is None:
                terms[name] = terms.get(name, 0) + factor
                continue
            constant += factor * put.constant
            for inner, inner_factor in put.terms:
                terms[inner] = terms.get(inner, 0) + factor * inner_factor
        return Linear.of(terms, constant)

    @property
    def size(self) -> int:
        """Occurrences of integers, variables and connectives; ``3*v`` counts as v + v + v."""
        operands = sum(abs(factor) for _, factor in self.terms)
        operands += bool(self.constant) or not self.terms
        # A sum of nothing but negative terms needs a 0 to be subtracted from.
        negative = not any(a > 0 for _, a in self.terms) and self.constant < 0 and self.terms
        return 2 * operands - 1 + 2 * bool(negative)

    def __str__(self) -> str:
        parts = sorted(self.terms, key=lambda term: term[1] < 0)
        text = ""
        for name, factor in parts:
            times = name if abs(factor) == 1 else f"{abs(factor)}*{name}"
            if not text:
                text = times if factor > 0 else f"-{times}"
            else:
                text += f" {'+' if factor > 0 else '-'} {times}"
        if not text:
            return str(self.constant)
        if self.constant:
            text += f" {'+' if self.constant > 0 else '-'} {abs(self.constant)}"
        return text


ZERO: Final = Linear()


class Formula(ABC):
    """The common interface of all formulas."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Occurrences of integers, variables and connectives.

        A derived sign (``!=``, ``>``, ``>=``, a negated congruence) counts as one connective.
        """

    @abstractmethod
    def variables(self) -> frozenset[str]:
        """The free variables (all are: there are no quantifiers)."""

    @abstractmethod
    def holds(self, state: Mapping[str, int]) -> bool:
        """The truth value in ``state``, which gives every variable a value."""

    def fault(self, state: Mapping[str, int]) -> str:
        """The sentence on what is false in ``state``; empty where the formula says it best."""
        return ""

    @abstractmethod
    def substitute(self, values: Mapping[str, Linear]) -> Formula:
        """Put expressions for variables, all at once."""

    @abstractmethod
    def negated(self) -> Formula:
        """The negation, with no ``Not`` outside of atoms."""


@dataclass(frozen=True)
class Truth(Formula):
    """``true`` or ``false``."""

    value: bool

    @property
    def size(self) -> int:
        return 1

    def variables(self) -> frozenset[str]:
        return frozenset()

    def holds(self, state: Mapping[str, int]) -> bool:
        return self.value

    def substitute(self, values: Mapping[str, Linear]) -> Formula:
        return self

    def negated(self) -> Formula:
        return Truth(not self.value)

    def __str__(self) -> str:
        return "true" if self.value else "false"


TRUE: Final = Truth(True)
FALSE: Final = Truth(False)

OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""The meaning of each relation, for integers and for arrays of integers."""

_TURNED: Final = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The relation of the sides when they are exchanged."""

_WANTED: Final = {
    "=": "",
    "!=": "other than",
    "<": "less than",
    "<=": "at most",
    ">": "more than",
    ">=": "at least",
}

OPPOSITE: Final = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", "<=": ">", ">": "<="}


@dataclass(frozen=True)
class Comparison(Formula):
    """``left relation right``; the relation is ``=``, ``!=``, ``<``, ``<=``, ``>`` or ``>=``."""

    relation: str
    left: Linear
    right: Linear = ZERO

    @property
    def size(self) -> int:
        return self.left.size + self.right.size + 1

    @cached_property
    def difference(self) -> Linear:
        """``left - right``, which stands in the same relation to 0."""
        return self.left - self.right

    def variables(self) -> frozenset[str]:
        return self.left.variables() | self.right.variables()

    def holds(self, state: Mapping[str, int]) -> bool:
        return compare(self.relation, self.difference.value(state))

    def fault(self, state: Mapping[str, int]) -> str:
        if self.left.is_constant:
            if self.right.is_constant:
                return ""
            return Comparison(_TURNED[self.relation], self.right, self.left).fault(state)
        bound = str(self.right)
        if not self.right.is_constant:
            bound += f", which is {self.right.value(state)}"
        wanted = f"{_WANTED[self.relation]} {bound}".strip()
        return f"{self.left} is {self.left.value(state)}, and it has to be {wanted}"

    def substitute(self, values: Mapping[str, Linear]) -> Formula:
        left, right = self.left.substitute(values), self.right.substitute(values)
        if left is self.left and right is self.right:
            return self
        simplified = Comparison(self.relation, left, right)
        if simplified.difference.is_constant:
            return Truth(compare(self.relation, simplified.difference.constant))
        return simplified

    def negated(self) -> Formula:
        return Comparison(OPPOSITE[self.relation], self.left, self.right)

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"


def compare(relation: str, difference: int) -> bool:
    """True if ``difference relation 0`` holds."""
    return bool(OPERATORS[relation](difference, 0))


@dataclass(frozen=True)
class Congruence(Formula):
    """``expression ≡ residue (mod modulus)``, or its negation; the modulus is positive."""

    expression: Linear
    modulus: int
    residue: Linear = ZERO
    holds_equal: bool = True

    def __post_init__(self) -> None:
        if self.modulus < 1:
            raise ValueError(f"found the modulus {self.modulus}, expected a positive one")

    @property
    def size(self) -> int:
        return self.expression.size + self.residue.size + 2

    @cached_property
    def difference(self) -> Linear:
        """``expression - residue``, with factors and constant reduced to ``0 .. modulus - 1``."""
        whole, m = self.expression - self.residue, self.modulus
        return Linear.of({n: a % m for n, a in whole.terms}, whole.constant % m)

    def variables(self) -> frozenset[str]:
        return self.expression.variables() | self.residue.variables()

    def holds(self, state: Mapping[str, int]) -> bool:
        return (self.difference.value(state) % self.modulus == 0) == self.holds_equal

    def substitute(self, values: Mapping[str, Linear]) -> Formula:
        expression, residue = self.expression.substitute(values), self.residue.substitute(values)
        if expression is self.expression and residue is self.residue:
            return self
        simplified = Congruence(expression, self.modulus, residue, self.holds_equal)
        if simplified.difference.is_constant:
            return Truth((simplified.difference.constant % self.modulus == 0) == self.holds_equal)
        return simplified

    def negated(self) -> Formula:
        return Congruence(self.expression, self.modulus, self.residue, not self.holds_equal)

    def __str__(self) -> str:
        relation = "=" if self.holds_equal else "!="
        left, right = self.expression, self.residue
        if not right.is_constant:
            left, right = left - right, ZERO
        shown = str(left) if len(left.terms) == 1 and str(left).isidentifier() else f"({left})"
        return f"{shown} % {self.modulus} {relation} {right.constant % self.modulus}"


@dataclass(frozen=True)
class _Connected(Formula):
    """Two or more parts under one connective."""

    parts: tuple[Formula, ...]
    word: ClassVar[str]

    @cached_property
    def size(self) -> int:
        return sum(part.size for part in self.parts) + len(self.parts) - 1

    def variables(self) -> frozenset[str]:
        return frozenset[str]().union(*(part.variables() for part in self.parts))

    def substitute(self, values: Mapping[str, Linear]) -> Formula:
        join = conjunction if isinstance(self, And) else disjunction
        return join(part.substitute(values) for part in self.parts)

    def negated(self) -> Formula:
        join = disjunction if isinstance(self, And) else conjunction
        return join(part.negated() for part in self.parts)

    def __str__(self) -> str:
        shown = (f"({p})" if isinstance(p, _Connected) else str(p) for p in self.parts)
        return f" {self.word} ".join(shown)


@dataclass(frozen=True)
class And(_Connected):
    """All parts hold; made by :func:`conjunction`."""

    word = "and"

    def holds(self, state: Mapping[str, int]) -> bool:
        return all(part.holds(state) for part in self.parts)

    def fault(self, state: Mapping[str, int]) -> str:
        return next((part.fault(state) for part in self.parts if not part.holds(state)), "")


@dataclass(frozen=True)
class Or(_Connected):
    """Some part holds; made by :func:`disjunction`."""

    word = "or"

    def holds(self, state: Mapping[str, int]) -> bool:
        return any(part.holds(state) for part in self.parts)


@dataclass(frozen=True)
class Not(Formula):
    """The negation of a part that is no atom, as it was written."""

    part: Formula

    @property
    def size(self) -> int:
        return self.part.size + 1

    def variables(self) -> frozenset[str]:
        return self.part.variables()

    def holds(self, state: Mapping[str, int]) -> bool:
        return not self.part.holds(state)

    def substitute(self, values: Mapping[str, Linear]) -> Formula:
        return negation(self.part.substitute(values))

    def negated(self) -> Formula:
        return self.part

    def __str__(self) -> str:
        return f"not ({self.part})"


def negation(part: Formula) -> Formula:
    """``not part``: atoms turn their sign, anything else gets a ``Not`` around it."""
    if isinstance(part, And | Or):
        return Not(part)
    return part.negated()


def conjunction(parts: Iterable[Formula]) -> Formula:
    """The ``and`` of ``parts``: flattened, without ``true`` and repetitions."""
    return _connected(And, parts, TRUE)


def disjunction(parts: Iterable[Formula]) -> Formula:
    """The ``or`` of ``parts``: flattened, without ``false`` and repetitions."""
    return _connected(Or, parts, FALSE)


def _connected(kind: type[And | Or], parts: Iterable[Formula], neutral: Truth) -> Formula:
    found: dict[Formula, None] = {}
    for part in parts:
        if part == Truth(not neutral.value):
            return part
        for inner in part.parts if isinstance(part, kind) else (part,):
            if inner != neutral:
                found[inner] = None
    if len(found) < 2:
        return next(iter(found), neutral)
    return kind(tuple(found))


def without_not(formula: Formula) -> Formula:
    """The same formula with every ``Not`` pushed down to the atoms (negation normal form)."""
    match formula:
        case Not(part):
            return without_not(part.negated() if not isinstance(part, Not) else part.part)
        case And(parts):
            return conjunction(map(without_not, parts))
        case Or(parts):
            return disjunction(map(without_not, parts))
    return formula


def prefix_text(formula: Formula, atom: Callable[[Formula], str]) -> str:
    """``(and …)``, ``(or …)`` and ``(not …)`` around the texts of atoms, ``true`` and ``false``."""
    match formula:
        case And(parts) | Or(parts):
            return f"({formula.word} {' '.join(prefix_text(part, atom) for part in parts)})"
        case Not(part):
            return f"(not {prefix_text(part, atom)})"
    return atom(formula)


def atoms(formula: Formula) -> frozenset[Formula]:
    """The comparisons and congruences in ``formula``, as they stand there."""
    match formula:
        case And(parts) | Or(parts):
            return frozenset[Formula]().union(*map(atoms, parts))
        case Not(part):
            return atoms(part)
        case Truth():
            return frozenset()
    return frozenset({formula})


def constants(formula: Formula) -> frozenset[int]:
    """The integers in ``formula``: constants of expressions, factors and moduli."""
    found: set[int] = set()
    for atom in atoms(formula):
        match atom:
            case Comparison(_, left, right):
                expressions = (left, right)
            case Congruence(expression, modulus, residue):
                expressions = (expression, residue)
                found.add(modulus)
        for expression in expressions:
            found.add(expression.constant)
            found.update(factor for _, factor in expression.terms)
    return frozenset(found)
