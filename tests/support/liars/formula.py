"""Formulas as texts: a small reader of QCIR and QDIMACS, truth, and functions that show it.

The truth comes from eliminating the variables from the innermost outwards, in diagrams whose
order is the prefix: an existential is eliminated from the conjunction of the factors that have
it, a universal from each factor.  The same elimination yields the functions of the side that
wins.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from tests.support.liars.bdd import FALSE, TRUE, Diagrams, TooLargeError

Gates = dict[int, tuple[str, tuple[int, ...]]]
Prefix = tuple[tuple[bool, tuple[int, ...]], ...]


class UnreadableError(Exception):
    """A text that is no formula, certificate or game as the judges know them."""


@dataclass(frozen=True)
class Formula:
    """A formula: blocks of (universal, variables), gates and output, or clauses.

    ``comments`` are the lines of comments without their sign; ``gates`` may be in any order.
    """

    prefix: Prefix
    gates: Gates
    output: int
    clauses: tuple[tuple[int, ...], ...] | None
    comments: tuple[str, ...]
    size: int = 0

    @property
    def variables(self) -> list[int]:
        """All variables, from the outermost on."""
        return [v for _, block in self.prefix for v in block]

    @property
    def universal(self) -> dict[int, bool]:
        """Whether a variable is universal."""
        return {v: kind for kind, block in self.prefix for v in block}

    @property
    def literals(self) -> list[int]:
        """The variables and gates."""
        return [*self.variables, *self.gates]

    @property
    def largest(self) -> int:
        """The largest number in use."""
        return max([0, self.size, *self.literals])

    def text(self) -> str:
        """The file."""
        if self.clauses is not None:
            lines = [f"c {c}" for c in self.comments]
            lines.append(f"p cnf {self.largest} {len(self.clauses)}")
            lines += [
                f"{'a' if kind else 'e'} {' '.join(map(str, block))} 0"
                for kind, block in self.prefix
                if block
            ]
            lines += [" ".join(map(str, (*clause, 0))) for clause in self.clauses]
            return "\n".join(lines) + "\n"
        lines = [f"#QCIR-G14 {self.largest}", *(f"#{c}" for c in self.comments)]
        for kind, block in self.prefix:
            lines.append(f"{'forall' if kind else 'exists'}({', '.join(map(str, block))})")
        lines.append(f"output({self.output})")
        for gate, (name, inputs) in self.gates.items():
            lines.append(f"{gate} = {name}({', '.join(map(str, inputs))})")
        return "\n".join(lines) + "\n"

    def layout(self) -> list[str]:
        """The lines of the layout, without ``@``."""
        return [line for line in map(layout_line, self.comments) if line is not None]

    def with_layout(self, lines: list[str]) -> Formula:
        """The formula with other lines of layout."""
        others = [c for c in self.comments if layout_line(c) is None]
        sign = "#@ " if self.clauses is not None else "@ "
        return replace(self, comments=(*others, *(sign + line for line in lines)))


def layout_line(comment: str) -> str | None:
    """What a comment says of the layout, if anything."""
    text = comment.strip().removeprefix("#").strip()
    return text[1:].strip() if text.startswith("@") else None


# --- Reading -----------------------------------------------------------------------------------

_STATEMENT = re.compile(r"\s*(?:(\d+)\s*=\s*)?([a-z]+)\s*\(([^()]*)\)\s*$")


def read_formula(text: str) -> Formula:
    """The formula in a text; :class:`UnreadableError` for what these judges do not read."""
    if any(line.startswith("p cnf") for line in text.splitlines()):
        return _qdimacs(text)
    return _qcir(text)


def _numbers(words: list[str]) -> tuple[int, ...]:
    try:
        return tuple(map(int, words))
    except ValueError:
        raise UnreadableError("a name that is no number") from None


def _qcir(text: str) -> Formula:
    comments: list[str] = []
    prefix: list[tuple[bool, tuple[int, ...]]] = []
    gates: Gates = {}
    output: int | None = None
    for number, line in enumerate(text.splitlines()):
        if line.startswith("#"):
            if number or not line.startswith("#QCIR"):
                comments.append(line[1:])
            continue
        if not line.strip():
            continue
        match = _STATEMENT.match(line)
        if match is None:
            raise UnreadableError(f"the line {line!r}")
        name, word, inner = match.groups()
        values = _numbers([w.replace(" ", "") for w in inner.split(",") if w.strip()])
        if name is not None:
            if word not in ("and", "or", "xor", "ite") or int(name) in gates:
                raise UnreadableError(f"the gate {line!r}")
            gates[int(name)] = (word, values)
        elif word in ("exists", "forall"):
            prefix.append((word == "forall", values))
        elif word == "output" and output is None:
            (output,) = values
        else:
            raise UnreadableError(f"the line {line!r}")
    if output is None:
        raise UnreadableError("no output")
    formula = Formula(tuple(prefix), gates, output, None, tuple(comments))
    _check(formula)
    return formula


def _qdimacs(text: str) -> Formula:
    comments: list[str] = []
    prefix: list[tuple[bool, tuple[int, ...]]] = []
    words: list[str] = []
    size = 0
    for line in text.splitlines():
        if line[:1] == "c":
            comments.append(line[2:])
        elif line[:1] == "p":
            size = int(line.split()[2])
        elif line[:1] in ("a", "e"):
            prefix.append((line[0] == "a", _numbers(line.split()[1:-1])))
        else:
            words += line.split()
    clauses: list[tuple[int, ...]] = []
    clause: list[int] = []
    for value in _numbers(words):
        if value:
            clause.append(value)
        else:
            clauses.append(tuple(clause))
            clause = []
    bound = {v for _, block in prefix for v in block}
    free = sorted({abs(x) for c in clauses for x in c} - bound)
    if free:
        prefix.insert(0, (False, tuple(free)))
    formula = Formula(tuple(prefix), {}, 0, tuple(clauses), tuple(comments), size)
    _check(formula)
    return formula


def _check(formula: Formula) -> None:
    variables = formula.variables
    known = set(formula.literals)
    if len(known) != len(variables) + len(formula.gates) or 0 in known:
        raise UnreadableError("a variable or gate twice")
    used = {abs(x) for _, inputs in formula.gates.values() for x in inputs}
    used |= {abs(x) for c in formula.clauses or () for x in c}
    if formula.clauses is None:
        used.add(abs(formula.output))
    if not used <= known:
        raise UnreadableError("a literal that is not defined")
    if any(
        (name == "xor" and len(inputs) != 2) or (name == "ite" and len(inputs) != 3)
        for name, inputs in formula.gates.values()
    ):
        raise UnreadableError("a gate with a wrong number of inputs")
    waiting = dict(formula.gates)
    while waiting:
        ready = [g for g, (_, xs) in waiting.items() if not any(abs(x) in waiting for x in xs)]
        if not ready:
            raise UnreadableError("gates in a cycle")
        for gate in ready:
            del waiting[gate]


# --- Diagrams ----------------------------------------------------------------------------------


class Matrix:
    """The matrix of a formula as diagrams; variables may be replaced by functions."""

    def __init__(
        self,
        formula: Formula,
        diagrams: Diagrams,
        replaced: Mapping[int, int] | None = None,
    ) -> None:
        self.formula = formula
        self.diagrams = diagrams
        self.levels = {v: k for k, v in enumerate(formula.variables)}
        self._value: dict[int, int] = {v: diagrams.variable(k) for v, k in self.levels.items()}
        self._value.update(replaced or {})
        self._open: set[int] = set()

    def literal(self, literal: int) -> int:
        """The function of a variable or gate, or of its negation."""
        value = self._of(abs(literal))
        return value if literal > 0 else self.diagrams.not_(value)

    def _of(self, number: int) -> int:
        if number not in self._value:
            if number in self._open:
                raise UnreadableError("gates in a cycle")
            self._open.add(number)
            if number not in self.formula.gates:
                raise UnreadableError(f"{number} is not defined")
            name, inputs = self.formula.gates[number]
            values = [self.literal(x) for x in inputs]
            d = self.diagrams
            self._value[number] = {
                "and": lambda: d.all_of(values),
                "or": lambda: d.any_of(values),
                "xor": lambda: d.xor(*values),
                "ite": lambda: d.ite(*values),
            }[name]()
        return self._value[number]

    def factors(self) -> list[int]:
        """Functions whose conjunction is the matrix."""
        if self.formula.clauses is not None:
            return [self.diagrams.any_of(map(self.literal, c)) for c in self.formula.clauses]
        found: list[int] = []
        stack = [self.formula.output]
        while stack:
            literal = stack.pop()
            name, inputs = self.formula.gates.get(abs(literal), ("", ()))
            if literal > 0 and name == "and":
                stack += inputs
            elif literal < 0 and name == "or":
                stack += [-x for x in inputs]
            else:
                found.append(self.literal(literal))
        return found


@dataclass(frozen=True)
class Solved:
    """The truth of a formula, and the functions of the side that wins.

    ``choices`` are (variable, function) from the innermost to the outermost variable; a function
    may read all variables left of its own.
    """

    true: bool
    diagrams: Diagrams
    choices: tuple[tuple[int, int], ...]


_MOST_NODES = 40_000

_Steps = tuple[tuple[int, int, int], ...]
"""For each variable, from the innermost on: where the matrix holds when it is false, and true."""

_Eliminated = tuple[bool, Diagrams, _Steps]

_known: deque[tuple[Formula, _Eliminated | None]] = deque(maxlen=12)
"""The formulas that were asked about last: cases share theirs, and ask more than once."""


def _eliminated(formula: Formula) -> _Eliminated:
    """The value of a formula, and the steps that lead to it."""
    own = (formula.prefix, formula.output, formula.gates, formula.clauses)
    same = (f for o, f in _known if own == (o.prefix, o.output, o.gates, o.clauses))
    found = next(same, ...)
    if found is ...:
        try:
            found = _eliminate(formula)
        except TooLargeError:
            found = None
        _known.append((formula, found))
    if found is None:
        raise TooLargeError(f"more than {_MOST_NODES} nodes")
    return found


def _eliminate(formula: Formula) -> _Eliminated:
    diagrams = Diagrams(_MOST_NODES)
    matrix = Matrix(formula, diagrams)
    universal = formula.universal
    factors = set(matrix.factors())
    steps: list[tuple[int, int, int]] = []
    for variable in reversed(formula.variables):
        level = matrix.levels[variable]
        having = [f for f in factors if diagrams.reads[f] >> level & 1]
        factors -= set(having)
        if universal[variable]:
            lows = [diagrams.fixed(f, level, False) for f in having]
            highs = [diagrams.fixed(f, level, True) for f in having]
            factors |= {*lows, *highs}
            low, high = diagrams.all_of(lows), diagrams.all_of(highs)
        else:
            together = diagrams.all_of(having)
            low = diagrams.fixed(together, level, False)
            high = diagrams.fixed(together, level, True)
            factors.add(diagrams.any_of([low, high]))
        steps.append((variable, low, high))
        factors.discard(TRUE)
    return FALSE not in factors, diagrams, tuple(steps)


def solve(formula: Formula, rng: Random | None = None, limit: int = _MOST_NODES) -> Solved:
    """Decide a formula; with ``rng`` it chooses among the functions that win.

    Raises :class:`TooLargeError` when more than ``limit`` nodes are needed.
    """
    true, diagrams, steps = _eliminated(formula)
    diagrams = diagrams.copy()
    diagrams.set_limit(limit)
    universal = formula.universal
    exists: list[tuple[int, int]] = []
    forall: list[tuple[int, int]] = []
    for variable, low, high in steps:
        by_low = rng is not None and rng.random() < 0.5
        if universal[variable]:
            forall.append((variable, low if by_low else diagrams.not_(high)))
        else:
            exists.append((variable, diagrams.not_(low) if by_low else high))
    return Solved(true, diagrams, tuple(exists if true else forall))


def satisfiable(diagrams: Diagrams, factors: set[int]) -> bool:
    """Whether some assignment makes all factors true: eliminated from the innermost on."""
    while factors - {TRUE} and FALSE not in factors:
        level = max(diagrams.reads[f] for f in factors).bit_length() - 1
        having = [f for f in factors if diagrams.reads[f] >> level & 1]
        together = diagrams.all_of(having)
        factors = factors - set(having) | {
            diagrams.any_of([diagrams.fixed(together, level, bit) for bit in (False, True)])
        }
    return FALSE not in factors


def truth(formula: Formula) -> bool:
    """Whether a formula is true."""
    return _eliminated(formula)[0]


def plain_truth(formula: Formula) -> bool:
    """The truth by the definition: all assignments, one by one (a few variables)."""
    order = formula.variables
    universal = formula.universal

    def holds(literal: int, values: Mapping[int, bool]) -> bool:
        number = abs(literal)
        if number in values:
            value = values[number]
        else:
            name, inputs = formula.gates[number]
            bits = [holds(x, values) for x in inputs]
            if name == "and":
                value = all(bits)
            elif name == "or":
                value = any(bits)
            elif name == "xor":
                value = bits[0] != bits[1]
            else:
                value = bits[1] if bits[0] else bits[2]
        return value == (literal > 0)

    def matrix(values: Mapping[int, bool]) -> bool:
        if formula.clauses is not None:
            return all(any(holds(x, values) for x in c) for c in formula.clauses)
        return holds(formula.output, values)

    def value(values: dict[int, bool]) -> bool:
        if len(values) == len(order):
            return matrix(values)
        v = order[len(values)]
        both = (value({**values, v: bit}) for bit in (False, True))
        return all(both) if universal[v] else any(both)

    return value({})
