"""What the verified checker proves, and the program that it is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.rewriting import NestedQbf, prenex_uses
from qsage_validate.errors import QsageError, UsageError, one_line
from qsage_validate.formats.qcir import parse_nested
from qsage_validate.formats.writing import qcir_text, write_atomic
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.problems.load import Files, Problem
from qsage_validate.problems.validated import load_to_validate
from qsage_validate.proving.bundle import Manifest, read_manifest, write_bundle
from qsage_validate.proving.formula_cnf import formula_proof
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import ValidationReport
from qsage_validate.proving.verified_games import (
    CERTIFICATE,
    CNF,
    PROOF,
    NoGameProofError,
    circuit_of,
    game_certificate,
)
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell
from qsage_validate.system.programs import Ended, marked_folder, run_program

# The program ``qsage-verified``: where it is, and one run of it


NAME: Final = "qsage-verified"
VERSION: Final = "2"
HOW_TO_GET: Final = (
    f"{NAME} is neither on the PATH nor in verified/bin: 'python3 dev.py verified' in a checkout "
    "builds it (with ocamlfind; 'qsage help verified')"
)
_CHECKOUT: Final = Path(__file__).resolve().parents[3] / "verified" / "bin" / NAME


@dataclass(frozen=True, slots=True)
class VerifiedAnswer:
    """The program's answer: ``proved`` is ``None`` where it gave none, and ``text`` says why."""

    proved: bool | None
    text: str
    seconds: float
    cpu_seconds: float
    peak_mb: float


def find_program() -> str | None:
    """The program on the PATH, else that of the checkout, else ``None``."""
    found = shutil.which(NAME)
    if found is not None:
        return found
    return str(_CHECKOUT) if os.access(_CHECKOUT, os.X_OK) else None


def require_program() -> str:
    """The program; raises ``UsageError`` where there is none, or one of another version."""
    program = find_program()
    if program is None:
        raise UsageError(HOW_TO_GET)
    said = _version(program)
    if said != f"{NAME} {VERSION}":
        raise UsageError(f"found {program} that says {said!r}, expected {NAME} {VERSION}")
    return program


@cache
def _version(program: str) -> str:
    done = run_program([program, "--version"], deadline=Deadline.after(10))
    return done.stdout.decode(errors="replace").strip()


def ask(arguments: Sequence[str], *, deadline: Deadline = NEVER) -> VerifiedAnswer:
    """Run the program; an answer counts only where exit code and words agree.

    Raises ``UsageError`` as :func:`require_program` does.
    """
    done = run_program([require_program(), *arguments], deadline=deadline)
    lines = done.stdout.decode(errors="replace").splitlines()
    errors = done.stderr.decode(errors="replace").splitlines()
    last = lines[-1] if lines else ""
    proved: bool | None = None
    text = last
    if done.ended is Ended.EXITED and done.returncode == 0:
        proved = True
    elif done.ended is Ended.EXITED and done.returncode == 1 and last == "NOT PROVED":
        proved, text = False, "the proof is none of these clauses, or the functions read too much"
    elif done.ended is not Ended.EXITED:
        text = f"{NAME} {done.ended.value}"
    else:
        text = errors[-1] if errors else f"{NAME} exited with {done.returncode} and said nothing"
    return VerifiedAnswer(proved, text, done.seconds, done.cpu_seconds, done.peak_mb)


# What the verified checker says of a bundle: theorems about its formula and about its game


CHECKER: Final = "coq"
"""The name of the verified checker among the checkers of proofs."""

FORMULA: Final = "formula"
GAME: Final = "game"


@dataclass(frozen=True, slots=True)
class VerifiedTheorem:
    """A theorem that the verified checker was asked for, and its answer.

    ``proved`` is ``None`` where there is no answer; ``reason`` says why it is not true.
    """

    about: str
    sentence: str
    proved: bool | None
    seconds: float
    reason: str = ""

    @property
    def word(self) -> str:
        return {True: "verified", False: "refuted", None: "gave up"}[self.proved]

    def to_dict(self) -> dict[str, object]:
        """The fields, for ``--json``."""
        return {
            "about": self.about,
            "sentence": self.sentence,
            "answer": self.word,
            "seconds": round(self.seconds, 3),
            "reason": self.reason,
        }


def verified_theorems(
    manifest: Manifest, *, deadline: Deadline = NEVER
) -> tuple[VerifiedTheorem, ...]:
    """Ask for the theorem about the formula, and for that about the game, where a bundle has such.

    The inputs have to be there.  Raises ``UsageError`` without the program.
    """
    found = []
    with marked_folder() as folder:
        for about, prepare in _questions(manifest):
            found.append(_answered(about, prepare, folder, deadline))
    return tuple(found)


def theorems_of_validation(
    files: Files,
    problem: Problem,
    result: ValidationReport,
    written: str | None,
    deadline: Deadline,
    tell: Tell,
) -> tuple[VerifiedTheorem, ...]:
    """The theorems that the verified checker proves of the bundle ``written``, or of a new one."""
    with marked_folder() as folder:
        if written is None:
            written = os.path.join(folder, "bundle")
            if write_bundle(written, files, problem, result, tell=tell) is None:
                return ()
        tell(Progress("theorems", "coq"))
        return verified_theorems(read_manifest(written), deadline=deadline)


def write_theorem(manifest: Manifest, target: str, *, deadline: Deadline = NEVER) -> str:
    """Write a theorem for Coq: about the game where the bundle has a proof of it, else the formula.

    Returns the program's words.  Raises ``UsageError`` where there is no such theorem.
    """
    with marked_folder() as folder:
        reasons = []
        for about, prepare in reversed(list(_questions(manifest))):
            try:
                question = prepare(folder)
            except (NoGameProofError, QsageError) as error:
                reasons.append(f"{about}: {error}")
                continue
            made = os.path.join(folder, "theorem.v")
            arguments = [*question.arguments("--theorem", made), "--name", question.name]
            answer = ask(arguments, deadline=deadline)
            if answer.proved:
                with open(made, "rb") as file:
                    write_atomic(target, file.read())
                return answer.text.replace(made, target)
            reasons.append(f"{about}: {answer.text}")
    raise UsageError(f"no theorem is written: {'; '.join(reasons) or 'nothing here has one'}")


@dataclass(frozen=True, slots=True)
class _Question:
    """A run of the program: the files of formula or game, certificate and proof.

    ``name`` is the theorem's.
    """

    sentence: str
    name: str
    subject: tuple[str, ...]
    certificate: str
    proof: str
    kind: CertificateKind

    def arguments(self, *before_proof: str) -> list[str]:
        flags = [] if self.kind is CertificateKind.SKOLEM else ["--herbrand"]
        return [*self.subject, self.certificate, *before_proof, self.proof, *flags]


_Prepare = Callable[[str], _Question]


def _questions(manifest: Manifest) -> Iterator[tuple[str, _Prepare]]:
    if any(theorem.level is Level.FORMULA for theorem in manifest.theorems):
        yield FORMULA, lambda folder: _formula(manifest, folder)
    if manifest.game is not None or manifest.no_game is not None:
        yield GAME, lambda folder: _game(manifest, folder)


def _answered(about: str, prepare: _Prepare, folder: str, deadline: Deadline) -> VerifiedTheorem:
    try:
        question = prepare(folder)
    except (NoGameProofError, QsageError) as error:
        return VerifiedTheorem(about, "", None, 0.0, one_line(str(error)))
    answer: VerifiedAnswer = ask(question.arguments(), deadline=deadline)
    reason = "" if answer.proved else answer.text
    return VerifiedTheorem(
        about, question.sentence, answer.proved, answer.seconds, one_line(reason)
    )


# -- The formula -----------------------------------------------------------------------------


def _formula(manifest: Manifest, folder: str) -> _Question:
    problem = load_to_validate(manifest.play)
    formula, path = problem.formula, manifest.play.formula
    if formula is None or path is None:
        raise NoGameProofError("the bundle has no formula")
    circuit = circuit_of(problem)
    shown = os.path.basename(path)
    subject: tuple[str, ...] = (path,)
    if formula.prenexed is not None:
        form, uses = os.path.join(folder, "prenex.qcir"), os.path.join(folder, "prenex.uses")
        _write(form, qcir_text(formula))
        with open(path, "rb") as file:
            nested = parse_nested(file.read(), path)
        assert nested is not None, "the formula has been read with quantifier gates"
        _write(uses, uses_text(nested, formula))
        subject = (path, "--prenex", form, uses)
    certificate = os.path.join(folder, "certificate.aag")
    _write(certificate, ascii_aiger(circuit, formula))
    if circuit is problem.certificate:
        (theorem,) = (x for x in manifest.theorems if x.level is Level.FORMULA)
        proof = os.path.join(manifest.folder, theorem.proof)
    else:
        # The bundle's proof is of the certificate's clauses; this one is of their functions.
        proof = os.path.join(folder, "formula.lrat")
        _, derivation = formula_proof(formula, circuit)
        _write(proof, "".join(derivation.lines()))
    value = "true" if circuit.kind is CertificateKind.SKOLEM else "false"
    name = f"{value} {os.path.splitext(os.path.basename(path))[0]}"
    return _Question(f"{shown} is {value}", name, subject, certificate, proof, circuit.kind)


def uses_text(nested: NestedQbf, prenexed: Qbf) -> str:
    """What the literals of a prenex form of ``nested`` stand for, as the verified checker reads it.

    A line for each use, inner ones first: gate, polarity, literal; uses of its inputs; names that
    bound variables have in it; names of the variables that it binds.
    """
    found = prenex_uses(nested)

    def old(variable: int) -> str:
        return nested.names.get(variable, str(variable))

    def words(variables: Iterable[int], name: Callable[[int], str]) -> str:
        return " ".join(map(name, sorted(variables)))

    outer = {v for scope in nested.scopes for v in scope.variables} - found.local
    lines = [f"fixed {words(outer, old)}", f"local {words(found.local, old)}"]
    lines += [f"free {old(g)} {words(free, old)}" for g, free in found.free.items() if free]
    for use in found.uses:
        literal = ("-" if use.literal < 0 else "") + prenexed.name(abs(use.literal))
        parts = [
            f"use {old(use.gate)} {'-0+'[use.polarity + 1]} {literal}",
            " ".join(map(str, use.inputs)),
            " ".join(f"{old(v)} {prenexed.name(w)}" for v, w in use.names),
            " ".join(map(prenexed.name, use.bound)),
        ]
        lines.append(" ; ".join(parts))
    lines.append(f"root {found.root}")
    return "\n".join(lines) + "\n"


def ascii_aiger(certificate: CircuitCertificate, formula: Qbf) -> str:
    """The functions as ASCII AIGER, gates and their inputs in the order of the graph.

    The verified checker numbers gates in this order, and so do the clauses of ``formula.cnf``.
    """
    aig = certificate.aig
    quantified = formula.quantifiers()
    functions = {v: f for v, f in certificate.functions.items() if v in quantified}
    first = aig.num_inputs + 1
    lines = [f"aag {aig.num_variables} {aig.num_inputs} 0 {len(functions)} {aig.num_gates}"]
    lines += [str(2 * k) for k in range(1, first)]
    lines += map(str, functions.values())
    pairs = zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True)
    lines += [f"{2 * (first + k)} {a} {b}" for k, (a, b) in enumerate(pairs)]
    lines += [f"i{k} {formula.name(v)}" for k, v in enumerate(certificate.inputs)]
    lines += [f"o{k} {formula.name(v)}" for k, v in enumerate(functions)]
    return "\n".join(lines) + "\n"


# -- The game --------------------------------------------------------------------------------


def _game(manifest: Manifest, folder: str) -> _Question:
    if manifest.game is None:
        raise NoGameProofError(manifest.no_game or "")
    problem: Problem = load_to_validate(manifest.play)
    if problem.game is None:
        raise NoGameProofError("there are no rules")
    found = game_certificate(problem, guess=manifest.game.guess)
    for name, text in found.files.items():
        with open(os.path.join(manifest.folder, name), "rb") as file:
            if file.read() != text.encode():
                raise NoGameProofError(f"{name} is not the text of the inputs' game")
    paths: Sequence[str] = [os.path.join(manifest.folder, name) for name in found.files]
    certificate = os.path.join(manifest.folder, CERTIFICATE)
    does = "black wins" if found.functions.kind is CertificateKind.SKOLEM else "black does not win"
    question = _Question(
        found.statement,
        f"{does} {problem.game.name}",
        tuple(paths),
        certificate,
        os.path.join(manifest.folder, PROOF),
        found.functions.kind,
    )
    _compare(manifest, question, folder)
    return question


def _compare(manifest: Manifest, question: _Question, folder: str) -> None:
    """See that the verified unrolling has the clauses that the proof was written for."""
    target = os.path.join(folder, CNF)
    flags = question.arguments()[len(question.subject) + 2 :]
    answer = ask([*question.subject, question.certificate, "--cnf", target, *flags])
    if not answer.proved:
        raise NoGameProofError(answer.text)
    with open(target, "rb") as theirs, open(os.path.join(manifest.folder, CNF), "rb") as ours:
        for number, (a, b) in enumerate(zip(theirs, ours, strict=False), start=1):
            if a != b:
                raise NoGameProofError(
                    f"{CNF}:{number}: the clauses of the verified unrolling are others: "
                    f"{a.decode().strip()}, not {b.decode(errors='replace').strip()}"
                )
        if theirs.read(1) or ours.read(1):
            raise NoGameProofError(f"{CNF} has not as many clauses as the verified unrolling")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
