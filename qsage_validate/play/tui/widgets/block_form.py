"""The game of blocks: a form with the bits of the block that the person chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Label, OptionList
from textual.widgets.option_list import Option

from qsage_validate.arena.frame import BlockMove
from qsage_validate.play.tui.once import Choices

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
