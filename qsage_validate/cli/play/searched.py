"""Opponents other than a given certificate, loaded for these: how each is loaded, and played."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from qsage_validate.cli.common import SearchLine, narrate
from qsage_validate.cli.play.attacks import by_hand, random_lines, run_adversary, tell_random
from qsage_validate.cli.play.modes import NamedGame, OfFormula, play_explained, script
from qsage_validate.cli.play.play_options import (
    GAMES,
    GameSide,
    HeapOptions,
    PlayMode,
    PlayOptions,
    PlayTable,
)
from qsage_validate.errors import Exit, UndecidedError, UsageError
from qsage_validate.registry import declared, declares
from qsage_validate.registry import load as load_place
from qsage_validate.system.limits import Progress, nobody, watching

if TYPE_CHECKING:
    from qsage_validate.arena.lesson import Teacher
    from qsage_validate.arena.program import Programmed
    from qsage_validate.cli.play.play_options import PlayTable
    from qsage_validate.games.family import DeclaredFamily
    from qsage_validate.problems.load import Files, Problem
    from qsage_validate.problems.searched import RulesProblem, SearchedProblem, SolutionProblem


def certified(game: NamedGame, encoding: str | None, files: Files) -> Problem:
    """The play against a certificate of a game, which is made first."""
    from qsage_validate.certificates.routes import RouteOptions, certify_formula
    from qsage_validate.encodings.registry import encode
    from qsage_validate.games.library.catalogue import name_of
    from qsage_validate.problems.load import of
    from qsage_validate.system.limits import NEVER, Limits

    task = watching()
    deadline = NEVER if task is None else task.deadline(None)
    game = game.to_certify(encoding)
    with SearchLine(sys.stderr) as line:
        encoded = encode(game.model, encoding)
        proved = certify_formula(
            encoded.qbf,
            RouteOptions(route="search", limits=Limits(deadline)),
            encoding=encoded,
            layout=encoded.layout,
            tell=line.tell,
        )
    kind = proved.certificate.kind
    narrate(
        f"{name_of(game.model)}: a {kind.value} certificate for {kind.player} was made and proved"
    )
    words = game.encoded_by(encoding)
    named = replace(files, formula=None, certificate=None, game=(), made_from=words)
    return of(encoded, proved.certificate, named)


@dataclass(frozen=True)
class SolverOpponent(OfFormula):
    """The QBF solver that ``files`` name, on their formula or on that of a game."""

    def load(self) -> Problem:
        """The play against it; raises as solvers do.

        Who plays whom follows from the formula's value, which is found out first.
        """
        from qsage_validate.encodings.registry import encode
        from qsage_validate.problems.load import against_solver, load

        files = self.files
        with SearchLine(sys.stderr) as line:
            if files.status is None and files.certificate is None:
                line.tell(Progress(f"{files.solver}", "the value of the formula (see --status)"))
            if self.game is None:
                return load(files)
            words = self.game.encoded_by(self.encoding)
            encoded = encode(self.game.model, self.encoding)
            return against_solver(encoded, replace(files, formula=None, game=(), made_from=words))


@dataclass(frozen=True)
class SearchOpponent:
    """The search on the rules of a game, within ``seconds`` for each reply; see ``--side``."""

    game: NamedGame
    side: GameSide | None
    seconds: float | None

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        return play_searched(self.load, self.game.text, options, json_output)

    def load(self) -> SearchedProblem:
        """The play against it; raises ``UndecidedError`` where it is not known who wins."""
        from qsage_validate.games.languages import load_game
        from qsage_validate.games.protocol import Player
        from qsage_validate.problems.searched import SearchedProblem
        from qsage_validate.solvers.search_solution import SearchReplies

        words, replies = self.game.words, SearchReplies(load_game(self.game.model), self.seconds)
        if self.side is not None:
            return SearchedProblem(words, replies, Player(self.side.value), promised=False)
        with SearchLine(sys.stderr) as line:
            replies.task.hears = line.tell
            try:
                return SearchedProblem(words, replies, replies.winner(), promised=True)
            except UndecidedError as error:
                why = f"{error}; --side black or --side white needs no answer"
                raise UndecidedError(why) from None
            finally:
                replies.task.hears = nobody


@dataclass(frozen=True)
class SolutionOpponent:
    """The replies in a solution file."""

    path: str

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        return play_searched(self.load, self.path, options, json_output)

    def load(self) -> SolutionProblem:
        """The play against them; raises ``InputError``."""
        from qsage_validate.problems.searched import SolutionProblem, SolutionReplies
        from qsage_validate.solutions.walk import read_solution

        return SolutionProblem(SolutionReplies(read_solution(self.path)))


@dataclass(frozen=True)
class StrategyOpponent:
    """The strategy in a file of local patterns."""

    path: str

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        return play_searched(self.load, self.path, options, json_output)

    def load(self) -> RulesProblem:
        """The play against it; raises ``InputError``, ``UsageError`` where nobody reads it."""
        from qsage_validate.problems.searched import DeclaredStrategies

        found = next(iter(declared("strategies", DeclaredStrategies)), None)
        if found is None:
            raise UsageError("found --strategy, expected an installed package that reads it")
        problem: RulesProblem = load_place(found.problem)(self.path)
        return problem


@dataclass(frozen=True)
class ProgramOpponent(OfFormula):
    """The program by which the winner of a formula or of a game wins, found and proved first."""

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        return play_explained(self.load, self.what, options, json_output)

    def load(self) -> Programmed:
        """The program; raises as ``qsage explain`` does, a certificate among the files is proved.

        Raises ``UsageError`` where no installed package explains.
        """
        from qsage_validate.arena.program import DeclaredExplanation

        found = next(iter(declared("explanations", DeclaredExplanation)), None)
        if found is None:
            raise UsageError("found --explain, expected an installed package that explains")
        if self.game is None:
            of_formula: Programmed = load_place(found.formula)(self.files)
            return of_formula
        game, files = self.game, replace(self.files, game=(), explained=True)
        own = partial(load_place(found.game), by_name=game.named is not None, files=files)
        made: Programmed = own(game.model, game.words, self.encoding)
        return made


@dataclass(frozen=True)
class HeapOpponent:
    """The winning rules of a game of a family that has no formulas."""

    family: DeclaredFamily
    name: str
    heaps: HeapOptions

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        code: Exit = load_place(self.family.play)(self.name, self.heaps, options, json_output)
        return code


def play_searched(
    make: Callable[[], RulesProblem], what: str, options: PlayOptions, json_output: bool
) -> Exit:
    """Play a game against the search of ``what`` that ``make`` begins, or a solution."""
    from qsage_validate.arena.blocks import SearchedEngine

    for name, wanted in {"--illegal": options.illegal, "--let-happen": options.force}.items():
        if wanted:
            raise UsageError(f"found {name}, but there is no formula to tell an illegal move")
    if options.mode is PlayMode.DRILL:
        raise UsageError(
            "found --drill with a search or solution, expected a certificate: see --certify"
        )

    def table() -> PlayTable:
        problem = make()

        def teacher() -> Teacher | None:
            from qsage_validate.arena.lesson import make_teacher

            return make_teacher(problem.player, None, problem.game)

        engine, task = SearchedEngine(problem), problem.replies.task
        taught = teacher if declares("teachers") else None
        return PlayTable(engine, problem.replay, task=task, teacher=taught)

    if options.mode is PlayMode.SCRIPT:
        return script(table(), options, json_output)
    if options.mode is not PlayMode.RANDOM:
        return by_hand(table, what, options)
    from qsage_validate.arena.adversary import EngineAdversary

    problem = make()
    options.tell_opponent(problem.player.other, problem.answers)
    adversary = EngineAdversary(SearchedEngine(problem), problem.replay, seed=options.seed or 0)
    report = run_adversary(adversary, options.games or GAMES)
    lines = random_lines(report, problem.player.other, "the rules")
    return tell_random(report, report.to_dict(), lines, json_output)
