"""Graphs made smaller by SAT or by truth tables; and questions asked behind lemmas.

*Equal gates.*  Simulation finds candidates: gates whose values (or complements) agree on some
thousand random inputs.  A SAT solver with a limit on its conflicts proves or refutes each; what
it refutes gives inputs that tell further candidates apart.  Gates are visited in order and
rebuilt over what was merged already, so that each question is about two gates whose cones have
mostly met.

Kuehlmann, Paruthi, Krohm and Ganai, *Robust Boolean reasoning for equivalence checking and
functional property verification*, IEEE TCAD 21(12), 2002.  Nothing is merged without a proof.

*Don't-cares.*  There is a circuit of *functions* and a *judge*, a second circuit that reads them
and says where they fail.  A gate of the functions is replaced by a constant, an input, another
gate or the conjunction of two of them whenever the judge still never says so.  Which values of a
gate matter is seen by simulating what the judge says of its complement: where that is no failure,
the value is a don't-care.  Every replacement is proved by a SAT solver; what it refutes is
simulated from then on.

Mishchenko and Brayton, *SAT-based complete don't-care computation for network optimization*,
DATE 2005; resubstitution as in Mishchenko, Chatterjee and Brayton, *DAG-aware AIG rewriting*,
DAC 2006.

*Lemmas.*  A question about a strategy is hard as a whole and easy ply by ply, for those who know
what holds after each ply.  They say so in *lemmas*, clauses over the literals of the graph, in
*steps*.  A lemma is proved by a SAT solver that has clauses of gates of the graph and lemmas
proved before it, and is used only then; one that is refuted, or takes too long, is left out. So
lemmas can be wrong without doing harm: the answer does not depend on them, only what it takes.

A step names gates at which it stops looking (*cuts*): how they come about is left out, so that the
question stays small.  A statement that is proved with fewer clauses holds with all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import FALSE, TRUE, Aig, AigBuilder, embed
from qsage_validate.circuit.decision import DenseTables
from qsage_validate.circuit.sat import (
    Answer,
    Satisfiable,
    Solver,
    TimedOut,
    Unsatisfiable,
    circuit_clauses,
    load,
)
from qsage_validate.circuit.simulate import PLAYS_PER_WORD, GraphSimulator, Words, pack, unpack
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody

# Sweeping: gates that are equal, or constant, under all inputs become one (SAT sweeping)


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
            if pair is None:
                continue
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


# Smaller circuits where not every value matters: replacing gates while a claim still holds


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


# Graphs of few inputs, rebuilt from truth tables


MOST_TABULATED: Final = 14
"""Graphs of at most so many inputs are made of truth tables."""


def tabulated(aig: Aig, outputs: Sequence[int]) -> tuple[Aig, list[int]]:
    """An equivalent graph that is built from the truth tables of the outputs.

    What solvers leave is mostly much larger.  The time doubles with each input; raises
    ``ValueError`` for more than ``MOST_TABULATED``.
    """
    count = aig.num_inputs
    if count > MOST_TABULATED:
        raise ValueError(f"{count} inputs, expected at most {MOST_TABULATED}")
    rows = np.arange(1 << count)[:, None] >> np.arange(count)[::-1] & 1
    values = unpack(GraphSimulator(aig, outputs).run(pack(rows.astype(np.bool_))), 1 << count)
    builder, every = AigBuilder(count), (1 << (1 << count)) - 1
    tables = DenseTables(builder, builder.inputs)
    found = []
    for column in values.T:
        packed = np.packbits(column, bitorder="little").tobytes()
        ones = int.from_bytes(packed, "little")
        found.append(tables.build(0, ones, every ^ ones))
    return builder.build(found)


# Is a literal ever true? Asked behind lemmas: clauses that are proved first, one by one


Clause = tuple[int, ...]
"""Literals of a graph, one of which is true."""

# Limits of conflicts: for one lemma, and between two looks at the clock.
_LEMMA_CONFLICTS: Final = 5000
_SLICE: Final = 1000


@dataclass(frozen=True, slots=True)
class LemmaMethod:
    """A way to prove lemmas.

    ``cuts`` are literals of the graph (the sign does not matter); ``uses`` are the numbers of
    earlier steps whose lemmas help.
    """

    cuts: tuple[int, ...] = ()
    uses: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LemmaBatch:
    """Lemmas that are proved together; each attempt is made on what those before have left."""

    lemmas: tuple[Clause, ...]
    attempts: tuple[LemmaMethod, ...] = (LemmaMethod(),)


@dataclass(frozen=True, slots=True)
class LemmaEffort:
    """The cost of lemmas: numbers of proved, refuted and open ones, and all conflicts."""

    proved: int = 0
    refuted: int = 0
    open: int = 0
    conflicts: int = 0

    def __add__(self, other: LemmaEffort) -> LemmaEffort:
        return LemmaEffort(
            self.proved + other.proved,
            self.refuted + other.refuted,
            self.open + other.open,
            self.conflicts + other.conflicts,
        )


def satisfy_with_lemmas(
    aig: Aig,
    literal: int,
    steps: Sequence[LemmaBatch],
    *,
    conflicts: int | None = None,
    deadline: Deadline = NEVER,
) -> tuple[Answer | None, LemmaEffort]:
    """Search for an input that makes ``literal`` true, after proving what holds of ``steps``.

    The question itself is asked without cuts, behind the lemmas of the last step.  ``None``
    when its ``conflicts``, or the deadline, are reached.
    """
    if literal in (FALSE, TRUE):
        return Satisfiable((False,) * aig.num_inputs) if literal else Unsatisfiable(), LemmaEffort()
    graph = _Gates(aig)
    proved: list[list[Clause]] = []
    effort = LemmaEffort()
    for step in steps:
        pending = step.lemmas
        held: list[Clause] = []
        for attempt in step.attempts:
            with _Prover(graph, attempt.cuts, deadline) as prover:
                for number in attempt.uses:
                    for clause in proved[number]:
                        prover.add(clause)
                for clause in held:
                    prover.add(clause)
                results = [(clause, prover.prove(clause)) for clause in pending]
                effort += prover.effort
            held += [clause for clause, holds in results if holds]
            pending = tuple(clause for clause, holds in results if not holds)
            if not pending:
                break
        proved.append(held)
    with _Prover(graph, (), deadline) as prover:
        for clause in proved[-1] if proved else ():
            prover.add(clause)
        answer = prover.ask(literal, conflicts)
        return answer, effort + prover.effort


class _Gates:
    """The gates of a graph as Python lists."""

    def __init__(self, aig: Aig) -> None:
        self.num_inputs = aig.num_inputs
        self.left, self.right = aig.fanin0.tolist(), aig.fanin1.tolist()


class _Prover:
    """A solver that has the gates that it was asked about, down to the cuts, and lemmas."""

    def __init__(self, gates: _Gates, cuts: Sequence[int], deadline: Deadline) -> None:
        self._gates = gates
        self._deadline = deadline
        self._proved = self._refuted = self._open = 0
        self._solver = Solver(_SOLVER)
        # The solver's variables in the order in which they are met; the first is false.
        self._sat_of: dict[int, int] = {0: 1}
        self._solver.add_clause([-1])
        self._cuts = {literal >> 1 for literal in cuts}

    def __enter__(self) -> _Prover:
        return self

    def __exit__(self, *error: object) -> None:
        self._solver.delete()

    @property
    def effort(self) -> LemmaEffort:
        """The cost so far."""
        conflicts = int(self._solver.accum_stats()["conflicts"])
        return LemmaEffort(self._proved, self._refuted, self._open, conflicts)

    def add(self, lemma: Clause) -> None:
        self._solver.add_clause([self._sat(x) for x in lemma])

    def prove(self, lemma: Clause) -> bool:
        """Try to prove a clause, and take it."""
        if TRUE in lemma or self._deadline.over:
            return False
        clause = [self._sat(x) for x in lemma if x != FALSE]
        self._solver.conf_budget(_LEMMA_CONFLICTS)
        answer = self._solver.solve_limited(assumptions=[-x for x in clause])
        if answer is None:
            self._open += 1
        elif answer:
            self._refuted += 1
        else:
            self._proved += 1
            self._solver.add_clause(clause)
        return answer is False

    def ask(self, literal: int, conflicts: int | None) -> Answer | None:
        """The answer whether ``literal`` can be true, from a solver without cuts."""
        goal = self._sat(literal)
        left = conflicts
        while (left is None or left > 0) and not self._deadline.over:
            self._solver.conf_budget(_SLICE)
            found = self._solver.solve_limited(assumptions=[goal])
            if left is not None:
                left -= _SLICE
            if found is None:
                continue
            if not found:
                return Unsatisfiable()
            true = {x for x in self._solver.get_model() if x > 0}
            inputs = range(1, self._gates.num_inputs + 1)
            return Satisfiable(tuple(self._sat_of.get(v) in true for v in inputs))
        return None

    def _sat(self, literal: int) -> int:
        """The SAT literal, with its cone down to the cuts given to the solver."""
        found = self._sat_of.get(literal >> 1)
        if found is None:
            found = self._load(literal >> 1)
        return -found if literal & 1 else found

    def _load(self, variable: int) -> int:
        sat_of, cuts, add = self._sat_of, self._cuts, self._solver.add_clause
        first, left, right = self._gates.num_inputs + 1, self._gates.left, self._gates.right
        wanted = sat_of[variable] = len(sat_of) + 1
        pending = [variable]
        while pending:
            gate = pending.pop()
            if gate < first or gate in cuts:
                continue
            sides = []
            for side in (left[gate - first], right[gate - first]):
                sat = sat_of.get(side >> 1)
                if sat is None:
                    sat = sat_of[side >> 1] = len(sat_of) + 1
                    pending.append(side >> 1)
                sides.append(-sat if side & 1 else sat)
            own, (a, b) = sat_of[gate], sides
            add([-own, a])
            add([-own, b])
            add([own, -a, -b])
        return wanted


# One question about a graph as it is


# Conflicts between two looks at the clock and at pending signals: some tenths of a second.
# CaDiCaL goes on where it stopped, so that slices cost nothing.
_LOOK_EVERY: Final = 500
_WHOLE_SOLVER: Final = "cadical195"


def satisfy(aig: Aig, literal: int, *, deadline: Deadline = NEVER) -> Answer:
    """Search for an input that makes ``literal`` true, until the deadline."""
    if literal == FALSE:
        return Unsatisfiable()
    if literal == TRUE:
        return Satisfiable((False,) * aig.num_inputs)
    clauses = circuit_clauses(aig, keep=[literal])
    with Solver(name=_WHOLE_SOLVER) as solver:
        load(solver, clauses.literals)
        solver.add_clause([clauses.literal(literal)])
        while not deadline.over:
            solver.conf_budget(_LOOK_EVERY)
            answer = solver.solve_limited()
            if answer is not None:
                if not answer:
                    return Unsatisfiable()
                true = {x for x in solver.get_model() if x > 0}
                values = (int(clauses.sat_of[k]) for k in range(1, aig.num_inputs + 1))
                return Satisfiable(tuple(v in true for v in values))
    return TimedOut(deadline.seconds)
