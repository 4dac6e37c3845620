"""A folder of proofs that others check: CNFs, LRAT proofs, and a manifest that connects them.

For each proved level whose proof is a question to a SAT solver there are ``LEVEL.cnf`` and
``LEVEL.lrat``.  ``manifest.json`` (``"schema": 1``) has the SHA-256 of every other file of the
folder and of every input, and for each CNF the theorem that it belongs to, what its variables and
clauses are, and what else the theorem rests on: a CNF is never the whole of it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from qsage_validate import __version__
from qsage_validate.certificates.reader import read_certificate
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.encodings.foreign import find_meta
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.json_text import Json, parse_json
from qsage_validate.formats.source import Source, quoted
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    ClauseCertificate,
    Dialect,
)
from qsage_validate.kernel.lrat import check_lrat
from qsage_validate.kernel.obligation import Cnf, Obligation, Span
from qsage_validate.problems.load import Files, Problem
from qsage_validate.problems.validated import file_fact
from qsage_validate.proving.formula_cnf import Derivation, formula_cnf, formula_proof, refutation
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import ValidationReport, game_text, validate
from qsage_validate.proving.run import ValidationOptions
from qsage_validate.proving.verified_games import CERTIFICATE, CNF, GAME_FILES, PROOF, write_game
from qsage_validate.system.limits import Progress, Stopwatch, Tell, nobody
from qsage_validate.system.reading import reading
from qsage_validate.validation.finding import Proved

MANIFEST: Final = "manifest.json"
WHOLE: Final = "whole.aig"
"""The certificate of a bundle for a part of one: the part's functions and those of the rest."""
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
    if os.path.samefile(target, os.curdir):  # who works in it would be in a folder that is gone
        raise UsageError(f"found {folder} for --proof, the working folder, expected another one")
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
    report: ValidationReport,
    *,
    minimal: bool = False,
    tell: Tell = nobody,
) -> Bundle | None:
    """Write the proofs of the proved levels of ``report``; ``None`` when none has a SAT claim.

    The folder is replaced as a whole, when all proofs are there and the kernel's checker has
    accepted them.  Of a part of a certificate the proofs are about the whole, which is written with
    them; there are none where functions of the rest are not proved.  Raises as
    :func:`check_folder` does, and ``NotProvedError`` when a level was proved and its clauses can
    be satisfied (a bug of ours).
    """
    watch = Stopwatch()
    check_folder(folder, _paths(files))
    in_part = problem.solving is not None
    if in_part:
        result = report.result(Level.FORMULA)
        if result is None or result.completed is None:
            return None
        problem = replace(problem, certificate=result.completed, solving=None)
        files = replace(files, certificate=None, dialect=None)
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
        inputs = _inputs(files, problem, target)
        if in_part:
            whole = os.path.join(temporary, WHOLE)
            assert isinstance(problem.certificate, CircuitCertificate), "completed by functions"
            with open(whole, "wb") as binary:
                binary.write(certificate_bytes(problem.certificate, problem.formula))
            inputs["certificate"] = {"path": WHOLE, **file_fact(whole).to_dict()}
            # The proof is of the gates in the order of the file.
            problem = replace(problem, certificate=read_certificate(whole, problem.formula))
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
        verified = write_game(temporary, problem) if Level.RULES in obligations else None
        manifest = {
            "schema": SCHEMA,
            "made by": f"qsage-validate {__version__}",
            "note": _NOTE,
            "inputs": inputs,
            "trust": "minimal" if minimal else "all",
            "levels": {result.level.value: result.word for result in report.results},
            "theorems": theorems,
            **({} if verified is None else {"verified": verified}),
            "files": {
                name: file_fact(os.path.join(temporary, name)).to_dict()
                for name in sorted(os.listdir(temporary))
            },
        }
        # The name of a file may be no UTF-8: Python has halves of characters for its bytes.
        text = json.dumps(manifest, indent=2, ensure_ascii=False)
        text = _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
        with open(os.path.join(temporary, MANIFEST), "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
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


def _proves_formula(problem: Problem, report: ValidationReport) -> bool:
    result = report.result(Level.FORMULA)
    there = problem.formula is not None and problem.certificate is not None
    return there and result is not None and isinstance(result.verdict, Proved)


def _obligations(report: ValidationReport) -> dict[Level, Obligation]:
    return {
        result.level: result.obligation
        for result in report.results
        if result.obligation is not None and isinstance(result.verdict, Proved)
    }


def _formula_proof(problem: Problem) -> tuple[Cnf, Derivation]:
    return formula_proof(problem.qbf, problem.answering)


@dataclass(frozen=True, slots=True)
class Remade:
    """A CNF and its entry in the manifest, made from the inputs alone."""

    cnf: Cnf
    entry: Mapping[str, object]

    @property
    def statement(self) -> str:
        return str(self.entry["statement"])

    @property
    def beside(self) -> tuple[str, ...]:
        """The other hypotheses of the theorem."""
        found = self.entry["checked beside the proof"]
        assert isinstance(found, list), "a list of sentences"
        return tuple(found)


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
        options = ValidationOptions(levels=others, obligations=True, minimal=minimal)
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
    game = problem.game
    named = "the game" if game is None else game.name
    if level is Level.FORMULA:
        certificate = problem.answering
        value = "false" if certificate.kind is CertificateKind.SKOLEM else "true"
        free = "universal" if certificate.kind is CertificateKind.SKOLEM else "existential"
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
        wins = named if game is None else game_text(game, problem.answering.kind.player)
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
        return {"path": relative.replace(os.sep, "/"), **file_fact(path).to_dict()}

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


_HALF: Final = re.compile("[\ud800-\udfff]")

# -- Reading ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Input:
    """A file that a bundle was made from: its role, where it should be, its SHA-256."""

    role: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ManifestTheorem:
    """A theorem that a manifest claims.

    ``entry`` is all that the manifest says of it, but the number of steps: to be compared with
    what the inputs give, and never to be shown, for anyone can write it.
    """

    level: Level
    entry: Mapping[str, object] = field(repr=False)

    @property
    def name(self) -> str:
        return str(self.level.value)

    @property
    def cnf(self) -> str:
        """The name of the file with the clauses."""
        return f"{self.name}.cnf"

    @property
    def proof(self) -> str:
        """The name of the file with the proof."""
        return f"{self.name}.lrat"


@dataclass(frozen=True, slots=True)
class GameTheorem:
    """The theorem about the rules in Coq that a manifest claims; ``entry`` is all it says of it."""

    entry: Mapping[str, object] = field(repr=False)
    name: ClassVar[str] = "game"
    cnf: ClassVar[str] = CNF
    proof: ClassVar[str] = PROOF

    @property
    def guess(self) -> bool:
        """Whether moves that cannot be read off are guessed."""
        return self.entry.get("guess") is True


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest.  ``files`` has the SHA-256 of each file; ``inputs`` have paths as they are now.

    ``play`` are the inputs as ``qsage validate`` had them.  ``game`` is the theorem about the rules
    in Coq where there is one, and ``no_game`` says why there is none.
    """

    folder: str
    made_by: str
    minimal: bool
    files: Mapping[str, str]
    inputs: tuple[Input, ...]
    play: Files
    theorems: tuple[ManifestTheorem, ...]
    game: GameTheorem | None = None
    no_game: str | None = None

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


@reading()
def read_manifest(folder: str) -> Manifest:
    """Read a bundle's manifest; raises ``InputError``."""
    path = os.path.join(folder, MANIFEST)
    if os.path.isfile(folder):
        raise InputError(folder, None, None, "a file", f"a folder with {MANIFEST}")
    return _manifest(folder, parse_json(Source.plain(path), "a bundle's manifest"))


def _manifest(folder: str, top: Json) -> Manifest:
    """The fields of a manifest, each of the type that it has to be."""
    top["schema"].integer(SCHEMA, SCHEMA)
    fields = ("schema", "made by", "note", "inputs", "trust", "levels", "theorems")
    _known(top, *fields, "verified", "files")
    _known(top["levels"], *(level.value for level in Level))
    theorems = tuple(map(_read_theorem, top["theorems"].items()))
    if not theorems:
        raise top["theorems"].error("no theorem", "a theorem")
    for number, each in enumerate(top["theorems"].items()):
        if theorems[number].level in [other.level for other in theorems[:number]]:
            found = f"a second theorem of level {theorems[number].level.value}"
            raise each["level"].error(found, "one theorem a level")
    names = [name for theorem in theorems for name in (theorem.cnf, theorem.proof)]
    game, no_game = None, None
    if "verified" in top.fields() and "none" in top["verified"].fields():
        _known(top["verified"], "none")
        no_game = top["verified"]["none"].text()
    elif "verified" in top.fields():
        names += _game_files(top["verified"])
        game = GameTheorem(top["verified"].mapping())
    inputs, play = _read_inputs(folder, top["inputs"])
    if WHOLE in top["files"].fields():
        place = os.path.join(os.path.realpath(folder), WHOLE)
        if play.certificate != place:
            found = f"the file {WHOLE}"
            raise top["files"][WHOLE].error(found, "it as the certificate of the inputs")
        names.append(WHOLE)
    _known(top["files"], *names)
    return Manifest(
        folder,
        top["made by"].text(),
        top["trust"].one_of("minimal", "all") == "minimal",
        {name: _hash(top["files"][name]) for name in names},
        inputs,
        play,
        theorems,
        game,
        no_game,
    )


def _known(place: Json, *names: str) -> None:
    """Raise ``InputError`` at a field of an object that has none of these names."""
    for name, each in place.fields().items():
        if name not in names:
            raise each.error(f"the name {quoted(name)}", f"one of {', '.join(names)}")


def _game_files(entry: Json) -> list[str]:
    """The files of the proof for the rules in Coq."""
    _known(entry, "statement", "game", "certificate", "cnf", "proof", "player", "guess")
    names = [each.one_of(*GAME_FILES) for each in entry["game"].items()]
    if len({*names}) < len(names):
        raise entry["game"].error("a file twice", "each file once")
    wanted = {"certificate": CERTIFICATE, "cnf": CNF, "proof": PROOF}
    return [*names, *(entry[field].one_of(name) for field, name in wanted.items())]


def _read_theorem(each: Json) -> ManifestTheorem:
    levels = {level.value: level for level in SAT_LEVELS}
    level = levels[each["level"].one_of(*levels)]
    entry = {key: value for key, value in each.mapping().items() if key != "steps"}
    theorem = ManifestTheorem(level, entry)
    each["cnf"].one_of(theorem.cnf)
    each["proof"].one_of(theorem.proof)
    each["statement"].text()
    return theorem


def _read_inputs(folder: str, data: Json) -> tuple[tuple[Input, ...], Files]:
    inputs: list[Input] = []

    def file(role: str, each: Json) -> str:
        relative = each["path"].path()
        place = os.path.normpath(os.path.join(os.path.realpath(folder), relative))
        inputs.append(Input(role, place, _hash(each)))
        return place

    _known(data, "formula", "certificate", "meta", "game", "assertions", "dialect")

    def listed(key: str) -> list[Json]:
        values = data.get(key)
        return [] if values is None else values.items()

    named = {role: data.get(role) for role in ("formula", "certificate", "meta")}
    places = {role: file(role, each) for role, each in named.items() if each is not None}
    words: list[str] = []
    for number, each in enumerate(listed("game"), start=1):
        word = each.get("word")
        words.append(file(f"game {number}", each) if word is None else word.text())
    assertions = [
        file(f"assertions {number}", each)
        for number, each in enumerate(listed("assertions"), start=1)
    ]
    dialect = data.given("dialect")
    known = [each.value for each in Dialect]
    play = Files(
        places.get("formula"),
        places.get("certificate"),
        places.get("meta"),
        tuple(words),
        None if dialect is None else Dialect(dialect.one_of(*known)),
        assertions=tuple(assertions),
    )
    return tuple(inputs), play


def _hash(data: Json) -> str:
    _known(data, "path", "bytes", "sha256")
    text = data["sha256"].text()
    if len(text) != 64 or not set(text) <= set("0123456789abcdef"):
        raise data["sha256"].error(quoted(text), "64 hexadecimal digits")
    return text
