"""Plays at a prompt, and as plain text where there is no terminal.

Leaving with ``quit`` or Ctrl-D gives exit code 0, or 1 when something was found.  Lines that
are not typed at a terminal and end before the play does end it as ``--moves`` do: exit code 3.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from qsage_validate.arena.frame import Frame, WhyNot, told_once
from qsage_validate.arena.program import letters_of, pairs_text
from qsage_validate.errors import Exit, QsageError, UsageError, visible
from qsage_validate.formats.source import Source
from qsage_validate.formats.writing import write_atomic
from qsage_validate.play.match import PlayMatch, RefusedMoveError
from qsage_validate.play.report import (
    BOARD_BY_RULES,
    exit_code,
    frame_title,
    headline,
    lesson_lines,
)
from qsage_validate.play.transcript import Transcript, play_transcript, rows_of, transcript_of
from qsage_validate.problems.script_moves import is_transcript, without_mark
from qsage_validate.render.board_text import board_text
from qsage_validate.render.console import PlainConsole
from qsage_validate.system.signals import TERMINATING

# The commands of the plain interface, whatever reads the lines


# Moves that are listed in one go.
_LISTED = 200


@dataclass(frozen=True, slots=True)
class PromptCommand:
    """A command: its name, its arguments, a line of help, and its function."""

    name: str
    argument: str
    help: str
    do: Callable[[PlainPlay, str], None]


class PlainPlay:
    """A play by commands; every line is answered on ``console``."""

    def __init__(
        self,
        match: PlayMatch,
        console: Console,
        *,
        seed: int | None = None,
        force: bool = False,
        teach: bool = False,
    ) -> None:
        self.match = match
        self.console = console
        self.left = False
        self._random = random.Random(seed)
        self._forces = force
        self._teaches = teach

    def begin(self) -> None:
        """Show the start, and the certificate's first ply if it begins."""
        self._say(headline(self.match), "bold")
        for line in self.match.facts.first_lines:
            self._say(f"  {line}", "dim")
        self._show(self.match.frames)
        self._after_answer()
        self._say("type a move, or 'help'", "dim")

    @property
    def question(self) -> str:
        """The prompt: whose turn it is."""
        if self.match.over:
            return "over (undo, restart, quit)> "
        mode = " !" if self._forces else ""
        only = "".join(f" [{move}]" for move in self._only_move())
        return f"{self.match.mover}{mode}{only}> "

    def _only_move(self) -> list[str]:
        """The move of an empty line: the only legal move, if there is only one."""
        move = None if self.match.over or not self.match.facts.has_board else self.match.only_move
        return [] if move is None else [move.words]

    def do(self, line: str) -> None:
        """Carry out one line: a command or a move.  Errors are printed, not raised."""
        line = line.strip()
        if line.startswith("?") and line.strip("? "):
            line = f"why {line.lstrip('? ')}"  # as on the board
        words = line.split(maxsplit=1)
        if not words:
            words = self._only_move()
            line = "".join(words)
        if not words:
            return
        name, rest = words[0].lower(), words[1] if len(words) > 1 else ""
        if name in ("exit", "q"):
            name = "quit"
        try:
            command = next((c for c in COMMANDS if c.name == name), None)
            if command is None:
                self._play(line)
            elif command.argument and not rest:
                raise QsageError(f"expected {name} {command.argument}")
            elif rest and not command.argument:
                raise QsageError(f"found {rest!r} behind {name}, expected nothing")
            else:
                command.do(self, rest)
        except RefusedMoveError as error:
            self._refuse(error.why)
        except QsageError as error:
            self._say(str(error), "red")

    @property
    def result(self) -> Exit:
        """The exit code for leaving now: 1 when something was found, else 0."""
        return Exit.REFUTED if exit_code(self.match) is Exit.REFUTED else Exit.FINE

    # -- showing ----------------------------------------------------------------------------

    def _say(self, text: str, style: str = "") -> None:
        self.console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)

    def _show(self, frames: Iterable[Frame]) -> None:
        for frame in frames:
            if frame.player is not None:
                seconds = f"  ({frame.seconds:.2f} s)" if frame.by_certificate else ""
                self._say(frame_title(self.match, frame) + seconds, "bold")
            if frame.illegal is not None:
                self._say(f"let happen: {frame.illegal}", "magenta")
            if frame.board is not None:
                self.console.print(board_text(frame.board, self._changed(frame)))
            if frame.board_by_rules:
                self._say(BOARD_BY_RULES, "dim")
            if frame.state:
                self._say(frame.state)
            for remark in frame.remarks:
                self._say(remark, "cyan")
            for finding in frame.findings:
                self._say(f"FINDING {finding.text}", "bold red")
            if frame.outcome is not None:
                good = frame.outcome.promised
                self._say(frame.outcome.line, "bold green" if good else "bold red")

    def _changed(self, frame: Frame) -> Sequence[tuple[int, int]]:
        """The squares that are not what they were in the frame before."""
        before = [f for f in self.match.frames if f.ply < frame.ply and f.board is not None]
        if not before or before[-1].board is None or frame.board is None:
            return ()
        return before[-1].board.differences(frame.board)

    def _refuse(self, why: WhyNot) -> None:
        self._say(f"{why.move.words} is illegal:", "red")
        for line in why.lines:
            self._say(f"  {line}", "red")
        if not self.match.facts.by_rules:
            self._say(f"'force {why.move.words}' lets it happen", "dim")

    # -- commands ---------------------------------------------------------------------------

    def _play(self, text: str, *, force: bool = False, claim: bool = False) -> None:
        self._show(self.match.push(text, force=force or self._forces, claim=claim))
        self._after_answer()

    def _after_answer(self) -> None:
        for line in self.match.lesson().lines if self._teaches else ():
            self._say(line, "cyan")

    def _force(self, text: str) -> None:
        self._play(text, force=True)

    def _claim(self, text: str) -> None:
        self._play(text, claim=True)

    def _board(self, rest: str) -> None:
        self._show([self.match.frame])

    def _help(self, rest: str) -> None:
        table = Table.grid(padding=(0, 2))
        for command in COMMANDS:
            table.add_row(f"{command.name} {command.argument}".strip(), command.help)
        self.console.print(table)
        example = next((move.words for move in self.match.legal_moves()), None)
        if self._only_move():
            self._say(f"anything else is a move; an empty line is the only one, {example}", "dim")
        elif example is not None:
            self._say(f"anything else is a move, like {example}", "dim")

    def _moves(self, rest: str) -> None:
        moves = told_once(self.match.legal_moves())
        shown = "  ".join(move.words for move in moves[:_LISTED])
        more = f"  … {len(moves) - _LISTED} more" if len(moves) > _LISTED else ""
        self._say(shown + more if moves else "no legal moves")

    def _why(self, rest: str) -> None:
        if self.match.over:
            self._say("the play is over", "dim")
            return
        move = self.match.parse_move(rest)
        why = self.match.why_not(move)
        if why is None:
            self._say(f"{move.words} is legal", "green")
        else:
            self._refuse(why)

    def _let(self, rest: str) -> None:
        if rest not in ("on", "off"):
            raise QsageError(f"found {rest!r}, expected let on or let off")
        self._forces = rest == "on"
        self._say(f"illegal moves are {'let happen' if self._forces else 'refused'}")

    def _hint(self, rest: str) -> None:
        if self.match.may_teach and not self.match.over:
            grades = self.match.lesson().grades
            if grades.known:
                self._say(grades.text)
                return
        hint = self.match.hint()
        self._say("no hint" if hint is None else hint.text)

    def _teach(self, rest: str) -> None:
        lesson = self.match.lesson()
        for line in lesson_lines(lesson):
            self._say(line)
        for move, distance in lesson.grades.distances.items():
            far = "not known" if distance is None else distance.text
            self._say(f"  {lesson.grades.words(move)}: {far}", "dim")

    def _other(self, rest: str) -> None:
        self._say(self.match.compare(rest).text)

    def _play_random(self, rest: str) -> None:
        move = None if self.match.over else self.match.random_move(self._random)
        if move is None:
            self._say("there is no legal move", "dim")
        else:
            self._show(self.match.push(move))
            self._after_answer()

    def _undo(self, rest: str) -> None:
        if self.match.undo():
            self._board(rest)
        else:
            self._say("this is the start", "dim")

    def _redo(self, rest: str) -> None:
        if self.match.redo():
            self._board(rest)
        else:
            self._say("nothing was taken back", "dim")

    def _restart(self, rest: str) -> None:
        self.match.restart()
        self._board(rest)

    def _history(self, rest: str) -> None:
        here, last = self.match.history.here.number, None
        for row in rows_of(self.match.history):
            move = "start" if row.frame.player is None else f"{row.frame.player} {row.frame.said}"
            number = (
                "" if row.number == last else f"{row.number}{'*' if row.number == here else ''}"
            )
            self._say(f"{number:>4}  {'  ' * row.level}{row.frame.ply}. {move}")
            last = row.number

    def _go(self, rest: str) -> None:
        if not rest.isascii() or not rest.isdigit():
            raise QsageError(f"found {rest!r}, expected the number of a round: see history")
        self.match.go(int(rest[:9]))
        self._board("")

    def _gates(self, rest: str) -> None:
        table = Table.grid(padding=(0, 2))
        for value in self.match.values:
            shown = str(value).partition("]: ")[2]
            style = "red" if shown.startswith("false") else ""
            table.add_row(escape(value.name), escape(value.variable), escape(shown), style=style)
        self.console.print(table if self.match.values else "nothing has a name at this step")

    def _show_pairs(self, rest: str) -> None:
        match, frame = self.match, self.match.frame
        if not match.facts.has_pairs:
            raise QsageError("pairs are of White's certificates, in games of winning sets")
        pairs = match.pairs(frame)
        if pairs and frame.board is not None:
            self.console.print(board_text(frame.board, letters=letters_of(pairs)))
            self._say("  ".join(f"{one}-{other}" for one, other in pairs))
        self._say(pairs_text(pairs))

    def _notes(self, rest: str) -> None:
        self._say(headline(self.match), "bold")
        for note in filter(None, (self.match.facts.goal, *self.match.facts.notes)):
            self._say(f"  {note}", "dim")

    def _save(self, rest: str) -> None:
        if os.path.exists(rest) and not is_transcript(Source.open(rest).text):
            raise QsageError(f"{rest}: found another file there, expected a new name")
        transcript = transcript_of(self.match)
        to_dict = rest.lower().endswith(".json")
        text = json.dumps(transcript.to_dict(), indent=1) + "\n" if to_dict else str(transcript)
        write_atomic(rest, text, continued=True)
        self._say(f"written to {rest}")

    def _load(self, rest: str) -> None:
        source = Source.open(rest)
        play_transcript(self.match, Transcript.parse(source.text, source.path))
        self._show(self.match.frames)

    def _quit(self, rest: str) -> None:
        self.left = True


COMMANDS = (
    PromptCommand("help", "", "this list", PlainPlay._help),
    PromptCommand("moves", "", "the legal moves", PlainPlay._moves),
    PromptCommand("why", "MOVE", "why a move is illegal, by formula and rules", PlainPlay._why),
    PromptCommand(
        "force",
        "MOVE",
        "let an illegal move happen and see what the formula does",
        PlainPlay._force,
    ),
    PromptCommand("let", "on|off", "let every illegal move happen", PlainPlay._let),
    PromptCommand("claim", "MOVE", "play a move and claim the goal (game stop)", PlainPlay._claim),
    PromptCommand("hint", "", "a suggestion", PlainPlay._hint),
    PromptCommand(
        "teach", "", "how long each move lasts, what threatens, and why", PlainPlay._teach
    ),
    PromptCommand(
        "other", "MOVE", "try MOVE instead of the last reply, by a search", PlainPlay._other
    ),
    PromptCommand("random", "", "play a random legal move", PlainPlay._play_random),
    PromptCommand("undo", "", "take back your last move and its answer", PlainPlay._undo),
    PromptCommand("redo", "", "play them again", PlainPlay._redo),
    PromptCommand("restart", "", "back to the start", PlainPlay._restart),
    PromptCommand(
        "history", "", "all that was tried, as a tree with numbered rounds", PlainPlay._history
    ),
    PromptCommand(
        "goto", "N", "go to round N of the history; a move there branches", PlainPlay._go
    ),
    PromptCommand("board", "", "the board once more", PlainPlay._board),
    PromptCommand(
        "pairs", "", "the pairs by which White blocks, where there are some", PlainPlay._show_pairs
    ),
    PromptCommand(
        "gates", "", "variables and gates with their values at this step", PlainPlay._gates
    ),
    PromptCommand("notes", "", "where layout, rules and certificate come from", PlainPlay._notes),
    PromptCommand(
        "save", "FILE", "write the play so far (as JSON if FILE ends so)", PlainPlay._save
    ),
    PromptCommand("load", "FILE", "replay a saved play", PlainPlay._load),
    PromptCommand("quit", "", "leave", PlainPlay._quit),
)


# The plain interface on a terminal (prompt_toolkit) or on lines of standard input


class MoveCompleter(Completer):
    """Completes commands, legal moves, and the names of files."""

    def __init__(self, match: PlayMatch) -> None:
        self._match = match
        self._paths = PathCompleter(expanduser=False)

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """The words that may stand at the cursor."""
        text = document.text_before_cursor.lstrip()
        command, blank, rest = text.partition(" ")
        if blank and command in ("save", "load"):
            yield from self._paths.get_completions(Document(rest), complete_event)
            return
        word = rest if blank and command in ("why", "force", "claim") else text
        for move in self._match.legal_moves():
            for name in dict.fromkeys((move.words, str(move))):
                if name.startswith(word) and (word or name == move.words):
                    yield Completion(name, -len(word))
        if not blank:
            for known in COMMANDS:
                if known.name.startswith(word):
                    yield Completion(known.name, -len(word), display_meta=known.help)


def run_plain(
    match: PlayMatch, *, seed: int | None = None, force: bool = False, teach: bool = False
) -> Exit:
    """Play ``match`` by commands until the person leaves; returns the exit code.

    With ``teach`` each answer is followed by what there is to learn.

    Lines that are not typed may end before the play does: it is undecided then, unless something
    was found.  Raises ``UsageError`` when standard input is closed, and ``KeyboardInterrupt`` on
    Ctrl-C.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed: there is nobody to play")
    console = PlainConsole(file=sys.stdout)
    play = PlainPlay(match, console, seed=seed, force=force, teach=teach)
    play.begin()
    typed = sys.stdin.isatty() and sys.stdout.isatty()
    for line in _typed(play, match) if typed else _piped():
        play.do(line)
        if play.left:
            break
    if not typed and not play.left and not match.over:
        return exit_code(match)
    return play.result


def _typed(play: PlainPlay, match: PlayMatch) -> Iterator[str]:
    session: PromptSession[str] = PromptSession(
        completer=MoveCompleter(match), history=InMemoryHistory(), complete_while_typing=False
    )
    while True:
        try:
            with _Termination(session.app) as termination:
                line = session.prompt(play.question, pre_run=termination.look)
        except EOFError:
            return
        yield line


class _Termination:
    """While inside, SIGTERM and SIGHUP end the prompt ``app`` from within its event loop.

    An exception that a handler raises between two steps of the loop may leave it waiting for a
    task of its own for ever.  The prompt therefore ends as on Ctrl-D, and ``SystemExit`` is
    raised after it.
    """

    def __init__(self, app: Application[str]) -> None:
        self._app = app
        self._number: int | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> _Termination:
        self._before = {number: signal.signal(number, self._hear) for number in TERMINATING}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._number is not None:
            raise SystemExit(128 + self._number)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        self._number = number
        if (loop := self._app.loop) is not None:
            loop.call_soon_threadsafe(self.look)

    def look(self) -> None:
        """End the prompt that has begun, if a signal has come."""
        future = self._app.future
        if self._number is not None and future is not None and not future.done():
            self._app.exit(exception=EOFError())


def _piped() -> Iterator[str]:
    """The lines of standard input, each shown so that the output reads like a session."""
    try:
        for number, line in enumerate(sys.stdin):
            text = (line if number else without_mark(line)).rstrip("\r\n")
            print(f"> {visible(text)}")  # noqa: T201 - the plain interface is a conversation
            yield text
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 text ({error.reason})") from error
