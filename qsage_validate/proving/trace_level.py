"""The trace level: is what the solver wrote down a proof?"""

from __future__ import annotations

from qsage_validate.certificates.qrp.check import (
    QrpProved,
    QrpRefuted,
    check_qrp,
)
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import Undecided
from qsage_validate.formats.qrp import read_qrp
from qsage_validate.formats.source import Path
from qsage_validate.proving.levels import Level, LevelResult
from qsage_validate.system.clock import Stopwatch
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Tell, nobody
from qsage_validate.validation.finding import Finding, FindingKind
from qsage_validate.validation.verdict import Proved, Refuted, Verdict


def check_trace_level(
    formula: Qbf,
    path: Path,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> LevelResult:
    """Check each step of the trace in ``path`` that its result rests on.

    A trace of a circuit is one of its clausal form.  The finding is the first wrong step.
    Raises :class:`InputError` for what is malformed.
    """
    watch = Stopwatch()
    trace = read_qrp(path)
    result = check_qrp(formula, trace, deadline=deadline, tell=tell)
    evidence: dict[str, object] = {
        "result": "true" if trace.true else "false",
        "dialect": trace.dialect.value,
        "steps": trace.num_steps,
    }
    verdict: Verdict
    if isinstance(result, QrpProved):
        verdict = Proved(result.reason)
        evidence |= {
            "needed steps": result.needed,
            "initial clauses or cubes": result.leaves,
            "steps with merged literals": result.merged,
        }
    elif isinstance(result, QrpRefuted):
        verdict = Refuted((Finding(FindingKind.TRACE_WRONG, 0, result.reason),))
        evidence |= {"step": result.id, "place": result.place}
    else:
        verdict = Undecided(result.why)
    return LevelResult(Level.TRACE, verdict, watch.seconds, evidence)
