"""Skolem and Herbrand functions from traces.

Balabanov and Jiang, *Unified QBF certification and its applications* (FMSD 2012): where a proof
reduces a universal literal ``l`` from a clause, falsifying ``l`` is right whenever the rest of
the clause is false.  So each universal gets a decision list: the first of its reductions, in
the order of the proof, whose rest is false says its value.  For cubes the same holds the other
way round.  Literals that long-distance resolution merged have a *phase* that depends on the
pivots (Balabanov, Jiang, Janota and Widl, *Efficient extraction of QBF (counter)models from
long-distance resolution proofs*, AAAI 2015): :mod:`~qsage_validate.certificates.qrp.reductions`.

Why it works, for clauses: under the functions' values take the first step that is false (there is
one, the last).  The clause is no resolvent, since a parent of it would be false before.  If it is
a reduction, its entry is the first in the lists of all that it reduces, so their literals are
false too, and the step before was false.  So a clause of the formula is false.

Reductions are recorded first, in one pass over the needed steps; then the functions are built
from the outermost scope inwards, since a condition may read functions further left.  Variables
that only name gates need no function: they are innermost, and no condition reads them.  Where
the formula itself is clauses, those that are seen to name gates get the gate.
"""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.certificates.qrp.functions import Definitions, FunctionBuilder, conjunctions
from qsage_validate.certificates.qrp.reductions import PhaseTable, Record, Reductions
from qsage_validate.certificates.qrp.sets import PrefixBits, as_form, step_error, uses
from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.formats.qdimacs import ClausalForm
from qsage_validate.formats.qrp import read_qrp
from qsage_validate.formats.qrp_steps import QrpProof
from qsage_validate.formats.source import Path
from qsage_validate.kernel.certificate import CircuitCertificate, Dialect, Kind


def extract(
    formula: Qbf | ClausalForm, trace: QrpProof | Path, *, gates: bool = False
) -> CircuitCertificate:
    """The functions that a trace of ``formula`` proves it by: Skolem when it is true.

    ``trace`` may be of the formula itself or, for a circuit, of its clausal form.  The functions
    are those of the formula's own variables, ``inputs`` all variables of the opponent; with
    ``gates`` a circuit's gates are named too (``extra``), which a certificate of the clausal form
    needs.  Variables that the proof never reduces are left out: any value is right.

    Memory is that of the index, of the steps that are still needed and of the reductions.
    Raises :class:`InputError` for a trace that is malformed or no proof; what it gives must
    still pass :func:`~qsage_validate.certificates.checker.check.check`, as everything must.
    """
    read = trace if isinstance(trace, QrpProof) else read_qrp(trace)
    form = as_form(formula)
    bits = PrefixBits(form)
    kind = Kind.SKOLEM if read.true else Kind.HERBRAND
    inputs, decided = bits.names(bits.of[kind.decides.dual]), bits.names(bits.of[kind.decides])
    if isinstance(formula, Qbf):
        own = formula.quantifiers()
        inputs, decided = [v for v in inputs if v in own], [v for v in decided if v in own]
    gates_of: Definitions = {}
    if kind is Kind.SKOLEM:
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
    records = _record(read, bits, phases, wanted)
    builder = AigBuilder()
    literals = {variable: builder.input() for variable in inputs}
    built = FunctionBuilder(builder, bits, phases, kind, literals).build(records, wanted, gates_of)
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


def _record(trace: QrpProof, bits: PrefixBits, phases: PhaseTable, wanted: int) -> Sequence[Record]:
    """All reductions of ``wanted`` variables, in the order of the proof."""
    needed = trace.needed()
    left = uses(trace, needed)
    recorder = Reductions(trace.true, bits, phases, wanted)
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
