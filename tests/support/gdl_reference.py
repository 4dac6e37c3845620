"""Slow and independent readings of GDL: naive evaluation, and clingo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from qsage_validate.extensions.gdl.model import (
    Atom,
    Clause,
    Description,
    Distinct,
    GdlLiteral,
    Ground,
    Term,
    Variable,
    variables,
)

Facts = set[tuple[str, tuple[Ground, ...]]]


def _replaced(term: Term, values: Mapping[Variable, Ground]) -> Ground:
    if isinstance(term, Variable):
        return values[term]
    return tuple(_replaced(t, values) for t in term) if isinstance(term, tuple) else term


def _holds(literal: GdlLiteral, values: Mapping[Variable, Ground], facts: Facts) -> bool:
    if isinstance(literal.atom, Distinct):
        differ = _replaced(literal.atom.left, values) != _replaced(literal.atom.right, values)
        return differ is literal.positive
    arguments = tuple(_replaced(t, values) for t in literal.atom.arguments)
    return ((literal.atom.relation, arguments) in facts) is literal.positive


def naive_facts(strata: Sequence[Sequence[Clause]], terms: Sequence[Ground], given: Facts) -> Facts:
    """What follows, stratum by stratum, by trying all substitutions again and again."""
    facts = set(given)
    for stratum in strata:
        while True:
            before = len(facts)
            for clause in stratum:
                atoms: list[Atom] = [clause.head]
                atoms += [x.atom for x in clause.body if isinstance(x.atom, Atom)]
                names = sorted({v for atom in atoms for v in variables(atom.arguments)})
                for choice in product(terms, repeat=len(names)):
                    values = dict(zip(names, choice, strict=True))
                    if all(_holds(literal, values, facts) for literal in clause.body):
                        head = tuple(_replaced(t, values) for t in clause.head.arguments)
                        facts.add((clause.head.relation, head))
            if len(facts) == before:
                break
    return facts


def _asp_term(term: Term) -> str:
    if isinstance(term, Variable):
        return "V" + "".join(f"_{ord(c)}" for c in term.name)
    if isinstance(term, tuple):
        return f"f({','.join([_asp_term(term[0]), *map(_asp_term, term[1:])])})"
    return f'"{term}"'


def _asp_atom(atom: Atom) -> str:
    arguments = ",".join([f'"{atom.relation}"', *map(_asp_term, atom.arguments)])
    return f"h({arguments})"


def _asp_literal(literal: GdlLiteral) -> str:
    atom = literal.atom
    if isinstance(atom, Distinct):
        sign = "!=" if literal.positive else "="
        return f"{_asp_term(atom.left)} {sign} {_asp_term(atom.right)}"
    return ("" if literal.positive else "not ") + _asp_atom(atom)


class ClingoReference:
    """One description, asked through clingo; all relations are functions of one predicate."""

    def __init__(self, clingo: Any, description: Description) -> None:
        self.clingo = clingo
        # 'distinct' is a part of the clauses, so this holds nothing of our evaluation.
        self.text = "\n".join(
            _asp_atom(c.head)
            + (" :- " + ", ".join(map(_asp_literal, c.body)) if c.body else "")
            + "."
            for c in description.clauses
        )

    def facts(
        self, state: Iterable[Ground] = (), moves: Mapping[Ground, Ground] | None = None
    ) -> Facts:
        """All facts that hold."""
        given = [Atom("true", (fluent,)) for fluent in state]
        given += [Atom("does", pair) for pair in (moves or {}).items()]
        control = self.clingo.Control()
        control.add("base", [], self.text + "\n" + " ".join(f"{_asp_atom(a)}." for a in given))
        control.ground([("base", [])])
        found: Facts = set()
        with control.solve(yield_=True) as handle:
            (model,) = list(handle)[:1] or [None]
            assert model is not None
            for symbol in model.symbols(atoms=True):
                name, *arguments = symbol.arguments
                found.add((name.string, tuple(self._ground(a) for a in arguments)))
        return found

    def _ground(self, symbol: Any) -> Ground:
        if symbol.type is self.clingo.SymbolType.String:
            return str(symbol.string)
        return tuple(self._ground(argument) for argument in symbol.arguments)
