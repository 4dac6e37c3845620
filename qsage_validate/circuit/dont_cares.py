"""Smaller circuits where not every value matters: replacing gates while a claim still holds.

There is a circuit of *functions* and a *judge*, a second circuit that reads them and says where
they fail.  A gate of the functions is replaced by a constant, an input, another gate or the
conjunction of two of them whenever the judge still never says so.  Which values of a gate matter
is seen by simulating what the judge says of its complement: where that is no failure, the value
is a don't-care.  Every replacement is proved by a SAT solver; what it refutes is simulated from
then on.

Mishchenko and Brayton, *SAT-based complete don't-care computation for network optimization*,
DATE 2005; resubstitution as in Mishchenko, Chatterjee and Brayton, *DAG-aware AIG rewriting*,
DAC 2006.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import FALSE, Aig, AigBuilder, embed
from qsage_validate.circuit.sat_solver import Satisfiable, satisfy
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Progress, Tell, nobody

# Random plays at the start, and the most plays that are kept.
_PLAYS: Final = 1024
_MOST_PLAYS: Final = 16384
# Plays at random distances from one that a solver has found.
_NEIGHBOURS: Final = 96
# Replacements that are proved for one gate, and pairs that are tried for a conjunction.
_PROOFS: Final = 6
_PAIRS: Final = 48

Plays = NDArray[np.bool_]


class FailureError(ValueError):
    """The functions fail from the start: a random play shows it."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Says where functions fail.

    The inputs of ``aig`` are those of the functions' circuit, in its order, and behind them the
    functions; ``failure`` is the literal that must never be true.
    """

    aig: Aig
    failure: int


@dataclass(frozen=True, slots=True)
class Simplified:
    """The smaller circuit, and the number of ``proofs`` tried and ``refuted``.

    ``finished`` says that no gate was left to try, whatever the time.
    """

    aig: Aig
    functions: tuple[int, ...]
    replaced: int
    proofs: int
    refuted: int
    finished: bool


def simplify(
    aig: Aig,
    functions: Sequence[int],
    judge: Judge,
    levels: Sequence[int],
    *,
    deadline: Deadline = NEVER,
    seed: int = 0,
    tell: Tell = nobody,
) -> Simplified:
    """Replace gates of ``functions`` for as long as that makes the circuit smaller.

    ``judge`` must never fail at the start.  ``levels[k]`` is the level of input ``k + 1``: a gate
    is only replaced by what reads no higher level than the gate does, so that no function reads
    more than before.  It ends at the deadline with what it has.  Raises
    :class:`FailureError` when ``judge`` is seen to fail.
    """
    work = _DontCareWork(aig, functions, judge, levels, deadline, seed)
    work.run(tell)
    return Simplified(
        work.aig, tuple(work.functions), work.replaced, work.proofs, work.refuted, work.finished
    )


class _DontCareWork:
    def __init__(
        self,
        aig: Aig,
        functions: Sequence[int],
        judge: Judge,
        levels: Sequence[int],
        deadline: Deadline,
        seed: int,
    ) -> None:
        judged, (self._failure,) = judge.aig.restrict_to_cone([judge.failure])
        self._judge = judged
        self._judge_pairs = list(zip(judged.fanin0.tolist(), judged.fanin1.tolist(), strict=True))
        self._levels = list(levels)
        self._deadline = deadline
        self._rng = np.random.default_rng(seed)
        self._plays: Plays = self._rng.random((_PLAYS, aig.num_inputs)) < 0.5
        self.replaced = self.proofs = self.refuted = 0
        self.finished = False
        self._adopt(*_rebuilt(aig, functions, {}))

    def _adopt(self, aig: Aig, functions: Sequence[int]) -> None:
        self.aig = aig
        self.functions = list(functions)
        self._pairs = list(zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True))
        reach = [-1, *self._levels]
        for a, b in self._pairs:
            reach.append(max(reach[a >> 1], reach[b >> 1]))
        self._reach = reach
        self._uses = [0] * (aig.num_variables + 1)
        for literal in (*self.functions, *(x for pair in self._pairs for x in pair)):
            self._uses[literal >> 1] += 1
        self._simulate()

    def _simulate(self) -> None:
        """The values of all variables of both circuits, one play a bit."""
        self._mask = mask = (1 << len(self._plays)) - 1
        values = [0, *columns_as_bits(self._plays)]
        for a, b in self._pairs:
            values.append(_value(values, a, mask) & _value(values, b, mask))
        self._values = values
        judged = values[: 1 + self.aig.num_inputs]
        judged += [_value(values, f, mask) for f in self.functions]
        for a, b in self._judge_pairs:
            judged.append(_value(judged, a, mask) & _value(judged, b, mask))
        self._judged = judged
        if _value(judged, self._failure, mask):
            raise FailureError("the functions fail from the start")

    def run(self, tell: Tell) -> None:
        gate = self.aig.num_variables
        since = 0  # gates looked at since the last success
        while self.aig.num_gates and since <= self.aig.num_gates and not self._deadline.over:
            if gate <= self.aig.num_inputs:
                gate = self.aig.num_variables
            if since % 16 == 0:
                tell(Progress("don't-cares", f"{self.aig.num_gates:,} gates"))
            if self._replace(gate):
                since = 0
                gate = min(gate, self.aig.num_variables)
            else:
                since += 1
                gate -= 1
        self.finished = not self._deadline.over

    def _replace(self, gate: int) -> bool:
        """Try to do without ``gate``."""
        own = self._only_for(gate)
        care = self._care(gate)
        tried = 0
        for new in self._candidates(gate, care, pairs=len(own) > 1):
            if self._saved(own, new) < len(new) or self._misfit(gate, new) & care:
                continue  # nothing is gained, or a play that came meanwhile speaks against it
            if tried == _PROOFS or self._deadline.over:
                return False
            tried += 1
            smaller, functions = _rebuilt(self.aig, self.functions, {gate: new})
            if smaller.num_gates >= self.aig.num_gates:
                continue
            play = self._refute(gate, new, smaller, functions)
            if play is None:
                if self._deadline.over:
                    return False
                self.replaced += 1
                self._adopt(smaller, functions)
                return True
            self.refuted += 1
            self._add(play)
            care = self._care(gate)
        return False

    def _only_for(self, gate: int) -> set[int]:
        """The gates that only ``gate`` needs, itself included."""
        first = self.aig.num_inputs + 1
        missing: dict[int, int] = {}
        own, pending = {gate}, [gate]
        while pending:
            for literal in self._pairs[pending.pop() - first]:
                variable = literal >> 1
                if variable >= first:
                    missing[variable] = missing.get(variable, 0) + 1
                    if missing[variable] == self._uses[variable]:
                        own.add(variable)
                        pending.append(variable)
        return own

    def _saved(self, own: set[int], new: tuple[int, ...]) -> int:
        """The number of the gates ``own`` that are not needed for ``new``."""
        first = self.aig.num_inputs + 1
        needed: set[int] = set()
        pending = [literal >> 1 for literal in new]
        while pending:
            variable = pending.pop()
            if variable in own and variable not in needed:
                needed.add(variable)
                pending += [x >> 1 for x in self._pairs[variable - first]]
        return len(own) - len(needed)

    # -- What matters

    def _care(self, gate: int) -> int:
        """The plays in which the complement of ``gate`` would make the functions fail."""
        mask, values = self._mask, self._values
        changed = {gate: values[gate] ^ mask}
        first = self.aig.num_inputs + 1
        for variable in range(gate + 1, self.aig.num_variables + 1):
            a, b = self._pairs[variable - first]
            if a >> 1 in changed or b >> 1 in changed:
                value = _changed(changed, values, a, mask) & _changed(changed, values, b, mask)
                if value != values[variable]:
                    changed[variable] = value
        judged = self._judged
        moved: dict[int, int] = {}
        for k, function in enumerate(self.functions):
            if function >> 1 in changed:
                moved[first + k] = _changed(changed, values, function, mask)
        if not moved:
            return 0
        start = self._judge.num_inputs + 1
        for variable, (a, b) in enumerate(self._judge_pairs, start=start):
            if a >> 1 in moved or b >> 1 in moved:
                value = _changed(moved, judged, a, mask) & _changed(moved, judged, b, mask)
                if value != judged[variable]:
                    moved[variable] = value
        return _changed(moved, judged, self._failure, mask)

    def _misfit(self, gate: int, new: tuple[int, ...]) -> int:
        """The plays in which the conjunction of ``new`` differs from ``gate``."""
        value = self._mask
        for literal in new:
            value &= _value(self._values, literal, self._mask)
        return value ^ self._values[gate]

    def _candidates(self, gate: int, care: int, *, pairs: bool) -> Iterator[tuple[int, ...]]:
        """Literals that may stand for ``gate``, then conjunctions of ``pairs`` of them."""
        mask, values = self._mask, self._values
        reach = self._reach[gate]
        allowed = [v for v in range(gate) if self._reach[v] <= reach]
        ones, zeros = values[gate] & care, ~values[gate] & care
        true: list[tuple[int, int]] = []  # literals that are true where the gate has to be
        singles = []
        for variable in allowed:
            for literal in (2 * variable, 2 * variable + 1):
                value = _value(values, literal, mask)
                if ones & ~value:
                    continue
                if not zeros & value:
                    singles.append((literal,))
                elif pairs and variable:
                    true.append((literal, value))
        yield from singles
        # Those that are false most often where the gate has to be false.
        true.sort(key=lambda pair: (zeros & pair[1]).bit_count())
        del true[_PAIRS:]
        for k, (a, x) in enumerate(true):
            for b, y in true[:k]:
                if not zeros & x & y:
                    yield a, b

    # -- Proofs

    def _refute(
        self, gate: int, new: tuple[int, ...], aig: Aig, functions: Sequence[int]
    ) -> Plays | None:
        """A play in which ``functions`` fail; ``None`` when there is none, or time is up.

        What was there before never fails: where it does now, ``gate`` and ``new`` differ.
        """
        self.proofs += 1
        builder = AigBuilder(aig.num_inputs)
        old, *parts = embed(builder, self.aig, builder.inputs, [2 * gate, *new])
        differ = builder.xor(old, builder.and_all(parts))
        built = embed(builder, aig, builder.inputs, functions)
        (failure,) = embed(builder, self._judge, [*builder.inputs, *built], [self._failure])
        failure = builder.and_(differ, failure)
        graph, (failure,) = builder.build([failure])
        answer = satisfy(graph, failure, deadline=self._deadline)
        if isinstance(answer, Satisfiable):
            return np.array(answer.inputs, dtype=np.bool_)
        return None

    def _add(self, play: Plays) -> None:
        """Simulate ``play`` and its neighbours as well."""
        near = np.repeat(play[None, :], 1 + len(play) + _NEIGHBOURS, axis=0)
        near[1 : 1 + len(play)] ^= np.eye(len(play), dtype=np.bool_)
        # Plays that differ in one of eight variables.
        near[1 + len(play) :] ^= self._rng.random((_NEIGHBOURS, len(play))) < 1 / 8
        self._plays = np.concatenate((near, self._plays))[:_MOST_PLAYS]
        self._simulate()


def columns_as_bits(plays: Plays) -> list[int]:
    """For each column a number whose bits are its values, the first row being the lowest."""
    packed = np.packbits(plays, axis=0, bitorder="little").T
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def _value(values: Sequence[int], literal: int, mask: int) -> int:
    value = values[literal >> 1]
    return value ^ mask if literal & 1 else value


def _changed(changed: dict[int, int], values: Sequence[int], literal: int, mask: int) -> int:
    value = changed.get(literal >> 1)
    if value is None:
        value = values[literal >> 1]
    return value ^ mask if literal & 1 else value


def _rebuilt(
    aig: Aig, functions: Sequence[int], replace: dict[int, tuple[int, ...]]
) -> tuple[Aig, list[int]]:
    """The circuit with some gates replaced by conjunctions of literals of earlier variables."""
    builder = AigBuilder(aig.num_inputs)
    literals = [FALSE, *builder.inputs]
    first = aig.num_inputs + 1
    pairs = zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True)
    for variable, pair in enumerate(pairs, start=first):
        inputs = replace.get(variable, pair)
        literals.append(builder.and_all(literals[x >> 1] ^ (x & 1) for x in inputs))
    return builder.build([literals[f >> 1] ^ (f & 1) for f in functions])
