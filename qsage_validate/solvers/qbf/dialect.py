"""Outputs of solvers: verdicts and assignments of the outermost block, read strictly."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.circuit.qbf import Quantifier, Scope

_VERDICTS: Final = (
    (re.compile(rb"(?:r )?s cnf 1(?: \d+ \d+)?"), True),
    (re.compile(rb"(?:r )?s cnf 0(?: \d+ \d+)?"), False),
    (re.compile(rb"(?:r |s )?SAT(?:ISFIABLE)?"), True),
    (re.compile(rb"(?:r |s )?UNSAT(?:ISFIABLE)?"), False),
    (re.compile(rb"c Satisfiable"), True),
    (re.compile(rb"c Unsatisfiable"), False),
)
_NUMBERS: Final = re.compile(rb"(?:-?\d+[ \t]+)*-?\d+[ \t]*")

EXIT_CODES: Final[Mapping[int, bool]] = {10: True, 20: False}
"""The exit codes that nearly every QBF solver has for true and false."""


@dataclass(frozen=True)
class SolverDialect:
    """The calling convention of a kind of solver, and the meaning of its output.

    ``plain`` are its arguments for an answer, ``outer`` those for an answer with an assignment
    of the outermost block, ``trace`` and ``binary_trace`` those for a trace on standard output
    (``None`` where it writes none); the file's name follows.  ``version`` are arguments that
    print the version, ``None`` where there are none.  ``literals`` reads the assignment:
    the signed variables that make the winner win.  ``codes`` are the exit codes of its answers;
    where there are none, it ends with 0 and the printed verdict alone is the answer.
    """

    plain: tuple[str, ...] = ()
    outer: tuple[str, ...] | None = None
    trace: tuple[str, ...] | None = None
    binary_trace: tuple[str, ...] | None = None
    version: tuple[str, ...] | None = None
    literals: Callable[[bytes, bool], list[int] | None] = lambda printed, truth: None
    verdicts: Callable[[bytes], set[bool]] = field(default_factory=lambda: printed_verdicts)
    codes: Mapping[int, bool] = field(default_factory=lambda: EXIT_CODES)


def printed_verdicts(printed: bytes) -> set[bool]:
    """The verdicts among the lines of ``printed``: whole lines only.

    A zero byte counts as the end of a line: it is what stands before the result of DepQBF's
    binary traces.
    """
    found = set()
    for line in printed.replace(b"\0", b"\n").splitlines():
        if len(line) < 100:
            text = line.strip()
            found |= {truth for pattern, truth in _VERDICTS if pattern.fullmatch(text)}
    return found


def qute_verdicts(printed: bytes) -> set[bool]:
    """The verdict of Qute: with a trace it prints none, and the last step says it.

    The last step must be the empty clause or term: ``id 0 0 antecedents 0`` or ``id 1 0 …``.
    """
    found = printed_verdicts(printed)
    lines = printed.splitlines()
    if found or not lines or not printed.endswith(b"\n"):
        return found
    last = re.fullmatch(rb"\d+ ([01]) 0 (?:\d+ )+0 ?", lines[-1])
    return {last.group(1) == b"1"} if last else set()


def qubi_verdicts(printed: bytes) -> set[bool]:
    """The verdicts of Qubi: whole lines ``Result: TRUE`` or ``Result: FALSE``."""
    words = {b"Result: TRUE": True, b"Result: FALSE": False}
    return {words[line.strip()] for line in printed.splitlines() if line.strip() in words}


def value_lines(printed: bytes, _truth: bool) -> list[int] | None:
    """The literals of QDIMACS's ``V`` lines; ``None`` when one of them is malformed."""
    literals: list[int] = []
    for line in printed.splitlines():
        if not line.startswith(b"V"):
            continue
        if not _NUMBERS.fullmatch(line[1:].strip()):
            return None
        numbers = [int(word) for word in line[1:].split()]
        literals += numbers[:-1] if numbers[-1] == 0 else numbers
    return None if 0 in literals else literals


def cube_line(printed: bytes, truth: bool) -> list[int] | None:
    """Qute's line of numbers for a true formula; what it prints for a false one is no win."""
    if not truth:
        return None
    lines = [line for line in printed.splitlines() if _NUMBERS.fullmatch(line.strip())]
    if len(lines) != 1:
        return None
    numbers = [int(word) for word in lines[0].split()]
    if numbers[-1] != 0 or 0 in numbers[:-1]:
        return None
    return numbers[:-1]


def outer_assignment(
    literals: Collection[int] | None, scopes: tuple[Scope, ...], truth: bool
) -> Mapping[int, bool] | None:
    """``literals`` as an assignment of the first of ``scopes``, if they are one by the winner.

    A variable that was left out may have any value, and gets false.  ``None`` when there are
    no literals at all, when the block belongs to the loser, and when the literals are not of
    the block or contradict each other.
    """
    if not literals or not scopes:
        return None
    if (scopes[0].quantifier is Quantifier.EXISTS) is not truth:
        return None
    chosen = set(literals)
    variables = set(scopes[0].variables)
    if not variables.issuperset(map(abs, chosen)) or len({abs(x) for x in chosen}) != len(chosen):
        return None
    return {v: v in chosen for v in scopes[0].variables}
