"""The start screen, and the screen while a play is prepared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message_pump import MessagePump
from textual.widget import Widget
from textual.widgets import Button, Checkbox, Input, Label, OptionList, Select, Static
from textual.widgets.option_list import Option

from qsage_validate.errors import CancelledError, Exit, visible
from qsage_validate.play.tui.base import DARK, LIGHT, Choices, LeavableApp, run_app
from qsage_validate.play.tui.model.entries import EntryField, StartEntry, shown_command
from qsage_validate.system.task import Background

# The screen while a play is prepared: the stage, the seconds, and Cancel


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


# The start screen: games by family, samples, files of this folder, plays that were left


KEYS: tuple[tuple[str, str, str], ...] = (
    ("↑ ↓", "Choose", "Choose what to play; a click does it, too"),
    ("Enter", "Play", "Go to the fields of a game, or play; in a field: play"),
    ("Tab", "Next field", "Go to the next field, and back to the list"),
    ("F5", "Play", "Play what is chosen, from wherever one is"),
    ("t", "Theme", "Switch between dark and light (in the list)"),
    ("Esc, q", "Leave", "Back to the list; from there back to the play that waits, or leave"),
)
"""The keys of the start screen: what a person reads, a word, and a sentence."""

_Widget: TypeAlias = "Input | Checkbox | Select[str]"


class _Switch(Checkbox):
    """A check box that is empty while it is off: Textual's differs in its colour alone."""

    @property
    def _button(self) -> Content:
        self.BUTTON_INNER = "X" if self.value else " "
        return super()._button


@dataclass(frozen=True)
class ChosenGame:
    """What was chosen on a start screen: an entry, its fields by flag, and who answers."""

    entry: StartEntry
    values: Mapping[str, str]
    way: int


class StartApp(LeavableApp[tuple[str, ...]]):
    """Lets a person choose what to play; ends with the words behind ``qsage-play``.

    ``message`` is what went wrong before, ``before`` what had been chosen then, and ``waiting`` the
    title of a play that one can go back to.  Leaving is ``Exit.FINE``.
    """

    CSS_PATH = "way_in.tcss"
    TITLE = "qsage play"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "to_list", "Leave", show=False),
        Binding("q,ctrl+q", "leave", "Leave", show=False),
        Binding("t", "theme", "Theme", show=False),
        Binding("f5", "play", "Play", show=False, priority=True),
    ]

    def __init__(
        self,
        entries: Sequence[StartEntry],
        theme: str,
        message: str | None = None,
        waiting: str | None = None,
        before: ChosenGame | None = None,
    ) -> None:
        super().__init__(theme)
        self._before = before
        self._entries = tuple(entries)
        self._message = message
        self._waiting = waiting
        self._at: list[StartEntry | None] = []
        self.entry = self._entries[0]
        self._shown: StartEntry | None = None
        self._inputs: dict[str, _Widget] = {}
        self._way: Select[int] | None = None

    @property
    def word_of_theme(self) -> str:
        """The theme that was chosen, as ``--theme`` names it."""
        return "dark" if self.current_theme.dark else "light"

    # Building

    def compose(self) -> ComposeResult:
        leave = "Esc back to the play" if self._waiting is not None else "q Quit"
        with Vertical(id="start"):
            yield Label("qsage play: choose what to play", id="start-title")
            with Horizontal(id="start-middle"):
                yield Choices(*self._options(), id="start-list", compact=True)
                with VerticalScroll(id="start-detail", can_focus=False):
                    yield Static("", id="start-name", markup=False)
                    yield Static("", id="start-rules", markup=False)
                    yield Static("", id="start-picture", markup=False)
                    yield Vertical(id="start-fields")
                    yield Button("F5 Play", id="start-play", variant="primary", compact=True)
            yield Static("", id="start-command", markup=False)
            yield Static(visible(self._message or ""), id="start-message", markup=False)
            yield Static(
                f" ↑↓ Choose  Enter Play  Tab Fields  F5 Play  t Theme  {leave}",
                id="start-keys",
                markup=False,
            )

    def _options(self) -> list[Option | None]:
        """The list with a heading before each section; ``None`` is a line between two."""
        options: list[Option | None] = []
        section = None
        for entry in self._entries:
            if entry.section != section:
                section = entry.section
                heading = Content.styled(section, "bold $accent")
                options.append(Option(heading, disabled=True))
                self._at.append(None)
            options.append(Option(Content(f"  {visible(entry.title)}")))
            self._at.append(entry)
        return options

    def on_mount(self) -> None:
        listed = self.query_one("#start-list", OptionList)
        listed.focus()
        shown = {k: entry.command({}) for k, entry in enumerate(self._at) if entry is not None}
        again = None if self._before is None else self._before.entry.command({})
        listed.highlighted = next((k for k, words in shown.items() if words == again), min(shown))

    @on(OptionList.OptionHighlighted, "#start-list")
    async def _highlighted(self) -> None:
        """Show the entry that is highlighted now, unless it is shown: others have been passed."""
        highlighted = self.query_one("#start-list", OptionList).highlighted
        entry = None if highlighted is None else self._at[highlighted]
        if entry is not None and entry is not self._shown:
            await self._show(entry)

    async def _show(self, entry: StartEntry) -> None:
        self.entry = self._shown = entry
        self.query_one("#start-name", Static).update(visible(entry.title))
        self.query_one("#start-rules", Static).update(visible(entry.rules))
        picture = self.query_one("#start-picture", Static)
        picture.update(entry.picture)
        picture.display = bool(entry.picture)
        fields = self.query_one("#start-fields", Vertical)
        self._inputs, self._way = {}, None
        await fields.remove_children()
        await fields.mount(*map(self._row, entry.fields))
        if len(entry.ways) > 1:
            choices = [(text, number) for number, (text, _) in enumerate(entry.ways)]
            self._way = Select(choices, allow_blank=False, value=0, compact=True)
            await fields.mount(Horizontal(Label("against"), self._way, classes="start-field"))
        if self._before is not None:
            self._fill_in(self._before)
        self._look()

    def _fill_in(self, before: ChosenGame) -> None:
        """Put back what had been chosen before something went wrong, once."""
        if before.entry.command({}) != self.entry.command({}):
            return
        self._before = None
        for flag, widget in self._inputs.items():
            value = before.values.get(flag, "")
            widget.value = value == "on" if isinstance(widget, Checkbox) else value
        if self._way is not None:
            self._way.value = before.way

    def _row(self, field: EntryField) -> Widget:
        name = field.flag.removeprefix("--").replace("-", " ")
        if field.switch:
            widget: _Widget = _Switch(field.help, compact=True)
        elif field.words and field.expected.startswith("one of"):
            choices = [(word, word) for word in field.words]
            widget = Select(choices, allow_blank=False, value=field.default, compact=True)
        else:
            hint = " ".join(field.words) or field.help
            widget = Input(field.default, placeholder=hint, compact=True, select_on_focus=True)
        widget.tooltip = Content(
            f"{field.help}; {field.expected}" if field.expected else field.help
        )
        self._inputs[field.flag] = widget
        return Horizontal(Label(name), widget, classes="start-field")

    # What is chosen

    @property
    def values(self) -> Mapping[str, str]:
        return {flag: _value(widget) for flag, widget in self._inputs.items()}

    @property
    def chosen(self) -> ChosenGame:
        """The choice, for a start screen that comes after something went wrong."""
        way = 0 if self._way is None else int(str(self._way.value))
        return ChosenGame(self.entry, self.values, way)

    @property
    def words(self) -> tuple[str, ...]:
        """The words behind ``qsage-play`` for what is chosen."""
        ways = self.entry.ways
        return self.entry.command(self.values, ways[self.chosen.way][1] if ways else ())

    def _look(self) -> None:
        """Show the command line of what is chosen, or what is wrong with it."""
        mistake = self.entry.mistake(self.values)
        command = self.query_one("#start-command", Static)
        command.set_class(mistake is not None, "-wrong")
        command.update(visible(mistake) if mistake else f"$ {shown_command(self.words)}")

    @on(Input.Changed)
    @on(Checkbox.Changed)
    @on(Select.Changed)
    def _changed(self) -> None:
        # (Fields of the entry before may tell of themselves while they go.)
        if all(widget.is_attached for widget in self._inputs.values()):
            self._look()

    # Keys

    async def _is_answered(self, key: events.Key) -> bool:
        """Answer the keys that lead elsewhere, too.

        A widget would tell of them later, when the next one is already at the old place.
        """
        listed = self.query_one("#start-list", Choices)
        steps = {
            "up": listed.action_cursor_up,
            "down": listed.action_cursor_down,
            "home": listed.action_first,
            "end": listed.action_last,
            "enter": self._selected,
        }
        if listed.has_focus and key.key in steps:
            steps[key.key]()
            await self._highlighted()
            return True
        field = self.focused
        if field in (*self._inputs.values(), self._way) and key.key in ("tab", "shift+tab"):
            self._step_from(field, 1 if key.key == "tab" else -1)
            return True
        return await super()._is_answered(key)

    def _step_from(self, field: Widget | None, step: int) -> None:
        """Focus the next widget; Textual goes by places, which new fields do not have yet."""
        listed, play = self.query_one("#start-list", Choices), self.query_one("#start-play", Button)
        every = (listed, *self._inputs.values(), self._way, play)
        order = [w for w in every if w is not None and w.display and w.focusable]
        if field in order:
            self.screen.set_focus(order[(order.index(field) + step) % len(order)])

    def _asked(self) -> Iterable[MessagePump]:
        return (*super()._asked(), *self.query("#start *"))

    @on(OptionList.OptionSelected, "#start-list")
    def _selected(self) -> None:
        first = next(iter(self._inputs.values()), self._way)
        if first is None:
            self.action_play()
        else:
            self.screen.set_focus(first)

    @on(Input.Submitted)
    @on(Button.Pressed)
    def action_play(self) -> None:
        if self.entry.mistake(self.values) is not None:
            self.bell()
            return
        self.exit(self.words)

    def action_to_list(self) -> None:
        """Back to the list; from there leave."""
        listed = self.query_one("#start-list", OptionList)
        if listed.has_focus:
            self.action_leave()
        else:
            listed.focus()

    def action_leave(self) -> None:
        self.exit(Exit.FINE)

    def action_theme(self) -> None:
        """Switch between dark and light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name


def _value(widget: _Widget) -> str:
    match widget.value:
        case bool() as on_:
            return "on" if on_ else "off"
        case value:
            return str(value)
