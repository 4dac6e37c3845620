"""A checker of LRAT proofs, small enough to be read before it is trusted.

A DIMACS file is a list of clauses, numbered from 1 in the order of its lines.  An LRAT proof has
lines of two kinds, each number separated from the next by a blank:

    NUMBER LITERALS 0 HINTS 0    a clause that follows
    NUMBER d NUMBERS 0           clauses that are forgotten

A clause follows from earlier ones by reverse unit propagation.  Suppose that all its literals
are false.  Each hint is the number of an earlier clause whose literals are then all false but
one, which therefore is true; all literals of the last hint are false, a contradiction.  The
proof ends with the empty clause: the DIMACS clauses are unsatisfiable.

The checker is stricter than the format: one clause a line, no comments, no resolution asymmetric
tautologies (negative hints), no hint that adds nothing.  It imports the standard library alone,
and the exceptions of this package.

Source: Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp: "Efficient Certified RAT
Verification" (CADE 2017).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

from qsage_validate.errors import Exit, InputError, QsageError, counted, one_line
from qsage_validate.formats.source import open_input

Clause = tuple[int, ...]

_HEADER = re.compile(rb"p cnf ([0-9]{1,18}) ([0-9]{1,18})\n")
_NUMBERS = re.compile(rb"-?[0-9]{1,18}(?: -?[0-9]{1,18})*\n")


class ProofError(QsageError):
    """A well-formed line of a proof that proves nothing: ``file:line: found X, expected Y``."""

    exit_code = Exit.REFUTED

    def __init__(self, file: str, line: int, found: str, expected: str) -> None:
        self.file, self.line, self.found, self.expected = file, line, found, expected
        super().__init__(one_line(f"{file}:{line}: found {found}, expected {expected}"))


@dataclass(frozen=True, slots=True)
class CheckedProof:
    """A proof that holds: the clauses of the CNF, and the steps and deletions that were read."""

    clauses: int
    steps: int
    deletions: int


def check_lrat(cnf: str, proof: str) -> CheckedProof:
    """Check that the file ``proof`` refutes the clauses of the file ``cnf``.

    Raises ``InputError`` for a malformed line, ``ProofError`` for a step that does not follow and
    for a proof without the empty clause.
    """
    with open_input(cnf, pipes=False, most=inf) as file:
        clauses = read_cnf(cnf, file)
    with open_input(proof, pipes=False, most=inf) as file:
        return check_steps(clauses, file, proof)


def read_cnf(path: str, lines: Iterable[bytes]) -> dict[int, Clause]:
    """The clauses of a DIMACS file by their numbers; raises ``InputError``."""
    source = enumerate(lines, 1)
    _, first = next(source, (1, b""))
    header = _HEADER.fullmatch(first)
    if header is None:
        raise InputError(path, 1, None, _shown(first), "p cnf VARIABLES CLAUSES")
    variables, count = map(int, header.groups())
    clauses: dict[int, Clause] = {}
    line = 1
    for line, text in source:
        *literals, end = _numbers(path, line, text)
        if end != 0 or 0 in literals:
            raise InputError(path, line, None, _shown(text), "one clause, with 0 as its end")
        if any(abs(x) > variables for x in literals):
            raise InputError(path, line, None, _shown(text), f"variables up to {variables}")
        clauses[line - 1] = tuple(literals)
    if len(clauses) != count:
        raise InputError(
            path, line, None, counted(len(clauses), "clause"), counted(count, "clause")
        )
    return clauses


def check_steps(clauses: dict[int, Clause], lines: Iterable[bytes], path: str) -> CheckedProof:
    """Check a proof from ``clauses``, which are changed on the way; errors of ``check_lrat``."""
    given, last, steps, deletions, line = len(clauses), len(clauses), 0, 0, 0
    source: Iterator[tuple[int, bytes]] = enumerate(lines, 1)
    for line, text in source:
        number, blank, rest = text.partition(b" ")
        if rest.startswith(b"d "):
            _, *forgotten, end = _numbers(path, line, number + blank + rest[2:])
            if end != 0 or 0 in forgotten:
                raise InputError(path, line, None, _shown(text), "NUMBER d NUMBERS 0")
            for each in forgotten:
                if clauses.pop(each, None) is None:
                    raise ProofError(path, line, f"deletion of {each}", "a clause that is there")
            deletions += len(forgotten)
            continue
        name, *numbers = _numbers(path, line, text)
        if numbers.count(0) != 2 or numbers[-1] != 0:
            raise InputError(path, line, None, _shown(text), "NUMBER LITERALS 0 HINTS 0")
        middle = numbers.index(0)
        clause, hints = tuple(numbers[:middle]), numbers[middle + 1 : -1]
        if name <= last:
            raise ProofError(path, line, f"step {name}", f"a number above {last}")
        _follow(clauses, clause, hints, path, line)
        clauses[name] = clause
        last, steps = name, steps + 1
        if not clause:
            more = next(source, None)
            if more is not None:
                raise ProofError(path, line + 1, _shown(more[1]), "the end: the clause is empty")
            return CheckedProof(given, steps, deletions)
    raise ProofError(path, line + 1, "the end of the proof", "the empty clause")


def _follow(
    clauses: dict[int, Clause], clause: Clause, hints: list[int], path: str, line: int
) -> None:
    """Check one step; raises ``ProofError``."""
    true = {-x for x in clause}
    if any(-x in true for x in true):
        raise ProofError(path, line, "a literal and its negation in a step", "a clause")
    for position, hint in enumerate(hints, 1):
        other = clauses.get(hint)
        if other is None:
            raise ProofError(path, line, f"hint {hint}", "the number of a clause that is there")
        unit = 0
        for literal in other:
            if -literal not in true and literal != unit:
                if unit or literal in true:
                    raise ProofError(
                        path, line, f"hint {hint}, which forces nothing", "a clause that is unit"
                    )
                unit = literal
        if not unit:
            if position < len(hints):
                raise ProofError(path, line, "hints behind a contradiction", "the end of the step")
            return
        true.add(unit)
    raise ProofError(path, line, "hints without a contradiction", "a last hint that is false")


def _numbers(path: str, line: int, text: bytes) -> list[int]:
    if not _NUMBERS.fullmatch(text):
        raise InputError(path, line, None, _shown(text), "numbers, each behind one blank")
    return [int(word) for word in text.split()]


def _shown(text: bytes) -> str:
    shown = text.decode("ascii", "backslashreplace").rstrip("\n")
    return repr(shown if len(shown) <= 60 else shown[:60] + "...") if shown else "nothing"
