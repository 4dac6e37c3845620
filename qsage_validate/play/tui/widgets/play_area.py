"""The part of the screen that board and panes share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual import events
from textual.containers import Container
from textual.content import Content
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from qsage_validate.play.tui.model.pane_layout import (
    NATURAL,
    PANES,
    STAGE,
    TABS,
    Sizing,
    arrange,
    mode_for,
)
from qsage_validate.play.tui.widgets.block_form import BlockForm
from qsage_validate.play.tui.widgets.board_view import BoardView

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
        if self.crowded or self.boxes(self.size) == before:
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
