"""What a route to a certificate is given and gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from qsage_validate.certificates.checker.check import CertificateProved
from qsage_validate.errors import InputError, UndecidedError
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.solvers.qbf.backend import RunLimits

Say = Callable[[str], None]
"""Is told what begins."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a route may use up: ``deadline`` is a time of ``time.monotonic``."""

    deadline: float | None = None
    memory_mb: int | None = None

    def limits(self, share: float = 1.0) -> RunLimits:
        """Limits of one run, with a share of the time that is left.

        Raises ``UndecidedError`` when none is left.
        """
        if self.deadline is None:
            return RunLimits(None, self.memory_mb)
        left = self.deadline - monotonic()
        if left <= 0:
            raise UndecidedError("the time is over")
        return RunLimits(left * share, self.memory_mb)


@dataclass(frozen=True, slots=True)
class Made:
    """A certificate of the formula and how it was made.

    ``by`` names the programs; ``stages`` has what each stage took, in seconds of wall time.
    ``proved`` is the proof of the very formula, where the maker has checked it; ``note`` is
    what else there is to say, for people.
    """

    certificate: CircuitCertificate
    by: str
    stages: tuple[tuple[str, float], ...]
    proved: CertificateProved | None = None
    note: str = ""


@contextmanager
def written_by(program: str) -> Iterator[None]:
    """Reading what a program wrote into a file of ours: what is wrong there is its failure.

    An ``InputError`` becomes an ``UndecidedError``; the temporary file's name is left out.
    """
    try:
        yield
    except InputError as error:
        place = "" if error.line is None else f"line {error.line}: "
        raise UndecidedError(
            f"{program} wrote what cannot be used: {place}found {error.found}, "
            f"expected {error.expected}"
        ) from error
