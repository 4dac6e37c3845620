"""A certificate's functions as one graph, and the formula's matrix with it.

Clauses are a graph where they are definitions; what is composed has the opponent's variables as its
inputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder, embed
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.kernel.certificate import CircuitCertificate, opponent_variables


class NotDefinitionalError(ValueError):
    """The clauses are not definitions; the text says where that was seen."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """A clause certificate as a circuit.

    ``contradictions`` and ``openings`` map variables to literals of the circuit's graph: true
    where the clauses of the variable force it both ways, or neither way.  Where none of them
    is true, the circuit's values are the only solution of the clauses.

    ``choices`` are variables that may be open: the circuit has an input, called by the negated
    variable and behind the opponent's, for the value that each takes where it is.  Where none
    of the ``contradictions`` is true, the circuit's values under all choices are all solutions.
    """

    circuit: CircuitCertificate
    contradictions: Mapping[int, int]
    openings: Mapping[int, int]
    choices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Composition:
    """Everything as a function of the opponent's choice.

    Input ``k + 1`` of the graph is the variable ``opponent[k]``; behind them come the inputs
    that the certificate has for choices of its own, where clauses leave them.  ``literals`` has
    the AIG literal of each variable of the prefix, each gate of the matrix and each other name
    of the certificate; ``output`` is the matrix (``None`` without a formula).  Variables that the
    certificate should decide and does not are the constant false.  ``also`` has the further
    literals that were asked for.
    """

    builder: AigBuilder
    opponent: tuple[int, ...]
    literals: Mapping[int, int]
    output: int | None
    also: tuple[int, ...]

    @property
    def matrix(self) -> int:
        """The literal of the matrix; raises ``ValueError`` where there is no formula."""
        if self.output is None:
            raise ValueError("composed without a formula")
        return self.output


def compose(
    certificate: CircuitCertificate,
    formula: Qbf | None,
    also: Sequence[int] = (),
    *,
    rewrite: bool = True,
    fixed: Mapping[int, bool] | None = None,
) -> Composition:
    """Build the certificate's cone and the matrix on top of it.

    ``also`` are further literals of the certificate's graph that shall be built; ``fixed`` are
    values of some of the opponent's variables.
    Raises ``KeyError`` when the certificate has an input that the formula does not give to
    the opponent (:func:`~qsage_validate.certificates.reader.read_certificate` has checked).
    """
    opponent = opponent_variables(certificate, formula)
    builder = AigBuilder(len(opponent), rewrite=rewrite)
    literals = dict(zip(opponent, builder.inputs, strict=True))
    literals.update((v, TRUE if value else FALSE) for v, value in (fixed or {}).items())
    literals.update((name, builder.input()) for name in certificate.inputs if name < 0)
    outside = {**certificate.extra, **certificate.functions}
    built = embed(
        builder,
        certificate.aig,
        [literals[variable] for variable in certificate.inputs],
        [*outside.values(), *also],
    )
    literals.update(zip(outside, built, strict=False))
    rest = tuple(built[len(outside) :])
    if formula is None:
        return Composition(builder, opponent, literals, None, rest)
    for variable in formula.variables(certificate.kind.decides):
        literals.setdefault(variable, FALSE)
    output = formula.add_to(builder, literals)
    return Composition(builder, opponent, literals, output, rest)
