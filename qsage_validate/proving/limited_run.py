"""A validation in a process of its own, with a limit on its memory."""

from __future__ import annotations

from collections.abc import Callable

from qsage_validate.errors import Undecided
from qsage_validate.problems.files import Files
from qsage_validate.problems.validated import command_of, load_to_validate
from qsage_validate.proving.levels import LevelResult
from qsage_validate.proving.limits import run_limited
from qsage_validate.proving.report import Report
from qsage_validate.proving.runner import Options, validate
from qsage_validate.system.progress import Progress, Tell

Send = Callable[[object], None]


def validate_limited(
    files: Files,
    options: Options,
    memory_mb: int,
    *,
    tell: Tell,
    done: Callable[[LevelResult], None],
) -> Report:
    """Load and validate ``files`` in at most ``memory_mb`` MiB.

    When that is not enough, the levels that were not finished are undecided; the results of
    the others are kept, as after Ctrl-C.
    """
    results: list[LevelResult] = []

    def receive(sent: object) -> None:
        if isinstance(sent, LevelResult):
            results.append(sent)
            done(sent)
        elif isinstance(sent, Progress):
            tell(sent)

    interrupted = False
    try:
        outcome = run_limited(
            _validate, (files, options), memory_mb, options.deadline, receive=receive
        )
        if isinstance(outcome, Report):
            return outcome
        finished = {result.level for result in results}
        rest = [level for level in options.levels if level not in finished]
        results += [LevelResult(level, Undecided(outcome.why), 0.0) for level in rest]
    except KeyboardInterrupt:
        interrupted = True
    return Report(
        files.name,
        tuple(results),
        interrupted=interrupted,
        facts={"command": command_of(files, options.trace)},
    )


def _validate(send: Send, files: Files, options: Options) -> Report:
    return validate(load_to_validate(files, trace=options.trace), options, tell=send, done=send)
