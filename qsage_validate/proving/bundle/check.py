"""Proof bundles checked again: files by their hashes, proofs by checkers, CNFs by the inputs.

Two questions, answered apart: is a CNF unsatisfiable (its proof, by each checker), and is it the
CNF of the theorem (made again from the inputs and compared)?  Neither follows from the other.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from qsage_validate import __version__
from qsage_validate.errors import Exit, InputError, QsageError, one_line
from qsage_validate.formats.source import quoted
from qsage_validate.problems.provenance import file_fact
from qsage_validate.problems.validated import load_to_validate
from qsage_validate.proving.bundle.bundle import (
    MANIFEST,
    Manifest,
    ManifestTheorem,
    Remade,
    made_again,
)
from qsage_validate.proving.bundle.checkers import COQ, CheckerAnswer, CheckerOutcome, run_checker
from qsage_validate.proving.levels import Level
from qsage_validate.proving.verified.theorems import VerifiedTheorem, verified_theorems
from qsage_validate.system.limits import Deadline
from qsage_validate.system.progress import Progress, Tell, nobody


class Link(Enum):
    """The relation of a CNF to that of the inputs; the values are those of ``--json``."""

    SAME = "same"
    DIFFERENT = "different"
    NOT_ASKED = "not asked"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TheoremCheck:
    """The result of checking one theorem; ``reason`` explains a link that is not the same.

    ``statement`` and ``beside``, its other hypotheses, are made from the inputs; there is none
    where the CNF is not theirs, or was not compared with them.
    """

    theorem: ManifestTheorem
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
            "level": self.theorem.level.value,
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

    ``verified`` are the theorems that the checker verified in Coq was asked for.
    """

    folder: str
    faults: tuple[str, ...]
    missing: tuple[str, ...]
    theorems: tuple[TheoremCheck, ...]
    verified: tuple[VerifiedTheorem, ...] = ()

    @property
    def exit_code(self) -> Exit:
        """Refuted comes before undecided, and undecided before fine."""
        outcomes = [x.answer for each in self.theorems for x in each.outcomes]
        links = [each.link for each in self.theorems]
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
        levels = ", ".join(each.theorem.level.value for each in self.theorems)
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
    links: dict[Level, _Linked] = {}
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
    checks = []
    for theorem in manifest.theorems:
        cnf, proof = (os.path.join(folder, name) for name in (theorem.cnf, theorem.proof))
        outcomes = []
        for name in checkers:
            tell(Progress(theorem.level.value, name))
            outcomes.append(run_checker(name, cnf, proof, deadline=Deadline.after(timeout)))
        link, reason, again = links.get(theorem.level, _Linked(Link.NOT_ASKED))
        said = (None, ()) if again is None else (again.statement, again.beside)
        checks.append(TheoremCheck(theorem, tuple(outcomes), link, reason, *said))
    verified: tuple[VerifiedTheorem, ...] = ()
    if COQ in checkers and inputs and not missing and not faults:
        tell(Progress("theorems", COQ))
        verified = verified_theorems(manifest, deadline=Deadline.after(timeout))
    return BundleVerification(folder, faults, missing, tuple(checks), verified)


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


class _Linked(NamedTuple):
    """A CNF and that of the inputs: why they differ, else the theorem of both."""

    link: Link
    reason: str = ""
    again: Remade | None = None


def _links(
    manifest: Manifest, missing: Sequence[str], faults: Sequence[str]
) -> dict[Level, _Linked]:
    """For each theorem whether its CNF is the one of the inputs, and why not."""
    levels = [theorem.level for theorem in manifest.theorems]
    if missing or faults:
        reason = "; ".join([*missing, *faults])
        return dict.fromkeys(levels, _Linked(Link.UNKNOWN, reason))
    try:
        problem = load_to_validate(manifest.play)
        again = made_again(problem, levels, minimal=manifest.minimal)
    except QsageError as error:
        return dict.fromkeys(levels, _Linked(Link.UNKNOWN, str(error)))
    return {
        each.level: _linked(manifest, each, again.get(each.level)) for each in manifest.theorems
    }


def _linked(manifest: Manifest, theorem: ManifestTheorem, again: Remade | None) -> _Linked:
    if again is None:
        return _Linked(Link.DIFFERENT, f"level {theorem.level.value} is not proved of them")
    digest = hashlib.sha256()
    for line in again.cnf.lines():
        digest.update(line.encode())
    same = digest.hexdigest() == manifest.files[theorem.cnf]
    if same and theorem.entry == again.entry:
        return _Linked(Link.SAME, again=again)
    other = "says something else of it" if same else "makes another one"
    by = quoted(one_line(manifest.made_by))
    reason = f"qsage-validate {__version__} {other} (the bundle says that it is by {by})"
    return _Linked(Link.DIFFERENT, reason)
