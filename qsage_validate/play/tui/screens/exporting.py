"""Writing the play to a file of its own kind: the dialog, and the request to the match."""

from __future__ import annotations

import os

from qsage_validate.play.export import ExportFormat, write_play
from qsage_validate.play.match import Match
from qsage_validate.play.tui.model.requests import Answer, Request, Saved, WouldOverwrite
from qsage_validate.play.tui.screens.dialogs import PathScreen

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


def export_screen(path: str, forms: tuple[ExportFormat, ...]) -> PathScreen:
    """Asks for the file; the buttons of the formats change the end of its name."""
    return PathScreen("Export the play", "Export", path, _ABOUT, forms)
