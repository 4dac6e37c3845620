"""Certificates as texts: AIGER and clause sets, written from diagrams, read back and judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from tests.support.liars.bdd import FALSE, TRUE, Diagrams
from tests.support.liars.formula import Formula, Matrix, Solved, UnreadableError, satisfiable


@dataclass(frozen=True)
class Circuit:
    """An AIGER file in CAQE's dialect: inputs and outputs are named by variables.

    ``gates`` are (left, right), the first one being variable ``len(inputs) + 1``; ``outputs``
    are (variable, literal); ``skolem`` is what the output ``result`` says.
    """

    inputs: tuple[int, ...]
    outputs: tuple[tuple[int, int], ...]
    gates: tuple[tuple[int, int], ...]
    skolem: bool

    def text(self) -> str:
        """The file, in ASCII."""
        count, gates = len(self.inputs), len(self.gates)
        lines = [f"aag {count + gates} {count} 0 {len(self.outputs) + 1} {gates}"]
        lines += [str(2 * k + 2) for k in range(count)]
        lines += [str(literal) for _, literal in self.outputs]
        lines.append(str(int(self.skolem)))
        for k, (left, right) in enumerate(self.gates, start=count + 1):
            lines.append(f"{2 * k} {left} {right}")
        lines += [f"i{k} {v}" for k, v in enumerate(self.inputs)]
        lines += [f"o{k} {v}" for k, (v, _) in enumerate(self.outputs)]
        lines.append(f"o{len(self.outputs)} result")
        return "\n".join(lines) + "\n"


class CircuitBuilder:
    """Adds gates behind some inputs; literals are AIGER's."""

    def __init__(self, inputs: tuple[int, ...]) -> None:
        self.inputs = inputs
        self.gates: list[tuple[int, int]] = []
        self.place = {v: 2 * k + 2 for k, v in enumerate(inputs)}

    def and_(self, left: int, right: int) -> int:
        """The conjunction of two literals."""
        self.gates.append((max(left, right), min(left, right)))
        return 2 * (len(self.inputs) + len(self.gates))

    def ite(self, test: int, then: int, other: int) -> int:
        """``then`` where ``test`` holds, else ``other``."""
        if then == other:
            return then
        if (then, other) == (1, 0):
            return test
        if (then, other) == (0, 1):
            return test ^ 1
        first = self.and_(test, then)
        second = self.and_(test ^ 1, other)
        return self.and_(first ^ 1, second ^ 1) ^ 1


def circuit_of(formula: Formula, solved: Solved) -> Circuit:
    """The functions of the side that wins, as functions of the other side's variables."""
    universal = formula.universal
    inputs = tuple(v for v in formula.variables if universal[v] is solved.true)
    builder = CircuitBuilder(inputs)
    place = dict(builder.place)
    order = formula.variables
    d = solved.diagrams
    known: dict[int, int] = {}

    def emit(f: int) -> int:
        if f in (FALSE, TRUE):
            return f
        if f not in known:
            low, high = emit(d.low[f]), emit(d.high[f])
            known[f] = builder.ite(place[order[d.level[f]]], high, low)
        return known[f]

    outputs: list[tuple[int, int]] = []
    for variable, function in reversed(solved.choices):
        place[variable] = emit(function)
        outputs.append((variable, place[variable]))
    return Circuit(inputs, tuple(outputs), tuple(builder.gates), solved.true)


def pedant_of(formula: Formula, circuit: Circuit) -> str:
    """A Skolem circuit as a clause set in Pedant's manner."""
    helper = formula.largest
    name: dict[int, int] = {2 * k + 2: v for k, v in enumerate(circuit.inputs)}
    clauses: list[list[int]] = []
    written: set[int] = set()

    def literal(x: int) -> int:
        return name[x & ~1] * (-1 if x & 1 else 1)

    def define(x: int, into: list[list[int]]) -> None:
        nonlocal helper
        gate = (x & ~1) // 2 - len(circuit.inputs) - 1
        if x < 2 or gate < 0 or x & ~1 in written:
            return
        written.add(x & ~1)
        left, right = circuit.gates[gate]
        define(left, into)
        define(right, into)
        helper += 1
        name[x & ~1] = helper
        if 0 in (left, right):
            into.append([-helper])
            return
        parts = [literal(y) for y in (left, right) if y != 1]
        into.extend([-helper, y] for y in parts)
        into.append([helper, *(-y for y in parts)])

    lines: list[str] = []
    count = 0
    for variable, output in circuit.outputs:
        clauses = []
        define(output, clauses)
        if output < 2:
            clauses.append([variable if output else -variable])
        else:
            clauses += [[-variable, literal(output)], [variable, -literal(output)]]
        lines.append(f"c Model for variable {variable}.")
        lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
        count += len(clauses)
    return "\n".join([f"p cnf {helper} {count}", *lines]) + "\n"


# --- Reading and judging -------------------------------------------------------------------------


def read_circuit(text: str) -> Circuit:
    """The circuit in a file; :class:`UnreadableError` for dialects and forms other than ours."""
    lines = text.split("\n")
    try:
        word, *numbers = lines[0].split()
        most, count, latches, outs, gates = map(int, numbers)
        if word != "aag" or latches or most != count + gates:
            raise UnreadableError("a header that is not ours")
        if [int(x) for x in lines[1 : 1 + count]] != [2 * k + 2 for k in range(count)]:
            raise UnreadableError("inputs that are not ours")
        literals = [int(x) for x in lines[1 + count : 1 + count + outs]]
        rows = [tuple(map(int, x.split())) for x in lines[1 + count + outs :][:gates]]
        if [r[0] for r in rows] != [2 * (count + 1 + k) for k in range(gates)]:
            raise UnreadableError("gates that are not ours")
        if any(y >= r[0] for r in rows for y in r[1:]) or any(len(r) != 3 for r in rows):
            raise UnreadableError("gates in an order that is not ours")
    except (ValueError, IndexError):
        raise UnreadableError("a file that is not ours") from None
    names: dict[str, str] = {}
    for line in lines[1 + count + outs + gates :]:
        match = re.fullmatch(r"([io]\d+) (\S+)", line)
        if match is None:
            break
        names[match[1]] = match[2]
    if names.get(f"o{outs - 1}") != "result" or literals[-1] not in (0, 1):
        raise UnreadableError("no output 'result'")
    try:
        inputs = tuple(int(names[f"i{k}"]) for k in range(count))
        outputs = tuple((int(names[f"o{k}"]), literals[k]) for k in range(outs - 1))
    except (KeyError, ValueError):
        raise UnreadableError("a name that is missing") from None
    return Circuit(inputs, outputs, tuple((r[1], r[2]) for r in rows), literals[-1] == 1)


class Judged:
    """What a circuit is worth for a formula.

    ``functions`` maps the side's variables to diagrams over all variables; don't-cares are false,
    as the product says that it plays them.
    """

    def __init__(self, formula: Formula, circuit: Circuit) -> None:
        self.formula = formula
        self.circuit = circuit
        self.diagrams = Diagrams()
        levels = {v: k for k, v in enumerate(formula.variables)}
        universal = formula.universal
        d = self.diagrams
        values = [FALSE]
        for v in circuit.inputs:
            if v not in levels or universal[v] is not circuit.skolem:
                raise UnreadableError(f"the input {v}")
            values.append(d.variable(levels[v]))

        def literal(x: int) -> int:
            if x >> 1 >= len(values):
                raise UnreadableError(f"the literal {x}, of nothing before it")
            return d.not_(values[x >> 1]) if x & 1 else values[x >> 1]

        for left, right in circuit.gates:
            values.append(d.all_of([literal(left), literal(right)]))
        self.functions: dict[int, int] = {}
        for v, x in circuit.outputs:
            if v in self.functions:
                raise UnreadableError("two functions of a variable")
            self.functions[v] = literal(x)
        self.own = [v for v in formula.variables if universal[v] is not circuit.skolem]
        self.replaced = {v: self.functions.get(v, FALSE) for v in self.own}

    def peeks(self) -> bool:
        """Whether some function depends on a variable right of its own."""
        order = self.formula.variables
        level_of = {v: k for k, (_, block) in enumerate(self.formula.prefix) for v in block}
        for v in self.own:
            read = self.diagrams.reads[self.replaced[v]]
            if any(read >> k & 1 and level_of[w] > level_of[v] for k, w in enumerate(order)):
                return True
        return False

    def mentions_right(self) -> bool:
        """Whether some function reaches, in its graph, a variable right of its own."""
        level_of = {v: k for k, (_, block) in enumerate(self.formula.prefix) for v in block}
        count = len(self.circuit.inputs)
        reach: list[set[int]] = [set(), *({v} for v in self.circuit.inputs)]
        for left, right in self.circuit.gates:
            reach.append(reach[left >> 1] | reach[right >> 1])
        assert len(reach) == count + len(self.circuit.gates) + 1
        return any(
            level_of[w] > level_of[v]
            for v, x in self.circuit.outputs
            if v in level_of
            for w in reach[x >> 1]
        )

    def wins(self) -> bool:
        """Whether no choice of the other side beats the functions, whatever they read."""
        matrix = Matrix(self.formula, self.diagrams, self.replaced)
        if self.circuit.skolem:
            return all(f == TRUE for f in matrix.factors())
        return not satisfiable(self.diagrams, set(matrix.factors()))


def random_circuit(formula: Formula, skolem: bool, rng: Random, gates: int = 6) -> Circuit:
    """Some functions that are nobody's."""
    universal = formula.universal
    inputs = tuple(v for v in formula.variables if universal[v] is skolem)
    builder = CircuitBuilder(inputs)
    for _ in range(rng.randint(0, gates)):
        top = 2 * (len(inputs) + len(builder.gates)) + 1
        builder.and_(rng.randint(0, top), rng.randint(0, top))
    top = 2 * (len(inputs) + len(builder.gates)) + 1
    outputs = tuple(
        (v, rng.randint(0, top)) for v in formula.variables if universal[v] is not skolem
    )
    return Circuit(inputs, outputs, tuple(builder.gates), skolem)
