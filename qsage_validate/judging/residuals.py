"""Values of a formula in which the moves of a play are fixed, by expansions that grow.

Bloem, Braud-Santoni, Hadzic, Egly, Lonsing, Seidl, "Expansion-based QBF solving without recursion"
(FMCAD 2018).  Each player has a SAT solver with instances of the matrix, one for each of some
choices of the other player's variables; a player's own variable has a copy for each choice of those
on its left.  Where no values of the copies satisfy Black's instances, the formula is false: these
choices of the universal variables refute it.  Where none satisfy White's, of the negated matrix, it
is true.  Else what each answers to its instances are choices for the other one.

``F[s]`` is the formula with the variables of the plies of ``s`` replaced by values; all other
quantifiers keep their place.  The values of one number of plies come from one incremental SAT
solver: the universal variables that are left are expanded, existential ones have a copy for each
choice of the universal ones to their left, and the moves are assumptions.  Where the expansion is
too large, it grows by counterexamples.  Where that takes long, QBF solvers are
asked, whose answer is a bare word until the expansion has grown enough to confirm it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope, add_gates
from qsage_validate.circuit.rewriting import needed_gates, recovered, residual
from qsage_validate.circuit.sat import Solver, circuit_clauses, load
from qsage_validate.errors import MissingExtraError, UndecidedError
from qsage_validate.solvers.backends import backends
from qsage_validate.solvers.qbf_solving import available, solve_formula
from qsage_validate.system.limits import NEVER, Deadline, Limits

# Values of formulas from expansions that grow by counterexamples, without a QBF solver


_SOLVER: Final = "cadical195"
_SLICE: Final = 500
_TRUE: Final = 1
"""The literal of a SAT solver that is true."""
_MOST_NEW: Final = 16
"""So many choices are added to a side at once."""


class Refinement:
    """A closed formula but for free variables, whose values are assumed."""

    def __init__(self, formula: Qbf, free: Sequence[int]) -> None:
        self._black = _Side(formula, free, Quantifier.EXISTS)
        self._white = _Side(formula, free, Quantifier.FORALL)
        self._black.add((False,) * len(self._black.others))

    @property
    def size(self) -> int:
        """How many inputs of gates the instances of both players have."""
        return self._black.size + self._white.size

    def value(
        self, values: Mapping[int, bool], deadline: Deadline = NEVER, most_inputs: float = inf
    ) -> bool | None:
        """The truth under values of all free variables.

        ``None`` at the deadline, and where the instances have ``most_inputs`` inputs of gates.
        """
        while not deadline.over and self.size < most_inputs:
            for side, other in ((self._black, self._white), (self._white, self._black)):
                won = side.lost(values, deadline)
                if won is None:
                    return None
                if won:
                    return side is self._white
                new = (choice for choice in side.answers() if choice not in other.instances)
                for choice in [*islice(new, _MOST_NEW)]:
                    other.add(choice)
        return None


class _Side:
    """Instances of the matrix, or of its negation, of a player who chooses ``own`` variables.

    ``others`` are the other player's, from left to right; a choice is a value for each of them.
    """

    def __init__(self, formula: Qbf, free: Sequence[int], own: Quantifier) -> None:
        self._conjunctions, self._most = _conjunctions(formula)
        self._output = formula.output if own is Quantifier.EXISTS else -formula.output
        self.others: list[int] = []
        self._own: list[tuple[int, int]] = []
        """Each own variable, with the number of the other player's on its left."""
        bound = {*free}
        for scope in formula.scopes:
            for variable in scope.variables:
                if variable in bound:
                    continue
                if scope.quantifier is own:
                    self._own.append((variable, len(self.others)))
                else:
                    self.others.append(variable)
        self.instances: dict[tuple[bool, ...], None] = {}
        self._inputs = sum(len(inputs) for _, inputs in self._conjunctions)
        self._solver = Solver(_SOLVER)
        self._solver.add_clause([_TRUE])
        self._free = {variable: number for number, variable in enumerate(free, start=_TRUE + 1)}
        self._last = _TRUE + len(self._free)
        self._copies: dict[tuple[int, tuple[bool, ...]], int] = {}
        self._known: dict[frozenset[int], int] = {}
        self._model: Sequence[int] = ()

    @property
    def size(self) -> int:
        """How many inputs of gates the instances have."""
        return self._inputs * len(self.instances)

    def lost(self, values: Mapping[int, bool], deadline: Deadline) -> bool | None:
        """True if no values of the copies satisfy all instances; ``None`` at the deadline."""
        assumed = [n if values[v] else -n for v, n in self._free.items()]
        while not deadline.over:
            self._solver.conf_budget(_SLICE)
            answer = self._solver.solve_limited(assumptions=assumed)
            if answer is not None:
                self._model = self._solver.get_model() or ()
                return not answer
        return None

    def answers(self) -> Iterator[tuple[bool, ...]]:
        """The values of the own variables in each instance, in the model found last."""
        for choice in reversed(self.instances):
            copies = (self._copies.get((v, choice[:left]), 0) for v, left in self._own)
            yield tuple(0 < n <= len(self._model) and self._model[n - 1] > 0 for n in copies)

    def add(self, choice: tuple[bool, ...]) -> None:
        """Add the instance for a choice of the other player's variables."""
        self.instances[choice] = None
        known = dict(self._free)
        known.update((v, _TRUE if x else -_TRUE) for v, x in zip(self.others, choice, strict=True))
        for variable, left in self._own:
            key = variable, choice[:left]
            if key not in self._copies:
                self._copies[key] = self._new()
            known[variable] = self._copies[key]
        values = [0] * (2 * self._most + 1)
        for variable, literal in known.items():
            values[variable], values[-variable] = literal, -literal
        for number, inputs in self._conjunctions:
            literal = self._and(inputs, values)
            values[number], values[-number] = literal, -literal
        self._solver.add_clause([values[self._output]])

    def _new(self) -> int:
        self._last += 1
        return self._last

    def _and(self, inputs: Sequence[int], values: Sequence[int]) -> int:
        """The literal of a conjunction under the values of its inputs; equal ones are one."""
        parts = set()
        for x in inputs:
            literal = values[x]
            if literal == -_TRUE or -literal in parts:
                return -_TRUE
            if literal != _TRUE:
                parts.add(literal)
        if len(parts) < 2:
            return next(iter(parts), _TRUE)
        key = frozenset(parts)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._new()
            for x in parts:
                self._solver.add_clause([-found, x])
            self._solver.add_clause([found, *(-x for x in parts)])
        return found


def _conjunctions(formula: Qbf) -> tuple[list[tuple[int, tuple[int, ...]]], int]:
    """The gates as conjunctions, each with the literal that it is, and the largest number."""
    found: list[tuple[int, tuple[int, ...]]] = []
    last = formula.max_variable
    for number, gate in formula.gates.items():
        if gate.connective is Connective.AND:
            found.append((number, gate.inputs))
        elif gate.connective is Connective.OR:
            found.append((-number, tuple(-x for x in gate.inputs)))
        else:
            if gate.connective is Connective.XOR:
                a, b = gate.inputs
                pairs = (a, -b), (-a, b)
            else:
                c, a, b = gate.inputs
                pairs = (c, a), (-c, b)
            found += [(last + 1, pairs[0]), (last + 2, pairs[1]), (-number, (-last - 1, -last - 2))]
            last += 2
    return found, last


# Values of a formula in which the moves of a play are fixed


_MOST_INPUTS: Final = 1_000_000
"""Inputs of gates in the expansion of one number of plies: some seconds' work."""
_SMALL_INPUTS: Final = 20_000
_INSTANCE_COSTS: Final = 4
"""The cost of a gate in an expansion that grows, where one in a whole expansion costs 1."""
_MOST_CODES: Final = 256
"""So many longer plays are looked at for the value of a shorter one."""
# Each gets a while before the next one, and then more of it.
_SOLVERS: Final = ("qute", "depqbf", "rareqs", "caqe")
_FIRST_SECONDS: Final = 1.0
_PATIENCE_GROWS: Final = 4


@dataclass(frozen=True, slots=True)
class ResidualValue:
    """The value of a residual formula; ``None`` where a limit came first.

    ``word`` names the QBF solver that says so, with nothing that could be checked; it is empty
    where a SAT solver has decided an expansion, of all universal variables or of enough choices,
    and where a certificate was checked, which ``certified_by`` made.
    """

    truth: bool | None
    word: str = ""
    certified_by: str = ""


class Residuals:
    """The residual formulas of ``formula`` for ``plies``, the variables of each ply in order.

    ``asked`` counts the questions that were decided.
    """

    def __init__(
        self,
        formula: Qbf,
        plies: Sequence[Iterable[int]],
        *,
        most_inputs: int = _MOST_INPUTS,
    ) -> None:
        variables = {abs(v) for ply in plies for v in ply}
        self.formula = trimmed(recovered(trimmed(formula), variables))
        needed = {v for scope in self.formula.scopes for v in scope.variables}
        self.plies = [tuple(v for v in map(abs, ply) if v in needed) for ply in plies]
        self.asked = 0
        self._most_inputs = most_inputs
        self._quantifiers = self.formula.quantifiers()
        self._sizes: dict[int, int] = {}
        self._expanded: dict[int, ExpandedFormula] = {}
        self._refined: dict[int, Refinement] = {}
        self._known: dict[tuple[int, tuple[bool, ...]], ResidualValue] = {}

    def fixed(self, plies: int) -> tuple[int, ...]:
        """The variables of the first ``plies`` plies that the formula needs."""
        return tuple(v for ply in self.plies[:plies] for v in ply)

    def value(
        self, values: Mapping[int, bool], plies: int, deadline: Deadline = NEVER
    ) -> bool | None:
        """The truth of the formula with the first ``plies`` plies as in ``values``.

        ``None`` when the deadline came first.
        """
        return self.answer(values, plies, deadline).truth

    def answer(
        self, values: Mapping[int, bool], plies: int, deadline: Deadline = NEVER
    ) -> ResidualValue:
        fixed = self.fixed(plies)
        key = plies, tuple(values[v] for v in fixed)
        found = self._known.get(key)
        if found is None:
            found = self._decide({v: values[v] for v in fixed}, plies, deadline)
            if found.truth is not None:
                self._known[key] = found
                self.asked += 1
        return found

    @property
    def words(self) -> Mapping[str, int]:
        """How many questions each QBF solver has decided by its bare word."""
        return Counter(found.word for found in self._known.values() if found.word)

    @property
    def certificates(self) -> Mapping[str, int]:
        """How many questions certificates have decided, by who made them; all were checked."""
        known = self._known.values()
        return Counter(found.certified_by for found in known if found.certified_by)

    def confirm(self, deadline: Deadline) -> bool:
        """Decide without a solver's word what is known by one only, as far as there is time.

        True if some word was wrong.
        """
        wrong = False
        for (plies, bits), known in [*self._known.items()]:
            if known.word:
                values = dict(zip(self.fixed(plies), bits, strict=True))
                found = self.confirmed(values, plies, deadline)
                wrong |= found.truth is not known.truth
        return wrong

    def confirmed(
        self, values: Mapping[int, bool], plies: int, deadline: Deadline
    ) -> ResidualValue:
        """An answer that was given, without a solver's word where there is time for that.

        In half of it the expansion may grow; then a certificate is looked for.
        """
        fixed = self.fixed(plies)
        key = plies, tuple(values[v] for v in fixed)
        if self._known[key].word:
            own = {v: values[v] for v in fixed}
            truth = self._sure(own, plies, deadline.share(0.5))
            found = ResidualValue(truth)
            if truth is None:
                found = _certified(trimmed(residual(self.formula, own)), deadline)
            if found.truth is not None:
                self._known[key] = found
        return self._known[key]

    def _decide(self, values: Mapping[int, bool], plies: int, deadline: Deadline) -> ResidualValue:
        if self._size(plies) <= _SMALL_INPUTS:
            return ResidualValue(self._expand(values, plies, deadline))
        left = trimmed(residual(self.formula, values))
        size = expansion_size(left, ())
        if size <= _SMALL_INPUTS:
            return ResidualValue(ExpandedFormula(left, ()).value({}, deadline))
        if not self._fits(plies) and self._splits(plies, _MOST_CODES):
            return self._by_codes(values, plies, deadline)
        seconds = _FIRST_SECONDS
        while not deadline.over:
            truth = self._sure(values, plies, deadline, seconds)
            if truth is None and not self._fits(plies) and size <= self._most_inputs:
                truth = ExpandedFormula(left, ()).value({}, deadline)
            if truth is not None:
                return ResidualValue(truth)
            said = _said(left, deadline, seconds)
            if said.truth is not None:
                return said
            seconds *= _PATIENCE_GROWS
        return ResidualValue(None)

    def _sure(
        self, values: Mapping[int, bool], plies: int, deadline: Deadline, seconds: float = inf
    ) -> bool | None:
        """The value without a solver's word, for all plays so long.

        An expansion grows by counterexamples for at most ``seconds``.  Where the whole one would
        cost less, that is made, if it is small enough.
        """
        if plies not in self._refined:
            self._refined[plies] = Refinement(self.formula, self.fixed(plies))
        fits = self._fits(plies)
        most = self._size(plies) / _INSTANCE_COSTS if fits else inf
        truth = self._refined[plies].value(values, deadline.sooner_by_work(seconds), most)
        return self._expand(values, plies, deadline) if truth is None and fits else truth

    def _expand(self, values: Mapping[int, bool], plies: int, deadline: Deadline) -> bool | None:
        """The value by the expansion for all plays so long."""
        # One copy of the variables of an existential ply serves plays without it as well.
        while self._leads(plies) and self._is_existential(plies):
            plies += 1
        if plies not in self._expanded:
            self._expanded[plies] = ExpandedFormula(self.formula, self.fixed(plies))
        return self._expanded[plies].value(values, deadline)

    def _leads(self, plies: int) -> bool:
        """True if the variables of the next ply stand left of all others, or with such ones.

        Those of longer plays do not count, nor do others of the same quantifier.
        """
        if plies == len(self.plies):
            return False
        fixed = {*self.fixed(plies)}
        first: set[int] = set()
        quantifier: Quantifier | None = None
        for scope in self.formula.scopes:
            left = {v for v in scope.variables if v not in fixed}
            if left and scope.quantifier is not (quantifier or scope.quantifier):
                break
            if left:
                quantifier = scope.quantifier
                first |= left
        return first.issuperset(self.plies[plies])

    def _is_existential(self, plies: int) -> bool:
        """True if the next ply has variables, and the first of them is existential."""
        own = self.plies[plies]
        return bool(own) and self._quantifiers[own[0]] is Quantifier.EXISTS

    def _fits(self, plies: int) -> bool:
        """True if the expansion behind so many plies is small enough."""
        return self._size(plies) <= self._most_inputs

    def _size(self, plies: int) -> int:
        if plies not in self._sizes:
            self._sizes[plies] = expansion_size(self.formula, self.fixed(plies))
        return self._sizes[plies]

    def _splits(self, plies: int, most: int) -> bool:
        """True if values follow from those of at most ``most`` longer plays that are expanded.

        The variables of the next ply must stand left of all others, but for some with their
        quantifier: then a residual formula is the conjunction, or the disjunction, of the longer
        ones.
        """
        if not self._leads(plies):
            return False
        most >>= len(self.plies[plies])
        return most > 0 and (self._fits(plies + 1) or self._splits(plies + 1, most))

    def _by_codes(
        self, values: Mapping[int, bool], plies: int, deadline: Deadline
    ) -> ResidualValue:
        own = self.plies[plies]
        existential = self._is_existential(plies)
        for number in range(1 << len(own)):
            code = {v: bool(number >> k & 1) for k, v in enumerate(own)}
            answer = self.answer({**values, **code}, plies + 1, deadline)
            if answer.truth is None or answer.truth is existential:
                return answer
        return ResidualValue(not existential)


class ResidualsOf:
    """The residual formulas of one formula, made once for each choice of the plies' variables."""

    def __init__(self, formula: Qbf) -> None:
        self.formula = formula
        self._known: dict[tuple[frozenset[int], ...], Residuals] = {}

    def plies(self, plies: Sequence[Iterable[int]]) -> Residuals:
        """Those for the variables of each ply."""
        own = tuple(frozenset(map(abs, ply)) for ply in plies)
        if own not in self._known:
            self._known[own] = Residuals(self.formula, plies)
        return self._known[own]


class ExpandedFormula:
    """A formula whose universal variables are expanded, over variables that are assumed."""

    def __init__(self, formula: Qbf, free: Sequence[int]) -> None:
        builder = AigBuilder()
        self._free = tuple(free)
        literals = {v: builder.input() for v in self._free}
        root = expand(builder, formula, literals)
        aig, (root,) = builder.build([root])
        self._constant = {FALSE: False, TRUE: True}.get(root)
        self._solver: Solver | None = None
        if self._constant is None:
            clauses = circuit_clauses(aig, keep=[root])
            self._names = [int(clauses.sat_of[k]) for k in range(1, len(self._free) + 1)]
            self._solver = Solver(_SOLVER)
            load(self._solver, clauses.literals)
            self._solver.add_clause([clauses.literal(root)])

    def value(self, values: Mapping[int, bool], deadline: Deadline = NEVER) -> bool | None:
        """The truth under values of the free variables; ``None`` at the deadline.

        Free variables without a value are existential, and outermost.
        """
        if self._solver is None:
            return self._constant
        pairs = zip(self._names, self._free, strict=True)
        assumed = [n if values[v] else -n for n, v in pairs if v in values]
        while not deadline.over:
            self._solver.conf_budget(_SLICE)
            answer: bool | None = self._solver.solve_limited(assumptions=assumed)
            if answer is not None:
                return answer
        return None


def expand(builder: AigBuilder, formula: Qbf, literals: Mapping[int, int]) -> int:
    """A literal that some values of the graph's new inputs make true exactly where F is.

    ``literals`` has a literal for each variable that is free; the other universal variables are
    expanded, and each existential one becomes a new input for each choice of the universal
    variables that stand left of it.
    """
    stages, gates = stages_of(formula, literals)
    known = dict(literals)

    def copies(stage: int) -> int:
        """The literal of what is left from a stage on; deeper stages write over ``known``."""
        if stage == len(stages):
            return known[abs(formula.output)] ^ (formula.output < 0)
        quantifier, variables = stages[stage]
        found = TRUE
        choices = (FALSE, TRUE) if quantifier is Quantifier.FORALL else (None,)
        for value in choices:
            for variable in variables:
                known[variable] = builder.input() if value is None else value
            add_gates(builder, gates[stage], known)
            found = builder.and_(found, copies(stage + 1))
            if found == FALSE:
                break
        return found

    return copies(0)


def expansion_size(formula: Qbf, free: Iterable[int]) -> int:
    """How many inputs of gates :func:`expand` looks at, an upper bound."""
    stages, gates = stages_of(formula, {*free})
    size, copies = 1, 1
    for (quantifier, _), own in zip(stages, gates, strict=True):
        copies *= 2 if quantifier is Quantifier.FORALL else 1
        size += copies * sum(len(gate.inputs) for gate in own.values())
    return size


def stages_of(
    formula: Qbf, free: Collection[int]
) -> tuple[list[tuple[Quantifier, tuple[int, ...]]], list[dict[int, Gate]]]:
    """The prefix without free variables, universal ones one by one, and the gates of each stage.

    A gate is of the last stage that it reads a variable of; the first stage has none.
    """
    stages: list[tuple[Quantifier, tuple[int, ...]]] = [(Quantifier.EXISTS, ())]
    for scope in formula.scopes:
        bound = tuple(v for v in scope.variables if v not in free)
        single = scope.quantifier is Quantifier.FORALL
        parts = [(v,) for v in bound] if single else [bound]
        stages += [(scope.quantifier, part) for part in parts]
    at = {v: k for k, (_, variables) in enumerate(stages) for v in variables}
    gates: list[dict[int, Gate]] = [{} for _ in stages]
    for number, gate in formula.gates.items():
        at[number] = max((at.get(abs(x), 0) for x in gate.inputs), default=0)
        gates[at[number]][number] = gate
    return stages, gates


def trimmed(formula: Qbf) -> Qbf:
    """The formula without the gates and variables that its output does not need."""
    gates = needed_gates(formula.gates, formula.output)
    needed = {abs(x) for gate in gates.values() for x in gate.inputs} | {abs(formula.output)}
    scopes = (
        Scope(s.quantifier, tuple(v for v in s.variables if v in needed)) for s in formula.scopes
    )
    return Qbf(
        tuple(s for s in scopes if s.variables),
        gates,
        formula.output,
        names=formula.names,
        path=formula.path,
    )


def solver_value(formula: Qbf, deadline: Deadline = NEVER) -> ResidualValue:
    """The value of a closed formula by QBF solvers, with growing patience."""
    seconds = _FIRST_SECONDS
    while not deadline.over:
        found = _said(formula, deadline, seconds)
        if found.truth is not None:
            return found
        seconds *= _PATIENCE_GROWS
    return ResidualValue(None)


def _certified(formula: Qbf, deadline: Deadline) -> ResidualValue:
    """The value by a certificate that was checked, if some route gives one in time."""
    from qsage_validate.certificates.routes import CheckFailedError, RouteOptions, certify_formula

    if deadline.over:
        return ResidualValue(None)
    try:
        found = certify_formula(formula, RouteOptions(limits=Limits(deadline)))
    except (UndecidedError, MissingExtraError, CheckFailedError):
        return ResidualValue(None)
    return ResidualValue(found.truth, certified_by=found.by)


def _said(formula: Qbf, deadline: Deadline, seconds: float) -> ResidualValue:
    """The value by one QBF solver after the other, each for so many seconds."""
    known = backends()
    there = {backend.name for backend in available()}
    contenders = [known[name] for name in _SOLVERS if name in there] or available()
    for backend in contenders:
        if deadline.over:
            break
        solved = solve_formula(formula, [backend], Limits(deadline.sooner(seconds)))
        if solved.truth is not None:
            return ResidualValue(solved.truth, solved.by)
    return ResidualValue(None)
