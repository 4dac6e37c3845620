"""Runs the levels of a validation, one after the other, and gathers a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qsage_validate import __version__
from qsage_validate.errors import Undecided
from qsage_validate.problems.files import Files
from qsage_validate.problems.load import Problem
from qsage_validate.problems.validated import command_of, load_to_validate
from qsage_validate.proving.blame import blame
from qsage_validate.proving.report import ValidationReport
from qsage_validate.proving.run import (
    LevelInterrupted,
    LevelResult,
    ValidationOptions,
    ValidationRun,
)
from qsage_validate.proving.statements import conclude
from qsage_validate.system.progress import Progress, Tell, nobody
from qsage_validate.system.reading import reads_within

if TYPE_CHECKING:
    from qsage_validate.system.pool import Send


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
