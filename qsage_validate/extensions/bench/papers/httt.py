"""Harary's Tic-Tac-Toe by asking for Black's win and White's block in turn.

The experiment of Boucher and Villemaire 2025, section 4: the polyominoes that fit on a 4x4 board,
on boards with edges and on tori, by iterative deepening (``solvers/deepening/alternation.py``) with
COR+ or COVER for Black and PAIRING for White.

A solver is a QBF solver for both questions, such a one with ``+pairs``, so that White's block is
searched for on the rules, or ``search``: both are.  The solver ``positional`` is the search made
for positional games instead (``solvers/search/positional/engine.py``), which asks no question by
itself.  A run has the answers of all formulas in its data, so that encodings can be
compared formula by formula.

With depths (``--set depth=7,9``) the question is another one: ``httt_depths.py``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.extensions.bench.answers import by_search, check_preprocessor, check_solver
from qsage_validate.extensions.bench.experiment import (
    Configuration,
    Experiment,
    Instance,
    Selection,
)
from qsage_validate.extensions.bench.papers import httt_tables
from qsage_validate.extensions.bench.papers.httt_depths import bounded_runs, execute_bounded
from qsage_validate.extensions.bench.run import NO_ENCODING, NO_PREPROCESSOR, Run, RunResult
from qsage_validate.extensions.bench.solving import SEARCH
from qsage_validate.extensions.bench.summaries import default_tables

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.games.positional.model import PositionalModel
    from qsage_validate.solvers.deepening.alternation import Alternated, Ask
    from qsage_validate.solvers.qbf.solving import Solved

NAME: Final = "httt"
PAIRS: Final = "+pairs"
POSITIONAL: Final = "positional"
ENCODINGS: Final = ("cor+", "cover")
BOARDS: Final = ("5x5", "5x5 torus", "4x4", "4x4 torus")

_WITHIN: Final = 4
"""The paper's polyominoes fit on a board of this width."""


def _instances(boards: tuple[str, ...]) -> list[Instance]:
    """The paper's polyominoes, and with them those of five cells and Snaky that are longer."""
    from qsage_validate.games.positional.polyominoes import fits, named

    shapes = {n: c for n, c in named().items() if n != "elam"}
    wanted = {n: c for n, c in shapes.items() if fits(c, _WITHIN, _WITHIN)}
    wanted |= {n: c for n, c in shapes.items() if len(c) == 5 or n == "snaky"}
    found = []
    for board in boards:
        width, height = map(int, board.split()[0].split("x"))
        for name, cells in wanted.items():
            if fits(cells, width, height):
                printed = "yes" if fits(cells, _WITHIN, _WITHIN) else "no"
                source = (name, *board.split())
                found.append(Instance(board, f"{board} {name}", source, (("printed", printed),)))
    return found


def _runs(selection: Selection) -> list[Run]:
    board = selection.options.get("board")
    if board is not None and board not in BOARDS:
        raise UsageError(f"found the board {board!r}, expected one of: {', '.join(BOARDS)}")
    depths = selection.depths()
    if depths is not None:
        return bounded_runs(NAME, selection, depths, (board or BOARDS[0],))
    instances = _instances(BOARDS if board is None else (board,))
    return selection.runs(NAME, instances, _configurations(selection))


def _configurations(selection: Selection) -> list[Configuration]:
    from qsage_validate.encodings.registry import encoders

    encodings = selection.encodings or ENCODINGS
    for name in encodings:
        known = encoders("positional")
        if name not in known:
            near = did_you_mean(name, known)
            raise UsageError(
                f"unknown encoding {name!r}{near}, expected one of: {', '.join(known)}"
            )
    preprocessors = selection.preprocessors or (NO_PREPROCESSOR,)
    for name in preprocessors:
        check_preprocessor(name)
    configs = []
    for solver in selection.solvers or ("depqbf",):
        if solver in (SEARCH, POSITIONAL):
            configs.append(Configuration(solver, NO_ENCODING))
            continue
        check_solver(solver.removesuffix(PAIRS))
        _check_clausal(solver.removesuffix(PAIRS))
        configs += [Configuration(solver, e, p) for e in encodings for p in preprocessors]
    return configs


def _check_clausal(name: str) -> None:
    from qsage_validate.solvers.qbf.backend import SolverFormat
    from qsage_validate.solvers.qbf.backends import get_backend

    if SolverFormat.QDIMACS not in get_backend(name).accepts:
        raise UsageError(f"found {name!r}, expected a solver that reads clauses")


def model_of(source: tuple[str, ...]) -> PositionalModel:
    """The game of an instance: the name of a polyomino, a size, and ``torus`` or nothing."""
    from qsage_validate.games.positional.harary import harary_model

    shape, size = source[:2]
    width, height = map(int, size.split("x"))
    return harary_model(shape, width, height, torus="torus" in source[2:])


def execute(run: Run) -> RunResult:
    """Deepen until Black wins or White blocks; ``true`` is Black's win, ``false`` the block."""
    from qsage_validate.solvers.deepening.alternation import alternate
    from qsage_validate.system.clock import now
    from qsage_validate.system.limits import Deadline

    if "plies" in dict(run.options):
        return execute_bounded(run)
    started = now()
    model = model_of(run.source)
    if run.solver == POSITIONAL:
        return _by_positional_search(run, model)
    ask_black, ask_white = _asks(run, model)
    found = alternate(model, ask_black, ask_white, deadline=Deadline.after(run.seconds))
    seconds, data = now() - started, _data(found)
    if found.winner is None:
        return RunResult("timeout", False, seconds, found.why, data=data)
    return RunResult(str(found.winner.value == "black").lower(), True, seconds, data=data)


def _by_positional_search(run: Run, model: PositionalModel) -> RunResult:
    from qsage_validate.games.positional.rules import PositionalGame

    found = by_search(run, PositionalGame(model))
    critical = found.data.get("critical_plies")
    plies = model.plies if critical is None else critical
    return replace(found, data={**found.data, "plies": plies})


def _asks(run: Run, model: PositionalModel) -> tuple[Ask, Ask]:
    from qsage_validate.solvers.deepening.alternation import (
        black_by_formulas,
        black_by_search,
        white_by_formulas,
        white_by_search,
    )
    from qsage_validate.solvers.qbf.backends import get_backend
    from qsage_validate.solvers.qbf.preprocessors import preprocessor_named
    from qsage_validate.solvers.qbf.solving import solve_formula
    from qsage_validate.solvers.search.positional.blocking import BlockingSearch
    from qsage_validate.system.limits import Deadline, Limits

    if run.solver == SEARCH:
        return black_by_search(), white_by_search(BlockingSearch(model))
    backend = get_backend(run.solver.removesuffix(PAIRS))
    first = preprocessor_named(run.preprocessor)

    def solve(formula: Qbf, deadline: Deadline) -> Solved:
        limits = Limits(deadline, run.memory_mb)
        return solve_formula(formula, [backend], limits, preprocessor=first)

    pairs = run.solver.endswith(PAIRS)
    white = white_by_search(BlockingSearch(model)) if pairs else white_by_formulas(solve)
    return black_by_formulas(run.encoding, solve), white


def _data(found: Alternated) -> dict[str, Any]:
    return {
        "plies": found.plies,
        "first_move": found.first_move,
        "answers": [
            {
                "player": turn.player.value,
                "plies": turn.plies,
                "truth": turn.truth,
                "seconds": round(turn.seconds, 4),
            }
            for turn in found.turns
        ],
    }


EXPERIMENT: Final = Experiment(
    name=NAME,
    runs=_runs,
    execute=execute,
    options={
        "board": f"one board only: {', '.join(BOARDS)}",
        "depth": "within so many plies, if White only blocks (sn-httt): 7,9,11,13,15",
    },
    tables={
        "winners": httt_tables.winners,
        "shapes": httt_tables.shapes,
        "cover": httt_tables.cover,
        "deepening": httt_tables.deepening,
        "depths": httt_tables.depths,
        **default_tables(),
    },
    formulas=httt_tables.formulas,
)
