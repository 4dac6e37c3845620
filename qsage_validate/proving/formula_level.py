"""Levels 1 and 2: the functions look only to their left, no choice beats them; and traces."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from qsage_validate.certificates.check import (
    CertificateProved,
    CertificateRefuted,
    CheckResult,
    check_matrix,
    dependencies,
    functions_of,
)
from qsage_validate.certificates.check import CheckEvidence as Measured
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import Undecided
from qsage_validate.formats.source import Path
from qsage_validate.games.protocol import NotPlayableError
from qsage_validate.kernel.certificate import (
    Certificate,
    CertificateKind,
    CircuitCertificate,
    Dependency,
    dont_cares,
)
from qsage_validate.kernel.claims import ClaimsTimeoutError
from qsage_validate.kernel.composition import NotDefinitionalError
from qsage_validate.problems.load import BoardProblem
from qsage_validate.proving.levels import Level
from qsage_validate.proving.run import LevelResult
from qsage_validate.system.limits import NEVER, Deadline, Stopwatch, Tell, nobody
from qsage_validate.validation.finding import Finding, FindingKind, Proved, Refuted, Verdict

if TYPE_CHECKING:
    from qsage_validate.problems.searched import Solving
    from qsage_validate.proving.assertions_level import Replay
    from qsage_validate.proving.run import ValidationRun

# Functions that look to their right are all counted; so many are reported one by one.
_REPORTED: Final = 20


def check_dependencies(formula: Qbf, certificate: Certificate) -> LevelResult:
    """Level 1; a finding for each function that looks to its right (the first twenty).

    A finding names the variable, the offending input and a path of gates from the function
    down to it, shortened; ``evidence["paths"]`` has all of it.  Raises ``KeyError`` or
    ``ValueError`` for a certificate of another formula.
    """
    watch = Stopwatch()
    evidence: dict[str, object] = _sizes(formula, certificate)
    verdict: Verdict
    try:
        wrong = dependencies(formula, certificate)
    except NotDefinitionalError as error:
        verdict = Undecided(f"the clauses cannot be read as definitions: {error}")
        return LevelResult(Level.DEPENDENCIES, verdict, watch.seconds, evidence)
    if not wrong:
        verdict = Proved(f"each function reads only {formula.readable}")
    else:
        evidence["functions that look right"] = len(wrong)
        evidence["paths"] = [_path(formula, d) for d in wrong[:_REPORTED]]
        kind = FindingKind.LOOKS_RIGHT
        which = ", which is not in its dependency set" if formula.depends else ""
        found = (Finding(kind, 0, d.text(formula) + which) for d in wrong[:_REPORTED])
        verdict = Refuted(tuple(found))
    return LevelResult(Level.DEPENDENCIES, verdict, watch.seconds, evidence)


def check_formula(
    formula: Qbf,
    certificate: Certificate,
    *,
    layout: Layout | None = None,
    replay: Replay | None = None,
    replay_blocks: Replay | None = None,
    deadline: Deadline = NEVER,
    jobs: int = 1,
    minimal: bool = False,
    tell: Tell = nobody,
) -> LevelResult:
    """Level 2, whatever the functions read; until the deadline.

    A refutation is the opponent's choice and a play: with ``layout`` in moves, up to the end
    that the formula sees (``!stop`` claims a goal), else block by block.  ``replay`` makes a
    command of the opponent's moves, ``replay_blocks`` one of the values of the opponent's blocks:
    for a choice whose bits name no move.  ``minimal`` asks the kernel alone, about the functions
    that clauses define.  The result does not depend on ``jobs``, the number of processes.
    Raises as :func:`check_dependencies` does.
    """
    watch = Stopwatch()
    verdict: Verdict
    if minimal:
        proved = _by_kernel(formula, certificate, deadline)
        if proved is not None:
            evidence = _sizes(formula, certificate)
            return LevelResult(Level.FORMULA, proved, watch.seconds, evidence)
    result = _checked(formula, certificate, deadline, jobs, tell)
    if isinstance(result, str):
        verdict = Undecided(result)
        return LevelResult(Level.FORMULA, verdict, watch.seconds, _sizes(formula, certificate))
    evidence = _sizes(formula, certificate) | _measured(result)
    if isinstance(result, CertificateProved) and minimal:
        # Clauses with several solutions, which this check proves to win one and all.
        why = "the clauses leave a value open, of which the kernel alone proves nothing"
        return LevelResult(Level.FORMULA, Undecided(why), watch.seconds, evidence)
    if isinstance(result, CertificateProved):
        # Whether functions may read what they read is another level's question.
        verdict = Proved(f"{_no_choice(result.kind)}{result.notes}")
    elif isinstance(result, CertificateRefuted):
        assert result.choice is not None, "level 1 is another question"
        replays = replay, replay_blocks
        from qsage_validate.proving.assertions_level import falsified

        finding = falsified(formula, certificate, result.reason, result.choice, layout, *replays)
        verdict = Refuted((finding,))
        evidence["choice"] = {formula.name(v): value for v, value in result.choice.items()}
    else:
        verdict = Undecided(result.why)
    return LevelResult(Level.FORMULA, verdict, watch.seconds, evidence)


def _checked(
    formula: Qbf, certificate: Certificate, deadline: Deadline, jobs: int, tell: Tell
) -> CheckResult | str:
    """The result of the check, or why there is none: the system has ended a process."""
    if jobs == 1:
        return check_matrix(formula, certificate, deadline=deadline, tell=tell)
    from qsage_validate.system.pool import WorkerFailedError

    try:
        return check_matrix(formula, certificate, deadline=deadline, jobs=jobs, tell=tell)
    except WorkerFailedError as error:
        if not error.killed:
            raise
        return f"{error}; there may be too little memory for {jobs} processes"


def _by_kernel(
    formula: Qbf, certificate: Certificate, deadline: Deadline
) -> Proved | Undecided | None:
    """The kernel's verdict; ``None`` where a choice beats the functions.

    Or where clauses, under a choice, contradict each other or leave a value open.
    """
    from qsage_validate.kernel.obligation import prove_formula

    try:
        read = functions_of(certificate, formula)
        doubts = [*read.contradictions.values(), *read.openings.values()]
        beaten = prove_formula(formula, read.circuit, doubts, deadline=deadline)
    except NotDefinitionalError as error:
        return Undecided(f"the clauses cannot be read as definitions: {error}")
    except ClaimsTimeoutError as error:
        return Undecided(f"time is up: {error}")
    if beaten is not None:
        return None
    return Proved(f"{_no_choice(certificate.kind)}, by the kernel alone")


def _no_choice(kind: CertificateKind) -> str:
    opponent = "White" if kind is CertificateKind.SKOLEM else "Black"
    return f"no choice of {opponent}'s beats the {kind.value} functions"


def _sizes(formula: Qbf, certificate: Certificate) -> dict[str, object]:
    free = dont_cares(certificate, formula)
    own = len(formula.variables(certificate.kind.decides))
    return {
        "kind": certificate.kind.value,
        "functions": own - len(free),
        "don't-cares": [formula.name(v) for v in free],
        "matrix gates": len(formula.gates),
    }


def _measured(result: CheckResult) -> dict[str, object]:
    measured: Measured | None = result.evidence
    if measured is None:
        return {}
    effort = measured.effort
    facts: dict[str, object] = {
        "certificate gates": measured.certificate,
        "gates after hashing": measured.composed,
        "gates merged by sweeping": effort.merged,
        "cases": effort.cubes,
        "SAT calls": effort.calls,
        "conflicts": effort.conflicts,
    }
    if isinstance(result, CertificateProved) and result.open_variables:
        facts["left open"] = list(result.open_variables)
    return facts


def _path(formula: Qbf, dependency: Dependency) -> dict[str, object]:
    return {
        "function": formula.name(dependency.variable),
        "reads": formula.name(dependency.reads),
        "gates": list(dependency.path),
    }


def check_trace_level(
    formula: Qbf,
    path: Path,
    *,
    generalised: bool = False,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> LevelResult:
    """Check each step of the trace in ``path`` that its result rests on.

    A trace of a circuit is one of its clausal form.  The finding is the first wrong step.
    Raises :class:`InputError` for what is malformed.
    """
    from qsage_validate.certificates.qrp_check import QrpProved, QrpRefuted, check_qrp
    from qsage_validate.formats.qrp import read_qrp

    watch = Stopwatch()
    trace = read_qrp(path)
    result = check_qrp(formula, trace, generalised=generalised, deadline=deadline, tell=tell)
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
            "generalised axioms": result.generalised,
        }
    elif isinstance(result, QrpRefuted):
        verdict = Refuted((Finding(FindingKind.TRACE_WRONG, 0, result.reason),))
        evidence |= {"step": result.id, "place": result.place}
    else:
        verdict = Undecided(result.why)
    return LevelResult(Level.TRACE, verdict, watch.seconds, evidence)


# -- The levels ------------------------------------------------------------------------------


def dependencies_level(run: ValidationRun) -> LevelResult | None:
    if run.problem.formula is None or run.problem.certificate is None:
        return None
    run.begin(Level.DEPENDENCIES)
    return check_dependencies(run.problem.formula, run.problem.certificate)


def formula_level(run: ValidationRun) -> LevelResult | None:
    certificate = run.problem.certificate
    if run.problem.formula is None or certificate is None:
        return None
    if run.problem.solving is not None and isinstance(certificate, CircuitCertificate):
        return _rest(run, run.problem.qbf, certificate, run.problem.solving)
    result = _with_legal_play(run, _checked_by(run, certificate, run.begin(Level.FORMULA)))
    if Level.DEPENDENCIES in run.options.levels or not isinstance(result.verdict, Proved):
        return result
    # Asked alone, the level must not let functions pass that may not be used at all.
    looked = run.result(Level.DEPENDENCIES)
    if looked is None or not isinstance(looked.verdict, Refuted):
        return result
    wrong = looked.findings[0].detail
    why = f"no choice beats the functions, but {wrong}: they prove nothing"
    return replace(result, verdict=Undecided(why))


def _with_legal_play(run: ValidationRun, result: LevelResult) -> LevelResult:
    """A refutation with a play of legal moves first, where the choice makes an illegal one.

    Such a play shows a person more; it is looked for, and there need not be one.
    """
    problem, verdict = run.played, result.verdict
    if not isinstance(verdict, Refuted) or not isinstance(problem, BoardProblem):
        return result
    if problem.game is None or not problem.replayed:
        return result
    from qsage_validate.proving.assertions_level import is_legal_play, legal_play

    player, (first, *_) = problem.answering.kind.player, verdict.findings
    try:
        if is_legal_play(problem.game, player.other, first.moves):
            return result
        if dependencies(problem.qbf, problem.answering):
            return result
        found = legal_play(problem, run.replay, run.deadline.share(0.25))
    except (NotDefinitionalError, NotPlayableError):
        return result
    if found is None:
        return result
    return replace(result, verdict=Refuted((found, *verdict.findings)))


def _rest(
    run: ValidationRun, formula: Qbf, part: CircuitCertificate, solving: Solving
) -> LevelResult:
    from qsage_validate.proving.assertions_level import lost_part
    from qsage_validate.proving.rest_level import check_rest

    looked, tell = run.result(Level.DEPENDENCIES), run.begin(Level.FORMULA)
    if looked is not None and isinstance(looked.verdict, Refuted):
        why = f"{looked.findings[0].detail}: the rest is not looked for"
        return LevelResult(Level.FORMULA, Undecided(why), 0.0)
    return check_rest(
        formula,
        part,
        solving,
        lambda certificate: _checked_by(run, certificate, tell),
        partial(
            lost_part,
            formula,
            part,
            layout=run.problem.layout,
            replay=run.replay,
            replay_blocks=run.replay_blocks,
        ),
        deadline=run.deadline,
        tell=tell,
    )


def _checked_by(run: ValidationRun, certificate: Certificate, tell: Tell) -> LevelResult:
    return check_formula(
        run.problem.qbf,
        certificate,
        layout=run.problem.layout,
        replay=run.replay,
        replay_blocks=run.replay_blocks,
        deadline=run.deadline,
        jobs=run.options.jobs,
        minimal=run.options.minimal,
        tell=tell,
    )


def trace_level(run: ValidationRun) -> LevelResult | None:
    formula, trace = run.problem.formula, run.options.trace
    if formula is None or trace is None:
        return None
    tell = run.begin(Level.TRACE)
    general = run.options.generalised
    return check_trace_level(formula, trace, generalised=general, deadline=run.deadline, tell=tell)
