"""Graphs as clauses, and the SAT solver that is asked about them.

Clauses are one flat ``int32`` array, each clause ended by a 0: a million gates are a few
numpy operations and 40 MB, where lists of lists take seconds and a gigabyte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from pysat import solvers

from qsage_validate.circuit.aig import Aig, Literals

# Clauses of and-inverter graphs, and the quick way of handing clauses to a SAT solver


Flat = NDArray[np.int32]

# Clauses that are Python lists at one time: few enough to stay in the processor's cache and
# below the thresholds of the cyclic garbage collector, which together halves the time.
_PIECE: Final = 1024
_BLOCK: Final = 1 << 17


@dataclass(frozen=True, eq=False)
class CircuitClauses:
    """The clauses that define the gates of a graph, in both directions.

    ``literals`` are the clauses, each ended by 0.  ``sat_of[v]`` is the SAT literal of the
    graph's variable ``v``, shape ``(num_variables + 1,)``; it is 0 for what has none: gates
    that are not needed, inner gates of a wide conjunction, and mostly the constant.
    ``max_variable`` is the largest SAT variable, at least that of the inputs.
    """

    literals: Flat
    sat_of: Literals
    max_variable: int

    def literal(self, aig_literal: int) -> int:
        """The SAT literal of a literal of the graph.

        Raises ``KeyError`` for one without: only what was asked for is sure to have one.
        """
        found = int(self.sat_of[aig_literal >> 1])
        if not found:
            raise KeyError(aig_literal)
        return -found if aig_literal & 1 else found


def circuit_clauses(
    aig: Aig,
    *,
    inputs: Sequence[int] | None = None,
    keep: Sequence[int] = (),
    first: int | None = None,
    known: Literals | None = None,
) -> CircuitClauses:
    """Tseitin's clauses of the gates that the literals ``keep`` of the graph need.

    ``inputs[k]`` is the SAT variable of input ``k + 1`` (default: ``k + 1``).  New SAT variables
    are numbered from ``first`` on (default: behind the inputs).  ``known`` is
    ``sat_of`` of an earlier call for the same graph and inputs, whose clauses the solver has:
    only what is missing is added, and ``first`` must then be given.

    Every SAT variable is equivalent to its gate, so that all values can be read from a model
    (no Plaisted-Greenbaum).  A gate that is only used once, positively, by another gate is
    merged into it: a conjunction of n literals takes n + 1 clauses and one variable, where
    its n - 1 gates take 3n - 3 clauses.

    Raises ``ValueError`` when ``first`` is missing.
    """
    if inputs is None:
        given: Literals = np.arange(1, aig.num_inputs + 1, dtype=np.int32)
    else:
        given = np.asarray(inputs, dtype=np.int32)
    if len(given) != aig.num_inputs:
        raise ValueError(f"{len(given)} variables for {aig.num_inputs} inputs")
    largest = int(given.max(initial=0))
    if known is not None and first is None:
        raise ValueError("more clauses need the number of the first new variable")
    following = largest + 1 if first is None else first

    sat_of = np.zeros(aig.num_variables + 1, dtype=np.int32) if known is None else known.copy()
    sat_of[1 : aig.num_inputs + 1] = given
    gates, owner, leaf = _conjunctions(aig, keep, sat_of != 0)
    new = gates[sat_of[gates] == 0]
    sat_of[new] = np.arange(following, following + len(new), dtype=np.int32)
    following += len(new)
    parts: list[Flat] = []
    constant = (leaf == 0).any() or any(x >> 1 == 0 for x in keep)
    if constant and not sat_of[0]:
        sat_of[0] = following
        parts.append(np.array([-following, 0], dtype=np.int32))
        following += 1

    def sat(literals: Literals) -> Literals:
        signed: Literals = np.where(literals & 1, -sat_of[literals >> 1], sat_of[literals >> 1])
        return signed

    short = np.zeros((len(leaf), 3), dtype=np.int32)
    short[:, 0] = -sat_of[owner]
    short[:, 1] = sat(leaf)
    parts += (short.ravel(), _long_clauses(sat_of[gates], owner, gates, -short[:, 1]))
    return CircuitClauses(np.concatenate(parts), sat_of, max(following - 1, largest))


def _conjunctions(
    aig: Aig, roots: Sequence[int], known: NDArray[np.bool_]
) -> tuple[Literals, Literals, Literals]:
    """The cone of ``roots``, without variables that are ``known``, as wide conjunctions.

    Returns the variables of the gates that remain, in order, and two columns of one length:
    each pair says that a gate (``owner``) has a literal as a conjunct.  Pairs are sorted and
    without repetitions; true conjuncts are left out.
    """
    base = aig.num_inputs + 1
    cone = np.flatnonzero(aig.cone(roots, known[base:])).astype(np.int32)
    fanin0, fanin1 = aig.fanin0[cone], aig.fanin1[cone]
    uses = np.bincount(fanin0, minlength=2 * aig.num_variables + 2)
    uses += np.bincount(fanin1, minlength=2 * aig.num_variables + 2)
    uses[np.asarray(roots, dtype=np.int64) | 1] += 1  # keeps the gate, whatever its sign
    inner = np.zeros(aig.num_variables + 1, dtype=np.bool_)
    inner[cone + base] = True
    inner &= (uses[0::2] == 1) & (uses[1::2] == 0)
    del uses
    owner_of: Literals = np.arange(aig.num_variables + 1, dtype=np.int32)
    for fanin in (fanin0, fanin1):
        merged = inner[fanin >> 1]
        owner_of[fanin[merged] >> 1] = cone[merged] + base
    # Pointer jumping: a chain of n gates takes log2(n) rounds.
    while True:
        further = owner_of[owner_of]
        if np.array_equal(further, owner_of):
            break
        owner_of = further
    pairs = []
    for fanin in (fanin0, fanin1):
        conjunct = ~inner[fanin >> 1] & (fanin != 1)
        owners = owner_of[cone[conjunct] + base].astype(np.int64)
        pairs.append(owners << 32 | fanin[conjunct])
    # Sorted by hand: numpy's own ``unique`` hashes, which is ten times slower here.
    ordered = np.sort(np.concatenate(pairs))
    new = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    unique = ordered[new]
    gates = cone + np.int32(base)
    return (
        gates[~inner[gates]],
        (unique >> 32).astype(np.int32),
        (unique & 0xFFFFFFFF).astype(np.int32),
    )


def _long_clauses(heads: Flat, owner: Literals, gates: Literals, negated: Flat) -> Flat:
    """For each gate the clause of its head and its negated conjuncts."""
    rank_of = np.zeros(int(gates.max(initial=0)) + 1, dtype=np.int64)
    rank_of[gates] = np.arange(len(gates))
    rank = rank_of[owner]
    flat = np.zeros(2 * len(gates) + len(owner), dtype=np.int32)
    sizes = np.bincount(rank, minlength=len(gates)) + 2
    flat[np.cumsum(sizes) - sizes] = heads
    flat[np.arange(len(owner)) + 2 * rank + 1] = negated
    return flat


class ClauseReceiver(Protocol):
    """A receiver of clauses: a ``pysat.solvers.Solver``."""

    def append_formula(self, formula: list[list[int]], no_return: bool = ...) -> object: ...


def load(solver: ClauseReceiver, literals: Flat) -> None:
    """Hand clauses (each ended by 0) to a PySAT solver, piece by piece.

    PySAT takes clauses one by one as Python lists; the lists are made some thousand at a
    time, so that no more memory is needed than the solver's own.  Clauses arrive grouped by
    length within larger blocks; an empty clause makes the solver's formula false.  Raises
    ``ValueError`` when the last clause is not ended.
    """
    ends = np.flatnonzero(literals == 0)
    if len(literals) and (not len(ends) or ends[-1] != len(literals) - 1):
        raise ValueError("the last clause is not ended by 0")
    starts = np.empty_like(ends)
    starts[:1] = 0
    starts[1:] = ends[:-1] + 1
    for at in range(0, len(ends), _BLOCK):
        first = starts[at : at + _BLOCK]
        lengths = ends[at : at + _BLOCK] - first
        for length in np.flatnonzero(np.bincount(lengths)).tolist():
            of_length = first[lengths == length]
            rows = literals[of_length[:, None] + np.arange(length)]
            for piece in range(0, len(rows), _PIECE):
                solver.append_formula(rows[piece : piece + _PIECE].tolist())


# PySAT's solvers, with Ctrl-C as Python knows it; one call about a literal of a graph


_T = TypeVar("_T")

_SLICE: Final = 1000
"""Conflicts after which a search comes up for air: well under a second on most formulas."""


class Solver(solvers.Solver):  # type: ignore[misc]  # PySAT comes without types
    """``pysat.solvers.Solver`` whose searches Ctrl-C ends with ``KeyboardInterrupt``.

    While they search, PySAT's solvers have a handler of Ctrl-C of their own, which leaves
    C++ code by ``longjmp``.  If that happens in ``malloc``, the heap stays locked or
    corrupt, and the program hangs or crashes at the next allocation.  Here the handler is
    never installed: Python's own notes the signal, and raises between two slices of the search.
    """

    _budget: int | None = None

    def between_slices(self) -> None:
        """For subclasses: what is raised here ends the search."""

    def conf_budget(self, budget: int = -1) -> None:
        """The conflicts that the next ``solve_limited`` may use; below 0, as many as it needs."""
        self._budget = None if budget < 0 else budget

    def solve(self, assumptions: Sequence[int] = ()) -> Any:
        self._budget = None
        return self.solve_limited(assumptions)

    def solve_limited(self, assumptions: Sequence[int] = (), expect_interrupt: bool = False) -> Any:
        left, self._budget = self._budget, None
        while True:
            slice_ = _SLICE if left is None else min(left, _SLICE)
            super().conf_budget(slice_)
            answer = _without_handler(
                lambda: super(Solver, self).solve_limited(assumptions, expect_interrupt)
            )
            if left is not None:
                left -= slice_
            if answer is not None or left == 0:
                return answer
            self.between_slices()

    def propagate(self, assumptions: Sequence[int] = (), phase_saving: int = 0) -> Any:
        return _without_handler(lambda: super(Solver, self).propagate(assumptions, phase_saving))


_THEIRS: Final = solvers.MainThread


class _NoMainThread:
    """In any other thread than the main one, where signals never arrive, there is no handler."""

    @staticmethod
    def check() -> bool:
        return False


def _without_handler(search: Callable[[], _T]) -> _T:
    solvers.MainThread = _NoMainThread
    try:
        return search()
    finally:
        solvers.MainThread = _THEIRS


@dataclass(frozen=True, slots=True)
class Satisfiable:
    """``inputs`` make the literal true, one value an input of the graph."""

    inputs: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """The literal is false under every input."""


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The limit of ``seconds`` was reached first."""

    seconds: float


Answer = Satisfiable | Unsatisfiable | TimedOut
