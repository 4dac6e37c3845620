"""A screen over the play that asks questions of its own, in a thread, one at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from qsage_validate.errors import QsageError
from qsage_validate.play.tui.screens.dialog import Dialog
from qsage_validate.play.tui.widgets.play_area import PlayArea
from qsage_validate.play.tui.worker import AskingApp

Result = TypeVar("Result")
Answer = TypeVar("Answer")
_Job = tuple[str, Callable[[], Callable[[], None]]]


class KeyBar(Static):
    """Keys with what they do: key, label, action of the screen; each can be clicked."""

    def __init__(self, keys: Iterable[tuple[str, str, str]], *, id: str | None = None) -> None:
        parts = [
            Content.assemble((key, "bold $accent"), " ", label).stylize(
                Style.from_meta({"action": action})
            )
            for key, label, action in keys
        ]
        super().__init__(Content("  ").join(parts), id=id)

    async def on_click(self, event: events.Click) -> None:
        """Start the action that was clicked."""
        name = event.style.meta.get("action")
        if name is not None:
            await self.screen.run_action(name)


class ToolScreen(Dialog[Result]):
    """Title, body, a line that says what is going on, a line of keys.

    Subclasses fill :meth:`body` and ask by :meth:`ask`; a bug ends the app, as those of the
    match do.
    """

    TITLE = ""
    KEYS: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", show=False),
        Binding("z", "maximise", "Maximise", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._jobs: deque[_Job] = deque()
        self.busy: str | None = None
        self.remark = ""
        self.closed = False
        self.maximised = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="tool"):
            yield Static(Content(self.heading()), classes="tool-title")
            yield from self.body()
            yield Static(id="tool-status")
            size = () if self._area.crowded else (("z", "Size", "maximise"),)
            yield KeyBar((*self.KEYS, *size, ("Esc", "Close", "leave")), id="tool-keys")

    # Place

    def on_resize(self) -> None:
        """Stand beside the board where there is room, and over all of it elsewhere."""
        self._place()

    def action_maximise(self) -> None:
        """Take the whole screen, or stand beside the board again."""
        self.maximised = not self.maximised
        self._place()

    @property
    def _area(self) -> PlayArea:
        """The board with its panes, under this screen."""
        return self.app.screen_stack[0].query_one(PlayArea)

    def _place(self) -> None:
        area = self._area
        docked = not (self.maximised or area.crowded)
        self.set_class(docked, "-docked")
        tool = self.query_one(".tool")
        region, stage = area.region, area.stage.region
        tool.styles.width = region.right - stage.right if docked else "100%"
        tool.styles.height = region.height if docked else "100%"
        tool.styles.offset = (stage.right, region.y) if docked else (0, 0)

    def heading(self) -> str:
        """The title line."""
        return self.TITLE

    def body(self) -> list[Widget]:
        """The widgets between title and status."""
        return []

    # Asking

    def ask(
        self,
        what: str,
        question: Callable[[], Answer],
        show: Callable[[Answer], None],
        *,
        soon: bool = False,
    ) -> None:
        """Ask in the thread, ``show`` the answer in the interface; ``soon`` before what waits."""

        def job() -> Callable[[], None]:
            return partial(show, question())

        if soon:
            self._jobs.appendleft((what, job))
        else:
            self._jobs.append((what, job))
        self._next()

    def _next(self) -> None:
        if self.busy is None and self._jobs and not self.closed:
            self.busy, job = self._jobs.popleft()
            self.run_worker(
                partial(self._work, job),
                group="tool",
                thread=True,
                exclusive=True,
                exit_on_error=False,
            )
        self.show_status()

    def _work(self, job: Callable[[], Callable[[], None]]) -> None:
        try:
            shown = job()
        except QsageError as error:
            shown = partial(self._failed, str(error))
        self.call_later(self._worked, shown)

    def _worked(self, show: Callable[[], None]) -> None:
        self.busy = None
        show()
        self._next()

    def _failed(self, why: str) -> None:
        self.remark = why
        self.app.bell()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A question that raised has met a bug: leave, so that it is reported."""
        if event.state is WorkerState.ERROR and isinstance(self.app, AskingApp):
            self.app.bug = event.worker.error
            self.app.exit()

    def show_status(self) -> None:
        """Say what is going on, or what was remarked last."""
        if self.is_mounted:
            self.query_one("#tool-status", Static).update(Content(self.status()))

    def status(self) -> str:
        """The line under the body."""
        return self.remark if self.busy is None else f"Working: {self.busy} …"

    def on_unmount(self) -> None:
        """Nothing more is asked, and long questions end."""
        self.closed = True
        self._jobs.clear()

    def action_leave(self) -> None:
        self.closed = True
        self.dismiss(None)
