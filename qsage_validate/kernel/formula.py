"""The formula level with nothing but the kernel: one graph, one set of clauses, one SAT call.

**Theorem.**  Let F be a formula and C functions of the variables that one player decides, each of
which reads only its dependency set (:mod:`~qsage_validate.kernel.dependencies`).  If no values of
the other player's variables make the matrix of F false under C (Skolem; true, Herbrand), then F
is true (false).

The check by which the tool is quick merges equal gates, proves lemmas and splits into cases
(``certificates/checker/check.py``).  This one does not: ``--trust minimal`` asks it instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.kernel.claims import Claim, first_failure
from qsage_validate.kernel.composition import compose
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.kernel.obligation import Obligation
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Tell, nobody


@dataclass(frozen=True, slots=True)
class BeatenFunctions:
    """Values of the opponent's variables under which the functions lose."""

    choice: Mapping[int, bool]


def formula_obligation(
    formula: Qbf, certificate: CircuitCertificate, doubts: Sequence[int] = ()
) -> tuple[Obligation, tuple[int, ...]]:
    """The obligation, and the variables of the graph's first inputs; no doubt may be true."""
    composition = compose(certificate, formula, doubts, rewrite=False)
    lost = composition.matrix ^ (certificate.kind is CertificateKind.SKOLEM)
    wrong = composition.builder.or_all([lost, *composition.also])
    claim = Claim(FindingKind.CERTIFICATE_BEATEN, 0, wrong, "the functions lose")
    return Obligation(composition.builder, (claim,)), composition.opponent


def prove_formula(
    formula: Qbf,
    certificate: CircuitCertificate,
    doubts: Sequence[int] = (),
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> BeatenFunctions | None:
    """``None``: proved, of the ``doubts`` too.  Raises ``ClaimsTimeoutError`` at the deadline."""
    made, opponent = formula_obligation(formula, certificate, doubts)
    failure = first_failure(made.builder, made.claims, made.assumed, deadline=deadline, tell=tell)
    if failure is None:
        return None
    return BeatenFunctions({v: failure.inputs[k] for k, v in enumerate(opponent, start=1)})
