"""``qsage solve``: who wins a game, or whether a formula is true."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import SearchLine, emit, emit_json, narrate
from qsage_validate.cli.deepening import (
    ALTERNATES,
    DeepeningOptions,
    EngineName,
    FarmOptions,
    HowMany,
    MethodOptions,
    Named,
    SolveMethod,
    by_encoding,
    by_solver,
    exit_of,
    named_by_search,
    said_at_start,
    solve_alternating,
    solve_to_critical_depth,
    word_of,
)
from qsage_validate.cli.encode import load_formula, solver_of
from qsage_validate.cli.model_arguments import ModelArguments, formula_path, model_words
from qsage_validate.cli.options import (
    EncodingOption,
    FormulaOptions,
    JsonOption,
    LimitOptions,
    PrepareOption,
)
from qsage_validate.cli.parameters import flag, option, output_option
from qsage_validate.errors import Exit, UsageError, counted

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.cli.encode import Prepared
    from qsage_validate.encodings.layout import Layout
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.games.protocol import TwoPlayerGame
    from qsage_validate.solvers.qbf_solving import Solved
    from qsage_validate.solvers.search import SearchResult


@dataclass(frozen=True)
class _Question:
    """A formula to solve, and its game as far as it is known.

    ``encodes`` says that the formula is known to be the layout's game.
    """

    formula: Qbf
    layout: Layout | None
    length: str
    facts: dict[str, Any]
    game: TwoPlayerGame | None = None
    encodes: bool = True


@subcommand(
    "qsage solve httt --size 3x3 --shape el --depth 5",
    "qsage solve sample:tic --solver depqbf",
)
def command(
    *,
    model: ModelArguments = model_words(or_formula=True),
    options: MethodOptions,
    encoding: EncodingOption = None,
    prepare: PrepareOption = False,
    deepening: DeepeningOptions,
    farm: FarmOptions,
    first_moves: HowMany = option(
        "How many winning first moves are named: with 'all' each is asked about.",
        default=HowMany.ONE,
        panel="Output",
    ),
    unique: bool = flag(
        "With --first-moves all: the exit code says whether exactly one wins (0: yes, 1: no, "
        "3: undecided).",
        panel="Output",
    ),
    solution: str | None = output_option(
        "Write the winner's reply in each position that the winner meets, for 'qsage validate "
        "--solution'.",
        "FILE",
    ),
    read: FormulaOptions,
    limits: LimitOptions,
    competition: bool = flag(
        "Print 's cnf 1' or 's cnf 0' and nothing else, as in evaluations of solvers.",
        panel="Output",
    ),
    json_output: JsonOption = False,
) -> Exit:
    """Say whether a formula is true, or who wins a game.

    A game is searched on its rules, unless a QBF solver or an encoding is named. With --depth
    auto, greater and greater depths are tried until Black wins; --winner asks for the last depth
    alone. --first-moves all names every first move that wins. With --jobs or --scheduler, many
    processes search. With --prepare a positional game is solved without what cannot matter in it.
    A formula is given to QBF solvers, by default to Bloqqer and what is there. Exit code 10: true
    (Black wins), 20: false (White wins), 3: undecided within the limits.
    """
    path = formula_path(model)
    model, deepens = model.without_depth()
    deepening.check_deepens(deepens, farms=farm.given is not None)
    method = SolveMethod.of(options, limits)
    farm.check(
        searches=path is None and encoding is None and method.searches,
        alternates=deepening.alternate,
    )
    every = first_moves is HowMany.ALL
    if unique and (not every or deepens):
        raise UsageError("found --unique, expected --first-moves all with it, and a depth")
    if competition and (path is None or every or json_output):
        raise UsageError("found --competition, expected a formula, and no other form of output")
    if every:
        _check_first_moves(deepening, prepare=prepare)
    if solution is not None:
        _check_solution(solution, deepening, searches=path is None and method.searches)
    if prepare:
        _check_prepare(deepens=deepens, formula=path is not None, solution=solution)
    if path is not None:
        if encoding is not None:
            raise UsageError("found --encoding with a formula, expected a game")
        if deepening.winner:
            raise UsageError("found --winner with a formula, expected a game")
        if options.engine is not EngineName.AUTO:
            raise UsageError("found --engine with a formula, expected a game")
        if deepens:
            raise UsageError("found --depth auto with a formula, expected a game")
        if method.searches and options.solver is not None:
            raise UsageError("found --solver search with a formula, expected a QBF solver")
        if (solve := solver_of(path)) is not None:
            no = {
                "--meta": read.meta,
                "--preprocess": options.preprocess,
                "--first-moves all": every,
            }
            no |= {"--solver": options.solver, "--portfolio": options.portfolio}
            return solve(path, no, limits, json_output, competition=competition)
        if competition:
            return _compete(path, model, read, method)
        return _solve_formula(path, model, read, method, json_output, every, unique)
    read.refuse("a game, expected a formula")
    if encoding is not None:
        method = replace(method, searches=False)
    prepared: Prepared | None = None
    if prepare:
        from qsage_validate.cli.encode import prepare_model

        prepared = prepare_model(model, encoding, encodes=not method.searches)
        resolved = prepared.left
    else:
        resolved = model.resolve(ALTERNATES if deepening.alternate and not encoding else encoding)
    if options.engine is not EngineName.AUTO and not method.searches:
        raise UsageError("found --engine with QBF solvers, expected a search on the rules")
    if solution is not None and not method.searches:
        raise UsageError("found --solution with --encoding, expected a search on the rules")
    if deepening.winner and not method.searches:
        raise UsageError("found --winner with QBF solvers, expected a search on the rules")
    if deepens:
        from qsage_validate.system.limits import memory_within

        with memory_within(limits.memory):
            if deepening.alternate:
                return solve_alternating(resolved, method, encoding, deepening, json_output)
            return solve_to_critical_depth(
                resolved, method, encoding, deepening, farm, json_output, solution, every
            )
    if method.searches:
        return _search(
            resolved, method, deepening, farm, json_output, solution, prepared, every, unique
        )
    return _solve_game(resolved, encoding, method, json_output, prepared, every, unique)


def _check_first_moves(deepening: DeepeningOptions, *, prepare: bool) -> None:
    """Raise ``UsageError`` for what ``--first-moves all`` does not go with."""
    for name, given in (
        ("--winner", deepening.winner),
        ("--alternate", deepening.alternate),
        ("--prepare", prepare),
    ):
        if given:
            raise UsageError(f"found --first-moves all with {name}, expected one of them")


def _check_prepare(*, deepens: bool, formula: bool, solution: str | None) -> None:
    """Raise ``UsageError`` for what ``--prepare`` does not go with."""
    if formula:
        raise UsageError("found --prepare with a formula, expected a positional game")
    if deepens:
        raise UsageError(
            "found --prepare with --depth auto, expected a number: what is left out depends on it"
        )
    if solution is not None:
        raise UsageError("found --prepare with --solution, which is of the whole game")


def _check_solution(solution: str, deepening: DeepeningOptions, *, searches: bool) -> None:
    """Raise ``UsageError`` where no search on the rules finds what the file is to have."""
    if not searches:
        raise UsageError("found --solution without a game that is searched, expected one")
    if deepening.alternate:
        raise UsageError(f"found --solution {solution} with --alternate, expected one of them")


def _search(
    model: GameModel,
    method: SolveMethod,
    deepening: DeepeningOptions,
    farm: FarmOptions,
    json_output: bool,
    solution: str | None,
    prepared: Prepared | None,
    every: bool,
    unique: bool,
) -> Exit:
    from qsage_validate.games.languages import load_game
    from qsage_validate.games.protocol import Player

    game = load_game(model)
    if prepared is not None:
        prepared.tell()
    farmed = farm.rests_on(deepening.resume)
    with (
        SearchLine(sys.stderr) as line,
        farm.searching(method, line.tell, deepening.resume) as search,
    ):
        solver = search(model)
        result = solver.solve(all_first_moves=every, winner_only=deepening.winner)
    if result.critical_plies is not None:
        result = replace(result, critical_plies=game.count(result.critical_plies))
    truth = None if result.winner is None else result.winner is Player.BLACK
    if prepared is not None:
        game = load_game(prepared.whole)
        if truth is False:
            result = replace(result, reason=f"Black does not win within {game.length}")
    result = replace(result, reason=f"{result.reason}{farmed}")
    if json_output:
        emit_json(
            {"game": game.name, "plies": game.plies, "verdict": word_of(truth), "solver": "search"}
            | _search_facts(result)
            | ({"all_first_moves": result.all_first_moves} if every else {})
            | (prepared.facts if prepared is not None else {})
        )
    else:
        emit(_search_text(result, game, every=every))
        words = method.engine_words(result.engine, result.nodes)
        if words:
            narrate(words)
    if solution is not None:
        from qsage_validate.cli.deepening import write_solution

        write_solution(solution, model, solver, result.winner)
    return _exit(truth, named_by_search(result, game), unique)


def _exit(truth: bool | None, named: Named | None, unique: bool) -> Exit:
    """The exit code for the value, or for whether exactly one first move wins."""
    if not unique:
        return exit_of(truth)
    answer = None if named is None else named.is_unique
    return {True: Exit.FINE, False: Exit.REFUTED, None: Exit.UNDECIDED}[answer]


def _search_text(result: SearchResult, game: TwoPlayerGame, *, every: bool) -> str:
    if result.winner is None:
        return result.reason
    wins = f"{result.winner} wins"
    verdict = result.reason if result.reason.startswith(wins) else f"{wins}: {result.reason}"
    if every:
        named = named_by_search(result, game)
        plies = game.count(game.plies)
        within = "" if result.critical_plies in (None, plies) else f" within {game.length}"
        return f"{verdict}; {named.text(within)}"
    said = said_at_start(map(str, result.first_moves[:1]), game)
    return verdict + (f"; first move {said[0]}" if said else "")


def _search_facts(result: SearchResult) -> dict[str, object]:
    return {
        "winner": None if result.winner is None else result.winner.value,
        "reason": result.reason,
        "critical_plies": result.critical_plies,
        "first_moves": [str(move) for move in result.first_moves],
        "nodes": result.nodes,
        "positions": result.positions,
        "engine": result.engine,
        "seconds": round(result.seconds, 3),
    }


def _compete(path: str, model: ModelArguments, read: FormulaOptions, method: SolveMethod) -> Exit:
    """Print the result line of QDIMACS alone; an undecided formula has none."""
    from qsage_validate.system.limits import memory_within, nobody

    with memory_within(method.limits.memory_mb):
        truth = method.solve(load_formula(path, model, read).qbf, nobody).truth
    if truth is not None:
        emit(f"s cnf {truth:d}")
    return exit_of(truth)


def _solve_formula(
    path: str,
    model: ModelArguments,
    read: FormulaOptions,
    method: SolveMethod,
    json_output: bool,
    every: bool,
    unique: bool,
) -> Exit:
    from qsage_validate.problems.validated import encoding_of
    from qsage_validate.system.limits import memory_within

    with memory_within(method.limits.memory_mb):
        problem = load_formula(path, model, read)
        # A layout is a claim of the file's: who wins follows from an encoding alone.
        encodes = encoding_of(problem) is not None
    formula, layout = problem.qbf, problem.layout
    with SearchLine(sys.stderr) as line:
        solved = method.solve(formula, line.tell)
    length = "" if layout is None else counted(layout.plies, "ply")
    if problem.game is not None:
        length = problem.game.length
    facts = {"formula": problem.files.name}
    asked = _Question(formula, layout, length, facts, problem.game, encodes)
    named = by_solver(problem, solved.truth, method) if every and solved.truth is not None else None
    return _tell_solved(solved, asked, json_output, named, unique)


def _solve_game(
    model: GameModel,
    encoding: str | None,
    method: SolveMethod,
    json_output: bool,
    prepared: Prepared | None,
    every: bool,
    unique: bool,
) -> Exit:
    from qsage_validate.api.solving import FOR_SOLVERS
    from qsage_validate.encodings.registry import encode
    from qsage_validate.games.languages import load_game
    from qsage_validate.games.library.catalogue import name_of
    from qsage_validate.solvers.qbf_solving import conclusive
    from qsage_validate.system.limits import memory_within

    with memory_within(method.limits.memory_mb):
        encoded = encode(model, encoding or FOR_SOLVERS.get(model.language))
    if prepared is not None:
        prepared.tell()
    with SearchLine(sys.stderr) as line:
        solved = conclusive(method.solve(encoded.qbf, line.tell), encoded)
    layout = encoded.layout
    model = model if prepared is None else prepared.whole
    facts = {
        "game": name_of(model),
        "depth": model.depth,
        "plies": layout.plies,
        "encoding": layout.encoding,
        **(prepared.facts if prepared is not None else {}),
    }
    game = load_game(model)
    asked = _Question(encoded.qbf, layout, game.length, facts, game)
    named = None
    if every and solved.truth is not None:
        named = by_encoding(encoded, solved.truth, method)
    return _tell_solved(solved, asked, json_output, named, unique)


def _tell_solved(
    solved: Solved,
    asked: _Question,
    json_output: bool,
    named: Named | None = None,
    unique: bool = False,
) -> Exit:
    from qsage_validate.api.solving import first_move
    from qsage_validate.encodings.layout import inconclusive
    from qsage_validate.games.protocol import Player

    layout, encodes = asked.layout, asked.encodes
    truth = solved.truth
    why_no_winner = None if truth is None else inconclusive(layout, truth)
    if why_no_winner is not None:
        layout = named = None  # its moves lead to no win that is known
    winner = None if truth is None else Player.BLACK if truth else Player.WHITE
    move = "" if winner is None else first_move(layout, solved.outer, winner)
    if json_output:
        outer, prenexed = solved.outer, asked.formula.prenexed
        emit_json(
            {
                **asked.facts,
                **({} if prenexed is None else {"prenex": prenexed.order.value}),
                "verdict": word_of(truth),
                "winner": None if winner is None or layout is None or not encodes else winner.value,
                "reason": solved.why,
                "solver": solved.solver,
                "version": solved.version,
                "preprocessor": solved.preprocessor,
                "first_moves": [move] if move else [],
                **({} if named is None else named.facts),
                "outermost": None
                if outer is None
                else {asked.formula.name(v): x for v, x in outer.items()},
                "seconds": round(solved.seconds, 3),
                "preprocess_seconds": round(solved.preprocess_seconds, 3),
                "cpu_seconds": round(solved.cpu_seconds, 3),
                "peak_mb": round(solved.peak_mb, 1),
            }
        )
    else:
        emit(_solved_text(solved, replace(asked, layout=layout), move, why_no_winner, named))
    return _exit(truth, named, unique)


def _solved_text(
    solved: Solved, asked: _Question, move: str, why_no_winner: str | None, named: Named | None
) -> str:
    layout, encodes = asked.layout, asked.encodes
    if solved.truth is None:
        return f"undecided: {solved.by}: {solved.why}"
    verdict = word_of(solved.truth)
    if layout is not None and encodes:
        verdict += f": Black {'wins' if solved.truth else 'does not win'} within {asked.length}"
    elif why_no_winner is not None:
        verdict += f": {why_no_winner}"
    parts = [f"{verdict} ({solved.by}, {solved.seconds:.2f} s)"]
    if layout is not None and not encodes:
        parts.append("who wins is not known: whether the layout is right was not checked")
    if named is not None:
        parts.append(named.text() + ("" if encodes or layout is None else " by the layout"))
    elif move:
        (said,) = said_at_start([move], asked.game)
        parts.append(f"first move {said}" + ("" if encodes else " by the layout"))
    elif solved.outer:
        parts.append(f"outermost block: {_assignment_text(asked.formula, solved.outer)}")
    return "; ".join(parts)


def _assignment_text(formula: Qbf, outer: Mapping[int, bool], limit: int = 40) -> str:
    """An assignment as literals by the names of the formula, shortened when it is long."""
    literals = [("" if value else "-") + formula.name(v) for v, value in outer.items()]
    more = f" … ({len(literals)} variables)" if len(literals) > limit else ""
    return " ".join(literals[:limit]) + more
