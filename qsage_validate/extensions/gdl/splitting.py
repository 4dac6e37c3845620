"""Relations split by a constant, where a description is stratified only then.

``(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))`` makes the relation ``goal`` depend on its own
negation, but no fact depends on its own.  The goals of 100 become a relation ``goal_100`` as
well, and bodies that ask for ``(goal ?r 100)`` ask for that: the facts of ``goal`` stay the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from qsage_validate.extensions.gdl.dependencies import Dependencies
from qsage_validate.extensions.gdl.model import (
    Atom,
    Clause,
    Description,
    Distinct,
    Formula,
    GdlAnd,
    GdlNot,
    GdlOr,
    GdlRule,
    Ground,
    Key,
    Term,
    term_text,
    variables,
)


def split_by_constants(description: Description) -> Description:
    """The description with relations split, if that makes it stratified; else as it is.

    Raises ``InputError`` for a rule that stands for too many clauses.
    """
    found, done = description, set[tuple[Key, int]]()
    while True:
        negation = _own_negation(found)
        if negation is None:
            return found
        place = _place(found, negation)
        if place is None or (negation.key, place) in done:
            return description
        done.add((negation.key, place))
        found = _Split(found, negation.key, place).description()


def _own_negation(description: Description) -> Atom | None:
    """A negated atom whose relation depends on the rule's own relation."""
    component_of = Dependencies(description.clauses).component_of
    for clause in description.clauses:
        component = component_of[clause.head.key]
        for literal in clause.body:
            atom = literal.atom
            if not literal.positive and isinstance(atom, Atom) and atom.key in component:
                return atom
    return None


def _place(description: Description, negation: Atom) -> int | None:
    """The place of an argument that is ground in the negation and in all heads of its relation."""
    heads = [rule.head for rule in description.rules if rule.head.key == negation.key]
    for place, term in enumerate(negation.arguments):
        if _is_ground(term) and all(_is_ground(head.arguments[place]) for head in heads):
            return place
    return None


def _is_ground(term: Term) -> bool:
    return next(variables([term]), None) is None


def _of(clause: Clause) -> Iterator[str]:
    """The relations of a clause."""
    yield clause.head.relation
    yield from (one.atom.relation for one in clause.body if isinstance(one.atom, Atom))


class _Split:
    """The relation ``key`` split by its argument at ``place``."""

    def __init__(self, description: Description, key: Key, place: int) -> None:
        self._description = description
        self._key = key
        self._place = place
        self._names: dict[Ground, str] = {}
        self._taken = {
            relation.lower() for clause in description.clauses for relation in _of(clause)
        }

    def description(self) -> Description:
        """The rules with the new relations, which stand behind the rules that they copy."""
        asking = [
            replace(rule, body=tuple(map(self._asked, rule.body)))
            for rule in self._description.rules
        ]
        rules: list[GdlRule] = []
        for rule in asking:
            rules.append(rule)
            if rule.head.key == self._key:
                name = self._names.get(self._value(rule.head))
                if name is not None:
                    rules.append(replace(rule, head=self._named(rule.head, name)))
        return replace(self._description, rules=tuple(rules))

    def _value(self, atom: Atom) -> Ground:
        return atom.arguments[self._place]  # type: ignore[return-value]  # it has no variables

    def _named(self, atom: Atom, name: str) -> Atom:
        place = self._place
        return Atom(name, atom.arguments[:place] + atom.arguments[place + 1 :], atom.offset)

    def _asked(self, formula: Formula) -> Formula:
        match formula:
            case Atom() if formula.key == self._key and _is_ground(formula.arguments[self._place]):
                return self._named(formula, self._name(self._value(formula)))
            case Atom() | Distinct():
                return formula
            case GdlNot(part):
                return replace(formula, part=self._asked(part))
            case GdlAnd(parts) | GdlOr(parts):
                return replace(formula, parts=tuple(map(self._asked, parts)))

    def _name(self, value: Ground) -> str:
        if value not in self._names:
            words = "_".join(term_text(value).strip("()").split()).replace("(", "").replace(")", "")
            name = f"{self._key[0]}_{words}"
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            self._names[value] = name
        return self._names[value]
