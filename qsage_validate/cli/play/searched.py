"""Plays of a game without a formula, against a search or a solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qsage_validate.cli.play.attacks import by_hand, random_lines, run_adversary, tell_random
from qsage_validate.cli.play.modes import script
from qsage_validate.cli.play.play_options import GAMES, PlayMode, PlayOptions, PlayTable
from qsage_validate.errors import Exit, UsageError
from qsage_validate.registry import declares

if TYPE_CHECKING:
    from qsage_validate.arena.lesson import Teacher
    from qsage_validate.cli.play.play_options import PlayTable
    from qsage_validate.problems.searched import RulesProblem


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
