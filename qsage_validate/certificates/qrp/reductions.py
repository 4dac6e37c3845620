"""The reductions of a proof and their results: the entries of the decision lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from qsage_validate.certificates.qrp.sets import Literals, PrefixBits
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.games.masks import members


class QrpStep(NamedTuple):
    """A clause or cube: positive and negative variables; phases where a variable is both."""

    positive: int
    negative: int
    phases: Phases


@dataclass(frozen=True, slots=True)
class QrpReduction:
    """A reduction: ``rest`` is left, and the variables of ``reduced`` are right of its pivots."""

    rest: QrpStep
    reduced: QrpStep


_NO_PHASES: Phases = {}


class Reductions:
    """Follows a proof and records its reductions.

    ``live`` has the steps that have been followed; the caller takes out those no longer
    needed.  Only reductions of ``wanted`` variables are recorded.
    """

    def __init__(self, cubes: bool, bits: PrefixBits, phases: PhaseTable, wanted: int) -> None:
        pivot = Quantifier.FORALL if cubes else Quantifier.EXISTS
        self._pivots = bits.of[pivot]
        self._others = bits.of[pivot.dual]
        self._cubes = cubes
        self._phases = phases
        self._wanted = wanted
        self._originals: dict[Literals, list[Literals]] = {}
        if not cubes:
            for clause in bits.form.clauses:
                literals = bits.literals(clause)
                keep = self._kept(*literals)
                key = (literals[0] & keep, literals[1] & keep)
                self._originals.setdefault(key, []).append(literals)
        self.live: dict[int, QrpStep] = {}
        self.records: list[QrpReduction] = []

    def step(self, step: int, listed: Literals, antecedents: list[int]) -> str:
        """Follow one step; returns why it does not follow, or an empty text."""
        if not antecedents:
            return self._leaf(step, listed)
        parents = [self.live[a] for a in antecedents]
        # Reducing late makes fewer entries; only a trace that reduced early needs it early.
        marked = len(self.records)
        found = self._chain(parents, listed, early=False)
        if not isinstance(found, QrpStep):
            del self.records[marked:]
            found = self._chain(parents, listed, early=True)
        if not isinstance(found, QrpStep):
            return found
        self.live[step] = found
        return ""

    def _leaf(self, step: int, listed: Literals) -> str:
        reduction = QrpStep(*listed, _NO_PHASES)
        if listed[0] & listed[1]:
            return "has no antecedents and literals in both signs"
        if not self._cubes:
            keep = self._kept(*listed)
            for clause in self._originals.get((listed[0] & keep, listed[1] & keep), ()):
                if not (listed[0] & ~clause[0] or listed[1] & ~clause[1]):
                    if clause != listed:
                        self._record(QrpStep(*clause, _NO_PHASES))
                    break
            else:
                return "has no antecedents and is no clause of the formula"
        self.live[step] = reduction
        return ""

    def _chain(self, parents: list[QrpStep], listed: Literals, *, early: bool) -> QrpStep | str:
        """The parents resolved one after the other, as far as the listed literals go."""
        current = parents[0]
        if early:
            current = self._reduced(current, listed)
        for parent in parents[1:]:
            found = self._resolvent(current, parent)
            if not isinstance(found, QrpStep):
                return found
            current = self._reduced(found, listed) if early else found
        positive, negative, phases = current
        lost = (positive & ~listed[0]) | (negative & ~listed[1])
        keep = self._kept(*listed)
        if lost & (keep | self._pivots) or lost & (listed[0] | listed[1]):
            return "lacks a literal that must not be reduced"
        if (listed[0] & ~positive | listed[1] & ~negative) & self._pivots:
            return "has a literal that does not follow"
        if lost:
            self._record(current)
        merged = listed[0] & listed[1]
        kept = _NO_PHASES
        if merged:
            kept = {b: phases[b] for b in members(merged & positive & negative)}
            # A literal that was added weakens the step: its phase is that of the other one.
            for b in members(merged & ~(positive & negative)):
                kept[b] = POSITIVE if positive >> b & 1 else NEGATIVE
        return QrpStep(*listed, kept)

    def _resolvent(self, left: QrpStep, right: QrpStep) -> QrpStep | str:
        clash = left.positive & right.negative | left.negative & right.positive
        pivot = clash & self._pivots
        if not pivot or pivot & (pivot - 1):
            return "resolves on no variable or on several"
        if clash & self._others & (pivot - 1):
            return "merges literals left of its pivot"
        positive = (left.positive | right.positive) & ~pivot
        negative = (left.negative | right.negative) & ~pivot
        merged = positive & negative
        if not merged:
            return QrpStep(positive, negative, _NO_PHASES)
        with_pivot, without = (left, right) if left.positive & pivot else (right, left)
        at = pivot.bit_length() - 1
        phases: Phases = {}
        for b in members(merged):
            one, other = _phase(with_pivot, b), _phase(without, b)
            if one is None or other is None:
                phases[b] = one if one is not None else other  # type: ignore[assignment]
            else:
                phases[b] = self._phases.resolved(at, one, other)
        return QrpStep(positive, negative, phases)

    def _reduced(self, step: QrpStep, listed: Literals) -> QrpStep:
        """Without what is right of all pivots and not listed; it is recorded."""
        keep = self._kept(step.positive, step.negative) | (listed[0] & listed[1])
        keep |= ~((step.positive & ~listed[0]) | (step.negative & ~listed[1]))
        positive, negative = step.positive & keep, step.negative & keep
        if (positive, negative) == (step.positive, step.negative):
            return step
        self._record(step)
        merged = positive & negative
        phases = {b: step.phases[b] for b in members(merged)} if merged else _NO_PHASES
        return QrpStep(positive, negative, phases)

    def _kept(self, positive: int, negative: int) -> int:
        """The bits up to the last pivot."""
        return (1 << ((positive | negative) & self._pivots).bit_length()) - 1

    def _record(self, step: QrpStep) -> None:
        """Record that all that may be reduced is reduced, whether or not the trace keeps some.

        So the rest has nothing right of its last pivot, and the reduced may depend on it.
        """
        keep = self._kept(step.positive, step.negative)
        gone = self._wanted & ~keep
        positive, negative = step.positive & gone, step.negative & gone
        if positive | negative:
            rest = QrpStep(step.positive & keep, step.negative & keep, step.phases)
            self.records.append(QrpReduction(rest, QrpStep(positive, negative, step.phases)))


def _phase(step: QrpStep, bit: int) -> int | None:
    """The phase of a variable in a step that may lack it."""
    positive = step.positive >> bit & 1
    if step.negative >> bit & 1:
        return step.phases[bit] if positive else NEGATIVE
    return POSITIVE if positive else None


# -- The phases of literals that long-distance resolution has merged ---------------------------
#
# Where two clauses are resolved on ``x`` and one has ``u``, the other ``-u``, with ``u`` right of
# ``x``, the resolvent has both, written ``u*``.  For each value of ``x`` only one of the two is
# meant: that of the parent whose ``x`` is false.  So the phase of ``u*`` is a decision on ``x``
# between the phases of the parents.  For cubes it is the parent whose ``x`` is true.

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
