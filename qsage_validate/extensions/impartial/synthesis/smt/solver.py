"""Asks z3, in a process of its own that is killed when it does not keep to its time."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.errors import MissingExtraError
from qsage_validate.extensions.impartial.formula import (
    ImpartialComparison,
    ImpartialFormula,
    Linear,
)
from qsage_validate.extensions.impartial.synthesis.smt.smtlib import script
from qsage_validate.system.clock import Stopwatch
from qsage_validate.system.limits import Deadline

# The time by which z3 may overrun its own limit before it is killed.
_GRACE_SECONDS: Final = 1.0
_MOST_SECONDS: Final = 1e6
_START_SECONDS: Final = 60.0


@dataclass(frozen=True)
class SmtAnswer:
    """``status`` is ``sat`` (then with a model), ``unsat`` or ``unknown`` (then with a reason)."""

    status: str
    model: dict[str, int] = field(default_factory=dict)
    reason: str = ""


class SmtSolver:
    """A running z3; use it as a context manager.

    Raises :class:`~qsage_validate.errors.MissingExtraError` when z3 is not installed.
    """

    def __init__(self, memory_mb: int | None = None) -> None:
        if importlib.util.find_spec("z3") is None:
            raise MissingExtraError("proving formulas of impartial games", "impartial")
        self._memory = memory_mb or 0
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader: threading.Thread | None = None
        self.questions = 0
        self.seconds = 0.0

    def __enter__(self) -> SmtSolver:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        if self._reader is not None:
            self._reader.join()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _start(self) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-m",
            "qsage_validate.extensions.impartial.synthesis.smt.server",
            str(self._memory),
        ]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self._process = process
        # Lines of a process that was killed must not be taken for those of the next one.
        self._lines = queue.SimpleQueue()
        self._reader = threading.Thread(target=_read, args=(process, self._lines), daemon=True)
        self._reader.start()
        if self._next_line(_START_SECONDS) != "ready\n":
            self.close()
            raise MissingExtraError("proving formulas of impartial games", "impartial")
        return process

    def _next_line(self, seconds: float) -> str | None:
        try:
            return self._lines.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None

    def ask(self, deadline: Deadline, *formulas: ImpartialFormula) -> SmtAnswer:
        """The solver's answer to the question whether ``formulas`` have a common model."""
        return self.check(script(formulas), deadline)

    def check(self, text: str, deadline: Deadline) -> SmtAnswer:
        """The solver's answer to the SMT-LIB script ``text``: ``sat``, ``unsat`` or ``unknown``.

        At the deadline the answer is ``unknown``.
        """
        seconds = deadline.left(_MOST_SECONDS)
        if seconds <= 0:
            return SmtAnswer("unknown", reason="no time was left")
        process = self._process or self._start()
        watch = Stopwatch()
        question = {"text": text, "milliseconds": int(seconds * 1000)}
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            line = self._next_line(seconds + _GRACE_SECONDS)
        except BrokenPipeError:
            line = None
        finally:
            self.questions += 1
            self.seconds += watch.seconds
        if line is None:
            died = process.poll() is not None
            self.close()
            return SmtAnswer("unknown", reason="the solver broke down" if died else "timeout")
        answer = json.loads(line)
        return SmtAnswer(answer["status"], answer.get("model", {}), answer.get("reason", ""))


def small(names: Iterable[str], limit: int) -> list[ImpartialFormula]:
    """The condition that the variables have values from ``-limit`` to ``limit``."""
    return [
        ImpartialComparison(relation, Linear.variable(name), Linear((), number))
        for name in names
        for relation, number in (("<=", limit), (">=", -limit))
    ]


def _read(process: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(None)
