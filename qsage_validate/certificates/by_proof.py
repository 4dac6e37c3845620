"""Certificates of any formula by QBF solvers, and the functions in their Q-resolution proofs.

*Extraction.*  Balabanov and Jiang, *Unified QBF certification and its applications* (FMSD 2012):
where a proof reduces a universal literal ``l`` from a clause, falsifying ``l`` is right whenever
the rest of the clause is false.  So each universal gets a decision list: the first of its
reductions, in the order of the proof, whose rest is false says its value.  For cubes the same
holds the other way round.  Literals that long-distance resolution merged have a *phase* that
depends on the pivots (Balabanov, Jiang, Janota and Widl, *Efficient extraction of QBF
(counter)models from long-distance resolution proofs*, AAAI 2015).

Why it works, for clauses: under the functions' values take the first step that is false (there is
one, the last).  The clause is no resolvent, since a parent of it would be false before.  If it is
a reduction, its entry is the first in the lists of all that it reduces, so their literals are
false too, and the step before was false.  So a clause of the formula is false.  A generalised axiom
has an entry before its step, for all variables right of it: of what is left of the formula where a
part of the axiom is false.  If that part is the first to be false, those functions win.

Reductions are recorded first, in one pass over the needed steps; then the functions are built
from the outermost scope inwards, since a condition may read functions further left.  Variables
that only name gates need no function: they are innermost, and no condition reads them.  Where
the formula itself is clauses, those that are seen to name gates get the gate.

A form made by Tseitin's transformation defines most of its variables as gates.  Every assignment
that satisfies the clauses gives such a variable the value of its gate.  Its Skolem function is
therefore that gate, over the functions of the gate's inputs, and needs no proof.

*Routes.*  Most solvers write traces, with Bloqqer before them or not; both ways work on the
clausal form.  *Direct*: DepQBF or Qute solves it and writes a trace, from which the functions of
the winning side are extracted, whichever side that is.  *Preprocessed*: Bloqqer simplifies it
first and writes a QRAT trace; the functions of what is left are lifted back through that.  This
only gives Skolem functions, so a formula that turns out to be false is certified by the Skolem
functions of its dual.  QuAbS writes certificates itself.

The result is a claim: see :func:`qsage_validate.certificates.routes.certify_formula`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from os import PathLike
from pathlib import Path
from typing import Final, NamedTuple

from qsage_validate.certificates.candidates import (
    Candidate,
    GivenUpError,
    of_the_rest,
)
from qsage_validate.certificates.parts import for_circuit
from qsage_validate.certificates.qrat import lift, read_qrat
from qsage_validate.certificates.qrp_check import (
    DeclaredAxioms,
    Literals,
    PrefixBits,
    as_form,
    step_error,
    uses,
)
from qsage_validate.certificates.reader import read_certificate
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder, embed
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.errors import InputError, MissingExtraError, UndecidedError, UsageError
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form
from qsage_validate.formats.qrp import read_qrp
from qsage_validate.formats.qrp_steps import QrpProof
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.masks import members
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.registry import declared
from qsage_validate.solvers.backend import (
    EXIT_CODES,
    Backend,
    Missing,
    SolverOutcome,
    SolverStatus,
    TraceKind,
    plain_circuit,
)
from qsage_validate.solvers.backends import backends, get_backend
from qsage_validate.solvers.bloqqer import Preprocessed, preprocess
from qsage_validate.system.limits import Deadline, Limits, Progress, Stopwatch, Tell
from qsage_validate.system.programs import Ended, run_program, workspace

# Functions extracted from a Q-resolution proof


# The reductions of a proof and their results: the entries of the decision lists


class QrpStep(NamedTuple):
    """A clause or cube: positive and negative variables; phases where a variable is both."""

    positive: int
    negative: int
    phases: Phases


@dataclass(frozen=True, slots=True)
class QrpReduction:
    """A reduction: ``rest`` is left, and the variables of ``reduced`` are right of its pivots.

    Of a generalised axiom, ``given`` has the functions of the other variables of ``bits``.
    """

    rest: QrpStep
    reduced: QrpStep
    bits: int
    given: CircuitCertificate | None = None


class AxiomStrategy(NamedTuple):
    """How the winning side beats the formula once a part of an initial step is beaten.

    Where the literals of ``rest`` are beaten, those of ``own``, right of its pivots, are to be
    beaten, too, and ``functions`` say the rest, which may read whatever stands left of them.
    """

    rest: Literals
    own: Literals
    functions: CircuitCertificate | None


Axioms = Callable[[Literals], AxiomStrategy]
"""The strategy of an initial clause or cube; ``UndecidedError`` for what may be no axiom."""


_NO_PHASES: Phases = {}


class Reductions:
    """Follows a proof and records its reductions.

    ``live`` has the steps that have been followed; the caller takes out those no longer
    needed.  Only reductions of ``wanted`` variables are recorded.
    """

    def __init__(
        self, cubes: bool, bits: PrefixBits, phases: PhaseTable, wanted: int, axioms: Axioms | None
    ) -> None:
        self._axioms = axioms
        pivot = Quantifier.FORALL if cubes else Quantifier.EXISTS
        self._pivots = bits.of[pivot]
        self._others = bits.of[pivot.dual]
        self._cubes = cubes
        self._phases = phases
        self._wanted = wanted
        self._originals: dict[Literals, list[Literals]] = {}
        if not cubes:
            for clause in bits.form.clauses:
                literals = bits.literals(clause)
                keep = self._kept(*literals)
                key = (literals[0] & keep, literals[1] & keep)
                self._originals.setdefault(key, []).append(literals)
        self.live: dict[int, QrpStep] = {}
        self.records: list[QrpReduction] = []

    def step(self, step: int, listed: Literals, antecedents: list[int]) -> str:
        """Follow one step; returns why it does not follow, or an empty text."""
        if not antecedents:
            return self._leaf(step, listed)
        parents = [self.live[a] for a in antecedents]
        # Reducing late makes fewer entries; only a trace that reduced early needs it early.
        marked = len(self.records)
        found = self._chain(parents, listed, early=False)
        if not isinstance(found, QrpStep):
            del self.records[marked:]
            found = self._chain(parents, listed, early=True)
        if not isinstance(found, QrpStep):
            return found
        self.live[step] = found
        return ""

    def _leaf(self, step: int, listed: Literals) -> str:
        reduction = QrpStep(*listed, _NO_PHASES)
        if listed[0] & listed[1]:
            return "has no antecedents and literals in both signs"
        if not self._cubes:
            keep = self._kept(*listed)
            for clause in self._originals.get((listed[0] & keep, listed[1] & keep), ()):
                if not (listed[0] & ~clause[0] or listed[1] & ~clause[1]):
                    if clause != listed:
                        self._record(QrpStep(*clause, _NO_PHASES))
                    break
            else:
                if self._axioms is None:
                    return "has no antecedents and is no clause of the formula"
                self._by_axiom(self._axioms(listed))
        elif self._axioms is not None:
            self._by_axiom(self._axioms(listed))
        self.live[step] = reduction
        return ""

    def _by_axiom(self, found: AxiomStrategy) -> None:
        """Record the strategy of a generalised axiom."""
        rest, own = QrpStep(*found.rest, _NO_PHASES), QrpStep(*found.own, _NO_PHASES)
        gone = self._wanted & ~self._kept(*found.rest)
        if found.functions is None:
            gone &= own.positive | own.negative
        self.records.append(QrpReduction(rest, own, gone, found.functions))

    def _chain(self, parents: list[QrpStep], listed: Literals, *, early: bool) -> QrpStep | str:
        """The parents resolved one after the other, as far as the listed literals go."""
        current, *others = map(self._reduced, parents) if early else parents
        for parent in others:
            found = self._resolvent(current, parent)
            if not isinstance(found, QrpStep):
                return found
            current = self._reduced(found) if early else found
        positive, negative, phases = current
        lost = (positive & ~listed[0]) | (negative & ~listed[1])
        keep = self._kept(*listed)
        if lost & (keep | self._pivots) or lost & (listed[0] | listed[1]):
            return "lacks a literal that must not be reduced"
        if (listed[0] & ~positive | listed[1] & ~negative) & self._pivots:
            return "has a literal that does not follow"
        if lost:
            self._record(current)
        merged = listed[0] & listed[1]
        kept = _NO_PHASES
        if merged:
            kept = {b: phases[b] for b in members(merged & positive & negative)}
            # A literal that was added weakens the step: its phase is that of the other one.
            for b in members(merged & ~(positive & negative)):
                kept[b] = POSITIVE if positive >> b & 1 else NEGATIVE
        return QrpStep(*listed, kept)

    def _resolvent(self, left: QrpStep, right: QrpStep) -> QrpStep | str:
        clash = left.positive & right.negative | left.negative & right.positive
        pivot = clash & self._pivots
        if not pivot or pivot & (pivot - 1):
            return "resolves on no variable or on several"
        if clash & self._others & (pivot - 1):
            return "merges literals left of its pivot"
        positive = (left.positive | right.positive) & ~pivot
        negative = (left.negative | right.negative) & ~pivot
        merged = positive & negative
        if not merged:
            return QrpStep(positive, negative, _NO_PHASES)
        with_pivot, without = (left, right) if left.positive & pivot else (right, left)
        at = pivot.bit_length() - 1
        phases: Phases = {}
        for b in members(merged):
            one, other = _phase(with_pivot, b), _phase(without, b)
            if one is None or other is None:
                phases[b] = one if one is not None else other  # type: ignore[assignment]
            else:
                phases[b] = self._phases.resolved(at, one, other)
        return QrpStep(positive, negative, phases)

    def _reduced(self, step: QrpStep) -> QrpStep:
        """Without what is right of all pivots; it is recorded.

        What of it is listed weakens the step later on.
        """
        keep = self._kept(step.positive, step.negative)
        positive, negative = step.positive & keep, step.negative & keep
        if (positive, negative) == (step.positive, step.negative):
            return step
        self._record(step)
        merged = positive & negative
        phases = {b: step.phases[b] for b in members(merged)} if merged else _NO_PHASES
        return QrpStep(positive, negative, phases)

    def _kept(self, positive: int, negative: int) -> int:
        """The bits up to the last pivot."""
        return (1 << ((positive | negative) & self._pivots).bit_length()) - 1

    def _record(self, step: QrpStep) -> None:
        """Record that all that may be reduced is reduced, whether or not the trace keeps some.

        So the rest has nothing right of its last pivot, and the reduced may depend on it.
        """
        keep = self._kept(step.positive, step.negative)
        gone = self._wanted & ~keep
        positive, negative = step.positive & gone, step.negative & gone
        if positive | negative:
            rest = QrpStep(step.positive & keep, step.negative & keep, step.phases)
            reduced = QrpStep(positive, negative, step.phases)
            self.records.append(QrpReduction(rest, reduced, positive | negative))


def _phase(step: QrpStep, bit: int) -> int | None:
    """The phase of a variable in a step that may lack it."""
    positive = step.positive >> bit & 1
    if step.negative >> bit & 1:
        return step.phases[bit] if positive else NEGATIVE
    return POSITIVE if positive else None


# -- The phases of literals that long-distance resolution has merged ---------------------------
#
# Where two clauses are resolved on ``x`` and one has ``u``, the other ``-u``, with ``u`` right of
# ``x``, the resolvent has both, written ``u*``.  For each value of ``x`` only one of the two is
# meant: that of the parent whose ``x`` is false.  So the phase of ``u*`` is a decision on ``x``
# between the phases of the parents.  For cubes it is the parent whose ``x`` is true.

NEGATIVE: Final = 0
POSITIVE: Final = 1

Phases = dict[int, int]
"""The phase of each merged variable, by bit."""


class PhaseTable:
    """Phases as shared decision diagrams; a phase is a number, 0 and 1 are the constants."""

    def __init__(self, *, cubes: bool) -> None:
        self._cubes = cubes
        self._nodes: list[tuple[int, int, int]] = [(-1, 0, 0), (-1, 1, 1)]
        self._numbers: dict[tuple[int, int, int], int] = {}

    def resolved(self, pivot: int, with_pivot: int, without: int) -> int:
        """The phase after resolving on the bit ``pivot``.

        ``with_pivot`` is the phase in the parent that has the pivot positive.
        """
        if with_pivot == without:
            return without
        high, low = (with_pivot, without) if self._cubes else (without, with_pivot)
        node = (pivot, high, low)
        found = self._numbers.get(node)
        if found is None:
            found = self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
        return found

    def build(self, phase: int, ite: Callable[[int, int, int], int], built: dict[int, int]) -> int:
        """The literal of a phase: ``ite(bit, high, low)`` of literals that it makes.

        ``built`` holds what has been made, and needs the constants to begin with.
        """
        waiting = [phase]
        while waiting:
            top = waiting[-1]
            if top in built:
                waiting.pop()
                continue
            bit, high, low = self._nodes[top]
            missing = [p for p in (high, low) if p not in built]
            if missing:
                waiting += missing
                continue
            built[top] = ite(bit, built[high], built[low])
            waiting.pop()
        return built[phase]


# Skolem and Herbrand functions from traces


class FunctionBuilder:
    """Builds the functions of all wanted variables, from the outermost scope inwards.

    ``inputs`` has the graph's literals of the opponent's variables.
    """

    def __init__(
        self,
        builder: AigBuilder,
        bits: PrefixBits,
        phases: PhaseTable,
        kind: CertificateKind,
        inputs: Mapping[int, int],
    ) -> None:
        self._builder = builder
        self._bits = bits
        self._phases = phases
        self._kind = kind
        # A clause is beaten where its literals are false, a cube where they are true.
        self._flip = 0 if kind is CertificateKind.SKOLEM else 1
        self._literals = {bits.bit(v): literal for v, literal in inputs.items()}
        self._made_phases = {NEGATIVE: FALSE, POSITIVE: TRUE}
        # Scopes may be wide: conditions share what they have of each.
        self._shared: dict[tuple[int, int, int], int] = {}

    def build(
        self, records: Sequence[QrpReduction], wanted: int, gates: Definitions
    ) -> dict[int, int]:
        """The function of each wanted variable that some record reduces, and of each gate.

        Scopes come in the order of the prefix; a gate is a conjunction of smaller variables of
        its scope or of one further left.
        """
        gate_of = {self._bits.bit(abs(g)): g for g in sorted(gates, key=abs)}
        entries: dict[int, list[int]] = {}
        for number, record in enumerate(records):
            for bit in members(record.bits & wanted):
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
        records: Sequence[QrpReduction],
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
            value = self._value(records[number], bit)
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

    def _value(self, record: QrpReduction, bit: int) -> int:
        """The value of the variable with which its literal in a step is beaten."""
        step = record.reduced
        positive, negative = step.positive >> bit & 1, step.negative >> bit & 1
        if record.given is not None and not positive | negative:
            given = record.given
            inputs = [self._literals.get(self._bits.bit(v), FALSE) for v in given.inputs]
            function = given.functions.get(self._bits.order[bit], FALSE)
            return embed(self._builder, given.aig, inputs, [function])[0]
        phase = self._phase(step.phases[bit]) if positive and negative else positive
        return phase ^ self._flip

    def _phase(self, phase: int) -> int:
        def ite(bit: int, high: int, low: int) -> int:
            return self._builder.ite(self._literals[bit], high, low)

        return self._phases.build(phase, ite, self._made_phases)

    def _condition(self, rest: QrpStep) -> int:
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

    def _conjunction(self, rest: QrpStep, positive: int, negative: int, start: int) -> int:
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


def extract(
    formula: Qbf | ClausalForm,
    trace: QrpProof | str | PathLike[str],
    *,
    gates: bool = False,
    generalised: Deadline | None = None,
) -> CircuitCertificate:
    """The functions that a trace of ``formula`` proves it by: Skolem when it is true.

    ``trace`` may be of the formula itself or, for a circuit, of its clausal form.  The functions
    are those of the formula's own variables, ``inputs`` all variables of the opponent; with
    ``gates`` a circuit's gates are named too (``extra``), which a certificate of the clausal form
    needs.  Variables that the proof never reduces are left out: any value is right.
    ``generalised`` takes generalised axioms, too, which an extension decides up to that deadline;
    their functions are in the lists as entries of their own, and all variables have functions.

    Memory is that of the index, of the steps that are still needed and of the reductions.
    Raises :class:`InputError` for a trace that is malformed or no proof; what it gives must
    still pass :func:`~qsage_validate.certificates.check.check`, as everything must.
    """
    read = trace if isinstance(trace, QrpProof) else read_qrp(trace)
    form = as_form(formula)
    bits = PrefixBits(form)
    kind = CertificateKind.SKOLEM if read.true else CertificateKind.HERBRAND
    inputs, decided = bits.names(bits.of[kind.decides.dual]), bits.names(bits.of[kind.decides])
    if isinstance(formula, Qbf):
        own = formula.quantifiers()
        inputs, decided = [v for v in inputs if v in own], [v for v in decided if v in own]
    gates_of: Definitions = {}
    if kind is CertificateKind.SKOLEM:
        # A circuit's own gates have no function that could be read.
        readable = {*inputs, *decided}
        gates_of = {
            gate: literals
            for gate, literals in conjunctions(form).items()
            if readable.issuperset(map(abs, (gate, *literals)))
        }
    known = {abs(gate) for gate in gates_of}
    wanted = sum(1 << bits.bit(v) for v in decided if v not in known)
    phases = PhaseTable(cubes=read.true)
    axioms: Axioms | None = None
    if generalised is not None:
        found = [one.made(bits, cubes=read.true) for one in declared("axioms", DeclaredAxioms)]
        axioms = partial(found[0].strategy, deadline=generalised) if found else None
    records = _record(read, bits, phases, wanted, axioms)
    builder = AigBuilder()
    literals = {variable: builder.input() for variable in inputs}
    built = FunctionBuilder(builder, bits, phases, kind, literals).build(records, wanted, gates_of)
    if any(record.given is not None for record in records):
        # What no list decides was false where given functions read it, and must stay so.
        built = {**dict.fromkeys(decided, FALSE), **built}
    extra: dict[int, int] = {}
    if gates and isinstance(formula, Qbf):
        values = {**dict.fromkeys(formula.quantifiers(), FALSE), **literals, **built}
        formula.add_to(builder, values)
        extra = {gate: values[gate] for gate in formula.gates}
    aig, moved = builder.build([*built.values(), *extra.values()])
    return CircuitCertificate(
        kind,
        aig,
        tuple(inputs),
        dict(zip(built, moved, strict=False)),
        Dialect.CAQE,
        path=read.path,
        extra=dict(zip(extra, moved[len(built) :], strict=True)),
        recognised=f"extracted from a trace ({read.dialect.value})",
    )


def _record(
    trace: QrpProof, bits: PrefixBits, phases: PhaseTable, wanted: int, axioms: Axioms | None
) -> Sequence[QrpReduction]:
    """All reductions of ``wanted`` variables, in the order of the proof."""
    needed = trace.needed()
    left = uses(trace, needed)
    recorder = Reductions(trace.true, bits, phases, wanted, axioms)
    live = recorder.live
    for steps, table in bits.table(trace, needed):
        first = trace.first[steps].tolist()
        last = trace.first[steps + 1].tolist()
        for k, literals in enumerate(bits.unpack(table)):
            step = int(steps[k])
            below = trace.antecedents[first[k] : last[k]].tolist()
            reason = recorder.step(step, literals, below)
            if reason:
                what = f"step {trace.ids[step]}, which {reason}"
                raise step_error(trace, step, what, "a step that follows")
            for b in below:
                left[b] -= 1
                if not left[b]:
                    live.pop(b, None)
            if not left[step]:
                live.pop(step, None)
    return recorder.records


# Certificates of any formula by QBF solvers


_PREFERRED: Final = ("depqbf", "qute")


def tracers(name: str | None = None) -> list[Backend]:
    """The solvers that write traces and can be run, the first choice first; or the one named.

    Raises ``UsageError`` for one that writes none, ``SolverMissingError`` for one that is not
    there, ``MissingExtraError`` when there is none at all.
    """
    if name is not None:
        backend = get_backend(name)
        if not backend.traces:
            able = ", ".join(n for n, b in backends().items() if b.traces)
            raise UsageError(f"the solver {name} writes no traces, expected one of {able}")
        backend.program()
        return [backend]
    known = backends()
    names = [*(n for n in _PREFERRED if n in known), *(n for n in known if n not in _PREFERRED)]
    found = [known[n] for n in names if known[n].traces]
    found = [backend for backend in found if not isinstance(backend.availability(), Missing)]
    if not found:
        raise MissingExtraError("a certificate by a QBF solver", "solve")
    return found


@contextmanager
def written_by(program: str) -> Iterator[None]:
    """Reading what a program wrote into a file of ours: what is wrong there is its failure.

    An ``InputError`` becomes an ``UndecidedError``; the temporary file's name is left out.
    """
    try:
        yield
    except InputError as error:
        place = "" if error.line is None else f"line {error.line}: "
        raise UndecidedError(
            f"{program} wrote what cannot be used: {place}found {error.found}, "
            f"expected {error.expected}"
        ) from error


def by_trace(
    formula: Qbf, limits: Limits, *, solver: str | None, tell: Tell, trace: str | None = None
) -> Candidate:
    """The certificate that a solver's trace of the clausal form gives, or the one in ``trace``.

    Each solver gets an equal share of what is left of the time.  Raises ``UndecidedError`` when
    none of them answers, and ``InputError`` for a file that is no proof.
    """
    if trace is not None:
        tell(Progress("extracting"))
        watch = Stopwatch()
        certificate = extract(formula, trace, generalised=limits.deadline)
        return Candidate(certificate, f"the trace {trace}", (("extract", watch.seconds),))
    form = clausal_form(formula)
    with workspace() as folder:
        for outcome in _outcomes(formula, form, limits, tracers(solver), folder, tell):
            if outcome.trace is not None and outcome.truth is not None:
                tell(Progress("extracting"))
                watch = Stopwatch()
                with written_by(_name(outcome)):
                    certificate = extract(formula, outcome.trace)
                stages = (("solve", outcome.seconds), ("extract", watch.seconds))
                return Candidate(certificate, _name(outcome), stages)
    raise AssertionError("each solver that did not answer has said why")


def _outcomes(
    formula: Qbf,
    form: ClausalForm,
    limits: Limits,
    candidates: list[Backend],
    folder: Path,
    tell: Tell,
) -> Iterator[SolverOutcome]:
    """The outcomes of one solver after the other on ``form``.

    Each gets an equal share of what is left of the time.  Raises ``UndecidedError`` after the
    last one.
    """
    reasons = []
    for rank, backend in enumerate(candidates):
        tell(Progress(f"solving with {backend.name}"))
        outcome = backend.solve(
            formula,
            of_the_rest(limits, 1 / (len(candidates) - rank)),
            workdir=folder,
            form=form,
            trace=folder / f"{backend.name}.qrp",
            binary_trace=TraceKind.BINARY_QRP in backend.traces,
        )
        yield outcome
        reasons.append(f"{backend.name}: {outcome.why}")
    raise UndecidedError("; ".join(reasons))


def by_preprocessing(
    formula: Qbf,
    limits: Limits,
    *,
    solver: str | None,
    tell: Tell,
    options: Mapping[str, int] | None = None,
    patience: float = inf,
) -> Candidate:
    """The certificate that Bloqqer's trace and a solver's give: of the formula or its dual.

    ``options`` are Bloqqer's own.  Raises ``UndecidedError`` when neither is solved, and
    ``GivenUpError`` when Bloqqer takes more than ``patience`` seconds for one of them.
    """
    bloqqer = partial(_bloqqer, options=options, patience=patience)
    candidates = tracers(solver)
    stages: list[tuple[str, float]] = []
    with workspace() as folder:
        certificate, by = _preprocessed(formula, limits, candidates, folder, stages, tell, bloqqer)
        if certificate is not None:
            return Candidate(certificate, by, tuple(stages))
    tell(Progress("false: the dual"))
    with workspace() as folder:
        certificate, by = _preprocessed(
            dual(formula), limits, candidates, folder, stages, tell, bloqqer
        )
    if certificate is None:
        raise UndecidedError(f"{by} found both the formula and its negation false")
    return Candidate(for_dual(certificate), by, tuple(stages))


def _preprocessed(
    formula: Qbf,
    limits: Limits,
    candidates: list[Backend],
    folder: Path,
    stages: list[tuple[str, float]],
    tell: Tell,
    bloqqer: Callable[[ClausalForm, Limits, Path], Preprocessed],
) -> tuple[CircuitCertificate | None, str]:
    """A Skolem certificate of ``formula``, ``None`` when it is false; and who found out."""
    form = clausal_form(formula)
    tell(Progress("preprocessing"))
    trace_path = folder / "bloqqer.qrat"
    done = bloqqer(form, of_the_rest(limits), trace_path)
    stages.append(("preprocess", done.seconds))
    by = f"Bloqqer {done.version}"
    if done.status is SolverStatus.FALSE:
        return None, by
    if done.status is SolverStatus.TRUE:
        tell(Progress("lifting"))
        watch = Stopwatch()
        with written_by(by):
            certificate = for_circuit(lift(form, read_qrat(trace_path), None), formula)
        stages.append(("lift", watch.seconds))
        return certificate, by
    if done.form is None:
        raise UndecidedError(f"{by}: {done.why}")
    with written_by(by):
        trace = read_qrat(trace_path)
    rest = done.form
    for outcome in _outcomes(formula, rest, limits, candidates, folder, tell):
        stages.append(("solve", outcome.seconds))
        if outcome.truth is False:
            return None, f"{by}, {_name(outcome)}"
        if outcome.trace is None or outcome.truth is None:
            continue
        tell(Progress("extracting"))
        watch = Stopwatch()
        with written_by(_name(outcome)):
            found = extract(rest, outcome.trace)
        stages.append(("extract", watch.lap()))
        tell(Progress("lifting"))
        with written_by(by):
            certificate = for_circuit(lift(form, trace, rest, found), formula)
        stages.append(("lift", watch.lap()))
        return certificate, f"{by}, {_name(outcome)}"
    raise AssertionError("each solver that did not answer has said why")


def _bloqqer(
    form: ClausalForm,
    limits: Limits,
    trace: Path,
    *,
    options: Mapping[str, int] | None,
    patience: float,
) -> Preprocessed:
    """The formula that Bloqqer leaves; raises ``GivenUpError`` after ``patience`` seconds.

    With the options under which it is sound, Bloqqer runs endlessly on some formulas that a solver
    decides at once.
    """
    bounded = replace(limits, deadline=limits.deadline.sooner(patience))
    done = preprocess(form, bounded, workdir=trace.parent, trace=trace, options=options)
    if done.status is SolverStatus.TIMEOUT and not limits.deadline.over:
        raise GivenUpError(f"Bloqqer {done.version} was given up after {patience:g} s")
    return done


def _name(outcome: SolverOutcome) -> str:
    return f"{outcome.solver} {outcome.version}"


def dual(formula: Qbf) -> Qbf:
    """The negation of ``formula``, over the same variables and gates.

    The negation of ``∃x ∀y M`` is ``∀x ∃y ¬M``.  One of the two is true, and what makes it true, a
    Skolem certificate, is a Herbrand certificate of the other: the functions are the same.
    Comments are left out, for they speak of the formula.
    """
    scopes = tuple(Scope(s.quantifier.dual, s.variables) for s in formula.scopes)
    return replace(formula, scopes=scopes, output=-formula.output, comments=())


def for_dual(certificate: CircuitCertificate) -> CircuitCertificate:
    """A certificate of a formula as one of its dual."""
    return replace(certificate, kind=certificate.kind.other)


# The option with which a solver prints a certificate (an AIGER file in its own dialect) instead
# of a verdict; the exit code still says which.
_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {"quabs": ("-c",)}


def writes_functions(solver: str) -> bool:
    """True if the solver of that name writes traces or certificates, which give functions."""
    return is_tool(solver) or bool(get_backend(solver).traces)


def is_tool(solver: str) -> bool:
    """True if the solver of that name writes certificates itself."""
    return solver in _ARGUMENTS


def by_tool(formula: Qbf, limits: Limits, *, solver: str | None, tell: Tell) -> Candidate:
    """The certificate that the solver writes (QuAbS when none is named).

    It gets numbers for names, so that those in the certificate are the formula's variables.
    Raises ``UsageError`` for one that writes none, ``SolverMissingError`` when it is not there,
    and ``UndecidedError`` when it gives no certificate.
    """
    name = solver or next(iter(_ARGUMENTS))
    if name not in _ARGUMENTS:
        names = ", ".join(_ARGUMENTS)
        raise UsageError(f"the solver {name} writes no certificates, expected one of {names}")
    program = get_backend(name).program()
    limits = of_the_rest(limits)
    tell(Progress(f"solving with {name}"))
    with workspace() as folder:
        plain = plain_circuit(formula)
        file, written = folder / "formula.qcir", folder / "certificate.aig"
        file.write_text(qcir_text(plain), encoding="utf-8")
        finished = run_program(
            (program.path, *_ARGUMENTS[name], str(file)),
            deadline=limits.deadline,
            memory_mb=limits.memory_mb,
            stdout=written,
            cwd=folder,
        )
        truth = EXIT_CODES.get(finished.returncode)
        if finished.ended is not Ended.EXITED or truth is None:
            how = finished.ended.value
            raise UndecidedError(f"{name} {how} (exit code {finished.returncode})")
        watch = Stopwatch()
        with written_by(name):
            certificate = read_certificate(str(written), plain)
        if not isinstance(certificate, CircuitCertificate):
            raise UndecidedError(f"{name} wrote no circuit")
        if (certificate.kind is CertificateKind.SKOLEM) != truth:
            raise UndecidedError(
                f"{name} wrote a {certificate.kind.value} certificate and exited with "
                f"{finished.returncode}"
            )
    own = for_circuit(replace(certificate, path=None), formula)
    stages = (("solve", finished.seconds), ("read", watch.seconds))
    return Candidate(own, f"{name} {program.version}", stages)
