"""Certificates of small formulas by eliminating quantifiers from the inside, on a graph.

``∃x f`` is ``f[x := 0] ∨ f[x := 1]``, and ``f[x := 1]`` is a Skolem function of x: where some
value makes f true, 1 does, or 0 does where 1 does not.  Universal variables are the dual case.
A quantifier goes past whatever does not mention its variable, so that a step copies little of the
graph.  Variables that clauses define are gates, and need no step.  The outermost block is not
eliminated: one SAT call decides what is left of the matrix.
The functions of the side that wins, with those of outer variables put in, are a certificate.
This takes no QBF solver and no extra, but each step may double the graph.

Jiang, *Quantifier elimination via functional composition* (CAV 2009).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from itertools import groupby, takewhile
from typing import Final

from qsage_validate.certificates.learning import defined_gates
from qsage_validate.certificates.parts import variables_read
from qsage_validate.circuit.aig import FALSE, TRUE, Aig, AigBuilder, embed
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.circuit.sat import Satisfiable, TimedOut
from qsage_validate.circuit.simplify import satisfy, sweep
from qsage_validate.errors import UndecidedError
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.system.limits import NEVER, Deadline

MAX_GATES: Final = 100_000
"""The graph of a step may have so many gates."""

# Below this many gates sweeping costs more than it saves, and so it does before the graph grew.
_SWEEP_FROM: Final = 500
_GROWTH: Final = 1.2


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
) -> CircuitCertificate:
    """Decide a closed formula, and give functions of the side that wins.

    ``given`` has functions of some variables of its side, which may read what stands left of
    them.  Then the formula is decided in which they stand for these variables; a certificate of
    that side has them too.

    Raises ``UndecidedError`` at the deadline, or when the graph of a step has more than
    ``max_gates``.
    """
    return _Expansion(formula, given, deadline, max_gates).certificate()


class _Expansion:
    def __init__(
        self, formula: Qbf, given: CircuitCertificate | None, deadline: Deadline, max_gates: int
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
        matrix = formula.add_to(builder, {v: builder.inputs[self.place[v]] for v in self.place})
        self.aig, (self.matrix,) = builder.build([matrix])
        self.swept = 0
        self.choices: dict[int, _Choice] = {}

    def certificate(self) -> CircuitCertificate:
        open_ = [(v, q) for v, q in self.order if v not in self.known]
        quantifier = open_[0][1] if open_ else Quantifier.EXISTS
        outermost = [v for v, _ in takewhile(lambda pair: pair[1] is quantifier, open_)]
        inner = open_[len(outermost) :]
        first = self.place[inner[0][0]] if inner else len(self.order)
        for known, run in groupby(reversed(self.order[first:]), lambda pair: pair[0] in self.known):
            if known:
                self._put_in([v for v, _ in run])
                continue
            for variable, whose in run:
                self._eliminate(variable, whose)
        self._put_in([v for v, _ in self.order[:first] if v in self.known])
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
