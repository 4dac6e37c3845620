"""Rules that are only safe where they are called, as general game players accept them.

Two habits of published descriptions break the letter of the specification (every variable of a head
in a positive relation of the body) and mean one thing only.  A role may be left open in the head of
``legal``, ``goal`` or ``input``: it stands for each role.  A relation may be defined by comparisons
alone, ``(<= (apart ?x ?y) (distinct ?x ?y))``, and be called with bound arguments: such a relation
is unfolded where it is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from qsage_validate.extensions.gdl.model import (
    KEYWORDS,
    Atom,
    Clause,
    Description,
    Distinct,
    Formula,
    GdlAnd,
    GdlNot,
    GdlOr,
    GdlRule,
    Key,
    Term,
    Variable,
    variables,
)

_MOST_CONDITIONS: Final = 10_000
_OPEN_ROLES: Final = frozenset({"legal", "goal", "input"})


def unfolded(description: Description) -> Description:
    """The description with open roles bound, and without relations that are unsafe by themselves.

    Rules that stay unsafe are left as they are; the checks name them.  Raises ``InputError`` for a
    rule that stands for too many clauses.
    """
    rules = [_with_role(rule, description) for rule in description.rules]
    found = replace(description, rules=tuple(rules))
    # A pass makes the relations that call the unfolded ones ready for the next.
    while macros := _macros(found):
        left = (rule for rule in found.rules if rule.head.key not in macros)
        found = replace(found, rules=tuple(_expanded(rule, macros, found) for rule in left))
    return found


def _clauses(rule: GdlRule, description: Description) -> tuple[Clause, ...]:
    return Description((rule,), description.source).clauses


def _bound(clause: Clause) -> set[Variable]:
    return {
        variable
        for literal in clause.body
        if literal.positive and isinstance(literal.atom, Atom)
        for variable in variables(literal.atom.arguments)
    }


def _with_role(rule: GdlRule, description: Description) -> GdlRule:
    if rule.head.relation not in _OPEN_ROLES or not isinstance(rule.head.arguments[0], Variable):
        return rule
    role = rule.head.arguments[0]
    if all(role in _bound(clause) for clause in _clauses(rule, description)):
        return rule
    return replace(rule, body=(*rule.body, Atom("role", (role,), rule.head.offset)))


@dataclass(frozen=True)
class _Macro:
    """A relation's definition over its parameters: a disjunction of bodies."""

    bodies: tuple[tuple[tuple[Variable, ...], tuple[Formula, ...]], ...]

    @cached_property
    def size(self) -> int:
        """The number of atoms and comparisons of the bodies."""
        return sum(map(_count, (part for _, body in self.bodies for part in body)))

    def has_local_variables(self) -> bool:
        """True if a body has variables that the head lacks: such a body cannot be negated."""
        return any(
            not set(_variables_of(body)) <= set(parameters) for parameters, body in self.bodies
        )

    def call(self, atom: Atom, taken: set[str]) -> Formula:
        """The definition with the arguments of ``atom``; local variables get fresh names."""
        parts = []
        for parameters, body in self.bodies:
            values: dict[Variable, Term] = dict(zip(parameters, atom.arguments, strict=True))
            for local in dict.fromkeys(_variables_of(body)):
                if local not in values:
                    values[local] = Variable(_fresh(local.name, taken))
            parts.append(GdlAnd(tuple(_put(part, values) for part in body), atom.offset))
        return GdlOr(tuple(parts), atom.offset)


def _fresh(name: str, taken: set[str]) -> str:
    number = 1
    while f"{name}_{number}" in taken:
        number += 1
    taken.add(f"{name}_{number}")
    return f"{name}_{number}"


def _macros(description: Description) -> Mapping[Key, _Macro]:
    """The relations that are unsafe by themselves and can be unfolded, by name and arity."""
    rules: dict[Key, list[GdlRule]] = {}
    for rule in description.rules:
        rules.setdefault(rule.head.key, []).append(rule)
    found: dict[Key, _Macro] = {}
    for key, own in rules.items():
        if key[0] in KEYWORDS or not any(_is_open(rule, description) for rule in own):
            continue
        bodies = []
        for rule in own:
            parameters = tuple(a for a in rule.head.arguments if isinstance(a, Variable))
            if len(set(parameters)) != key[1] or not rule.body:
                break
            bodies.append((parameters, rule.body))
        else:
            found[key] = _Macro(tuple(bodies))
    calls = _negative_calls(description)
    plain = {k: m for k, m in found.items() if not (calls[k] and m.has_local_variables())}
    # Relations that call themselves, or one another, are left to the checks.
    return {
        key: macro
        for key, macro in plain.items()
        if not any(
            atom.key in plain
            for _, body in macro.bodies
            for part in body
            for atom, _ in _atoms(part, positive=True)
        )
    }


def _is_open(rule: GdlRule, description: Description) -> bool:
    """True if a variable of the head is in no positive relation of the body."""
    head = set(variables(rule.head.arguments))
    return any(not head <= _bound(clause) for clause in _clauses(rule, description))


def _negative_calls(description: Description) -> Counter[Key]:
    return Counter(
        atom.key
        for rule in description.rules
        for part in rule.body
        for atom, positive in _atoms(part, positive=True)
        if not positive
    )


def _atoms(formula: Formula, *, positive: bool) -> Iterator[tuple[Atom, bool]]:
    match formula:
        case Atom():
            yield formula, positive
        case GdlNot(part):
            yield from _atoms(part, positive=not positive)
        case GdlAnd(parts) | GdlOr(parts):
            for part in parts:
                yield from _atoms(part, positive=positive)


def _count(formula: Formula) -> int:
    match formula:
        case GdlNot(part):
            return _count(part)
        case GdlAnd(parts) | GdlOr(parts):
            return sum(map(_count, parts))
    return 1


def _variables_of(formulas: Sequence[Formula]) -> Iterator[Variable]:
    for formula in formulas:
        match formula:
            case Atom(_, arguments):
                yield from variables(arguments)
            case Distinct(left, right):
                yield from variables((left, right))
            case GdlNot(part):
                yield from _variables_of((part,))
            case GdlAnd(parts) | GdlOr(parts):
                yield from _variables_of(parts)


def _expanded(rule: GdlRule, macros: Mapping[Key, _Macro], description: Description) -> GdlRule:
    calls = [
        macros[atom.key]
        for part in rule.body
        for atom, _ in _atoms(part, positive=True)
        if atom.key in macros
    ]
    if not calls:
        return rule
    if sum(macro.size for macro in calls) > _MOST_CONDITIONS:
        raise description.source.error(
            rule.offset,
            f"a rule that stands for more than {_MOST_CONDITIONS:,} conditions",
            "relations that are bound where they are defined",
        )
    taken = {v.name for v in (*variables(rule.head.arguments), *_variables_of(rule.body))}

    def expand(formula: Formula) -> Formula:
        match formula:
            case Atom() if formula.key in macros:
                return macros[formula.key].call(formula, taken)
            case GdlNot(part):
                return replace(formula, part=expand(part))
            case GdlAnd(parts) | GdlOr(parts):
                return replace(formula, parts=tuple(map(expand, parts)))
        return formula

    return replace(rule, body=tuple(map(expand, rule.body)))


def _put(formula: Formula, values: Mapping[Variable, Term]) -> Formula:
    def term(one: Term) -> Term:
        if isinstance(one, Variable):
            return values.get(one, one)
        return (one[0], *map(term, one[1:])) if isinstance(one, tuple) else one

    match formula:
        case Atom(_, arguments):
            return replace(formula, arguments=tuple(map(term, arguments)))
        case Distinct(left, right):
            return replace(formula, left=term(left), right=term(right))
        case GdlNot(part):
            return replace(formula, part=_put(part, values))
        case GdlAnd(parts) | GdlOr(parts):
            return replace(formula, parts=tuple(_put(part, values) for part in parts))
