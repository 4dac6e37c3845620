"""Plays by an adversary, and by hand."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from qsage_validate.cli.common import emit, emit_json, narrate
from qsage_validate.cli.play.play_options import (
    GAMES,
    PlayMode,
    PlayOptions,
    check_teacher,
    is_terminal,
)
from qsage_validate.errors import Exit, UsageError, counted
from qsage_validate.system.signals import orderly_termination

if TYPE_CHECKING:
    from qsage_validate.arena.adversary import Adversary, AdversaryReport
    from qsage_validate.arena.lesson import Teacher
    from qsage_validate.cli.play.play_options import PlayTable
    from qsage_validate.games.protocol import Player
    from qsage_validate.problems.load import Problem
    from qsage_validate.validation.finding import Finding


# Plays against a random player, and what is told of them


def play_random(problem: Problem, options: PlayOptions, json_output: bool) -> Exit:
    """Let a random player play against the certificate of a problem."""
    from qsage_validate.arena.adversary import open_adversary
    from qsage_validate.arena.watch import watched

    opponent = problem.answering.kind.player.other
    options.tell_opponent(opponent, "certificate")
    games = options.games or GAMES
    adversary = open_adversary(problem, seed=options.seed or 0, illegal=options.illegal)
    report = run_adversary(adversary, games)
    looked = watched(problem)
    lines = random_lines(report, opponent, "the formula", looked)
    speed = f"{report.plays_per_second:,.0f} games a second"
    data = report.to_dict() | ({"assertions": looked} if looked else {})
    return tell_random(report, data, [*lines, speed], json_output)


def tell_random(
    report: AdversaryReport, data: Mapping[str, object], lines: Iterable[str], json_output: bool
) -> Exit:
    """Show the ``lines`` of random plays, or their ``data``."""
    show(data, lines, json_output)
    if report.losses or report.findings_total:
        return Exit.REFUTED
    return Exit.UNDECIDED if report.undecided else Exit.FINE


def show(data: Mapping[str, object], lines: Iterable[str], json_output: bool) -> None:
    """The ``lines``, or the ``data`` as JSON."""
    if json_output:
        emit_json(data)
    else:
        emit("\n".join(lines))


def random_lines(
    report: AdversaryReport, opponent: Player, by: str, looked: str = "", *, rules: bool = False
) -> Iterator[str]:
    """The results of random plays; illegal moves are told ``by`` something.

    ``looked`` says which assertions were looked at.
    """
    given, tried, flagged = report.results.given, report.results.tried, report.results.flagged
    yield (
        f"{counted(report.games, 'game')} against a random {opponent} (seed {report.seed}): "
        f"{opponent.other} won {report.wins:,}, lost {report.losses:,}"
        + (f", lost {given:,} from states that it was not promised" if given else "")
        + (f", undecided {report.undecided:,}" if report.undecided else "")
    )
    if tried:
        yield f"illegal moves: {tried:,} tried, {flagged:,} flagged by {by}"
    yield from filter(None, (looked,))
    yield from finding_lines(report.findings, report.findings_total, rules=rules)


def finding_lines(findings: Sequence[Finding], total: int, *, rules: bool = False) -> Iterator[str]:
    """The ``findings`` that were kept, of ``total``, with their replays; ``rules`` with theirs."""
    yield f"findings: {total or 'none'}"
    for finding in findings:
        yield f"  {finding.text}"
        if rules and finding.rule is not None:
            yield f"    rule: {finding.rule}"
        yield f"    {finding.replay}"
    if total > len(findings):
        yield f"  … and {total - len(findings)} more"


def run_adversary(adversary: Adversary, games: int) -> AdversaryReport:
    """Its plays, with a progress bar on standard error, where that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return adversary.run(games)
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from qsage_validate.render.console import PlainConsole

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress_bar = Progress(*columns, console=PlainConsole(stderr=True), transient=True)
    with orderly_termination(), progress_bar as progress:
        task = progress.add_task("games", total=games)
        return adversary.run(games, progress=lambda done: progress.update(task, completed=done))


# Plays of a person: on the board, at a prompt, as a drill


def play_drill(make: Callable[[], Problem], what: str, side: Player, options: PlayOptions) -> Exit:
    """Ask for the moves of ``side``, line after line: on the board, or at a prompt."""
    from qsage_validate.arena.lesson import PromptDrill, teacher_of, teachers
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

    if not options.plain and is_terminal():
        from qsage_validate.cli.play.board import drill_on_board

        return drill_on_board(
            drilled, what, side, options.resume, theme=options.theme, kept=not options.no_state
        )
    problem, teacher = drilled()
    drill: PromptDrill = load(found.prompt)
    return drill(teacher, problem.play_title, side, options.resume)


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
    from qsage_validate.play.console import run_plain
    from qsage_validate.play.match import PlayMatch
    from qsage_validate.play.report import too_few_moves

    table = check_teacher(make(), options)
    match = PlayMatch(table.engine, teacher=table.teacher, program=table.program)
    if options.continued is not None:
        go_on_with(match, options.continued)
    # The prompt gives the terminal back as it was, also when the program is told to end.
    with orderly_termination():
        code = run_plain(match, seed=options.seed, force=options.force, teach=options.teach)
    if code is Exit.UNDECIDED and not match.over:
        narrate(too_few_moves(match))
    return code
