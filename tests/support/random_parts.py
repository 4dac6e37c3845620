"""Random parts of certificates, and whether these can be completed, by definition."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from qsage_validate.certificates.rest import evaluate
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect


def random_part(rng: Random, formula: Qbf, kind: CertificateKind) -> CircuitCertificate:
    """Random functions of some variables, each over what stands left of its own."""
    level = formula.levels()
    opponent = formula.variables(kind.decides.dual)
    builder = AigBuilder(len(opponent))
    functions = {}
    for v in formula.variables(kind.decides):
        if rng.random() < 0.4:
            continue
        literals = [
            0,
            *(x for u, x in zip(opponent, builder.inputs, strict=True) if level[u] < level[v]),
        ]
        for _ in range(3):
            a, b = (rng.choice(literals) ^ rng.randint(0, 1) for _ in range(2))
            literals.append(builder.and_(a, b))
        functions[v] = literals[-1] ^ rng.randint(0, 1)
    aig, moved = builder.build(list(functions.values()))
    decided = dict(zip(functions, moved, strict=True))
    return CircuitCertificate(kind, aig, opponent, decided, Dialect.CAQE)


def under(formula: Qbf, part: CircuitCertificate) -> bool:
    """Whether the rest can be chosen, by definition: block by block, with the functions' values."""
    order = [v for scope in formula.scopes for v in scope.variables]
    quantifiers = formula.quantifiers()

    def value(known: Mapping[int, bool]) -> bool:
        if len(known) == len(order):
            return formula.truth(known)
        v = order[len(known)]
        if v in part.functions:
            return value({**known, v: evaluate(part, known)[v]})
        branches = [value({**known, v: bit}) for bit in (False, True)]
        return any(branches) if quantifiers[v] is Quantifier.EXISTS else all(branches)

    return value({})
