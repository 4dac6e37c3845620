"""Certificates learnt anew: short functions that win where a given certificate does.

Each function becomes a decision tree over what stands left of its variable.  The trees are learnt
from few rows; where they lose, which simulation and a SAT solver find, the play is *repaired*: from
left to right each variable keeps the value of its tree where the play can still be won, else it
gets the given certificate's (or, right of all of the opponent's variables, the one value that
wins), and this becomes a row.  So rows are only added where a value matters, which makes use of all
don't-cares; and every repair adds one, so that an end is reached.

Learning from samples with repairs is Manthan's idea (Golia, Roy and Meel, *Manthan: a
data-driven approach for Boolean function synthesis*, CAV 2020); here a certificate is the
teacher, which makes it work for any number of quantifier alternations.

A tree agrees with every row that it was learnt from and says something of its own everywhere
else.  Features are columns of bits; what a column costs (in gates) is weighed against what it
tells (information gain, Quinlan, *Induction of decision trees*, Machine Learning 1, 1986).

A *feature* is a variable or a gate that a function may read, for it stands left of the function's
variable: the opponent's variables, decided ones that come earlier, and every gate of the matrix
over such variables.  The matrix compares and adds what the variables stand for, so its gates are
what a short function is made of.  More gates are added that a matrix does not have: whether bits,
or vectors of bits of the same meaning, are equal.

Variables that the clauses of a clausal form define need no function of their own, for in every
certificate they have the gate's value: Tseitin's transformation writes ``v <-> and(...)`` as one
long clause and a binary one for each input, ``v <-> xor(a, b)`` as four clauses of three literals.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder, embed
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier
from qsage_validate.circuit.sat import Satisfiable, Solver, TimedOut
from qsage_validate.circuit.simplify import columns_as_bits, satisfy
from qsage_validate.circuit.simulate import GraphSimulator, pack, unpack
from qsage_validate.encodings.layout import Layout
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.system.limits import NEVER, Deadline, Progress, Stopwatch, Tell, nobody

# Features: the variables and gates that a function of a certificate may read


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


# Decision trees, learnt with repairs


Bits = NDArray[np.bool_]
Prices = NDArray[np.float64]

# The cost of a multiplexer, in gates.
_TEST: Final = 3.0


@dataclass(frozen=True, slots=True)
class Fork:
    """Look at feature ``feature`` and go on with ``high`` where it is true, else with ``low``."""

    feature: int
    high: Tree
    low: Tree


Tree = Fork | bool


def learn_tree(
    rows: Bits, values: Bits, prices: Prices, *, thrift: float = 1.0, tree: Tree | None = None
) -> Tree:
    """A tree that gives ``values[r]`` on ``rows[r]``; its features are column numbers.

    ``rows`` has shape ``(rows, features)``, ``prices`` the gates that each feature costs when it
    is first used; it is changed: features in use cost nothing more.  ``thrift`` is how many bits
    of information a gate has to be worth.  With ``tree``, which has features of the same numbers,
    only its leaves that are wrong are learnt, which is quicker and gives larger trees.  Raises
    ``ValueError`` when two equal rows differ in value.
    """
    learner = _Learner(rows, values, prices, thrift)
    every = np.arange(len(rows))
    return learner.tree(every) if tree is None else learner.mend(tree, every)


class _Learner:
    def __init__(self, rows: Bits, values: Bits, prices: Prices, thrift: float) -> None:
        self.rows = rows
        self.values = values
        self.prices = prices
        self.thrift = thrift
        self._table = np.ascontiguousarray(rows, dtype=np.float32)
        count = np.arange(len(rows) + 1, dtype=np.float64)
        # count[k] * log2(count[k]), of which all entropies are sums.
        self._logs = count * np.log2(np.maximum(count, 1.0))

    def tree(self, which: NDArray[np.intp]) -> Tree:
        values = self.values[which]
        if not values.any():
            return False
        if values.all():
            return True
        feature = self._best(self._table[which], values)
        self.prices[feature] = 0.0
        chosen = self.rows[which, feature]
        ones, zeros = which[chosen], which[~chosen]
        # The branch with fewer rows has fewer constraints: the other's tree may agree with it.
        if len(ones) >= len(zeros):
            high = self.tree(ones)
            low = high if self._agrees(high, zeros) else self.tree(zeros)
        else:
            low = self.tree(zeros)
            high = low if self._agrees(low, ones) else self.tree(ones)
        return high if high == low else Fork(feature, high, low)

    def mend(self, tree: Tree, which: NDArray[np.intp]) -> Tree:
        """``tree`` with other leaves where it is wrong."""
        if isinstance(tree, bool):
            return tree if (self.values[which] == tree).all() else self.tree(which)
        chosen = self.rows[which, tree.feature]
        high, low = self.mend(tree.high, which[chosen]), self.mend(tree.low, which[~chosen])
        return high if high == low else Fork(tree.feature, high, low)

    def _agrees(self, tree: Tree, which: NDArray[np.intp]) -> bool:
        said = say(tree, lambda feature: self.rows[which, feature], len(which))
        return bool((said == self.values[which]).all())

    def _best(self, table: NDArray[np.float32], values: Bits) -> int:
        """The column that tells most for its price."""
        total, true = len(values), int(values.sum())
        ones = table.sum(axis=0).astype(np.intp)
        true_ones = (values.astype(np.float32) @ table).astype(np.intp)
        splits = (ones > 0) & (ones < total)
        if not splits.any():
            raise ValueError("equal rows have different values")
        logs = self._logs
        zeros, true_zeros = total - ones, true - true_ones
        # Bits that are still missing when the column is known.
        missing = logs[ones] - logs[true_ones] - logs[ones - true_ones]
        missing += logs[zeros] - logs[true_zeros] - logs[zeros - true_zeros]
        score = -missing - self.thrift * (self.prices + _TEST)
        score[~splits] = -np.inf
        return int(np.argmax(score))


def say(tree: Tree, column: Callable[[int], Bits], count: int) -> Bits:
    """The values of ``tree`` for ``count`` rows; ``column(f)`` are the values of feature ``f``."""
    if isinstance(tree, bool):
        return np.full(count, tree, dtype=np.bool_)
    high, low = say(tree.high, column, count), say(tree.low, column, count)
    found: Bits = np.where(column(tree.feature), high, low)
    return found


def say_in_bits(tree: Tree, values: Sequence[int], mask: int) -> int:
    """The values of ``tree`` for many rows at once, one for each bit.

    ``values[f]`` are the values of feature ``f``; ``mask`` has a one for each row.
    """
    if isinstance(tree, bool):
        return mask if tree else 0
    test = values[tree.feature]
    high = say_in_bits(tree.high, values, mask) if test else 0
    low = say_in_bits(tree.low, values, mask) if test != mask else 0
    return test & high | (mask ^ test) & low


def features_of(tree: Tree) -> set[int]:
    found: set[int] = set()
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, Fork):
            found.add(node.feature)
            pending += (node.high, node.low)
    return found


def build_tree(builder: AigBuilder, tree: Tree, literals: Mapping[int, int]) -> int:
    """The tree as a circuit; ``literals`` has the literal of each feature."""
    if isinstance(tree, bool):
        return TRUE if tree else FALSE
    return builder.ite(
        literals[tree.feature],
        build_tree(builder, tree.high, literals),
        build_tree(builder, tree.low, literals),
    )


# Certificates learnt anew: short functions that win where a given certificate does


_SOLVER: Final = "minisat22"
# Random plays at the start, and plays beside each one that a solver has found.
_PLAYS: Final = 512
_BESIDE: Final = 96
# The most plays that are kept, and lost plays that are repaired before trees are learnt anew.
_MOST_PLAYS: Final = 6000
_REPAIRS: Final = 24
# More for each so many rows that there are.
_ROWS_A_REPAIR: Final = 200
# A tree with more rows than this is only learnt as a whole when there are so many times the rows
# of the last time; in between its leaves are mended.
_MANY_ROWS: Final = 600
_FRESH: Final = 1.1


@dataclass(frozen=True, slots=True)
class LearningStyle:
    """Options of learning: each makes some certificates smaller.

    ``thrift`` is the bits that a gate must tell, ``dearest`` the gates that a feature may cost,
    ``seed`` what random plays are drawn from.
    """

    thrift: float = 1.0
    dearest: int = 200
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Learnt:
    """The result of a run: the ``certificate``, or ``None`` and ``why`` there is none.

    ``wrong`` says that the given certificate loses a play.
    """

    certificate: CircuitCertificate | None
    why: str
    wrong: bool
    rows: int
    repairs: int
    proofs: int
    seconds: float


def learn(
    circuit: FeatureCircuit,
    teacher: CircuitCertificate,
    *,
    style: LearningStyle | None = None,
    keep: Collection[int] = (),
    deadline: Deadline = NEVER,
    give_up: int | None = None,
    tell: Tell = nobody,
) -> Learnt:
    """Learn all functions of ``teacher`` but those of ``keep``, which stay as they are.

    ``teacher`` must be a certificate that holds.  It ends without a result at the deadline,
    and when more than ``give_up`` gates would be needed.  The result is
    proved by a SAT solver; the caller that hands it out checks it.
    """
    watch = Stopwatch()
    with _Lessons(circuit, teacher, style or LearningStyle(), keep, deadline, give_up) as lessons:
        certificate = lessons.run(tell)
        return Learnt(
            certificate,
            lessons.why,
            lessons.wrong,
            len(lessons.witnesses),
            lessons.repairs,
            lessons.proofs,
            watch.seconds,
        )


class _Lessons:
    def __init__(
        self,
        circuit: FeatureCircuit,
        teacher: CircuitCertificate,
        style: LearningStyle,
        keep: Collection[int],
        deadline: Deadline,
        give_up: int | None,
    ) -> None:
        self.circuit = circuit
        self.kind = teacher.kind
        self.teacher = teacher
        self.style = style
        self.deadline = deadline
        self.give_up = give_up
        self.why = ""
        self.wrong = False
        self.repairs = self.proofs = 0
        self.rng = np.random.default_rng(style.seed)
        self._kept = frozenset(keep) & set(circuit.decided)
        learnt = [v for v in circuit.decided if v not in self._kept]
        self.trees: dict[int, Tree] = dict.fromkeys(learnt, False)
        self.rows: dict[int, list[int]] = {v: [] for v in learnt}
        self.witnesses: list[Bits] = []
        self._table: Bits = np.zeros((0, circuit.size), dtype=np.bool_)
        self._features = {
            v: np.array(circuit.features(v, style.dearest), dtype=np.intp) for v in learnt
        }
        # The other way round: the column of each number.
        self._columns_of: dict[int, NDArray[np.intp]] = {}
        for variable, numbers in self._features.items():
            columns = np.zeros(circuit.size, dtype=np.intp)
            columns[numbers] = np.arange(len(numbers))
            self._columns_of[variable] = columns
        # From how many rows each tree was last learnt as a whole.
        self._learnt_from = dict.fromkeys(learnt, 0)
        last = max((circuit.position[v] for v in circuit.opponent), default=-1)
        self._innermost = {v for v in learnt if circuit.position[v] > last}
        self._stale = set(learnt)
        self._place = {v: k for k, v in enumerate(circuit.opponent)}
        self._taught = [teacher.functions.get(v, FALSE) for v in circuit.decided]
        self._teacher = GraphSimulator(teacher.aig, self._taught)
        self._columns = np.array([self._place[v] for v in teacher.inputs], dtype=np.intp)
        self._solver = Solver(_SOLVER)
        for clause in circuit.formula.clauses():
            self._solver.add_clause(clause)
        sign = 1 if self.kind is CertificateKind.SKOLEM else -1
        self._solver.add_clause([sign * circuit.formula.output])

    def __enter__(self) -> _Lessons:
        return self

    def __exit__(self, *error: object) -> None:
        self._solver.delete()

    def run(self, tell: Tell) -> CircuitCertificate | None:
        opponents = len(self.circuit.opponent)
        pool = self.rng.random((_PLAYS, opponents)) < 0.5
        taught = self._ask_teacher(pool)
        while True:
            if self._late():
                return None
            self._learn()
            lost = np.flatnonzero(~self._won(pool, taught))
            text = f"{len(self.witnesses)} rows, {len(lost)} of {len(pool)} plays lost"
            tell(Progress("learning", text))
            if not len(lost):
                builder, literals, functions = self._compose()
                aig, outputs = builder.build(list(functions.values()))
                if self.give_up is not None and aig.num_gates > self.give_up:
                    self.why = f"{aig.num_gates} gates, with {len(self.witnesses)} rows"
                    return None
                choice = self._refute(builder, literals)
                if choice is None:
                    if self.why:
                        return None
                    return CircuitCertificate(
                        self.kind,
                        aig,
                        self.circuit.opponent,
                        dict(zip(functions, outputs, strict=True)),
                        Dialect.CAQE,
                    )
                fresh = self._beside(choice)
                pool = np.concatenate((fresh, pool))[:_MOST_PLAYS]
                taught = np.concatenate((self._ask_teacher(fresh), taught))[:_MOST_PLAYS]
                lost = np.array([0])
            elif len(lost) > (most := _REPAIRS + len(self.witnesses) // _ROWS_A_REPAIR):
                lost = self.rng.choice(lost, most, replace=False)
            self._repair(pool[lost], taught[lost])

    def _late(self) -> bool:
        if not self.why and self.deadline.over:
            self.why = f"time was up, with {len(self.witnesses)} rows"
        return bool(self.why)

    def _ask_teacher(self, plays: Bits) -> Bits:
        """The given certificate's values, shape ``(plays, decided)``."""
        if not len(plays):
            return np.zeros((0, len(self._taught)), dtype=np.bool_)
        return unpack(self._teacher.run(pack(plays[:, self._columns])), len(plays))

    def _beside(self, choice: Bits) -> Bits:
        """``choice`` first, then plays that differ from it in one variable or in one scope."""
        flips = np.repeat(choice[None, :], len(choice), axis=0)
        flips ^= np.eye(len(choice), dtype=np.bool_)
        drawn = np.repeat(choice[None, :], _BESIDE, axis=0)
        scopes = [
            [self._place[v] for v in scope.variables]
            for scope in self.circuit.formula.merged_scopes()
            if scope.quantifier is self.kind.decides.dual
        ]
        for row in range(_BESIDE if scopes else 0):
            scope = scopes[-1] if row % 2 else scopes[self.rng.integers(len(scopes))]
            drawn[row, scope] = self.rng.random(len(scope)) < 0.5
        return np.concatenate((choice[None, :], flips, drawn))

    # -- Learning

    def _learn(self) -> None:
        """Learn the trees that do not agree with their rows."""
        if not self._stale or not self.witnesses:
            return
        table = self._table = np.concatenate((self._table, self.witnesses[len(self._table) :]))
        used = {f for tree in self.trees.values() for f in features_of(tree)}
        prices = np.array(
            [0 if k in used else self.circuit.prices.get(k, 0) for k in range(self.circuit.size)],
            dtype=np.float64,
        )
        for variable in self.trees:
            if variable not in self._stale:
                continue
            which = self.rows[variable]
            values = table[which, variable]
            tree = self.trees[variable]
            said = say(tree, partial(_column, table, which), len(which))
            if not (said == values).all():
                features = self._features[variable]
                own = prices[features]
                fresh = len(which) <= _MANY_ROWS or (
                    len(which) > _FRESH * self._learnt_from[variable]
                )
                if fresh:
                    self._learnt_from[variable] = len(which)
                learnt = learn_tree(
                    table[which][:, features],
                    values,
                    own,
                    thrift=self.style.thrift,
                    tree=None if fresh else _renumber(tree, self._columns_of[variable]),
                )
                self.trees[variable] = _renumber(learnt, features)
                for feature in features_of(self.trees[variable]):
                    prices[feature] = 0.0
        self._stale.clear()

    # -- Playing

    def _won(self, plays: Bits, taught: Bits) -> Bits:
        """The plays that the trees win, as a row of truth values."""
        values, mask = self._start(plays, taught)
        for number in self.circuit.schedule:
            gate = self.circuit.gates.get(number)
            if gate is not None:
                values[number] = gate_bits(gate, values, mask)
            elif number in self.trees:
                values[number] = say_in_bits(self.trees[number], values, mask)
        return self._verdicts(values, mask, len(plays))

    def _verdicts(self, values: list[int], mask: int, plays: int) -> Bits:
        output = self.circuit.formula.output
        won = values[abs(output)]
        if (output < 0) != (self.kind is CertificateKind.HERBRAND):
            won ^= mask
        return _bits(won, plays)

    def _start(self, plays: Bits, taught: Bits) -> tuple[list[int], int]:
        """Values, one a bit, in which the opponent's variables and kept ones are set; the mask."""
        values = [0] * self.circuit.size
        for variable, bits in zip(self.circuit.opponent, columns_as_bits(plays), strict=True):
            values[variable] = bits
        for variable, bits in zip(self.circuit.decided, columns_as_bits(taught), strict=True):
            if variable in self._kept:
                values[variable] = bits
        return values, (1 << len(plays)) - 1

    def _repair(self, plays: Bits, taught: Bits) -> None:
        """Win ``plays`` with values as near to the trees' as can be; learn where they differ.

        ``taught`` has the given certificate's values, a row for each play.
        """
        circuit = self.circuit
        values, mask = self._start(plays, taught)
        teacher = dict(zip(circuit.decided, taught.T, strict=True))
        fixed: list[list[int]] = [
            [v if set_ else -v for v, set_ in zip(circuit.opponent, play, strict=True)]
            for play in plays.tolist()
        ]
        later = [v for v in circuit.decided if v not in self._innermost]
        hints = [
            [v if teacher[v][play] else -v for v in reversed(later)] for play in range(len(plays))
        ]
        changed: list[list[int]] = [[] for _ in range(len(plays))]
        for number in circuit.schedule:
            gate = circuit.gates.get(number)
            if gate is not None:
                values[number] = gate_bits(gate, values, mask)
            elif number in self._kept:
                for play in range(len(plays)):
                    fixed[play].append(hints[play].pop())
            elif number in self.trees:
                said = say_in_bits(self.trees[number], values, mask)
                inner = number in self._innermost
                for play in range(len(plays)):
                    value = bool(said >> play & 1)
                    if not inner:
                        hints[play].pop()
                    literal = number if value else -number
                    if inner or value != teacher[number][play]:
                        question = [*fixed[play], literal, *hints[play]]
                        if not self._solver.solve(question):
                            literal = -literal
                            said ^= 1 << play
                            changed[play].append(number)
                    fixed[play].append(literal)
                values[number] = said
        for play, variables in enumerate(changed):
            if variables:
                self._witness(play, values, variables)
        if not self._verdicts(values, mask, len(plays)).all():
            self.why = "the certificate that is given loses a play"
            self.wrong = True

    def _witness(self, play: int, values: list[int], variables: list[int]) -> None:
        """Make the values of ``play`` a row of each of ``variables``."""
        self.repairs += 1
        for variable in variables:
            self.rows[variable].append(len(self.witnesses))
        self._stale.update(variables)
        self.witnesses.append(np.array([v >> play & 1 for v in values], dtype=np.bool_))

    # -- Proving

    def _compose(self) -> tuple[AigBuilder, dict[int, int], dict[int, int]]:
        """Trees and matrix as one graph: the builder, all literals, and the functions."""
        circuit = self.circuit
        builder = AigBuilder(len(circuit.opponent))
        literals = dict(zip(circuit.opponent, builder.inputs, strict=True))
        used = {f for tree in self.trees.values() for f in features_of(tree)}
        needed = _cone(circuit, [*used, abs(circuit.formula.output), *circuit.defined])
        if self._kept:
            kept = dict(zip(circuit.decided, self._taught, strict=True))
            inputs = [literals[v] for v in self.teacher.inputs]
            own = [kept[v] for v in sorted(self._kept)]
            built = embed(builder, self.teacher.aig, inputs, own)
            literals |= zip(sorted(self._kept), built, strict=True)
        for number in circuit.schedule:
            if number in circuit.gates:
                if number in needed:
                    literals[number] = build_gate(builder, circuit.gates[number], literals)
            elif number in self.trees:
                literals[number] = build_tree(builder, self.trees[number], literals)
        functions = {v: literals[v] for v in circuit.decided}
        functions |= {v: literals[v] for v in sorted(circuit.defined)}
        return builder, literals, functions

    def _refute(self, builder: AigBuilder, literals: Mapping[int, int]) -> Bits | None:
        """A play that the trees lose; ``None`` when there is none, or time is up (``why``)."""
        self.proofs += 1
        output = self.circuit.formula.output
        value = literals[abs(output)] ^ (output < 0)
        aig, (lost,) = builder.build([value ^ (self.kind is CertificateKind.SKOLEM)])
        answer = satisfy(aig, lost, deadline=self.deadline)
        if isinstance(answer, TimedOut):
            self.why = f"time was up in a proof, with {len(self.witnesses)} rows"
            return None
        if isinstance(answer, Satisfiable):
            return np.array(answer.inputs, dtype=np.bool_)
        return None


def _column(table: Bits, rows: list[int], feature: int) -> Bits:
    column: Bits = table[rows, feature]
    return column


def _bits(value: int, count: int) -> Bits:
    """The lowest ``count`` bits of ``value``."""
    octets = np.frombuffer(value.to_bytes(-(-count // 8), "little"), dtype=np.uint8)
    return np.unpackbits(octets, count=count, bitorder="little").astype(np.bool_)


def _cone(circuit: FeatureCircuit, roots: list[int]) -> set[int]:
    found: set[int] = set()
    pending = list(roots)
    while pending:
        number = pending.pop()
        if number not in found:
            found.add(number)
            gate = circuit.gates.get(number)
            pending += [] if gate is None else map(abs, gate.inputs)
    return found


def _renumber(tree: Tree, numbers: NDArray[np.intp]) -> Tree:
    """The tree with ``numbers[f]`` in place of feature ``f``."""
    if isinstance(tree, bool):
        return tree
    high, low = _renumber(tree.high, numbers), _renumber(tree.low, numbers)
    return Fork(int(numbers[tree.feature]), high, low)
