"""Claims about plays, refuted by SAT in the order of the plies.

A claim is a literal that must never be true.  Claims are tried from the first ply to the last,
so that the first one that fails gives a play which is minimal in plies; each one that holds is
handed to the solver as a lemma for the later ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.sat import Solver, circuit_clauses, load
from qsage_validate.errors import counted
from qsage_validate.kernel.player import FindingKind
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody

_Name = TypeVar("_Name", bound=Hashable)

_SOLVER: Final = "cadical195"
# Conflicts between two looks at the clock and at pending signals.
_SLICE: Final = 500


@dataclass(frozen=True, slots=True)
class Claim:
    """``wrong`` must be false in every play; ``ply`` is the number of plies it needs."""

    kind: FindingKind
    ply: int
    wrong: int
    text: str


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The first claim that fails and the values of the graph's inputs at which it does."""

    claim: Claim
    inputs: Mapping[int, bool]


class ClaimsTimeoutError(Exception):
    """The time ran out; ``done`` claims had been proved."""

    def __init__(self, done: int) -> None:
        super().__init__(f"{counted(done, 'claim')} proved")
        self.done = done


def first_failure(
    builder: AigBuilder,
    claims: Sequence[Claim],
    assumed: Sequence[int] = (),
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> Counterexample | None:
    """The first claim, in the order of the plies, that fails while ``assumed`` literals hold.

    ``None`` when none does.  Raises ``ClaimsTimeoutError`` at the deadline.
    """
    return next(failures(builder, claims, assumed, deadline=deadline, tell=tell), None)


def failures(
    builder: AigBuilder,
    claims: Sequence[Claim],
    assumed: Sequence[int] = (),
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    skip: Callable[[Claim], bool] = lambda claim: False,
) -> Iterator[Counterexample]:
    """Every claim that fails, in the order of the plies, but for those that are to be skipped.

    Raises ``ClaimsTimeoutError`` at the deadline.
    """
    ordered = [c for c in sorted(claims, key=lambda c: c.ply) if c.wrong != FALSE]
    if FALSE in assumed:
        return
    aig, moved = builder.build([*(c.wrong for c in ordered), *assumed])
    clauses = circuit_clauses(aig, keep=moved)
    with Solver(_SOLVER) as solver:
        load(solver, clauses.literals)
        for literal in moved[len(ordered) :]:
            solver.add_clause([clauses.literal(literal)])
        for done, (claim, root) in enumerate(zip(ordered, moved, strict=False)):
            total = len(ordered)
            if skip(claim):
                continue
            tell(Progress("claims", f"{done} of {total} claims", done, total))
            wrong = [clauses.literal(root)]
            if done + 1 == total:  # nothing comes behind it: a clause, which simplifies
                solver.add_clause(wrong)
            answer: bool | None = None
            while answer is None:
                if deadline.over:
                    raise ClaimsTimeoutError(done)
                solver.conf_budget(_SLICE)
                answer = solver.solve_limited(assumptions=wrong)
            if answer:
                true = {x for x in solver.get_model() if x > 0}
                values = {k: int(clauses.sat_of[k]) in true for k in range(1, aig.num_inputs + 1)}
                yield Counterexample(claim, values)
            else:
                solver.add_clause([-wrong[0]])


def evaluate(
    builder: AigBuilder, wanted: Mapping[_Name, int], inputs: Mapping[int, bool]
) -> dict[_Name, bool]:
    """The values of literals of a graph (by name) under values of its inputs (from 1)."""
    aig, outputs = builder.build(list(wanted.values()))
    values = [False, *(inputs[k] for k in range(1, aig.num_inputs + 1))]
    for left, right in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
        values.append(values[left >> 1] != bool(left & 1) and values[right >> 1] != bool(right & 1))
    return {
        name: values[literal >> 1] != bool(literal & 1)
        for name, literal in zip(wanted, outputs, strict=True)
    }
