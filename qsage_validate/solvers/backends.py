"""The registries of QBF solvers and preprocessors, further ones from a config file, an inventory.

An INI file, because every Python can read it; one section for each solver::

    [caqe-4.1]
    kind = caqe
    program = /opt/caqe/bin/caqe
    arguments = --miniscoping=0

``kind`` says how the program is called and read (a name of the registry, or ``generic``: the
file's name alone, exit code 10 or 20 and a printed verdict); ``formats`` (``qdimacs``,
``qcir`` or both) is needed for a generic one and narrows or widens what another kind reads.
A program's path is relative to the file.  A section named like a solver of the registry takes
its place.  The file is the one that ``QSAGE_SOLVERS``
names, else ``qsage/solvers.ini`` in ``XDG_CONFIG_HOME`` (``~/.config``), if there is one.

Wimmer, Scholl and Becker, *The (D)QBF preprocessor HQSpre* (JSAT 2019); Lonsing and Egly,
*QRATPre+* (SAT 2019).  Both print the formula that they leave, and what is left decides: no clause
is true, an empty clause false.  An exit code of 10 or 20 must agree with it.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from qsage_validate.errors import InputError, UsageError, did_you_mean
from qsage_validate.formats.qdimacs import ClausalForm, qdimacs_text
from qsage_validate.formats.source import Source, quoted
from qsage_validate.registry import declared
from qsage_validate.solvers import bloqqer
from qsage_validate.solvers.backend import (
    EXIT_CODES,
    Backend,
    Missing,
    SolverDialect,
    SolverFormat,
    SolverMissingError,
    SolverProgram,
    SolverStatus,
    TraceKind,
    at,
    cube_line,
    failure,
    on_path,
    pyqbf_program,
    qubi_verdicts,
    qute_verdicts,
    said,
    shortened,
    value_lines,
)
from qsage_validate.solvers.bloqqer import Preprocessed, decided_already, parse_rest, rest_status
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.programs import Ended, Finished, run_program

# Further solvers, from a config file


GENERIC: Final = "generic"
_MOST_BYTES: Final = 1 << 20
_KEYS: Final = ("kind", "program", "arguments", "formats")
_FORMAT_NAMES: Final = frozenset({"qdimacs", "qcir"})
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Configured:
    """One section of the file."""

    name: str
    kind: str
    program: Path
    arguments: tuple[str, ...]
    formats: frozenset[str]


def config_path() -> Path | None:
    """The config file, ``None`` where none is named and none is in its usual place."""
    named = os.environ.get("QSAGE_SOLVERS")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CONFIG_HOME")
    try:
        folder = Path(base) if base else Path.home() / ".config"
    except RuntimeError:
        return None  # an account without a home
    usual = folder / "qsage" / "solvers.ini"
    return usual if usual.is_file() else None


def configured(kinds: frozenset[str]) -> tuple[Configured, ...]:
    """The solvers of the config file; raises :class:`InputError`."""
    path = config_path()
    if path is None:
        return ()
    source = Source.plain(path, most=_MOST_BYTES)
    return parse_config(source.text, str(path), kinds)


def parse_config(text: str, path: str, kinds: frozenset[str]) -> tuple[Configured, ...]:
    """The solvers that ``text`` describes; raises :class:`InputError` with the line."""
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string(text, path)
    except configparser.MissingSectionHeaderError as error:
        raise InputError(
            path, error.lineno, 1, quoted(error.line.strip()), "a section [NAME]"
        ) from None
    except configparser.DuplicateSectionError as error:
        found = f"the section {quoted(error.section)} again"
        raise InputError(path, error.lineno, 1, found, "each solver once") from None
    except configparser.DuplicateOptionError as error:
        found = f"{quoted(error.option)} again"
        raise InputError(path, error.lineno, 1, found, "each key once") from None
    except configparser.ParsingError as error:
        line = error.errors[0][0]
        shown = text.splitlines()[line - 1].strip()
        raise InputError(path, line, 1, quoted(shown), "KEY = VALUE") from None
    places = _Places(text, path)
    return tuple(_solver(parser[name], places, kinds) for name in parser.sections())


class _Places:
    """The places of sections and keys in the file, for messages."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self._line: dict[tuple[str, str], int] = {}
        section = ""
        for number, line in enumerate(text.splitlines(), start=1):
            if header := re.match(r"\s*\[(.*)\]", line):
                section = header.group(1)
                self._line[section, ""] = number
            elif key := re.match(r"\s*([^#;=:\s][^=:]*?)\s*[=:]", line):
                self._line[section, key.group(1).lower()] = number

    def error(self, section: str, key: str, found: str, expected: str) -> InputError:
        line = self._line.get((section, key), self._line.get((section, "")))
        return InputError(self.path, line, 1, found, expected)


def _solver(
    section: configparser.SectionProxy, places: _Places, kinds: frozenset[str]
) -> Configured:
    name = section.name
    if not _NAME.fullmatch(name):
        raise places.error(name, "", quoted(name), "a name of letters, digits, '.', '_' and '-'")
    for key in section:
        if key not in _KEYS:
            raise places.error(name, key, f"the key {quoted(key)}", f"one of {', '.join(_KEYS)}")
    for key in ("kind", "program"):
        if not section.get(key, "").strip():
            raise places.error(name, "", f"the solver {quoted(name)} without {key}", f"{key} = ...")
    kind = section["kind"].strip().lower()
    if kind not in kinds:
        choices = ", ".join(sorted(kinds))
        raise places.error(name, "kind", f"the kind {quoted(kind)}", f"one of {choices}")
    formats = frozenset(section.get("formats", "").lower().replace(",", " ").split())
    if not formats <= _FORMAT_NAMES or (kind == GENERIC and not formats):
        found = quoted(section.get("formats", ""))
        raise places.error(name, "formats", f"the formats {found}", "qdimacs, qcir or both")
    try:
        arguments = tuple(shlex.split(section.get("arguments", "")))
    except ValueError as error:
        found = f"{quoted(section['arguments'])} ({error})"
        raise places.error(name, "arguments", found, "words") from None
    try:
        named = Path(section["program"].strip()).expanduser()
    except RuntimeError:
        found = f"{quoted(section['program'])}, the home of nobody"
        raise places.error(name, "program", found, "the path of a program") from None
    # Relative to the file that names it, not to wherever one happens to be.
    program = Path(places.path).absolute().parent / named
    return Configured(name.lower(), kind, program, arguments, formats)


# The registry of QBF solvers: those of PyQBF, those on the PATH, those of a config file


_CLAUSES: Final = frozenset({SolverFormat.QDIMACS})
_BOTH: Final = frozenset({SolverFormat.QDIMACS, SolverFormat.QCIR})
_CIRCUIT: Final = frozenset({SolverFormat.QCIR})

# The options that its traces need: whatever is not resolution and reduction is off.
_DEPQBF_TRACE: Final = (
    "--dep-man=simple",
    "--no-lazy-qpup",
    "--no-dynamic-nenofex",
    "--no-trivial-truth",
    "--no-trivial-falsity",
    "--no-qbce-dynamic",
)

DIALECTS: Final[Mapping[str, SolverDialect]] = {
    "depqbf": SolverDialect(
        outer=("--qdo", "--no-dynamic-nenofex"),
        trace=("--trace=qrp", *_DEPQBF_TRACE),
        binary_trace=("--trace=bqrp", *_DEPQBF_TRACE),
        literals=value_lines,
    ),
    "qute": SolverDialect(
        outer=("--partial-certificate",),
        trace=("--trace",),
        literals=cube_line,
        verdicts=qute_verdicts,
    ),
    "caqe": SolverDialect(outer=("--qdo",), version=("--version",), literals=value_lines),
    "rareqs": SolverDialect(outer=(), literals=value_lines),
    "qfun": SolverDialect(),
    "quabs": SolverDialect(outer=("--partial-assignment",), literals=value_lines),
    "cqesto": SolverDialect(),
    "qesto": SolverDialect(),
    "qubi": SolverDialect(plain=("-v=0",), verdicts=qubi_verdicts, codes={}),
    GENERIC: SolverDialect(),
}
"""The kinds of solvers that a config file can name as well."""


def _known(
    name: str, text: str, accepts: frozenset[SolverFormat], *traces: TraceKind, pyqbf: bool = True
) -> Backend:
    """A solver of the registry: PyQBF's program, if it has one, or else one on the PATH."""
    return Backend(
        name=name,
        accepts=accepts,
        traces=frozenset(traces),
        help=text,
        dialect=DIALECTS[name],
        find=lambda: _pyqbf_or_path(name) if pyqbf else on_path(name),
    )


def _pyqbf_or_path(name: str) -> SolverProgram | Missing:
    found = pyqbf_program(f"pyqbf_{name}")
    if isinstance(found, Missing):
        other = on_path(name)
        return found if isinstance(other, Missing) else other
    return found


_KNOWN: Final = (
    _known(
        "depqbf",
        "DepQBF: search with clause and cube learning",
        _CLAUSES,
        TraceKind.QRP,
        TraceKind.BINARY_QRP,
    ),
    _known("qute", "Qute: search that learns dependencies", _BOTH, TraceKind.QUTE),
    _known("caqe", "CAQE: clausal abstraction", _CLAUSES),
    _known("rareqs", "RAReQS: recursive abstraction refinement", _CLAUSES),
    _known("qfun", "QFun: strategies by machine learning", _CLAUSES),
    _known("quabs", "QuAbS: abstraction on circuits", _CIRCUIT, pyqbf=False),
    _known("cqesto", "CQESTO: abstraction refinement on circuits", _CIRCUIT, pyqbf=False),
    _known("qesto", "QESTO: clause selection", _CLAUSES, pyqbf=False),
    _known("qubi", "Qubi: binary decision diagrams of circuits", _CIRCUIT, pyqbf=False),
)
_FORMATS: Final = {"qdimacs": SolverFormat.QDIMACS, "qcir": SolverFormat.QCIR}


def backends() -> Mapping[str, Backend]:
    """All solvers by name, whether they are here or not.

    Those of extensions and of the config file come last; raises :class:`InputError` when that
    file is malformed.
    """
    known = {backend.name: backend for backend in _KNOWN}
    for other in declared("solvers", Backend):
        known.setdefault(other.name, other)
    for own in configured(frozenset(DIALECTS)):
        known[own.name] = _of_config(own, known.get(own.kind))
    return known


def _of_config(own: Configured, kind: Backend | None) -> Backend:
    accepts = frozenset(_FORMATS[name] for name in own.formats)
    return Backend(
        name=own.name,
        accepts=accepts or (frozenset() if kind is None else kind.accepts),
        traces=frozenset() if kind is None else kind.traces,
        help=f"from the config file: {own.kind}",
        dialect=DIALECTS[own.kind],
        find=lambda: at(own.program),
        arguments=own.arguments,
    )


def get_backend(name: str) -> Backend:
    """The solver of that name; raises ``UsageError`` with the names that there are."""
    known = backends()
    if name.lower() not in known:
        near = did_you_mean(name, known)
        raise UsageError(f"found the solver {name!r}{near}, expected one of {', '.join(known)}")
    return known[name.lower()]


# The registry of preprocessors: Bloqqer, and the programs HQSpre and QRATPre+ on the PATH


@dataclass(frozen=True)
class Preprocessor:
    """A preprocessor of clauses.

    ``run`` takes the clauses, the limits and a folder for its files; it raises
    ``SolverMissingError`` where the program is not here.
    """

    name: str
    title: str
    availability: Callable[[], SolverProgram | Missing]
    run: Callable[[ClausalForm, Limits, Path], Preprocessed]
    traces: bool = False


def _printing(name: str, program: str, word: str, title: str) -> Preprocessor:
    """A ``program`` on the PATH that prints what it leaves of the file behind ``word``."""
    find = partial(on_path, program)
    return Preprocessor(name, title, find, partial(_run_printing, name, find, word))


def _run_printing(
    name: str,
    find: Callable[[], SolverProgram | Missing],
    word: str,
    form: ClausalForm,
    limits: Limits,
    workdir: Path,
) -> Preprocessed:
    program = find()
    if isinstance(program, Missing):
        raise SolverMissingError(f"the preprocessor {name} is missing: {program.reason}")
    already = decided_already(form, program.version)
    if already is not None:
        return already
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=workdir))
    try:
        given = folder / "formula.qdimacs"
        given.write_text(qdimacs_text(form), encoding="ascii")
        finished = run_program(
            [program.path, word, str(given)],
            deadline=limits.deadline,
            memory_mb=limits.memory_mb,
            cwd=folder,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rest = parse_rest(finished.stdout.decode("ascii", "replace"), form.max_variable)
    status, why = _status(finished, rest)
    return Preprocessed(
        status=status,
        why=why,
        form=rest if status is SolverStatus.UNKNOWN else None,
        trace=None,
        seconds=finished.seconds,
        cpu_seconds=finished.cpu_seconds,
        peak_mb=finished.peak_mb,
        log=shortened(finished),
        version=program.version,
    )


def _status(finished: Finished, rest: ClausalForm | None) -> tuple[SolverStatus, str]:
    failed = failure(finished)
    if failed is not None:
        return failed
    code = finished.returncode
    if code != 0 and code not in EXIT_CODES:
        return SolverStatus.CRASHED, f"exit code {code}{said(finished)}"
    if rest is None:
        return SolverStatus.RUBBISH, f"exit code {code}, but what it printed is no formula"
    status, why = rest_status(rest)
    if code in EXIT_CODES and status.truth is not EXIT_CODES[code]:
        return SolverStatus.RUBBISH, f"exit code {code}, but what it left says otherwise"
    return status, why


def _bloqqer() -> SolverProgram | Missing:
    return bloqqer.availability()


NONE: Final = "none"
"""The word for no preprocessor."""

BLOQQER: Final = Preprocessor(
    "bloqqer",
    "Bloqqer",
    _bloqqer,
    lambda form, limits, workdir: bloqqer.preprocess(form, limits, workdir=workdir),
    traces=True,
)

PREPROCESSORS: Final[Mapping[str, Preprocessor]] = {
    one.name: one
    for one in (
        BLOQQER,
        _printing("hqspre", "hqspre", "--pipe", "HQSpre"),
        _printing("qratpre", "qratpre+", "--print-formula", "QRATPre+"),
    )
}


def preprocessor_named(name: str) -> Preprocessor | None:
    """The preprocessor of that name, ``None`` for ``none``; raises ``UsageError``."""
    names = [*PREPROCESSORS, NONE]
    if name not in names:
        near = did_you_mean(name, names)
        raise UsageError(
            f"found the preprocessor {name!r}{near}, expected one of {', '.join(names)}"
        )
    return PREPROCESSORS.get(name)


# The solvers and preprocessors on this machine


_VERSION_SECONDS: Final = 5.0
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)+\S*")


@dataclass(frozen=True)
class InventoryEntry:
    """One solver or preprocessor.

    ``missing`` is why it cannot be used and what would help, ``None`` when it can be;
    ``version`` is empty where nothing tells it.
    """

    name: str
    role: str
    help: str
    missing: str | None
    program: str | None
    version: str
    accepts: tuple[str, ...]
    produces: tuple[str, ...]


def inventory() -> tuple[InventoryEntry, ...]:
    """Everything that can decide or preprocess a formula, whether it is here or not."""
    gives = ("first moves", "certificate")
    help_ = "search on the rules of a game"
    search = InventoryEntry(
        "search", "solver", help_, None, None, "", (SolverFormat.MODEL.value,), gives
    )
    clauses = (SolverFormat.QDIMACS.value,)
    return (
        search,
        *map(_solver_here, backends().values()),
        *(
            _entry(
                one.name,
                "preprocessor",
                one.title,
                one.availability(),
                clauses,
                (*clauses, "QRAT") if one.traces else clauses,
            )
            for one in PREPROCESSORS.values()
        ),
    )


def _solver_here(backend: Backend) -> InventoryEntry:
    produces = ["first move"] if backend.gives_outer else []
    produces += [kind.value for kind in TraceKind if kind in backend.traces]
    found = backend.availability()
    if isinstance(found, SolverProgram) and backend.dialect.version is not None:
        found = SolverProgram(found.path, _version(found, backend.dialect.version))
    accepts = tuple(kind.value for kind in SolverFormat if kind in backend.accepts)
    return _entry(backend.name, "solver", backend.help, found, accepts, produces)


def _entry(
    name: str,
    role: str,
    text: str,
    found: SolverProgram | Missing,
    accepts: tuple[str, ...],
    produces: Sequence[str],
) -> InventoryEntry:
    if isinstance(found, Missing):
        return InventoryEntry(name, role, text, found.reason, None, "", accepts, tuple(produces))
    return InventoryEntry(
        name, role, text, None, found.path, found.version, accepts, tuple(produces)
    )


def _version(program: SolverProgram, arguments: tuple[str, ...]) -> str:
    """The version by the program, and the version of its package."""
    finished = run_program((program.path, *arguments), deadline=Deadline.after(_VERSION_SECONDS))
    text = (finished.stdout + finished.stderr).decode("utf-8", "replace")
    number = _NUMBER.search(text)
    if finished.ended is not Ended.EXITED or number is None:
        return program.version
    return f"{number.group()} {program.version}".strip()
