"""Proving from within a play: the levels with their verdicts as they come, and what they found."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import DataTable, OptionList, Static
from textual.widgets.option_list import Option

from qsage_validate.play.tui.model.situation import LevelRow, ProofEnd, Prove
from qsage_validate.play.tui.once import Choices
from qsage_validate.play.tui.screens.dialogs import ListedFinding, describe
from qsage_validate.play.tui.screens.tool_screen import ToolScreen
from qsage_validate.play.tui.widgets.panes import fill
from qsage_validate.system.limits import Progress, Stopwatch

_COLUMNS = ("Level", "Verdict", "Seconds", "Evidence")
_LOOKS = {"proved": "bold $success", "refuted": "bold $error", "undecided": "$warning"}
_TICK = 0.5
Sent = TypeVar("Sent")


@dataclass(frozen=True, slots=True)
class ScreenProof:
    """The result with which the screen closes: the findings, one line, and one to jump to."""

    text: str
    found: tuple[ListedFinding, ...]
    chosen: ListedFinding | None = None


class ProveScreen(ToolScreen[ScreenProof]):
    """Runs the levels at once; Esc stops them, and closes the screen when they have ended."""

    TITLE = "Proof of the certificate"
    KEYS = (("Enter", "Jump to the finding", "jump"),)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,P", "leave", "Close", show=False)]

    def __init__(self, prove: Prove) -> None:
        super().__init__()
        self._prove = prove
        self._stop = threading.Event()
        self._watch = Stopwatch()
        self._progress = ""
        self.rows: list[LevelRow] = []
        self.found: tuple[ListedFinding, ...] = ()
        self.end: ProofEnd | None = None

    def body(self) -> list[Widget]:
        """The table of levels; below, what they found, and how it ended."""
        return [
            DataTable[Content](cursor_type="row", id="prove-levels"),
            Static(id="prove-evidence"),
            Static(id="prove-summary"),
            Choices(compact=True, id="prove-findings"),
        ]

    def on_mount(self) -> None:
        self.query_one("#prove-findings", OptionList).display = False
        self.query_one("#prove-summary", Static).display = False
        self.query_one(DataTable).focus()
        self._fill()
        self.set_interval(_TICK, self.show_status)
        self.ask("proving", self._run, self._ended)

    def _run(self) -> ProofEnd:
        # In the thread.
        return self._prove(
            lambda progress: self._later(self._told, progress),
            lambda row: self._later(self._level_done, row),
            self._stop.is_set,
        )

    def _later(self, show: Callable[[Sent], None], sent: Sent) -> None:
        if not self._stop.is_set():
            self.call_later(show, sent)

    def _told(self, progress: Progress) -> None:
        self._progress = str(progress)
        self.show_status()

    def _level_done(self, row: LevelRow) -> None:
        self.rows.append(row)
        self.found += tuple(ListedFinding(finding, None, row.name) for finding in row.findings)
        self._fill()
        if row.findings:
            options = self.query_one("#prove-findings", OptionList)
            options.display = True
            options.add_options(
                Option(Content.assemble((f"{row.name}: ", "$quiet"), (f.text, "$error")))
                for f in row.findings
            )
            if options.highlighted is None:
                options.highlighted = 0

    def _fill(self) -> None:
        table: DataTable[Content] = self.query_one("#prove-levels", DataTable)
        cells = [
            (
                Content(row.name),
                Content.styled(row.word, _LOOKS.get(row.word, "$quiet")),
                Content(f"{row.seconds:7.2f}"),
                Content(row.text),
            )
            for row in self.rows
        ]
        fill(table, _COLUMNS, cells)
        table.move_cursor(row=max(len(cells) - 1, 0), animate=False)

    @on(DataTable.RowHighlighted)
    def _highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        if 0 <= event.cursor_row < len(self.rows):
            row = self.rows[event.cursor_row]
            text = Content.assemble((f"{row.name}: ", "bold"), row.text)
            self.query_one("#prove-evidence", Static).update(text)

    def _ended(self, end: ProofEnd) -> None:
        self.end = end
        self.remark = "Refuted." if end.refuted else "Stopped." if end.stopped else "The end."
        summary = self.query_one("#prove-summary", Static)
        summary.update(Content.styled(end.text, "bold"))
        summary.display = True
        if self.found:
            self.query_one("#prove-findings", OptionList).focus()

    @on(OptionList.OptionHighlighted)
    def _finding_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_list.has_focus:
            found = self.found[event.option_index]
            self.query_one("#prove-evidence", Static).update(describe(found))

    def status(self) -> str:
        """The progress of the proof, or its end."""
        if self.busy is None:
            return self.remark
        if self._stop.is_set():
            return "Stopping …"
        return f"{self._watch.seconds:.0f} s  {self._progress or 'starting'}  (Esc stops)"

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._leave(self.found[event.option_index])

    # Actions

    def action_jump(self) -> None:
        """Close the screen and jump to the marked finding."""
        marked = self.query_one("#prove-findings", OptionList).highlighted
        if marked is None:
            self.app.bell()
        else:
            self._leave(self.found[marked])

    def action_leave(self) -> None:
        """Stop the proof while it runs, else close the screen."""
        if self.busy is not None and not self._stop.is_set():
            self._stop.set()
            self.show_status()
        else:
            self._leave(None)

    def _leave(self, chosen: ListedFinding | None) -> None:
        self._stop.set()
        self.closed = True
        text = self.end.text if self.end is not None else self.remark or "The proof was stopped."
        self.dismiss(ScreenProof(text, self.found, chosen if chosen and chosen.can_jump else None))

    def on_unmount(self) -> None:
        self._stop.set()
        super().on_unmount()
