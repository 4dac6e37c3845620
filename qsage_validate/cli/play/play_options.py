"""The options that say how a play goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from qsage_validate.cli.common import narrate
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
    from qsage_validate.system.limits import Task

    MakeTeacher = Callable[[], Teacher | None]


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
