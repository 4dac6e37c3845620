"""Plays of a person: on the board, at a prompt, as a drill."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from qsage_validate.cli.play.play_options import PlayMode, PlayOptions, check_teacher, is_terminal
from qsage_validate.errors import Exit, UsageError
from qsage_validate.system.signals import orderly_termination

if TYPE_CHECKING:
    from qsage_validate.arena.lesson import Teacher
    from qsage_validate.cli.play.table import PlayTable
    from qsage_validate.problems.load import Problem


def play_drill(make: Callable[[], Problem], what: str, options: PlayOptions) -> Exit:
    """Ask for the moves of one side, line after line: on the board, or at a prompt."""
    from qsage_validate.arena.lesson import PromptDrill, teacher_of, teachers
    from qsage_validate.games.protocol import Player
    from qsage_validate.registry import load

    found = teachers()
    if found is None:
        raise UsageError("found --drill, expected an installed package that teaches")

    def drilled() -> tuple[Problem, Teacher]:
        problem = make()
        teacher = teacher_of(problem)
        if teacher is None or teacher.tree is None:
            text = "found --drill without a certificate on a board, expected one to drill"
            raise UsageError(text)
        return problem, teacher

    assert options.drill is not None, "the mode says so"
    side = Player(options.drill)
    if not options.plain and is_terminal():
        from qsage_validate.cli.play.board import drill_on_board

        return drill_on_board(
            drilled, what, side, options.resume, theme=options.theme, kept=not options.no_state
        )
    problem, teacher = drilled()
    drill: PromptDrill = load(found.prompt)
    return drill(teacher, problem.title, side, options.resume)


def by_hand(make: Callable[[], PlayTable], what: str, options: PlayOptions) -> Exit:
    """Let a person play: on the board, or at a prompt where there is no terminal.

    The work of ``make`` may take long: on a terminal it is made while something is on the screen.
    """
    if is_terminal() and os.name == "posix" and find_spec("termios") is None:
        raise UsageError(
            "found a Python without the module 'termios', which a play at a terminal needs: "
            "use --moves or --moves-file"
        )
    if options.mode is not PlayMode.PLAIN and is_terminal():
        from qsage_validate.cli.play.board import on_board

        return on_board(
            lambda: check_teacher(make(), options),
            what,
            theme=options.theme,
            seed=options.seed,
            force=options.force,
            continued=options.continued,
            kept=not options.no_state,
        )
    from qsage_validate.cli.play.board import go_on_with
    from qsage_validate.play.console.prompt import run_plain
    from qsage_validate.play.match import PlayMatch

    table = check_teacher(make(), options)
    match = PlayMatch(table.engine, teacher=table.teacher, program=table.program)
    if options.continued is not None:
        go_on_with(match, options.continued)
    # The prompt gives the terminal back as it was, also when the program is told to end.
    with orderly_termination():
        return run_plain(match, seed=options.seed, force=options.force, teach=options.teach)
