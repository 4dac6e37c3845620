"""The possible results of putting the strategy of one formula into another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qsage_validate.errors import Proof, Refutation, Undecided
from qsage_validate.kernel.certificate import CircuitCertificate


@dataclass(frozen=True, slots=True)
class Wins(Proof):
    """The strategy wins in the other formula.

    ``certificate`` is one of that formula, it plays the strategy and passed the check; ``reason``
    says where the functions come from that the strategy does not have.
    """

    word = "wins"

    reason: str
    certificate: CircuitCertificate


@dataclass(frozen=True, slots=True)
class Loses(Refutation):
    """The strategy does not win in the other formula, ``why`` says in what it fails.

    ``play`` has the moves of both players up to there, or the values block by block where there is
    no layout; ``replies`` are those of the opponent's alone, which a replay needs, and ``asked``
    the same in the words of the strategy's own formula, as far as it has any.  ``values`` are
    those of the variables that the play decides.  ``certificate`` is the strategy in the other
    formula, as far as it could be written down.
    """

    word = "loses"

    why: str
    play: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    values: Mapping[int, bool] = field(default_factory=dict)
    certificate: CircuitCertificate | None = None
    asked: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        return self.why


Transfer = Wins | Loses | Undecided
