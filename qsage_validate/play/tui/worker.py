"""The worker of the interface asks the match: one question at a time, in a thread of its own.

Questions to a busy worker wait in a queue.  The answers arrive as :class:`Answered` messages.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Concatenate, ParamSpec

from textual.message import Message
from textual.worker import Worker, WorkerState

from qsage_validate.errors import Exit, QsageError
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.base import LeavableApp
from qsage_validate.play.tui.model import requests
from qsage_validate.play.tui.model.situation import MatchSituation
from qsage_validate.play.tui.model.view import ViewState
from qsage_validate.system.limits import Task

P = ParamSpec("P")
_QUEUE = 20
# The group of the workers that teach, beside those that ask the match.
TEACHER = "teacher"
_BUSY_AFTER = 0.15


@dataclass
class Answered(Message):
    """The worker has finished: ``answer``, or ``failure``; ``situation`` as it is now.

    ``situation`` is ``None`` when asking for it failed.
    """

    answer: requests.Answer | None
    failure: QsageError | None
    situation: MatchSituation | None


class AskingApp(LeavableApp[Exit]):
    """An app around a match; only its worker thread touches the match."""

    def __init__(self, match: PlayMatch, *, theme: str, force: bool) -> None:
        super().__init__(theme)
        self._match = match
        self.work: Task | None = match.task
        self._queue: deque[tuple[str, requests.Request]] = deque()
        self.view = ViewState(MatchSituation.of(match), force=force)

    @abstractmethod
    def show(self, view: ViewState) -> None:
        """Make ``view`` what is on the screen."""

    def ask(
        self,
        what: str,
        request: Callable[Concatenate[PlayMatch, P], requests.Answer],
        *args: P.args,
        **named: P.kwargs,
    ) -> None:
        """Ask the match; ``what`` names it for the person.  Waits its turn when it is busy."""

        def asked(match: PlayMatch) -> requests.Answer:
            return request(match, *args, **named)

        if self.view.busy is None:
            self._start(what, asked)
        elif len(self._queue) < _QUEUE:
            self._queue.append((what, asked))
            self.show(replace(self.view, waiting=len(self._queue)))
        else:
            self.bell()

    def _start(self, what: str, request: requests.Request) -> None:
        self.view = replace(self.view, busy=what, work=None, waiting=len(self._queue))
        self.run_worker(
            partial(self._work, request),
            name=what,
            group="match",
            thread=True,
            exit_on_error=False,
        )
        # Most answers come at once: the indicator would only flicker.
        self.set_timer(_BUSY_AFTER, self._show_if_busy)

    def _show_if_busy(self) -> None:
        if self.is_running and self.view.busy is not None:
            self.show(self.view)

    def _work(self, request: requests.Request) -> None:
        # In the worker thread.  A bug is raised, and ends the app in on_worker_state_changed.
        answer: requests.Answer | None = None
        failure: QsageError | None = None
        situation: MatchSituation | None = None
        try:
            with self.work or nullcontext():
                answer = request(self._match)
        except QsageError as error:
            failure = error
        try:
            with self.work or nullcontext():
                situation = MatchSituation.of(self._match)
        except QsageError as error:
            failure = failure or error
        self.post_message(Answered(answer, failure, situation))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that raised has met a bug: leave, so that it is reported."""
        if event.worker.group in ("match", TEACHER) and event.state is WorkerState.ERROR:
            self.bug = event.worker.error
            self.exit()

    def on_unmount(self) -> None:
        """Call off what the worker does: its thread is waited for."""
        if self.work is not None:
            self.work.close()

    @property
    def can_cancel(self) -> bool:
        """True if something is being done that can be called off."""
        return self.work is not None and self.view.busy is not None

    def ask_for_reply(self) -> None:
        """Ask for the reply that is still to come, before what waits."""
        player = self.view.situation.facts.certificate_player
        self._queue.appendleft((f"{player}'s reply", requests.answer))
        if self.view.busy is None:
            self.ask_next()

    def ask_next(self) -> bool:
        """Ask what has waited longest; whether something has."""
        if self._queue:
            self._start(*self._queue.popleft())
            return True
        return False

    def forget_waiting(self) -> bool:
        """Drop what waits; whether there was something."""
        waited = bool(self._queue)
        self._queue.clear()
        return waited
