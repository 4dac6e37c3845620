"""Certificates of small formulas by eliminating quantifiers from the inside, on a graph.

``∃x f`` is ``f[x := 0] ∨ f[x := 1]``, and ``f[x := 1]`` is a Skolem function of x: where some
value makes f true, 1 does, or 0 does where 1 does not.  Universal variables are the dual case.
A quantifier goes past whatever does not mention its variable, so that a step copies little of the
graph.  Where the graph grows all the same, what is left of a block is eliminated at once: ``∃X f``
is ``f[X := a] ∨ f[X := b] ∨ ...`` for as many values as a SAT solver finds that make f true where
those before do not.  The first of them that does is the function.  A path on a board, say, has
millions of values, of which some dozens are enough.
Variables that clauses define are gates, and need no step.  The outermost block is not
eliminated: one SAT call decides what is left of the matrix.
The functions of the side that wins, with those of outer variables put in, are a certificate.
This takes no QBF solver and no extra, but each step may double the graph.

Jiang, *Quantifier elimination via functional composition* (CAV 2009).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from itertools import groupby, islice, takewhile
from math import inf
from typing import Final

from qsage_validate.certificates.learning import defined_gates
from qsage_validate.certificates.parts import variables_read
from qsage_validate.circuit.aig import FALSE, TRUE, Aig, AigBuilder, embed, signed
from qsage_validate.circuit.decision import first_true
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.circuit.sat import Satisfiable, Solver, TimedOut, Unsatisfiable
from qsage_validate.circuit.simplify import satisfy, sweep
from qsage_validate.errors import UndecidedError
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.system.limits import NEVER, Deadline

MAX_GATES: Final = 100_000
"""The graph of a step may have so many gates."""

# Below this many gates sweeping costs more than it saves, and so it does before the graph grew.
_SWEEP_FROM: Final = 500
_GROWTH: Final = 1.2
# From this growth on a block is eliminated by values, if so many of its variables are left; more
# values than these are not tried.
_BLOCK_GROWTH: Final = 1.2
_FEW: Final = 6
_MOST_VALUES: Final = 1000
_SOLVER: Final = "cadical195"
_CONFLICTS: Final = 1000
# A function that is tried is asked about for so long.
_TRY_SECONDS: Final = 3.0
_NOTHING: Final[Mapping[int, Sequence[int]]] = {}


@dataclass(frozen=True, slots=True)
class _Choice:
    """A function that makes the matrix true (or false) wherever its variable can do that.

    Its graph has all variables as inputs; it reads only those to the left of its own.
    """

    variable: int
    aig: Aig
    literal: int


def expand(
    formula: Qbf,
    given: CircuitCertificate | None = None,
    *,
    deadline: Deadline = NEVER,
    max_gates: int = MAX_GATES,
    of: CertificateKind | None = None,
    tried: Mapping[int, Sequence[int]] = _NOTHING,
) -> CircuitCertificate:
    """Decide a closed formula, and give functions of the side that wins.

    With ``of`` they are that side's, which win if any do, and nothing is decided where the other
    side has the outermost block.  ``tried`` has for some variables gates or variables of the
    formula that read what stands left of them: these, their complements and the constants become
    functions where that loses nothing.

    ``given`` has functions of some variables of its side, which may read what stands left of
    them.  Then the formula is decided in which they stand for these variables; a certificate of
    that side has them too.

    Raises ``UndecidedError`` at the deadline, or when the graph of a step has more than
    ``max_gates``.
    """
    return _Expansion(formula, given, deadline, max_gates, tried).certificate(of)


class _Expansion:
    def __init__(
        self,
        formula: Qbf,
        given: CircuitCertificate | None,
        deadline: Deadline,
        max_gates: int,
        tried: Mapping[int, Sequence[int]],
    ) -> None:
        self.given = given
        self.known: Mapping[int, int] = {} if given is None else given.functions
        read = frozenset() if given is None else variables_read(given)
        self.variables = {q: formula.variables(q) for q in Quantifier}
        self.formula = formula = _with_definitions(formula, {*self.known, *read})
        self.deadline = deadline
        self.max_gates = max_gates
        self.order = [(v, s.quantifier) for s in formula.scopes for v in s.variables]
        self.place = {v: k for k, (v, _) in enumerate(self.order)}
        builder = AigBuilder(len(self.order))
        literals = {v: builder.inputs[self.place[v]] for v in self.place}
        matrix = formula.add_to(builder, literals)
        wanted = [literals[x] for own in tried.values() for x in own]
        self.first, (self.matrix, *found) = builder.build([matrix, *wanted])
        rest = iter(found)
        self.tried = {v: [TRUE, *islice(rest, len(own))] for v, own in tried.items()}
        self.aig = self.first
        self.swept = 0
        self.choices: dict[int, _Choice] = {}

    def certificate(self, of: CertificateKind | None = None) -> CircuitCertificate:
        open_ = [(v, q) for v, q in self.order if v not in self.known]
        quantifier = open_[0][1] if open_ else Quantifier.EXISTS
        outermost = [v for v, _ in takewhile(lambda pair: pair[1] is quantifier, open_)]
        inner = open_[len(outermost) :]
        first = self.place[inner[0][0]] if inner else len(self.order)
        for known, run in groupby(reversed(self.order[first:]), lambda pair: pair[0] in self.known):
            if known:
                self._put_in([v for v, _ in run])
                continue
            for whose, block in groupby(run, lambda pair: pair[1]):
                # With what is tried, all that is left may belong to the outermost block.
                if any(q is not quantifier for v, q in open_ if v not in self.choices):
                    self._eliminate_block([v for v, _ in block], whose)
        self._put_in([v for v, _ in self.order[:first] if v in self.known])
        if of is not None and quantifier is not of.decides:
            return self._composed(of, {})
        goal = self.matrix ^ (quantifier is Quantifier.FORALL)
        answer = satisfy(self.aig, goal, deadline=self.deadline)
        if isinstance(answer, TimedOut):
            raise UndecidedError("the time for the expansion is over")
        found = isinstance(answer, Satisfiable)
        kind = (
            CertificateKind.SKOLEM
            if found is (quantifier is Quantifier.EXISTS)
            else CertificateKind.HERBRAND
        )
        values = answer.inputs if isinstance(answer, Satisfiable) else ()
        constants = {v: TRUE if values[self.place[v]] else FALSE for v in outermost if found}
        return self._composed(kind, constants)

    # -- steps -----------------------------------------------------------------------------------

    def _put_in(self, variables: Sequence[int]) -> None:
        """The matrix with the given functions in the place of these variables."""
        if self.given is None or not variables:
            return
        builder = AigBuilder(self.aig.num_inputs)
        inputs = list(builder.inputs)
        functions = self._given(self.given, builder, inputs, variables)
        for variable, function in zip(variables, functions, strict=True):
            inputs[self.place[variable]] = function
        self._built(builder, embed(builder, self.aig, inputs, [self.matrix]))

    def _given(
        self,
        given: CircuitCertificate,
        builder: AigBuilder,
        inputs: Sequence[int],
        variables: Sequence[int],
    ) -> list[int]:
        """The given functions of these variables over a literal for each place."""
        # An input that no function reads may be a gate here, which has no place.
        read = [inputs[self.place[v]] if v in self.place else FALSE for v in given.inputs]
        return embed(builder, given.aig, read, [self.known[v] for v in variables])

    def _eliminate_block(self, variables: Sequence[int], quantifier: Quantifier) -> None:
        """Eliminate neighbours of one quantifier, the innermost first."""
        inner = {q for v, q in self.order if v in self.choices}
        if len(inner) > 1 and inner != {quantifier}:
            self._try()
        variables = [v for v in variables if v not in self.choices]
        most = _BLOCK_GROWTH * max(self.aig.num_gates, _SWEEP_FROM)
        for k, variable in enumerate(variables):
            left = variables[k:]
            if self.aig.num_gates > most and len(left) > _FEW:
                if self._eliminate_by_values(left, quantifier):
                    return
                most = inf
            self._eliminate(variable, quantifier)

    def _try(self) -> None:
        """Put in the functions that are tried, where the matrix loses nothing by them."""
        served = Counter[int]()
        for variable, functions in self.tried.items():
            if variable in self.choices:
                continue
            universal = variable in self.formula.variables(Quantifier.FORALL)
            tried = [x ^ sign for x in functions for sign in (0, 1)]
            # What has served another variable is likely to serve this one.
            for k in sorted(range(len(tried)), key=lambda k: -served[k]):
                function = tried[k]
                builder = AigBuilder(self.aig.num_inputs)
                inputs = builder.inputs
                (before,) = embed(builder, self.aig, inputs, [self.matrix])
                (own,) = embed(builder, self.first, inputs, [function])
                inputs[self.place[variable]] = own
                (after,) = embed(builder, self.aig, inputs, [self.matrix])
                lost = builder.and_(before ^ universal, after ^ 1 ^ universal)
                aig, (goal,) = builder.build([lost])
                limit = self.deadline.sooner_by_work(_TRY_SECONDS)
                if isinstance(satisfy(aig, goal, deadline=limit), Unsatisfiable):
                    self._built(builder, [after])
                    self.choices[variable] = _Choice(variable, self.first, function)
                    served[k] += 1
                    break
        self.tried = {}  # they were asked about where what is right of them is settled

    def _eliminate_by_values(self, variables: Sequence[int], quantifier: Quantifier) -> bool:
        """Eliminate all of ``variables`` at once; false where too many values are needed."""
        universal = quantifier is Quantifier.FORALL
        places = [self.place[v] for v in variables]
        values = _FewValues(self.aig, self.matrix ^ universal, places)
        found = values.found(self.deadline, self.max_gates)
        if found is None:
            return False
        builder = values.builder
        firsts = first_true(builder, [condition for _, condition in found])
        # Where no value will do all variables are 0.
        chosen = [
            builder.or_all(
                first for (value, _), first in zip(found, firsts, strict=True) if value[k]
            )
            for k in range(len(variables))
        ]
        left = builder.or_all(condition for _, condition in found)
        wanted = self._built(builder, [left ^ universal, *chosen])
        for variable, literal in zip(variables, wanted[1:], strict=True):
            self.choices[variable] = _Choice(variable, self.aig, literal)
        return True

    def _eliminate(self, variable: int, quantifier: Quantifier) -> None:
        universal = quantifier is Quantifier.FORALL
        step = _Step(self.aig, self.place[variable])
        left, with_one = step.quantified(self.matrix ^ universal)
        wanted = self._built(step.builder, [left ^ universal, with_one])
        # The universal player wants it false, and takes 1 where 1 does that.
        self.choices[variable] = _Choice(variable, self.aig, wanted[1])

    def _built(self, builder: AigBuilder, outputs: Sequence[int]) -> list[int]:
        """The graph of the first of ``outputs``, which is the matrix now."""
        if self.deadline.over:
            raise UndecidedError("the time for the expansion is over")
        aig, found = builder.build(outputs)
        if aig.num_gates >= max(_SWEEP_FROM, _GROWTH * self.swept):
            swept = sweep(aig, found, deadline=self.deadline)
            aig, found = swept.aig, list(swept.outputs)
            self.swept = aig.num_gates
        if aig.num_gates > self.max_gates:
            raise UndecidedError(f"the expansion needs more than {self.max_gates:,} gates")
        self.aig, self.matrix = aig, found[0]
        return found

    # -- functions -------------------------------------------------------------------------------

    def _composed(self, kind: CertificateKind, constants: dict[int, int]) -> CircuitCertificate:
        """The functions over the opponent's variables alone."""
        opponent = tuple(v for v in self.variables[kind.decides.dual] if v not in self.known)
        builder = AigBuilder(len(opponent))
        values: dict[int, int] = dict(zip(opponent, builder.inputs, strict=True)) | constants
        inputs = [values.get(v, FALSE) for v in self.place]
        functions = dict(constants)
        for known, run in groupby(self.order, lambda pair: pair[0] in self.known):
            if known and self.given is not None:
                names = [v for v, _ in run]
                found = self._given(self.given, builder, inputs, names)
                for variable, literal in zip(names, found, strict=True):
                    inputs[self.place[variable]] = literal
                    if self.given.kind is kind:
                        functions[variable] = literal
                continue
            for variable, quantifier in run:
                choice = self.choices.get(variable)
                if choice is not None and quantifier is kind.decides:
                    (literal,) = embed(builder, choice.aig, inputs, [choice.literal])
                    inputs[self.place[variable]] = functions[variable] = literal
        literals = dict(zip(self.place, inputs, strict=True))
        self.formula.add_to(builder, literals)
        defined = (v for v in self.variables[kind.decides] if v in self.formula.gates)
        functions |= {v: literals[v] for v in defined}
        aig, moved = builder.build(list(functions.values()))
        decided = dict(zip(functions, moved, strict=True))
        return CircuitCertificate(
            kind, aig, opponent, decided, Dialect.CAQE, recognised="made here"
        )


def _with_definitions(formula: Qbf, known: Collection[int]) -> Qbf:
    """The formula with gates for the variables that its clauses define, but for ``known`` ones."""
    gates = defined_gates(formula, Quantifier.EXISTS)
    gates = {v: gate for v, gate in gates.items() if v not in known}
    graph = {v: [abs(x) for x in gate.inputs] for v, gate in gates.items()}
    first = {v: gates[v] for v in TopologicalSorter(graph).static_order() if v in gates}
    scopes = (
        Scope(s.quantifier, tuple(v for v in s.variables if v not in gates)) for s in formula.scopes
    )
    return replace(formula, scopes=tuple(scopes), gates={**first, **formula.gates})


class _FewValues:
    """The graph of ``f`` with values in the place of some inputs, beside ``f`` itself.

    Gates that read none of these inputs are there once.
    """

    def __init__(self, aig: Aig, literal: int, places: Sequence[int]) -> None:
        self.builder = AigBuilder(aig.num_inputs)
        self._literal = literal
        self._places = places
        self._clauses = 1
        own = {k + 1 for k in places}
        mentions = [k in own for k in range(aig.num_inputs + 1)]
        self._literals = [FALSE, TRUE]
        for x in self.builder.inputs:
            self._literals += (x, x ^ 1)
        self._gates: list[tuple[int, int, int]] = []
        for gate, (a, b) in enumerate(aig.pairs(), start=aig.num_inputs + 1):
            mentions.append(mentions[a >> 1] or mentions[b >> 1])
            if mentions[-1]:
                self._gates.append((2 * gate, a, b))
            x = FALSE if mentions[-1] else self.builder.and_(self._literals[a], self._literals[b])
            self._literals += (x, x ^ 1)

    def found(self, deadline: Deadline, max_gates: int) -> list[tuple[list[bool], int]] | None:
        """Values that are enough, each with the literal that it makes ``f`` true.

        ``None`` where more are needed than are tried.  Raises ``UndecidedError`` at the deadline.
        """
        found: list[tuple[list[bool], int]] = []
        wanted = self._with(self.builder.inputs)
        with Solver(_SOLVER) as solver:
            while wanted != FALSE and self._solved(solver, wanted, deadline):
                if len(found) == _MOST_VALUES or self.builder.num_gates > max_gates:
                    return None
                true = {x for x in solver.get_model() if x > 0}
                value = [k + 1 in true for k in self._places]
                inputs = self.builder.inputs
                for k, one in zip(self._places, value, strict=True):
                    inputs[k] = TRUE if one else FALSE
                condition = self._with(inputs)
                found.append((value, condition))
                wanted = condition ^ 1
        return found

    def _with(self, inputs: Sequence[int]) -> int:
        """The literal of ``f`` with ``inputs`` in the place of the inputs."""
        literals, and_ = self._literals, self.builder.and_
        for k in self._places:
            literals[2 * k + 2 : 2 * k + 4] = inputs[k], inputs[k] ^ 1
        for at, a, b in self._gates:
            x = and_(literals[a], literals[b])
            literals[at], literals[at + 1] = x, x ^ 1
        return literals[self._literal]

    def _solved(self, solver: Solver, wanted: int, deadline: Deadline) -> bool:
        """Demand one literal more, say what the gates are that are new, and search."""
        builder = self.builder
        last = builder.num_gates + len(builder.inputs)
        for variable in range(self._clauses, last + 1):
            fanins = builder.fanins(2 * variable)
            if fanins is not None:
                a, b = map(signed, fanins)
                solver.append_formula([[-variable, a], [-variable, b], [variable, -a, -b]])
        self._clauses = last + 1
        if wanted != TRUE:
            solver.add_clause([signed(wanted)])
        while True:
            solver.conf_budget(_CONFLICTS)
            answer = solver.solve_limited()
            if answer is not None:
                return bool(answer)
            if deadline.over:
                raise UndecidedError("the time for the expansion is over")


class _Step:
    """A copy of a graph without one of its inputs, which is existential."""

    def __init__(self, aig: Aig, place: int) -> None:
        self.builder = builder = AigBuilder(aig.num_inputs)
        self._left, self._right = aig.fanin0.tolist(), aig.fanin1.tolist()
        self._inputs = aig.num_inputs
        self._mentions = [False] * (place + 1) + [True] + [False] * (aig.num_inputs - place - 1)
        zero, one = [FALSE, TRUE], [FALSE, TRUE]
        for k, literal in enumerate(builder.inputs):
            own = k == place
            zero += (FALSE, TRUE) if own else (literal, literal ^ 1)
            one += (TRUE, FALSE) if own else (literal, literal ^ 1)
        for a, b in zip(self._left, self._right, strict=True):
            mentions = self._mentions[a >> 1] or self._mentions[b >> 1]
            self._mentions.append(mentions)
            low = builder.and_(zero[a], zero[b])
            high = builder.and_(one[a], one[b]) if mentions else low
            zero += (low, low ^ 1)
            one += (high, high ^ 1)
        self._zero, self._one = zero, one
        self._known: dict[int, int] = {}

    def quantified(self, literal: int) -> tuple[int, int]:
        """The literal that some value of the input makes ``literal`` true, and a value that does.

        The second is a literal: the value 1 makes ``literal`` true there, where any does.
        """
        mentioning = [x for x in self._parts(literal) if self._mentions[x >> 1]]
        return self._without(literal), self.builder.and_all(self._one[x] for x in mentioning)

    def _without(self, literal: int) -> int:
        if not self._mentions[literal >> 1]:
            return self._zero[literal]
        if literal not in self._known:
            self._known[literal] = self._pushed(literal)
        return self._known[literal]

    def _pushed(self, literal: int) -> int:
        """The quantifier goes into disjunctions, and past conjuncts without the variable."""
        builder = self.builder
        if literal & 1:
            parts = list(self._parts(literal ^ 1))
            if len(parts) > 1:
                return builder.or_all(self._without(part ^ 1) for part in parts)
        parts = list(self._parts(literal))
        inside = [x for x in parts if self._mentions[x >> 1]]
        outside = [self._zero[x] for x in parts if not self._mentions[x >> 1]]
        if len(inside) == 1 and outside:
            return builder.and_all([*outside, self._without(inside[0])])
        low, high = (builder.and_all(of[x] for x in inside) for of in (self._zero, self._one))
        return builder.and_all([*outside, builder.or_(low, high)])

    def _parts(self, literal: int) -> Iterator[int]:
        """The conjuncts of a literal, each once."""
        pending, seen = [literal], {literal}
        while pending:
            part = pending.pop()
            if part & 1 or part >> 1 <= self._inputs:
                yield part
                continue
            gate = (part >> 1) - self._inputs - 1
            for child in (self._left[gate], self._right[gate]):
                if child not in seen:
                    seen.add(child)
                    pending.append(child)
