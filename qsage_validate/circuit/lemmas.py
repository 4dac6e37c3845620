"""Is a literal ever true?  Asked behind lemmas: clauses that are proved first, one by one.

A question about a strategy is hard as a whole and easy ply by ply, for those who know what
holds after each ply.  They say so in *lemmas*, clauses over the literals of the graph, in
*steps*.  A lemma is proved by a SAT solver that has clauses of gates of the graph and lemmas
proved before it, and is used only then; one that is refuted, or takes too long, is left out.
So lemmas can be wrong without doing harm: the answer does not depend on them, only what it takes.

A step names gates at which it stops looking (*cuts*): how they come about is left out, so that the
question stays small.  A statement that is proved with fewer clauses holds with all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, Aig
from qsage_validate.circuit.sat import Answer, Satisfiable, Solver, Unsatisfiable
from qsage_validate.system.limits import NEVER, Deadline

Clause = tuple[int, ...]
"""Literals of a graph, one of which is true."""

# The quickest of PySAT's solvers at small incremental questions.
_SOLVER: Final = "minisat22"
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
