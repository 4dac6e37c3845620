"""Sweeping: gates that are equal, or constant, under all inputs become one (SAT sweeping).

Simulation finds candidates: gates whose values (or complements) agree on some thousand random
inputs.  A SAT solver with a limit on its conflicts proves or refutes each; what it refutes gives
inputs that tell further candidates apart.  Gates are visited in order and rebuilt over what was
merged already, so that each question is about two gates whose cones have mostly met.

Kuehlmann, Paruthi, Krohm and Ganai, *Robust Boolean reasoning for equivalence checking and
functional property verification*, IEEE TCAD 21(12), 2002.  Nothing is merged without a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import FALSE, Aig, AigBuilder
from qsage_validate.circuit.sat_solver import Solver
from qsage_validate.circuit.simulate import PLAYS_PER_WORD, GraphSimulator, Words, pack
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Progress, Tell, nobody

# Random tests: many, because gates that are hardly ever true look constant in few.
_MOST_WORDS: Final = 256
_LEAST_WORDS: Final = 2
_TABLE_WORDS: Final = 1 << 24
# As many refutations are gathered before all gates are simulated on them.
_REFUTATIONS: Final = PLAYS_PER_WORD
# Gates of one class that a gate is compared to before it is left alone.
_LEADERS: Final = 2
# The quickest of PySAT's solvers at small incremental questions.
_SOLVER: Final = "minisat22"

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Swept:
    """An equivalent graph of the outputs, and how it came about.

    ``merged`` gates were proved equal to an earlier gate, an input or a constant; for
    ``refuted`` candidates inputs were found that tell them apart, for ``open`` ones the limit
    of conflicts was reached; ``conflicts`` is the total.
    """

    aig: Aig
    outputs: tuple[int, ...]
    merged: int
    refuted: int
    open: int
    conflicts: int

    @property
    def calls(self) -> int:
        """The number of candidates that the solver was asked about."""
        return self.merged + self.refuted + self.open


def sweep(
    aig: Aig,
    outputs: Sequence[int],
    *,
    conflicts: int = 100,
    calls: int | None = None,
    deadline: Deadline = NEVER,
    seed: int = 0,
    tell: Tell = nobody,
) -> Swept:
    """Merge equal gates of the cone of ``outputs``; the inputs keep their variables.

    ``conflicts`` is the limit for one candidate, ``calls`` for the number of candidates that
    the solver is asked about; from there on, as from the deadline on,
    nothing more is merged.  The same arguments give the same result, deadlines apart.
    """
    cone, moved = aig.restrict_to_cone(outputs)
    with _Sweep(cone, conflicts, calls, deadline, seed) as work:
        literals = work.run(tell)
        swept, outs = work.builder.build([literals[x >> 1] ^ (x & 1) for x in moved])
        return Swept(swept, tuple(outs), work.merged, work.refuted, work.open, work.conflicts)


class _Equal(Enum):
    YES = "yes"
    NO = "no"
    OPEN = "open"


class _Sweep:
    """One sweep under way: the new graph, the candidates and the solver."""

    def __init__(
        self, aig: Aig, conflicts: int, calls: int | None, deadline: Deadline, seed: int
    ) -> None:
        self.aig = aig
        self.builder = AigBuilder(aig.num_inputs)
        self.merged = self.refuted = self.open = self.conflicts = 0
        self._limit = conflicts
        self._calls = calls
        self._deadline = deadline
        self._simulator = GraphSimulator(aig, range(0, 2 * aig.num_variables + 2, 2))
        self._candidates = _Candidates(self._simulate_random(seed))
        self._tests: list[list[bool]] = []
        self._solver = Solver(_SOLVER)
        self._solver.add_clause([-1])  # SAT variable v + 1 is the builder's variable v
        self._loaded = bytearray(b"\1" * (1 + aig.num_inputs))
        for variable in range(1 + aig.num_inputs):
            self._candidates.lead(variable)

    def __enter__(self) -> _Sweep:
        return self

    def __exit__(self, *error: object) -> None:
        self._solver.delete()

    def _simulate_random(self, seed: int) -> Words:
        rng = np.random.default_rng(seed)
        words = min(_MOST_WORDS, max(_LEAST_WORDS, _TABLE_WORDS // (self.aig.num_variables + 1)))
        shape = (self.aig.num_inputs, words)
        return self._simulator.run(rng.integers(0, 1 << 64, shape, dtype=np.uint64))

    def run(self, tell: Tell) -> list[int]:
        """Rebuild all gates; returns the new literal of each old variable."""
        builder, candidates = self.builder, self._candidates
        literals = [FALSE, *builder.inputs]
        pairs = zip(self.aig.fanin0.tolist(), self.aig.fanin1.tolist(), strict=True)
        for variable, (left, right) in enumerate(pairs, start=self.aig.num_inputs + 1):
            literal = builder.and_(
                literals[left >> 1] ^ (left & 1), literals[right >> 1] ^ (right & 1)
            )
            asked = self.merged + self.refuted + self.open
            if (self._calls is None or asked < self._calls) and not self._deadline.over:
                literal = self._merged(variable, literal, literals)
            literals.append(literal)
            if len(self._tests) == _REFUTATIONS:
                tests = np.array(self._tests, dtype=np.bool_)
                candidates.split(self._simulator.run(pack(tests)))
                self._tests.clear()
            if variable % 1024 == 0:
                total = self.aig.num_variables
                tell(Progress("sweeping", f"{variable:,} of {total:,} gates", variable, total))
        return literals

    def _merged(self, variable: int, literal: int, literals: Sequence[int]) -> int:
        """The literal of an earlier variable that ``literal`` was proved equal to, or itself."""
        leaders = self._candidates.leaders(variable)
        for leader in leaders:
            sign = bool(self._candidates.flip[variable] != self._candidates.flip[leader])
            target = literals[leader] ^ sign
            if literal == target:
                return literal
            if literal == target ^ 1:
                continue
            equal = self._prove_equal(literal, target)
            if equal is _Equal.YES:
                self.merged += 1
                return target
            if equal is _Equal.OPEN:
                self.open += 1
            else:
                self.refuted += 1
        self._candidates.lead(variable)
        return literal

    # -- The solver

    def _prove_equal(self, a: int, b: int) -> _Equal:
        self._load(a)
        self._load(b)
        x, y = _sat(a), _sat(b)
        for assumed in ([x, -y], [-x, y]):
            before = self._solver.accum_stats()["conflicts"]
            self._solver.conf_budget(self._limit)
            answer = self._solver.solve_limited(assumptions=assumed)
            self.conflicts += self._solver.accum_stats()["conflicts"] - before
            if answer is None:
                return _Equal.OPEN
            if answer:
                true = self._solver.get_model()
                inputs = (lit >> 1 for lit in self.builder.inputs)
                self._tests.append([v < len(true) and true[v] > 0 for v in inputs])
                return _Equal.NO
            self._solver.add_clause([-assumed[0], -assumed[1]])
        return _Equal.YES

    def _load(self, literal: int) -> None:
        """Give the solver the gates of the cone that it does not have yet."""
        loaded, fanins, add = self._loaded, self.builder.fanins, self._solver.add_clause
        loaded.extend(bytes(max(0, (literal >> 1) + 1 - len(loaded))))
        pending = [literal >> 1]
        while pending:
            variable = pending.pop()
            if loaded[variable]:
                continue
            loaded[variable] = 1
            pair = fanins(2 * variable)
            assert pair is not None, "inputs and the constant are loaded"
            gate, left, right = variable + 1, _sat(pair[0]), _sat(pair[1])
            add([-gate, left])
            add([-gate, right])
            add([gate, -left, -right])
            pending += (pair[0] >> 1, pair[1] >> 1)


def _sat(literal: int) -> int:
    variable = (literal >> 1) + 1
    return -variable if literal & 1 else variable


class _Candidates:
    """Classes of variables that no test tells apart, complements counted as equal.

    A class is known by the hash of its values: two variables of different values may meet in
    one class, which costs a question and nothing else.
    """

    def __init__(self, values: Words) -> None:
        # Complemented where the first test gives 1: then complements have the same values.
        self.flip = (values[:, 0] & np.uint64(1)).astype(np.bool_)
        self._rng = np.random.default_rng(0)
        self._hash: Hashes = self._hashed(values)
        self._leaders: dict[int, list[int]] = {}
        self._group()

    def _hashed(self, values: Words) -> Hashes:
        flipped = values ^ np.where(self.flip, ~np.uint64(0), np.uint64(0))[:, None]
        total = np.zeros(len(values), dtype=np.uint64)
        for column in flipped.T:
            # Multiplication by odd numbers, and the high half mixed down (wraps around).
            factor = self._rng.integers(0, 1 << 63, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
            mixed = column * factor
            total = total * np.uint64(0x9E3779B97F4A7C15) + (mixed ^ (mixed >> np.uint64(32)))
        return total

    def _group(self) -> None:
        order = np.argsort(self._hash, kind="stable")
        ordered = self._hash[order]
        new = np.ones(len(order), dtype=np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.cumsum(new) - 1
        self._class: list[int] = group.tolist()

    def leaders(self, variable: int) -> list[int]:
        """Earlier variables that ``variable`` may equal."""
        return self._leaders.get(self._class[variable], [])

    def lead(self, variable: int) -> None:
        """Let later variables of the class be compared to this one."""
        leaders = self._leaders.setdefault(self._class[variable], [])
        if len(leaders) < _LEADERS:
            leaders.append(variable)

    def split(self, values: Words) -> None:
        """Tell variables apart by their values in further tests."""
        self._hash = self._hash * np.uint64(0xD6E8FEB86659FD93) + self._hashed(values)
        leaders = [v for group in self._leaders.values() for v in group]
        self._group()
        self._leaders = {}
        for variable in sorted(leaders):
            self.lead(variable)
