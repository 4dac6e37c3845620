"""The screen while a play is prepared: the stage, the seconds, and Cancel."""

from __future__ import annotations

from typing import ClassVar, Final, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Button, Label

from qsage_validate.errors import CancelledError, Exit, visible
from qsage_validate.play.tui.base import LeavableApp, run_app
from qsage_validate.system.progress import Background

Result = TypeVar("Result")

# A play that is ready sooner gets no screen of its own, which would only flicker.
_AT_ONCE: Final = 0.15
_TICK: Final = 0.1
# How long the work may take to hear that it was called off.
_FAREWELL: Final = 2.0


class LoadingApp(LeavableApp[bool]):
    """Shows the work that prepares a play, until it has ended; true when it was not cancelled."""

    CSS_PATH = "way_in.tcss"
    TITLE = "qsage play"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,k,q", "cancel", "Cancel", show=False),
    ]

    def __init__(self, work: Background[Result], what: str, theme: str) -> None:
        super().__init__(theme)
        self._background = work
        self._what = what

    def compose(self) -> ComposeResult:
        with Vertical(id="loading"):
            yield Label("Opening", id="loading-title")
            yield Label(visible(self._what), id="loading-what", markup=False)
            yield Label("", id="loading-stage", markup=False)
            yield Button("k Cancel", id="loading-cancel", compact=True)

    def on_mount(self) -> None:
        self.query_one(Button).focus()
        self.set_interval(_TICK, self._look)
        self._look()

    def _look(self) -> None:
        """Show how far the work is; leave when it has ended."""
        if self._background.wait(0):
            self.exit(True)
            return
        task = self._background.task
        doing = "beginning" if task.progress is None else str(task.progress)
        text = f"{task.seconds or 0:.1f} s  {visible(doing)}"
        self.query_one("#loading-stage", Label).update(text)

    @on(Button.Pressed)
    def action_cancel(self) -> None:
        self._background.task.close()
        self.exit(False)


def opened(work: Background[Result], what: str, theme: str) -> Result:
    """The result of ``work``, which prepares ``what``; shown where it takes time.

    Raises ``CancelledError`` when the person calls it off, what the work raises, and as
    :func:`run_app`.
    """
    if not work.wait(_AT_ONCE):
        try:
            going_on = run_app(LoadingApp(work, what, theme))
        except BaseException:
            work.task.close()
            raise
        if going_on is False or isinstance(going_on, Exit):
            work.wait(_FAREWELL)
            raise CancelledError(f"opening {what} was cancelled")
    return work.result()
