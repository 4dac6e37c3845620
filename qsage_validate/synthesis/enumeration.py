"""Enumerates formulas by size, one for each truth vector (the method Enum of Wu et al.).

From literals of known sizes larger formulas are made by ``and`` and ``or``, all of one size
before any of the next, so that the first one with the wanted truth vector is a smallest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from qsage_validate.games.impartial.formula import (
    FALSE,
    TRUE,
    Formula,
    conjunction,
    disjunction,
)
from qsage_validate.synthesis.atoms import Literal
from qsage_validate.system.limits import Deadline

MAX_FORMULAS: Final = 400_000
"""No more truth vectors than this are remembered."""

_CLOCK_EVERY: Final = 20_000


class Enumerator:
    """Formulas over some literals, enumerated by size up to a limit.

    ``exhausted`` says afterwards that the limit of formulas, not that of sizes, ended it.
    """

    def __init__(self, literals: Sequence[Literal], mask: int) -> None:
        self.mask = mask
        self.exhausted = False
        self._built: dict[int, tuple[str, int, int] | Formula] = {}
        self._by_size: dict[int, list[int]] = {}
        self._waiting: dict[int, list[Literal]] = {}
        for literal in literals:
            self._waiting.setdefault(literal.size, []).append(literal)
        for constant, bits in ((TRUE, mask), (FALSE, 0)):
            self._built[bits] = constant

    def find(
        self, target: int, below: int, deadline: Deadline, *, most: int = MAX_FORMULAS
    ) -> Formula | None:
        """The smallest formula with the truth vector ``target`` and a size less than ``below``.

        ``None`` when there is none; or when the limit or the time ends it, which sets
        ``exhausted``.
        """
        if target in (0, self.mask):
            return self._formula(target)
        for size in range(2, below):
            if size not in self._by_size and not self._grow(size, target, deadline, most):
                self.exhausted = True
                return None
            if target in self._built:
                return self._formula(target)
        return None

    def _grow(self, size: int, target: int, deadline: Deadline, most: int) -> bool:
        built, level = self._built, list[int]()
        for literal in self._waiting.get(size, ()):
            if literal.bits not in built:
                built[literal.bits] = literal.formula
                level.append(literal.bits)
        count = 0
        for left_size in range(2, (size - 1) // 2 + 1):
            lefts = self._by_size.get(left_size, ())
            rights = self._by_size.get(size - 1 - left_size, ())
            for left in lefts:
                for right in rights:
                    both = left & right
                    if both not in built:
                        built[both] = ("and", left, right)
                        level.append(both)
                    some = left | right
                    if some not in built:
                        built[some] = ("or", left, right)
                        level.append(some)
                count += len(rights)
                if count > _CLOCK_EVERY:
                    count = 0
                    if deadline.over or len(built) > most:
                        return False
                if target in built:
                    break
        self._by_size[size] = level
        return True

    def _formula(self, bits: int) -> Formula:
        built = self._built[bits]
        if isinstance(built, Formula):
            return built
        sign, left, right = built
        parts = (self._formula(left), self._formula(right))
        return conjunction(parts) if sign == "and" else disjunction(parts)
