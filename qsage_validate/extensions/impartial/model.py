"""The model of an impartial game, and the linear arithmetic that it is written in.

Source: the SynMS paper, section 3 (Definition 1); the semantics is in ``rules``.

``game_text`` prints a game in the published dialect; what is printed parses back to the same.

*Arithmetic*: quantifier-free, with congruences (section 2.1).  Expressions are kept as sums of
variables with integer factors, so that nothing non-linear can be said.  Formulas are immutable
and hashable; ``str`` gives the infix text that :mod:`~qsage_validate.extensions.impartial.parser`
reads.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final

from qsage_validate.formats.source import Place

# Quantifier-free linear integer arithmetic with congruences (SynMS paper, section 2.1)


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


class ImpartialFormula(ABC):
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
    def substitute(self, values: Mapping[str, Linear]) -> ImpartialFormula:
        """Put expressions for variables, all at once."""

    @abstractmethod
    def negated(self) -> ImpartialFormula:
        """The negation, with no ``ImpartialNot`` outside of atoms."""


@dataclass(frozen=True)
class Truth(ImpartialFormula):
    value: bool

    @property
    def size(self) -> int:
        return 1

    def variables(self) -> frozenset[str]:
        return frozenset()

    def holds(self, state: Mapping[str, int]) -> bool:
        return self.value

    def substitute(self, values: Mapping[str, Linear]) -> ImpartialFormula:
        return self

    def negated(self) -> ImpartialFormula:
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
class ImpartialComparison(ImpartialFormula):
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
            return ImpartialComparison(_TURNED[self.relation], self.right, self.left).fault(state)
        bound = str(self.right)
        if not self.right.is_constant:
            bound += f", which is {self.right.value(state)}"
        wanted = f"{_WANTED[self.relation]} {bound}".strip()
        return f"{self.left} is {self.left.value(state)}, and it has to be {wanted}"

    def substitute(self, values: Mapping[str, Linear]) -> ImpartialFormula:
        left, right = self.left.substitute(values), self.right.substitute(values)
        if left is self.left and right is self.right:
            return self
        simplified = ImpartialComparison(self.relation, left, right)
        if simplified.difference.is_constant:
            return Truth(compare(self.relation, simplified.difference.constant))
        return simplified

    def negated(self) -> ImpartialFormula:
        return ImpartialComparison(OPPOSITE[self.relation], self.left, self.right)

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"


def compare(relation: str, difference: int) -> bool:
    return bool(OPERATORS[relation](difference, 0))


@dataclass(frozen=True)
class Congruence(ImpartialFormula):
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

    def substitute(self, values: Mapping[str, Linear]) -> ImpartialFormula:
        expression, residue = self.expression.substitute(values), self.residue.substitute(values)
        if expression is self.expression and residue is self.residue:
            return self
        simplified = Congruence(expression, self.modulus, residue, self.holds_equal)
        if simplified.difference.is_constant:
            return Truth((simplified.difference.constant % self.modulus == 0) == self.holds_equal)
        return simplified

    def negated(self) -> ImpartialFormula:
        return Congruence(self.expression, self.modulus, self.residue, not self.holds_equal)

    def __str__(self) -> str:
        relation = "=" if self.holds_equal else "!="
        left, right = self.expression, self.residue
        if not right.is_constant:
            left, right = left - right, ZERO
        shown = str(left) if len(left.terms) == 1 and str(left).isidentifier() else f"({left})"
        return f"{shown} % {self.modulus} {relation} {right.constant % self.modulus}"


@dataclass(frozen=True)
class _Connected(ImpartialFormula):
    """Two or more parts under one connective."""

    parts: tuple[ImpartialFormula, ...]
    word: ClassVar[str]

    @cached_property
    def size(self) -> int:
        return sum(part.size for part in self.parts) + len(self.parts) - 1

    def variables(self) -> frozenset[str]:
        return frozenset[str]().union(*(part.variables() for part in self.parts))

    def substitute(self, values: Mapping[str, Linear]) -> ImpartialFormula:
        join = conjunction if isinstance(self, ImpartialAnd) else disjunction
        return join(part.substitute(values) for part in self.parts)

    def negated(self) -> ImpartialFormula:
        join = disjunction if isinstance(self, ImpartialAnd) else conjunction
        return join(part.negated() for part in self.parts)

    def __str__(self) -> str:
        shown = (f"({p})" if isinstance(p, _Connected) else str(p) for p in self.parts)
        return f" {self.word} ".join(shown)


@dataclass(frozen=True)
class ImpartialAnd(_Connected):
    """All parts hold; made by :func:`conjunction`."""

    word = "and"

    def holds(self, state: Mapping[str, int]) -> bool:
        return all(part.holds(state) for part in self.parts)

    def fault(self, state: Mapping[str, int]) -> str:
        return next((part.fault(state) for part in self.parts if not part.holds(state)), "")


@dataclass(frozen=True)
class ImpartialOr(_Connected):
    """Some part holds; made by :func:`disjunction`."""

    word = "or"

    def holds(self, state: Mapping[str, int]) -> bool:
        return any(part.holds(state) for part in self.parts)


@dataclass(frozen=True)
class ImpartialNot(ImpartialFormula):
    """The negation of a part that is no atom, as it was written."""

    part: ImpartialFormula

    @property
    def size(self) -> int:
        return self.part.size + 1

    def variables(self) -> frozenset[str]:
        return self.part.variables()

    def holds(self, state: Mapping[str, int]) -> bool:
        return not self.part.holds(state)

    def substitute(self, values: Mapping[str, Linear]) -> ImpartialFormula:
        return negation(self.part.substitute(values))

    def negated(self) -> ImpartialFormula:
        return self.part

    def __str__(self) -> str:
        return f"not ({self.part})"


def negation(part: ImpartialFormula) -> ImpartialFormula:
    """``not part``: atoms turn their sign, anything else gets a ``ImpartialNot`` around it."""
    if isinstance(part, ImpartialAnd | ImpartialOr):
        return ImpartialNot(part)
    return part.negated()


def conjunction(parts: Iterable[ImpartialFormula]) -> ImpartialFormula:
    """The ``and`` of ``parts``: flattened, without ``true`` and repetitions."""
    return _connected(ImpartialAnd, parts, TRUE)


def disjunction(parts: Iterable[ImpartialFormula]) -> ImpartialFormula:
    """The ``or`` of ``parts``: flattened, without ``false`` and repetitions."""
    return _connected(ImpartialOr, parts, FALSE)


def _connected(
    kind: type[ImpartialAnd | ImpartialOr], parts: Iterable[ImpartialFormula], neutral: Truth
) -> ImpartialFormula:
    found: dict[ImpartialFormula, None] = {}
    for part in parts:
        if part == Truth(not neutral.value):
            return part
        for inner in part.parts if isinstance(part, kind) else (part,):
            if inner != neutral:
                found[inner] = None
    if len(found) < 2:
        return next(iter(found), neutral)
    return kind(tuple(found))


def without_not(formula: ImpartialFormula) -> ImpartialFormula:
    """The same formula in negation normal form: ``ImpartialNot`` is pushed down to the atoms."""
    match formula:
        case ImpartialNot(part):
            return without_not(part.negated() if not isinstance(part, ImpartialNot) else part.part)
        case ImpartialAnd(parts):
            return conjunction(map(without_not, parts))
        case ImpartialOr(parts):
            return disjunction(map(without_not, parts))
    return formula


def prefix_text(formula: ImpartialFormula, atom: Callable[[ImpartialFormula], str]) -> str:
    """``(and …)``, ``(or …)`` and ``(not …)`` around the texts of atoms, ``true`` and ``false``."""
    match formula:
        case ImpartialAnd(parts) | ImpartialOr(parts):
            return f"({formula.word} {' '.join(prefix_text(part, atom) for part in parts)})"
        case ImpartialNot(part):
            return f"(not {prefix_text(part, atom)})"
    return atom(formula)


def atoms(formula: ImpartialFormula) -> frozenset[ImpartialFormula]:
    """The comparisons and congruences in ``formula``, as they stand there."""
    match formula:
        case ImpartialAnd(parts) | ImpartialOr(parts):
            return frozenset[ImpartialFormula]().union(*map(atoms, parts))
        case ImpartialNot(part):
            return atoms(part)
        case Truth():
            return frozenset()
    return frozenset({formula})


def constants(formula: ImpartialFormula) -> frozenset[int]:
    """The integers in ``formula``: constants of expressions, factors and moduli."""
    found: set[int] = set()
    for atom in atoms(formula):
        match atom:
            case ImpartialComparison(_, left, right):
                expressions = (left, right)
            case Congruence(expression, modulus, residue):
                expressions = (expression, residue)
                found.add(modulus)
        for expression in expressions:
            found.add(expression.constant)
            found.update(factor for _, factor in expression.terms)
    return frozenset(found)


# The typed model of an impartial game: variables, actions, legal and ending states


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunct of a precondition: its meaning, its words in the file, and where they stand."""

    formula: ImpartialFormula
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class ImpartialEffect:
    """``variable := expression`` when ``condition`` holds in the state before the action."""

    variable: str
    expression: Linear
    condition: ImpartialFormula = TRUE


@dataclass(frozen=True, slots=True)
class ImpartialAction:
    """A named action with integer parameters.

    All effects read the state before the action.  When several effects of one variable apply,
    the first of the file counts; the checks of the synthesis layer report such states.
    ``conditions`` are the conjuncts of the precondition as the file has them, if there is one.
    """

    name: str
    parameters: tuple[str, ...]
    precondition: ImpartialFormula
    effects: tuple[ImpartialEffect, ...]
    place: Place | None = field(default=None, compare=False)
    conditions: tuple[Condition, ...] = field(default=(), compare=False)

    def grounded(self, values: Mapping[str, Linear]) -> ImpartialAction:
        """The semi-ground action: expressions over the state put for all parameters."""
        missing = [name for name in self.parameters if name not in values]
        if missing:
            raise ValueError(f"found no expression for {', '.join(missing)} of {self.name}")
        effects = tuple(
            ImpartialEffect(
                e.variable, e.expression.substitute(values), e.condition.substitute(values)
            )
            for e in self.effects
        )
        return ImpartialAction(
            self.name, (), self.precondition.substitute(values), effects, self.place
        )


@dataclass(frozen=True, slots=True)
class ImpartialGame:
    """The tuple ⟨X, A, C, E⟩ of Definition 1.

    A player at an ending state, or one without an action, loses in normal play and wins in
    misère play.
    """

    name: str
    variables: tuple[str, ...]
    actions: tuple[ImpartialAction, ...]
    constraint: ImpartialFormula
    ending: ImpartialFormula
    file: str | None = field(default=None, compare=False)

    def state(self, values: tuple[int, ...]) -> dict[str, int]:
        """The values in the order of the variables, by name."""
        return dict(zip(self.variables, values, strict=True))

    def constants(self) -> frozenset[int]:
        """The integers in the file, without signs."""
        found = set(constants(self.constraint) | constants(self.ending))
        for action in self.actions:
            found |= constants(action.precondition)
            for effect in action.effects:
                found |= constants(effect.condition)
                found.add(effect.expression.constant)
                found.update(factor for _, factor in effect.expression.terms)
        return frozenset(abs(number) for number in found)


def state_text(variables: tuple[str, ...], values: tuple[int, ...]) -> str:
    """A state for people: ``v1 = 3, v2 = 0``."""
    return ", ".join(f"{n} = {v}" for n, v in zip(variables, values, strict=True))


# Up to here products are printed as the sums that the published files have.
_MAX_SUMMANDS = 16


def expression_text(expression: Linear) -> str:
    """The expression with binary ``+`` and ``-``."""
    plus: list[str] = []
    minus: list[str] = []
    for name, factor in expression.terms:
        side = plus if factor > 0 else minus
        if abs(factor) > _MAX_SUMMANDS:
            side.append(f"(* {abs(factor)} ?{name})")
        else:
            side += [f"?{name}"] * abs(factor)
    if expression.constant > 0 or not expression.terms:
        plus.append(str(expression.constant))
    elif expression.constant < 0:
        minus.append(str(-expression.constant))
    text = _sum(plus) if plus else "0"
    for part in minus:
        text = f"(- {text} {part})"
    return text


def _sum(parts: list[str]) -> str:
    text = parts[-1]
    for part in reversed(parts[:-1]):
        text = f"(+ {part} {text})"
    return text


def formula_text(formula: ImpartialFormula) -> str:
    """The formula as the dialect writes it; a constant is the empty ``(and)`` or ``(or)``."""
    return prefix_text(formula, _atom_text)


def _atom_text(formula: ImpartialFormula) -> str:
    match formula:
        case Truth(value):
            return "(and)" if value else "(or)"
        case ImpartialComparison(relation, left, right):
            return f"({relation} {expression_text(left)} {expression_text(right)})"
        case Congruence(expression, modulus, residue, equal):
            text = f"(%= {expression_text(expression)} {modulus} {expression_text(residue)})"
            return text if equal else f"(not {text})"
    raise TypeError(f"no formula: {formula!r}")


def _effect_text(effect: ImpartialEffect) -> str:
    text = f"(assign ?{effect.variable} {expression_text(effect.expression)})"
    if effect.condition == TRUE:
        return text
    return f"(when {formula_text(effect.condition)} {text})"


def _action_text(action: ImpartialAction) -> str:
    effects = [_effect_text(effect) for effect in action.effects]
    effect = effects[0] if len(effects) == 1 else f"(and {' '.join(effects)})"
    return (
        f"  (:action {action.name}\n"
        f"    :parameters ({' '.join('?' + name for name in action.parameters)})\n"
        f"    :precondition {formula_text(action.precondition)}\n"
        f"    :effect {effect})"
    )


def game_text(game: ImpartialGame) -> str:
    lines = [
        f"(define (domain {game.name})",
        f"  (:objects {' '.join('?' + name for name in game.variables)})",
        f"  (:tercondition {formula_text(game.ending)})",
        f"  (:constraint {formula_text(game.constraint)})",
        *map(_action_text, game.actions),
    ]
    return "\n".join(lines) + ")\n"
