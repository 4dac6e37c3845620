"""Checkers of proofs: the kernel's own, and programs of others where they are installed.

=============  ======================================================  ==================
name           program                                                 reads
=============  ======================================================  ==================
``qsage``      ``kernel/lrat.py``                                      LRAT
``lrat-check`` Heule's, of DRAT-trim (Debian's package drat-trim)      LRAT
``drat-trim``  Heule's, of the same package                            DRAT
``dratify``    Perassi's, a Python package                             DRAT
``acl2``       Heule, Hunt and Kaufmann's, verified in ACL2 (Debian's  LRAT in bytes
               packages acl2 and acl2-books)
``coq``        the project's own, verified in Coq (``verified/``)      LRAT
=============  ======================================================  ==================

A verdict counts only when the program says so in words of its own: ``lrat-check`` exits with 0
after a bad proof.  ACL2's checker is asked for the clauses that it has refuted, and they must be
those of the CNF: then its reader of DIMACS need not be trusted.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf
from pathlib import Path
from typing import Final

from qsage_validate.errors import InputError, UsageError, one_line
from qsage_validate.formats.source import open_input
from qsage_validate.kernel.lrat import Clause, ProofError, check_lrat, read_cnf
from qsage_validate.proving.verified.program import ask, find_program
from qsage_validate.system.folders import marked_folder
from qsage_validate.system.limits import NEVER, Deadline, Stopwatch
from qsage_validate.system.programs import Ended, Finished, run_program

OWN: Final = "qsage"
COQ: Final = "coq"

_DRATIFY: Final = """\
import sys
from pathlib import Path
from dratify import check_proof, parse_dimacs
cnf, proof = (Path(name).read_text() for name in sys.argv[1:])
result = check_proof(parse_dimacs(cnf), proof)
print("s VERIFIED" if result.ok and result.reached_empty else f"s NOT VERIFIED: {result.reason}")
"""
# The book prints an error and exits with 0 when it is interrupted: only its own line counts.
_ACL2: Final = """\
(include-book "projects/sat/lrat/incremental/run" :dir :system)
(lrat::lrat-check "proof.cnf" "proof.clrat")
"""


class CheckerAnswer(Enum):
    """The answer of a checker; the values are those of ``--json``."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    GAVE_UP = "gave up"


@dataclass(frozen=True, slots=True)
class CheckerOutcome:
    """The answer of a checker to a proof, its reason if not verified, and wall-clock seconds."""

    checker: str
    answer: CheckerAnswer
    seconds: float
    reason: str = ""


def checker_names() -> tuple[str, ...]:
    return (OWN, *_OTHERS)


def installed() -> tuple[str, ...]:
    """The checkers that are on this machine, ours first."""
    return (OWN, *(name for name, (find, _) in _OTHERS.items() if find() is not None))


def run_checker(name: str, cnf: str, lrat: str, *, deadline: Deadline = NEVER) -> CheckerOutcome:
    """Ask one checker; the deadline is for programs of others.

    Raises ``UsageError`` for a checker that is not there, and ``InputError`` for files that are
    no CNF or no LRAT proof.
    """
    watch = Stopwatch()
    if name == OWN:
        answer, reason = _own(cnf, lrat)
    else:
        if name not in _OTHERS:
            raise UsageError(
                f"found --checker {name}, expected one of {', '.join(checker_names())}"
            )
        find, ask = _OTHERS[name]
        program = find()
        if program is None:
            raise UsageError(f"the checker {name} is not installed ('qsage help verify' says how)")
        with marked_folder() as folder:
            answer, reason = ask(
                program, os.path.abspath(cnf), os.path.abspath(lrat), folder, deadline
            )
    return CheckerOutcome(name, answer, watch.seconds, one_line(reason))


_Said = tuple[CheckerAnswer, str]


def _own(cnf: str, lrat: str) -> _Said:
    try:
        check_lrat(cnf, lrat)
    except ProofError as error:
        return CheckerAnswer.REFUTED, str(error)
    return CheckerAnswer.VERIFIED, ""


# -- Programs of others ----------------------------------------------------------------------


def _ask_lrat_check(program: str, cnf: str, lrat: str, folder: str, deadline: Deadline) -> _Said:
    done = run_program([program, cnf, lrat], deadline=deadline)
    return _judged(done, "c VERIFIED", ("c FAILED", "c failed"))


def _ask_drat_trim(program: str, cnf: str, lrat: str, folder: str, deadline: Deadline) -> _Said:
    drat = _written(folder, "proof.drat", drat_lines(cnf, lrat))
    # "-I": it otherwise guesses from the first bytes whether a proof is binary.  "-f": forwards,
    # for there is nothing left to trim, and backwards each unit is taken back one by one, which
    # takes hours where there are tens of thousands.
    seconds = deadline.left()
    limit = ["-t", str(max(1, int(seconds)))] if seconds < inf else []
    done = run_program([program, cnf, drat, "-I", "-f", *limit], deadline=deadline)
    return _judged(done, "s VERIFIED", ("s NOT VERIFIED",))


def _ask_dratify(program: str, cnf: str, lrat: str, folder: str, deadline: Deadline) -> _Said:
    drat = _written(folder, "proof.drat", drat_lines(cnf, lrat))
    done = run_program([program, "-c", _DRATIFY, cnf, drat], deadline=deadline)
    return _judged(done, "s VERIFIED", ("s NOT VERIFIED",))


def _ask_acl2(program: str, cnf: str, lrat: str, folder: str, deadline: Deadline) -> _Said:
    _written(folder, "proof.clrat", clrat(lrat))
    shutil.copyfile(cnf, os.path.join(folder, "proof.cnf"))
    environment = {**os.environ, "LRAT_PRINT_FORMULA": "proved.txt"}
    done = run_program(
        [program], stdin=_ACL2.encode(), deadline=deadline, env=environment, cwd=Path(folder)
    )
    answer, reason = _judged(done, "s VERIFIED", ("s FAILED", "HARD ACL2 ERROR"))
    if answer is not CheckerAnswer.VERIFIED:
        return answer, reason
    with open_input(cnf, pipes=False, most=inf) as file:
        wanted = [set(clause) for clause in read_cnf(cnf, file).values()]
    text = Path(folder, "proved.txt").read_text(encoding="ascii")
    proved = [set(map(int, line.split()[:-1])) for line in text.splitlines() if line.strip()]
    if proved != wanted:
        return (
            CheckerAnswer.REFUTED,
            "ACL2's checker has refuted other clauses than those of the CNF",
        )
    return answer, ""


def _ask_coq(program: str, cnf: str, lrat: str, folder: str, deadline: Deadline) -> _Said:
    answer = ask([cnf, lrat], deadline=deadline)
    if answer.proved is None:
        return CheckerAnswer.GAVE_UP, answer.text
    return (CheckerAnswer.VERIFIED, "") if answer.proved else (CheckerAnswer.REFUTED, answer.text)


def _judged(done: Finished, good: str, bad: Sequence[str]) -> _Said:
    """The answer in the lines of a program; without such a line there is no verdict."""
    lines = [
        line.removeprefix("ACL2 !>").strip()
        for line in done.stdout.decode(errors="replace").splitlines()
    ]
    fault = next((line for line in lines if line.startswith(tuple(bad))), None)
    if fault is not None:
        return CheckerAnswer.REFUTED, fault
    if good in lines and done.ended is Ended.EXITED and done.returncode == 0:
        return CheckerAnswer.VERIFIED, ""
    said = [*done.stderr.decode(errors="replace").splitlines(), *lines]
    last = next((line for line in reversed(said) if line.strip()), "nothing")
    how = f"exit code {done.returncode}" if done.ended is Ended.EXITED else done.ended.value
    return CheckerAnswer.GAVE_UP, f"{how}, and said: {last}"


_Ask = Callable[[str, str, str, str, Deadline], _Said]
_OTHERS: Final[Mapping[str, tuple[Callable[[], str | None], _Ask]]] = {
    "lrat-check": (lambda: shutil.which("lrat-check"), _ask_lrat_check),
    "drat-trim": (lambda: shutil.which("drat-trim"), _ask_drat_trim),
    "dratify": (
        lambda: sys.executable if importlib.util.find_spec("dratify") else None,
        _ask_dratify,
    ),
    "acl2": (lambda: shutil.which("acl2"), _ask_acl2),
    COQ: (find_program, _ask_coq),
}


# -- Other forms of a proof ------------------------------------------------------------------


def drat_lines(cnf: str, lrat: str) -> Iterator[bytes]:
    """An LRAT proof as DRAT: the same steps and deletions without numbers and hints.

    Raises ``InputError`` for files that are no CNF or no LRAT proof.
    """
    with open_input(cnf, pipes=False, most=inf) as file:
        clauses = read_cnf(cnf, file)
    for number, forgotten, clause, _ in _steps(lrat):
        if forgotten is None:
            clauses[number] = clause
            yield _words(clause)
            continue
        for each in forgotten:
            found = clauses.pop(each, None)
            # Checkers of DRAT ignore deletions of units, with a warning.
            if found is not None and len(found) > 1:
                yield b"d " + _words(found)


def clrat(lrat: str) -> Iterator[bytes]:
    """An LRAT proof in bytes, as DRAT-trim and ACL2's checker know it ("compressed").

    A number is 2 times its absolute value, plus 1 if it is negative, in groups of 7 bits.
    Raises ``InputError`` for a file that is no LRAT proof.
    """
    for number, forgotten, clause, hints in _steps(lrat):
        if forgotten is not None:
            yield b"d" + b"".join(map(_packed, forgotten)) + b"\0"
        else:
            head = b"".join(map(_packed, (number, *clause)))
            yield b"a" + head + b"\0" + b"".join(map(_packed, hints)) + b"\0"


def _packed(number: int) -> bytes:
    left = 2 * abs(number) + (number < 0)
    found = bytearray()
    while left > 127:
        found.append(left & 127 | 128)
        left >>= 7
    found.append(left)
    return bytes(found)


def _steps(lrat: str) -> Iterator[tuple[int, list[int] | None, Clause, list[int]]]:
    """The lines of a proof: number, what is forgotten or ``None``, clause, hints."""
    with open_input(lrat, pipes=False, most=inf) as file:
        for line, text in enumerate(file, 1):
            words = text.split()
            try:
                if words[1] == b"d":
                    yield int(words[0]), [int(word) for word in words[2:-1]], (), []
                    continue
                number, *numbers = map(int, words)
                middle = numbers.index(0)
            except (ValueError, IndexError):
                raise InputError(lrat, line, None, "no step", "a line of an LRAT proof") from None
            yield number, None, tuple(numbers[:middle]), numbers[middle + 1 : -1]


def _words(clause: Clause) -> bytes:
    return f"{' '.join(map(str, (*clause, 0)))}\n".encode()


def _written(folder: str, name: str, parts: Iterable[bytes]) -> str:
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.writelines(parts)
    return path
