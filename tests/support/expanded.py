"""Certificates by definition: the winner's choices in a game of variables, one table each."""

from __future__ import annotations

from itertools import product

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect


def expanded(qbf: Qbf) -> CircuitCertificate:
    """A certificate that has a multiplexer tree over all earlier choices for each variable."""
    prefix = [(v, s.quantifier) for s in qbf.scopes for v in s.variables]
    known: dict[tuple[bool, ...], bool] = {}

    def truth(chosen: tuple[bool, ...]) -> bool:
        """Whether the existential player wins after these choices."""
        if chosen not in known:
            if len(chosen) == len(prefix):
                values = {v: c for (v, _), c in zip(prefix, chosen, strict=True)}
                known[chosen] = qbf.truth(values)
            else:
                both = [truth((*chosen, bit)) for bit in (False, True)]
                exists = prefix[len(chosen)][1] is Quantifier.EXISTS
                known[chosen] = any(both) if exists else all(both)
        return known[chosen]

    kind = CertificateKind.SKOLEM if truth(()) else CertificateKind.HERBRAND
    wanted = kind is CertificateKind.SKOLEM
    inputs = qbf.variables(kind.decides.dual)
    builder = AigBuilder(len(inputs))
    place = dict(zip(inputs, builder.inputs, strict=True))
    functions: dict[int, int] = {}
    for position, (variable, quantifier) in enumerate(prefix):
        if quantifier is kind.decides:
            before = [v for v, q in prefix[:position] if q is not kind.decides]
            literal = FALSE
            for bits in product((False, True), repeat=len(before)):
                chosen: tuple[bool, ...] = ()
                opponents = iter(bits)
                for _, owner in prefix[:position]:
                    if owner is kind.decides:
                        chosen += (truth((*chosen, True)) is wanted,)
                    else:
                        chosen += (next(opponents),)
                if truth((*chosen, True)) is wanted:
                    here = TRUE
                    for v, bit in zip(before, bits, strict=True):
                        here = builder.and_(here, place[v] ^ (not bit))
                    literal = builder.or_(literal, here)
            functions[variable] = literal
    aig, outputs = builder.build(list(functions.values()))
    table = dict(zip(functions, outputs, strict=True))
    return CircuitCertificate(kind, aig, inputs, table, Dialect.CAQE)
