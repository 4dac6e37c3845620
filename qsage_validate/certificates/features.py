"""Features: the variables and gates that a function of a certificate may read.

A function may read all that stands left of its variable: the opponent's variables, decided ones
that come earlier, and every gate of the matrix over such variables.  The matrix compares and
adds what the variables stand for, so its gates are what a short function is made of.  More
gates are added that a matrix does not have: whether bits, or vectors of bits of the same
meaning, are equal.

Variables that the clauses of a clausal form define need no function of their own, for in every
certificate they have the gate's value: Tseitin's transformation writes ``v <-> and(...)`` as one
long clause and a binary one for each input, ``v <-> xor(a, b)`` as four clauses of three literals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Final

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier
from qsage_validate.encodings.layout import Layout

# Pairs of single bits are compared when there are no more variables than this.
_FEW_VARIABLES: Final = 40
# Vectors are compared up to these differences.
_OFFSETS: Final = (-1, 0, 1)


@dataclass(frozen=True, slots=True)
class FeatureCircuit:
    """Variables and gates in one numbering, in an order in which they can be evaluated.

    ``schedule`` has every number once, each behind what it needs: a variable ``v`` behind all
    that its function may look at (``position`` is smaller), a gate behind its inputs.
    ``defined`` are decided variables that are gates (Tseitin's): they need no function.
    """

    formula: Qbf
    decided: tuple[int, ...]
    opponent: tuple[int, ...]
    gates: Mapping[int, Gate]
    position: Mapping[int, int]
    schedule: tuple[int, ...]
    prices: Mapping[int, int]
    defined: frozenset[int] = field(default=frozenset())

    @property
    def size(self) -> int:
        """One more than the largest number."""
        return max(self.schedule, default=0) + 1

    def features(self, variable: int, most: int) -> list[int]:
        """The features that the function of ``variable`` may read; gates cost at most ``most``."""
        limit = self.position[variable]
        return [
            number
            for number in self.schedule
            if self.position[number] < limit and self.prices[number] <= most
        ]


def feature_circuit(
    formula: Qbf,
    decides: Quantifier,
    layout: Layout | None = None,
    definitions: Mapping[int, Gate] | None = None,
) -> FeatureCircuit:
    """The features of ``formula`` for the player who decides the variables of ``decides``.

    ``definitions`` are gates that some decided variables equal.
    """
    definitions = definitions or {}
    order = [v for scope in formula.merged_scopes() for v in scope.variables]
    gates = {**formula.gates, **definitions}
    free = [v for v in order if v not in definitions]
    maker = _Maker(formula.max_variable + 1)
    if layout is not None:
        maker.compare_vectors(layout)
    level = formula.levels()
    outer = [v for v in free if level[v] < max(level.values(), default=0)]
    if len(outer) <= _FEW_VARIABLES:
        for a, b in combinations(outer, 2):  # the exclusive or of every pair
            maker.gate(Connective.XOR, a, b)
    known = set(free) | gates.keys()
    gates |= maker.gates_from(known)
    sequence = _topological(gates, free)
    position = {v: index for index, v in enumerate(order)}
    # A gate stands behind the last variable that it needs; constants stand before all.
    for number in sequence:
        if number in gates:
            inputs = gates[number].inputs
            position[number] = max((position[abs(x)] for x in inputs), default=-1)
    rank = {number: index for index, number in enumerate(sequence)}
    schedule = sorted(sequence, key=lambda n: (position[n], n in gates, rank[n]))
    own = [v for v in free if formula.quantifiers()[v] is decides]
    return FeatureCircuit(
        formula,
        tuple(own),
        formula.variables(decides.dual),
        gates,
        position,
        tuple(schedule),
        _prices(gates, schedule),
        frozenset(definitions),
    )


class _Maker:
    """Makes gates that compare."""

    def __init__(self, first: int) -> None:
        self._next = first
        self._gates: dict[int, Gate] = {}
        self._hash: dict[Gate, int] = {}

    def gate(self, connective: Connective, *inputs: int) -> int:
        gate = Gate(connective, inputs)
        if gate not in self._hash:
            self._hash[gate] = self._next
            self._gates[self._next] = gate
            self._next += 1
        return self._hash[gate]

    def compare_vectors(self, layout: Layout) -> None:
        """Equality of coordinates of plies, the symbolic square and goals, and of squares."""
        goals = layout.goals
        squares = [(move.x, move.y) for move in layout.moves]
        squares += [(layout.state.x, layout.state.y), (goals.black_x, goals.black_y)]
        squares.append((goals.white_x, goals.white_y))
        for left, right in combinations(squares, 2):
            by_axis = [self._axis(a, b) for a, b in zip(left, right, strict=True)]
            for x in by_axis[0].values():
                for y in by_axis[1].values():
                    self.gate(Connective.AND, x, y)

    def _axis(self, left: Sequence[int], right: Sequence[int]) -> dict[int, int]:
        """For each offset the gate of ``left + offset = right`` (modulo)."""
        if len(left) != len(right) or not left:
            return {}
        found = {}
        for offset in _OFFSETS:
            if offset and len(left) == 1:
                continue
            moved = self._plus(left, offset)
            equal = [-self.gate(Connective.XOR, a, b) for a, b in zip(moved, right, strict=True)]
            found[offset] = equal[0] if len(equal) == 1 else self.gate(Connective.AND, *equal)
        return found

    def _plus(self, bits: Sequence[int], offset: int) -> list[int]:
        """``bits`` (most significant first) plus -1, 0 or 1."""
        if not offset:
            return list(bits)
        moved: list[int] = []
        carry = 0
        for bit in reversed(bits):
            if not carry:
                moved.append(-bit)
                carry = bit if offset > 0 else -bit
            else:
                moved.append(self.gate(Connective.XOR, bit, carry))
                carry = self.gate(Connective.AND, bit if offset > 0 else -bit, carry)
        return moved[::-1]

    def gates_from(self, known: set[int]) -> dict[int, Gate]:
        """The gates over numbers that are ``known``: a foreign layout may name others."""
        found: dict[int, Gate] = {}
        for number, gate in self._gates.items():
            if all(abs(x) in known or abs(x) in found for x in gate.inputs):
                found[number] = gate
        return found


def _topological(gates: Mapping[int, Gate], variables: Iterable[int]) -> list[int]:
    """Variables, then gates behind their inputs (definitions are between a matrix's gates)."""
    sequence = list(variables)
    done = set(sequence)
    for root in gates:
        pending = [root]
        while pending:
            number = pending[-1]
            if number in done:
                pending.pop()
                continue
            missing = [abs(x) for x in gates[number].inputs if abs(x) not in done]
            if missing:
                pending += missing
                continue
            pending.pop()
            done.add(number)
            sequence.append(number)
    return sequence


def _prices(gates: Mapping[int, Gate], schedule: Iterable[int]) -> dict[int, int]:
    """The AND gates that each number needs, counted once for each use (an upper bound)."""
    prices: dict[int, int] = {}
    for number in schedule:
        gate = gates.get(number)
        if gate is None:
            prices[number] = 0
            continue
        own = max(0, len(gate.inputs) - 1)
        if gate.connective in (Connective.XOR, Connective.ITE):
            own = 3
        prices[number] = min(1 << 20, own + sum(prices[abs(x)] for x in gate.inputs))
    return prices


def gate_bits(gate: Gate, values: Sequence[int], mask: int) -> int:
    """The values of a gate in many plays at once, one a bit; ``mask`` has a one for each play.

    Python's integers are the quickest words for the few plays that are wanted here.
    """
    inputs = gate.inputs
    if gate.connective is Connective.AND:
        found = mask
        for x in inputs:
            found &= values[x] if x > 0 else mask ^ values[-x]
        return found
    if gate.connective is Connective.OR:
        found = 0
        for x in inputs:
            found |= values[x] if x > 0 else mask ^ values[-x]
        return found
    bits = [values[x] if x > 0 else mask ^ values[-x] for x in inputs]
    if gate.connective is Connective.XOR:
        return bits[0] ^ bits[1]
    return bits[0] & bits[1] | (mask ^ bits[0]) & bits[2]


def build_gate(builder: AigBuilder, gate: Gate, literals: Mapping[int, int]) -> int:
    inputs = [literals[abs(x)] ^ (x < 0) for x in gate.inputs]
    match gate.connective:
        case Connective.AND:
            return builder.and_all(inputs)
        case Connective.OR:
            return builder.or_all(inputs)
        case Connective.XOR:
            return builder.xor(*inputs)
    return builder.ite(*inputs)


def defined_gates(formula: Qbf, decides: Quantifier) -> dict[int, Gate]:
    """The gates of the variables of ``decides`` that clauses of ``formula`` define.

    No gate reads to the right of its variable, and none reads itself.  Empty unless the formula
    is a conjunction of clauses, and for the universal player, whom no clause binds.
    """
    clauses = _clauses(formula)
    if clauses is None or decides is not Quantifier.EXISTS:
        return {}
    level = formula.levels()
    place = {v: k for k, v in enumerate(v for s in formula.merged_scopes() for v in s.variables)}
    own = set(formula.variables(decides))
    known = set(clauses)
    found: dict[int, Gate] = {}
    for clause in sorted(known, key=lambda c: (len(c), sorted(c, key=abs))):
        # The variable furthest to the right is the likeliest to be the gate's.
        for literal in sorted(clause, key=lambda x: -place[abs(x)]):
            variable = abs(literal)
            if variable in found or variable not in own:
                continue
            gate = _conjunction(clause, literal, known) or _parity(clause, literal, known)
            if gate is None:
                continue
            fits = all(level[abs(x)] <= level[variable] for x in gate.inputs)
            if fits and not _reaches(gate, variable, found):
                found[variable] = gate
                break
    return found


def _clauses(formula: Qbf) -> list[frozenset[int]] | None:
    """The clauses of a matrix in conjunctive normal form; ``None`` for any other."""
    top = formula.gates.get(formula.output)
    if top is None or top.connective is not Connective.AND:
        return None
    clauses = []
    variables = formula.quantifiers()
    for literal in top.inputs:
        gate = formula.gates.get(literal)
        if gate is None:
            if abs(literal) not in variables:
                return None
            clauses.append(frozenset((literal,)))
            continue
        if gate.connective is not Connective.OR or any(
            abs(x) not in variables for x in gate.inputs
        ):
            return None
        clauses.append(frozenset(gate.inputs))
    return clauses


def _conjunction(clause: frozenset[int], literal: int, known: set[frozenset[int]]) -> Gate | None:
    """The gate of ``literal``, when by binary clauses nothing else of ``clause`` goes with it."""
    others = sorted(clause - {literal}, key=abs)
    if not others or any(frozenset((-literal, -x)) not in known for x in others):
        return None
    if literal > 0:
        return Gate(Connective.AND, tuple(-x for x in others))
    return Gate(Connective.OR, tuple(others))


def _parity(clause: frozenset[int], literal: int, known: set[frozenset[int]]) -> Gate | None:
    """The exclusive or that the four clauses over the variables of ``clause`` say."""
    variables = sorted({abs(x) for x in clause})
    if len(variables) != 3 or len(clause) != 3:
        return None
    negative = sum(x < 0 for x in clause) % 2
    for signs in product((1, -1), repeat=3):
        if signs.count(-1) % 2 == negative and (
            frozenset(s * v for s, v in zip(signs, variables, strict=True)) not in known
        ):
            return None
    a, b = (v for v in variables if v != abs(literal))
    # An odd number of negative literals: the clauses say that the parity is even.
    return Gate(Connective.XOR, (a, b if negative else -b))


def _reaches(gate: Gate, variable: int, gates: Mapping[int, Gate]) -> bool:
    """True if ``gate`` reads ``variable``, directly or by way of ``gates``."""
    seen: set[int] = set()
    pending: list[Iterator[int]] = [map(abs, gate.inputs)]
    while pending:
        number = next(pending[-1], None)
        if number is None:
            pending.pop()
        elif number == variable:
            return True
        elif number not in seen:
            seen.add(number)
            if number in gates:
                pending.append(map(abs, gates[number].inputs))
    return False
