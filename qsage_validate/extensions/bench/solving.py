"""Runs that solve: formulas by solvers, and the answers as cells of tables.

A solver is ``search`` (search on the rules), a QBF solver of the registry, or ``certify:ROUTE`` or
``certify:ROUTE:SOLVER``: solving, extraction and the check together, as ``qsage certify`` does it
with ``--route`` and ``--solver``.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.extensions.bench.experiment import (
    NO_ENCODING,
    NO_PREPROCESSOR,
    Configuration,
    Instance,
    ResultTable,
    Run,
    RunRecord,
    RunResult,
    Selection,
    Tabulate,
)
from qsage_validate.extensions.bench.plots import by_instance, default_tables, seconds_text
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

_DEFAULT_ENCODING: Final = "lifted"


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

    wanted = list(selection.encodings or (_DEFAULT_ENCODING,))
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
