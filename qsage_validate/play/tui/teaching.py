"""The teacher on the board: lessons are learnt in a thread of their own, beside the match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from threading import Event, Lock
from typing import Any

from textual.message import Message

from qsage_validate.arena.frame import Frame, Hint, LayoutMove, MatchMove
from qsage_validate.arena.lesson import SECONDS, Lesson, other_moves
from qsage_validate.errors import QsageError
from qsage_validate.play.tui.main_view import ShowingApp
from qsage_validate.play.tui.model.actions import key_of
from qsage_validate.play.tui.model.notes import Note, Weight
from qsage_validate.play.tui.model.view import ViewState
from qsage_validate.play.tui.screens.dialogs import MenuScreen
from qsage_validate.play.tui.worker import TEACHER
from qsage_validate.system.limits import Deadline

# Seconds for a comparison, which a person has asked for and waits for.
_COMPARE_SECONDS = 30.0


@dataclass
class Taught(Message):
    """The lesson of a round of one history; ``lesson`` is ``None`` where it was called off."""

    history: int
    number: int
    lesson: Lesson | None


@dataclass
class Compared(Message):
    """Another reply was compared, or could not be."""

    text: str


class TeachingApp(ShowingApp):
    """An app that teaches, where the match has a teacher.

    One thing is learnt at a time: the moment on the board first, then the others of its line.
    Threads take turns: the teacher serves one.
    """

    _learning: int | None = None
    _comparing = False
    # Counts the histories: rounds of another one have the same numbers.
    _history = 0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # A signal may end the app before it is mounted.
        self._lessons: dict[int, Lesson] = {}
        self._lessons_told: set[int] = set()
        self._off = Event()
        self._turn = Lock()

    def on_mount(self) -> None:
        """Begin to teach (before the board is shown)."""
        self.view = replace(self.view, teaches=self._match.may_teach)

    def show(self, view: ViewState) -> None:
        """Show ``view`` with the lessons of its line, and learn what is not known yet."""
        super().show(replace(view, lessons=self._known(view)))
        self._learn()

    def _known(self, view: ViewState) -> dict[int, Lesson]:
        """The lessons of the line, by the indices of their frames."""
        if not view.teaches:
            return {}
        numbers = enumerate(map(view.situation.round_at, range(len(view.situation.line))))
        known = ((k, None if n is None else self._lessons.get(n)) for k, n in numbers)
        return {k: lesson for k, lesson in known if lesson is not None}

    def forget_lessons(self) -> None:
        """The rounds are those of another history from now on."""
        self._history += 1
        self._lessons.clear()
        self._lessons_told.clear()

    # Learning

    def _learn(self) -> None:
        """Learn about the moment that is shown, or another one of the line, if it is quiet."""
        view, situation = self.view, self.view.situation
        if not view.teaches or situation.waits or self._comparing:
            return
        indices = (view.index, *reversed(range(len(situation.line))))
        numbers = ((k, situation.round_at(k)) for k in indices)
        lacking = ((k, n) for k, n in numbers if n is not None and n not in self._lessons)
        index, number = next(lacking, (0, None))
        if number is None:
            return
        if self._learning is not None:
            if index == view.index and number != self._learning:
                self._off.set()  # what is shown is more urgent
            return
        self._learning, self._off = number, Event()
        frames = situation.line[: index + 1]
        self._work_beside(partial(self._teach, self._history, number, frames, self._off))

    def _work_beside(self, work: Callable[[], None]) -> None:
        self.run_worker(work, name="teaching", group=TEACHER, thread=True, exit_on_error=False)

    def _teach(self, history: int, number: int, frames: tuple[Frame, ...], off: Event) -> None:
        # In a thread.  A bug is raised, and ends the app in on_worker_state_changed.
        with self._turn:
            deadline = Deadline.after(SECONDS, off.is_set)
            teacher = self._match.teacher
            lesson = None if teacher is None else teacher.lesson(frames, deadline)
        self.post_message(Taught(history, number, lesson))

    def on_taught(self, event: Taught) -> None:
        """Keep the lesson, unless something more urgent has called it off."""
        self._learning = None
        view = self.view
        shown = view.situation.round_at(view.index)
        if event.lesson is None:
            view = replace(view, teaches=False)
        elif event.history == self._history and (event.number == shown or not self._off.is_set()):
            self._lessons[event.number] = event.lesson
        self.show(view)
        lesson = self.view.lesson
        if lesson is not None and shown is not None and shown not in self._lessons_told:
            self._lessons_told.add(shown)
            self._say(*(Note(Weight.SAID, line) for line in lesson.lines))

    @property
    def teaching(self) -> bool:
        """True if something is being learnt, or compared."""
        return self._learning is not None or self._comparing

    def stop_teaching(self) -> bool:
        """Call off what is being learnt; whether something was."""
        if self.teaching:
            self._off.set()
        return self.teaching

    def on_unmount(self) -> None:
        """Call off what is being learnt: its thread is waited for."""
        self._off.set()

    # Asking

    def action_teach(self) -> None:
        """Teach, or stop teaching."""
        if not self._match.may_teach:
            self._remark(self.view, "There is nothing to learn here: no board, or no rules.")
            return
        now = not self.view.teaches
        text = "Distances, threats and replies are" + (" shown." if now else " hidden.")
        self.show(self._noted(replace(self.view, teaches=now), text))

    def graded_hint(self) -> Hint | None:
        """The moves that last longest, where that is known; the first of them is the hint."""
        view, lesson = self.view, self.view.lesson
        if lesson is None or view.past:
            return None
        legal = (m for m in view.situation.legal if str(m) in lesson.grades.best)
        move = next(legal, None)
        return None if move is None else Hint(move, lesson.grades.text)

    def action_other(self) -> None:
        """Ask for another move in the place of the last reply, and compare it."""
        view = self.view
        frames = view.situation.line[: view.index + 1]
        player = view.situation.facts.certificate_player
        moves = other_moves(frames, player) if self._match.may_teach else ()
        if not moves or self._comparing:
            self._remark(view, "No other reply can be tried: the rules tell of none.")
            return

        def chosen(move: MatchMove | None) -> None:
            if move is not None:
                self._compare(frames, str(move))

        choice = tuple(LayoutMove(move) for move in moves)
        self.push_screen(MenuScreen(f"Another move for {player}", choice), chosen)

    def _compare(self, frames: tuple[Frame, ...], move: str) -> None:
        self._off.set()
        self._comparing, self._off = True, Event()
        self.show(replace(self.view, said=f"Trying {move} … {key_of('cancel')} cancels"))
        self._work_beside(partial(self._comparison, frames, move, self._off))

    def _comparison(self, frames: tuple[Frame, ...], move: str, off: Event) -> None:
        with self._turn:
            teacher = self._match.teacher
            assert teacher is not None, "it may teach"
            try:
                deadline = Deadline.after(_COMPARE_SECONDS, off.is_set)
                text = teacher.compare(frames, move, deadline).text
            except QsageError as error:
                text = str(error)
        self.post_message(Compared(text))

    def on_compared(self, event: Compared) -> None:
        self._comparing = False
        self.show(self._noted(self.view, event.text))
