"""The strategy's tree: what the certificate answers to each move, with sizes of subtrees."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static, Tree
from textual.widgets.tree import TreeNode

from qsage_validate.arena.strategy_tree import BUDGET, Size, StrategyNode, StrategyTree
from qsage_validate.play.tui.screens.tool_screen import ToolScreen
from qsage_validate.play.tui.widgets.painted import Piece, painted

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
        moves = " ".join(own.state.moves) or "start"
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
    if node.move is None:
        pieces: list[Piece] = [("start", "bold")]
    else:
        pieces = [(str(node.move), "")]
    if node.answer is not None:
        pieces += [(" → ", "quiet"), (node.answer, "bold")]
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
