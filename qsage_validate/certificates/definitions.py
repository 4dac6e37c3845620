"""Certificates of a form that helps the check: clauses that define, and decision lists.

Pedant writes a block of clauses for each variable: gates over helper variables of its own, in
ascending order, and last what ties the variable to them.  So each clause belongs to the
variable of its block when it has it, else to its largest helper.  The clauses of a variable
``v`` define it when, whatever the other variables are, some clause forces it to one value and
none to the other; when no definition goes in a circle, the clause set is a circuit.

Functions that were extracted from a proof by resolution are decision lists: one condition after
the other, each the negation of a clause that the proof derives, and the first that holds gives the
value (Balabanov and Jiang, *Unified QBF certification and its applications*, FMSD 2012).  Where the
certificate is right no condition ever holds while the matrix has the value that loses, and each
follows from those before it within a few conflicts.  So conditions are asked about in the order of
the lists, and what cannot hold is given to the solver.  That is the order in which the proof
derived them, and the whole question is what remains.  One call has to find the order by itself.
Nothing is believed about where functions come from: the solver has the matrix, the functions and
what it refuted itself.  Where conditions are not refuted soon, the lists give no answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise
from typing import Final

import numpy as np

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.cubes import Effort
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.sat import Solver, load
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    ClauseCertificate,
    dont_cares,
    opponent_variables,
)
from qsage_validate.kernel.composition import Definitions, NotDefinitionalError
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody

Clauses = list[list[int]]


def definitions(
    certificate: ClauseCertificate, formula: Qbf | None = None, *, choose: bool = False
) -> Definitions:
    """Read the definitions; raises :class:`NotDefinitionalError` when they are none.

    Where a variable is open it is false; with ``choose``, an input says what it is.
    """
    opponent = opponent_variables(certificate, formula)
    groups = _group(certificate, frozenset(opponent))
    order = _topological(groups, frozenset(opponent))
    builder = AigBuilder(len(opponent))
    literals = dict(zip(opponent, builder.inputs, strict=True))
    contradictions: dict[int, int] = {}
    openings: dict[int, int] = {}
    choices: list[int] = []
    for variable in order:
        forced = {
            sign: builder.or_all(
                builder.and_all(literals[abs(x)] ^ (x > 0) for x in clause if x != sign * variable)
                for clause in groups[variable]
                if sign * variable in clause
            )
            for sign in (1, -1)
        }
        literals[variable] = forced[1]
        contradictions[variable] = builder.and_(forced[1], forced[-1])
        openings[variable] = builder.and_(forced[1] ^ 1, forced[-1] ^ 1)
        if choose and openings[variable] != FALSE:
            choices.append(variable)
            chosen = builder.and_(openings[variable], builder.input())
            literals[variable] = builder.or_(forced[1], chosen)
    decided = None if formula is None else set(formula.variables(certificate.kind.decides))
    functions = {
        v: literals[v]
        for v in sorted(groups)
        if (v in decided if decided is not None else v in certificate.defined)
    }
    extra = {v: literals[v] for v in sorted(certificate.defined & groups.keys() - functions.keys())}
    roots = [functions, extra, contradictions, openings]
    aig, built = builder.build([literal for group in roots for literal in group.values()])
    values = iter(built)
    circuit = CircuitCertificate(
        kind=certificate.kind,
        aig=aig,
        inputs=(*opponent, *(-v for v in choices)),
        functions={v: next(values) for v in functions},
        dialect=certificate.dialect,
        path=certificate.path,
        extra={v: next(values) for v in extra},
        recognised=certificate.recognised,
    )
    return Definitions(
        circuit,
        {v: next(values) for v in contradictions},
        {v: next(values) for v in openings},
        tuple(choices),
    )


def _group(certificate: ClauseCertificate, opponent: Collection[int]) -> dict[int, Clauses]:
    groups: dict[int, Clauses] = {}
    no_helpers = certificate.defined | set(opponent)
    for owner, clause in _owned_clauses(certificate):
        variables = {abs(x) for x in clause}
        if len(variables) < len(set(clause)):
            continue  # a tautology
        if owner in variables:
            variable = owner
        else:
            helpers = variables - no_helpers
            if not helpers:
                raise NotDefinitionalError(f"the clause {_text(clause)} defines no variable")
            variable = max(helpers)
        groups.setdefault(variable, []).append(clause)
    return groups


def _owned_clauses(certificate: ClauseCertificate) -> Iterator[tuple[int, list[int]]]:
    """Each clause with the variable of the block that it stands in."""
    flat = certificate.literals.tolist()
    starts = [*certificate.blocks, (0, len(flat))]
    if starts[0][1] > 0:
        raise NotDefinitionalError("some clauses stand before the first model")
    for (owner, start), (_, end) in pairwise(starts):
        while start < end:
            stop = flat.index(0, start)
            yield owner, flat[start:stop]
            start = stop + 1


def _topological(groups: Mapping[int, Clauses], opponent: Collection[int]) -> list[int]:
    """The defined variables in topological order."""
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for variable, clauses in groups.items():
        used = {abs(x) for clause in clauses for x in clause} - {variable}
        for other in used:
            if other not in groups and other not in opponent:
                raise NotDefinitionalError(f"the variable {other} is used but not defined")
        sorter.add(variable, *(v for v in used if v in groups))
    try:
        return list(sorter.static_order())
    except CycleError as error:
        cycle = ", ".join(map(str, error.args[1][:8]))
        raise NotDefinitionalError(f"definitions go in a circle: {cycle}") from None


def _text(clause: list[int]) -> str:
    return " ".join(map(str, (*clause[:8], 0)))


# The check of functions that are decision lists, step by step


# The quickest of PySAT's solvers at small incremental questions.
_SOLVER: Final = "minisat22"
# Conflicts for one condition: a few need thousands by themselves, and none once those behind them
# are known.  With 20 twice as many are needed in all.
_CONFLICTS: Final = 200
# Conflicts for what remains.
_REST: Final = 10_000
# So many conditions may stay open, besides one of so many.
_OPEN: Final = 20
_SHARE: Final = 20


def proved_by_lists(
    formula: Qbf,
    circuit: CircuitCertificate,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> tuple[bool, Effort]:
    """True if it is proved that no choice of the opponent's beats the functions.

    False says nothing: the functions are no decision lists, are wrong, or take too long.
    """
    lists = _Lists(formula, circuit)
    conditions = lists.conditions()
    with Solver(_SOLVER) as solver:
        load(solver, np.fromiter(chain.from_iterable(lists.clauses()), dtype=np.int32))
        proved, calls = _followed(solver, lists, conditions, deadline, tell)
        return proved, Effort(calls, int(solver.accum_stats()["conflicts"]))


def _followed(
    solver: Solver, lists: _Lists, conditions: list[int], deadline: Deadline, tell: Tell
) -> tuple[bool, int]:
    """Whether the solver has a contradiction in the end, and the number of calls."""
    missed = 0
    total = len(conditions)
    for done, gate in enumerate(conditions):
        if deadline.over or missed > _OPEN + done // _SHARE:
            return False, done
        if done % 64 == 0:
            tell(Progress("conditions", f"{done:,} of {total:,} conditions", done, total))
        variable = lists.sat_of[gate]
        solver.conf_budget(_CONFLICTS)
        if solver.solve_limited(assumptions=[variable]) is not False:
            missed += 1
        elif not solver.get_core():
            return True, done + 1  # a contradiction without the condition
        else:
            solver.add_clause([-variable])
    solver.conf_budget(_REST)
    return solver.solve_limited() is False, total + 1


class _Lists:
    """The functions' conditions, and the clauses of matrix and functions.

    A *condition* is a gate that is a conjunction of variables of the formula alone, with those
    that other functions decide; all other gates are steps of the lists.  ``sat_of`` has the SAT
    variable of a gate, negated where a function is its complement.
    """

    def __init__(self, formula: Qbf, circuit: CircuitCertificate) -> None:
        aig = circuit.aig
        self._formula = formula
        self._circuit = circuit
        self._base = aig.num_inputs + 1
        self._left, self._right = aig.fanin0.tolist(), aig.fanin1.tolist()
        self.sat_of = dict(enumerate(circuit.inputs, start=1))
        levels = formula.levels()
        # Innermost first: what is derived of them reads the others.
        self._functions = sorted(circuit.functions.items(), key=lambda item: -levels[item[0]])
        for variable, literal in reversed(self._functions):
            if literal >> 1:
                self.sat_of.setdefault(literal >> 1, -variable if literal & 1 else variable)
        self._named = frozenset(self.sat_of)
        self._simple = self._simple_gates()
        self._leaves: dict[int, list[int]] = {}

    def _simple_gates(self) -> bytearray:
        named, simple = self._named, bytearray(self._base)
        for left, right in zip(self._left, self._right, strict=True):
            simple.append(
                (left >> 1 in named or (not left & 1 and simple[left >> 1]))
                and (right >> 1 in named or (not right & 1 and simple[right >> 1]))
            )
        return simple

    def _conjuncts(self, gate: int) -> list[int]:
        """The literals that a gate is the conjunction of, without repetitions."""
        found = self._leaves.get(gate)
        if found is not None:
            return found
        fanins = (self._left[gate - self._base], self._right[gate - self._base])
        seen: dict[int, None] = {}
        pending = list(reversed(fanins))
        simple = self._simple[gate]
        while pending:
            literal = pending.pop()
            below = literal >> 1
            whole = literal & 1 or below < self._base or below in self._named
            if whole or (self._simple[below] and not simple):
                seen[literal] = None
            elif below in self._leaves:
                seen.update(dict.fromkeys(self._leaves[below]))
            else:
                pending += (self._right[below - self._base], self._left[below - self._base])
        self._leaves[gate] = list(seen)
        return self._leaves[gate]

    # --- The order

    def _runs(self, root: int) -> list[list[int]]:
        """The conditions of a function, step by step of its list."""
        runs: list[list[int]] = []
        seen: set[int] = set()
        steps = [root]
        while steps:
            run: list[int] = []
            following: list[int] = []
            for gate in steps:
                below = [gate] if self._simple[gate] else [x >> 1 for x in self._conjuncts(gate)]
                for other in below:
                    if other < self._base or other in seen:
                        continue
                    if other in self._named and other != root:
                        continue
                    seen.add(other)
                    (run if self._simple[other] else following).append(other)
            if run:
                runs.append(run)
            steps = following
        return runs

    def conditions(self) -> list[int]:
        """All conditions, each behind those that stand before it in any list, where that goes."""
        roots = [x >> 1 for _, x in self._functions if x >> 1 >= self._base]
        lists = [runs for root in dict.fromkeys(roots) if (runs := self._runs(root))]
        places: dict[int, list[tuple[int, int]]] = {}
        for k, runs in enumerate(lists):
            for step, run in enumerate(runs):
                for gate in run:
                    places.setdefault(gate, []).append((k, step))
        left = [[len(run) for run in runs] for runs in lists]
        at = [0] * len(lists)
        order: dict[int, None] = {}

        def take(gate: int) -> None:
            order[gate] = None
            for k, step in places[gate]:
                left[k][step] -= 1
                while at[k] < len(left[k]) and not left[k][at[k]]:
                    at[k] += 1

        while len(order) < len(places):
            before = len(order)
            for k, runs in enumerate(lists):
                while at[k] < len(runs):
                    ready = [
                        gate
                        for gate in runs[at[k]]
                        if gate not in order and all(step <= at[j] for j, step in places[gate])
                    ]
                    if not ready:
                        break
                    for gate in ready:
                        take(gate)
            if len(order) == before:  # the lists go in a circle
                _, k = min((at[k], k) for k, runs in enumerate(lists) if at[k] < len(runs))
                take(next(gate for gate in lists[k][at[k]] if gate not in order))
        return list(order)

    # --- The clauses

    def clauses(self) -> Iterator[list[int]]:
        """Of the matrix that loses, and of all functions, each ended by 0."""
        formula, circuit = self._formula, self._circuit
        lost = -formula.output if circuit.kind is CertificateKind.SKOLEM else formula.output
        yield [lost, 0]
        for clause in formula.clauses():
            yield [*clause, 0]
        for variable in dont_cares(circuit, formula):
            yield [-variable, 0]
        self.sat_of[0] = formula.max_variable + 1
        yield [-self.sat_of[0], 0]
        self._following = formula.max_variable + 2
        done: set[int] = set()
        for variable, literal in self._functions:
            value = self._sat(literal)
            if value != variable:
                yield [-variable, value, 0]
                yield [variable, -value, 0]
            yield from self._gates(literal >> 1, done)

    def _gates(self, root: int, done: set[int]) -> Iterator[list[int]]:
        """Tseitin's clauses of the gates below and with ``root`` that are not done."""
        pending = [root]
        while pending:
            gate = pending.pop()
            if gate < self._base or gate in done:
                continue
            done.add(gate)
            below = self._conjuncts(gate)
            own = self._sat(2 * gate)
            literals = [self._sat(x) for x in below]
            yield [own, *(-x for x in literals), 0]
            for x in literals:
                yield [-own, x, 0]
            pending += (x >> 1 for x in below)

    def _sat(self, literal: int) -> int:
        found = self.sat_of.get(literal >> 1)
        if found is None:
            found = self.sat_of[literal >> 1] = self._following
            self._following += 1
        return -found if literal & 1 else found
