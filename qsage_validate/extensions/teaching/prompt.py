"""A drill at a prompt: puzzles one after the other, the progress kept in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console

from qsage_validate.arena.lesson import Teacher
from qsage_validate.errors import Exit, QsageError
from qsage_validate.extensions.teaching.drill import Drill, DrillFile, DrillMark
from qsage_validate.games.protocol import Player
from qsage_validate.render.board_text import board_text

_HELP = "type a move; 'show' tells the answer, 'quit' leaves"


def drill_at_prompt(teacher: Teacher, title: str, side: Player, path: str | None) -> Exit:
    """Ask until all is done or the person leaves; the exit code is 0.

    The progress is read from the file ``path``, if it exists, and written to it after each answer.
    Raises ``InputError`` for a file of another drill.
    """
    file = DrillFile(path)
    console = Console(file=sys.stdout)
    drill = Drill(teacher, file.read(title, side))
    talk = DrillTalk(drill, console, file)
    talk.begin()
    for line in () if drill.over else _lines(console):
        if not talk.do(line):
            break
    return Exit.FINE


class DrillTalk:
    """The conversation of a drill; what is typed is answered on ``console``."""

    def __init__(self, drill: Drill, console: Console, file: DrillFile) -> None:
        self._drill = drill
        self._console = console
        self._file = file

    def begin(self) -> None:
        if self._drill.progress.done:
            self._say(f"resumed: {self._drill.progress.text}")
        self._say(_HELP)
        self._ask()

    def do(self, line: str) -> bool:
        """Take one line; false for leaving, and at the end."""
        word = line.strip()
        if word in ("quit", "exit", "q"):
            self._say(self._drill.progress.text)
            return False
        if word in ("", "help"):
            self._say(_HELP)
            return True
        try:
            self._mark(word)
        except QsageError as error:
            self._say(str(error))
            return True
        self._file.write(self._drill.progress)
        return not self._drill.over

    def _mark(self, word: str) -> None:
        question = self._drill.question
        if question is None:
            return
        answers = question.right
        if word == "show":
            self._drill.give_up()
            self._say(f"the answer is {answers}")
            self._ask()
            return
        mark = self._drill.answer(word)
        if mark is DrillMark.WRONG:
            self._say("wrong: try again")
            return
        right = mark is DrillMark.RIGHT
        self._say("right" if right else f"that wins, too; this strategy plays {answers}")
        self._ask()

    def _ask(self) -> None:
        question = self._drill.question
        if question is None:
            self._say(f"all lines are done: {self._drill.progress.text}")
            for play in self._drill.progress.missed:
                self._say(f"  missed after {play}")
            return
        if question.board is not None:
            self._console.print(board_text(question.board))
        last = f" after {question.line[-1]}" if question.moves else ""
        number = self._drill.progress.done + 1
        self._say(f"{number}. {question.player} to move{last}. {self._drill.wanted}?")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def _lines(console: Console) -> Iterable[str]:
    """The lines that are typed, or piped, which are shown then."""
    typed = sys.stdin is not None and sys.stdin.isatty()
    for line in sys.stdin or ():
        if not typed:
            console.print(f"> {line.rstrip()}", markup=False, highlight=False, soft_wrap=True)
        yield line
