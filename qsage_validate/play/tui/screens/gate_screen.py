"""The gate inspector: the fan-in of gates as a tree, with values at the step that is shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input, Static, Tree
from textual.widgets.tree import TreeNode

from qsage_validate.arena.frame import SquareXY
from qsage_validate.arena.gate_inspector import GateInspector, GateRow
from qsage_validate.play.tui.screens.tool_screen import ToolScreen
from qsage_validate.play.tui.widgets.painted import Piece, painted

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
                more = f"and {len(rows) - _MOST_INPUTS:,} more inputs"
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
            self.remark = f"{len(rows)} gates with {text!r} in the name; an empty search lists all"
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
        return f"false at {len(row.false_at)} squares", "error"
    return "false at " + " ".join(f"({x},{y})" for x, y in row.false_at), "error"
