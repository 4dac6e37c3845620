"""LRAT proofs: derivations with hints, CaDiCaL's steps, and the removal of unused ones.

CaDiCaL writes LRAT itself when its option ``lrat`` is set before the first clause.  Its proof is
read back, so that steps of ours can stand before it and steps that nothing uses are left out.
"""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Final

import pysolvers  # type: ignore[import-not-found]  # the part of PySAT that is not Python

from qsage_validate.circuit.sat import Solver
from qsage_validate.errors import Exit, InputError, QsageError, UndecidedError
from qsage_validate.kernel.obligation import Clause, Cnf
from qsage_validate.system.limits import NEVER, Deadline

_SOLVER: Final = "cadical195"
# Conflicts between two looks at the clock and at pending signals.
_SLICE: Final = 1000
# Numbers in one line that forgets clauses.
_FORGOTTEN: Final = 1000


class NotProvedError(QsageError):
    """There is no proof, because the clauses can be satisfied."""

    exit_code = Exit.REFUTED


@dataclass(slots=True)
class Derivation:
    """Clauses that follow, one after the other, from ``given`` numbered ones.

    Step ``k`` has the number ``given + 1 + k``; ``hints[k]`` are numbers of earlier clauses, in
    the order in which unit propagation uses them.
    """

    given: int
    clauses: list[Clause] = field(default_factory=list)
    hints: list[Sequence[int]] = field(default_factory=list)

    def add(self, clause: Clause, hints: Sequence[int]) -> int:
        self.clauses.append(clause)
        self.hints.append(hints)
        return self.given + len(self.clauses)

    def trimmed(self) -> Derivation:
        """The steps that the last one needs.  The last one must be the empty clause."""
        assert not self.clauses[-1], "a refutation ends with the empty clause"
        needed = bytearray(len(self.clauses))
        needed[-1] = 1
        for k in range(len(self.clauses) - 1, -1, -1):
            if needed[k]:
                for hint in self.hints[k]:
                    if hint > self.given:
                        needed[hint - self.given - 1] = 1
        number = array("i", bytes(4 * len(self.clauses)))
        result = Derivation(self.given)
        for k, wanted in enumerate(needed):
            if wanted:
                hints = array("i", self.hints[k])
                for at, hint in enumerate(hints):
                    if hint > self.given:
                        hints[at] = number[hint - self.given - 1]
                number[k] = result.add(self.clauses[k], hints)
        return result

    def lines(self) -> Iterator[str]:
        """The lines of the proof; each clause is forgotten behind the last step that uses it.

        The literals of a step are in the order of their variables, as ACL2's checker wants.
        """
        last = array("i", bytes(4 * (self.given + len(self.clauses) + 1)))
        for k, hints in enumerate(self.hints):
            for hint in hints:
                last[hint] = k + 1
        unused = [n for n in range(1, self.given + 1) if not last[n]]
        for at in range(0, len(unused), _FORGOTTEN):
            yield _deletion(self.given, unused[at : at + _FORGOTTEN])
        for k, (clause, hints) in enumerate(zip(self.clauses, self.hints, strict=True)):
            number = self.given + k + 1
            words = [number, *sorted(clause, key=abs), 0, *hints, 0]
            yield f"{' '.join(map(str, words))}\n"
            done = [hint for hint in hints if last[hint] == k + 1]
            if done and clause:
                yield _deletion(number, done)


def _deletion(number: int, forgotten: Sequence[int]) -> str:
    return f"{number} d {' '.join(map(str, forgotten))} 0\n"


def refutation(cnf: Cnf, *, deadline: Deadline = NEVER) -> Derivation:
    """A trimmed proof that ``cnf`` is unsatisfiable.

    Raises ``NotProvedError`` when it is satisfiable, and ``UndecidedError`` at the deadline.
    """
    derivation = Derivation(len(cnf.clauses))
    numbers = range(1, len(cnf.clauses) + 1)
    search(derivation, cnf.clauses, numbers, deadline=deadline)
    return derivation.trimmed()


def search(
    derivation: Derivation,
    clauses: Collection[Clause],
    numbers: Sequence[int],
    *,
    deadline: Deadline = NEVER,
) -> None:
    """Add CaDiCaL's refutation of ``clauses``, whose numbers in ``derivation`` are ``numbers``.

    Errors as those of :func:`refutation`.
    """
    try:
        temporary = tempfile.TemporaryFile()  # noqa: SIM115 (below)
    except OSError as error:
        raise _full(error.strerror or str(error)) from None
    with temporary as file, Solver(name=_SOLVER) as solver:
        _trace(solver, file)
        solver.append_formula(list(map(list, clauses)))
        if _satisfiable(solver, deadline):
            raise NotProvedError("no proof is written: the clauses can be satisfied")
        pysolvers.flushpr(solver.solver.prfp)
        file.seek(0)
        _read(derivation, file, numbers)
        # Else PySAT would close it once more.
        solver.solver.prfile = None


def _trace(solver: Any, file: IO[bytes]) -> None:
    """Let CaDiCaL write LRAT, as text, to ``file``; to be called before the first clause."""
    cadical = solver.solver
    cadical.configure({"lrat": 1, "binary": 0})
    cadical.prfile = file
    cadical.prfp = pysolvers.cadical195_tracepr(cadical.cadical, file)


def _full(reason: str) -> InputError:
    folder = os.environ.get("TMPDIR") or tempfile.gettempdir()
    expected = "a folder for temporary files (TMPDIR) with room for the solver's proof"
    return InputError(folder, None, None, f"an error: {reason}", expected)


def _satisfiable(solver: Solver, deadline: Deadline) -> bool:
    while True:
        if deadline.over:
            raise UndecidedError("no proof is written: time is up")
        solver.conf_budget(_SLICE)
        answer = solver.solve_limited()
        if answer is not None:
            return bool(answer)


def _read(derivation: Derivation, file: IO[bytes], numbers: Sequence[int]) -> None:
    """Add the steps of a proof.

    CaDiCaL numbers clauses as they come: one that it simplifies at once has a step between it
    and the next given one.  So the given clauses are the numbers that no step has.
    """
    steps: list[tuple[int, Clause, array[int]]] = []
    for line in file:
        if not line.endswith(b"\n"):
            break  # CaDiCaL does not tell that it could not write
        words = line.split()
        if words[1] == b"d":
            continue
        middle = words.index(b"0")
        clause = tuple(map(int, words[1:middle]))
        steps.append((int(words[0]), clause, array("i", map(int, words[middle + 1 : -1]))))
        if not clause:
            break
    if not steps or steps[-1][1]:
        raise _full("the proof that the solver writes is cut")
    own = {name for name, _, _ in steps}
    number: dict[int, int] = {}
    name = 0
    for each in numbers:
        name += 1
        while name in own:
            name += 1
        number[name] = each
    for name, clause, hints in steps:
        number[name] = derivation.add(clause, array("i", (number[hint] for hint in hints)))
