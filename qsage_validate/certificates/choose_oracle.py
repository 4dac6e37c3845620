"""The choice of the oracle that answers for a certificate."""

from __future__ import annotations

from enum import Enum
from typing import Final

from qsage_validate.certificates.oracle import Oracle
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import UsageError
from qsage_validate.kernel.certificate import Certificate, CircuitCertificate

_SAT_GATES: Final = 50_000


class OracleKind(Enum):
    """The way to read values from a certificate.

    ``AUTO``: simulation for random plays, SAT for a human player; a large circuit is evaluated as
    it stands for the latter; clause sets always by SAT.
    """

    AUTO = "auto"
    SAT = "sat"
    SIMULATION = "simulation"


def is_large(certificate: Certificate) -> bool:
    """Whether giving the certificate to a solver, or merging equal gates, takes a person's time."""
    return isinstance(certificate, CircuitCertificate) and certificate.aig.num_gates > _SAT_GATES


def choose_oracle(
    certificate: Certificate, formula: Qbf | None, asked: OracleKind, preferred: OracleKind
) -> Oracle:
    """The oracle of the kind that was asked for, else of the ``preferred`` one where possible.

    Raises ``UsageError`` when simulation is asked for with a clause set.
    """
    kind = preferred if asked is OracleKind.AUTO else asked
    if not isinstance(certificate, CircuitCertificate):
        if asked is OracleKind.SIMULATION:
            raise UsageError("found --simulation, but only a SAT solver can answer a clause set")
    elif kind is OracleKind.SIMULATION:
        from qsage_validate.certificates.simulation_oracle import SimulationOracle

        return SimulationOracle(certificate, formula)
    from qsage_validate.certificates.sat_oracle import SatOracle

    return SatOracle(certificate, formula)
