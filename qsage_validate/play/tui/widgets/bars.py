"""The lines around the play area: title, status, actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from qsage_validate.play.tui.model.actions import ACTIONS
from qsage_validate.play.tui.model.view import StatusLines, ViewState
from qsage_validate.play.tui.widgets.panes import STONES

_GAP = 2
# Minor actions are left out of a bar that would be higher.
_MOST_LINES = 2


class TitleBar(Horizontal):
    """The game and its players; at the end, facts that must not be overlooked."""

    _flags = ""

    def compose(self) -> ComposeResult:
        yield Static(id="title-play")
        yield Static(id="title-flags")

    def show(self, view: ViewState) -> None:
        """Describe ``view``."""
        situation, facts = view.situation, view.situation.facts
        person = facts.person
        self.query_one("#title-play", Static).update(Content.styled(f" {facts.title} ", "bold"))
        rules = "rules compared" if facts.has_rules else "no rules"
        rules = "by the rules" if facts.by_rules else rules
        so_far = situation.line[: view.index + 1]
        if facts.has_rules and any(frame.illegal is not None for frame in so_far):
            rules = "off the rules"
        ply = f"ply {view.frame.ply}" + (f"/{facts.plies}" if facts.plies else "")
        flags = [Content(f" you {STONES[person]} {person}  {ply}  {rules} ")]
        if view.force:
            flags.append(Content.styled(" illegal moves happen ", "bold $warning"))
        found = len(situation.findings)
        if found:
            text = f" {found} finding{'s' * (found > 1)} "
            flag = Content.styled(text, "bold $foreground on $error 60%")
            flags.append(flag.stylize(Style.from_meta({"@click": "app.findings"})))
        shown = Content("").join(flags)
        if shown.markup != self._flags:
            self._flags = shown.markup
            self.query_one("#title-flags", Static).update(shown)


class StatusBar(Vertical):
    """The two lines that say what is going on; the square under the cursor at the end."""

    _square: str | None = None

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(id="status-headline")
            yield Static(id="status-square")
        yield Static(id="status-detail")

    def show(self, status: StatusLines, square: str) -> None:
        """Show ``status``."""
        self.set_classes(f"-{status.tone.value}")
        self.query_one("#status-headline", Static).update(Content(status.headline), layout=False)
        self.query_one("#status-detail", Static).update(Content(status.detail), layout=False)
        if square != self._square:
            self._square = square
            place = self.query_one("#status-square", Static)
            place.update(Content(square))
            place.display = bool(square)


class ActionBar(Static):
    """The actions with their keys; each can be clicked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._entries: tuple[tuple[Content, int], ...] = ()

    def show(self, enabled: Callable[[str], bool | None], active: frozenset[str]) -> None:
        """List the actions of the table: dimmed unless ``enabled``, lit when ``active``.

        An action for which ``enabled`` is ``None`` has no meaning in this game: it is left out.
        """
        entries: list[tuple[Content, int]] = []
        for action in ACTIONS:
            possible = enabled(action.name)
            if not action.label or possible is None:
                continue
            key = Content.styled(action.key, "bold $accent" if possible else "$quiet 60%")
            look = "$quiet 60%" if not possible else "reverse" if action.name in active else ""
            entry = key + Content(" ") + Content.styled(action.label, look)
            if possible:
                entry = entry.stylize(Style.from_meta({"action": action.name}))
            entries.append((entry, action.minor))
        self._entries = tuple(entries)
        self._wrap()

    def on_resize(self) -> None:
        """Spread the entries over lines of the new width.

        The layout that gave this width goes on after us, and may miss that the height changes.
        """
        self._wrap()
        self.call_after_refresh(self.refresh, layout=True)

    async def on_click(self, event: events.Click) -> None:
        name = event.style.meta.get("action")
        if name is not None:
            await self.app.run_action(name)

    def _wrap(self) -> None:
        # By hand, because an action must not be torn from its key.
        if not self.size.width:
            return
        ranks = sorted({minor for _, minor in self._entries if minor}, reverse=True)
        lines = self._lines(self._entries)
        for rank in ranks:
            if len(lines) <= _MOST_LINES:
                break
            lines = self._lines(entry for entry in self._entries if entry[1] < rank)
        gap = Content(" " * _GAP)
        shown = Content("\n").join(Content(" ") + gap.join(line) for line in lines)
        self.update(shown, layout=len(lines) != self.size.height)

    def _lines(self, entries: Iterable[tuple[Content, int]]) -> list[list[Content]]:
        lines: list[list[Content]] = [[]]
        used = 1
        for entry, _ in entries:
            if lines[-1] and used + entry.cell_length > self.size.width:
                lines.append([])
                used = 1
            lines[-1].append(entry)
            used += entry.cell_length + _GAP
        return lines
