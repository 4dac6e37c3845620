"""Formulas rewritten: quantifiers in front, gates recovered from clauses, values put in.

A quantifier in positive use stays what it is, in negative use it becomes its dual.  A subformula
below ``xor`` or in the condition of ``ite`` is used with both signs: it gets one copy for each,
and so does a quantifier gate that is simply used in both ways.  After that every quantifier is
used positively, and gates may still be shared: where ``g = exists(x; h)`` is used several times in
one way, a value of ``x`` that is right for one use is right for all.

Variables that are bound twice, in both copies or by two gates, are renamed apart.  A gate with
variables that several quantifier gates bind means another formula below each of them, and is
copied, too.

The quantifiers can then be written in any order in which outer ones come first.  Two are usual
(Egly, Seidl, Tompits, Woltran and Zolda, *Comparing different prenexing strategies for quantified
Boolean formulas*, SAT 2003): each as far out as it can be (``up``), or as far in (``down``).

An existential variable ``g`` is replaced by a gate in one of two cases.

- *Definition.* Clauses of the formula say ``g <-> gate(inputs)``, with and, or, xor or ite.
- *One side.* All clauses with ``-g`` are ``-g or C_i``, and the variables of the ``C_i`` stand no
  further right than ``g`` or are replaced themselves.  Then ``g := C_1 and ... and C_k`` is a best
  choice: everything else gains by a true ``g``.  The dual holds for the clauses with ``g``.  This
  covers Plaisted and Greenbaum's form, and definitions that a preprocessor has moved or thinned.

Replacements go in no circle: a gate reads only variables that stay, and gates made before it.
Then they are exact together.  From the last gate to the first, a definition is an equivalence that
the clauses imply.  A one-sided variable that a later gate reads stands in that gate's clauses with
one sign only, the one that the best choice does not weaken, for the other sign would make it read
the later gate.  So the matrix with the gates is monotone in it, and the choice stays a best one.
The argument fixes no variable that stays: the values of all residuals are kept as well.

The circuit has no more literals than the clauses, plus one for each clause that moves into a gate.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from qsage_validate.circuit.qbf import (
    Connective,
    Gate,
    Prenexed,
    PrenexOrder,
    Qbf,
    Quantifier,
    Scope,
)
from qsage_validate.system.limits import NEVER, Deadline

# Formulas with quantifier gates, brought into prenex form


MAX_COPIES: Final = 500_000
"""More gates than this are not made by copying."""


@dataclass(frozen=True, slots=True)
class QuantifierGate:
    """``exists(variables; body)`` or ``forall(variables; body)``; ``body`` is a literal."""

    quantifier: Quantifier
    variables: tuple[int, ...]
    body: int

    @property
    def inputs(self) -> tuple[int, ...]:
        """The literal that it reads."""
        return (self.body,)


AnyGate = Gate | QuantifierGate


@dataclass(frozen=True)
class NestedQbf:
    """A QBF that need not be prenex; everything else is as in :class:`Qbf`.

    A quantifier gate binds its variables in all that its body depends on, unless another one
    below binds them again.
    """

    scopes: tuple[Scope, ...]
    gates: Mapping[int, AnyGate]
    output: int
    names: Mapping[int, str]
    comments: tuple[tuple[int, str], ...]
    path: str | None


class CopiesError(Exception):
    """Copying would make too many gates; ``gate`` is one that is copied."""

    def __init__(self, gate: int) -> None:
        super().__init__(gate)
        self.gate = gate


class UnboundError(Exception):
    """``variable`` is read by ``gate``, or by the output (``None``), where nothing binds it."""

    def __init__(self, variable: int, gate: int | None) -> None:
        super().__init__(variable, gate)
        self.variable = variable
        self.gate = gate


def prenex(nested: NestedQbf, order: PrenexOrder | None = None) -> Qbf:
    """An equivalent prenex formula.

    Gates and variables keep their numbers and names, copies get new ones; gates that the output
    does not depend on are left out.  Without ``order`` the one with fewer scopes is taken, ``up``
    if they have equally many.  Raises :class:`CopiesError` and :class:`UnboundError`.
    """
    copies = _Copies(nested)
    output = copies.make()
    prefixes = {each: copies.prefix(each) for each in PrenexOrder}
    lengths = {each: len(_merged(prefix)) for each, prefix in prefixes.items()}
    if order is None:
        order = min(PrenexOrder, key=lambda each: lengths[each])
    quantifier_gates = sum(isinstance(gate, QuantifierGate) for gate in nested.gates.values())
    used = {v for scope in prefixes[order] for v in scope.variables} | copies.gates.keys()
    return Qbf(
        scopes=prefixes[order],
        gates=copies.gates,
        output=output,
        names={v: name for v, name in copies.names.items() if v in used},
        comments=nested.comments,
        path=nested.path,
        prenexed=Prenexed(order, quantifier_gates, copies.renamed, lengths),
    )


@dataclass(frozen=True, slots=True)
class PrenexUse:
    """What ``literal`` of a prenex form stands for.

    It is ``gate`` of the nested formula, with new ``names`` for bound variables that are free in
    it.  ``polarity`` is that of its use (1 or -1), 0 where no quantifier is below.  ``inputs`` are
    numbers of the uses of its inputs, 0 for a variable; an input that is used in both ways has two.
    ``bound`` are the new names of the variables that a quantifier gate binds.
    """

    gate: int
    names: tuple[tuple[int, int], ...]
    polarity: int
    literal: int
    inputs: tuple[int, ...]
    bound: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PrenexUses:
    """How the literals of the prenex form by :func:`prenex` stand for the gates of a formula.

    ``local`` are the variables that quantifier gates bind, ``free`` those of them that are free in
    each gate.  The number of a use is its place in ``uses``, from 1; inner ones come first.
    ``root`` is that of the output.
    """

    local: frozenset[int]
    free: Mapping[int, frozenset[int]]
    uses: tuple[PrenexUse, ...]
    root: int


def prenex_uses(nested: NestedQbf) -> PrenexUses:
    """The uses of all prenex forms of a formula; errors as those of :func:`prenex`."""
    return _Copies(nested).uses()


def _merged(scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    return Qbf(tuple(scopes), {}, 0).merged_scopes()


_Environment = tuple[tuple[int, int], ...]
"""The new names of bound variables, for those that are free in a gate; sorted."""


@dataclass(frozen=True, slots=True)
class _Use:
    """One meaning of a gate: its bound variables, and the polarity of its use.

    ``polarity`` is 0 where no quantifier is below, for then it does not matter.
    """

    gate: int
    names: _Environment
    polarity: int


class _Copies:
    """The gates of the prenex form, and its quantifiers with what must stand left of them."""

    def __init__(self, nested: NestedQbf) -> None:
        self._nested = nested
        self.names = dict(nested.names)
        self._texts = set(self.names.values())
        self.gates: dict[int, Gate] = {}
        self.renamed = 0
        self._copies: dict[_Use, int] = {}
        # The uses with quantifiers below, inner ones first, and which of these each needs.
        self._quantified: dict[_Use, list[_Use]] = {}
        # The quantifiers by the use of their gate, in the order in which they were met.
        self._bound: dict[_Use, Scope] = {}
        self._outer = frozenset(v for scope in nested.scopes for v in scope.variables)
        self._taken = set(self._outer)
        self._next = 1 + max((0, *self._taken, *nested.gates))
        self._local: set[int] = set()
        for gate in nested.gates.values():
            if isinstance(gate, QuantifierGate):
                self._local.update(gate.variables)
                self._next = max(self._next, 1 + max(gate.variables, default=0))
        # For each gate: the variables of quantifier gates that are free in it, and whether a
        # quantifier is in it.
        self._free: dict[int, frozenset[int]] = {}
        self._nests: set[int] = set()
        for number, gate in nested.gates.items():
            free: set[int] = set()
            for x in map(abs, gate.inputs):
                if x in nested.gates:
                    free |= self._free[x]
                    if x in self._nests:
                        self._nests.add(number)
                elif x in self._local:
                    free.add(x)
            if isinstance(gate, QuantifierGate):
                free.difference_update(gate.variables)
                self._nests.add(number)
            self._free[number] = frozenset(free)

    def make(self) -> int:
        """Make the gates; returns the literal of the output."""
        root = self._use(self._nested.output, {}, 1)
        stack = [] if root is None else [root]
        while stack:
            use = stack[-1]
            if use in self._copies:
                stack.pop()
                continue
            missing = [u for u in self._below(use) if u not in self._copies]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if len(self._copies) >= MAX_COPIES + len(self._nested.gates):
                raise CopiesError(use.gate)
            self._copies[use] = self._build(use)
            if use.gate in self._nests:
                self._quantified[use] = [u for u in self._below(use) if u.gate in self._nests]
        return self._value(self._nested.output, {}, 1, None)

    def uses(self) -> PrenexUses:
        """The gates are made, and what they stand for is told."""
        self.make()
        numbers = {use: k for k, use in enumerate(self._copies, start=1)}

        def number(literal: int, names: Mapping[int, int], polarity: int) -> int:
            use = self._use(literal, names, polarity)
            return 0 if use is None else numbers[use]

        def told(use: _Use, literal: int) -> PrenexUse:
            gate, names, p = self._nested.gates[use.gate], self._names_in(use), use.polarity
            inputs = [number(x, names, p) for x in gate.inputs]
            if isinstance(gate, Gate) and any(abs(x) in self._nests for x in _in_both(gate)):
                inputs += [number(x, names, -p) for x in _in_both(gate)]
            bound = self._bound[use].variables if use in self._bound else ()
            return PrenexUse(use.gate, use.names, p, literal, tuple(inputs), bound)

        uses = tuple(told(use, literal) for use, literal in self._copies.items())
        root = number(self._nested.output, {}, 1)
        return PrenexUses(frozenset(self._local), self._free, uses, root)

    def _use(self, literal: int, names: Mapping[int, int], polarity: int) -> _Use | None:
        """The use of a gate in a literal that is used with ``polarity``; none of a variable."""
        gate = abs(literal)
        if gate not in self._nested.gates:
            return None
        free = self._free[gate]
        own = tuple(sorted((v, names[v]) for v in free if v in names)) if names else ()
        if gate not in self._nests:
            polarity = 0
        return _Use(gate, own, polarity if literal > 0 else -polarity)

    def _value(
        self, literal: int, names: Mapping[int, int], polarity: int, reader: int | None
    ) -> int:
        """The literal of the prenex form for one that ``reader`` uses with ``polarity``."""
        use = self._use(literal, names, polarity)
        variable = abs(literal)
        if use is not None:
            value = self._copies[use]
        elif variable in names or variable in self._outer:
            value = names.get(variable, variable)
        else:
            raise UnboundError(variable, reader)
        return value if literal > 0 else -value

    def _below(self, use: _Use) -> list[_Use]:
        gate, names = self._nested.gates[use.gate], self._names_in(use)
        wanted = [(x, use.polarity) for x in gate.inputs]
        if isinstance(gate, Gate):
            wanted += [(x, -use.polarity) for x in _in_both(gate) if abs(x) in self._nests]
        found = (self._use(x, names, polarity) for x, polarity in wanted)
        return [u for u in found if u is not None]

    def _names_in(self, use: _Use) -> Mapping[int, int]:
        """The names of variables below a use; binds those of a quantifier gate."""
        gate, names = self._nested.gates[use.gate], dict(use.names)
        if not isinstance(gate, QuantifierGate):
            return names
        scope = self._bound.get(use)
        if scope is None:
            positive = use.polarity > 0
            quantifier = gate.quantifier if positive else gate.quantifier.dual
            scope = Scope(quantifier, tuple(self._new_variable(v) for v in gate.variables))
            self._bound[use] = scope
        names.update(zip(gate.variables, scope.variables, strict=True))
        return names

    def _new_variable(self, variable: int) -> int:
        """``variable`` itself the first time that it is bound, else a new one."""
        if variable in self._taken:
            self.renamed += 1
            return self._fresh(variable)
        self._taken.add(variable)
        return variable

    def _fresh(self, original: int) -> int:
        number = self._next
        self._next += 1
        name = self.names.get(original)
        if name is not None:
            count = 2
            while (text := f"{name}_{count}") in self._texts:
                count += 1
            self.names[number] = text
            self._texts.add(text)
        return number

    def _build(self, use: _Use) -> int:
        """The literal of a use, from those below it."""
        gate, names, p = self._nested.gates[use.gate], self._names_in(use), use.polarity

        def value(literal: int, polarity: int) -> int:
            return self._value(literal, names, polarity, use.gate)

        if isinstance(gate, QuantifierGate):
            return value(gate.body, p)
        if not any(abs(x) in self._nests for x in _in_both(gate)):
            inputs = tuple(value(x, p) for x in gate.inputs)
            return self._gate(gate.connective, inputs, use.gate)
        # An input is used both ways, and so the gate is written with both.
        if gate.connective is Connective.XOR:
            a, b = gate.inputs
            first, second = (value(a, p), -value(b, -p)), (-value(a, -p), value(b, p))
        else:
            c, t, e = gate.inputs
            first, second = (value(c, p), value(t, p)), (-value(c, -p), value(e, p))
        either = (self._gate(Connective.AND, first), self._gate(Connective.AND, second))
        return self._gate(Connective.OR, either, use.gate)

    def _gate(
        self, connective: Connective, inputs: tuple[int, ...], original: int | None = None
    ) -> int:
        """A gate, under its original's number as long as that is free."""
        number = original
        if number is None:
            number = self._next
            self._next += 1
        elif number in self.gates:
            number = self._fresh(number)
        self.gates[number] = Gate(connective, inputs)
        return number

    # -- The prefix

    def prefix(self, order: PrenexOrder) -> tuple[Scope, ...]:
        """The scopes of the prenex form: the outer ones stay, with fewest alternations."""
        candidates = (self._prefix(order, first) for first in Quantifier)
        return min(candidates, key=lambda scopes: len(_merged(scopes)))

    def _prefix(self, order: PrenexOrder, end: Quantifier) -> tuple[Scope, ...]:
        """The scopes, where ``end`` is the quantifier of the outermost or innermost level."""
        up = order is PrenexOrder.UP
        level_of = dict.fromkeys(self._quantified, 0)
        # Going out, outer uses come first; going in, inner ones.
        for use in reversed(self._quantified) if up else self._quantified:
            below = self._quantified[use]
            level = level_of[use] if up else max((level_of[u] for u in below), default=0)
            if use in self._bound:
                level += (level % 2 == 0) != (self._bound[use].quantifier is end)
            level_of[use] = level
            if up:
                for u in below:
                    level_of[u] = max(level_of[u], level)
        deepest = max((level_of[use] for use in self._bound), default=-1)
        blocks: list[list[int]] = [[] for _ in range(deepest + 1)]
        for use, scope in self._bound.items():
            blocks[level_of[use]] += scope.variables
        scopes = [
            Scope(end if level % 2 == 0 else end.dual, tuple(block))
            for level, block in enumerate(blocks)
        ]
        inner = scopes if up else scopes[::-1]
        return (*self._nested.scopes, *(scope for scope in inner if scope.variables))


def _in_both(gate: AnyGate) -> tuple[int, ...]:
    """The inputs that a gate uses both as they are and negated."""
    if isinstance(gate, QuantifierGate):
        return ()
    if gate.connective is Connective.XOR:
        return gate.inputs
    return gate.inputs[:1] if gate.connective is Connective.ITE else ()


# The circuit behind a formula in clauses, recovered exactly


Clause = tuple[int, ...]

# The variables that are kept at once where nothing can be replaced, for each thousand left.
_AT_ONCE: Final = 4


def conjuncts(formula: Qbf) -> list[Clause] | None:
    """The clauses of a matrix that is a conjunction of clauses already; else ``None``."""
    top = formula.gates.get(formula.output)
    if top is None or top.connective is not Connective.AND:
        return None
    clauses: list[Clause] = []
    for literal in top.inputs:
        gate = formula.gates.get(abs(literal))
        if gate is None:
            clauses.append((literal,))
            continue
        nested = any(abs(x) in formula.gates for x in gate.inputs)
        if literal < 0 or nested or gate.connective is not Connective.OR:
            return None
        clauses.append(gate.inputs)
    return clauses


def recovered(
    formula: Qbf,
    keep: Collection[int] = (),
    *,
    definitions_only: bool = False,
    deadline: Deadline = NEVER,
) -> Qbf:
    """``formula`` with gates in the place of the variables that its clauses define.

    The variables of ``keep`` stay, and with ``definitions_only`` those that are defined on one
    side only.  All residuals over variables that stay have the values that they had.  A matrix that
    is no conjunction of clauses is left alone.  A variable that becomes a gate keeps its number and
    name.  At the end of ``deadline`` the rest stays as it is.
    """
    clauses = conjuncts(formula)
    if clauses is None:
        return formula
    unique = (tuple(dict.fromkeys(clause)) for clause in clauses)
    plain = [c for c in unique if set(c).isdisjoint([-x for x in c])]
    work = _Recovery(formula, plain, frozenset(keep), definitions_only)
    work.run(deadline)
    return work.result() if work.gates else formula


@dataclass(slots=True)
class _Option:
    """A way to replace ``variable``: the clauses that are used up, and how many inputs wait."""

    variable: int
    gate: Gate | None
    used: tuple[int, ...]
    reads: frozenset[int]
    missing: int = 0


@dataclass
class _Recovery:
    formula: Qbf
    clauses: list[Clause]
    keep: frozenset[int]
    definitions_only: bool
    gates: dict[int, _Option] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.level = self.formula.levels()
        quantifiers = self.formula.quantifiers()
        self.with_literal: dict[int, list[int]] = {}
        for index, clause in enumerate(self.clauses):
            for literal in clause:
                self.with_literal.setdefault(literal, []).append(index)
        self.depth = dict(self.level)
        """The level that a variable's value depends on; that of its gate's inputs for gates."""
        self.waiting: dict[int, list[_Option]] = {}
        self.options: dict[int, list[_Option]] = {}
        for variable, quantifier in quantifiers.items():
            if quantifier is Quantifier.EXISTS and variable not in self.keep:
                options = list(self._options(variable))
                if options:
                    self.options[variable] = options
        self.ready: deque[_Option] = deque()
        self.ready_sides: deque[_Option] = deque()
        for options in self.options.values():
            for option in options:
                waits = [v for v in option.reads if v in self.options]
                option.missing = len(waits)
                for v in waits:
                    self.waiting.setdefault(v, []).append(option)
                if not waits:
                    self._enqueue(option)

    def _options(self, variable: int) -> Iterator[_Option]:
        yield from self._junctions(variable)
        yield from self._parities(variable)
        if self.definitions_only:
            return
        for literal in (-variable, variable):
            used = tuple(self.with_literal.get(literal, ()))
            reads = {abs(x) for index in used for x in self.clauses[index]} - {variable}
            if used and all(self._may_read(variable, v) for v in reads):
                yield _Option(variable, None, used, frozenset(reads))

    def _may_read(self, variable: int, read: int) -> bool:
        """False where ``read`` stands right of ``variable`` and can never be a gate."""
        return self.level[read] <= self.level[variable]

    def _junctions(self, variable: int) -> Iterator[_Option]:
        for x in (variable, -variable):
            partners = {
                self._other(index, -x): index
                for index in self.with_literal.get(-x, ())
                if len(self.clauses[index]) == 2
            }
            if not partners:
                continue
            for index in self.with_literal.get(x, ()):
                inputs = [-y for y in self.clauses[index] if y != x]
                if inputs and all(y in partners for y in inputs):
                    kind, sign = (Connective.AND, 1) if x > 0 else (Connective.OR, -1)
                    gate = Gate(kind, tuple(sign * y for y in inputs))
                    used = (index, *(partners[y] for y in inputs))
                    yield _Option(variable, gate, used, frozenset(map(abs, inputs)))

    def _other(self, index: int, literal: int) -> int:
        a, b = self.clauses[index]
        return b if a == literal else a

    def _parities(self, variable: int) -> Iterator[_Option]:
        """Definitions by xor and ite: two ternary clauses of each sign."""
        sides = []
        for x in (-variable, variable):
            found = {
                frozenset(y for y in self.clauses[index] if y != x): index
                for index in self.with_literal.get(x, ())
                if len(self.clauses[index]) == 3
            }
            if len(found) < 2 or len(found) > 64:
                return
            sides.append(found)
        negative, positive = sides
        for first, index in negative.items():
            for c in first:
                (t,) = first - {c}
                # variable -> (not c -> t), and for the other branch: variable -> (c -> e)
                if frozenset((c, -t)) not in positive:
                    continue
                for second, other in negative.items():
                    if -c not in second:
                        continue
                    (e,) = second - {-c}
                    last = frozenset((-c, -e))
                    if last not in positive or abs(t) == abs(c) or abs(e) == abs(c):
                        continue
                    used = (index, other, positive[frozenset((c, -t))], positive[last])
                    if abs(t) == abs(e):
                        if t == e:
                            continue
                        gate = Gate(Connective.XOR, (c, t))  # c ? -t : t
                    else:
                        gate = Gate(Connective.ITE, (c, e, t))
                    yield _Option(variable, gate, used, frozenset((abs(c), abs(t), abs(e))))
                    return

    def _enqueue(self, option: _Option) -> None:
        (self.ready_sides if option.gate is None else self.ready).append(option)

    def run(self, deadline: Deadline) -> None:
        """Replace what can be replaced, keeping variables where nothing else helps."""
        while self.options and deadline.left() > 0:
            while self.ready or self.ready_sides:
                option = (self.ready or self.ready_sides).popleft()
                if option.variable in self.options:
                    self._replace(option)
            if self.options:
                for variable in self._stuck():
                    self._resolve(variable)

    def _replace(self, option: _Option) -> None:
        variable = option.variable
        depth = max((self.depth[v] for v in option.reads), default=-1)
        if depth > self.level[variable]:
            return
        self.gates[variable] = option
        if option.gate is not None:
            self.depth[variable] = depth
        self._resolve(variable)

    def _resolve(self, variable: int) -> None:
        if self.options.pop(variable, None) is None:
            return
        for option in self.waiting.pop(variable, ()):
            option.missing -= 1
            if not option.missing and option.variable in self.options:
                self._enqueue(option)

    def _stuck(self) -> list[int]:
        """The variables to keep: those that many options wait for, with none near for themselves.

        Inputs are read with both signs by many gates, so that all of their own options wait long.
        """

        def score(variable: int) -> float:
            own = min((o.missing for o in self.options[variable] if o.missing), default=1 << 20)
            gain = sum(
                2.0 ** -min(o.missing, 60)
                for o in self.waiting.get(variable, ())
                if o.variable in self.options
            )
            return gain * own

        def is_defined(variable: int) -> bool:
            return any(o.gate is not None and o.missing for o in self.options[variable])

        free = [v for v in self.options if not is_defined(v)] or list(self.options)
        count = 1 + _AT_ONCE * len(self.options) // 1000
        return sorted(free, key=lambda v: (-score(v), v))[:count]

    def result(self) -> Qbf:
        """The formula with the gates."""
        first = self.formula.max_variable + 1
        made: dict[int, Gate] = {}
        known: dict[frozenset[int], int] = {}

        def clause_literal(clause: Iterable[int]) -> int:
            literals = tuple(clause)
            if len(literals) == 1:
                return literals[0]
            key = frozenset(literals)
            if key not in known:
                known[key] = first + len(known)
                made[known[key]] = Gate(Connective.OR, literals)
            return known[key]

        gone: set[int] = set()
        for variable, option in self.gates.items():
            gone.update(option.used)
            made[variable] = option.gate or self._side(option, clause_literal)
        rest = [clause_literal(c) for index, c in enumerate(self.clauses) if index not in gone]
        output = first + len(known)
        made[output] = Gate(Connective.AND, tuple(dict.fromkeys(rest)))
        return replace(
            self.formula,
            scopes=_without(self.formula.scopes, self.gates),
            gates=made,
            output=output,
            unwritten=range(first, output + 1),
        )

    def _side(self, option: _Option, clause_literal: Callable[[Iterable[int]], int]) -> Gate:
        variable = option.variable
        positive = -variable in self.clauses[option.used[0]]
        sign = 1 if positive else -1
        rests = [
            clause_literal(x for x in self.clauses[index] if abs(x) != variable)
            for index in option.used
        ]
        inputs = tuple(dict.fromkeys(sign * x for x in rests))
        return Gate(Connective.AND if positive else Connective.OR, inputs)


def _without(scopes: Iterable[Scope], gone: Mapping[int, object]) -> tuple[Scope, ...]:
    left = (Scope(s.quantifier, tuple(v for v in s.variables if v not in gone)) for s in scopes)
    return tuple(scope for scope in left if scope.variables)


# Formulas in which some variables have values


Value = int | bool
"""A signed literal, or a constant."""

_NO_GATES: Final[Mapping[int, Gate]] = {}


def residual(
    formula: Qbf, values: Mapping[int, Value], functions: Mapping[int, Gate] = _NO_GATES
) -> Qbf:
    """``formula`` with the variables of ``values`` replaced by their values.

    A value is a constant or a literal: of another variable, or of a gate of ``functions``, whose
    numbers are not the formula's.  Constants are propagated and gates that the output does not
    need any more are gone; the others keep their numbers and names.  The variables of ``values``
    leave the prefix, and so do scopes without variables.  A constant matrix is an empty
    conjunction or disjunction.  Comments, and with them a layout, are left out: the formula is
    another one.
    """
    known: dict[int, Value] = {}
    gates: dict[int, Gate] = {}
    for number, gate in functions.items():
        known[number] = _simplified(number, gate, known, gates)
    known |= {v: x if isinstance(x, bool) else _value(x, known) for v, x in values.items()}
    for number, gate in formula.gates.items():
        known[number] = _simplified(number, gate, known, gates)
    output = _value(formula.output, known)
    if isinstance(output, bool):
        number = abs(formula.output)
        if number not in formula.gates:
            number = max(formula.max_variable, *functions, 0) + 1
        gates = {number: Gate(Connective.AND if output else Connective.OR, ())}
        output = number
    scopes = (
        Scope(s.quantifier, tuple(v for v in s.variables if v not in values))
        for s in formula.scopes
    )
    left = needed_gates(gates, output)
    kept = tuple(scope for scope in scopes if scope.variables)
    numbers = {*left, *(v for scope in kept for v in scope.variables)}
    names = {number: name for number, name in formula.names.items() if number in numbers}
    return replace(formula, scopes=kept, gates=left, output=output, names=names, comments=())


def _value(literal: int, known: Mapping[int, Value]) -> Value:
    value = known.get(abs(literal), abs(literal))
    if isinstance(value, bool):
        return value != (literal < 0)
    return value if literal > 0 else -value


def _simplified(
    number: int, gate: Gate, known: Mapping[int, Value], gates: dict[int, Gate]
) -> Value:
    """The simplified gate: a constant, another literal, or itself with fewer inputs."""
    inputs = [_value(x, known) for x in gate.inputs]
    match gate.connective:
        case Connective.AND:
            return _junction(number, Connective.AND, inputs, gates)
        case Connective.OR:
            return _junction(number, Connective.OR, inputs, gates)
        case Connective.XOR:
            return _difference(number, inputs[0], inputs[1], gates)
        case Connective.ITE:
            return _choice(number, (inputs[0], inputs[1], inputs[2]), gates)


def _junction(
    number: int, connective: Connective, inputs: list[Value], gates: dict[int, Gate]
) -> Value:
    decisive = connective is Connective.OR
    left: dict[int, None] = {}
    for value in inputs:
        if isinstance(value, bool):
            if value is decisive:
                return decisive
        elif -value in left:
            return decisive
        else:
            left[value] = None
    if not left:
        return not decisive
    if len(left) == 1:
        return next(iter(left))
    gates[number] = Gate(connective, tuple(left))
    return number


def _difference(number: int, a: Value, b: Value, gates: dict[int, Gate]) -> Value:
    if isinstance(a, bool):
        a, b = b, a
    if isinstance(a, bool):
        return a is not b
    if isinstance(b, bool):
        return -a if b else a
    if abs(a) == abs(b):
        return a != b
    gates[number] = Gate(Connective.XOR, (a, b))
    return number


def _choice(number: int, inputs: tuple[Value, Value, Value], gates: dict[int, Gate]) -> Value:
    c, t, e = inputs
    if isinstance(c, bool):
        return t if c else e
    if t == e and isinstance(t, bool) is isinstance(e, bool):
        return t
    if isinstance(t, bool):
        return _junction(number, Connective.OR if t else Connective.AND, [c if t else -c, e], gates)
    if isinstance(e, bool):
        return _junction(number, Connective.OR if e else Connective.AND, [-c if e else c, t], gates)
    gates[number] = Gate(Connective.ITE, (c, t, e))
    return number


def needed_gates(gates: Mapping[int, Gate], output: int) -> dict[int, Gate]:
    """The gates that the output needs, in order."""
    wanted = {abs(output)}
    for number in reversed(list(gates)):
        if number in wanted:
            wanted.update(abs(x) for x in gates[number].inputs)
    return {number: gate for number, gate in gates.items() if number in wanted}
