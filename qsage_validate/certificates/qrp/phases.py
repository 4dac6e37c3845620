"""The phases of literals that long-distance resolution has merged.

Where two clauses are resolved on ``x`` and one has ``u``, the other ``-u``, with ``u`` right of
``x``, the resolvent has both, written ``u*``.  For each value of ``x`` only one of the two is
meant: that of the parent whose ``x`` is false.  So the phase of ``u*`` is a decision on ``x``
between the phases of the parents.  For cubes it is the parent whose ``x`` is true.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

NEGATIVE: Final = 0
POSITIVE: Final = 1

Phases = dict[int, int]
"""The phase of each merged variable, by bit."""


class PhaseTable:
    """Phases as shared decision diagrams; a phase is a number, 0 and 1 are the constants."""

    def __init__(self, *, cubes: bool) -> None:
        self._cubes = cubes
        self._nodes: list[tuple[int, int, int]] = [(-1, 0, 0), (-1, 1, 1)]
        self._numbers: dict[tuple[int, int, int], int] = {}

    def resolved(self, pivot: int, with_pivot: int, without: int) -> int:
        """The phase after resolving on the bit ``pivot``.

        ``with_pivot`` is the phase in the parent that has the pivot positive.
        """
        if with_pivot == without:
            return without
        high, low = (with_pivot, without) if self._cubes else (without, with_pivot)
        node = (pivot, high, low)
        found = self._numbers.get(node)
        if found is None:
            found = self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
        return found

    def build(self, phase: int, ite: Callable[[int, int, int], int], built: dict[int, int]) -> int:
        """The literal of a phase: ``ite(bit, high, low)`` of literals that it makes.

        ``built`` holds what has been made, and needs the constants to begin with.
        """
        waiting = [phase]
        while waiting:
            top = waiting[-1]
            if top in built:
                waiting.pop()
                continue
            bit, high, low = self._nodes[top]
            missing = [p for p in (high, low) if p not in built]
            if missing:
                waiting += missing
                continue
            built[top] = ite(bit, built[high], built[low])
            waiting.pop()
        return built[phase]
