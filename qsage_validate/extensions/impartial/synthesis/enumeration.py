"""Enumerates formulas by size: all of them, or those of up to three literals.

:class:`Enumerator` makes one for each truth vector (the method Enum of Wu et al.).

From literals of known sizes larger formulas are made by ``and`` and ``or``, all of one size
before any of the next, so that the first one with the wanted truth vector is a smallest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from qsage_validate.extensions.impartial.formula import (
    FALSE,
    TRUE,
    ImpartialFormula,
    conjunction,
    disjunction,
)
from qsage_validate.extensions.impartial.synthesis.atoms import SampledLiteral
from qsage_validate.system.limits import Deadline

MAX_FORMULAS: Final = 400_000
"""No more truth vectors than this are remembered."""

_CLOCK_EVERY: Final = 20_000


class Enumerator:
    """Formulas over some literals, enumerated by size up to a limit."""

    def __init__(self, literals: Sequence[SampledLiteral], mask: int) -> None:
        self.mask = mask
        self._built: dict[int, tuple[str, int, int] | ImpartialFormula] = {}
        self._by_size: dict[int, list[int]] = {}
        self._waiting: dict[int, list[SampledLiteral]] = {}
        for literal in literals:
            self._waiting.setdefault(literal.size, []).append(literal)
        for constant, bits in ((TRUE, mask), (FALSE, 0)):
            self._built[bits] = constant

    def find(
        self, target: int, below: int, deadline: Deadline, *, most: int = MAX_FORMULAS
    ) -> ImpartialFormula | None:
        """The smallest formula with the truth vector ``target`` and a size less than ``below``.

        ``None`` when there is none, or when the limit or the time ends it.
        """
        if target in (0, self.mask):
            return self._formula(target)
        for size in range(2, below):
            if size not in self._by_size and not self._grow(size, target, deadline, most):
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

    def _formula(self, bits: int) -> ImpartialFormula:
        built = self._built[bits]
        if isinstance(built, ImpartialFormula):
            return built
        sign, left, right = built
        parts = (self._formula(left), self._formula(right))
        return conjunction(parts) if sign == "and" else disjunction(parts)


# -- Up to three literals ----------------------------------------------------------------------
#
# One literal, two under a connective, and three in every shape.  Sets of states are integers, and a
# literal is looked at only where it can be part of a solution: a thousand literals are no trouble.

_MAX_OUTER: Final = 400
_MAX_INNER: Final = 300


def smallest_formulas(
    target: int,
    mask: int,
    literals: Sequence[SampledLiteral],
    deadline: Deadline,
    *,
    below: int = 1 << 30,
) -> list[ImpartialFormula]:
    """Formulas of up to three literals that hold exactly in ``target``, the smallest first.

    ``literals`` are sorted by size and closed under negation; ``below`` bounds the size.
    """
    if target == mask:
        return [TRUE]
    if not target:
        return [FALSE]
    exact = [literal.formula for literal in literals if literal.bits == target]
    if exact:
        return [min(exact, key=lambda f: f.size)] if exact[0].size < below else []
    best = below
    found: list[ImpartialFormula] = []
    for wanted, flip in ((target, False), (mask & ~target, True)):
        for formula in _products(wanted, mask, literals, deadline, best):
            found.append(formula.negated() if flip else formula)
            best = min(best, found[-1].size + 1)
    return sorted(found, key=lambda f: f.size)[:4]


def _products(
    target: int, mask: int, literals: Sequence[SampledLiteral], deadline: Deadline, best: int
) -> list[ImpartialFormula]:
    """Solutions whose outermost connective is ``and``."""
    outside = mask & ~target
    above = [x for x in literals if not target & ~x.bits][:_MAX_OUTER]
    # The states that each one lets in and should not.
    excess = [x.bits & outside for x in above]
    found: list[ImpartialFormula] = []
    order = sorted(range(len(above)), key=lambda i: above[i].size)
    for position, i in enumerate(order):
        for j in order[position + 1 :]:
            size = above[i].size + above[j].size + 1
            if size >= best:
                break
            if not excess[i] & excess[j]:
                found.append(conjunction((above[i].formula, above[j].formula)))
                best = size
    smallest = above[order[0]].size if order else 0
    # Three under "and".
    for position, i in enumerate(order):
        if above[i].size + 2 * smallest + 2 >= best or deadline.over:
            break
        for second, j in enumerate(order[position + 1 :], start=position + 1):
            room = best - above[i].size - above[j].size - 2
            if room <= smallest:
                break
            both = excess[i] & excess[j]
            if both == excess[i] or both == excess[j]:
                continue
            for k in order[second + 1 :]:
                if above[k].size >= room:
                    break
                if not both & excess[k]:
                    parts = (above[i].formula, above[j].formula, above[k].formula)
                    found.append(conjunction(parts))
                    best = above[i].size + above[j].size + above[k].size + 2
                    break
    # One and a choice of two.
    for i in order:
        if deadline.over:
            break
        room = best - above[i].size - 2
        inner = [x for x in literals if not x.bits & excess[i] and x.bits & target][:_MAX_INNER]
        if not inner or above[i].size + 2 * inner[0].size + 2 >= best:
            continue
        union = 0
        for x in inner:
            union |= x.bits
        if target & ~union:
            continue
        for position, x in enumerate(inner):
            if x.size + inner[0].size >= room:
                break
            lacking = target & ~x.bits
            for y in inner[position + 1 :]:
                if x.size + y.size >= room:
                    break
                if not lacking & ~y.bits:
                    choice = disjunction((x.formula, y.formula))
                    found.append(conjunction((above[i].formula, choice)))
                    room = x.size + y.size
                    best = above[i].size + room + 2
                    break
    return found
