"""Runs the levels of a validation, one after the other, and gathers a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from qsage_validate import __version__
from qsage_validate.errors import Undecided
from qsage_validate.games.protocol import Player
from qsage_validate.problems.load import Files, Problem
from qsage_validate.problems.validated import command_of, load_to_validate
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import ValidationReport, conclude
from qsage_validate.proving.run import (
    LevelInterrupted,
    LevelResult,
    ValidationOptions,
    ValidationRun,
)
from qsage_validate.system.limits import Progress, Tell, nobody
from qsage_validate.system.reading import reads_within
from qsage_validate.validation.finding import FindingKind, Proved, Refuted

if TYPE_CHECKING:
    from qsage_validate.system.pool import Send


# The blame for a refutation: model, encoding, the solver's answer, or the certificate


def blame(
    results: Sequence[LevelResult], claims: Player | None, winner: Player | None, warnings: int
) -> str:
    """A sentence fragment that names what is wrong; empty when nothing is.

    ``claims`` is the player whose win the certificate claims, ``winner`` the player who wins
    by a search on the rules (``None``: not known), ``warnings`` how many things about the
    model itself are doubtful (Definition 9's conditions among them).

    The order of the questions is the design's: a formula that does not say what the rules say
    is at fault whatever a certificate does with it; a certificate that fails a right formula is
    wrong by itself, or because it claims what is not so.
    """
    verdicts = {result.level: result.verdict for result in results}

    def failed(*levels: Level) -> bool:
        """True if one of the levels found something else than a broken assertion."""
        found = (verdicts.get(level) for level in levels)
        findings = (f for own in found if isinstance(own, Refuted) for f in own.findings)
        return any(f.kind is not FindingKind.ASSERTION_BROKEN for f in findings)

    def passed(level: Level) -> bool:
        return isinstance(verdicts.get(level), Proved)

    doubts = " (the model itself is doubtful: see its warnings)" if warnings else ""
    if failed(Level.ENCODING):
        found = [f for r in results if r.level is Level.ENCODING for f in r.findings]
        if any(finding.kind is FindingKind.LAYOUT_DIFFERS for finding in found):
            return "the layout is wrong: it does not fit the formula or the game" + doubts
        return "the encoding is wrong: the formula, read by its layout, is not this game's" + doubts
    wrong_certificate = failed(Level.DEPENDENCIES, Level.FORMULA)
    if wrong_certificate and claims is not None and winner is claims.other:
        if passed(Level.ENCODING):
            return (
                f"the solver's answer is wrong: by the rules {winner} wins, "
                "and no certificate of the opposite can be right"
            )
        return (
            "the certificate is wrong: it does not prove the formula; by the rules "
            f"{winner} wins, so that none can if the formula is this game's"
        )
    if wrong_certificate:
        return "the certificate is wrong: it does not prove the formula"
    kinds = {finding.kind for result in results for finding in result.findings}
    if FindingKind.LAYOUT_DIFFERS in kinds:
        return "the layout is wrong: it does not say what the formula's variables are"
    if failed(Level.RANDOM, Level.EXHAUSTIVE, Level.RULES):
        if passed(Level.FORMULA) and not passed(Level.DEPENDENCIES):
            return (
                "the plays are not what was promised; run the dependencies level to tell whether "
                "the certificate proves the formula"
            )
        if passed(Level.FORMULA):
            return (
                "the encoding, its layout or the model is wrong: the certificate proves the "
                f"formula, and {'the rules' if failed(Level.RULES) else 'plays'} disagree with it"
                + doubts
            )
        return "the plays are not what was promised; run the formula level to tell why"
    if failed(Level.BOARDS):
        won = " although the strategy wins by the rules" if passed(Level.RULES) else ""
        return f"the formula's boards or its legality are not those of the rules{won}" + doubts
    if failed(Level.TRACE):
        return "the solver's trace is wrong: it proves nothing"
    if FindingKind.ASSERTION_BROKEN in kinds:
        return "what is asserted does not hold in every play"
    if warnings:
        return "nothing failed, but the model is doubtful: see its warnings"
    return ""


# Runs the levels of a validation, one after the other, and gathers a report


def validate(
    problem: Problem,
    options: ValidationOptions,
    *,
    tell: Tell = nobody,
    done: Callable[[LevelResult], None] | None = None,
) -> ValidationReport:
    """Run the levels of ``options`` on ``problem``, which ``to_validate`` has made.

    ``tell`` is called with each progress report, by the levels' names, ``done`` with each result.
    Ctrl-C ends with a report of what is known (``ValidationReport.interrupted``).
    """
    run = ValidationRun(problem, options, tell)
    results: list[LevelResult] = []
    interrupted = False
    try:
        for level in options.levels:
            result = run.result(level)
            if result is not None:
                results.append(result)
                if done is not None:
                    done(result)
        winner = run.winner(results)
    except LevelInterrupted as interruption:
        results.append(interruption.partial)
        interrupted, winner = True, None
    except KeyboardInterrupt:
        interrupted, winner = True, None
    hero = None if problem.certificate is None else problem.certificate.kind.player
    warnings = run.model_warnings()
    conclusions = conclude(results, hero, problem.claimed_game)
    return ValidationReport(
        subject=problem.files.name,
        results=tuple(results),
        conclusions=conclusions,
        blame=(
            conclusions.contradictions[0].detail
            if conclusions.contradictions
            else blame(results, hero, winner, len(warnings))
        ),
        interrupted=interrupted,
        facts={
            **problem.facts,
            "version": __version__,
            "winner by the rules": None if winner is None else winner.value,
            "model warnings": warnings,
        },
    )


def validate_apart(
    files: Files, options: ValidationOptions, *, tell: Tell, done: Callable[[LevelResult], None]
) -> ValidationReport:
    """Load and validate ``files`` in a process that keeps the limit of memory.

    When that is not enough, the levels that were not finished are undecided; the results of
    the others are kept, as after Ctrl-C.
    """
    from qsage_validate.system.pool import run_job

    results: list[LevelResult] = []

    def receive(sent: object) -> None:
        if isinstance(sent, LevelResult):
            results.append(sent)
            done(sent)
        elif isinstance(sent, Progress):
            tell(sent)

    interrupted = False
    try:
        outcome = run_job(_validate, files, options, limits=options.limits, receive=receive)
        if isinstance(outcome, ValidationReport):
            return outcome
        finished = {result.level for result in results}
        rest = [level for level in options.levels if level not in finished]
        results += [LevelResult(level, Undecided(outcome.why), 0.0) for level in rest]
    except KeyboardInterrupt:
        interrupted = True
    return ValidationReport(
        files.name,
        tuple(results),
        interrupted=interrupted,
        facts={"command": command_of(files, options.trace)},
    )


def _validate(send: Send, files: Files, options: ValidationOptions) -> ValidationReport:
    # The process itself has the limit of memory.
    with reads_within(options.limits.deadline, None):
        problem = load_to_validate(files, trace=options.trace)
    return validate(problem, options, tell=send, done=send)
