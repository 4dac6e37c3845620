"""Writing the play to a file of its own kind: the dialog, and the request to the match."""

from __future__ import annotations

import os
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label

from qsage_validate.play.export import ExportFormat, write_play
from qsage_validate.play.match import Match
from qsage_validate.play.tui.model.requests import Answer, Request, Saved, WouldOverwrite
from qsage_validate.play.tui.screens.dialog import Dialog

_ABOUT = (
    "The end of the name says what is written:\n"
    "  .svg   all boards in one drawing, for papers and slides\n"
    "  .json  every step with its board, values and findings\n"
    "  .txt   the transcript with boards between its lines\n"
    "Text and JSON can be opened again. Existing files are not replaced unasked."
)


def export_play(path: str, *, overwrite: bool) -> Request:
    """Write the play so far in the format that the end of ``path`` names."""

    def request(match: Match) -> Answer:
        target = os.path.expanduser(path)
        form = ExportFormat.of(target)
        if not overwrite and os.path.lexists(target):
            return WouldOverwrite(path, export_play(path, overwrite=True))
        write_play(match, target, form)
        return Saved(path)

    return request


class ExportScreen(Dialog[str | None]):
    """Asks for the file; the buttons of the formats change the end of its name."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel", show=False)
    ]

    def __init__(self, path: str, forms: tuple[ExportFormat, ...]) -> None:
        super().__init__()
        self._path = path
        self._forms = forms

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("Export the play", classes="dialog-title")
            yield Input(self._path, placeholder="file name", compact=True, select_on_focus=False)
            yield Label(_ABOUT, classes="dialog-remark", markup=False)
            with Horizontal(classes="dialog-buttons"):
                yield Button("Export", id="export-do", variant="primary", compact=True)
                for form in self._forms:
                    label = f"as {form.suffix}"
                    yield Button(label, id=f"export-{form.value}", compact=True)
                yield Button("Cancel", id="export-cancel", compact=True)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self._finish()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        pressed = str(event.button.id).removeprefix("export-")
        if pressed == "cancel":
            self.dismiss(None)
            return
        if pressed != "do":
            path = self.query_one(Input)
            path.value = with_suffix(path.value, ExportFormat(pressed))
        self._finish()

    def _finish(self) -> None:
        path = self.query_one(Input).value.strip()
        if path:
            self.dismiss(path)


def with_suffix(path: str, form: ExportFormat) -> str:
    """``path`` with the end that asks for ``form``."""
    stem = path.strip()
    for other in ExportFormat:
        stem = stem.removesuffix(other.suffix)
    return stem + form.suffix if stem else ""


__all__ = ["ExportScreen", "export_play", "with_suffix"]
