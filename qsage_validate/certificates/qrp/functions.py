"""Decision lists of reductions as an and-inverter graph, and the gates that clauses spell out.

A form made by Tseitin's transformation defines most of its variables as gates.  Every assignment
that satisfies the clauses gives such a variable the value of its gate.  Its Skolem function is
therefore that gate, over the functions of the gate's inputs, and needs no proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qsage_validate.certificates.qrp.reductions import NEGATIVE, POSITIVE, PhaseTable, Record, Step
from qsage_validate.certificates.qrp.sets import PrefixBits
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.formats.qdimacs import ClausalForm
from qsage_validate.games.positional.masks import members
from qsage_validate.kernel.certificate import Kind


class FunctionBuilder:
    """Builds the functions of all wanted variables, from the outermost scope inwards.

    ``inputs`` has the graph's literals of the opponent's variables.
    """

    def __init__(
        self,
        builder: AigBuilder,
        bits: PrefixBits,
        phases: PhaseTable,
        kind: Kind,
        inputs: Mapping[int, int],
    ) -> None:
        self._builder = builder
        self._bits = bits
        self._phases = phases
        self._kind = kind
        # A clause is beaten where its literals are false, a cube where they are true.
        self._flip = 0 if kind is Kind.SKOLEM else 1
        self._literals = {bits.bit(v): literal for v, literal in inputs.items()}
        self._made_phases = {NEGATIVE: FALSE, POSITIVE: TRUE}
        # Scopes may be wide: conditions share what they have of each.
        self._shared: dict[tuple[int, int, int], int] = {}

    def build(self, records: Sequence[Record], wanted: int, gates: Definitions) -> dict[int, int]:
        """The function of each wanted variable that some record reduces, and of each gate.

        Scopes come in the order of the prefix; a gate is a conjunction of smaller variables of
        its scope or of one further left.
        """
        gate_of = {self._bits.bit(abs(g)): g for g in sorted(gates, key=abs)}
        entries: dict[int, list[int]] = {}
        for number, record in enumerate(records):
            both = (record.reduced.positive | record.reduced.negative) & wanted
            for bit in members(both):
                entries.setdefault(bit, []).append(number)
        functions: dict[int, int] = {}
        conditions: dict[int, int] = {}
        for quantifier, start, end in self._bits.levels:
            if quantifier is not self._kind.decides:
                continue
            level: dict[int, int] = {}
            for bit in range(start, end):
                if bit not in entries:
                    continue
                for number in entries[bit]:
                    if number not in conditions:
                        conditions[number] = self._condition(records[number].rest)
                level[bit] = self._decide(bit, entries[bit], records, conditions)
            # A function may read what is left of its scope only.
            self._literals.update(level)
            for bit, gate in gate_of.items():
                if start <= bit < end:
                    level[bit] = self._literals[bit] = self._gate(gate, gates[gate])
            functions.update((self._bits.order[bit], f) for bit, f in level.items())
        return functions

    def _gate(self, gate: int, inputs: Sequence[int]) -> int:
        """A conjunction of literals, negated where ``gate`` is."""
        literals = [self._literals.get(self._bits.bit(abs(x)), FALSE) ^ (x < 0) for x in inputs]
        return self._builder.and_all(literals) ^ (gate < 0)

    def _decide(
        self,
        bit: int,
        numbers: Sequence[int],
        records: Sequence[Record],
        conditions: Mapping[int, int],
    ) -> int:
        """The first record whose condition holds says the value; the last one is the default."""
        builder = self._builder
        runs: list[tuple[int, list[int]]] = []
        seen: set[int] = {FALSE}
        for number in numbers:
            condition = conditions[number]
            if condition in seen:
                continue
            seen.add(condition)
            value = self._value(records[number].reduced, bit)
            if not runs or runs[-1][0] != value:
                runs.append((value, []))
            runs[-1][1].append(condition)
            if condition == TRUE:
                break
        if not runs:
            return FALSE
        function = runs.pop()[0]
        for value, alternatives in reversed(runs):
            function = builder.ite(builder.or_all(alternatives), value, function)
        return function

    def _value(self, step: Step, bit: int) -> int:
        """The value of the variable with which its literal in a step is beaten."""
        positive, negative = step.positive >> bit & 1, step.negative >> bit & 1
        phase = self._phase(step.phases[bit]) if positive and negative else positive
        return phase ^ self._flip

    def _phase(self, phase: int) -> int:
        def ite(bit: int, high: int, low: int) -> int:
            return self._builder.ite(self._literals[bit], high, low)

        return self._phases.build(phase, ite, self._made_phases)

    def _condition(self, rest: Step) -> int:
        """The literal that all literals of a step are beaten."""
        builder = self._builder
        every = rest.positive | rest.negative
        result = TRUE
        for index, (_, start, end) in enumerate(self._bits.levels):
            if not every >> start:
                break
            mask = (1 << (end - start)) - 1
            positive, negative = rest.positive >> start & mask, rest.negative >> start & mask
            if not positive | negative:
                continue
            if positive & negative:
                part = self._conjunction(rest, positive, negative, start)
            else:
                key = (index, positive, negative)
                found = self._shared.get(key)
                if found is None:
                    found = self._conjunction(rest, positive, negative, start)
                    self._shared[key] = found
                part = found
            result = builder.and_(result, part)
        return result

    def _conjunction(self, rest: Step, positive: int, negative: int, start: int) -> int:
        beaten = []
        both = positive | negative
        while both:
            lowest = both & -both
            both ^= lowest
            bit = start + lowest.bit_length() - 1
            # A variable without a function never decides anything: it is false here as there.
            literal = self._literals.get(bit, FALSE)
            if positive & negative & lowest:
                literal = self._builder.xor(literal, self._phase(rest.phases[bit]) ^ 1)
            elif negative & lowest:
                literal ^= 1
            beaten.append(literal ^ self._flip)
        return self._builder.and_all(beaten)


Definitions = Mapping[int, tuple[int, ...]]
"""Signed variables and the literals that each is the conjunction of."""


def conjunctions(form: ClausalForm) -> Definitions:
    """The existential variables that clauses define as conjunctions or disjunctions.

    ``g`` in the result is the conjunction of its literals, ``-g`` says that the negation of
    ``g`` is.  All of the literals have smaller variables of the same scope or of one further
    left, so that the gates form a circuit.  One definition of each variable is taken.
    """
    levels = {v: k for k, scope in enumerate(form.scopes) for v in scope.variables}
    existential = {v for s in form.scopes if s.quantifier is Quantifier.EXISTS for v in s.variables}
    implied: set[tuple[int, int]] = set()
    for clause in form.clauses:
        if len(clause) == 2:
            a, b = clause
            implied |= {(-a, b), (-b, a)}
    found: dict[int, tuple[int, ...]] = {}
    for clause in form.clauses:
        head = max(clause, key=abs, default=0)
        variable = abs(head)
        if variable not in existential or head in found or -head in found:
            continue
        inputs = tuple(-x for x in clause if x != head)
        # head is implied by its inputs together; it must also imply each of them.
        if all((head, x) in implied and levels[abs(x)] <= levels[variable] for x in inputs):
            found[head] = inputs
    return found
