"""Gates that a clausal form spells out: variables that their clauses define.

Tseitin's transformation gives each gate a variable; ``v <-> and(...)`` is one long clause and a
binary one for each input, ``v <-> xor(a, b)`` four clauses of three literals.  In every
certificate such a variable has the gate's value, so that it needs no function of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier


def defined_gates(formula: Qbf, decides: Quantifier) -> dict[int, Gate]:
    """The gates of the variables of ``decides`` that clauses of ``formula`` define.

    No gate reads to the right of its variable, and none reads itself.  Empty unless the formula
    is a conjunction of clauses, and for the universal player, whom no clause binds.
    """
    clauses = _clauses(formula)
    if clauses is None or decides is not Quantifier.EXISTS:
        return {}
    level = formula.levels()
    place = {v: k for k, v in enumerate(v for s in formula.merged_scopes() for v in s.variables)}
    own = set(formula.variables(decides))
    known = set(clauses)
    found: dict[int, Gate] = {}
    for clause in sorted(known, key=lambda c: (len(c), sorted(c, key=abs))):
        # The variable furthest to the right is the likeliest to be the gate's.
        for literal in sorted(clause, key=lambda x: -place[abs(x)]):
            variable = abs(literal)
            if variable in found or variable not in own:
                continue
            gate = _conjunction(clause, literal, known) or _parity(clause, literal, known)
            if gate is None:
                continue
            fits = all(level[abs(x)] <= level[variable] for x in gate.inputs)
            if fits and not _reaches(gate, variable, found):
                found[variable] = gate
                break
    return found


def _clauses(formula: Qbf) -> list[frozenset[int]] | None:
    """The clauses of a matrix in conjunctive normal form; ``None`` for any other."""
    top = formula.gates.get(formula.output)
    if top is None or top.connective is not Connective.AND:
        return None
    clauses = []
    variables = formula.quantifiers()
    for literal in top.inputs:
        gate = formula.gates.get(literal)
        if gate is None:
            if abs(literal) not in variables:
                return None
            clauses.append(frozenset((literal,)))
            continue
        if gate.connective is not Connective.OR or any(
            abs(x) not in variables for x in gate.inputs
        ):
            return None
        clauses.append(frozenset(gate.inputs))
    return clauses


def _conjunction(clause: frozenset[int], literal: int, known: set[frozenset[int]]) -> Gate | None:
    """The gate of ``literal``, when by binary clauses nothing else of ``clause`` goes with it."""
    others = sorted(clause - {literal}, key=abs)
    if not others or any(frozenset((-literal, -x)) not in known for x in others):
        return None
    if literal > 0:
        return Gate(Connective.AND, tuple(-x for x in others))
    return Gate(Connective.OR, tuple(others))


def _parity(clause: frozenset[int], literal: int, known: set[frozenset[int]]) -> Gate | None:
    """The exclusive or that the four clauses over the variables of ``clause`` say."""
    variables = sorted({abs(x) for x in clause})
    if len(variables) != 3 or len(clause) != 3:
        return None
    negative = sum(x < 0 for x in clause) % 2
    for signs in product((1, -1), repeat=3):
        if signs.count(-1) % 2 == negative and (
            frozenset(s * v for s, v in zip(signs, variables, strict=True)) not in known
        ):
            return None
    a, b = (v for v in variables if v != abs(literal))
    # An odd number of negative literals: the clauses say that the parity is even.
    return Gate(Connective.XOR, (a, b if negative else -b))


def _reaches(gate: Gate, variable: int, gates: Mapping[int, Gate]) -> bool:
    """True if ``gate`` reads ``variable``, directly or by way of ``gates``."""
    seen: set[int] = set()
    pending: list[Iterator[int]] = [map(abs, gate.inputs)]
    while pending:
        number = next(pending[-1], None)
        if number is None:
            pending.pop()
        elif number == variable:
            return True
        elif number not in seen:
            seen.add(number)
            if number in gates:
                pending.append(map(abs, gates[number].inputs))
    return False
