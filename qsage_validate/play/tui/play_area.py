"""The place of a play on the screen: board or form for blocks, and the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.events import Paste
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.style import Style
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Button, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from qsage_validate.arena.frame import BlockMove
from qsage_validate.play.tui.base import Choices
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.model.actions import (
    NATURAL,
    PANES,
    STAGE,
    TABS,
    Sizing,
    arrange,
    mode_for,
)

# The game of blocks: a form with the bits of the block that the person chooses


_WIDTH = 38


class BitList(Choices):
    """Variables with their bits: Enter or a click changes a bit, 0 and 1 set it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "select", "Change", show=False),
        Binding("0", "set(False)", "Set to 0", show=False),
        Binding("1", "set(True)", "Set to 1", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, compact=True)
        self._names: tuple[str, ...] = ()
        self.bits: list[bool] = []

    def offer(self, names: tuple[str, ...], bits: tuple[bool, ...]) -> None:
        """Show these variables."""
        self._names = names
        self.bits = list(bits)
        self.clear_options()
        self.add_options(Option(self._prompt(index)) for index in range(len(names)))
        self.highlighted = 0 if names else None

    def set_bit(self, index: int, bit: bool) -> None:
        self.bits[index] = bit
        self.replace_option_prompt_at_index(index, self._prompt(index))

    def action_set(self, bit: bool) -> None:
        """Set the highlighted bit and go on to the next one."""
        if self.highlighted is not None:
            self.set_bit(self.highlighted, bit)
            self.action_cursor_down()

    def _prompt(self, index: int) -> Content:
        bit = self.bits[index]
        shown = ("1", "bold $success") if bit else ("0", "$quiet")
        return Content.assemble(shown, "  ", self._names[index])

    @on(OptionList.OptionSelected)
    def _change(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option in self.options:  # Another block may be offered meanwhile.
            self.set_bit(event.option_index, not self.bits[event.option_index])


class BlockForm(Vertical):
    """The bits of a block; posts :class:`Submitted`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("p", "submit", "Play the block", show=False)]

    @dataclass
    class Submitted(Message):
        """The person plays the block with these values."""

        move: BlockMove

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._block: BlockMove | None = None

    def compose(self) -> ComposeResult:
        yield Label(id="block-title", markup=False)
        yield BitList(id="block-bits")
        with Horizontal(id="block-buttons"):
            yield Button("Play (p)", id="block-play", variant="primary", compact=True)
            yield Button("All 1", id="block-ones", compact=True)
            yield Button("All 0", id="block-zeros", compact=True)

    @property
    def bits(self) -> BitList:
        return self.query_one(BitList)

    def measure(self, width: int, height: int) -> tuple[int, int]:
        """The size that the form would take of an area."""
        return (min(width, _WIDTH), height)

    def show(self, block: BlockMove | None, title: str) -> None:
        """Offer ``block``, beginning with its values; ``None`` while none is due."""
        self.query_one("#block-title", Label).update(title)
        if block != self._block:
            self._block = block
            self.bits.offer(*((), ()) if block is None else (block.names, block.values))
        for button in self.query(Button):
            button.disabled = block is None

    def show_text(self, text: str) -> None:
        """Show a position in words instead of a block: its moves are typed."""
        self._block = None
        self.query_one("#block-title", Label).update(text)
        self.bits.display = False
        for button in self.query(Button):
            button.display = False

    def set_bits(self, move: BlockMove) -> None:
        """Set the bits to those of ``move``, which is one of the same block."""
        if self._block is not None and move.variables == self._block.variables:
            for index, bit in enumerate(move.values):
                self.bits.set_bit(index, bit)

    def action_submit(self) -> None:
        block = self._block
        if block is not None:
            values = tuple(self.bits.bits)
            self.post_message(self.Submitted(BlockMove(block.variables, values, block.names)))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "block-play":
            self.action_submit()
        else:
            for index in range(len(self.bits.bits)):
                self.bits.set_bit(index, event.button.id == "block-ones")


# The line in which a move is typed, with suggestions


_MOST: Final = 120


class MovePrompt(Input):
    """Takes ``occupy(3,3)`` to play and ``?occupy(3,3)`` to ask; posts :class:`Entered`.

    A legal move that begins like the text is suggested; Tab or Right takes it.  Nothing can
    be asked without ``explains``: a question mark is part of the text then.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "Complete", show=False)]

    @dataclass
    class Entered(Message):
        """A person typed ``text``; ``asking`` when only the reasons are wanted."""

        text: str
        asking: bool

    def __init__(self, *, id: str | None = None, explains: bool = True) -> None:
        super().__init__(id=id, compact=True, select_on_focus=False)
        self._explains = explains
        self._example = ""
        self._only = False

    def offer(self, moves: Sequence[str], legal: int) -> None:
        """Suggest ``moves``, the first one as an example; so many are ``legal``."""
        asked = [f"?{move}" for move in moves if self._explains]
        self.suggester = SuggestFromList([*moves, *asked], case_sensitive=False)
        self._example = next(iter(moves), "")
        self._only = legal == 1
        self._show_help(focused=self.has_focus)

    def _show_help(self, *, focused: bool) -> None:
        # While focus comes or goes, ``has_focus`` is what it was.
        if not self._example:
            self.placeholder = ""
        elif focused and self._only:
            self.placeholder = f"Enter plays {self._example}, the only move, Esc leaves"
        elif focused:
            asks = f" ?{self._example} asks why not," if self._explains else ""
            self.placeholder = f"{self._example} plays,{asks} Esc leaves"
        else:
            self.placeholder = f": to type a move such as {self._example}"

    def on_focus(self) -> None:
        """Say what can be typed."""
        self._show_help(focused=True)

    def on_blur(self) -> None:
        """Say how to come here."""
        self._show_help(focused=False)

    def on_paste(self, event: Paste) -> None:
        """Take the first line that has something in it, and say which ones are dropped."""
        lines = [line.strip() for line in event.text.splitlines() if line.strip()]
        event.text = lines[0] if lines else ""
        if len(lines) > 1:
            dropped = ", ".join(lines[1:])
            shown = dropped if len(dropped) <= _MOST else f"{dropped[: _MOST - 1]}…"
            self.notify(
                f"One line at a time: {len(lines) - 1} of the {len(lines)} pasted lines dropped: "
                f"{shown}",
                severity="warning",
                markup=False,
            )

    def action_complete(self) -> None:
        """Take the suggestion; without one, go on to the next widget."""
        before = self.value
        self.cursor_position = len(self.value)
        self.action_cursor_right()
        if self.value == before:
            self.screen.focus_next()

    async def action_submit(self) -> None:
        """Post what was typed, and clear the line."""
        text = self.value.strip() or (self._example if self._only else "")
        self.clear()
        asking = self._explains and text.startswith("?")
        said = text.lstrip("?").strip() if asking else text
        if said:
            self.post_message(self.Entered(said, asking=asking))


# The part of the screen that board and panes share


_SHORT = {"moves": "Moves", "why": "Why", "values": "Values", "messages": "Said"}
_FULL_WIDTH = 41


class PaneTabs(Static):
    """The names of the panes, with a number where there is news; posts :class:`Chosen`."""

    @dataclass
    class Chosen(Message):
        """A person wants to see a pane."""

        pane: str

    def __init__(self, titles: Mapping[str | None, str], active: str) -> None:
        """``titles`` are those of the panes, with their numbers."""
        super().__init__(id=TABS)
        self._titles = titles
        self.active = active
        self.news: frozenset[str] = frozenset()

    def show(self, active: str, news: frozenset[str]) -> None:
        """Mark the active pane, and the ones with news."""
        self.active = active
        self.news = news
        full = self.size.width >= _FULL_WIDTH
        tabs: list[Content] = []
        for number, pane in enumerate(PANES, start=1):
            sign = "!" if pane in news else " "
            look = "bold $foreground on $primary 40%" if pane == active else "$quiet"
            if pane in news:
                look = "bold $warning"
            title = f" {self._titles[pane]}" if full else f"{number} {_SHORT[pane]}"
            tab = Content.styled(f"{title}{sign}", look)
            tabs.append(tab.stylize(Style.from_meta({"pane": pane})))
        self.update(Content("").join(tabs), layout=False)

    def on_resize(self) -> None:
        """Write the names as long as there is room for them."""
        self.show(self.active, self.news)

    def on_click(self, event: events.Click) -> None:
        pane = event.style.meta.get("pane")
        if pane is not None:
            self.post_message(self.Chosen(pane))


class Stage(Container):
    """The area of the board, or of the form; a board is centred in it."""

    def __init__(self, child: BoardView | BlockForm) -> None:
        super().__init__(child, id=STAGE)
        self._child = child

    def on_resize(self) -> None:
        """Give the child what it can use of the space."""
        width, height = self._child.measure(self.size.width, self.size.height)
        self._child.styles.width = width
        self._child.styles.height = height


class PlayArea(Container):
    """Arranges stage, tabs and panes by :func:`arrange`; shows one pane at a time when small."""

    def __init__(self, child: BoardView | BlockForm, *panes: Widget, active: str) -> None:
        """``active`` is the pane that is shown first, where there is room for one."""
        self.stage = Stage(child)
        titles = {pane.id: str(pane.border_title) for pane in panes}
        super().__init__(self.stage, PaneTabs(titles, active), *panes, id="play-area")
        self._measure = child.measure
        self._layout = _PaneLayout()
        self.active = active
        self.tabbed = True
        self.sizing = NATURAL

    @property
    def layout(self) -> Layout:
        """The layout, which depends on the size in a way that CSS cannot say."""
        return self._layout

    def boxes(self, size: Size) -> dict[str, Region]:
        """The region of each shown child in an area of ``size``."""
        found = arrange(size.width, size.height, self.active, self._measure, self.sizing)
        return {name: Region(b.x, b.y, b.width, b.height) for name, b in found.items()}

    def choose(self, pane: str) -> None:
        """Show ``pane``, if they are not all shown."""
        if pane != self.active:
            self.active = pane
            self.rearrange()

    @property
    def crowded(self) -> bool:
        """True if there is no room for all panes."""
        return mode_for(self.size.width, self.size.height).tabbed

    def resize(self, sizing: Sizing) -> bool:
        """Give the panes other sizes; whether that changes anything here."""
        before, kept = self.boxes(self.size), self.sizing
        self.sizing = sizing
        moved = sizing.alone != kept.alone
        if not moved and (self.crowded or self.boxes(self.size) == before):
            self.sizing = kept
            return False
        self.rearrange()
        return True

    def on_resize(self) -> None:
        self.rearrange()

    def rearrange(self) -> None:
        """Show the children that have a place, and lay them out again."""
        self.tabbed = self.crowded or self.sizing.maximised
        shown = self.boxes(self.size)
        for child in self.children:
            child.display = child.id in shown
        self.set_class(self.tabbed, "-tabbed")
        # The stage's refresh has this area forget how it was arranged before.
        self.stage.refresh(layout=True)
        self.stage.on_resize()


class _PaneLayout(Layout):
    name = "panes"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        if not isinstance(parent, PlayArea):
            raise TypeError("this layout is the play area's")
        boxes = parent.boxes(size)
        return [
            WidgetPlacement(boxes[child.id], NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if child.id in boxes
        ]
