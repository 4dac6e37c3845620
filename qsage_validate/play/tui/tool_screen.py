"""Screens beside the board: the gate inspector, the tree of a strategy, and proofs."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.style import Style
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import DataTable, Input, OptionList, Static, Tree
from textual.widgets.option_list import Option
from textual.widgets.tree import TreeNode
from textual.worker import Worker, WorkerState

from qsage_validate.arena.frame import SquareXY
from qsage_validate.arena.strategy_tree import (
    BUDGET,
    GateInspector,
    GateRow,
    Size,
    StrategyNode,
    StrategyTree,
)
from qsage_validate.errors import QsageError, counted
from qsage_validate.play.tui.base import AskingApp, Choices
from qsage_validate.play.tui.dialogs import Dialog, ListedFinding, describe
from qsage_validate.play.tui.model.situation import LevelRow, ProofEnd, Prove
from qsage_validate.play.tui.panes import Piece, fill, painted
from qsage_validate.play.tui.play_area import PlayArea
from qsage_validate.system.limits import Progress, Stopwatch

# A screen over the play that asks questions of its own, in a thread, one at a time


Result = TypeVar("Result")
Answer = TypeVar("Answer")
_Job = tuple[str, Callable[[], Callable[[], None]]]


class KeyBar(Static):
    """Keys with what they do: key, label, action of the screen; each can be clicked."""

    def __init__(self, keys: Iterable[tuple[str, str, str]], *, id: str | None = None) -> None:
        parts = [
            Content.assemble((key, "bold $accent"), " ", label).stylize(
                Style.from_meta({"action": action})
            )
            for key, label, action in keys
        ]
        super().__init__(Content("  ").join(parts), id=id)

    async def on_click(self, event: events.Click) -> None:
        """Start the action that was clicked."""
        name = event.style.meta.get("action")
        if name is not None:
            await self.screen.run_action(name)


class ToolScreen(Dialog[Result]):
    """Title, body, a line that says what is going on, a line of keys.

    Subclasses fill :meth:`body` and ask by :meth:`ask`; a bug ends the app, as those of the
    match do.
    """

    TITLE = ""
    KEYS: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", show=False),
        Binding("z", "maximise", "Maximise", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._jobs: deque[_Job] = deque()
        self.busy: str | None = None
        self.remark = ""
        self.closed = False
        self.maximised = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="tool"):
            yield Static(Content(self.heading()), classes="tool-title")
            yield from self.body()
            yield Static(id="tool-status")
            size = () if self._area.crowded else (("z", "Size", "maximise"),)
            yield KeyBar((*self.KEYS, *size, ("Esc", "Close", "leave")), id="tool-keys")

    # Place

    def on_resize(self) -> None:
        """Stand beside the board where there is room, and over all of it elsewhere."""
        self._place()

    def action_maximise(self) -> None:
        """Take the whole screen, or stand beside the board again."""
        self.maximised = not self.maximised
        self._place()

    @property
    def _area(self) -> PlayArea:
        """The board with its panes, under this screen."""
        return self.app.screen_stack[0].query_one(PlayArea)

    def _place(self) -> None:
        area = self._area
        docked = not (self.maximised or area.crowded)
        self.set_class(docked, "-docked")
        tool = self.query_one(".tool")
        region, stage = area.region, area.stage.region
        tool.styles.width = region.right - stage.right if docked else "100%"
        tool.styles.height = region.height if docked else "100%"
        tool.styles.offset = (stage.right, region.y) if docked else (0, 0)

    def heading(self) -> str:
        """The title line."""
        return self.TITLE

    def body(self) -> list[Widget]:
        """The widgets between title and status."""
        return []

    # Asking

    def ask(
        self,
        what: str,
        question: Callable[[], Answer],
        show: Callable[[Answer], None],
        *,
        soon: bool = False,
    ) -> None:
        """Ask in the thread, ``show`` the answer in the interface; ``soon`` before what waits."""

        def job() -> Callable[[], None]:
            return partial(show, question())

        if soon:
            self._jobs.appendleft((what, job))
        else:
            self._jobs.append((what, job))
        self._next()

    def _next(self) -> None:
        if self.busy is None and self._jobs and not self.closed:
            self.busy, job = self._jobs.popleft()
            self.run_worker(
                partial(self._work, job),
                group="tool",
                thread=True,
                exclusive=True,
                exit_on_error=False,
            )
        self.show_status()

    def _work(self, job: Callable[[], Callable[[], None]]) -> None:
        try:
            shown = job()
        except QsageError as error:
            shown = partial(self._failed, str(error))
        self.call_later(self._worked, shown)

    def _worked(self, show: Callable[[], None]) -> None:
        self.busy = None
        show()
        self._next()

    def _failed(self, why: str) -> None:
        self.remark = why
        self.app.bell()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A question that raised has met a bug: leave, so that it is reported."""
        if event.state is WorkerState.ERROR and isinstance(self.app, AskingApp):
            self.app.bug = event.worker.error
            self.app.exit()

    def show_status(self) -> None:
        """Say what is going on, or what was remarked last."""
        if self.is_mounted:
            self.query_one("#tool-status", Static).update(Content(self.status()))

    def status(self) -> str:
        """The line under the body."""
        return self.remark if self.busy is None else f"Working: {self.busy} …"

    def on_unmount(self) -> None:
        """Nothing more is asked, and long questions end."""
        self.closed = True
        self._jobs.clear()

    def action_leave(self) -> None:
        self.closed = True
        self.dismiss(None)


# The gate inspector: the fan-in of gates as a tree, with values at the step that is shown


_LISTED = 3
_SIGNS = "* decides the gate above it, ? is not determined"
# Inputs of a gate that are shown; more than a person reads.
_MOST_INPUTS = 500


class GateScreen(ToolScreen[None]):
    """Named gates with their values; opening one shows its inputs, decisive ones first.

    A gate that reads the symbolic position has a value on each square: of one square, or, with
    all squares, of those on which it is false.
    """

    KEYS = (
        ("Enter", "Open", "open"),
        ("/", "Find a gate", "find"),
        ("[", "Square", "square(-1)"),
        ("]", "Square", "square(1)"),
        ("a", "All squares", "all"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left_square_bracket", "square(-1)", "Square before", show=False),
        Binding("right_square_bracket", "square(1)", "Next square", show=False),
        Binding("a", "all", "All squares", show=False),
        Binding("slash,colon", "find", "Find", show=False),
        Binding("q,g", "leave", "Close", show=False),
    ]

    def __init__(
        self,
        gates: Callable[[], GateInspector],
        step: str,
        square: SquareXY | None,
        literal: int | None = None,
    ) -> None:
        """``step`` says in words when the gates are read; ``literal`` is the one to open first."""
        super().__init__()
        self._gates = gates
        self._step = step
        self._literal = literal
        self._names: tuple[str | int, ...] = ()
        self.square = square
        self.inspector: GateInspector | None = None

    def heading(self) -> str:
        return f"Gates {self._step}; later plies of yours count as false"

    def body(self) -> list[Widget]:
        """A line to find gates, the tree, the gate that is marked in full."""
        return [
            Input(placeholder="/ to find a gate by name", compact=True, id="gate-name"),
            Tree[GateRow]("gates", id="gate-tree"),
            Static(id="gate-detail"),
        ]

    @property
    def shown(self) -> Tree[GateRow]:
        return self.query_one("#gate-tree", Tree)

    def on_mount(self) -> None:
        self.shown.show_root = False
        self.shown.focus()
        self.ask("reading the gates", self._gates, self._opened)

    def _opened(self, inspector: GateInspector) -> None:
        self.inspector = inspector
        if self.square not in inspector.squares:
            self.square = inspector.squares[0] if inspector.squares else None
        self._names = inspector.starting_points
        suggester = SuggestFromList(inspector.starting_points, case_sensitive=False)
        self.query_one("#gate-name", Input).suggester = suggester
        self._list()

    def _list(self) -> None:
        """The gates again that are listed, at the square that is chosen."""
        inspector, square, names = self.inspector, self.square, self._names
        if inspector is None:
            return
        wanted, self._literal = self._literal, None
        names = names if wanted is None else (wanted, *names)

        def shown(rows: tuple[GateRow, ...]) -> None:
            self.shown.clear()
            for row in {row.literal: row for row in rows}.values():
                self._add(self.shown.root, row)
            self.shown.root.expand()
            self.shown.move_cursor(next(iter(self.shown.root.children), None))
            if wanted is not None:
                self._go_to(rows[0])

        self.ask("reading values", lambda: inspector.rows(names, square), shown)

    def _go_to(self, row: GateRow) -> None:
        """Open a gate, which is listed first where it was not listed."""
        root = self.shown.root
        known = [n for n in root.children if n.data is not None]
        same = [n for n in known if n.data is not None and n.data.literal == row.literal]
        node = same[0] if same else self._add(root, row, before=0)
        self.shown.focus()
        self.call_after_refresh(self.shown.move_cursor, node)
        node.expand()

    def _add(
        self, parent: TreeNode[GateRow], row: GateRow, *, before: int | None = None
    ) -> TreeNode[GateRow]:
        leaf = row.connective is None
        label = painted(gate_pieces(row), self.app.theme_variables)
        return parent.add(label, row, allow_expand=not leaf, before=before)

    @on(Tree.NodeExpanded)
    def _expanded(self, event: Tree.NodeExpanded[GateRow]) -> None:
        event.stop()
        node, inspector, square = event.node, self.inspector, self.square
        if node.data is None or node.children or inspector is None:
            return
        literal = node.data.literal

        def shown(rows: tuple[GateRow, ...]) -> None:
            if node.children:
                return
            for row in rows[:_MOST_INPUTS]:
                self._add(node, row)
            if len(rows) > _MOST_INPUTS:
                more = f"and {counted(len(rows) - _MOST_INPUTS, 'more input')}"
                node.add_leaf(painted([(more, "quiet")], self.app.theme_variables))

        self.ask("reading inputs", lambda: inspector.inputs(literal, square), shown, soon=True)

    @on(Tree.NodeHighlighted)
    def _highlighted(self, event: Tree.NodeHighlighted[GateRow]) -> None:
        event.stop()
        row = event.node.data
        self.query_one("#gate-detail", Static).update(Content("" if row is None else row.text))

    def status(self) -> str:
        """The square, and the last remark."""
        said = super().status()
        if self.inspector is None or not self.inspector.squares:
            return said or _SIGNS
        square = self.square
        where = "all squares" if square is None else f"square ({square[0]},{square[1]})"
        return f"Values on {where}. {said or _SIGNS}"

    # Actions

    def action_open(self) -> None:
        self.shown.action_select_cursor()

    def action_find(self) -> None:
        """Go to the line in which a gate is named."""
        self.query_one("#gate-name", Input).focus()

    def action_square(self, by: int) -> None:
        """Read on the next square, or the one before."""
        squares = () if self.inspector is None else self.inspector.squares
        if not squares:
            self._remark("There are no squares here.")
            return
        at = -1 if self.square is None else squares.index(self.square)
        at = at + by if self.square is not None else (0 if by > 0 else -1)
        self.square = squares[at % len(squares)]
        self._list()

    def action_all(self) -> None:
        """Read on all squares at once."""
        self.square = None
        self._list()

    def action_leave(self) -> None:
        """Go back from the line to the tree, or from the tree to the play."""
        name = self.query_one("#gate-name", Input)
        if name.has_focus:
            self.shown.focus()
        else:
            super().action_leave()

    def _remark(self, text: str) -> None:
        self.remark = text
        self.app.bell()
        self.show_status()

    @on(Input.Submitted)
    def _found(self, event: Input.Submitted) -> None:
        event.stop()
        text, inspector, square = event.value.strip(), self.inspector, self.square
        if inspector is None:
            return

        def shown(rows: tuple[GateRow, ...]) -> None:
            event.input.clear()
            if len(rows) == 1:
                self.remark = ""
                self._go_to(rows[0])
                return
            self._names = tuple(row.literal for row in rows)
            self.remark = (
                f"{counted(len(rows), 'gate')} with {text!r} in the name; an empty search lists all"
            )
            self._list()
            self.shown.focus()

        if text:
            found = partial(_found, inspector, text, square)
            self.ask("looking for the gate", found, shown, soon=True)
        else:
            self.remark, self._names = "", inspector.starting_points
            self._list()
            self.shown.focus()


def _found(inspector: GateInspector, text: str, square: SquareXY | None) -> tuple[GateRow, ...]:
    return inspector.rows(inspector.find(text)[:_MOST_INPUTS], square)


def gate_pieces(row: GateRow) -> list[Piece]:
    """A row of the tree: sign of decisive inputs, name, value, kind."""
    # A gate that cannot be opened has no arrow: its name begins where the others do.
    indent = "" if row.connective is not None else "  "
    sign = "* " if row.decisive else "  "
    pieces = [(indent + sign, "bold accent"), (row.meaning or row.name, "")]
    if row.meaning:
        pieces.append((f" [{row.name}]", "quiet"))
    pieces += [(" = ", ""), _value(row)]
    if row.connective is not None:
        sign = "not " if row.literal < 0 else ""
        pieces.append((f"  {sign}{row.connective.value} of {row.fan_in}", "quiet"))
    return pieces


def _value(row: GateRow) -> Piece:
    if row.value is not None:
        return str(row.value).lower(), "success" if row.value else "error"
    if not row.false_at:
        return "?", "quiet"
    if len(row.false_at) > _LISTED:
        return f"false at {counted(len(row.false_at), 'square')}", "error"
    return "false at " + " ".join(f"({x},{y})" for x, y in row.false_at), "error"


# The strategy's tree: what the certificate answers to each move, with sizes of subtrees


# How much more of a subtree is looked at each time that the user asks to count on.
_MORE = 10


class TreeScreen(ToolScreen[tuple[str, ...]]):
    """Plays as a tree; dismissed with the moves of the play that is to be put on the board.

    ``played`` are the person's moves so far: the tree opens there.
    """

    KEYS = (("Enter", "Open", "open"), ("p", "Put on the board", "put"), ("c", "Count on", "count"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "put", "Put on the board", show=False),
        Binding("c", "count", "Count on", show=False),
        Binding("q,T", "leave", "Close", show=False),
    ]

    def __init__(self, make: Callable[[], StrategyTree], played: Sequence[str] = ()) -> None:
        super().__init__()
        self._make = make
        self._played = tuple(played)
        self.strategy: StrategyTree | None = None
        self._stop = threading.Event()
        self._budgets: dict[StrategyNode, int] = {}
        self.sizes: dict[StrategyNode, Size] = {}

    def heading(self) -> str:
        if self.strategy is None:
            return "Strategy tree"
        own = self.strategy.player
        return f"Strategy tree: {own.other}'s moves, and what {own} answers"

    def body(self) -> list[Widget]:
        """The tree, and the play of the marked node."""
        return [Tree[StrategyNode]("start", id="strategy-tree"), Static(id="tree-detail")]

    @property
    def shown(self) -> Tree[StrategyNode]:
        return self.query_one("#strategy-tree", Tree)

    def on_mount(self) -> None:
        self.shown.focus()
        self.ask("reading the strategy", self._make, self._opened)

    def _opened(self, strategy: StrategyTree) -> None:
        self.strategy = strategy
        self.query_one(".tool-title", Static).update(Content(self.heading()))
        root = self.shown.root
        root.data = strategy.root
        self._label(root)
        self._count(root)
        self._expand(root, self._played)

    def _expand(self, node: TreeNode[StrategyNode], moves: Sequence[str] = ()) -> None:
        """Show the children of ``node``, and go on along ``moves``."""
        strategy, own = self.strategy, node.data
        if strategy is None or own is None or own.ended:
            return

        def shown(children: tuple[StrategyNode, ...]) -> None:
            if not node.children:
                for child in children:
                    added = node.add("", child, allow_expand=not child.ended)
                    self._label(added)
                    self._count(added)
            node.expand()
            following = [
                c
                for c in node.children
                if moves and c.data is not None and str(c.data.move) == moves[0]
            ]
            if following:
                self._expand(following[0], moves[1:])
            elif moves or node.data is not strategy.root:
                self.call_after_refresh(self.shown.move_cursor, node)

        if self.busy is not None and self.busy.startswith("counting"):
            self._stop.set()
        self.ask("asking for the answers", lambda: strategy.children(own), shown, soon=True)

    def _label(self, node: TreeNode[StrategyNode]) -> None:
        if node.data is not None:
            pieces = node_pieces(node.data, self.sizes.get(node.data))
            node.set_label(painted(pieces, self.app.theme_variables))

    def _count(self, node: TreeNode[StrategyNode], *, more: bool = False) -> None:
        """Count the subtree of ``node`` when there is nothing more urgent."""
        strategy, own = self.strategy, node.data
        if strategy is None or own is None or own.ended:
            return
        known = self.sizes.get(own)
        if known is not None and (known.exact or not more):
            self._label(node)
            return
        budget = self._budgets.get(own, BUDGET) * (_MORE if more and known is not None else 1)
        self._budgets[own] = budget

        def question() -> Size:
            return strategy.explore(own, budget, cancelled=self._stop.is_set).size

        def counted(size: Size) -> None:
            self.sizes[own] = size
            self._label(node)
            self._detail(self.shown.cursor_node)
            if self._stop.is_set() and not self.closed:
                # Something more urgent came in between: what was seen is kept, and goes on.
                self._stop.clear()
                self._ask_size(node, question, counted, budget)

        self._ask_size(node, question, counted, budget, soon=more)

    def _ask_size(
        self,
        node: TreeNode[StrategyNode],
        question: Callable[[], Size],
        counted: Callable[[Size], None],
        budget: int,
        *,
        soon: bool = False,
    ) -> None:
        name = "start" if node.data is None or node.data.move is None else str(node.data.move)
        self.ask(f"counting below {name}, up to {budget:,} nodes", question, counted, soon=soon)

    @on(Tree.NodeExpanded)
    def _expanded(self, event: Tree.NodeExpanded[StrategyNode]) -> None:
        event.stop()
        if not event.node.children:
            self._expand(event.node)

    @on(Tree.NodeHighlighted)
    def _highlighted(self, event: Tree.NodeHighlighted[StrategyNode]) -> None:
        event.stop()
        self._detail(event.node)

    def _detail(self, node: TreeNode[StrategyNode] | None) -> None:
        own = None if node is None else node.data
        if own is None:
            return
        moves = "  ".join(said for node in own.path for said in node.said) or "start"
        lines = [Content(moves)]
        if own.findings:
            lines += [Content.styled(f"FINDING {f.text}", "$error") for f in own.findings]
        elif own.state.ending is not None:
            lines.append(Content(own.state.ending.reason))
        elif own in self.sizes:
            lines.append(Content(self.sizes[own].text))
        self.query_one("#tree-detail", Static).update(Content("\n").join(lines))

    # Actions

    def action_open(self) -> None:
        self.shown.action_select_cursor()

    def action_count(self) -> None:
        """Count more of the marked subtree."""
        node = self.shown.cursor_node
        if node is not None:
            self._count(node, more=True)

    def action_put(self) -> None:
        """Close the screen with the marked play."""
        node = self.shown.cursor_node
        if node is None or node.data is None:
            self.app.bell()
            return
        self._stop.set()
        self.dismiss(node.data.state.moves)

    def on_unmount(self) -> None:
        self._stop.set()
        super().on_unmount()


def node_pieces(node: StrategyNode, size: Size | None) -> list[Piece]:
    """A row: the move, the answer, how the play ended or what is below."""
    said = node.said
    pieces: list[Piece] = [("start", "bold")]
    if node.move is not None:
        pieces, said = [(said[0], "")], said[1:]
    for answer in said:
        pieces += [(" → ", "quiet"), (answer, "bold")]
    if node.findings:
        pieces.append(("  FINDING", "bold error"))
    ending = node.state.ending
    if ending is not None:
        end = f"{ending.winner} wins" if ending.winner is not None else ending.reason
        look = {True: "success", False: "error", None: "quiet"}[node.kept]
        pieces.append((f"  {end}", look))
    elif size is not None:
        pieces.append((f"  {size.text}", "quiet"))
    return pieces


# The screen of proofs: the levels with their verdicts as they come, and what they found


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
