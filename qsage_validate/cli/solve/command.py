"""``qsage solve``: who wins a game, or whether a formula is true."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qsage_validate.cli.common import JsonOption, MetaOption, PrenexOption, emit, emit_json
from qsage_validate.cli.formula import (
    encoding_of,
    formula_path,
    load_formula,
    without_depth,
)
from qsage_validate.cli.model_arguments import ModelArguments, takes_model
from qsage_validate.cli.search_progress import SearchLine
from qsage_validate.cli.solve.alternation import solve_alternating
from qsage_validate.cli.solve.deepening import solve_to_critical_depth
from qsage_validate.cli.solve.first_move import assignment_text, first_move
from qsage_validate.cli.solve.method import Way
from qsage_validate.cli.solve.options import (
    EncodingOption,
    MemoryOption,
    PreprocessOption,
    SolverOption,
    TimeoutOption,
)
from qsage_validate.errors import Exit, UsageError
from qsage_validate.system.limits import Limits

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.encodings.layout.tables import AnyLayout
    from qsage_validate.games.models import GameModel
    from qsage_validate.solvers.qbf.solving import Solved
    from qsage_validate.solvers.search.solver import SearchResult


# Solvers like atoms as early as they can stand (Table 2 of the paper).
_FOR_SOLVERS = {"gdl": "gdl-gd"}


@partial(takes_model, or_formula=True)
def command(
    model: ModelArguments,
    solver: SolverOption = None,
    preprocess: PreprocessOption = None,
    portfolio: Annotated[
        bool,
        typer.Option(help="Run several solvers at once; the first confirmed answer counts."),
    ] = False,
    encoding: EncodingOption = None,
    max_depth: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="With --depth auto: no greater depth than this."),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="With --depth auto: keep what is known in FILE, and go on from it."
        ),
    ] = None,
    alternate: Annotated[
        bool,
        typer.Option(
            help="With --depth auto, for positional games: ask by turns whether Black wins and "
            "whether White blocks by pairs."
        ),
    ] = False,
    meta: MetaOption = None,
    prenex: PrenexOption = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    json_output: JsonOption = False,
) -> Exit:
    """Say whether a formula is true, or who wins a game within its depth.

    A game is searched on its rules, unless a QBF solver or an encoding is named. With --depth
    auto, greater and greater depths are tried until Black wins. A formula is given to QBF
    solvers, by default to Bloqqer and what is there. Exit code 10: true (Black wins), 20: false
    (White wins), 3: undecided within the limits.
    """
    path = formula_path(model)
    model, deepens = without_depth(model)
    for name, value in (
        ("--resume", resume),
        ("--max-depth", max_depth),
        ("--alternate", alternate or None),
    ):
        if value is not None and not deepens:
            raise UsageError(f"found {name} without --depth auto, which it belongs to")
    from qsage_validate.encodings.gdl.ground_program import grounding_within

    way = Way.of(solver, preprocess, portfolio=portfolio, timeout=timeout, memory=memory)
    if path is not None:
        if deepens:
            raise UsageError("found --depth auto with a formula, expected a game")
        if way.searches and solver is not None:
            raise UsageError("found --solver search with a formula, expected a QBF solver")
        with grounding_within(memory):
            problem = load_formula(path, model, meta, prenex)
            # A layout is a claim of the file's: who wins follows from an encoding alone.
            encodes = encoding_of(problem) is not None
        formula, layout = problem.formula, problem.layout
        assert formula is not None, "it was read"
        with SearchLine(sys.stderr) as line:
            solved = way.solve(formula, line.tell)
        facts: dict[str, Any] = {"formula": problem.files.name}
        length = "" if layout is None else f"{layout.plies} plies"
        if problem.game is not None:
            length = problem.game.length
        return _tell_solved(solved, formula, layout, length, facts, json_output, encodes=encodes)
    if meta is not None:
        raise UsageError("found --meta with a game, which has its layout")
    resolved = model.resolve()
    if encoding is not None:
        way = replace(way, searches=False)
    if deepens:
        ask = solve_alternating if alternate else solve_to_critical_depth
        with grounding_within(memory):
            return ask(
                resolved, way, encoding, last=max_depth, resume=resume, json_output=json_output
            )
    if way.searches:
        return _search(resolved, way.limits, json_output)
    from qsage_validate.encodings.registry import encode
    from qsage_validate.games.languages import load_game
    from qsage_validate.solvers.qbf.solving import conclusive

    with grounding_within(memory):
        encoded = encode(resolved, encoding or _FOR_SOLVERS.get(resolved.language))
    with SearchLine(sys.stderr) as line:
        solved = conclusive(way.solve(encoded.qbf, line.tell), encoded)
    layout = encoded.layout
    facts = {
        "game": resolved.name,
        "depth": resolved.depth,
        "plies": layout.plies,
        "encoding": layout.encoding,
    }
    length = load_game(resolved).length
    return _tell_solved(solved, encoded.qbf, layout, length, facts, json_output)


# --- By search --------------------------------------------------------------------------------


def _search(model: GameModel, limits: Limits, json_output: bool) -> Exit:
    from qsage_validate.games.languages import load_game
    from qsage_validate.games.protocol import Player
    from qsage_validate.solvers.search.choose import search_for

    game = load_game(model)
    with SearchLine(sys.stderr) as line:
        result = search_for(game, limits=limits, tell=line.tell).solve()
    if result.critical_plies is not None:
        result = replace(result, critical_plies=game.count(result.critical_plies))
    truth = None if result.winner is None else result.winner is Player.BLACK
    if json_output:
        emit_json(
            {"game": game.name, "plies": game.plies, "verdict": _word(truth), "solver": "search"}
            | _search_facts(result)
        )
    else:
        emit(_search_text(result))
    return _exit(truth)


def _search_text(result: SearchResult) -> str:
    if result.winner is None:
        return result.reason
    wins = f"{result.winner} wins"
    verdict = result.reason if result.reason.startswith(wins) else f"{wins}: {result.reason}"
    return verdict + (f"; first move {result.first_moves[0]}" if result.first_moves else "")


def _search_facts(result: SearchResult) -> dict[str, object]:
    return {
        "winner": None if result.winner is None else result.winner.value,
        "reason": result.reason,
        "critical_plies": result.critical_plies,
        "first_moves": [str(move) for move in result.first_moves],
        "nodes": result.nodes,
        "positions": result.positions,
        "seconds": round(result.seconds, 3),
    }


# --- By QBF solvers ---------------------------------------------------------------------------


def _tell_solved(
    solved: Solved,
    formula: Qbf,
    layout: AnyLayout | None,
    length: str,
    facts: dict[str, Any],
    json_output: bool,
    *,
    encodes: bool = True,
) -> Exit:
    """Tell the answer; ``encodes`` says that the formula is known to be the layout's game."""
    from qsage_validate.encodings.layout.tables import inconclusive
    from qsage_validate.games.protocol import Player

    truth = solved.truth
    why_no_winner = None if truth is None else inconclusive(layout, truth)
    if why_no_winner is not None:
        layout = None  # its moves lead to no win that is known
    winner = None if truth is None else Player.BLACK if truth else Player.WHITE
    move = "" if winner is None else first_move(layout, solved.outer, winner)
    if json_output:
        outer = solved.outer
        emit_json(
            {
                **facts,
                **({} if formula.prenexed is None else {"prenex": formula.prenexed.order.value}),
                "verdict": _word(truth),
                "winner": None if winner is None or layout is None or not encodes else winner.value,
                "reason": solved.why,
                "solver": solved.solver,
                "version": solved.version,
                "preprocessor": solved.preprocessor,
                "first_moves": [move] if move else [],
                "outermost": None
                if outer is None
                else {formula.name(v): x for v, x in outer.items()},
                "seconds": round(solved.seconds, 3),
                "preprocess_seconds": round(solved.preprocess_seconds, 3),
                "cpu_seconds": round(solved.cpu_seconds, 3),
                "peak_mb": round(solved.peak_mb, 1),
            }
        )
    else:
        emit(_solved_text(solved, formula, layout, length, move, why_no_winner, encodes=encodes))
    return _exit(truth)


def _solved_text(
    solved: Solved,
    formula: Qbf,
    layout: AnyLayout | None,
    length: str,
    move: str,
    why_no_winner: str | None,
    *,
    encodes: bool,
) -> str:
    if solved.truth is None:
        return f"undecided: {solved.by}: {solved.why}"
    verdict = _word(solved.truth)
    if layout is not None and encodes:
        verdict += f": Black {'wins' if solved.truth else 'does not win'} within {length}"
    elif why_no_winner is not None:
        verdict += f": {why_no_winner}"
    parts = [f"{verdict} ({solved.by}, {solved.seconds:.2f} s)"]
    if layout is not None and not encodes:
        parts.append("who wins is not known: whether the layout is right was not checked")
    if move:
        parts.append(f"first move {move}" + ("" if encodes else " by the layout"))
    elif solved.outer:
        parts.append(f"outermost block: {assignment_text(formula, solved.outer)}")
    return "; ".join(parts)


def _word(truth: bool | None) -> str:
    return "undecided" if truth is None else "true" if truth else "false"


def _exit(truth: bool | None) -> Exit:
    return Exit.UNDECIDED if truth is None else Exit.TRUE if truth else Exit.FALSE
