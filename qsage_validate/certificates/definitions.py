"""The functions behind a clause certificate, where its clauses are definitions.

Pedant writes a block of clauses for each variable: gates over helper variables of its own, in
ascending order, and last what ties the variable to them.  So each clause belongs to the
variable of its block when it has it, else to its largest helper.  The clauses of a variable
``v`` define it when, whatever the other variables are, some clause forces it to one value and
none to the other; when no definition goes in a circle, the clause set is a circuit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from qsage_validate.certificates.functions import Definitions, NotDefinitionalError
from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.kernel.certificate import (
    CircuitCertificate,
    ClauseCertificate,
    opponent_variables,
)

Clauses = list[list[int]]


def definitions(
    certificate: ClauseCertificate, formula: Qbf | None = None, *, choose: bool = False
) -> Definitions:
    """Read the definitions; raises :class:`NotDefinitionalError` when they are none.

    Where a variable is open it is false; with ``choose``, an input says what it is.
    """
    opponent = opponent_variables(certificate, formula)
    groups = _group(certificate, frozenset(opponent))
    order = _topological(groups, frozenset(opponent))
    builder = AigBuilder(len(opponent))
    literals = dict(zip(opponent, builder.inputs, strict=True))
    contradictions: dict[int, int] = {}
    openings: dict[int, int] = {}
    choices: list[int] = []
    for variable in order:
        forced = {
            sign: builder.or_all(
                builder.and_all(literals[abs(x)] ^ (x > 0) for x in clause if x != sign * variable)
                for clause in groups[variable]
                if sign * variable in clause
            )
            for sign in (1, -1)
        }
        literals[variable] = forced[1]
        contradictions[variable] = builder.and_(forced[1], forced[-1])
        openings[variable] = builder.and_(forced[1] ^ 1, forced[-1] ^ 1)
        if choose and openings[variable] != FALSE:
            choices.append(variable)
            chosen = builder.and_(openings[variable], builder.input())
            literals[variable] = builder.or_(forced[1], chosen)
    decided = None if formula is None else set(formula.variables(certificate.kind.decides))
    functions = {
        v: literals[v]
        for v in sorted(groups)
        if (v in decided if decided is not None else v in certificate.defined)
    }
    extra = {v: literals[v] for v in sorted(certificate.defined & groups.keys() - functions.keys())}
    roots = [functions, extra, contradictions, openings]
    aig, built = builder.build([literal for group in roots for literal in group.values()])
    values = iter(built)
    circuit = CircuitCertificate(
        kind=certificate.kind,
        aig=aig,
        inputs=(*opponent, *(-v for v in choices)),
        functions={v: next(values) for v in functions},
        dialect=certificate.dialect,
        path=certificate.path,
        extra={v: next(values) for v in extra},
        recognised=certificate.recognised,
    )
    return Definitions(
        circuit,
        {v: next(values) for v in contradictions},
        {v: next(values) for v in openings},
        tuple(choices),
    )


def _group(certificate: ClauseCertificate, opponent: Collection[int]) -> dict[int, Clauses]:
    groups: dict[int, Clauses] = {}
    no_helpers = certificate.defined | set(opponent)
    for owner, clause in _owned_clauses(certificate):
        variables = {abs(x) for x in clause}
        if len(variables) < len(set(clause)):
            continue  # a tautology
        if owner in variables:
            variable = owner
        else:
            helpers = variables - no_helpers
            if not helpers:
                raise NotDefinitionalError(f"the clause {_text(clause)} defines no variable")
            variable = max(helpers)
        groups.setdefault(variable, []).append(clause)
    return groups


def _owned_clauses(certificate: ClauseCertificate) -> Iterator[tuple[int, list[int]]]:
    """Each clause with the variable of the block that it stands in."""
    flat = certificate.literals.tolist()
    starts = [*certificate.blocks, (0, len(flat))]
    if starts[0][1] > 0:
        raise NotDefinitionalError("some clauses stand before the first model")
    for (owner, start), (_, end) in pairwise(starts):
        while start < end:
            stop = flat.index(0, start)
            yield owner, flat[start:stop]
            start = stop + 1


def _topological(groups: Mapping[int, Clauses], opponent: Collection[int]) -> list[int]:
    """The defined variables in topological order."""
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for variable, clauses in groups.items():
        used = {abs(x) for clause in clauses for x in clause} - {variable}
        for other in used:
            if other not in groups and other not in opponent:
                raise NotDefinitionalError(f"the variable {other} is used but not defined")
        sorter.add(variable, *(v for v in used if v in groups))
    try:
        return list(sorter.static_order())
    except CycleError as error:
        cycle = ", ".join(map(str, error.args[1][:8]))
        raise NotDefinitionalError(f"definitions go in a circle: {cycle}") from None


def _text(clause: list[int]) -> str:
    return " ".join(map(str, (*clause[:8], 0)))
