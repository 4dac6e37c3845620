"""What each route to a certificate hands over, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass, replace

from qsage_validate.certificates.check import CertificateProved
from qsage_validate.errors import UndecidedError
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.system.limits import Limits


def of_the_rest(limits: Limits, part: float = 1.0) -> Limits:
    """Limits of one run, with a part of the time that is left.

    Raises ``UndecidedError`` when none is left.
    """
    if limits.deadline.over:
        raise UndecidedError("the time is over")
    return replace(limits, deadline=limits.deadline.share(part))


class GivenUpError(UndecidedError):
    """Preprocessing was given up, although there is time left: another route may be quicker."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A certificate of the formula and how it was made.

    ``by`` names the programs; ``stages`` has what each stage took, in seconds of wall time.
    ``proved`` is the proof of the very formula, where the maker has checked it; ``note`` is
    further remarks, for a message.
    """

    certificate: CircuitCertificate
    by: str
    stages: tuple[tuple[str, float], ...]
    proved: CertificateProved | None = None
    note: str = ""
