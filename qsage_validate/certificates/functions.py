"""The functions of a certificate as one graph, and what clauses need to be such."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qsage_validate.kernel.certificate import CircuitCertificate


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
