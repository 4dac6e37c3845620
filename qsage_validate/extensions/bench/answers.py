"""Answers of a search on the rules and of QBF solvers, as results of runs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench.run import Run, RunResult
from qsage_validate.system.clock import Stopwatch, now
from qsage_validate.system.limits import Deadline, Limits

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.encodings.encoding import Encoding
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.games.protocol import TwoPlayerGame
    from qsage_validate.solvers.qbf.outcome import SolverStatus
    from qsage_validate.system.progress import Progress

BLOQQER: Final = "bloqqer"


def check_solver(name: str) -> None:
    """Raise ``UsageError`` for a QBF solver that is not known or not here."""
    from qsage_validate.solvers.qbf.backend import Missing
    from qsage_validate.solvers.qbf.backends import get_backend

    availability = get_backend(name).availability()
    if isinstance(availability, Missing):
        raise UsageError(f"the solver {name!r} is not there: {availability.reason}")


def check_preprocessor(name: str) -> None:
    """Raise ``UsageError`` for a preprocessor that is not known or not here."""
    from qsage_validate.solvers.qbf.backend import Missing
    from qsage_validate.solvers.qbf.preprocessors import preprocessor_named

    first = preprocessor_named(name)
    found = None if first is None else first.availability()
    if isinstance(found, Missing):
        raise UsageError(f"the preprocessor {name!r} is not there: {found.reason}")


def by_search(run: Run, game: TwoPlayerGame) -> RunResult:
    """The winner by the rules; the seconds include building the search."""
    from qsage_validate.games.protocol import Player
    from qsage_validate.solvers.search.solver import search_for

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
    from qsage_validate.solvers.qbf.backends import get_backend
    from qsage_validate.solvers.qbf.preprocessors import preprocessor_named
    from qsage_validate.solvers.qbf.solving import conclusive, solve_formula

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
