"""Dialogs, and the list of findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from qsage_validate.arena.board_engine import Facts
from qsage_validate.arena.frame import MatchMove
from qsage_validate.errors import counted
from qsage_validate.play.export import ExportFormat
from qsage_validate.play.tui.base import Choices, Once
from qsage_validate.play.tui.model.actions import ACTIONS
from qsage_validate.play.tui.model.view import LEGAL_DOT, OPEN_DOT, SIDES, SquareMark
from qsage_validate.validation.finding import Finding

# The base of every screen that comes up over the board


Result = TypeVar("Result")


class Dialog(Once, ModalScreen[Result]):
    """A screen over the board, with an answer."""


# The screens that come up over the board: a menu of moves, file names, help


_CANCEL = Binding("escape", "dismiss", "Cancel", show=False)


class _MoveOption(Option):
    """A move in the menu.

    What was chosen is told later than the list is narrowed, so that a place in it would be
    that of another move, or of none.
    """

    def __init__(self, move: MatchMove) -> None:
        super().__init__(Content(move.words))
        self.move = move


class MenuScreen(Dialog["MatchMove | None"]):
    """Lets a person choose one of several moves; typing narrows the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _CANCEL,
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
    ]

    def __init__(self, question: str, moves: Sequence[MatchMove]) -> None:
        super().__init__()
        self._question = question
        self._moves = tuple(moves)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._question, classes="dialog-title", markup=False)
            yield Input(placeholder="type to narrow, Enter plays, Esc cancels", compact=True)
            yield Choices(compact=True)

    def on_mount(self) -> None:
        self._narrow("")
        self.query_one(Input).focus()

    def _narrow(self, text: str) -> None:
        wanted = text.casefold().replace(" ", "")
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(
            _MoveOption(move)
            for move in self._moves
            if wanted in f"{move.words} {move}".casefold().replace(" ", "")
        )
        options.highlighted = 0 if options.option_count else None

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        if by > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._narrow(event.value)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self._choose(self.query_one(OptionList).highlighted_option)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option)

    def _choose(self, option: Option | None) -> None:
        if isinstance(option, _MoveOption):
            self.dismiss(option.move)


class PathScreen(Dialog[str | None]):
    """Asks for the name of a file; ``forms`` are offered as buttons that change its end."""

    BINDINGS: ClassVar[list[BindingType]] = [_CANCEL]

    def __init__(
        self, title: str, button: str, path: str, remark: str, forms: Sequence[ExportFormat] = ()
    ) -> None:
        super().__init__()
        self._title = title
        self._button = button
        self._path = path
        self._remark = remark
        self._forms = tuple(forms)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="dialog-title", markup=False)
            yield Input(self._path, placeholder="file name", compact=True, select_on_focus=False)
            yield Label(self._remark, classes="dialog-remark", markup=False)
            with Horizontal(classes="dialog-buttons"):
                yield Button(self._button, id="path-do", variant="primary", compact=True)
                for form in self._forms:
                    yield Button(f"as {form.suffix}", id=f"path-{form.value}", compact=True)
                yield Button("Cancel", id="path-cancel", compact=True)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self._finish()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        pressed = str(event.button.id).removeprefix("path-")
        if pressed == "cancel":
            self.dismiss(None)
            return
        if pressed != "do":
            name = self.query_one(Input)
            name.value = with_suffix(name.value, ExportFormat(pressed))
        self._finish()

    def _finish(self) -> None:
        path = self.query_one(Input).value.strip()
        if path:
            self.dismiss(path)


def with_suffix(path: str, form: ExportFormat) -> str:
    """``path`` with the suffix of ``form``; empty if ``path`` is."""
    stem = path.strip()
    for other in ExportFormat:
        stem = stem.removesuffix(other.suffix)
    return stem + form.suffix if stem else ""


class ConfirmScreen(Dialog[bool]):
    """Asks whether to go on; Cancel has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(False)", "Cancel", show=False),
        Binding("left,right", "app.focus_next", "Other button", show=False),
    ]

    def __init__(self, question: str, button: str) -> None:
        super().__init__()
        self._question = question
        self._button = button

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._question, classes="dialog-title", markup=False)
            with Horizontal(classes="dialog-buttons"):
                yield Button(self._button, id="confirm-yes", variant="error", compact=True)
                yield Button("Cancel", id="confirm-no", compact=True)

    def on_mount(self) -> None:
        self.query_one("#confirm-no", Button).focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "confirm-yes")


class HelpScreen(Dialog[None]):
    """Explains the screen and lists all actions."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1", "dismiss", "Close", show=False)
    ]

    def __init__(self, facts: Facts) -> None:
        super().__init__()
        self._facts = facts

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog help"):
            yield Label("Help", classes="dialog-title")
            with VerticalScroll():
                yield Static(help_text(self._facts))
            yield Label("Up and down scroll, Esc closes", classes="dialog-remark")

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()


def _heading(text: str) -> Content:
    return Content.styled(text, "bold $accent")


def help_text(facts: Facts) -> Content:
    """The help: what is played and why, how to move, what the marks mean, all keys, details."""
    marks = (
        (f"{OPEN_DOT} {LEGAL_DOT}", "open square; open square that you may take"),
        (_sides(SquareMark.WON), "part of what has won"),
        (_sides(SquareMark.CHANGED), "changed by the last ply"),
        (_sides(SquareMark.SELECTED), "selected: now pick its target"),
        (_sides(SquareMark.TARGET), "target of the selected square"),
        (_sides(SquareMark.ILLEGAL), "the illegal move that was tried"),
        (_sides(SquareMark.HINT), "the move that the hint suggests"),
        (_sides(SquareMark.FINDING), "a finding concerns this square"),
        (_sides(SquareMark.POINTED), "the gate marked in Values is false here"),
        ("[ ]", "cursor"),
        ("━ ┃", "sides of a board of Hex, in the colour of the player who connects them"),
        ("a b", "pairs by which White could block, while they are shown"),
    )
    keys = [(action.key, f"{action.title}: {action.help}") for action in ACTIONS]
    return Content("\n").join(
        (
            _heading(facts.title),
            *(Content(line) for line in facts.first_lines),
            Content(""),
            _heading("The play"),
            Content(
                "A certificate plays one side, you play the other. It claims to win every play; "
                "each of its moves is computed from the certificate, and the board is read from "
                "the formula. When the play ends, the verdict gate of the formula is evaluated: "
                "true means that this play keeps the promise."
            ),
            Content(
                "● is Black, ○ is White. Where the rules are known, every step is compared with "
                "them; a difference is a finding, and is shown at once."
            ),
            Content(""),
            _heading("To move"),
            Content(
                "Click a square, or go there with the arrow keys and press Enter. A placement is "
                "played at once. Otherwise pick two squares of the move: a piece and its target, "
                "or both halves of a domino. Where several moves fit, a menu asks."
            ),
            Content(
                "Or type the move: c3, b2-b3, column b. Tab completes it. ?c3 asks why not. "
                "Enter plays an only move that is on no square (noop). In a bare formula, set the "
                "bits of your block, or type them: 7=1 8=0."
            ),
            Content(""),
            _heading("Marks"),
            *_table(marks),
            Content(""),
            _heading("Keys (all of them also in the bar or in the palette)"),
            *_table(keys),
            *((Content(""), _heading("Details")) if facts.details else ()),
            *map(Content, facts.details),
        )
    )


def _sides(mark: SquareMark) -> str:
    left, right = SIDES[mark]
    return f"{left} {right}"


def _table(rows: Sequence[tuple[str, str]]) -> list[Content]:
    return [Content.assemble((f"{left:>5}  ", "bold"), right) for left, right in rows]


# The findings: what each of them says, and the way to the step at which it was seen


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
            yield Label(counted(count, "finding"), classes="dialog-title")
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
