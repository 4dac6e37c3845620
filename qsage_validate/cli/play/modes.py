"""How it is played: on the board, at a prompt, by a script, at random."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from qsage_validate.cli.common import emit, emit_json, narrate
from qsage_validate.cli.option_groups import OptionGroup, flag, option, output_option
from qsage_validate.errors import Exit, UsageError
from qsage_validate.registry import declares
from qsage_validate.system.signals import orderly_termination

if TYPE_CHECKING:
    from qsage_validate.arena.adversary import Adversary, AdversaryReport
    from qsage_validate.arena.frame import Frame
    from qsage_validate.arena.lesson import Teacher
    from qsage_validate.arena.program import Programmed
    from qsage_validate.cli.play.table import PlayTable
    from qsage_validate.games.protocol import Player
    from qsage_validate.play.match import PlayMatch
    from qsage_validate.play.tui.model.services import Services
    from qsage_validate.problems.load import Problem
    from qsage_validate.problems.searched import RulesProblem
    from qsage_validate.validation.finding import Finding

    MakeTeacher = Callable[[], Teacher | None]

GAMES: Final = 100
_PANEL = "Ways to play"


class PlayMode(Enum):
    """How a play goes: on the board, at a prompt, by a script, or by a random player."""

    BOARD = "board"
    PLAIN = "plain"
    SCRIPT = "script"
    RANDOM = "random"
    DRILL = "drill"


@dataclass(frozen=True)
class PlayOptions(OptionGroup):
    """The options that all kinds of games have."""

    plain: bool = flag("A prompt instead of the board.", "--plain", panel=_PANEL)
    moves: str | None = option(
        "Play these moves; M! lets an illegal one happen, M!stop claims the goal, "
        "M!stop! does both.",
        "'M1 M2 …'",
        panel=_PANEL,
    )
    moves_file: str | None = option(
        "Play the moves in FILE, or replay a saved transcript ('-': standard input).",
        "FILE",
        panel=_PANEL,
    )
    white: str | None = option(
        "A random White plays many games; all: in an impartial game every state up to "
        "--bound and every move is tried.",
        "random|all",
        panel=_PANEL,
    )
    black: str | None = option(
        "A random Black, against a Herbrand certificate.", "random", panel=_PANEL
    )
    games: int | None = option("How many random games (100).", min=1, panel=_PANEL)
    seed: int | None = option(
        "The seed of random moves; the same seed gives the same plays (0 if left out).",
        panel=_PANEL,
    )
    illegal: float = option(
        "How often a random opponent tries an illegal move first.",
        "P",
        min=0,
        max=1,
        default=0.0,
        panel=_PANEL,
    )
    export: str | None = output_option(
        "With moves, or one random game: write the play, as .svg, .json, .txt, or (Hex) .sgf.",
        "FILE",
    )
    teach: bool = flag(
        "Say how long each move lasts, what threatens, and why it was answered so: after the "
        "moves, and at the prompt after each answer. The board says it unasked.",
        "--teach",
        panel=_PANEL,
    )
    explain: bool = flag(
        "Find a small program that wins, prove it (see 'qsage explain'), and play against its "
        "certificate: each reply comes with the questions that led to it, which a pane of the "
        "board shows.",
        "--explain",
        panel=_PANEL,
    )
    drill: str | None = option(
        "Ask for the moves of a side, line after line of the strategy: the certificate's replies, "
        "or of the other side the moves that last longest. Wrong answers are counted. On a "
        "terminal the board asks, with --plain a prompt.",
        "black|white",
        panel=_PANEL,
    )
    resume: str | None = option(
        "Keep the progress of --drill in FILE, and go on from it (the board keeps its own).",
        "FILE",
        panel=_PANEL,
    )
    force: bool = flag("Begin in the mode that lets illegal moves happen.", "--let-happen")
    theme: str | None = option("The colours of the board (the last ones, else dark).", "dark|light")
    continued: str | None = option("Go on with the play saved in FILE.", "FILE", "--continue")
    no_state: bool = flag("Keep nothing of this play, and look at nothing kept.", "--no-state")

    @property
    def mode(self) -> PlayMode:
        """The mode that was asked for; raises ``UsageError`` when several were."""
        asked = {
            "--plain": self.plain,
            "--moves": self.moves is not None,
            "--moves-file": self.moves_file is not None,
            "--white": self.white is not None,
            "--black": self.black is not None,
            "--drill": self.drill is not None,
        }
        chosen = [name for name, wanted in asked.items() if wanted]
        if chosen == ["--plain", "--drill"]:
            chosen = ["--drill"]  # at a prompt
        if len(chosen) > 1:
            raise UsageError(f"found {' and '.join(chosen)}, expected one of them")
        if self.white not in (None, "random", "all"):
            raise UsageError(f"found --white {self.white}, expected --white random")
        if self.black not in (None, "random"):
            raise UsageError(f"found --black {self.black}, expected --black random")
        if not chosen:
            return PlayMode.BOARD
        if self.drill not in (None, "black", "white"):
            raise UsageError(f"found --drill {self.drill}, expected black or white")
        modes = {
            "--plain": PlayMode.PLAIN,
            "--moves": PlayMode.SCRIPT,
            "--moves-file": PlayMode.SCRIPT,
            "--drill": PlayMode.DRILL,
        }
        if self.export is not None and self.white != "all" and self.games == 1:
            return PlayMode.SCRIPT  # with moves that are drawn
        return modes.get(chosen[0], PlayMode.RANDOM)

    def check(self, json_output: bool) -> None:
        """Raise ``UsageError`` for options that the mode has no use for."""
        mode = self.mode
        drawn = self.white is not None or self.black is not None
        if not drawn and (self.games is not None or self.illegal):
            asked = "--games" if self.games is not None else "--illegal"
            raise UsageError(f"{asked} goes with a random opponent: --white random")
        if self.export is not None:
            from qsage_validate.play.export import ExportFormat

            ExportFormat.of(self.export)
            if mode is not PlayMode.SCRIPT:
                raise UsageError(
                    "found --export, expected it with --moves, --moves-file, or --games 1 and a "
                    "random opponent"
                )
            if drawn and self.illegal:
                raise UsageError("found --illegal with --export, expected legal moves")
        if self.teach and mode in (PlayMode.RANDOM, PlayMode.DRILL):
            raise UsageError(f"found --teach with a {mode.value} play, expected one to learn from")
        if self.explain and mode in (PlayMode.RANDOM, PlayMode.DRILL):
            raise UsageError(f"found --explain with a {mode.value} play, expected one to read")
        if self.continued is not None and mode not in (PlayMode.BOARD, PlayMode.PLAIN):
            raise UsageError(f"found --continue with a {mode.value} play, expected one by hand")
        if self.resume is not None and mode is not PlayMode.DRILL:
            raise UsageError("found --resume, expected it with --drill")
        if json_output and mode not in (PlayMode.SCRIPT, PlayMode.RANDOM):
            raise UsageError("--json goes with --moves, --moves-file or a random opponent")

    def tell_opponent(self, opponent: Player, answers: str) -> None:
        """Say who the random player is, where another one was asked for."""
        asked = "White" if self.white is not None else "Black"
        if str(opponent) != asked:
            narrate(f"the {answers} plays {asked}: the random player is {opponent}")


def play_problem(
    make: Callable[[], Problem], what: str, options: PlayOptions, json_output: bool
) -> Exit:
    """Play against the certificate of the problem that ``make`` loads of ``what``."""
    if options.mode is PlayMode.RANDOM:
        return _random(make(), options, json_output)
    if options.mode is PlayMode.DRILL:
        return _drill(make, what, options)
    if options.mode is PlayMode.SCRIPT:
        return script(_table(make()), options, json_output)
    return by_hand(lambda: _table(make()), what, options)


def play_explained(
    make: Callable[[], Programmed], what: str, options: PlayOptions, json_output: bool
) -> Exit:
    """Play against the certificate of the program that ``make`` finds of ``what``."""

    def table() -> PlayTable:
        found = make()
        return replace(_table(found.problem), program=found.program)

    if options.mode is PlayMode.SCRIPT:
        return script(table(), options, json_output)
    return by_hand(table, what, options)


def _table(problem: Problem) -> PlayTable:
    from qsage_validate.arena.open import open_engine
    from qsage_validate.cli.play.table import PlayTable

    def teacher() -> Teacher | None:
        from qsage_validate.arena.lesson import teacher_of

        return teacher_of(problem)

    def services() -> Services:
        from qsage_validate.cli.play.prover import prover
        from qsage_validate.play.tui.model.services import Services

        # A solver's play has nothing to prove, and its tree would be solved move by move.
        if problem.solving is not None:
            return Services(gates=Services.of(problem).gates)
        return Services.of(problem, prover(problem))

    return PlayTable(
        open_engine(problem),
        problem.replay,
        services,
        None if problem.solving is None else problem.solving.replies.task,
        teacher if problem.layout is not None and declares("teachers") else None,
    )


def _drill(make: Callable[[], Problem], what: str, options: PlayOptions) -> Exit:
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


def play_searched(
    make: Callable[[], RulesProblem], what: str, options: PlayOptions, json_output: bool
) -> Exit:
    """Play a game against the search of ``what`` that ``make`` begins, or a solution."""
    from qsage_validate.arena.engines.searched import SearchedEngine
    from qsage_validate.cli.play.table import PlayTable

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
            lambda: _checked(make(), options),
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

    table = _checked(make(), options)
    match = PlayMatch(table.engine, teacher=table.teacher, program=table.program)
    if options.continued is not None:
        go_on_with(match, options.continued)
    # The prompt gives the terminal back as it was, also when the program is told to end.
    with orderly_termination():
        return run_plain(match, seed=options.seed, force=options.force, teach=options.teach)


def is_terminal() -> bool:
    """Whether there is one to draw a board on and to type at."""
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and stream.isatty() for stream in streams)


# -- scripts --------------------------------------------------------------------------------


def _checked(table: PlayTable, options: PlayOptions) -> PlayTable:
    if options.teach and table.teacher is None:
        raise UsageError("found --teach with a game that has no teacher, expected one on a board")
    return table


def script(table: PlayTable, options: PlayOptions, json_output: bool) -> Exit:
    """Play by a script, and show each step."""
    _checked(table, options)
    from qsage_validate.formats.source import Source
    from qsage_validate.play.match import PlayMatch
    from qsage_validate.play.report import exit_code, frame_lines, lesson_lines, match_json
    from qsage_validate.play.script import run_script

    match = PlayMatch(table.engine, teacher=table.teacher, program=table.program)
    text, path = options.moves or "", None
    if options.moves_file is not None:
        source = Source.open(options.moves_file)
        text, path = source.text, source.path

    def tell(frame: Frame) -> None:
        if not json_output:
            emit("\n".join(frame_lines(match, frame)))

    if options.white is None and options.black is None:
        refused = run_script(match, text, path, show=tell)
    else:
        refused = None
        options.tell_opponent(match.person, "certificate")
        _draw_moves(match, random.Random(options.seed or 0), tell)
    if json_output:
        lesson = {"lesson": match.lesson().to_dict()} if options.teach else {}
        emit_json(match_json(match, refused) | lesson)
    elif options.teach:
        emit("\n".join(lesson_lines(match.lesson())))
    if refused is not None:
        if not json_output:
            emit(f"{refused.move} is illegal:")
            emit("\n".join(f"  {line}" for line in refused.lines))
        way = "" if match.facts.by_rules else f" ({refused.move}! lets it happen)"
        narrate(f"qsage: error: {refused.move} is illegal{way}")
        return Exit.BAD_INPUT
    if options.export is not None:
        from qsage_validate.play.export import write_play

        write_play(match, options.export)
        narrate(f"{options.export}: the play")
    if not match.over:
        narrate(f"the moves end before the play does: {match.mover} is to move")
    return exit_code(match)


def _draw_moves(match: PlayMatch, generator: random.Random, tell: Callable[[Frame], None]) -> None:
    """Play to the end by moves that are drawn."""
    for frame in match.frames:
        tell(frame)
    while (move := match.random_move(generator)) is not None:
        for frame in match.push(move):
            tell(frame)


# -- random opponents -----------------------------------------------------------------------


def _random(problem: Problem, options: PlayOptions, json_output: bool) -> Exit:
    from qsage_validate.arena.open import open_adversary, watched

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
        f"{report.games} games against a random {opponent} (seed {report.seed}): "
        f"{opponent.other} won {report.wins}, lost {report.losses}"
        + (f", lost {given} from states that it was not promised" if given else "")
        + (f", undecided {report.undecided}" if report.undecided else "")
    )
    if tried:
        yield f"illegal moves: {tried} tried, {flagged} flagged by {by}"
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
