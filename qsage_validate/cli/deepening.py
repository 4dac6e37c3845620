"""The ways of ``qsage solve``: by depths, in turn, by many processes, first moves, solutions."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from qsage_validate.cli.common import SearchLine, emit, emit_json, narrate, narrate_file
from qsage_validate.cli.options import LimitOptions
from qsage_validate.cli.parameters import OptionGroup, option, output_option
from qsage_validate.errors import Exit, Undecided, UndecidedError, UsageError, counted
from qsage_validate.system.limits import Deadline, Limits, Progress, Tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.cli.model_arguments import ModelArguments
    from qsage_validate.encodings.encoding import Encoding
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.games.positional.model import PositionalModel
    from qsage_validate.games.protocol import Player, TwoPlayerGame
    from qsage_validate.kernel.certificate import CircuitCertificate
    from qsage_validate.problems.load import Problem
    from qsage_validate.solutions.check import CheckedSolution
    from qsage_validate.solutions.walk import SolutionClaim
    from qsage_validate.solvers.alternation import Alternated
    from qsage_validate.solvers.deepening import Deepened, DeepeningFile, DepthAnswer
    from qsage_validate.solvers.maker_maker import BlockingSearch
    from qsage_validate.solvers.qbf_solving import Solved
    from qsage_validate.solvers.search import SearchResult, SearchSolver


# A Dask cluster


def address_in(path: str) -> str:
    """The address in the file that a Dask scheduler writes (``--scheduler-file``).

    Raises ``InputError`` for a file that is not there or is another one.
    """
    from qsage_validate.formats.json_text import parse_json
    from qsage_validate.formats.source import Source

    return parse_json(Source.open(path), "what 'dask scheduler' has written")["address"].line()


# A game that is named without a depth


def with_critical_depth(
    named: ModelArguments, model: GameModel, encoding: str | None, limits: Limits | None = None
) -> tuple[GameModel, ModelArguments]:
    """The model of a game that lacks a depth at its critical depth, and the arguments that mean it.

    ``model`` is the one that the arguments mean with ``encoding``.  It stays as it is where Black
    does not win, and at a limit.  The search for the depth shows its progress.
    """
    from qsage_validate.games.registry import find_game
    from qsage_validate.solvers.deepening import at_critical_depth

    if all(option.name != "depth" for option in find_game(named.words[0]).options):
        return model, named
    with SearchLine(sys.stderr) as line:
        critical, found = at_critical_depth(model, limits=limits or Limits(), tell=line.tell)
    if found.depth is None:
        return model, named
    narrate(found.why)

    def at(depth: int) -> ModelArguments:
        return replace(named, options={**named.options, "depth": str(depth)})

    # A game that is called as in another language counts a dropped first move, or does not.
    counted = critical.plies - at(found.depth).resolve(encoding).plies
    # Made anew, the model is one of the library's still: fewer chains fit into fewer plies.
    wanted = at(found.depth + counted)
    return wanted.resolve(encoding), wanted


# Solution files on the command line: ``solve --solution``, ``validate --solution``


def write_solution(
    path: str, model: GameModel, solver: SearchSolver, winner: Player | None
) -> None:
    """Write the solution that a search has found; without a ``winner`` there is none."""
    if winner is None:
        narrate(f"{path} is not written: nobody is known to win")
        return
    from qsage_validate.solvers.search_solution import solution_of

    with SearchLine(sys.stderr) as line:
        solver.tell = line.tell
        solution = solution_of(model, solver, winner)
    _save(solution, path)


def write_solution_at(
    path: str, found: Deepened, limits: Limits, solver: SearchSolver | None = None
) -> None:
    """Write the solution at the critical depth, or at the last depth where Black wins at none.

    ``solver`` has searched the game at another depth; without it the game is searched anew.
    """
    from qsage_validate.solvers.search_solution import find_solution

    black = found.within if found.critical is None else found.critical
    plies = black if found.truth else found.refuted
    if found.truth is None or plies is None:
        narrate(f"{path} is not written: nobody is known to win")
        return
    with SearchLine(sys.stderr) as line:
        solution = find_solution(found.depths.at(plies), limits, line.tell, known=solver)
    _save(solution, path)


def _save(solution: SolutionClaim, path: str) -> None:
    solution.save(path)
    replies = "reply" if solution.positions == 1 else "replies"
    positions = counted(solution.positions, "position")
    narrate_file(path, f"{solution.winner}'s {replies} in {positions}")


def validate_solution(path: str, model: Sequence[str], limits: Limits, json_output: bool) -> Exit:
    """Walk through all plays of a solution; ``model`` are words that mean the game it has to be.

    Raises ``InputError`` for a file that is none, ``UsageError`` for one of another game.
    """
    with SearchLine(sys.stderr) as line:
        if limits.memory_mb is None:
            checked = _check(line.tell, path, tuple(model), limits)
        else:
            from qsage_validate.system.pool import run_job

            def receive(sent: object) -> None:
                if isinstance(sent, Progress):
                    line.tell(sent)

            outcome = run_job(_check, path, tuple(model), limits, limits=limits, receive=receive)
            if isinstance(outcome, Undecided):
                raise UndecidedError(str(outcome))
            checked = outcome
    if json_output:
        emit_json({"solution": path} | checked.to_dict())
        return checked.exit_code
    if checked.proved:
        emit(f"{checked.text} ({checked.seconds:.2f} s)")
        emit(f"  checked: {checked.hypotheses}")
    else:
        emit(checked.text)
        emit(f"  play: {' '.join(checked.play) or 'no move'}")
    return checked.exit_code


def _check(tell: Tell, path: str, model: tuple[str, ...], limits: Limits) -> CheckedSolution:
    from qsage_validate.solutions.check import check
    from qsage_validate.solutions.walk import read_solution

    solution = read_solution(path)
    if model:
        check_is_of(solution, model)
    return check(solution, deadline=limits.deadline, tell=tell)


def check_is_of(solution: SolutionClaim, words: Sequence[str]) -> None:
    """Raise ``UsageError`` where ``words`` mean another game, or the game with another depth."""
    from qsage_validate.games.registry import find_command

    wanted = find_command(words, solution.model.language)
    own = solution.model
    if wanted.language != own.language or wanted.fingerprint() != own.fingerprint():
        raise UsageError(
            f"found a solution of {solution.game.name} in {solution.path}, expected one of "
            f"{wanted.name}"
        )
    if wanted.depth != own.depth:
        raise UsageError(
            f"found a solution of {solution.game.name} at depth {own.depth} in {solution.path}, "
            f"expected depth {wanted.depth}"
        )


# First blocks of certificates that nothing proves: ``certify --blocks``


def part_by_solver(
    qbf: Qbf, name: str, solver: str | None, seconds: float | None
) -> tuple[CircuitCertificate, Qbf, str, str]:
    """What a solver says of the outermost block of the formula ``name``.

    With the formula, whose word it is, and what it is, in words.
    """
    from qsage_validate.problems.searched import AUTO, Solving

    part, by = Solving.by(solver or AUTO, seconds).outermost(qbf)
    return (
        *(part, qbf, by),
        f"the outermost block of a {part.kind.value} certificate of {name}; by {by}, on its word: "
        "nothing is proved",
    )


def part_of_solution(
    path: str,
    encoding: str | None,
    blocks: int,
    deadline: Deadline,
    check_target: Callable[[Qbf, str], None],
) -> tuple[CircuitCertificate, Qbf, str, str]:
    """The winner's first blocks by the replies of a solution that a walk has proved.

    With the formula, whose word they are, and what they are, in words.  ``check_target`` is called
    with formula and game before the walk.  Raises ``CheckFailedError`` for a solution that fails.
    """
    from qsage_validate.certificates.rest import part_of
    from qsage_validate.certificates.routes import CheckFailedError
    from qsage_validate.encodings.registry import encode
    from qsage_validate.solutions.check import check
    from qsage_validate.solutions.walk import read_solution

    solution = read_solution(path)
    encoded, name = encode(solution.model, encoding), solution.game.name
    check_target(encoded.qbf, name)
    with SearchLine(sys.stderr) as line:
        checked = check(solution, deadline=deadline, tell=line.tell)
    if not checked.proved:
        raise CheckFailedError(f"{path}: {checked.text}; play: {' '.join(checked.play)}")
    part = part_of(encoded, solution, blocks, deadline)
    first = "the first block" if blocks == 1 else f"the first {blocks} blocks"
    return (
        *(part, encoded.qbf, f"a solution of {counted(solution.positions, 'reply')}"),
        f"{first} of a {part.kind.value} certificate of {name}, cut from {path}, "
        "which a walk has proved; the functions are not proved: see 'qsage validate'",
    )


# How a game or a formula is to be solved, from the words of the options


SEARCH = "search"
# Nodes of a search from which on it matters which engine runs.
_LONG = 8192


class EngineName(str, Enum):
    """The engines of the search, by the words of the option."""

    AUTO = "auto"
    FAST = "fast"
    PURE = "pure"


def word_of(truth: bool | None) -> str:
    """The answer about a formula, or about a win of Black's."""
    return "undecided" if truth is None else "true" if truth else "false"


def exit_of(truth: bool | None) -> Exit:
    """The exit code that says the same."""
    return Exit.UNDECIDED if truth is None else Exit.TRUE if truth else Exit.FALSE


@dataclass(frozen=True)
class MethodOptions(OptionGroup):
    """The options that say what solves."""

    panel = "Solver"

    solver: str | None = option(
        "A QBF solver (see 'qsage info --solvers'), or 'search'.",
        "NAME",
        complete="solvers",
    )
    preprocess: str | None = option(
        "What a formula goes through first: bloqqer, hqspre, qratpre or none; default: bloqqer, "
        "where it is there.",
        "NAME",
        complete="preprocessors",
    )
    engine: EngineName = option(
        "Of the search: 'fast' in machine code (extra 'fast'), 'pure' in Python; 'auto' begins in "
        "Python.",
        default=EngineName.AUTO,
    )
    portfolio: bool = option(
        "Run several solvers at once; the first confirmed answer counts.", default=False
    )


@dataclass(frozen=True)
class SolveMethod:
    """The solver and its limits; the time begins when the options are read.

    ``solver`` is a QBF solver's name, ``None`` for what is there; ``searches`` says that a game
    is to be searched on its rules instead.
    """

    solver: str | None
    preprocess: str | None
    portfolio: bool
    searches: bool
    limits: Limits
    engine: EngineName = EngineName.AUTO

    @classmethod
    def of(cls, options: MethodOptions, limits: LimitOptions) -> SolveMethod:
        """The method that the options say; raises ``UsageError`` for some that do not fit."""
        solver, portfolio = options.solver, options.portfolio
        preprocess = options.preprocess
        if preprocess is not None:
            from qsage_validate.solvers.backends import preprocessor_named

            preprocessor_named(preprocess)
        if solver is not None and portfolio:
            raise UsageError("found --solver with --portfolio, expected one of them")
        if solver == SEARCH and preprocess is not None:
            raise UsageError("found --preprocess with --solver search, which has no formula")
        if options.engine is not EngineName.AUTO and (
            preprocess is not None or portfolio or solver not in (None, SEARCH)
        ):
            raise UsageError("found --engine with QBF solvers, expected a search on the rules")
        searches = solver in (None, SEARCH) and preprocess is None and not portfolio
        named = None if solver == SEARCH else solver
        return cls(named, preprocess, portfolio, searches, limits.begin(), options.engine)

    def engine_words(self, engine: str, nodes: int) -> str:
        """Which engine ran, where it was asked for or the search was long; else empty."""
        told = self.engine is not EngineName.AUTO or nodes >= _LONG
        return f"engine: {engine}" if told else ""

    def until(self, deadline: Deadline) -> SolveMethod:
        return replace(self, limits=replace(self.limits, deadline=deadline))

    def solve(self, formula: Qbf, tell: Tell) -> Solved:
        """Decide a formula; errors as in :func:`~qsage_validate.api.solving.ask_solvers`."""
        from qsage_validate.api.solving import ask_solvers

        return ask_solvers(
            formula,
            self.limits,
            solver=self.solver,
            preprocessor=self.preprocess,
            portfolio=self.portfolio,
            tell=tell,
        )


# ``qsage solve --jobs`` and ``--scheduler``: a search by many processes


@dataclass(frozen=True)
class FarmOptions(OptionGroup):
    """Where a search is made: by so many processes, or on a cluster."""

    panel = "Processes and machines"

    jobs: int | None = option("Search by N processes.", "N", min=1)
    scheduler: str | None = option("Search on a Dask cluster: tcp://host:8786.", "ADDRESS")
    scheduler_file: str | None = option(
        "Search on the Dask cluster whose scheduler wrote FILE.", "FILE"
    )
    split: int | None = option(
        "The plies before the positions that are searched apart; else as many as give enough.",
        "PLIES",
        min=1,
    )

    @property
    def given(self) -> str | None:
        """The option that asks for many processes, if one does."""
        names = {
            "--jobs": self.jobs,
            "--scheduler": self.scheduler,
            "--scheduler-file": self.scheduler_file,
        }
        return next((name for name, value in names.items() if value is not None), None)

    def check(self, *, searches: bool, alternates: bool) -> None:
        """Raise ``UsageError`` for options that do not fit."""
        given = self.given
        if self.scheduler is not None and self.scheduler_file is not None:
            raise UsageError("found --scheduler with --scheduler-file, expected one of them")
        if self.jobs is not None and (self.scheduler or self.scheduler_file):
            raise UsageError(
                "found --jobs with --scheduler: its workers say how many run at a time"
            )
        if self.split is not None and given is None:
            raise UsageError("found --split without --jobs or --scheduler, expected one of them")
        if given is not None and alternates:
            raise UsageError(f"found {given} with --alternate, expected one of them")
        if given is not None and not searches:
            raise UsageError(f"found {given} without a search on the rules, expected one")

    def rests_on(self, resume: str | None) -> str:
        """The words about a file of answers that there is before the search; else empty."""
        from qsage_validate.solvers.deepening import rests_on

        known = self.given is not None and resume is not None and os.path.exists(resume)
        return rests_on(resume) if known and resume is not None else ""

    @contextmanager
    def searching(
        self, method: SolveMethod, tell: Tell, resume: str | None
    ) -> Iterator[Callable[[GameModel], SearchSolver]]:
        """What makes the search of a model; its processes end with the context."""
        from qsage_validate.games.languages import load_game
        from qsage_validate.solvers.search import EngineChoice, search_for

        engine, limits = EngineChoice(method.engine.value), method.limits
        if self.given is None:
            yield lambda model: search_for(
                load_game(model), limits=limits, tell=tell, engine=engine
            )
            return
        from qsage_validate.registry import declared, load
        from qsage_validate.solvers.deepening import Farm
        from qsage_validate.solvers.search_engine import DeclaredEngine
        from qsage_validate.system.signals import orderly_termination

        file = self.scheduler_file
        address = self.scheduler if file is None else address_in(file)
        quicker = declared("engines", DeclaredEngine)
        if not quicker:
            raise UsageError(f"found {self.given}, expected an installed package that farms")
        farmed = load(quicker[0].farm)
        farm = Farm(self.jobs or 1, address, self.split, resume)
        with orderly_termination(), ExitStack() as stack:
            yield lambda model: stack.enter_context(
                farmed(model, farm, limits=limits, tell=tell, engine=engine)
            )


# ``qsage solve --first-moves all``: every first move that wins


class HowMany(str, Enum):
    """How many winning first moves are named."""

    ONE = "one"
    ALL = "all"


def said_at_start(moves: Iterable[str], game: TwoPlayerGame | None) -> tuple[str, ...]:
    """First moves as people say them; as they are where the rules do not know them."""
    if game is None:
        return tuple(moves)
    from qsage_validate.comparing.exact import parsed

    player, board = game.first_player, game.initial.board
    known = ((text, parsed(game, text, player)) for text in moves)
    return tuple(text if move is None else game.say(move, player, board) for text, move in known)


@dataclass(frozen=True, slots=True)
class Named:
    """The first moves that are known to win; ``whole`` says that these are all."""

    moves: tuple[str, ...]
    whole: bool
    said: tuple[str, ...]
    """The moves as people say them."""

    def text(self, within: str = "") -> str:
        """The end of a sentence about who wins, by moves that win ``within`` some plies."""
        if not self.moves:
            return "no first move wins" if self.whole else "no winning first move is known"
        which = "first move that wins" if len(self.moves) == 1 else "first moves that win"
        more = "" if self.whole else ", and perhaps more"
        return f"{which}{within}: {', '.join(self.said)}{more}"

    @property
    def facts(self) -> dict[str, object]:
        """The keys of JSON."""
        return {"first_moves": list(self.moves), "all_first_moves": self.whole}

    @property
    def is_unique(self) -> bool | None:
        """True if exactly one first move wins, ``None`` where not enough is known."""
        return len(self.moves) == 1 if self.whole or len(self.moves) > 1 else None


def by_solver(problem: Problem, truth: bool, method: SolveMethod) -> Named:
    """The first moves of a formula with that value, each asked of a solver."""
    from qsage_validate.certificates.routes import RouteOptions
    from qsage_validate.comparing.compare import first_moves
    from qsage_validate.comparing.exact import value_by_solver

    value = value_by_solver(RouteOptions(solver=method.solver, limits=method.limits))
    with SearchLine(sys.stderr) as line:
        found = first_moves(problem, truth, value, line.tell)
    if found.why:
        left = sum(wins is None for wins in found.wins.values())
        narrate(f"{left} of {len(found.wins)} first moves are open: {found.why}")
    return Named(found.winning, not found.why, said_at_start(found.winning, problem.game))


def by_encoding(encoded: Encoding, truth: bool, method: SolveMethod) -> Named:
    """The first moves in the formula of a game."""
    from qsage_validate.games.languages import load_game
    from qsage_validate.problems.load import BoardProblem, Files

    game = load_game(encoded.model)
    problem = BoardProblem(Files(), encoded.qbf, None, encoded.layout, game)
    return by_solver(problem, truth, method)


def by_search(model: GameModel, method: SolveMethod) -> Named:
    """The first moves that win a game within its depth, by a search of it."""
    from qsage_validate.games.languages import load_game
    from qsage_validate.solvers.search import EngineChoice, search_for

    game = load_game(model)
    with SearchLine(sys.stderr) as line:
        solver = search_for(
            game, limits=method.limits, tell=line.tell, engine=EngineChoice(method.engine.value)
        )
        found = solver.solve(all_first_moves=True)
    return named_by_search(found, game)


def named_by_search(found: SearchResult, game: TwoPlayerGame) -> Named:
    """The first moves that a search has found."""
    moves = tuple(map(str, found.first_moves))
    return Named(moves, found.all_first_moves, said_at_start(moves, game))


# ``qsage solve --depth auto``: the critical depth of a game


@dataclass(frozen=True)
class DeepeningOptions(OptionGroup):
    """The options that go with ``--depth auto``; ``max_depth`` is in the count of ``#depth``."""

    panel = "Depth"

    max_depth: int | None = option("With --depth auto: no greater depth than this.", "N", min=1)
    resume: str | None = output_option(
        "With --depth auto, --jobs or --scheduler: keep what is known in FILE, and go on from it.",
        "FILE",
        panel=None,
    )
    winner: bool = option(
        "Who wins and nothing more: the critical depth is left open where it takes longer.",
        default=False,
    )
    alternate: bool = option(
        "With --depth auto, for positional games: ask by turns whether Black wins and "
        "whether White blocks by pairs.",
        default=False,
    )

    def check_deepens(self, deepens: bool, *, farms: bool) -> None:
        """Raise ``UsageError`` for an option that was given without ``--depth auto``.

        ``farms`` says that many processes search, which keep what they know as well.
        """
        if self.winner and self.alternate:
            raise UsageError("found --winner with --alternate, expected one of them")
        given = {
            "--resume": self.resume is not None and not farms,
            "--max-depth": self.max_depth is not None,
            "--alternate": self.alternate,
        }
        for name, there in given.items():
            if there and not deepens:
                raise UsageError(f"found {name} without --depth auto, which it belongs to")


def solve_to_critical_depth(
    model: GameModel,
    method: SolveMethod,
    encoding: str | None,
    options: DeepeningOptions,
    farm: FarmOptions,
    json_output: bool,
    solution: str | None = None,
    every: bool = False,
) -> Exit:
    """Deepen until Black wins, by the method given; ``solution`` is a file to write.

    With ``every``, all first moves that win within the critical depth are named.
    """
    from qsage_validate.solvers.deepening import DeepeningFile, deepen_by_search, depths_of

    resume, last = options.resume, options.max_depth
    farmed = farm.rests_on(resume)
    file = None if resume is None or farm.given else DeepeningFile(resume, model)
    plies = None if last is None else last - depths_of(model).depth(0)
    solvers: list[SearchSolver] = []
    with SearchLine(sys.stderr) as line:
        if method.searches:
            with farm.searching(method, line.tell, resume) as search:

                def search_kept(model: GameModel) -> SearchSolver:
                    solvers.append(search(model))
                    return solvers[-1]

                found = deepen_by_search(
                    model,
                    search_kept,
                    last=plies,
                    limits=method.limits,
                    file=file,
                    tell=line.tell,
                    winner_only=options.winner,
                )
        else:
            found = _ask(model, method, encoding, plies, file, line)
    named = _every_first_move(found, method, encoding) if every else None
    _tell(found, method, farmed, json_output, named)
    if solution is not None:
        write_solution_at(solution, found, method.limits, *solvers)
    return exit_of(found.truth)


def _ask(
    model: GameModel,
    method: SolveMethod,
    encoding: str | None,
    last: int | None,
    file: DeepeningFile | None,
    line: SearchLine,
) -> Deepened:
    from qsage_validate.api.solving import first_move
    from qsage_validate.encodings.registry import encode
    from qsage_validate.games.protocol import Player
    from qsage_validate.solvers.deepening import DepthAnswer, deepen, depths_of
    from qsage_validate.solvers.qbf_solving import conclusive

    depths = depths_of(model)

    def ask(at_depth: GameModel, deadline: Deadline) -> DepthAnswer:
        depth = at_depth.depth
        plies = depth - depths.depth(0)
        encoded = encode(at_depth, encoding)
        solved = method.until(deadline).solve(
            encoded.qbf, lambda what: line.tell(Progress(f"depth {depth}", str(what)))
        )
        solved = conclusive(solved, encoded)
        if solved.truth is not None:
            line.clear()
            narrate(f"depth {depth}: {word_of(solved.truth)} ({solved.by}, {solved.seconds:.2f} s)")
        move = first_move(encoded.layout, solved.outer, Player.BLACK) if solved.truth else ""
        why = f"depth {depth}: {solved.by}: {solved.why}"
        by = f"{solved.by}, {encoded.layout.encoding}"
        return DepthAnswer(plies, solved.truth, by, solved.seconds, why, move)

    return deepen(model, ask, last=last, deadline=method.limits.deadline, file=file)


def _every_first_move(found: Deepened, method: SolveMethod, encoding: str | None) -> Named | None:
    """The first moves at the critical depth; ``None`` where none is known."""
    if found.truth is not True:
        return None if found.truth is None else Named((), whole=True, said=())
    if found.critical is None:
        return None
    model = found.depths.at(found.critical)
    if method.searches:
        return by_search(model, method)
    from qsage_validate.encodings.registry import encode

    return by_encoding(encode(model, encoding), True, method)


def _tell(
    found: Deepened, method: SolveMethod, farmed: str, json_output: bool, named: Named | None
) -> None:
    from qsage_validate.games.languages import load_game
    from qsage_validate.games.library.catalogue import name_of

    move = found.first_move
    if not json_output:
        # A search that was asked who wins alone may have found several.
        said = said_at_start(move.split(", "), load_game(found.model)) if move else ()
        told = f"first move {', '.join(said)}" if move else ""
        if named is not None:
            told = named.text()
        sentence = f"{found.sentence}{farmed}"
        emit(f"{sentence}; {told}" if told else sentence)
        words = method.engine_words(found.engine, found.nodes) if found.engine else ""
        if words:
            narrate(words)
        return
    truth = found.truth
    emit_json(
        {
            "game": name_of(found.model),
            "verdict": word_of(truth),
            "winner": None if truth is None else "black" if truth else "white",
            "reason": f"{found.sentence}{farmed}",
            "critical_plies": found.critical,
            "critical_depth": found.depth,
            "refuted_plies": found.refuted,
            "never": found.never,
            "bound": None if found.bound is None else found.bound.plies,
            "first_moves": [move] if move else [],
            **({} if named is None else named.facts),
            "engine": found.engine or None,
            "answers": [_answer(answer) for answer in found.answers],
        }
    )


def _answer(answer: DepthAnswer) -> dict[str, object]:
    return {
        "plies": answer.plies,
        "verdict": word_of(answer.truth),
        "by": answer.by,
        "taken_from": answer.taken_from or None,
        "seconds": round(answer.seconds, 3),
    }


# ``qsage solve --depth auto --alternate``: who wins a positional game, asked for both players


ALTERNATES = "cor-lean"
"""The usual encoding of the question whether Black wins."""
_SECONDS = 60.0


def solve_alternating(
    model: GameModel,
    method: SolveMethod,
    encoding: str | None,
    options: DeepeningOptions,
    json_output: bool,
) -> Exit:
    """Ask for Black's win and White's pairing in turn, by formulas or by search."""
    from qsage_validate.games.positional.hex import with_all_winning_sets
    from qsage_validate.games.positional.language import POSITIONAL
    from qsage_validate.games.protocol import Player
    from qsage_validate.solvers.alternation import (
        AlternationFile,
        alternate,
        black_by_formulas,
        black_by_search,
        white_by_formulas,
        white_by_search,
    )
    from qsage_validate.solvers.deepening import SEARCH
    from qsage_validate.solvers.maker_maker import BlockingSearch

    model = with_all_winning_sets(POSITIONAL.own(model, "--alternate with "))
    asked_in = SEARCH if method.searches else encoding or ALTERNATES
    resume = options.resume
    file = None if resume is None else AlternationFile(resume, model, asked_in)
    with SearchLine(sys.stderr) as line:
        asked = ""

        def tell(progress: Progress) -> None:
            nonlocal asked
            asked = str(progress)
            line.tell(progress)

        def solve(formula: Qbf, deadline: Deadline) -> Solved:
            return method.until(deadline).solve(
                formula, lambda what: line.tell(Progress(f"{asked} {what}"))
            )

        pairs = BlockingSearch(model)
        if method.searches:
            black, white = black_by_search(), white_by_search(pairs)
        else:
            black = black_by_formulas(asked_in, solve)
            white = white_by_formulas(solve)
        deadline = method.limits.deadline
        found = alternate(
            model, black, white, last=options.max_depth, deadline=deadline, file=file, tell=tell
        )
    for turn in found.turns:
        what = "wins" if turn.player is Player.BLACK else "blocks"
        verdict = {True: "yes", False: "no", None: "undecided"}[turn.truth]
        by = f"{turn.said_by}, {turn.seconds:.2f} s"
        narrate(f"{turn.player} {what} within {turn.plies}: {verdict} ({by})")
    _tell_alternation(found, _replies(found, pairs, deadline.sooner(_SECONDS)), json_output)
    return exit_of(None if found.winner is None else found.winner is Player.BLACK)


def _tell_alternation(found: Alternated, replies: list[_Reply], json_output: bool) -> None:
    from qsage_validate.games.library.catalogue import name_of
    from qsage_validate.games.protocol import Player

    pairs = _first_pairs(found.model) if found.winner is Player.WHITE and found.plies == 0 else None
    if json_output:
        emit_json(
            {
                "game": name_of(found.model),
                "winner": None if found.winner is None else found.winner.value,
                "plies": found.plies,
                "reason": found.why,
                "first_moves": [found.first_move] if found.first_move else [],
                "pairs": None if pairs is None else [list(pair) for pair in pairs[0]],
                "replies": [
                    {"to": reply.to, "move": reply.move, "pairs": reply.pairs} for reply in replies
                ],
                "answers": [
                    {
                        "player": turn.player.value,
                        "plies": turn.plies,
                        "truth": turn.truth,
                        "by": turn.by,
                        "taken_from": turn.taken_from or None,
                        "seconds": round(turn.seconds, 3),
                    }
                    for turn in found.turns
                ],
            }
        )
        return
    emit(found.why + (f"; first move {found.first_move}" if found.first_move else ""))
    if pairs is not None:
        emit(f"White answers in the pair that Black plays in:\n{pairs[1]}")
    for reply in replies:
        emit(
            f"to {reply.to} White answers {reply.move}" + (f":\n{reply.text}" if reply.text else "")
        )


@dataclass(frozen=True, slots=True)
class _Reply:
    """White's answer to a first move, and the pairs that White has then, if it has, drawn."""

    to: str
    move: str
    pairs: list[list[str]] | None
    text: str


def _replies(found: Alternated, search: BlockingSearch, deadline: Deadline) -> list[_Reply]:
    """White's answers to Black's first moves, for a block that is no pairing at once."""
    from qsage_validate.games.protocol import Player
    from qsage_validate.strategies.guesses import PairingStrategy

    if found.winner is not Player.WHITE or not found.plies:
        return []
    # White is to hold out on the whole board, whatever number of plies the file gives.
    model = found.model.at_depth(found.model.open.bit_count())
    try:
        strategy = PairingStrategy(model, found.plies, search=search, deadline=deadline)
    except UndecidedError as error:
        narrate(f"White's moves are not shown: {error}")
        return []
    replies = []
    for first, answer, pairing in strategy.answers():
        names = text = None
        if pairing is not None:
            black, white = model.mask([first.name]), model.mask([answer.name])
            names = [list(pair) for pair in pairing.names(model)]
            text = pairing.text(model, model.black | black, model.white | white)
        replies.append(_Reply(first.name, answer.name, names, text or ""))
    return replies


def _first_pairs(model: PositionalModel) -> tuple[tuple[tuple[str, str], ...], str] | None:
    """White's pairs on the board as it begins, by name and drawn."""
    from qsage_validate.games.positional.cover_game import PairingFinder

    pairing = PairingFinder(model).find(model.black, model.white)
    if pairing is None:
        return None
    return pairing.names(model), pairing.text(model, model.black, model.white)
