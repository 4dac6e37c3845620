"""A folder of proofs that others check: CNFs, LRAT proofs, and a manifest that connects them.

For each proved level whose proof is a question to a SAT solver there are ``LEVEL.cnf`` and
``LEVEL.lrat``.  ``manifest.json`` (``"schema": 1``) has the SHA-256 of every other file of the
folder and of every input, and for each CNF the theorem that it belongs to, what its variables and
clauses are, and what else the theorem rests on: a CNF is never the whole of it.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from qsage_validate import __version__
from qsage_validate.encodings.layout.comments import layout_from_comments
from qsage_validate.encodings.layout.foreign import find_meta
from qsage_validate.errors import InputError, UsageError
from qsage_validate.kernel.certificate import ClauseCertificate, Dialect, Kind
from qsage_validate.kernel.lrat import check_lrat
from qsage_validate.kernel.obligation import Cnf, Obligation, Span
from qsage_validate.problems.files import Files
from qsage_validate.problems.load import Problem
from qsage_validate.problems.provenance import file_fact
from qsage_validate.proving.bundle.formula_cnf import formula_cnf, formula_proof
from qsage_validate.proving.bundle.lrat_proof import Derivation, refutation
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import Report
from qsage_validate.proving.runner import Options, validate
from qsage_validate.proving.statements import game_text
from qsage_validate.system.clock import Stopwatch
from qsage_validate.system.progress import Progress, Tell, nobody
from qsage_validate.validation.verdict import Proved

MANIFEST: Final = "manifest.json"
SCHEMA: Final = 1
SAT_LEVELS: Final = (
    Level.FORMULA,
    Level.RULES,
    Level.BOARDS,
    Level.ENCODING,
    Level.ASSERTIONS,
)
"""The levels whose proofs are questions to a SAT solver."""


@dataclass(frozen=True, slots=True)
class WrittenProof:
    """One CNF with its proof: clauses, and steps without deletions."""

    level: str
    clauses: int
    steps: int


@dataclass(frozen=True, slots=True)
class Bundle:
    """A folder that was written, and the seconds that it took."""

    folder: str
    proofs: tuple[WrittenProof, ...]
    seconds: float


# -- Writing ---------------------------------------------------------------------------------


def check_folder(folder: str, inputs: Iterable[str | None]) -> None:
    """See whether a bundle can be written to ``folder``: to be called before long work.

    Raises ``UsageError`` when it has files that no former bundle has put there, or an input is
    in it, and ``InputError`` when it cannot be written.
    """
    target = os.path.realpath(folder)
    for path in inputs:
        if path is not None and os.path.dirname(os.path.realpath(path)) == target:
            raise UsageError(f"found {folder} for --proof, in which the input {path} is")
    try:
        if os.path.isdir(target):
            _check_former(folder, target)
        elif os.path.lexists(target):
            raise UsageError(f"found {folder} for --proof, a file, expected a folder")
        with tempfile.TemporaryDirectory(dir=os.path.dirname(target)):
            pass
    except (OSError, ValueError) as error:
        raise _unwritable(folder, error) from None


def _unwritable(folder: str, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(folder, None, None, f"an error: {reason}", "a folder that can be written")


def _check_former(folder: str, target: str) -> None:
    present = sorted(os.listdir(target))
    if not present:
        return
    if MANIFEST not in present:
        raise UsageError(f"found {folder} for --proof, which has files and no {MANIFEST}")
    try:
        known = {MANIFEST, *read_manifest(folder).files}
    except InputError as error:
        raise UsageError(f"found {folder} for --proof, which is no bundle: {error}") from None
    foreign = [name for name in present if name not in known]
    if foreign:
        raise UsageError(f"found {folder} for --proof, with {foreign[0]}, which is of no bundle")


def write_bundle(
    folder: str,
    files: Files,
    problem: Problem,
    report: Report,
    *,
    minimal: bool = False,
    tell: Tell = nobody,
) -> Bundle | None:
    """Write the proofs of the proved levels of ``report``; ``None`` when none has a SAT claim.

    The folder is replaced as a whole, when all proofs are there and the kernel's checker has
    accepted them.  Raises as :func:`check_folder` does, and ``NotProvedError`` when a level was
    proved and its clauses can be satisfied (a bug of ours).
    """
    watch = Stopwatch()
    check_folder(folder, _paths(files))
    target = os.path.realpath(folder)
    obligations = _obligations(report)
    levels = [*([Level.FORMULA] if _proves_formula(problem, report) else []), *obligations]
    if not levels:
        return None
    temporary = tempfile.mkdtemp(
        dir=os.path.dirname(target), prefix=f".{os.path.basename(target)}."
    )
    try:
        theorems, proofs = [], []
        for level in levels:
            tell(Progress(f"proof of level {level.value}"))
            obligation = obligations.get(level)
            if obligation is None:
                cnf, derivation = _formula_proof(problem)
            else:
                cnf = obligation.cnf()
                derivation = refutation(cnf)
            proofs.append(_write_files(temporary, level, cnf, derivation))
            steps = {"steps": proofs[-1].steps}
            theorems.append(_theorem(level, problem, obligation, cnf) | steps)
        manifest = {
            "schema": SCHEMA,
            "made by": f"qsage-validate {__version__}",
            "note": _NOTE,
            "inputs": _inputs(files, problem, target),
            "trust": "minimal" if minimal else "all",
            "levels": {result.level.value: result.word for result in report.results},
            "theorems": theorems,
            "files": {
                name: file_fact(os.path.join(temporary, name)).as_json()
                for name in sorted(os.listdir(temporary))
            },
        }
        with open(os.path.join(temporary, MANIFEST), "w", encoding="utf-8") as file:
            json.dump(manifest, file, indent=2, ensure_ascii=False)
            file.write("\n")
        _put(temporary, target)
    except OSError as error:
        raise _unwritable(folder, error) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return Bundle(folder, tuple(proofs), watch.seconds)


def _put(temporary: str, target: str) -> None:
    """Rename the new folder to ``target``; a former one is there until then, or there again."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(temporary, 0o777 & ~mask)
    if not os.path.isdir(target):
        os.rename(temporary, target)
        return
    former = tempfile.mkdtemp(dir=os.path.dirname(target), prefix=f".{os.path.basename(target)}.")
    os.rename(target, former)
    try:
        os.rename(temporary, target)
    except BaseException:
        os.rename(former, target)
        raise
    shutil.rmtree(former)


def _write_files(folder: str, level: Level, cnf: Cnf, derivation: Derivation) -> WrittenProof:
    stem = os.path.join(folder, level.value)
    for suffix, lines in ((".cnf", cnf.lines()), (".lrat", derivation.lines())):
        with open(stem + suffix, "w", encoding="ascii", newline="\n") as file:
            file.writelines(lines)
    checked = check_lrat(f"{stem}.cnf", f"{stem}.lrat")
    return WrittenProof(level.value, checked.clauses, checked.steps)


# -- Theorems --------------------------------------------------------------------------------


def _proves_formula(problem: Problem, report: Report) -> bool:
    result = report.result(Level.FORMULA)
    there = problem.formula is not None and problem.certificate is not None
    return there and result is not None and isinstance(result.verdict, Proved)


def _obligations(report: Report) -> dict[Level, Obligation]:
    return {
        result.level: result.obligation
        for result in report.results
        if result.obligation is not None and isinstance(result.verdict, Proved)
    }


def _formula_proof(problem: Problem) -> tuple[Cnf, Derivation]:
    assert problem.formula is not None
    assert problem.certificate is not None
    return formula_proof(problem.formula, problem.certificate)


@dataclass(frozen=True, slots=True)
class Remade:
    """A CNF and its entry in the manifest, made from the inputs alone."""

    cnf: Cnf
    entry: Mapping[str, object]


def made_again(problem: Problem, levels: Sequence[Level], *, minimal: bool) -> dict[Level, Remade]:
    """The CNF and theorem of each of ``levels``, made anew from ``problem`` for a bundle.

    A level is missing that is not proved of these inputs.
    """
    found: dict[Level, Remade] = {}
    if Level.FORMULA in levels and problem.formula is not None and problem.certificate is not None:
        cnf = formula_cnf(problem.formula, problem.certificate)
        found[Level.FORMULA] = Remade(cnf, _theorem(Level.FORMULA, problem, None, cnf))
    others = tuple(level for level in SAT_LEVELS if level in levels and level is not Level.FORMULA)
    if others:
        options = Options(levels=others, obligations=True, minimal=minimal)
        report = validate(problem, options)
        if report.interrupted:
            raise KeyboardInterrupt
        for level, obligation in _obligations(report).items():
            cnf = obligation.cnf()
            found[level] = Remade(cnf, _theorem(level, problem, obligation, cnf))
    return found


def _theorem(
    level: Level, problem: Problem, obligation: Obligation | None, cnf: Cnf
) -> dict[str, object]:
    statement, beside = _sentences(level, problem)
    found: dict[str, object] = {
        "level": level.value,
        "statement": statement,
        "checked beside the proof": beside,
        "cnf": f"{level.value}.cnf",
        "proof": f"{level.value}.lrat",
        "variables": cnf.variables,
        "clauses": len(cnf.clauses),
        "variable ranges": _ranges(cnf.variable_spans),
        "clause ranges": _ranges(cnf.clause_spans),
    }
    if obligation is None and problem.formula is not None:
        names = problem.formula.names.items()
        found["names"] = {str(v): name for v, name in names if name != str(v)}
    elif obligation is not None:
        found["claims"] = [
            {"kind": claim.kind.value, "ply": claim.ply, "text": claim.text}
            for claim in obligation.in_order()
        ]
    return found


def _ranges(found: Iterable[Span]) -> list[dict[str, object]]:
    return [{"first": x.first, "last": x.last, "meaning": x.meaning} for x in found]


_NOTE: Final = (
    "A proof shows that its CNF is unsatisfiable. That the CNF is the one of formula, certificate "
    "and rules is another question: 'qsage verify' makes it again from them and compares. What a "
    "theorem rests on besides is checked by qsage-validate without a proof."
)
_CONSTANT: Final = (
    "claims that were constant when the graph was built: they are not among the CNF's claims"
)
_STRATEGY: Final = (
    "which variables a reply reads: only those that are chosen before it, by reachability in the "
    "graph",
    "that the opponent's variables of each ply are the opponent's by the prefix, and that no two "
    "plies share them",
    "that the game has as many plies as the theorem says, each with its mover",
)


def _sentences(level: Level, problem: Problem) -> tuple[str, list[str]]:
    """The theorem of an unsatisfiable CNF, and its other hypotheses."""
    certificate, game = problem.certificate, problem.game
    named = "the game" if game is None else game.name
    if level is Level.FORMULA:
        assert certificate is not None
        value = "false" if certificate.kind is Kind.SKOLEM else "true"
        free = "universal" if certificate.kind is Kind.SKOLEM else "existential"
        reads = (
            "which variables each function reads (level dependencies, by reachability in the "
            "certificate's graph): without that nothing follows about the formula's value"
        )
        if isinstance(certificate, ClauseCertificate):
            statement = (
                f"No solution of the certificate's clauses makes the formula's matrix {value}."
            )
            solvable = "that the clauses have a solution for all values of the other variables"
            return statement, [reads, solvable]
        statement = (
            f"No values of the {free} variables make the formula's matrix {value} when the other "
            "variables have the values of the certificate's functions."
        )
        return statement, [reads]
    if level is Level.RULES:
        assert certificate is not None
        wins = named if game is None else game_text(game, certificate.kind.player)
        statement = (
            f"{wins}: the strategy that the layout reads off the certificate wins every play by "
            "the rules."
        )
        return statement, [*_STRATEGY, _CONSTANT]
    if level is Level.ASSERTIONS:
        texts = "; ".join(repr(one.assertion.text) for one in problem.assertions)
        statement = f"In every play of the functions, each of these holds: {texts}."
        names = "what the names of the assertions mean in the formula and by the rules"
        return statement, [names, *_STRATEGY, _CONSTANT]
    if level is Level.BOARDS:
        statement = (
            f"In every play of {named} in which Black follows the certificate, what the layout "
            "names of positions and of legal moves in the formula is what the rules say; a board "
            "that it calls one-sided is no better for Black."
        )
        return statement, [_CONSTANT]
    statement = f"The formula says of every play of {named} what the rules say."
    prefix = "the order of the prefix: who chooses which variables, and what stands before them"
    return statement, [prefix, _CONSTANT]


# -- Inputs ----------------------------------------------------------------------------------


def _paths(files: Files) -> Iterator[str]:
    named = (files.formula, files.certificate, files.meta, *files.game, *files.assertions)
    yield from (path for path in named if path is not None and os.path.exists(path))


def _inputs(files: Files, problem: Problem, target: str) -> dict[str, object]:
    """The inputs with their hashes; paths are relative to the bundle."""

    def fact(path: str) -> dict[str, object]:
        relative = os.path.relpath(os.path.realpath(path), target)
        return {"path": relative.replace(os.sep, "/"), **file_fact(path).as_json()}

    found: dict[str, object] = {}
    meta = files.meta
    inside = problem.formula is not None and layout_from_comments(problem.formula) is not None
    if meta is None and problem.layout is not None and not inside:
        meta = find_meta(files.formula or files.certificate or "")
    named = {"formula": files.formula, "certificate": files.certificate, "meta": meta}
    for role, path in named.items():
        if path is not None:
            found[role] = fact(path)
    if files.game:
        found["game"] = [
            fact(word) if os.path.isfile(word) else {"word": word} for word in files.game
        ]
    if files.assertions:
        found["assertions"] = list(map(fact, files.assertions))
    if files.dialect is not None:
        found["dialect"] = files.dialect.value
    return found


# -- Reading ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Input:
    """A file that a bundle was made from: its role, where it should be, its SHA-256."""

    role: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ManifestTheorem:
    """A theorem of a manifest: the names of its CNF and its proof, and its sentences.

    ``entry`` is all that the manifest says of it, but the number of steps.
    """

    level: Level
    statement: str
    beside: tuple[str, ...]
    cnf: str
    proof: str
    entry: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest.  ``files`` has the SHA-256 of each file; ``inputs`` have paths as they are now.

    ``play`` are the inputs as ``qsage validate`` had them.
    """

    folder: str
    made_by: str
    minimal: bool
    files: Mapping[str, str]
    inputs: tuple[Input, ...]
    play: Files
    theorems: tuple[ManifestTheorem, ...]

    def moved(self, places: Mapping[str, str]) -> Manifest:
        """The same with other paths for some roles; raises ``UsageError`` for unknown ones."""
        roles = {each.role for each in self.inputs}
        for role in places:
            if role not in roles:
                raise UsageError(f"found --{role}, but the bundle was made without such a file")
        inputs = tuple(replace(x, path=places.get(x.role, x.path)) for x in self.inputs)
        play = replace(
            self.play,
            formula=places.get("formula", self.play.formula),
            certificate=places.get("certificate", self.play.certificate),
            meta=places.get("meta", self.play.meta),
        )
        return replace(self, inputs=inputs, play=play)


def read_manifest(folder: str) -> Manifest:
    """Read a bundle's manifest; raises ``InputError``."""
    path = os.path.join(folder, MANIFEST)
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except json.JSONDecodeError as error:
        raise InputError(path, error.lineno, error.colno, error.msg, "JSON") from None
    except UnicodeDecodeError:
        raise InputError(path, None, None, "bytes that are not UTF-8", "JSON") from None
    except RecursionError:
        raise InputError(path, None, None, "lists in lists", "the JSON of a bundle") from None
    except OSError as error:
        raise InputError(path, None, None, f"an error: {error.strerror}", "a bundle") from None
    return _Reader(folder, path).manifest(data)


class _Reader:
    """The fields of a manifest, each of the type that it has to be."""

    def __init__(self, folder: str, path: str) -> None:
        self.folder = folder
        self.path = path

    def manifest(self, data: object) -> Manifest:
        top = self._object(data, "the manifest")
        if top.get("schema") != SCHEMA:
            raise self._error(f"schema {top.get('schema')!r}", f"{SCHEMA}")
        inputs, play = self._inputs(self._object(top.get("inputs"), "inputs"))
        files = self._object(top.get("files"), "files")
        found = Manifest(
            self.folder,
            self._text(top, "made by"),
            self._one_of(self._text(top, "trust"), ("minimal", "all")) == "minimal",
            {self._name(n): self._hash(self._object(each, n)) for n, each in files.items()},
            inputs,
            play,
            tuple(self._theorem(each) for each in self._list(top.get("theorems"), "theorems")),
        )
        for theorem in found.theorems:
            for name in (theorem.cnf, theorem.proof):
                if name not in found.files:
                    raise self._error(f"{name} without a hash", "each file with its hash")
        if not found.theorems:
            raise self._error("no theorem", "a theorem")
        return found

    def _theorem(self, data: object) -> ManifestTheorem:
        each = self._object(data, "a theorem")
        level = self._one_of(self._text(each, "level"), [level.value for level in SAT_LEVELS])
        beside = self._list(each.get("checked beside the proof"), "checked beside the proof")
        if not all(isinstance(text, str) for text in beside):
            raise self._error("something else", "sentences")
        return ManifestTheorem(
            Level(level),
            self._text(each, "statement"),
            tuple(map(str, beside)),
            self._name(self._text(each, "cnf")),
            self._name(self._text(each, "proof")),
            {key: value for key, value in each.items() if key != "steps"},
        )

    def _inputs(self, data: Mapping[str, Any]) -> tuple[tuple[Input, ...], Files]:
        inputs: list[Input] = []

        def file(role: str, value: object) -> str:
            each = self._object(value, role)
            relative = self._text(each, "path")
            place = os.path.normpath(os.path.join(os.path.realpath(self.folder), relative))
            inputs.append(Input(role, place, self._hash(each)))
            return place

        known = [role for role in ("formula", "certificate", "meta") if role in data]
        places = {role: file(role, data[role]) for role in known}
        words: list[str] = []
        for number, value in enumerate(self._list(data.get("game", []), "game"), start=1):
            each = self._object(value, "a word of the game")
            words.append(
                self._text(each, "word") if "word" in each else file(f"game {number}", each)
            )
        assertions = [
            file(f"assertions {number}", value)
            for number, value in enumerate(
                self._list(data.get("assertions", []), "assertions"), start=1
            )
        ]
        dialect = data.get("dialect")
        if dialect is not None:
            self._one_of(str(dialect), [each.value for each in Dialect])
        play = Files(
            places.get("formula"),
            places.get("certificate"),
            places.get("meta"),
            tuple(words),
            None if dialect is None else Dialect(dialect),
            assertions=tuple(assertions),
        )
        return tuple(inputs), play

    def _name(self, name: str) -> str:
        """A name of a file in the folder itself."""
        if name in ("", ".", "..", MANIFEST) or any(c in name for c in "/\\\0"):
            raise self._error(f"the file name {name!r}", "a file of the folder")
        return name

    def _hash(self, data: Mapping[str, Any]) -> str:
        text = self._text(data, "sha256")
        if len(text) != 64 or not set(text) <= set("0123456789abcdef"):
            raise self._error(f"sha256 {text!r}", "64 hexadecimal digits")
        return text

    def _object(self, data: object, what: str) -> Mapping[str, Any]:
        if not isinstance(data, dict):
            raise self._error(f"{type(data).__name__} for {what}", "an object")
        return data

    def _list(self, data: object, what: str) -> Sequence[object]:
        if not isinstance(data, list):
            raise self._error(f"{type(data).__name__} for {what}", "a list")
        return data

    def _text(self, data: Mapping[str, Any], key: str) -> str:
        value = data.get(key)
        if not isinstance(value, str):
            raise self._error(f"{type(value).__name__} for {key!r}", "text")
        return value

    def _one_of(self, text: str, known: Sequence[str]) -> str:
        if text not in known:
            raise self._error(repr(text), f"one of {', '.join(known)}")
        return text

    def _error(self, found: str, expected: str) -> InputError:
        return InputError(self.path, None, None, found, expected)
