"""The circuit behind a formula in clauses, recovered exactly.

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

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.system.limits import NEVER, Deadline

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
