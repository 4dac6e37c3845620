"""The panes beside the board, and the bars above and below it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style as RichStyle
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import DataTable, Input, Static

from qsage_validate.arena.frame import FrameValue, SquareXY, WhyNot, by_reason
from qsage_validate.arena.program import PlayedProgram, ProgramLine
from qsage_validate.errors import counted
from qsage_validate.games.protocol import Player
from qsage_validate.play.transcript import HistoryRow
from qsage_validate.play.tui.model.actions import ACTIONS
from qsage_validate.play.tui.model.requests import Explained, Refused
from qsage_validate.play.tui.model.situation import Note, Weight
from qsage_validate.play.tui.model.view import StatusLines, Tone, ViewState

# Labels of trees: pieces of text, each with the name of a colour of the theme


Piece = tuple[str, str]


def painted(pieces: Iterable[Piece], colours: Mapping[str, str]) -> Text:
    """A label; ``colours`` are the variables of the theme, "" is the plain text's colour.

    A name may follow ``bold``.
    """
    text = Text(no_wrap=True, overflow="ellipsis")
    for piece, look in pieces:
        name = look.removeprefix("bold").strip()
        style = RichStyle(
            color=colours[name] if name else None, bold=look.startswith("bold") or None
        )
        text.append(piece, style)
    return text


# The panes beside the board: moves so far, why not, values, messages


STONES = {Player.BLACK: "●", Player.WHITE: "○"}


_PLY_COLUMNS = ("Ply", "Player", "Move", "Remarks")
# In a narrow pane the stone says who moves.
_NARROW_COLUMNS = ("Ply", "", "Move", "Remarks")
_LISTED_SQUARES = 2
_VALUE_COLUMNS = ("Name", "Value", "Variable", "Kind")


def fill(
    table: DataTable[Content], columns: Sequence[str], rows: Sequence[Sequence[Content]]
) -> None:
    """Replace what ``table`` shows; each column is as wide as its widest cell.

    The table itself does not know how wide a ``Content`` is.
    """
    table.clear(columns=True)
    for label, width in zip(columns, _widths(columns, rows), strict=True):
        table.add_column(label, width=width)
    for row in rows:
        table.add_row(*row)


def _widths(columns: Sequence[str], rows: Sequence[Sequence[Content]]) -> list[int]:
    """The width of each column, without the space around its cells."""
    cells = (map(len, columns), *((cell.cell_length for cell in row) for row in rows))
    return list(map(max, zip(*cells, strict=True)))


class MovesPane(Vertical):
    """All plies that were tried, as a tree; choosing one goes there."""

    BORDER_TITLE = "1 Moves"

    @dataclass
    class FrameChosen(Message):
        """A person wants to look at the frame ``index`` of the line, or at a round beside it."""

        index: int | None
        number: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[tuple[HistoryRow, ...], Mapping[int, str]] = ((), {})
        self._narrow = False

    def compose(self) -> ComposeResult:
        yield DataTable[Content](cursor_type="row", id="moves-table")

    @property
    def table(self) -> DataTable[Content]:
        return self.query_one("#moves-table", DataTable)

    def show(self, rows: tuple[HistoryRow, ...], index: int, notes: Mapping[int, str]) -> None:
        """List ``rows`` with the cursor on the frame ``index`` of the line.

        ``notes`` are remarks on plies of the line, by their indices.
        """
        if self._shown != (rows, notes):
            self._shown = rows, notes
            self._fill()
        at = next(number for number, row in enumerate(rows) if row.index == index)
        self.table.move_cursor(row=at, animate=False)

    def on_resize(self) -> None:
        """Write the players as the new width has room for."""
        if self._narrow != self._is_narrow(self._cells()):
            at = self.table.cursor_row
            self._fill()
            self.table.move_cursor(row=at, animate=False)

    def _cells(self) -> list[tuple[Content, Content, Content, Content]]:
        rows, notes = self._shown
        return [
            _ply_cells(row, notes.get(-1 if row.index is None else row.index, "")) for row in rows
        ]

    def _is_narrow(self, cells: Sequence[Sequence[Content]]) -> bool:
        """Whether the names of the players would hide what stands right of them."""
        around = 2 * self.table.cell_padding * len(_PLY_COLUMNS)
        return 0 < self.size.width < sum(_widths(_PLY_COLUMNS, cells)) + around

    def _fill(self) -> None:
        cells = self._cells()
        self._narrow = self._is_narrow(cells)
        if self._narrow:
            narrow = [(ply, who[:1], move, said) for ply, who, move, said in cells]
            fill(self.table, _NARROW_COLUMNS, narrow)
        else:
            fill(self.table, _PLY_COLUMNS, cells)

    @on(DataTable.RowSelected)
    def _choose(self, event: DataTable.RowSelected) -> None:
        event.stop()
        rows = self._shown[0]
        if 0 <= event.cursor_row < len(rows):  # It may have been taken back meanwhile.
            row = rows[event.cursor_row]
            self.post_message(self.FrameChosen(row.index, row.number))


def _ply_cells(row: HistoryRow, note: str) -> tuple[Content, Content, Content, Content]:
    frame = row.frame
    remarks = [Content.styled(note, "$quiet")] if note else []
    if frame.illegal is not None:
        remarks.append(Content.styled("illegal", "$warning"))
    if frame.stopped:
        remarks.append(Content("claims the goal"))
    if frame.findings:
        count = len(frame.findings)
        remarks.append(Content.styled(counted(count, "finding"), "bold $error"))
    if frame.outcome is not None:
        winner = frame.outcome.winner
        end = "the end" if winner is None else f"{winner} wins"
        remarks.append(Content.styled(end, "bold"))
    if frame.player is None:
        who, move = Content(""), Content.styled("start", "$quiet")
    else:
        who = Content(f"{STONES[frame.player]} {frame.player}")
        move = Content(frame.said)
    cells = Content(str(frame.ply)), who, move, Content(", ").join(remarks)
    if not row.level:
        return cells
    ply, who, move, said = (cell.stylize("$quiet") for cell in cells)
    return Content.styled("  " * (row.level - 1) + "└ ", "$quiet") + ply, who, move, said


class WhyPane(VerticalScroll):
    """The reasons why the last illegal try is illegal, by the rules and by the formula.

    Where the replies come from a program, it is listed while there is nothing to explain.
    """

    BORDER_TITLE = "2 Why not"

    whys: tuple[WhyNot, ...] = ()
    """The reasons that are shown."""

    def __init__(self, program: PlayedProgram | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._program = program
        self._answer: Refused | Explained | None = None
        self._way: tuple[int, ...] = ()
        if program is not None:
            self.border_title = "2 Why"

    def compose(self) -> ComposeResult:
        yield Static(self._text(), id="why-text")

    def show(self, answer: Refused | Explained | None) -> None:
        """Explain ``answer``; ``None`` clears the pane."""
        self.whys = () if answer is None else answer.whys
        self._answer = answer
        self._update()
        self.scroll_home(animate=False)

    def follow(self, way: tuple[int, ...]) -> None:
        """Mark the nodes of the program that led to the reply that is looked at."""
        if way != self._way:
            self._way = way
            self._update()
            self._show_answer()

    def on_resize(self) -> None:
        """Wrap the program's lines anew."""
        if self._program is not None and self._answer is None:
            self._update()
            self._show_answer()

    def _update(self) -> None:
        self.query_one("#why-text", Static).update(self._text())

    def _text(self) -> Content:
        if self._answer is not None:
            return _why(self._answer)
        if self._program is None:
            return _EMPTY_WHY
        return Content("\n").join(line for line, _ in self._listed(self._program))

    def _listed(self, program: PlayedProgram) -> list[tuple[Content, bool]]:
        """The lines of the program, and whether each is on the way of the reply."""
        width = self.scrollable_content_region.width
        lines = [
            (row, line.node in self._way)
            for line in program.lines
            for row in _rows_of(line, self._way, width)
        ]
        if program.first_question is not None:
            ahead = Content.assemble(("next    ", "$quiet"), f"{program.first_question}?")
            lines += [(Content(), False), (ahead, False)]
        return lines

    def _show_answer(self) -> None:
        """Bring the answer into sight, where the program is longer than the pane."""
        if self._program is not None and self._answer is None:
            on_way = [number for number, (_, on) in enumerate(self._listed(self._program)) if on]
            last = max(on_way, default=0)
            self.scroll_to(y=max(0, last + 2 - self.size.height), animate=False)


def _rows_of(line: ProgramLine, way: tuple[int, ...], width: int) -> list[Content]:
    """A line of a program in rows of ``width``, with the answer to a question on the way."""
    on_way = line.node in way
    answer = ""
    if on_way and line.yes is not None:
        answer = "yes" if line.yes in way else "no"
    indent = " " * (len(line.text) - len(line.text.lstrip()) + 4)
    text = f"{line.text} {answer}".rstrip()
    rows = textwrap.wrap(text, max(width, len(indent) + 12), subsequent_indent=indent)
    shown = [Content.styled(row, "bold" if on_way else "$quiet") for row in rows]
    if answer:
        shown[-1] = shown[-1].stylize(_ANSWERS[answer], -len(answer))
    return shown


_ANSWERS = {"yes": "$success", "no": "$warning"}


_EMPTY_WHY = Content.styled(
    "Nothing illegal was tried.\n\nPick a square that is not marked, or press w (why not) on any "
    "square, or type ? and a move: the gates that forbid it are named here, and the rule that "
    "fails.",
    "$quiet",
)


def _why(answer: Refused | Explained) -> Content:
    # The links to gates count the moves as the answer lists them.
    numbers = {why: number for number, why in enumerate(answer.whys)}
    blocks = [
        Content("\n").join([*_head(group), *_told_once([_reason(w, numbers[w]) for w in group])])
        for group in by_reason(answer.whys)
    ]
    legal = answer.legal if isinstance(answer, Explained) else answer.alternatives
    if legal:
        moves = ", ".join(move.words for move in legal)
        blocks.append(
            Content.assemble((moves, "bold"), (" legal", "bold $success"), ": nothing forbids it")
        )
    if not blocks:
        blocks.append(Content(f"{answer.attempt}: no move of yours is written like that."))
    return Content("\n\n").join(blocks)


def _head(group: Sequence[WhyNot]) -> list[Content]:
    """The moves that one sentence forbids, and the sentence."""
    moves = ", ".join(why.move.words for why in group)
    lines = [Content.assemble((moves, "bold"), (" illegal", "bold $error"))]
    first = group[0].illegality
    if first is not None and first.sentence:
        lines.append(Content(first.sentence))
    return lines


def _told_once(reasons: Sequence[Sequence[Content]]) -> list[Content]:
    """The lines of all reasons; what several say is told once."""
    told: dict[str, Content] = {}
    for lines in reasons:
        for line in lines:
            told.setdefault(line.plain, line)
    return list(told.values())


def _reason(why: WhyNot, number: int) -> list[Content]:
    """The rule and the gates; the rule without the move, which the heading names."""
    lines: list[Content] = []
    if why.illegality is not None:
        rule = why.illegality.text.removeprefix(f"{why.move}: ")
        lines.append(Content.assemble(("rules    ", "$quiet"), rule))
    elif why.rules_legal:
        lines.append(Content.assemble(("rules    ", "$quiet"), "the move is legal"))
    if why.formula_legal is None and why.asked:
        lines.append(Content.assemble(("formula  ", "$quiet"), "says nothing about legality"))
    elif why.formula_legal:
        lines.append(Content.assemble(("formula  ", "$quiet"), "every indicator accepts the move"))
    for value in why.evidence:
        lines.append(Content.assemble(("formula  ", "$quiet"), _named(value, number)))
    if why.rules_legal is not None and why.formula_legal not in (None, why.rules_legal):
        lines.append(Content.styled("rules and formula disagree: a finding", "bold $error"))
    return lines


def _named(value: FrameValue, number: int) -> Content:
    """A value; its name is a link to the gate."""
    link = Style.from_meta({"@click": f"app.gate({value.literal}, {number})"})
    name = Content.assemble(value.name, (f" [{value.variable}]", "$quiet")).stylize(link)
    return Content.assemble(name, " = ", _value(value))


def _value(value: FrameValue, most: int | None = None) -> Content:
    """The value; with ``most``, more squares than that are only counted."""
    if value.value is not None:
        style = "$success" if value.value else "$error"
        return Content.styled("true" if value.value else "false", style)
    if value.false_at:
        if most is not None and len(value.false_at) > most:
            return Content.styled(f"false at {len(value.false_at)} squares", "$error")
        places = " ".join(f"({x},{y})" for x, y in value.false_at)
        return Content.styled(f"false at {places}", "$error")
    return Content.styled("?", "$quiet")


class ValuesPane(Vertical):
    """Variables and gates with their values at the step that is shown, with a filter."""

    BORDER_TITLE = "3 Values"

    @dataclass
    class Pointed(Message):
        squares: frozenset[SquareXY]

    @dataclass
    class Opened(Message):
        """The gate or variable of a row is to be looked into."""

        literal: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._values: tuple[FrameValue, ...] = ()
        self._shown: tuple[FrameValue, ...] = ()

    def compose(self) -> ComposeResult:
        yield Input(
            placeholder="filter: words of a row, such as white true",
            id="values-filter",
            compact=True,
        )
        yield DataTable[Content](cursor_type="row", id="values-table")

    @property
    def table(self) -> DataTable[Content]:
        return self.query_one("#values-table", DataTable)

    @property
    def shown(self) -> tuple[FrameValue, ...]:
        return self._shown

    def show(self, values: tuple[FrameValue, ...]) -> None:
        """List ``values``."""
        if values != self._values:
            self._values = values
            self._fill()

    @on(Input.Changed, "#values-filter")
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self._fill()

    @on(Input.Submitted, "#values-filter")
    def _leave_filter(self, event: Input.Submitted) -> None:
        event.stop()
        self.table.focus()

    def _fill(self) -> None:
        words = self.query_one("#values-filter", Input).value.casefold().split()
        self._shown = tuple(v for v in self._values if all(w in _searched(v) for w in words))
        rows = [
            (
                Content(value.name),
                _value(value, _LISTED_SQUARES),
                Content(value.variable),
                Content.styled(value.group.value, "$quiet"),
            )
            for value in self._shown
        ]
        fill(self.table, _VALUE_COLUMNS, rows)
        hidden = len(self._values) - len(self._shown)
        self.border_subtitle = f"{len(self._shown)} of {len(self._values)}" if hidden else ""

    @on(DataTable.RowHighlighted)
    def _point(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        if 0 <= event.cursor_row < len(self._shown) and self.table.has_focus:
            self.post_message(self.Pointed(frozenset(self._shown[event.cursor_row].false_at)))

    @on(DataTable.RowSelected)
    def _open(self, event: DataTable.RowSelected) -> None:
        event.stop()
        if 0 <= event.cursor_row < len(self._shown):
            self.post_message(self.Opened(self._shown[event.cursor_row].literal))


def _searched(value: FrameValue) -> str:
    shown = "?" if value.value is None and not value.false_at else str(bool(value.value))
    return f"{value.name} {value.variable} {value.group.value} {shown}".casefold()


_WEIGHT_STYLES = {
    Weight.SAID: "$quiet",
    Weight.DONE: "",
    Weight.REFUSED: "$warning",
    Weight.ERROR: "$error",
    Weight.FINDING: "bold $error",
    Weight.VERDICT: "bold",
}


class MessagesPane(VerticalScroll):
    """The messages so far, the newest last."""

    BORDER_TITLE = "4 Messages"
    LIMIT: ClassVar[int] = 500

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.notes: list[Note] = []

    def compose(self) -> ComposeResult:
        yield Static(id="messages-text")

    def add(self, *notes: Note) -> None:
        self.notes += notes
        del self.notes[: -self.LIMIT]
        lines = [
            Content.styled(f"{note.weight.value} {note.text}", _WEIGHT_STYLES[note.weight])
            for note in self.notes
        ]
        self.query_one("#messages-text", Static).update(Content("\n").join(lines))
        self._show_newest()

    def on_show(self) -> None:
        """Come up with the newest message in sight."""
        self._show_newest()

    def _show_newest(self) -> None:
        # When the new text has been laid out; until then the end is where it was before.
        self.call_after_refresh(self.scroll_end, animate=False, force=True)


# The lines around the play area: title, status, actions


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
        told = f" you {STONES[person]} {person}  {ply} "
        # Where there is not room for all, who claims what comes before how it is compared.
        usual = facts.has_rules and rules in ("rules compared", "by the rules")
        if not usual or len(facts.title) + len(told) + len(rules) + 3 <= self.app.size.width:
            told += f" {rules} "
        flags = [Content(told)]
        if view.force:
            flags.append(Content.styled(" illegal moves happen ", "bold $warning"))
        found = len(situation.findings)
        if found:
            text = f" {counted(found, 'finding')} "
            flag = Content.styled(text, "bold $foreground on $error 60%")
            flags.append(flag.stylize(Style.from_meta({"@click": "app.findings"})))
        shown = Content("").join(flags)
        if shown.markup != self._flags:
            self._flags = shown.markup
            self.query_one("#title-flags", Static).update(shown)


class StatusBar(Vertical):
    """The lines that say what is going on; the square under the cursor at the end.

    They are two; where one does not fit the screen it goes on in another.  The square gives way
    to a first line that needs its place.
    """

    _square: str | None = None
    _said = StatusLines(Tone.TURN, "", "")

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(id="status-headline")
            yield Static(id="status-square")
        yield Static(id="status-detail")

    def show(self, status: StatusLines, square: str) -> None:
        """Show ``status``."""
        self.set_classes(f"-{status.tone.value}")
        self._said = status
        if square != self._square:
            self._square = square
            self.query_one("#status-square", Static).update(Content(square))
        self._fit()

    def on_resize(self) -> None:
        """Wrap the lines anew."""
        self._fit()

    def _fit(self) -> None:
        width = self.size.width - 2
        if width <= 0:
            return
        said, square = self._said, self._square or ""
        place = self.query_one("#status-square", Static)
        place.display = 0 < len(square) <= width - Content(said.headline).cell_length - 2
        for name, text in (("headline", said.headline), ("detail", said.detail)):
            line = self.query_one(f"#status-{name}", Static)
            high = min(len(Content(text).wrap(width)), _MOST_LINES) or 1
            line.styles.height = high
            line.update(Content(text), layout=False)


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
