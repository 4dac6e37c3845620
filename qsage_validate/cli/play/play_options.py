"""The command line of ``qsage play``: the game, who answers, and how the play goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from qsage_validate.cli.common import narrate
from qsage_validate.cli.model_arguments import ModelArguments, model_words
from qsage_validate.cli.options import (
    AssertOption,
    CertOptions,
    DialectOptions,
    RulesOptions,
    names_rules,
)
from qsage_validate.cli.parameters import OptionGroup, flag, option, output_option
from qsage_validate.errors import UsageError

if TYPE_CHECKING:
    from qsage_validate.arena.board_engine import Engine
    from qsage_validate.arena.lesson import Teacher
    from qsage_validate.arena.program import PlayedProgram
    from qsage_validate.games.protocol import Player
    from qsage_validate.play.match import PlayMatch
    from qsage_validate.play.state import Store
    from qsage_validate.play.tui.model.situation import Replay, Services
    from qsage_validate.system.task import Task

    MakeTeacher = Callable[[], Teacher | None]
    from qsage_validate.problems.load import Files


# The interface that a person plays on


@dataclass(frozen=True)
class PlayTable:
    """The engine that answers, and what the interface can use beside it.

    Answers that are a ``task`` may take long: on the board they come apart.  ``program`` is
    what they come from, where that is known.
    """

    engine: Engine
    replay: Replay
    services: Callable[[], Services] | None = None
    task: Task | None = None
    teacher: MakeTeacher | None = None
    program: PlayedProgram | None = None


# The options of ``qsage play --web``: the board in a browser


_WEB_PANEL = "In a browser"
PORT, HOST = 8000, "127.0.0.1"


@dataclass(frozen=True)
class WebOptions(OptionGroup):
    """Options of a board in a browser."""

    web: bool = flag("Show the board in a browser instead of this terminal.", panel=_WEB_PANEL)
    port: int | None = option(
        f"The port ({PORT}; 0: one that is free).", "N", min=0, max=65535, panel=_WEB_PANEL
    )
    host: str | None = option(
        f"The address to listen on ({HOST}: this machine alone).", "ADDRESS", panel=_WEB_PANEL
    )

    def check(self) -> None:
        """Raise ``UsageError`` for the others without ``--web``."""
        for name, value in (("--port", self.port), ("--host", self.host)):
            if value is not None and not self.web:
                raise UsageError(f"found {name} without --web, expected both")


# A play that waits on its board, and the wish for another one; no interface is loaded


@dataclass
class BoardSession:
    """A play on a board, which can be left and taken up again.

    ``path`` is the file in which it was kept when it was left, ``saved`` the one to which the
    person has saved it since; ``unsaved`` says that it is in none.
    """

    table: PlayTable
    match: PlayMatch
    store: Store
    theme: str | None
    seed: int | None
    force: bool
    path: str | None = None
    saved: str | None = None
    unsaved: bool = False


class AnotherPlay(Exception):  # noqa: N818 (a wish, not an error)
    """The person wants another play; ``behind`` is the one that waits."""

    def __init__(self, behind: BoardSession) -> None:
        super().__init__("another play is wanted")
        self.behind = behind


# The options that say how a play goes


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

    plain: bool = flag("A prompt instead of the board.", panel=_PANEL)
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
        panel=_PANEL,
    )
    explain: bool = flag(
        "Find a small program that wins, prove it (see 'qsage explain'), and play against its "
        "certificate: each reply comes with the questions that led to it, which a pane of the "
        "board shows.",
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
    no_state: bool = flag("Keep nothing of this play, and look at nothing kept.")

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
        if self.theme not in (None, "dark", "light"):
            raise UsageError(f"found {self.theme!r} for --theme, expected dark or light")
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


def is_terminal() -> bool:
    """Whether there is one to draw a board on and to type at, which moves its cursor about."""
    if os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        return False
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and stream.isatty() for stream in streams)


def check_teacher(table: PlayTable, options: PlayOptions) -> PlayTable:
    """The table; raises ``UsageError`` where lessons are asked for and nobody teaches its game."""
    if options.teach and table.teacher is None:
        raise UsageError("found --teach with a game that has no teacher, expected one on a board")
    return table


# What a person asks for: the game, and who answers


SEARCH: Final = "search"
_ASKING: Final = "How the certificate is asked"
_SOLVING: Final = "Playing against a solver"
_HEAPS: Final = "Impartial games"
_GAMES: Final = "Games without a formula"


class FormulaStatus(str, Enum):
    """The value of a formula."""

    TRUE = "true"
    FALSE = "false"


class GameSide(str, Enum):
    """A side of a game."""

    BLACK = "black"
    WHITE = "white"


@dataclass(frozen=True)
class CertificateOptions(OptionGroup):
    """Options for reading the certificate and for showing the formula."""

    sat: bool = flag("Ask by SAT solver only.", panel=_ASKING)
    simulation: bool = flag("Ask by evaluating the circuit only.", panel=_ASKING)
    bare: bool = flag("Play the formula's blocks, not the board of its layout.")
    peeking: bool = flag(
        "Play a wrong certificate too, whose functions look to their right: they read "
        "false for what is not chosen yet.",
        panel=_ASKING,
    )


@dataclass(frozen=True)
class SolvingOptions(OptionGroup):
    """A solver that answers in the place of a certificate, or of what it lacks."""

    panel = _SOLVING

    solver: str | None = option(
        "Let a QBF solver answer what no certificate does (see 'qsage info --solvers'); "
        "auto: several at once. Without --cert it answers everything. A game is played against "
        "the search unless a solver is named.",
        "NAME|auto",
        complete="solvers",
    )
    timeout: float | None = option("At most so long for each reply.", "SECONDS", min=0)
    status: FormulaStatus | None = option(
        "The formula's value, where it is known; else it is found out first."
    )
    blocks: int | None = option("Use the certificate for its first N blocks only.", "N", min=1)


@dataclass(frozen=True)
class HeapOptions(OptionGroup):
    """The options that are about impartial games."""

    panel = _HEAPS

    rules: str | None = option(
        "The rules to play against: lines 'CONDITION -> ACTION(E, ...)', or what qsage "
        "synthesize -o has written. Else they are synthesised.",
        "FILE",
    )
    state: str | None = option("The state to begin in; else one is drawn by --seed.", "'V=N …'")
    begins: str | None = option(
        "Who begins; the rules play Black. Else whoever lets the rules win.", "black|white"
    )
    misere: bool = flag("Whoever makes the last move loses.")
    bound: int | None = option(
        "The largest value of a variable in states that are drawn or tried (20).", "N", min=0
    )


@dataclass(frozen=True)
class GameOptions(OptionGroup):
    """Options for a game without a formula."""

    panel = _GAMES

    side: GameSide | None = option("Which side the search plays; else the one that wins.")
    certify: bool = flag("Make and prove the winner's certificate first, and play against that.")
    encoding: str | None = option(
        "The encoding of the formula that is certified, or given to --solver.", "NAME"
    )
    solution: str | None = option(
        "Play against a solution file ('qsage solve --solution'), in the place of a game.", "FILE"
    )
    strategy: str | None = option(
        "Play against a strategy's file, in the place of a game (see 'qsage help hex-strategies').",
        "FILE",
    )


@dataclass(frozen=True, kw_only=True)
class Asked(OptionGroup):
    """The play that is asked for."""

    subject: ModelArguments = model_words(
        optional_words="QCIR or QDIMACS, and its certificate; a clause certificate (Pedant) plays "
        "alone. Or a game, played against a search: two BDDL files, a PG, .hex or GDL file, or a "
        "name (see 'qsage games'); or an impartial game: its file or its name (take-away-3); or a "
        "sample (sample:hex). Without one it is sample:tic."
    )
    cert: str | None = option("The certificate; else the one beside FORMULA.", "FILE")
    rules: RulesOptions
    read: DialectOptions
    assertions: AssertOption = ()
    play: PlayOptions
    certificate: CertificateOptions
    solving: SolvingOptions
    heaps: HeapOptions
    game: GameOptions

    @property
    def named(self) -> bool:
        """Whether anything is named that can be played."""
        named = (*self.subject.words, *self.subject.flags, *self.game.given_options(), self.cert)
        return any((*named, self.rules.model, *self.rules.paths))

    @property
    def formula(self) -> str | None:
        """The only word about what is played, which may be a formula's file."""
        return self.subject.words[0] if len(self.subject.words) == 1 else None

    def given(self) -> Iterator[str]:
        """The options about who answers that were given, by their names."""
        if self.cert is not None:
            yield "--cert"
        if self.assertions:
            yield "--assert"
        if self.play.explain:
            yield "--explain"
        groups = (self.rules, self.read, self.certificate, self.solving, self.heaps, self.game)
        for group in groups:
            yield from group.given_options()

    def taken_apart(self) -> tuple[Asked, tuple[str, ...]]:
        """This with the certificate from behind the formula, and the words of a game there.

        Two files of which the first is no formula are those of a game.
        """
        subject = self.subject
        if len(subject.words) < 2 or not os.path.isfile(subject.words[0]):
            return self, ()
        from qsage_validate.formats.source import FORMULAS, sniff

        formula, *behind = subject.words
        if sniff(formula) not in FORMULAS:
            return self, ()
        cert = self.cert
        if not names_rules(behind):
            cert = CertOptions(behind.pop(0), cert).path
        game = (*behind, *subject.flags) if behind else ()
        options = {} if behind else subject.options
        words = replace(subject, words=(formula,), options=options)
        return replace(self, subject=words, cert=cert), game

    def files(self) -> Files:
        """The files of the formula, and how they are played; raises ``UsageError``."""
        from qsage_validate.certificates.choose_oracle import OracleKind

        by, solving = self.certificate, self.solving
        kind = OracleKind.SAT if by.sat else OracleKind.SIMULATION
        return replace(
            self.rules.files(self.formula, self.cert, self.read),
            engine=kind if by.sat or by.simulation else OracleKind.AUTO,
            as_blocks=by.bare,
            unchecked_dependencies=by.peeking,
            solver=None if solving.solver == SEARCH else solving.solver,
            seconds=solving.timeout,
            status=None if solving.status is None else solving.status is FormulaStatus.TRUE,
            blocks=solving.blocks,
            assertions=self.assertions,
            sets=not self.play.explain,
        )
