"""The check of a bundle of proofs, by other programs.

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

Two questions, answered apart: is a CNF unsatisfiable (its proof, by each checker), and is it the
CNF of the theorem (made again from the inputs and compared)?  Neither follows from the other.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from qsage_validate import __version__
from qsage_validate.errors import Exit, InputError, QsageError, UsageError, one_line
from qsage_validate.formats.source import open_input, quoted
from qsage_validate.kernel.lrat import Clause, ProofError, check_lrat, read_cnf
from qsage_validate.problems.load import Problem
from qsage_validate.problems.validated import file_fact, load_to_validate
from qsage_validate.proving.bundle import (
    MANIFEST,
    GameTheorem,
    Manifest,
    ManifestTheorem,
    Remade,
    made_again,
)
from qsage_validate.proving.theorems import VerifiedTheorem, ask, find_program, verified_theorems
from qsage_validate.proving.verified_games import (
    NoGameProofError,
    game_certificate,
    game_contents,
    game_entry,
)
from qsage_validate.system.limits import NEVER, Deadline, Progress, Stopwatch, Tell, nobody
from qsage_validate.system.programs import Ended, Finished, marked_folder, run_program

# Checkers of proofs: the kernel's own, and programs of others where they are installed


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


# Proof bundles checked again: files by their hashes, proofs by checkers, CNFs by the inputs


class Link(Enum):
    """The relation of a CNF to that of the inputs; the values are those of ``--json``."""

    SAME = "same"
    DIFFERENT = "different"
    NOT_ASKED = "not asked"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TheoremCheck:
    """The result of checking a theorem; ``reason`` explains a link that is not the same.

    ``statement`` and ``beside``, its other hypotheses, are made from the inputs; there is none
    where the CNF is not theirs, or was not compared with them.
    """

    theorem: ManifestTheorem | GameTheorem
    outcomes: tuple[CheckerOutcome, ...]
    link: Link
    reason: str = ""
    statement: str | None = None
    beside: tuple[str, ...] = ()

    @property
    def unsatisfiable(self) -> bool:
        """True if a checker has accepted the proof and none has refuted it."""
        answers = [outcome.answer for outcome in self.outcomes]
        return CheckerAnswer.VERIFIED in answers and CheckerAnswer.REFUTED not in answers

    @property
    def accepted_by(self) -> tuple[str, ...]:
        """The checkers that have accepted the proof."""
        return tuple(x.checker for x in self.outcomes if x.answer is CheckerAnswer.VERIFIED)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences that are verified, and those that are not."""
        cnf = self.theorem.cnf
        if self.unsatisfiable:
            proved = f"{cnf} is unsatisfiable (accepted by {', '.join(self.accepted_by)})"
        else:
            proved = f"{cnf}: it is not shown that the clauses are unsatisfiable"
        belongs = {
            Link.SAME: f"{cnf} is the CNF of the inputs: made again, equal",
            Link.DIFFERENT: f"{cnf} is not the CNF of the inputs: {self.reason}",
            Link.UNKNOWN: f"{cnf}: not compared with the inputs: {self.reason}",
            Link.NOT_ASKED: f"{cnf}: not compared with the inputs, as asked",
        }[self.link]
        return proved, belongs

    def to_dict(self) -> dict[str, object]:
        """The fields, for ``--json``."""
        return {
            "level": self.theorem.name,
            "statement": self.statement,
            "unsatisfiable": self.unsatisfiable,
            "cnf_of_the_inputs": self.link.value,
            "reason": self.reason,
            "checkers": [
                {
                    "checker": x.checker,
                    "answer": x.answer.value,
                    "seconds": round(x.seconds, 3),
                    "reason": x.reason,
                }
                for x in self.outcomes
            ],
            "checked_beside_the_proof": list(self.beside),
        }


@dataclass(frozen=True, slots=True)
class BundleVerification:
    """A bundle that was checked; ``faults`` are files that are not those of the manifest.

    ``verified`` are the theorems that the checker verified in Coq was asked for; ``game`` is what
    is checked without it of the theorem about the rules in Coq.
    """

    folder: str
    faults: tuple[str, ...]
    missing: tuple[str, ...]
    theorems: tuple[TheoremCheck, ...]
    verified: tuple[VerifiedTheorem, ...] = ()
    game: TheoremCheck | None = None

    @property
    def checks(self) -> tuple[TheoremCheck, ...]:
        """Those of all CNFs."""
        return self.theorems if self.game is None else (*self.theorems, self.game)

    @property
    def exit_code(self) -> Exit:
        """Refuted comes before undecided, and undecided before fine."""
        outcomes = [x.answer for each in self.checks for x in each.outcomes]
        links = [each.link for each in self.checks]
        refuted = any(each.proved is False for each in self.verified)
        if refuted or self.faults or CheckerAnswer.REFUTED in outcomes or Link.DIFFERENT in links:
            return Exit.REFUTED
        if CheckerAnswer.GAVE_UP in outcomes or Link.UNKNOWN in links:
            return Exit.UNDECIDED
        return Exit.FINE

    @property
    def last_line(self) -> str:
        """One line that a person can quote."""
        code = self.exit_code
        levels = ", ".join(each.theorem.name for each in self.theorems)
        if code is Exit.REFUTED:
            return f"{self.folder}: refuted"
        if code is Exit.UNDECIDED:
            return f"{self.folder}: undecided ({levels})"
        if any(each.link is not Link.SAME for each in self.theorems):
            return (
                f"{self.folder}: the CNFs are unsatisfiable ({levels}); whether they are those of "
                "the inputs was not asked"
            )
        return (
            f"{self.folder}: verified: the CNFs are unsatisfiable, and are those of the inputs "
            f"({levels})"
        )

    def to_dict(self) -> dict[str, object]:
        """Everything, for ``--json``."""
        return {
            "folder": self.folder,
            "verdict": {0: "verified", 1: "refuted", 3: "undecided"}[int(self.exit_code)],
            "summary": self.last_line,
            "faults": list(self.faults),
            "missing_inputs": list(self.missing),
            "theorems": [each.to_dict() for each in self.theorems],
            **({} if self.game is None else {"game": self.game.to_dict()}),
            **({"verified": [x.to_dict() for x in self.verified]} if self.verified else {}),
        }


def verify_bundle(
    manifest: Manifest,
    checkers: Sequence[str],
    *,
    inputs: bool = True,
    timeout: float | None = None,
    tell: Tell = nobody,
) -> BundleVerification:
    """Check a bundle with ``checkers``; ``inputs`` asks for the CNFs to be made again.

    ``timeout`` (seconds) is the limit of each program.  Raises ``InputError`` for files that are
    no CNF or no LRAT proof, and ``UsageError`` for a checker that is not there.
    """
    folder = manifest.folder
    faults = _faulty_files(manifest)
    if faults:  # nothing that they say is worth a check
        return BundleVerification(folder, faults, (), ())
    missing: tuple[str, ...] = ()
    links: dict[str, _Linked] = {}
    if inputs:
        missing = tuple(
            f"{x.role}: {one_line(x.path)} is not there"
            for x in manifest.inputs
            if not os.path.isfile(x.path)
        )
        faults = tuple(
            f"{x.role}: {one_line(x.path)} is not the file that the bundle was made from"
            for x in manifest.inputs
            if os.path.isfile(x.path) and file_fact(x.path).sha256 != x.sha256
        )
        tell(Progress("CNFs of the inputs"))
        links = _links(manifest, missing, faults)
    checks, game = [], None
    of_game = [] if manifest.game is None else [manifest.game]
    asked: list[ManifestTheorem | GameTheorem] = [*manifest.theorems, *of_game]
    for theorem in asked:
        cnf, proof = (os.path.join(folder, name) for name in (theorem.cnf, theorem.proof))
        outcomes = []
        for name in checkers:
            tell(Progress(theorem.name, name))
            outcomes.append(run_checker(name, cnf, proof, deadline=Deadline.after(timeout)))
        link, reason, statement, beside = links.get(theorem.name, _Linked(Link.NOT_ASKED))
        check = TheoremCheck(theorem, tuple(outcomes), link, reason, statement, beside)
        if isinstance(theorem, ManifestTheorem):
            checks.append(check)
        else:
            game = check if COQ in checkers else replace(check, beside=(*beside, _WITHOUT_COQ))
    verified: tuple[VerifiedTheorem, ...] = ()
    if COQ in checkers and inputs and not missing and not faults:
        tell(Progress("theorems", COQ))
        verified = verified_theorems(manifest, deadline=Deadline.after(timeout))
    return BundleVerification(folder, faults, missing, tuple(checks), verified, game)


def _faulty_files(manifest: Manifest) -> tuple[str, ...]:
    try:
        present = set(os.listdir(manifest.folder)) - {MANIFEST}
    except OSError as error:
        found = f"an error: {error.strerror}"
        raise InputError(manifest.folder, None, None, found, "a bundle") from None
    faults = [f"{name}: not in the manifest" for name in sorted(present - manifest.files.keys())]
    for name, wanted in manifest.files.items():
        path = os.path.join(manifest.folder, name)
        if not os.path.isfile(path):
            faults.append(f"{name}: not there")
        elif file_fact(path).sha256 != wanted:
            faults.append(f"{name}: not the file of the manifest, by its SHA-256")
    return tuple(faults)


_WITHOUT_COQ: Final = "that these clauses are those of the rules in Coq: the checker coq says it"


class _Linked(NamedTuple):
    """A CNF and that of the inputs: why they differ, else the theorem of both."""

    link: Link
    reason: str = ""
    statement: str | None = None
    beside: tuple[str, ...] = ()


def _links(manifest: Manifest, missing: Sequence[str], faults: Sequence[str]) -> dict[str, _Linked]:
    """For each theorem whether its CNF is the one of the inputs, and why not."""
    levels = [theorem.level for theorem in manifest.theorems]
    names = [level.value for level in levels] + [GameTheorem.name]
    if missing or faults:
        reason = "; ".join([*missing, *faults])
        return dict.fromkeys(names, _Linked(Link.UNKNOWN, reason))
    try:
        problem = load_to_validate(manifest.play)
        again = made_again(problem, levels, minimal=manifest.minimal)
        links = {x.name: _linked(manifest, x, again.get(x.level)) for x in manifest.theorems}
        if manifest.game is not None:
            links[GameTheorem.name] = _linked_game(manifest, manifest.game, problem)
    except QsageError as error:
        return dict.fromkeys(names, _Linked(Link.UNKNOWN, str(error)))
    return links


def _linked(manifest: Manifest, theorem: ManifestTheorem, again: Remade | None) -> _Linked:
    if again is None:
        return _Linked(Link.DIFFERENT, f"level {theorem.level.value} is not proved of them")
    digest = hashlib.sha256()
    for line in again.cnf.lines():
        digest.update(line.encode())
    same = digest.hexdigest() == manifest.files[theorem.cnf]
    if same and theorem.entry == again.entry:
        return _Linked(Link.SAME, "", again.statement, again.beside)
    return _different(manifest, "says something else of it" if same else "makes another one")


def _linked_game(manifest: Manifest, theorem: GameTheorem, problem: Problem) -> _Linked:
    try:
        found = game_certificate(problem, guess=theorem.guess)
    except NoGameProofError as error:
        return _Linked(Link.DIFFERENT, str(error))
    for name, content in game_contents(found).items():
        if hashlib.sha256(content).hexdigest() != manifest.files.get(name):
            return _different(manifest, f"makes another {name}")
    if theorem.entry != game_entry(found, guess=theorem.guess):
        return _different(manifest, "says something else of it")
    return _Linked(Link.SAME, "", found.statement)


def _different(manifest: Manifest, other: str) -> _Linked:
    by = quoted(one_line(manifest.made_by))
    reason = f"qsage-validate {__version__} {other} (the bundle says that it is by {by})"
    return _Linked(Link.DIFFERENT, reason)
