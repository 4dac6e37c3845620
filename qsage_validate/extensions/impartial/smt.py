"""Questions to z3: formulas in SMT-LIB, and the solver with its limits.

A solver that meets many terms ``(v - k) mod m`` treats each as a division of its own.  Here each
variable and modulus have one equation ``v = m q + r``, ``0 <= r < m``, and every congruence is a
choice among few values of a sum of residues; checks become up to a thousand times faster.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.errors import MissingExtraError
from qsage_validate.extensions.impartial.model import (
    Congruence,
    ImpartialComparison,
    ImpartialFormula,
    Linear,
    Truth,
    prefix_text,
    without_not,
)
from qsage_validate.system.limits import Deadline, Stopwatch

# Formulas as SMT-LIB 2, with the congruences over shared residue variables


@dataclass(frozen=True)
class SmtQuestion:
    """An SMT-LIB script that is unsatisfiable when the claim ``title`` holds."""

    title: str
    text: str


def script(formulas: Iterable[ImpartialFormula], title: str = "") -> str:
    """An SMT-LIB script that asks whether the conjunction of ``formulas`` has a model."""
    writer = _Writer()
    formulas = [without_not(formula) for formula in formulas]
    assertions = [f"(assert {writer.formula(formula)})" for formula in formulas]
    lines = [f"; {line}" for line in title.splitlines()]
    names = sorted(set().union(*(formula.variables() for formula in formulas)))
    lines += ["(set-logic QF_LIA)", *(f"(declare-const {name} Int)" for name in names)]
    lines += writer.residue_lines() + assertions
    return "\n".join([*lines, "(check-sat)"]) + "\n"


def definition(name: str, variables: Sequence[str], formula: ImpartialFormula) -> str:
    """A ``define-fun`` of ``formula`` over ``variables``, with plain ``mod`` terms."""
    arguments = " ".join(f"({variable} Int)" for variable in variables)
    return f"(define-fun {name} ({arguments}) Bool\n  {_PlainWriter().formula(formula)})\n"


class _Writer:
    """Writes formulas and remembers which residues they need."""

    def __init__(self) -> None:
        self.residues: dict[tuple[str, int], str] = {}

    def residue_lines(self) -> list[str]:
        lines = []
        for (name, modulus), residue in self.residues.items():
            quotient = f"{name}!div{modulus}"
            lines += [
                f"(declare-const {quotient} Int)",
                f"(declare-const {residue} Int)",
                f"(assert (= {name} (+ (* {modulus} {quotient}) {residue})))",
                f"(assert (and (<= 0 {residue}) (< {residue} {modulus})))",
            ]
        return lines

    def formula(self, formula: ImpartialFormula) -> str:
        return prefix_text(formula, self._atom)

    def _atom(self, formula: ImpartialFormula) -> str:
        match formula:
            case Truth():
                return str(formula)
            case ImpartialComparison(relation):
                left, right = _sides(formula.difference)
                if relation == "!=":
                    return f"(not (= {left} {right}))"
                return f"({relation} {left} {right})"
            case Congruence():
                return self.congruence(formula)
        raise TypeError(f"no formula: {formula!r}")

    def congruence(self, atom: Congruence) -> str:
        """A choice among the multiples of the modulus that a sum of residues can be."""
        m = atom.modulus
        terms, low, high = [], atom.difference.constant, atom.difference.constant
        for name, factor in atom.difference.terms:
            # A factor near 0 leaves fewer multiples in reach.
            near = factor if 2 * factor <= m else factor - m
            residue = self.residues.setdefault((name, m), f"{name}!mod{m}")
            terms.append((residue, near))
            low += min(0, near * (m - 1))
            high += max(0, near * (m - 1))
        total = expression(Linear.of(dict(terms), atom.difference.constant))
        multiples = range(-(-low // m) * m, high + 1, m)
        choices = [f"(= {total} {_number(multiple)})" for multiple in multiples]
        some = choices[0] if len(choices) == 1 else f"(or {' '.join(choices)})"
        if not choices:
            some = "false"
        return some if atom.holds_equal else f"(not {some})"


def _sides(difference: Linear) -> tuple[str, str]:
    """Two expressions with positive factors that differ by ``difference``."""
    left = {name: factor for name, factor in difference.terms if factor > 0}
    right = {name: -factor for name, factor in difference.terms if factor < 0}
    constant = difference.constant
    return (
        expression(Linear.of(left, max(constant, 0))),
        expression(Linear.of(right, max(-constant, 0))),
    )


def expression(linear: Linear) -> str:
    parts = [
        name if factor == 1 else f"(* {_number(factor)} {name})" for name, factor in linear.terms
    ]
    if linear.constant or not parts:
        parts.append(_number(linear.constant))
    return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})"


def _number(number: int) -> str:
    return str(number) if number >= 0 else f"(- {-number})"


class _PlainWriter(_Writer):
    """Writes congruences with ``mod``, which needs no variables of its own."""

    def congruence(self, atom: Congruence) -> str:
        left, residue = atom.expression, atom.residue
        if not residue.is_constant:
            left, residue = left - residue, Linear()
        rest = residue.constant % atom.modulus
        some = f"(= (mod {expression(left)} {atom.modulus}) {rest})"
        return some if atom.holds_equal else f"(not {some})"


# Asks z3, in a process of its own that is killed when it does not keep to its time


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
            "qsage_validate.extensions.impartial.smt_server",
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
