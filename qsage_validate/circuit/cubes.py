"""Is a literal ever true?  First one call, then cases: values of the first inputs (cubes).

Easy claims are solved in one call.  A claim that exceeds the conflict budget is split into
cubes, which several processes can share: with the opponent's first move fixed a good part of a
strategy's circuit is constant.  Each cube first gets a short call.  If that does not decide it, it
is swept (``simplify.py``) and solved to the end.

Cases are independent of each other, so that several processes may share them and the answer is
the same: the first case, in the order of the binary numbers, that has an input.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, Aig, AigBuilder, embed
from qsage_validate.circuit.sat import (
    Answer,
    Satisfiable,
    Solver,
    TimedOut,
    Unsatisfiable,
    circuit_clauses,
    load,
)
from qsage_validate.system.limits import NEVER, Deadline, Progress, Stopwatch, Tell, nobody

# Glucose is the quickest on graphs of some ten thousand gates, MiniSat on what takes it a
# few thousand conflicts, and CaDiCaL, which simplifies as it goes, where neither is quick.
_SMALL_SOLVER: Final = "minisat22"
_SOLVER: Final = "glucose4"
_PATIENT_SOLVER: Final = "cadical153"
# Conflicts between two looks at the clock and at pending signals: some tenths of a second.
_SLICE: Final = 1000
# Limits of sweeping: in all, and for one candidate.
_SWEEP_CALLS: Final = 5000
_SWEEP_CONFLICTS: Final = 500


@dataclass(frozen=True, slots=True)
class Splitting:
    """The rules for splitting into cases; they change the cost of an answer, never the answer.

    Every graph is tried whole first, small ones (up to ``small`` gates) for ``first``
    conflicts, then (from ``tiny`` gates on) for ``conflicts``, then swept, and for ``whole``
    conflicts; others for ``conflicts``.  Where that
    fails, 2 to the ``inputs`` cases are made.  Values of so few inputs settle little where a
    literal depends on more than ``many``, as in checks of Herbrand functions, whose opponent has
    all variables of a clausal formula: there graphs are tried longer, for ``whole`` conflicts,
    before anything is swept or split.

    A case that is not decided within ``conflicts`` either is swept and solved to the end.  From
    ``parallel`` gates on, cases are given to other processes (where there are any) at once, below
    when one is not quick.
    """

    tiny: int = 4096
    small: int = 8192
    many: int = 48
    first: int = 3000
    whole: int = 100_000
    inputs: int = 3
    conflicts: int = 20_000
    parallel: int = 100_000


DEFAULT: Final = Splitting()


@dataclass(frozen=True, slots=True)
class Effort:
    """The cost of an answer: SAT calls and their conflicts, cases, gates that sweeping merged."""

    calls: int = 0
    conflicts: int = 0
    cubes: int = 0
    merged: int = 0

    def __add__(self, other: Effort) -> Effort:
        return Effort(
            self.calls + other.calls,
            self.conflicts + other.conflicts,
            self.cubes + other.cubes,
            self.merged + other.merged,
        )


def satisfy_by_cubes(
    aig: Aig,
    literal: int,
    *,
    jobs: int = 1,
    deadline: Deadline = NEVER,
    splitting: Splitting = DEFAULT,
    tell: Tell = nobody,
) -> tuple[Answer, Effort]:
    """Search for an input that makes ``literal`` true, until the deadline.

    The answer is the same for every number of ``jobs``, deadlines apart.  ``tell`` hears how
    many cases of how many are done.
    """
    answer = _trivial(aig, literal)
    if answer is not None:
        return answer, Effort()
    watch = Stopwatch()
    effort = Effort()
    small = aig.num_gates <= splitting.small
    many = len(_inputs(aig, literal)) > splitting.many
    if small:
        answer, effort = _try(aig, literal, _SMALL_SOLVER, splitting.first, deadline)
    if answer is None and (many or splitting.tiny < aig.num_gates <= splitting.small):
        most = splitting.whole if many else splitting.conflicts
        answer, more = _try(aig, literal, _PATIENT_SOLVER, most, deadline)
        effort += more
    if answer is not None:
        return answer, effort
    if small:
        (aig, literal), more = _swept((aig, literal), deadline)
        answer, further = _solve((aig, literal), splitting.whole, deadline)
        effort += more + further
    else:
        answer, more = _try(aig, literal, _SOLVER, splitting.conflicts, deadline)
        effort += more
    if answer is not None:
        return answer, effort
    variables = _inputs(aig, literal)[: splitting.inputs]
    cases = _Cases(aig, literal, variables, splitting, deadline)
    late = False
    with closing(_answers(cases, jobs)) as answers:
        for done, (found, more) in enumerate(answers, start=1):
            effort += more
            if isinstance(found, Satisfiable):
                return found, effort
            late |= found is None
            if late and deadline.over:
                break
            total = cases.count
            tell(Progress("cases", f"{done} of {total} cases", done, total))
    return (TimedOut(watch.seconds) if late else Unsatisfiable()), effort


@dataclass(frozen=True, slots=True)
class _Cases:
    """All cases of a question; picklable, because it is sent to other processes."""

    aig: Aig
    literal: int
    variables: tuple[int, ...]
    splitting: Splitting
    deadline: Deadline

    @property
    def count(self) -> int:
        return 1 << len(self.variables)

    def cube(self, index: int) -> tuple[bool, ...]:
        """The values of ``variables`` in a case; the first variable is the highest bit."""
        return tuple(bool(index >> k & 1) for k in reversed(range(len(self.variables))))

    def graphs(self, first: int, behind: int) -> Iterator[tuple[Aig, int]]:
        """The graphs of the cases ``first .. behind - 1``, one variable fixed after the other.

        Common parts of neighbouring cases are built once.
        """
        path = [(self.aig, self.literal)]
        known: tuple[bool, ...] = ()
        for index in range(first, behind):
            cube = self.cube(index)
            same = 0
            while same < len(known) and known[same] == cube[same]:
                same += 1
            del path[same + 1 :]
            for variable, value in zip(self.variables[same:], cube[same:], strict=True):
                path.append(_fixed(*path[-1], variable, value))
            known = cube
            yield path[-1]

    def satisfiable(self, index: int, inputs: tuple[bool, ...]) -> Satisfiable:
        """The answer with the case's own values put in."""
        fixed = dict(zip(self.variables, self.cube(index), strict=True))
        return Satisfiable(tuple(fixed.get(k, v) for k, v in enumerate(inputs, start=1)))


_Graph = tuple[Aig, int]
_CaseAnswer = tuple[Answer | None, Effort]


def _answers(cases: _Cases, jobs: int) -> Generator[_CaseAnswer, None, None]:
    """The answers of all cases in order (``None``: too late); stops where it is closed."""
    first = 0
    if jobs == 1 or cases.aig.num_gates < cases.splitting.parallel:
        for index, graph in enumerate(cases.graphs(0, cases.count)):
            found, effort = _quick(graph, cases)
            if found is None and jobs > 1:
                break
            if found is None:
                found, more = _patient(graph, cases)
                effort += more
            yield _placed(cases, index, found, effort)
            first = index + 1
    if first < cases.count:
        from qsage_validate.system.pool import ordered_map

        yield from ordered_map(_case, (cases, first), cases.count - first, jobs)


def _case(task: tuple[_Cases, int], offset: int) -> _CaseAnswer:
    """One case, in a process of its own."""
    cases, first = task
    index = first + offset
    (graph,) = cases.graphs(index, index + 1)
    found, effort = _quick(graph, cases)
    if found is None:
        found, more = _patient(graph, cases)
        effort += more
    return _placed(cases, index, found, effort)


def _placed(cases: _Cases, index: int, found: Answer | None, effort: Effort) -> _CaseAnswer:
    if isinstance(found, Satisfiable):
        found = cases.satisfiable(index, found.inputs)
    return found, effort + Effort(cubes=1)


def _trivial(aig: Aig, literal: int) -> Answer | None:
    if literal == FALSE:
        return Unsatisfiable()
    return Satisfiable((False,) * aig.num_inputs) if literal == TRUE else None


def _inputs(aig: Aig, literal: int) -> tuple[int, ...]:
    """The inputs that ``literal`` depends on, in order."""
    cone = aig.cone([literal])
    used = {literal >> 1}
    used.update((aig.fanin0[cone] >> 1).tolist(), (aig.fanin1[cone] >> 1).tolist())
    return tuple(k for k in range(1, aig.num_inputs + 1) if k in used)


def _fixed(aig: Aig, literal: int, variable: int, value: bool) -> tuple[Aig, int]:
    """The cone of ``literal`` with an input fixed; all inputs keep their variables."""
    if literal in (FALSE, TRUE):
        return aig, literal
    builder = AigBuilder(aig.num_inputs)
    inputs = builder.inputs
    inputs[variable - 1] = TRUE if value else FALSE
    fixed, (moved,) = builder.build(embed(builder, aig, inputs, [literal]))
    return fixed, moved


def _quick(graph: _Graph, cases: _Cases) -> _CaseAnswer:
    answer = _trivial(*graph)
    if answer is not None:
        return answer, Effort()
    return _try(*graph, _SOLVER, cases.splitting.conflicts, cases.deadline)


def _patient(graph: _Graph, cases: _Cases) -> _CaseAnswer:
    """Sweep, and solve what remains to the end."""
    if cases.deadline.over:
        return None, Effort()
    swept, effort = _swept(graph, cases.deadline)
    answer, more = _solve(swept, None, cases.deadline)
    return answer, effort + more


def _swept(graph: _Graph, deadline: Deadline) -> tuple[_Graph, Effort]:
    from qsage_validate.circuit.simplify import sweep

    aig, literal = graph
    swept = sweep(aig, [literal], conflicts=_SWEEP_CONFLICTS, calls=_SWEEP_CALLS, deadline=deadline)
    effort = Effort(swept.calls, swept.conflicts, 0, swept.merged)
    return (swept.aig, swept.outputs[0]), effort


def _solve(graph: _Graph, conflicts: int | None, deadline: Deadline) -> _CaseAnswer:
    answer = _trivial(*graph)
    if answer is not None:
        return answer, Effort()
    return _try(*graph, _PATIENT_SOLVER, conflicts, deadline)


def _try(
    aig: Aig, literal: int, name: str, conflicts: int | None, deadline: Deadline
) -> _CaseAnswer:
    """The answer of one solver within its limits; ``None`` when they are reached."""
    if deadline.over:
        return None, Effort()
    clauses = circuit_clauses(aig, keep=[literal])
    with Solver(name=name) as solver:
        load(solver, clauses.literals)
        solver.add_clause([clauses.literal(literal)])
        left = conflicts
        answer: Answer | None = None
        while (left is None or left > 0) and not deadline.over:
            solver.conf_budget(_SLICE)
            found = solver.solve_limited()
            if left is not None:
                left -= _SLICE
            if found is not None:
                answer = Unsatisfiable()
                if found:
                    true = {x for x in solver.get_model() if x > 0}
                    values = (int(clauses.sat_of[k]) for k in range(1, aig.num_inputs + 1))
                    answer = Satisfiable(tuple(v in true for v in values))
                break
        return answer, Effort(1, int(solver.accum_stats()["conflicts"]))
