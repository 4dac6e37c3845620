"""Runs that solve, answers as cells of tables, and experiments on files of formulas.

A solver is ``search`` (search on the rules), a QBF solver of the registry, or ``certify:ROUTE`` or
``certify:ROUTE:SOLVER``: solving, extraction and the check together, as ``qsage certify`` does it
with ``--route`` and ``--solver``.

Files are told apart by their content, and a file that has changed is another instance: the sum
of what it holds belongs to its runs.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import InputError, UsageError, did_you_mean
from qsage_validate.extensions.bench.experiment import (
    NO_ENCODING,
    NO_PREPROCESSOR,
    Configuration,
    Experiment,
    Instance,
    ResultTable,
    Run,
    RunRecord,
    RunResult,
    Selection,
    Tabulate,
    no_note,
)
from qsage_validate.extensions.bench.plots import by_instance, default_tables, seconds_text
from qsage_validate.formats.source import Format, Source, open_input, read_bytes, sniff_bytes
from qsage_validate.system.limits import Deadline, Limits, Stopwatch, now

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.encodings.encoding import Encoding
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.games.protocol import TwoPlayerGame
    from qsage_validate.solvers.backend import SolverStatus
    from qsage_validate.system.limits import Progress


# Answers of a search on the rules and of QBF solvers, as results of runs


BLOQQER: Final = "bloqqer"


def check_solver(name: str) -> None:
    """Raise ``UsageError`` for a QBF solver that is not known or not here."""
    from qsage_validate.solvers.backend import Missing
    from qsage_validate.solvers.backends import get_backend

    availability = get_backend(name).availability()
    if isinstance(availability, Missing):
        raise UsageError(f"the solver {name!r} is not there: {availability.reason}")


def check_preprocessor(name: str) -> None:
    """Raise ``UsageError`` for a preprocessor that is not known or not here."""
    from qsage_validate.solvers.backend import Missing
    from qsage_validate.solvers.backends import preprocessor_named

    first = preprocessor_named(name)
    found = None if first is None else first.availability()
    if isinstance(found, Missing):
        raise UsageError(f"the preprocessor {name!r} is not there: {found.reason}")


def by_search(run: Run, game: TwoPlayerGame) -> RunResult:
    """The winner by the rules; the seconds include building the search."""
    from qsage_validate.games.protocol import Player
    from qsage_validate.solvers.search import search_for

    started, cpu, deepest = now(), time.process_time(), 0

    def listen(progress: Progress) -> None:
        nonlocal deepest
        deepest = max(deepest, progress.done or 0)

    found = search_for(game, limits=Limits(Deadline.after(run.seconds)), tell=listen).solve()
    seconds, cpu = now() - started, time.process_time() - cpu
    data: dict[str, Any] = {
        "reason": found.reason,
        "never": found.never,
        "plies": game.plies,
        "positions": found.positions,
        "nodes": found.nodes,
    }
    if found.winner is None:
        # The depth that was being searched is open, those before it are refuted.
        data["refuted_plies"] = max(deepest - 1, 0)
        return RunResult("timeout", False, seconds, found.reason, cpu, data=data)
    black = found.winner is Player.BLACK
    data["critical_plies"] = found.critical_plies
    data["refuted_plies"] = (found.critical_plies or 0) - 1 if black else game.plies
    data["first_move"] = str(found.first_moves[0]) if found.first_moves else None
    return RunResult("true" if black else "false", True, seconds, "", cpu, data=data)


def by_encoding(
    run: Run, model: GameModel, data: Mapping[str, Any], before: float = 0.0
) -> RunResult:
    """The answer of the run's solver about a game in the run's encoding, with the sizes of that.

    The seconds are those of preprocessing and solving together.  ``before`` are those that the
    game took; they count with the seconds of the encoding.
    """
    from qsage_validate.encodings.registry import encode
    from qsage_validate.formats.qdimacs import clausal_form

    watch = Stopwatch()
    encoding = encode(model, run.encoding)
    qbf = encoding.qbf
    encoded = before + watch.seconds
    form = clausal_form(qbf)
    sizes = {
        "encode_seconds": round(encoded, 4),
        **data,
        "scopes": len(qbf.merged_scopes()),
        "gates": len(qbf.gates),
        "variables": sum(len(scope.variables) for scope in form.scopes),
        "clauses": len(form.clauses),
    }
    return by_solver(run, qbf, encoding, sizes)


def by_solver(
    run: Run, formula: Qbf, encoding: Encoding | None, data: Mapping[str, Any]
) -> RunResult:
    """The answer of the run's solver; the seconds include preprocessing.

    ``encoding`` is what the formula was made by, where it is a game's: what a one-sided one says
    counts only as far as it tells something of the game.
    """
    from qsage_validate.solvers.backends import get_backend, preprocessor_named
    from qsage_validate.solvers.qbf_solving import conclusive, solve_formula

    limits = Limits(Deadline.after(run.seconds), run.memory_mb)
    first = preprocessor_named(run.preprocessor)
    solved = solve_formula(formula, [get_backend(run.solver)], limits, preprocessor=first)
    if encoding is not None:
        solved = conclusive(solved, encoding)
    known = {"by": solved.by, "preprocess_seconds": round(solved.preprocess_seconds, 4)}
    spent = (solved.seconds, solved.cpu_seconds, solved.peak_mb)
    return answered(solved.status, solved.why, spent, {**data, **known})


def answered(
    status: SolverStatus, why: str, spent: tuple[float, float, float], data: Mapping[str, Any]
) -> RunResult:
    """The result of a solver that ended so; ``spent``: seconds, those of processors, peak MiB."""
    name, decided = status.name.lower().replace("_", "-"), status.truth is not None
    seconds, cpu, peak = spent
    return RunResult(name, decided, seconds, "" if decided else why, cpu, peak, data)


# Runs that solve a formula: of a game by its model, or from a file


SEARCH: Final = "search"
CERTIFY: Final = "certify:"

FORMULA: Final = "formula"
"""The first word of a source that is a file with a formula; others are words of a model."""

LIFTED: Final = "lifted"


# --- Which configurations there are ---------------------------------------------------------


def configurations(selection: Selection, *, games: bool) -> list[Configuration]:
    """The configurations that are to solve; ``games`` says that the instances' rules are known.

    Raises ``UsageError`` for names that are not known and programs that are not there.
    """
    default = (SEARCH,) if games else ("depqbf",)
    solvers = selection.solvers if selection.solvers is not None else default
    preprocessors = selection.preprocessors or (NO_PREPROCESSOR,)
    for name in preprocessors:
        check_preprocessor(name)
    encodings = _encodings(selection) if games else [NO_ENCODING]
    found: list[Configuration] = []
    for solver in solvers:
        if solver == SEARCH or solver.startswith(CERTIFY):
            _check_route(solver, games=games)
            if solver != SEARCH and selection.processor_time:
                raise UsageError(
                    f"found --processor-time for {solver}, which keeps wall-clock time"
                )
            used = [NO_ENCODING] if solver == SEARCH else encodings
            found += [Configuration(solver, encoding) for encoding in used]
            continue
        check_solver(solver)
        found += [
            Configuration(solver, e, p) for e in encodings for p in preprocessors if _fit(solver, p)
        ]
    if not found:
        raise UsageError(
            f"{', '.join(solvers)} and {', '.join(preprocessors)} do not fit together: "
            "a circuit solver takes no preprocessed formula"
        )
    return list(dict.fromkeys(found))


def _encodings(selection: Selection) -> list[str]:
    from qsage_validate.encodings.registry import encoders

    wanted = list(selection.encodings or (LIFTED,))
    for name in wanted:
        if name not in encoders():
            choices = ", ".join(encoders())
            near = did_you_mean(name, encoders())
            raise UsageError(f"unknown encoding {name!r}{near}, expected one of: {choices}")
    return wanted


def _check_route(solver: str, *, games: bool) -> None:
    if solver == SEARCH or solver == CERTIFY + SEARCH:
        if not games:
            raise UsageError(f"found the solver {solver!r} for formulas, which have no rules")
        return
    from qsage_validate.certificates.routes import route_names

    route, program = _route(solver)
    if route not in route_names():
        choices = ", ".join(CERTIFY + name for name in route_names())
        raise UsageError(f"unknown solver {solver!r}, expected a QBF solver or one of: {choices}")
    if program is not None:
        check_solver(program)


def _route(solver: str) -> tuple[str, str | None]:
    """Route and QBF solver of ``certify:ROUTE`` and ``certify:ROUTE:SOLVER``."""
    route, _, program = solver.removeprefix(CERTIFY).partition(":")
    return route, program or None


def _fit(solver: str, preprocessor: str) -> bool:
    from qsage_validate.solvers.backend import SolverFormat
    from qsage_validate.solvers.backends import get_backend

    return preprocessor == NO_PREPROCESSOR or SolverFormat.QDIMACS in get_backend(solver).accepts


def make_runs(
    selection: Selection, experiment: str, instances: Iterable[Instance], *, games: bool
) -> list[Run]:
    """Every wanted instance in every wanted configuration."""
    return selection.runs(experiment, instances, configurations(selection, games=games))


# --- One run --------------------------------------------------------------------------------


def execute(run: Run) -> RunResult:
    """Solve the run's instance as its solver says."""
    if run.solver == SEARCH:
        from qsage_validate.games.languages import load_game
        from qsage_validate.games.registry import find_command

        return by_search(run, load_game(find_command(run.source)))
    if run.solver.startswith(CERTIFY):
        return _certify(run)
    return by_solver(run, *_formula(run))


def _formula(run: Run) -> tuple[Qbf, Encoding | None, dict[str, Any]]:
    """The formula of a run, the encoding that it is if it is one, and facts about it."""
    from qsage_validate.encodings.registry import encode, language_of_encoding
    from qsage_validate.formats.formula import read_formula
    from qsage_validate.games.registry import find_command

    watch = Stopwatch()
    encoding = None
    if run.source[0] == FORMULA:
        qbf = read_formula(run.source[1])
    else:
        model = find_command(run.source, language_of_encoding(run.encoding))
        encoding = encode(model, run.encoding)
        qbf = encoding.qbf
    facts = {
        "formula_seconds": round(watch.seconds, 4),
        "variables": qbf.num_variables,
        "gates": len(qbf.gates),
        "scopes": len(qbf.merged_scopes()),
    }
    return qbf, encoding, facts


def _certify(run: Run) -> RunResult:
    """The whole way to a checked certificate; seconds are those of all of it but the encoding."""
    from qsage_validate.certificates.routes import RouteOptions, certify_formula

    formula, encoding, data = _formula(run)
    route, solver = _route(run.solver)
    options = RouteOptions(route, solver, Limits(Deadline.after(run.seconds), run.memory_mb))
    watch = Stopwatch()
    proved = certify_formula(formula, options, encoding=encoding)
    seconds = watch.seconds
    data |= {
        "certificate_gates": proved.certificate.aig.num_gates,
        "route": proved.route,
        "by": proved.by,
        "stages": {name: round(spent, 4) for name, spent in proved.stages},
    }
    return RunResult("true" if proved.truth else "false", decided=True, seconds=seconds, data=data)


# --- Tables ---------------------------------------------------------------------------------


def tables() -> dict[str, Tabulate]:
    """The tables that suit experiments of this module, by name."""
    return {**default_tables(), "certificates": certificates}


def certificates(records: Sequence[RunRecord]) -> ResultTable:
    """An instance a row: by configuration AND gates, and seconds with the check."""

    def cells(result: RunResult) -> tuple[str, str]:
        if not result.decided:
            return "", result.status
        return f"{result.data['certificate_gates']:,}", seconds_text(result.seconds)

    known = [r for r in records if r.run.solver.startswith(CERTIFY)]
    title = "Certificates, each proved for its formula"
    return by_instance(title, known, ["AND gates", "seconds"], cells)


# The experiments ``models`` and ``formulas``: whatever files there are


_DOMAIN: Final = "domain"


def files_in(
    inputs: Sequence[str],
    wanted: Callable[[str], bool] = lambda path: True,
    note: Callable[[str], None] = no_note,
) -> Iterator[str]:
    """The files among the inputs, and those wanted in the folders among them, sorted in each.

    Entries of a folder that are not readable files (a broken link, a pipe) are skipped, and
    ``note`` is called.
    """

    def passed_over(error: OSError) -> None:
        note(f"{error.filename}: {error.strerror}; passed over")

    for name in inputs:
        if not os.path.isdir(name):
            yield name
            continue
        for folder, folders, files in os.walk(name, onerror=passed_over):
            folders.sort()
            for path in (os.path.join(folder, file) for file in sorted(files)):
                try:
                    open_input(path, pipes=False).close()
                except InputError as error:
                    note(f"{error}; passed over")
                    continue
                if wanted(path):
                    yield path


def content_sum(*paths: str) -> str:
    """16 hexadecimal digits that tell the contents of files apart."""
    return sha256(b"\0".join(map(read_bytes, paths))).hexdigest()[:16]


def models_in(inputs: Sequence[str], note: Callable[[str], None] = no_note) -> Iterator[Instance]:
    """A problem with the domain in its folder is an instance; other files are passed over."""
    problems: dict[str, list[str]] = {}
    domains: dict[str, list[str]] = {}
    for path in files_in(inputs, note=note):
        kind = _bddl_kind(path, read_bytes(path))
        if kind is not None:
            found = domains if kind == _DOMAIN else problems
            found.setdefault(os.path.dirname(path), []).append(path)
    for folder, paths in problems.items():
        # A problem that was named alone has its domain beside it all the same.
        beside = domains.get(folder) or _domains_in(folder)
        if len(beside) != 1:
            where = folder or "."
            raise UsageError(f"found {len(beside)} BDDL domains in {where}, expected one")
        family = os.path.basename(os.path.abspath(folder))
        for path in paths:
            parts = (("sum", content_sum(beside[0], path)),)
            name = f"{family}/{os.path.basename(path)}"
            yield Instance(family, name, (os.path.abspath(beside[0]), os.path.abspath(path)), parts)


def _domains_in(folder: str) -> list[str]:
    names = sorted(entry.path for entry in os.scandir(folder or ".") if entry.is_file())
    return [path for path in names if _bddl_kind(path, read_bytes(path)) == _DOMAIN]


def _bddl_kind(path: str, data: bytes) -> str | None:
    """The kind of a BDDL file, domain or problem; ``None``: no BDDL."""
    from qsage_validate.games.bddl.parser import file_kind

    if sniff_bytes(data) is not Format.BDDL:
        return None
    return file_kind(Source.decode(data, path).text)


def _formulas(inputs: Sequence[str], note: Callable[[str], None]) -> Iterator[Instance]:
    for path in files_in(inputs, note=note):
        if sniff_bytes(read_bytes(path)) not in (Format.QCIR, Format.QDIMACS):
            if path in inputs:
                raise UsageError(f"found {path}, expected a QCIR or QDIMACS file or a folder")
            continue
        family = os.path.basename(os.path.dirname(os.path.abspath(path)))
        source = (FORMULA, os.path.abspath(path))
        yield Instance(family, path, source, (("sum", content_sum(path)),))


def _by_name(text: str) -> Instance:
    """The game that words of the command line mean; raises ``UsageError``."""
    from qsage_validate.games.registry import find_command

    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"found {text!r} for --model: {error}, expected words") from None
    if any(map(os.path.exists, words)):
        raise UsageError(f"found the file {text} for --model, expected the name of a game")
    find_command(words)
    return Instance(words[0], text, words)


def _runs_of_files(selection: Selection, *, name: str, games: bool) -> list[Run]:
    if not selection.inputs and not selection.models:
        raise UsageError(f"found no files for {name}, expected files or folders")
    instances = models_in if games else _formulas
    found = list(instances(selection.inputs, selection.note))
    found += map(_by_name, selection.models)
    if not found:
        what = "BDDL problem" if games else "formula"
        raise UsageError(f"found no {what} in {', '.join(selection.inputs)}")
    return make_runs(selection, name, found, games=games)


MODELS: Final = Experiment(
    name="models",
    runs=partial(_runs_of_files, name="models", games=True),
    execute=execute,
    tables=tables(),
    inputs="folders with BDDL files, or problems",
    by_name=True,
)

FORMULAS: Final = Experiment(
    name="formulas",
    runs=partial(_runs_of_files, name="formulas", games=False),
    execute=execute,
    tables=tables(),
    inputs="QCIR and QDIMACS files, or folders with such",
)


# The experiment ``encodings``: which formulas of a folder are those of a game


_JUDGE: Final = "judge"
_DECIDED: Final = ("proved", "refuted")


def _runs_of_encodings(selection: Selection) -> list[Run]:
    if not selection.inputs:
        raise UsageError("found no files for encodings, expected formulas or folders")
    if len(selection.models) > 1:
        raise UsageError(f"found {len(selection.models)} games for encodings, expected one")
    words = _words(selection.models[0]) if selection.models else ()
    found = list(_instances(selection.inputs, words, selection.note))
    if not found:
        raise UsageError(f"found no formula in {', '.join(selection.inputs)}")
    return selection.runs("encodings", found, [Configuration(_JUDGE, NO_ENCODING)])


def _words(text: str) -> tuple[str, ...]:
    """The words of a game, its files by their whole path; raises ``UsageError`` for no game."""
    from qsage_validate.problems.searched import rules_of_words

    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"found {text!r} for --model: {error}, expected words") from None
    rules_of_words(words)
    return tuple(os.path.abspath(word) if os.path.exists(word) else word for word in words)


def _instances(
    inputs: Sequence[str], words: tuple[str, ...], note: Callable[[str], None]
) -> list[Instance]:
    files = [word for word in words if os.path.isfile(word)]
    found = []
    for path in files_in(inputs, note=note):
        if sniff_bytes(read_bytes(path)) not in (Format.QCIR, Format.QDIMACS):
            if path in inputs:
                raise UsageError(f"found {path}, expected a QCIR or QDIMACS file or a folder")
            continue
        family = os.path.basename(os.path.dirname(os.path.abspath(path)))
        facts = (("sum", content_sum(path, *files)), ("game", shlex.join(words)))
        found.append(Instance(family, path, (os.path.abspath(path), *words), facts))
    return found


def judge_run(run: Run) -> RunResult:
    """Judge one formula by its layout, its meta file, or the layout that is found."""
    from qsage_validate.judging.judged import judge_formula
    from qsage_validate.problems.load import Files, load
    from qsage_validate.problems.searched import rules_of_words
    from qsage_validate.validation.finding import Refuted

    watch = Stopwatch()
    path, *words = run.source
    problem = load(Files(formula=path))
    game = rules_of_words(words)[0] if words else problem.game
    if game is None:
        raise UsageError(f"found no rules in {path}, expected --game or --model")
    deadline = Deadline.after(run.seconds)
    judged = judge_formula(problem.qbf, game, problem.layout, deadline=deadline)
    verdict = judged.verdict
    data = {"text": verdict.reason, "layout": "" if judged.layout is None else judged.layout.source}
    if isinstance(verdict, Refuted):
        data["play"] = " ".join(verdict.findings[0].moves) or "the start"
    word = verdict.word
    return RunResult(word, word in _DECIDED, watch.seconds, data=data)


def verdicts(records: Sequence[RunRecord]) -> ResultTable:
    """A formula a row: the verdict, the layout by which it was judged, the first difference."""
    latest = {record.run.question: record for record in records}
    rows = [
        (
            record.run.instance,
            record.result.status,
            str(record.result.data.get("layout", "")),
            str(record.result.data.get("play", record.result.why)),
            seconds_text(record.result.seconds),
        )
        for record in latest.values()
    ]
    counts: dict[str, int] = {}
    for row in rows:
        counts[row[1]] = counts.get(row[1], 0) + 1
    shown = ", ".join(f"{number} {word}" for word, number in sorted(counts.items()))
    columns = ("formula", "verdict", "layout", "first difference", "seconds")
    return ResultTable("Formulas and their game", columns, tuple(rows), (shown,), left=4)


EXPERIMENT: Final = Experiment(
    name="encodings",
    runs=_runs_of_encodings,
    execute=judge_run,
    tables={"verdicts": verdicts, **default_tables()},
    inputs="QCIR and QDIMACS files, or folders with such",
    by_name=True,
)
