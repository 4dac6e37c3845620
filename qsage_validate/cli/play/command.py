"""``qsage play`` (``qsage-play``): play against a certificate, by hand, by script, at random."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from qsage_validate.cli.common import (
    DialectOption,
    GameOption,
    JsonOption,
    MetaOption,
    ModelOption,
    PrenexOption,
    emit,
    emit_json,
    game_words,
    narrate,
    parse_dialect,
    prenex_order,
)
from qsage_validate.errors import Exit, UsageError

if TYPE_CHECKING:
    from qsage_validate.arena.adversary import AdversaryReport
    from qsage_validate.cli.play.heaps import Ways
    from qsage_validate.play.match import Match
    from qsage_validate.problems.load import Problem

_GAMES = 100
_MODES = "Ways to play"
_IMPARTIAL = "Impartial games"
_ASKING = "How the certificate is asked"
_GAME = "Games without a certificate"


def command(
    formula: Annotated[
        str | None,
        typer.Argument(
            metavar="FORMULA|GAME",
            help="QCIR or QDIMACS; a clause certificate (Pedant) plays without one. Or a game, "
            "which is certified first: a PG, .hex or GDL file, or a name (see 'qsage games'); or "
            "an impartial game: its file or its name (take-away-3).",
        ),
    ] = None,
    cert: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The certificate; else the one beside FORMULA."),
    ] = None,
    meta: MetaOption = None,
    game: GameOption = None,
    model: ModelOption = None,
    dialect: DialectOption = None,
    prenex: PrenexOption = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="A prompt instead of the board.", rich_help_panel=_MODES),
    ] = False,
    moves: Annotated[
        str | None,
        typer.Option(
            metavar="'M1 M2 …'",
            help="Play these moves; M! lets an illegal one happen, M!stop claims the goal, "
            "M!stop! does both.",
            rich_help_panel=_MODES,
        ),
    ] = None,
    moves_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Play the moves in FILE, or replay a saved transcript ('-': standard input).",
            rich_help_panel=_MODES,
        ),
    ] = None,
    white: Annotated[
        str | None,
        typer.Option(
            metavar="random|all",
            help="A random White plays many games; all: in an impartial game every state up to "
            "--bound and every move is tried.",
            rich_help_panel=_MODES,
        ),
    ] = None,
    black: Annotated[
        str | None,
        typer.Option(
            metavar="random",
            help="A random Black, against a Herbrand certificate.",
            rich_help_panel=_MODES,
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="How many random games (100).", rich_help_panel=_MODES),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="The seed of random moves; the same seed gives the same plays (0 if left out).",
            rich_help_panel=_MODES,
        ),
    ] = None,
    illegal: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            metavar="P",
            help="How often a random opponent tries an illegal move first.",
            rich_help_panel=_MODES,
        ),
    ] = 0.0,
    let_happen: Annotated[
        bool,
        typer.Option("--let-happen", help="Begin in the mode that lets illegal moves happen."),
    ] = False,
    theme: Annotated[
        str, typer.Option(metavar="dark|light", help="The colours of the board.")
    ] = "dark",
    sat: Annotated[
        bool,
        typer.Option("--sat", help="Ask by SAT solver only.", rich_help_panel=_ASKING),
    ] = False,
    simulation: Annotated[
        bool,
        typer.Option(
            "--simulation", help="Ask by evaluating the circuit only.", rich_help_panel=_ASKING
        ),
    ] = False,
    bare: Annotated[
        bool,
        typer.Option("--bare", help="Play the formula's blocks, not the board of its layout."),
    ] = False,
    peeking: Annotated[
        bool,
        typer.Option(
            "--peeking",
            help="Play a wrong certificate too, whose functions look to their right: they read "
            "false for what is not chosen yet.",
            rich_help_panel=_ASKING,
        ),
    ] = False,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The rules to play against: lines 'CONDITION -> ACTION(E, ...)', or what qsage "
            "synthesize -o has written. Else they are synthesised.",
            rich_help_panel=_IMPARTIAL,
        ),
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="'V=N …'",
            help="The state to begin in; else one is drawn by --seed.",
            rich_help_panel=_IMPARTIAL,
        ),
    ] = None,
    begins: Annotated[
        str | None,
        typer.Option(
            metavar="black|white",
            help="Who begins; the rules play Black. Else whoever lets the rules win.",
            rich_help_panel=_IMPARTIAL,
        ),
    ] = None,
    misere: Annotated[
        bool,
        typer.Option(
            "--misere", help="Whoever makes the last move loses.", rich_help_panel=_IMPARTIAL
        ),
    ] = False,
    bound: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="The largest value of a variable in states that are drawn or tried (20).",
            rich_help_panel=_IMPARTIAL,
        ),
    ] = None,
    depth: Annotated[
        str | None, typer.Option(metavar="N", help="Plies, or rounds.", rich_help_panel=_GAME)
    ] = None,
    role: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="In GDL: who is Black.", rich_help_panel=_GAME),
    ] = None,
    win: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="In GDL: the least goal that is a win.", rich_help_panel=_GAME
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The game's encoding.", rich_help_panel=_GAME),
    ] = None,
    json_output: JsonOption = False,
) -> Exit:
    """Play against a certificate, which answers as the winning strategy that it is.

    Against a Skolem certificate you are White, against a Herbrand certificate Black. Board and
    replies come from the certificate; where the rules are known (from the formula itself or
    --game) every step is compared with them.

    A game without a certificate (--model 'harary --size 3x3', or a file with --depth) is searched,
    and the winner's certificate made and proved before the play begins.

    An impartial game is played against winning rules, which play Black: a move is written
    take(2), and every reply is compared with the rules of the game and backward induction.

    Exit code 0: the play ended as promised, or was left; 1: something was found, or the
    promised win did not come; 2: bad input; 3: the moves ended before the play did.
    """
    from qsage_validate.cli.play import certified as play_model
    from qsage_validate.cli.play import heaps as play_impartial

    if sat and simulation:
        raise UsageError("found --sat with --simulation, expected one of them")
    mode = _mode(plain, moves, moves_file, white, black)
    if mode != "random" and (games is not None or illegal):
        asked = "--games" if games is not None else "--illegal"
        raise UsageError(f"{asked} goes with a random opponent: --white random")
    if json_output and mode not in ("script", "random"):
        raise UsageError("--json goes with --moves, --moves-file or a random opponent")
    ways = play_impartial.Ways(
        mode, white, moves, moves_file, games, seed, illegal, let_happen, theme, json_output
    )
    options = play_impartial.ImpartialOptions(rules, state, begins, misere, bound)
    heaps = play_impartial.impartial_game(formula)
    if heaps is not None:
        _only_impartial(cert, meta, game or model, dialect, sat or simulation, bare or peeking)
        if black is not None:
            raise UsageError("found --black: the rules play Black, expected --white")
        return play_impartial.play(heaps, str(formula), options, ways)
    for option in options.given():
        raise UsageError(f"found {option}, but {formula or 'nothing'} is no impartial game")
    if white == "all":
        raise UsageError("found --white all, expected --white random: that is no impartial game")
    from qsage_validate.certificates.oracles.choose import OracleKind
    from qsage_validate.problems.files import Files, sorted_out
    from qsage_validate.problems.load import load

    engine = OracleKind.SAT if sat else OracleKind.SIMULATION if simulation else OracleKind.AUTO
    words = game_words(game, model)
    files = Files(
        formula,
        cert,
        meta,
        words,
        parse_dialect(dialect),
        engine,
        bare,
        peeking,
        prenex=prenex_order(prenex),
    )
    if formula == "-" or cert == "-" or meta == "-":
        raise UsageError("a play needs its files by name, not '-'")
    named = {"depth": depth, "role": role, "win": win}
    given = {name: value for name, value in named.items() if value is not None}
    uncertified = play_model.uncertified(formula, cert, words, given, encoding)
    if uncertified is None:
        return _play(load(sorted_out(files)), ways)
    return _play(play_model.certified(uncertified, encoding, files), ways)


def _play(problem: Problem, ways: Ways) -> Exit:
    """Play a problem in the way that was asked for."""
    from qsage_validate.play.open import open_match

    if ways.mode == "random":
        return _random(problem, ways)
    if ways.mode == "script":
        return script(open_match(problem), ways.moves, ways.moves_file, ways.json_output)
    if ways.mode == "plain" or not is_terminal():
        from qsage_validate.play.console.prompt import run_plain

        return run_plain(open_match(problem), seed=ways.seed, let_happen=ways.let_happen)
    from qsage_validate.cli.play.prover import prover
    from qsage_validate.play.tui.app import run
    from qsage_validate.play.tui.model.services import Tools

    return run(
        open_match(problem),
        theme=ways.theme,
        seed=ways.seed,
        let_happen=ways.let_happen,
        replay=problem.replay,
        tools=Tools.of(problem, prover(problem)),
    )


def _mode(
    plain: bool, moves: str | None, moves_file: str | None, white: str | None, black: str | None
) -> str:
    """The way to play; raises ``UsageError`` when several were asked for."""
    asked = {
        "--plain": plain,
        "--moves": moves is not None,
        "--moves-file": moves_file is not None,
        "--white": white is not None,
        "--black": black is not None,
    }
    chosen = [name for name, wanted in asked.items() if wanted]
    if len(chosen) > 1:
        raise UsageError(f"found {' and '.join(chosen)}, expected one of them")
    if white not in (None, "random", "all"):
        raise UsageError(f"found --white {white}, expected --white random")
    if black not in (None, "random"):
        raise UsageError(f"found --black {black}, expected --black random")
    if not chosen:
        return "board"
    return {"--plain": "plain", "--moves": "script", "--moves-file": "script"}.get(
        chosen[0], "random"
    )


def _only_impartial(
    cert: str | None,
    meta: str | None,
    model: object,
    dialect: str | None,
    engine: bool,
    formula: bool,
) -> None:
    """Raise ``UsageError`` for options of formulas and certificates."""
    given = {
        "--cert": cert is not None,
        "--meta": meta is not None,
        "--game or --model": model is not None,
        "--dialect": dialect is not None,
        "--sat or --simulation": engine,
        "--bare or --peeking": formula,
    }
    for option, wrong in given.items():
        if wrong:
            raise UsageError(f"found {option} with an impartial game, which has no certificate")


def is_terminal() -> bool:
    """Whether there is one to draw a board on and to type at."""
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and stream.isatty() for stream in streams)


# -- scripts --------------------------------------------------------------------------------


def script(match: Match, moves: str | None, moves_file: str | None, json_output: bool) -> Exit:
    """Play ``match`` by a script, and show each step."""
    from qsage_validate.arena.frame import Frame
    from qsage_validate.formats.source import Source
    from qsage_validate.play.report import exit_code, frame_lines, match_json
    from qsage_validate.play.script import run_script

    text, path = moves or "", None
    if moves_file is not None:
        source = Source.open(moves_file)
        text, path = source.text, source.path

    def show(frame: Frame) -> None:
        if not json_output:
            emit("\n".join(frame_lines(match, frame)))

    refused = run_script(match, text, path, show=show)
    if json_output:
        emit_json(match_json(match, refused))
    if refused is not None:
        if not json_output:
            emit(f"{refused.move} is illegal:")
            emit("\n".join(f"  {line}" for line in refused.lines))
        narrate(f"qsage: error: {refused.move} is illegal ({refused.move}! lets it happen)")
        return Exit.BAD_INPUT
    if not match.over:
        narrate(f"the moves end before the play does: {match.mover} is to move")
    return exit_code(match)


# -- random opponents -----------------------------------------------------------------------


def _random(problem: Problem, ways: Ways) -> Exit:
    from qsage_validate.arena.open import open_adversary

    opponent = problem.answering.kind.player.other
    asked = "White" if ways.white is not None else "Black"
    if str(opponent) != asked:
        narrate(f"the certificate plays {asked}: the random player is {opponent}")
    games = ways.games or _GAMES
    adversary = open_adversary(problem, seed=ways.seed or 0, illegal=ways.illegal)
    with progress_bar(games) as progress:
        report = adversary.run(games, progress=progress)
    if ways.json_output:
        emit_json(report.as_json())
    else:
        emit("\n".join(_report_lines(report, str(opponent), str(opponent.other))))
    if report.losses or report.findings_total:
        return Exit.REFUTED
    return Exit.UNDECIDED if report.undecided else Exit.FINE


def _report_lines(report: AdversaryReport, opponent: str, side: str) -> Iterator[str]:
    yield (
        f"{report.games} games against a random {opponent} (seed {report.seed}): "
        f"{side} won {report.wins}, lost {report.losses}"
        + (f", undecided {report.undecided}" if report.undecided else "")
    )
    if report.illegal_tried:
        yield (
            f"illegal moves: {report.illegal_tried} tried, {report.illegal_flagged} flagged by "
            "the formula"
        )
    yield f"findings: {report.findings_total or 'none'}"
    for finding in report.findings:
        yield f"  {finding.text}"
        yield f"    {finding.replay}"
    if report.findings_total > len(report.findings):
        yield f"  … and {report.findings_total - len(report.findings)} more"
    yield f"{report.plays_per_second:,.0f} games a second"


@contextmanager
def progress_bar(games: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error, where that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("games", total=games)
        yield lambda done: progress.update(task, completed=done)
