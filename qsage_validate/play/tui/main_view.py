"""The main screen: its widgets, and their update from a view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from qsage_validate.arena.frame import BlockMove, Frame, WhyNot
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.model import requests
from qsage_validate.play.tui.model.lessons import ply_notes
from qsage_validate.play.tui.model.notes import Note, Replay, Weight, frame_notes
from qsage_validate.play.tui.model.pane_layout import PANES, Sizing, too_small
from qsage_validate.play.tui.model.services import Services
from qsage_validate.play.tui.model.situation import MatchSituation
from qsage_validate.play.tui.model.view import StatusLines, ViewState, picture, square_text, status
from qsage_validate.play.tui.screens.findings_screen import ListedFinding
from qsage_validate.play.tui.themes import DARK, LIGHT
from qsage_validate.play.tui.widgets.bars import ActionBar, StatusBar, TitleBar
from qsage_validate.play.tui.widgets.block_form import BlockForm
from qsage_validate.play.tui.widgets.board_view import BoardView
from qsage_validate.play.tui.widgets.panes import MessagesPane, MovesPane, ValuesPane, WhyPane
from qsage_validate.play.tui.widgets.play_area import PaneTabs, PlayArea
from qsage_validate.play.tui.widgets.prompt import MovePrompt
from qsage_validate.play.tui.worker import AskingApp

# How often the work that is being done is shown.
_TICK = 0.25
# From so many lines on the goal has one of its own.
_TALL = 28


class ShowingApp(AskingApp):
    """An app that shows the play: its board, its panes, and the past that one looks back at."""

    def __init__(
        self,
        match: PlayMatch,
        *,
        theme: str,
        force: bool,
        replay: Replay | None,
        services: Services | None,
    ) -> None:
        super().__init__(match, theme=theme, force=force)
        self._news: frozenset[str] = frozenset()
        self._home = PANES[0] if match.program is None else "why"
        self._program = match.program
        self._replay = replay
        self.proof_found: tuple[ListedFinding, ...] = ()
        self._services = Services() if services is None else services
        self._board: BoardView | None = None
        self._form: BlockForm | None = None

    # Building

    def compose(self) -> ComposeResult:
        centre: BoardView | BlockForm
        drawn = picture(self.view)
        if drawn is None:
            centre = self._form = BlockForm(id="form")
        else:
            centre = self._board = BoardView(drawn, id="board")
        with Vertical(id="main"):
            yield TitleBar(id="title")
            yield Static(self.view.situation.facts.goal, id="goal", markup=False)
            yield PlayArea(
                centre,
                MovesPane(id="moves"),
                WhyPane(self._program, id="why"),
                ValuesPane(id="values"),
                MessagesPane(id="messages"),
                active=self._home,
            )
            yield StatusBar(id="status")
            yield MovePrompt(id="prompt")
            yield ActionBar(id="actions")
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        situation = self.view.situation
        self._say(*(Note(Weight.SAID, note) for note in situation.facts.notes))
        self._report(situation, situation.frames)
        self._settle(situation.frames)
        self.action_board()
        self.show(self.view)
        if self.work is not None:
            self.set_interval(_TICK, self._show_work)
        if situation.waits:
            self.ask_for_reply()

    # Showing

    def show(self, view: ViewState) -> None:
        """Make ``view`` what is on the screen."""
        self.view = view
        situation = view.situation
        drawn = picture(view)
        if self._board is not None and drawn is not None:
            self._board.show(drawn)
        if self._form is not None:
            self._show_form(self._form, view)
        self.query_one(TitleBar).show(view)
        notes = ply_notes(situation.line, view.lessons)
        self.query_one(MovesPane).show(situation.rows, view.index, notes)
        self.query_one(ValuesPane).show(view.frame.values)
        ways = (frame.way for frame in reversed(situation.line[: view.index + 1]))
        self.query_one(WhyPane).follow(next(filter(None, ways), ()))
        moves = [str(move) for move in situation.legal]
        self.query_one(MovePrompt).offer(moves)
        self._show_status()
        self._show_bars()

    def _show_work(self) -> None:
        """Say how far the worker is, and for how long it has worked."""
        task, shown = self.work, self.view.work
        seconds = None if task is None else task.seconds
        # An app that ends has no widgets any more, and its timers end after them.
        if task is None or seconds is None or self.view.busy is None or not self.is_running:
            return
        progress = "" if task.progress is None else f"{task.progress}, "
        self.view = replace(self.view, work=f"{progress}{seconds:.0f} s")
        if self.view.work != shown:
            self._show_status()
        if shown is None:
            self._show_bars()

    def _show_status(self) -> None:
        over = self.view.situation.outcome is not None and not self.view.past
        square = "" if self._board is None or over else self._square_text(self._board)
        self.query_one(StatusBar).show(self._with_goal(status(self.view)), square)

    def _with_goal(self, shown: StatusLines) -> StatusLines:
        """The status, with the goal in an empty second line where the goal has no line."""
        goal = self.view.situation.facts.goal
        if shown.detail or not goal or self.default_screen.has_class("-tall"):
            return shown
        return replace(shown, detail=goal)

    def _square_text(self, board: BoardView) -> str:
        """The square under the cursor, and the reply that would come to a move there."""
        ghost, text = board.picture.ghosts.get(board.cursor), square_text(self.view, board.cursor)
        return text if ghost is None else f"{text.rpartition(' ')[0]} → {ghost.reply}"

    def _show_bars(self) -> None:
        area = self.query_one(PlayArea)
        self.query_one(PaneTabs).show(area.active, self._news if area.tabbed else frozenset())
        active = {"force"} if self.view.force else set()
        if self.view.running:
            active.add("run")
        if self.view.claiming:
            active.add("claim")
        if self.view.situation.pairs:
            active.add("pairs")
        if self.view.teaches:
            active.add("teach")
        self.query_one(ActionBar).show(self._possible, frozenset(active))

    def _show_form(self, form: BlockForm, view: ViewState) -> None:
        situation = view.situation
        block = next((m for m in situation.legal if isinstance(m, BlockMove)), None)
        if view.past and not view.frame.state:
            form.show(None, f"Block {view.frame.ply} of {situation.facts.plies} (looking back)")
        elif view.frame.state:
            form.show_text(view.frame.state)
        elif block is None:
            form.show(None, "The play is over")
        else:
            bits = f"{len(block.variables)} bit{'s' * (len(block.variables) != 1)}"
            form.show(block, f"Block {view.frame.ply + 1} of {situation.facts.plies}: your {bits}")

    def _possible(self, name: str) -> bool | None:
        situation = self.view.situation
        going_on = situation.outcome is None and not (self.view.past or situation.waits)
        return {
            "cancel": True if self.can_cancel else None,
            "undo": situation.can_undo,
            "restart": situation.can_undo,
            "redo": situation.can_redo,
            "hint": going_on,
            "why_not": going_on and (situation.facts.has_board or bool(self.view.frame.state)),
            "menu": going_on,
            "type": going_on,
            "random": going_on,
            "run": going_on,
            "claim": True if going_on and situation.can_claim else None,
            "force": None if situation.facts.by_rules else True,
            "teach": True if self._match.may_teach else None,
            "other": self._match.may_teach or None,
            "pairs": True if situation.facts.has_pairs else None,
            "look_back": self.view.index > 0,
            "look_forward": self.view.index < len(situation.line) - 1,
            "findings": True if self.found else None,
            "gates": None if self._services.gates is None else True,
            "tree": None if self._services.tree is None else True,
            "drill": (self._services.tree is not None and self._match.may_teach) or None,
            "prove": None if self._services.prove is None else True,
        }.get(name, True)

    @property
    def found(self) -> tuple[ListedFinding, ...]:
        """The findings of this play, and those of the last proof."""
        frames = self.view.situation.line
        own = tuple(
            ListedFinding(finding, index, "this play")
            for index, frame in enumerate(frames)
            for finding in frame.findings
        )
        return own + self.proof_found

    # Telling

    def _say(self, *notes: Note) -> None:
        if notes:
            self.query_one(MessagesPane).add(*notes)

    def _noted(self, view: ViewState, text: str) -> ViewState:
        """Tell of the outcome of an action, in a place that nothing hides."""
        self._say(Note(Weight.DONE, text))
        self.notify(text, markup=False)
        return replace(view, said=text)

    def _remark(self, view: ViewState, text: str) -> None:
        self._say(Note(Weight.SAID, text))
        self.bell()
        self.show(replace(view, said=text))

    def _report(self, situation: MatchSituation, frames: Sequence[Frame]) -> None:
        """Say what happened in ``frames``."""
        self._say(*frame_notes(situation, frames, self._replay))
        if any(frame.findings for frame in frames):
            self.bell()

    def _front(self, pane: str) -> None:
        """Bring ``pane`` to the front, where only one is shown, until the next move."""
        self.query_one(PlayArea).choose(pane)
        self._news -= {pane}

    def _settle(self, frames: Sequence[Frame] = ()) -> None:
        """After a move: findings to the front, else the pane that the person had chosen.

        Why a move was illegal that was let happen is shown as for one that was refused.
        """
        happened = next((f.illegal for f in frames if f.illegal is not None), None)
        self._explain_happened(happened)
        if any(frame.findings for frame in frames):
            self._front("messages")
        else:
            self._front(self._home if happened is None else "why")

    def _explain_happened(self, why: WhyNot | None) -> None:
        shown = None if why is None else requests.Explained(str(why.move), (why,))
        self.query_one(WhyPane).show(shown)

    # Looking

    def _stopped(self) -> ViewState:
        """The view with the random player stopped."""
        self.view = replace(self.view, running=False)
        return self.view

    def _look_at(self, index: int) -> None:
        situation = self.view.situation
        if not 0 <= index < len(situation.line):
            self.bell()
            return
        self._explain_happened(situation.line[index].illegal)
        self.show(
            replace(
                self._stopped(),
                viewing=None if index == situation.last else index,
                looked=True,
                selected=None,
                pointed=frozenset(),
                refusal=None,
                said=None,
            )
        )
        self._go_where_looked()

    def _go_where_looked(self) -> None:
        """Have the match go to the frame that is looked at, where the person can go on from it."""
        situation, viewing = self.view.situation, self.view.viewing
        if viewing is None or self.view.busy is not None or situation.waits:
            return
        number = situation.round_at(viewing)
        if number is not None:
            self.ask("going there", requests.go, number)

    @on(MovesPane.FrameChosen)
    def _frame_chosen(self, event: MovesPane.FrameChosen) -> None:
        if event.index is not None:
            self._look_at(event.index)
        elif not self.view.situation.waits:
            self._stopped()
            self.ask("going there", requests.go, event.number)

    @on(BoardView.CursorMoved)
    def _cursor_moved(self) -> None:
        self._show_status()

    @on(ValuesPane.Pointed)
    def _pointed(self, event: ValuesPane.Pointed) -> None:
        self.view = replace(self.view, pointed=event.squares)
        drawn = picture(self.view)
        if self._board is not None and drawn is not None:
            self._board.show(drawn)

    @on(PaneTabs.Chosen)
    def _tab_chosen(self, event: PaneTabs.Chosen) -> None:
        self.action_pane(event.pane)

    def action_look_back(self) -> None:
        self._look_at(self.view.index - 1)

    def action_look_forward(self) -> None:
        self._look_at(self.view.index + 1)

    def action_pane(self, pane: str) -> None:
        if pane not in PANES:
            return
        self._home = pane
        self._front(pane)
        self._show_bars()
        target = {
            "moves": "#moves-table",
            "why": "#why",
            "values": "#values-table",
            "messages": "#messages",
        }[pane]
        self.default_screen.set_focus(self.query_one(target))

    def action_widen(self, by: int) -> None:
        """Move the border between the board and the panes."""
        area = self.query_one(PlayArea)
        self._resize(replace(area.sizing, columns=area.sizing.columns + by))

    def action_maximise(self) -> None:
        """Give the active pane all the room beside the board, or take it back."""
        area = self.query_one(PlayArea)
        self._resize(replace(area.sizing, maximised=not area.sizing.maximised))

    def action_collapse(self) -> None:
        """Leave only the title of the active pane, or open it again."""
        area = self.query_one(PlayArea)
        self._resize(replace(area.sizing, collapsed=area.sizing.collapsed ^ {area.active}))

    def _resize(self, sizing: Sizing) -> None:
        if self.query_one(PlayArea).resize(sizing):
            self._show_bars()
        else:
            self.bell()

    def action_board(self) -> None:
        if self._board is not None:
            self.default_screen.set_focus(self._board)
        elif self._form is not None:
            self.default_screen.set_focus(self._form.bits)

    def action_theme(self) -> None:
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_zoom(self, by: int) -> None:
        if self._board is None or not self._board.change_zoom(by):
            self.bell()
        else:
            self.query_one(PlayArea).rearrange()

    def on_resize(self, event: events.Resize) -> None:
        """Say so where there is no room for the interface."""
        complaint = too_small(event.size.width, event.size.height)
        self.query_one("#too-small", Static).update(complaint or "")
        self.default_screen.set_class(complaint is not None, "-too-small")
        has_goal = bool(self.view.situation.facts.goal)
        self.default_screen.set_class(has_goal and event.size.height >= _TALL, "-tall")
        self._show_status()
