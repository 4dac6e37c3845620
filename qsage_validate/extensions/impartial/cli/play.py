"""``qsage play`` on an impartial game: against rules, read or synthesised on the spot."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from qsage_validate.cli.common import narrate
from qsage_validate.cli.play.asked import HeapOptions
from qsage_validate.cli.play.attacks import (
    by_hand,
    finding_lines,
    random_lines,
    run_adversary,
    show,
    tell_random,
)
from qsage_validate.cli.play.modes import script
from qsage_validate.cli.play.play_options import GAMES, PlayMode, PlayOptions, PlayTable
from qsage_validate.errors import Exit, UsageError, one_line
from qsage_validate.system.limits import Progress

if TYPE_CHECKING:
    from qsage_validate.extensions.impartial.adversary import ExhaustiveReport
    from qsage_validate.extensions.impartial.model import ImpartialGame
    from qsage_validate.extensions.impartial.moves import State
    from qsage_validate.extensions.impartial.problem import HeapProblem
    from qsage_validate.games.protocol import Player

_BOUND: Final = 20
_SECONDS: Final = 60.0
# Random starts that are looked at for one in which the person has a move.
_STARTS: Final = 100


def impartial_game(name: str) -> ImpartialGame:
    """The impartial game in the file ``name``, or the one of that name.

    Raises ``InputError`` for a file that begins like such a game and is none.
    """
    from qsage_validate.extensions.impartial import library
    from qsage_validate.extensions.impartial.parser import read_game

    return read_game(name) if os.path.isfile(name) else library.load(name)


def play_heaps(name: str, options: HeapOptions, play: PlayOptions, json_output: bool) -> Exit:
    """Play the impartial game that is called ``name``, or is in the file ``name``."""
    from qsage_validate.extensions.impartial.problem import load_heaps, open_heaps
    from qsage_validate.games.protocol import Player

    _check(options, play)
    game = impartial_game(name)
    problem = load_heaps(
        game, [name], options.rules, misere=options.misere, seconds=_SECONDS, tell=_told
    )
    first = None if options.begins is None else Player(options.begins)
    start = _start(problem, options)
    if play.mode is PlayMode.RANDOM:
        return _attack(problem, start, first, options, play, json_output)
    # A script is for one state: the same one each time.
    seed = 0 if play.seed is None and play.mode is PlayMode.SCRIPT else play.seed
    if start is None:
        start = _random_start(problem, first, options.bound or _BOUND, random.Random(seed))
    first = first or problem.begins(start)
    table = PlayTable(open_heaps(problem, start, first), problem.replay(start, first))
    if play.mode is PlayMode.SCRIPT:
        return script(table, play, json_output)
    return by_hand(lambda: table, name, play)


def _random_start(
    problem: HeapProblem, first: Player | None, bound: int, generator: random.Random
) -> State:
    """A state in which the person has a move, also after the rules' first one, where one is found.

    Raises ``UsageError`` where no state up to ``bound`` has a move.
    """
    from qsage_validate.arena.board_engine import answered
    from qsage_validate.extensions.impartial.problem import open_heaps, random_state

    for _ in range(_STARTS):
        start = random_state(problem.rules, bound, generator)
        engine = open_heaps(problem, start, first or problem.begins(start))
        if not answered(engine, engine.start())[-1].over:
            break
    return start


def _told(progress: Progress) -> None:
    narrate(one_line(str(progress), 160))


def _check(options: HeapOptions, play: PlayOptions) -> None:
    if play.mode is PlayMode.DRILL:
        raise UsageError("found --drill with an impartial game, expected a certificate on a board")
    if play.black is not None:
        raise UsageError("found --black: the rules play Black, expected --white")
    if options.begins not in (None, "black", "white"):
        raise UsageError(f"found --begins {options.begins}, expected black or white")
    if play.white == "all":
        wrong = {
            "--state": options.state is not None,
            "--begins": options.begins is not None,
            "--games": play.games is not None,
            "--seed": play.seed is not None,
            "--illegal": bool(play.illegal),
        }
        for option, given in wrong.items():
            if given:
                raise UsageError(f"found {option} with --white all, which looks at all states")
    if options.bound is not None and options.state is not None:
        raise UsageError("found --bound with --state, expected one of them")


def _start(problem: HeapProblem, options: HeapOptions) -> State | None:
    from qsage_validate.extensions.impartial.heap_game import parse_state

    return None if options.state is None else parse_state(problem.rules, options.state)


# -- opponents ------------------------------------------------------------------------------


def _attack(
    problem: HeapProblem,
    start: State | None,
    first: Player | None,
    options: HeapOptions,
    play: PlayOptions,
    json_output: bool,
) -> Exit:
    from qsage_validate.extensions.impartial.adversary import HeapAdversary, heaps_json
    from qsage_validate.games.protocol import Player

    bound = _BOUND if options.bound is None else options.bound
    narrate(problem.origin)
    if play.white == "all":
        return _all(problem, bound, json_output)
    games, seed = play.games or GAMES, play.seed or 0
    adversary = HeapAdversary(
        problem, seed=seed, bound=bound, start=start, first=first, illegal=play.illegal
    )
    report = run_adversary(adversary, games)
    lines = random_lines(report, Player.WHITE, "the preconditions", rules=True)
    length = f"{report.results.plies / max(games, 1):.1f} plies a game"
    return tell_random(report, heaps_json(report), [*lines, length], json_output)


def _all(problem: HeapProblem, bound: int, json_output: bool) -> Exit:
    from qsage_validate.extensions.impartial.adversary import exhaust

    report = exhaust(problem, bound)
    show(report.to_dict(), _exhaustive_lines(report), json_output)
    if report.found:
        return Exit.REFUTED
    return Exit.FINE if report.labelled == report.states else Exit.UNDECIDED


def _exhaustive_lines(report: ExhaustiveReport) -> Iterator[str]:
    yield (
        f"all {report.states:,} states up to {report.bound}: {report.winning:,} winning, "
        f"{report.states - report.winning:,} losing"
    )
    yield f"{report.replies:,} replies, {report.answers:,} moves against them"
    yield (
        f"compared with backward induction: {report.labelled:,} states, with search: "
        f"{report.searched:,}"
    )
    yield from finding_lines(report.found.kept, len(report.found), rules=True)
