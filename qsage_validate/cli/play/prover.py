"""The prover that the play's interface is given: the levels, run in a process of their own.

A process, because a SAT solver holds the interpreter while it runs: a thread could neither show
how far it is nor be stopped.  Its messages come pickled through its standard output.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import qsage_validate
from qsage_validate.errors import Exit, QsageError, UsageError
from qsage_validate.system.progress import Progress

if TYPE_CHECKING:
    from qsage_validate.play.tui.model.services import LevelRow, ProofEnd, Prove
    from qsage_validate.problems.load import Problem
    from qsage_validate.proving.levels import LevelResult
    from qsage_validate.proving.report import Report

# Seconds between two looks at whether somebody wants to stop.
_POLL = 0.1
_CHILD = "from qsage_validate.cli.play.prover import work; work()"


@dataclass(frozen=True, slots=True)
class _Told:
    level: str
    text: str


@dataclass(frozen=True, slots=True)
class _Failed:
    text: str


@dataclass(frozen=True, slots=True)
class _Closed:
    """The process has ended."""


_Message = object


def prover(problem: Problem) -> Prove:
    """Runs all levels on ``problem`` when it is called."""

    def prove(
        tell: Callable[[str, str], None],
        done: Callable[[LevelRow], None],
        cancelled: Callable[[], bool],
    ) -> ProofEnd:
        # The package may be a checkout that is found by the caller's path only.
        paths = [str(Path(qsage_validate.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                [sys.executable, "-c", _CHILD],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                env=environment,
            )
            try:
                messages = _messages(process, problem)
                end = _listen(messages, tell, done, cancelled)
            finally:
                process.kill()
                process.wait()
            if end is None:
                said.seek(0)
                _explain(process.returncode, said.read().decode(errors="replace"))
            assert end is not None, "an end without result is explained"
            return end

    return prove


def _messages(process: subprocess.Popen[bytes], problem: Problem) -> queue.Queue[_Message]:
    """What the process says, read by a thread of its own."""
    assert process.stdin is not None
    assert process.stdout is not None
    messages: queue.Queue[_Message] = queue.Queue()
    stream: IO[bytes] = process.stdout

    def read() -> None:
        with stream:
            try:
                while True:
                    messages.put(pickle.load(stream))
            except (EOFError, pickle.UnpicklingError):
                messages.put(_Closed())

    try:
        with process.stdin as stdin:
            pickle.dump(problem, stdin)
    except BrokenPipeError:
        pass  # It has ended already: what it said tells why.
    threading.Thread(target=read, daemon=True).start()
    return messages


def _explain(code: int, said: str) -> None:
    """Raise what the end of a process without a result means."""
    if said.strip():
        raise RuntimeError(f"the proof met a bug:\n{said}")
    raise UsageError(f"the proof ended without a result (exit code {code}): was it killed?")


def _listen(
    messages: queue.Queue[_Message],
    tell: Callable[[str, str], None],
    done: Callable[[LevelRow], None],
    cancelled: Callable[[], bool],
) -> ProofEnd | None:
    """Pass on what is told; ``None`` when the process ends without a result."""
    from qsage_validate.play.tui.model.services import LevelRow, ProofEnd
    from qsage_validate.proving.levels import LevelResult
    from qsage_validate.proving.report import Report

    finished: list[str] = []
    refuted = False
    while not cancelled():
        try:
            message = messages.get(timeout=_POLL)
        except queue.Empty:
            continue
        match message:
            case _Told():
                tell(message.level, message.text)
            case LevelResult():
                name, text = message.level.value, message.said
                finished.append(f"{name} {message.word}")
                refuted = refuted or bool(message.findings)
                done(LevelRow(name, message.word, message.seconds, text, message.findings))
            case Report():
                end = message.exit_code
                return ProofEnd(message.last_line, end is Exit.REFUTED, message.interrupted)
            case _Failed():
                raise UsageError(message.text)
            case _Closed():
                return None
    return ProofEnd(f"Stopped; {', '.join(finished) or 'no level has ended'}.", refuted, True)


def work() -> None:
    """In the process: read the problem, run the levels, write what is told."""
    stream = os.fdopen(os.dup(1), "wb")
    # What a library prints must not come between the messages.
    os.dup2(2, 1)

    def send(message: _Message) -> None:
        pickle.dump(message, stream)
        stream.flush()

    problem = pickle.load(sys.stdin.buffer)
    try:
        send(_prove(problem, send))
    except QsageError as error:
        send(_Failed(str(error)))


def _prove(problem: Problem, send: Callable[[_Message], None]) -> Report:
    from qsage_validate.problems.validated import to_validate
    from qsage_validate.proving.runner import Options, validate

    def tell(progress: Progress) -> None:
        send(_Told(progress.stage, progress.text))

    def done(result: LevelResult) -> None:
        send(result)

    return validate(to_validate(problem), Options(), tell=tell, done=done)
