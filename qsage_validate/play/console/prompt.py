"""The plain interface on a terminal (prompt_toolkit) or on lines of standard input.

Leaving with ``quit`` or Ctrl-D gives exit code 0, or 1 when something was found.  Lines that
are not typed at a terminal and end before the play does are an error: exit code 2.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory

from qsage_validate.errors import Exit, UsageError, visible
from qsage_validate.play.console.plain import COMMANDS, PlainPlay
from qsage_validate.play.match import PlayMatch
from qsage_validate.render.console import PlainConsole
from qsage_validate.system.signals import TERMINATING


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
            if str(move).startswith(word):
                yield Completion(str(move), -len(word))
        if not blank:
            for known in COMMANDS:
                if known.name.startswith(word):
                    yield Completion(known.name, -len(word), display_meta=known.help)


def run_plain(
    match: PlayMatch, *, seed: int | None = None, force: bool = False, teach: bool = False
) -> Exit:
    """Play ``match`` by commands until the person leaves; returns the exit code.

    With ``teach`` each answer is followed by what there is to learn.

    Raises ``UsageError`` when standard input is closed, or ends before the play, and
    ``KeyboardInterrupt`` on Ctrl-C.
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
        raise UsageError("standard input ended before the play did")
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
        for line in sys.stdin:
            text = line.rstrip("\r\n")
            print(f"> {visible(text)}")  # noqa: T201 - the plain interface is a conversation
            yield text
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 text ({error.reason})") from error
