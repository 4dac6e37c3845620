"""Why a move is not legal: the legal rule that comes nearest, and its condition that fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qsage_validate.games.gdl.datalog import View
from qsage_validate.games.gdl.model import (
    Atom,
    Clause,
    Ground,
    Literal,
    Term,
    Variable,
    arguments_of,
    term_text,
    variables,
)

Values = dict[Variable, Ground]


@dataclass(frozen=True, slots=True)
class Failure:
    """A clause whose head fits, the condition at which it fails, and its values there.

    ``index`` is the number, from 0, of the condition among those of the clause.
    """

    clause: Clause
    literal: Literal
    index: int
    values: Values

    @property
    def shown(self) -> str:
        """The condition with the values put in: ``(columnOpen 2)``."""
        atom = self.literal.atom
        terms = [term_text(replaced(term, self.values)) for term in arguments_of(atom)]
        name = atom.relation if isinstance(atom, Atom) else "distinct"
        text = f"({' '.join([name, *terms])})" if terms else name
        return text if self.literal.positive else f"(not {text})"


def why_not(view: View, clauses: Sequence[Clause], fact: tuple[Ground, ...]) -> Failure | None:
    """The failure that comes latest in its clause; ``None`` when no head fits ``fact``.

    ``clauses`` are those of a relation in which ``fact`` does not hold.
    """
    best: Failure | None = None
    for clause in clauses:
        for values in matches(clause.head.arguments, fact, {}):
            failure = _furthest(view, clause, 0, values)
            if failure is not None and (best is None or failure.index > best.index):
                best = failure
    return best


def replaced(term: Term, values: Values) -> Term:
    """The term with the values that are known put in."""
    if isinstance(term, Variable):
        return values.get(term, term)
    return tuple(replaced(part, values) for part in term) if isinstance(term, tuple) else term


def matches(terms: Sequence[Term], fact: tuple[Ground, ...], values: Values) -> Iterator[Values]:
    """The values under which terms are a fact: none or one."""
    found = dict(values)
    if all(_match(term, ground, found) for term, ground in zip(terms, fact, strict=True)):
        yield found


def _match(term: Term, ground: Ground, values: Values) -> bool:
    if isinstance(term, Variable):
        return values.setdefault(term, ground) == ground
    if isinstance(term, tuple):
        return (
            isinstance(ground, tuple)
            and len(term) == len(ground)
            and all(_match(t, g, values) for t, g in zip(term, ground, strict=True))
        )
    return term == ground


def _furthest(view: View, clause: Clause, index: int, values: Values) -> Failure | None:
    """The latest failure from a condition on; ``None`` when the conditions hold."""
    if index == len(clause.body):
        return None
    literal = clause.body[index]
    best = Failure(clause, literal, index, values)
    for more in _solutions(view, literal, values):
        failure = _furthest(view, clause, index + 1, more)
        if failure is None:
            return None
        if failure.index > best.index:
            best = failure
    return best


def _solutions(view: View, literal: Literal, values: Values) -> Iterator[Values]:
    atom = literal.atom
    terms = [replaced(term, values) for term in arguments_of(atom)]
    free = next(variables(terms), None) is not None
    if not isinstance(atom, Atom):
        # A condition whose values come from a later one is not what fails.
        if free or (terms[0] != terms[1]) is literal.positive:
            yield values
    elif literal.positive:
        for fact in view.facts(atom.key):
            yield from matches(terms, fact, values)
    elif free or tuple(terms) not in view.facts(atom.key):
        yield values
