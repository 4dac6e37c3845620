"""The prover that the play's interface is given: the levels, run in a process of their own.

A process, because a SAT solver holds the interpreter while it runs: a thread could neither show
how far it is nor be stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qsage_validate.errors import Exit, Undecided, UsageError
from qsage_validate.system.pool import JobEndedError, Send, run_job
from qsage_validate.system.progress import Progress, Tell

if TYPE_CHECKING:
    from qsage_validate.play.tui.model.services import LevelRow, ProofEnd, Prove
    from qsage_validate.problems.load import Problem
    from qsage_validate.proving.report import ValidationReport


def prover(problem: Problem) -> Prove:
    """Runs all levels on ``problem`` when it is called."""

    def prove(
        tell: Tell, done: Callable[[LevelRow], None], cancelled: Callable[[], bool]
    ) -> ProofEnd:
        from qsage_validate.play.tui.model.services import LevelRow, ProofEnd
        from qsage_validate.proving.run import LevelResult

        finished: list[str] = []
        refuted = False

        def receive(sent: object) -> None:
            nonlocal refuted
            if isinstance(sent, Progress):
                tell(sent)
            elif isinstance(sent, LevelResult):
                name = sent.level.value
                finished.append(f"{name} {sent.word}")
                refuted = refuted or bool(sent.findings)
                done(LevelRow(name, sent.word, sent.seconds, sent.said, sent.findings))

        try:
            report = run_job(_prove, problem, receive=receive, stop=cancelled)
        except JobEndedError as error:
            raise UsageError(f"the proof has no result: {error}; was it killed?") from None
        if isinstance(report, Undecided):
            text = f"Stopped; {', '.join(finished) or 'no level has ended'}."
            return ProofEnd(text, refuted, stopped=True)
        return ProofEnd(report.last_line, report.exit_code is Exit.REFUTED, report.interrupted)

    return prove


def _prove(send: Send, problem: Problem) -> ValidationReport:
    from qsage_validate.problems.validated import to_validate
    from qsage_validate.proving.run import ValidationOptions
    from qsage_validate.proving.runner import validate

    return validate(to_validate(problem), ValidationOptions(), tell=send, done=send)
