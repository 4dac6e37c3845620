"""The claims that a level's proof consists of, for those who want another proof of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.kernel.claims import Claim


@dataclass(frozen=True)
class Obligation:
    """No claim of ``claims`` is ever wrong while all literals of ``assumed`` hold.

    ``builder`` is the graph of the literals.
    """

    builder: AigBuilder
    claims: Sequence[Claim]
    assumed: Sequence[int] = ()
