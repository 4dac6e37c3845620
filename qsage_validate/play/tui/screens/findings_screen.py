"""The findings: what each of them says, and the way to the step at which it was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from qsage_validate.play.tui.once import Choices
from qsage_validate.play.tui.screens.dialog import Dialog
from qsage_validate.validation.finding import Finding


@dataclass(frozen=True, slots=True)
class ListedFinding:
    """A finding with where it comes from.

    ``index`` is the frame of the present play in which it was seen; ``None`` for a finding of
    another play, which has to be replayed.  ``source`` names what found it.
    """

    finding: Finding
    index: int | None
    source: str

    @property
    def can_jump(self) -> bool:
        """True if there is a step to go to: the certificate's first ply needs no moves."""
        return self.index is not None or bool(self.finding.moves) or self.finding.ply > 0


class FindingsScreen(Dialog[ListedFinding | None]):
    """Lists findings with all that is known about the marked one; Enter jumps to its step."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f", "dismiss(None)", "Close", show=False)
    ]

    def __init__(self, found: Sequence[ListedFinding]) -> None:
        super().__init__()
        self.found = tuple(found)

    def compose(self) -> ComposeResult:
        count = len(self.found)
        with Vertical(classes="dialog findings"):
            yield Label(f"{count} finding{'s' * (count != 1)}", classes="dialog-title")
            options = [Option(_headline(each)) for each in self.found]
            yield Choices(*options, compact=True, id="findings-list")
            with VerticalScroll(id="findings-detail"):
                yield Static(id="findings-text")
            yield Label("Enter or a click jumps to the step, Esc closes", classes="dialog-remark")

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        options.highlighted = 0 if self.found else None
        options.focus()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        text = describe(self.found[event.option_index])
        self.query_one("#findings-text", Static).update(text)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        chosen = self.found[event.option_index]
        if chosen.can_jump:
            self.dismiss(chosen)
        else:
            self.app.bell()


def _headline(found: ListedFinding) -> Content:
    finding = found.finding
    where = "start" if finding.ply == 0 else f"ply {finding.ply}"
    return Content.assemble(
        (f"{where:>7}  ", "$quiet"),
        (finding.kind.value, "bold $error"),
        (f"  {found.source}", "$quiet"),
    )


def describe(found: ListedFinding) -> Content:
    """A finding in full: detail, rule, squares, variables and gates, moves, command."""
    finding = found.finding
    rows: list[tuple[str, str]] = [("what", finding.detail)]
    if finding.player is not None:
        rows.append(("player", str(finding.player)))
    if finding.move is not None:
        rows.append(("move", finding.move))
    if finding.rule is not None:
        rows.append(("rule", finding.rule))
    if finding.squares:
        rows.append(("squares", " ".join(f"({x},{y})" for x, y in finding.squares)))
    rows += [("value", str(evidence)) for evidence in finding.evidence]
    if finding.moves:
        rows.append(("play", " ".join(finding.moves)))
    if finding.replay:
        rows.append(("replay", finding.replay))
    if not found.can_jump:
        rows.append(("step", "none: this concerns no play"))
    return Content("\n").join(
        Content.assemble((f"{name:<8}", "$quiet"), Content(text)) for name, text in rows
    )
