"""Level 2 of a part of a certificate, loaded for these alone: can the rest be chosen to win?

The functions become gates of what is left of the formula.  Where functions of the rest are found,
those and the part's are checked together as a whole certificate is.  Where a certificate of what
is left shows a play that is lost whatever the rest is, the part is refuted.  An answer of a solver
without either counts for nothing: its word is a verdict of its own, which proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from qsage_validate.certificates.by_proof import writes_functions
from qsage_validate.certificates.parts import left_by
from qsage_validate.certificates.rest import Beaten, complete
from qsage_validate.certificates.routes import CheckFailedError, RouteOptions
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import MissingExtraError, Undecided, UndecidedError
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, dont_cares
from qsage_validate.problems.searched import AUTO, Solving, kept
from qsage_validate.proving.levels import Level
from qsage_validate.proving.run import LevelResult
from qsage_validate.solvers.backend import SolverMissingError
from qsage_validate.solvers.qbf_solving import constant_value, solve_formula
from qsage_validate.system.limits import Deadline, Limits, Stopwatch, Tell
from qsage_validate.validation.finding import Claimed, Finding, FindingKind, Proved, Refuted

# The part of the time in which functions are looked for, before a solver's word is asked for.
_SHARE: Final = 1 / 2


def check_rest(
    formula: Qbf,
    part: CircuitCertificate,
    solving: Solving,
    check: Callable[[CircuitCertificate], LevelResult],
    lost: Callable[[Mapping[int, bool], str], Finding],
    *,
    deadline: Deadline,
    tell: Tell,
) -> LevelResult:
    """Level 2 of ``part``, whose functions look to their left; with all functions, where proved.

    ``check`` is level 2 of a certificate that has functions for all, ``lost`` makes a finding of
    the opponent's choice and of who found it.  Raises ``CheckFailedError`` when functions of the
    rest were found that do not hold.
    """
    watch = Stopwatch()
    rest = len(dont_cares(part, formula))
    evidence: dict[str, object] = {
        "kind": part.kind.value,
        "functions of the file": len(part.functions),
        "variables of the rest": rest,
    }
    why = f"{solving.name} writes neither traces nor certificates"
    left = left_by(formula, part)
    options = _options(solving, Limits(deadline.share(_SHARE)), left)
    try:
        found = None if options is None else complete(formula, part, options, tell=tell)
    except (UndecidedError, SolverMissingError, MissingExtraError) as error:
        found, why = None, str(error)
    if isinstance(found, Beaten):
        verdict = Refuted((lost(found.choice, found.by),))
        return LevelResult(Level.FORMULA, verdict, watch.seconds, evidence)
    if found is not None:
        result = check(found.certificate)
        whose = f"{len(part.functions)} functions are the file's, {rest} were found by {found.by}"
        evidence = {**result.evidence, **evidence, "found by": found.by}
        result = replace(result, seconds=watch.seconds, evidence=evidence)
        if isinstance(result.verdict, Refuted):
            raise CheckFailedError(f"the functions by {found.by} do not hold: {result.verdict}")
        if not isinstance(result.verdict, Proved):
            return result
        proved = Proved(f"{result.verdict.reason}: {whose}")
        return replace(result, verdict=proved, completed=found.certificate)
    said = _word(left, part.kind, solving, why, deadline)
    evidence |= {"no functions": why}
    return LevelResult(Level.FORMULA, said, watch.seconds, evidence)


def _options(solving: Solving, limits: Limits, left: Qbf) -> RouteOptions | None:
    """The options of the search for functions of the rest; ``None`` if the solver gives none."""
    if constant_value(left) is not None or solving.solver == AUTO:
        return RouteOptions(limits=limits)
    if not writes_functions(solving.solver):
        return None
    return RouteOptions(solver=solving.solver, limits=limits)


def _word(
    left: Qbf, kind: CertificateKind, solving: Solving, why: str, deadline: Deadline
) -> Claimed | Refuted | Undecided:
    """A solver's answer to what the functions leave; ``why`` it gives no functions."""
    asked = solving.replies
    solved = solve_formula(
        left, asked.contenders, Limits(deadline), preprocessor=asked.preprocessor, confirmed=False
    )
    if solved.truth is None:
        return Undecided(f"no functions of the rest: {why}; its value: {solved.by}: {solved.why}")
    said = f"{solved.by} says that the formula is {solved.status.value}"
    if solved.truth is kind.truth:
        return Claimed(f"{said} under these functions, and nothing checks it")
    detail = f"{said} under these functions, whatever the rest is; what is left is in {kept(left)}"
    return Refuted((Finding(FindingKind.PART_LOSES, 0, detail),))
