"""The drill on the board: puzzles one after the other, answered by a square or a typed move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerState

from qsage_validate.arena.board_engine import goal_line
from qsage_validate.arena.frame import LayoutMove, MatchMove, SquareXY
from qsage_validate.arena.lesson import Teacher
from qsage_validate.errors import Exit, QsageError, counted, visible
from qsage_validate.extensions.teaching.drill import (
    Drill,
    DrillFile,
    DrillMark,
    DrillProgress,
    DrillQuestion,
)
from qsage_validate.games.protocol import BoardPicture, Player
from qsage_validate.play.picking import Choose, NoMove, Picks, Select, is_elsewhere
from qsage_validate.play.tui.base import DARK, LIGHT, STYLES, LeavableApp, run_app
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.dialogs import ConfirmScreen, MenuScreen
from qsage_validate.play.tui.model import view
from qsage_validate.play.tui.model.view import Picture, StatusLines, Tone
from qsage_validate.play.tui.panes import STONES, StatusBar
from qsage_validate.play.tui.play_area import MovePrompt, Stage
from qsage_validate.play.tui.tool_screen import KeyBar

KEYS: tuple[tuple[str, str, str], ...] = (
    ("Enter", "Answer", "Answer with the square at the cursor; a click does it, too"),
    (":", "Type", "Type a move"),
    ("m", "Moves", "Choose from all legal moves"),
    ("h", "Show", "Show the right answer, which counts as a wrong one"),
    ("b", "Side", "Drill the other side; each has its own progress"),
    ("r", "Anew", "Begin anew with the first puzzle"),
    ("t", "Theme", "Switch between dark and light"),
    ("q", "Leave", "Leave; the next drill goes on from here"),
)
"""The keys of a drill: what a person reads, a word, and a sentence."""

_ACTIONS = ("", "type", "menu", "show", "side", "anew", "theme", "quit")
# The column of moves is left out of a terminal that is narrower.
_WIDE = 66
_MOST_MISSED = 50
_ALIKE = "whatever is played, all moves last equally long"

Result = TypeVar("Result")


@dataclass
class Worked(Message):
    """The thread has done something; ``show`` makes it seen."""

    show: Callable[[], None]


@dataclass(frozen=True)
class DrillPlan:
    """A drill to be begun: ``make`` makes the teacher, in a thread; ``title`` names the strategy.

    ``file`` keeps the progress of a side; with ``both`` a person may change it.
    """

    make: Callable[[], Teacher]
    title: str
    side: Player
    file: Callable[[Player], DrillFile]
    both: bool


class DrillApp(LeavableApp[Exit]):
    """Asks the puzzles of a strategy, one after the other."""

    CSS_PATH = STYLES
    TITLE = "qsage play"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None  # the board, when it is there
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("colon,slash", "type", "Type", show=False, priority=True),
        Binding("m", "menu", "Moves", show=False),
        Binding("h", "show", "Show", show=False),
        Binding("b", "side", "Side", show=False),
        Binding("r", "anew", "Anew", show=False),
        Binding("t", "theme", "Theme", show=False),
        Binding("q,ctrl+q", "quit", "Leave", show=False),
        Binding("escape", "escape", "Back", show=False),
    ]

    def __init__(self, plan: DrillPlan, theme: str) -> None:
        super().__init__(theme)
        self._plan = plan
        self._file = plan.file(plan.side)
        self._off = Event()
        self._teacher: Teacher | None = None
        self._drill: Drill | None = None
        # The one that is shown: the thread goes on to the next one.
        self._question: DrillQuestion | None = None
        self._progress = DrillProgress(plan.title, plan.side)
        self._total: int | None = None
        self._selected: SquareXY | None = None
        self._wrong: frozenset[SquareXY] = frozenset()
        self._said, self._tone = "", Tone.TURN
        self._board: BoardView | None = None
        self.busy: str | None = None

    # Building

    def compose(self) -> ComposeResult:
        side = self._plan.both
        bar = [
            (key, word, f"app.{action}")
            for (key, word, _), action in zip(KEYS, _ACTIONS, strict=True)
            if action and (side or action != "side")
        ]
        with Vertical(id="drill"):
            with Horizontal(id="drill-head"):
                yield Static("", id="drill-title", markup=False)
                yield Static("", id="drill-score", markup=False)
            yield Static("", id="drill-goal", markup=False)
            with Horizontal(id="drill-middle"), VerticalScroll(id="drill-side", can_focus=False):
                yield Static("", id="drill-line", markup=False)
            yield StatusBar(id="status")
            yield MovePrompt(id="prompt", explains=False)
            yield KeyBar(bar, id="drill-keys")

    def on_mount(self) -> None:
        self._begin(self._plan.side)

    def on_resize(self) -> None:
        """Leave the column of moves out where there is no room for it."""
        self.query_one("#drill-side").display = self.size.width >= _WIDE

    # Work in the thread

    def _begin(self, side: Player, *, anew: bool = False) -> None:
        """Begin the drill of ``side``, where it was left or ``anew``."""
        self._file = self._plan.file(side)
        title = self._plan.title
        progress, complaint = DrillProgress(title, side), ""
        if not anew:
            try:
                progress = self._file.read(title, side)
            except QsageError as error:
                complaint = f"{error}: begun anew"
        self._progress = progress
        self._work("looking for the puzzles", partial(self._open, progress), self._opened)
        if complaint:
            self.notify(complaint, severity="error", markup=False)

    def _open(self, progress: DrillProgress) -> tuple[Drill, int | None]:
        if self._teacher is None:
            self._teacher = self._plan.make()
        drill = Drill(self._teacher, progress, self._off.is_set)
        return drill, drill.total()

    def _opened(self, found: tuple[Drill, int | None]) -> None:
        self._drill, self._total = found
        resumed = f"Resumed: {self._progress.text}" if self._progress.done else ""
        self._next(resumed, Tone.TURN)

    def _work(self, what: str, work: Callable[[], Result], show: Callable[[Result], None]) -> None:
        """Do ``work`` in a thread, one thing at a time; ``show`` is given its result."""
        self.busy = what
        self.run_worker(partial(self._run_work, work, show), thread=True, exit_on_error=False)
        self._show_status()

    def _run_work(self, work: Callable[[], Result], show: Callable[[Result], None]) -> None:
        try:
            shown = partial(show, work())
        except QsageError as error:
            shown = partial(self._say, str(error), Tone.REFUSED)
        self.post_message(Worked(shown))

    def on_worked(self, event: Worked) -> None:
        """Show what the thread has done."""
        self.busy = None
        event.show()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A thread that raised has met a bug: leave, so that it is reported."""
        if event.state is WorkerState.ERROR:
            self.bug = event.worker.error
            self.exit(Exit.INTERNAL)

    def on_unmount(self) -> None:
        """Call off what is being done: its thread is waited for."""
        self._off.set()

    # Answers

    def _answer(self, move: str) -> None:
        drill, asked = self._drill, self._question
        if drill is None or self.busy is not None:
            self.bell()
            return

        def marked() -> tuple[str, DrillMark, DrillQuestion | None]:
            return move, drill.answer(move), asked

        self._selected = None
        self._work(f"looking at {visible(move)}", marked, self._marked)

    def _marked(self, found: tuple[str, DrillMark, DrillQuestion | None]) -> None:
        move, mark, asked = found
        answers, said = ("", move) if asked is None else (asked.right, asked.said(move))
        self._keep()
        if mark is DrillMark.WRONG:
            self._wrong = self._picks.areas.get(LayoutMove(move), frozenset())
            self.bell()
            self._say(
                f"{said} is wrong: try again, or {_key('Show')} shows the answer", Tone.BROKEN
            )
        elif mark is DrillMark.RIGHT:
            self._next(f"{said} is right", Tone.KEPT)
        else:
            self._next(f"{said} wins, too; this strategy plays {answers}", Tone.KEPT)

    def _keep(self) -> None:
        try:
            self._file.write(self._progress)
        except QsageError as error:
            self.notify(f"The progress is not kept: {error}", severity="error", markup=False)

    def _next(self, said: str, tone: Tone) -> None:
        self._wrong, self._selected = frozenset(), None
        self._question = None if self._drill is None else self._drill.question
        self._say(said, tone)

    # Showing

    @property
    def _moves(self) -> tuple[LayoutMove, ...]:
        """The legal moves of the question."""
        question, game = self._question, None if self._drill is None else self._drill.game
        if question is None or game is None:
            return ()
        return tuple(
            LayoutMove(text, game.square_of(text), said=question.said(text))
            for text in question.legal
        )

    @property
    def _picks(self) -> Picks:
        """The legal moves by their squares; none where the rules are not known."""
        drill, question = self._drill, self._question
        if drill is None or drill.game is None or question is None:
            return Picks()

        def touched(move: MatchMove) -> tuple[SquareXY, ...]:
            return drill.touched(question, str(move))

        return Picks.of(self._moves, touched, fall=drill.game.falls)

    def _say(self, text: str, tone: Tone) -> None:
        self._said, self._tone = text, tone
        self._show()

    def _show(self) -> None:
        side, progress, drill = self._progress.side, self._progress, self._drill
        self.query_one("#drill-title", Static).update(f" Drill: {visible(self._plan.title)}")
        of = "" if self._total is None else f" of {self._total:,}"
        score = f"{side}  {progress.done}{of} done, {progress.right} right, {progress.wrong} wrong"
        self.query_one("#drill-score", Static).update(f" {STONES[side]} {score} ")
        goal = "" if drill is None or drill.game is None else goal_line(drill.game, side)
        line = self.query_one("#drill-goal", Static)
        line.update(goal)
        line.display = bool(goal)
        self.query_one("#drill-line", Static).update(self._line())
        self.query_one(MovePrompt).offer([move.words for move in self._moves], len(self._moves))
        self._show_board()
        self._show_status()

    def _show_board(self) -> None:
        question = self._question
        if question is None or question.board is None:
            return
        shown = self._picture(question, question.board)
        if self._board is not None:
            self._board.show(shown)
            return
        self._board = BoardView(shown, id="board")
        self.query_one("#drill-middle").mount(Stage(self._board), before=0)
        self.call_after_refresh(self._to_board)

    def _picture(self, question: DrillQuestion, board: BoardPicture) -> Picture:
        picks, game = self._picks, None if self._drill is None else self._drill.game
        squares = {
            view.SquareMark.ILLEGAL: self._wrong,
            view.SquareMark.CHANGED: question.last,
            view.SquareMark.LEGAL: picks.starts(board),
        }
        if self._selected is not None:
            squares[view.SquareMark.SELECTED] = frozenset({self._selected})
            squares[view.SquareMark.TARGET] = picks.targets(self._selected)
        marks = {
            square: frozenset(m for m, own in squares.items() if square in own)
            for square in frozenset().union(*squares.values())
        }
        target = () if game is None else game.target
        top = None if game is None else game.initial.board.top
        return Picture(board, marks, target, top)

    def _line(self) -> Content:
        """The moves that led to the question, or at the end what was missed."""
        question, progress = self._question, self._progress
        lines = [Content.styled("The line so far", "bold")]
        if question is None:
            shown = progress.missed[:_MOST_MISSED]
            heading = "Missed" if shown else "Nothing was missed" if progress.done else ""
            lines = [Content.styled(heading, "bold")]
            lines += [Content(f"after {visible(play)}") for play in shown]
            more = len(progress.missed) - len(shown)
            return Content("\n").join([*lines, *([Content(f"and {more} more")] if more else [])])
        first = question.player if len(question.moves) % 2 == 0 else question.player.other
        movers = (first, first.other)
        lines += [
            Content(f"{ply:>3} {STONES[movers[(ply - 1) % 2]]} {visible(move)}")
            for ply, move in enumerate(question.line, start=1)
        ]
        lines.append(Content(f"{len(question.moves) + 1:>3} {STONES[question.player]} ?"))
        return Content("\n").join(lines)

    def _show_status(self) -> None:
        self.query_one(StatusBar).show(self.status, "")

    @property
    def status(self) -> StatusLines:
        """What is asked, and what came of the last answer."""
        question, drill = self._question, self._drill
        if self.busy is not None:
            return StatusLines(Tone.BUSY, f"Working: {self.busy} …", f"{_key('Leave')} leaves")
        if drill is None:
            return StatusLines(Tone.REFUSED, self._said, f"{_key('Leave')} leaves")
        if question is None and not self._progress.done:
            why = "the strategy never moves" if drill.asks_for_replies else _ALIKE
            return StatusLines(Tone.PAST, f"There is nothing to ask: {why}", self._other_side)
        if question is None:
            text = f"All lines are done: {self._progress.text}"
            return StatusLines(Tone.KEPT, text, self._said or f"{_key('Anew')} begins anew")
        last = f" after {question.line[-1]}" if question.moves else ""
        number = self._progress.done + 1
        headline = f"{number}. {question.player} to move{last}. {drill.wanted}?"
        if self._selected is not None:
            board = question.board
            named = str(self._selected) if board is None else board.square_name(self._selected)
            return StatusLines(
                Tone.TURN, headline, f"{named} selected: pick a ›target‹; Esc drops it"
            )
        pick = "Pick a square, or type a move" if self._picks.areas else "Type a move"
        return StatusLines(
            self._tone, headline, self._said or f"{pick}; {_key('Show')} shows the answer"
        )

    @property
    def _other_side(self) -> str:
        return f"{_key('Side')} drills the other side" if self._plan.both else ""

    # Input

    @on(BoardView.Picked)
    def _picked(self, event: BoardView.Picked) -> None:
        if self._question is None or self.busy is not None:
            self.bell()
            return
        if event.key and is_elsewhere(self._moves):
            self._answer(str(self._moves[0]))
            return
        picks = self._picks
        match picks.pick(event.square, self._selected):
            case Choose(moves=(move,)):
                self._answer(str(move))
            case Choose() as several:
                self._choose("Which move?", several.moves)
            case Select() as chosen:
                self._selected = chosen.square
                self._say("", Tone.TURN)
            case NoMove():
                self._selected = None
                x, y = event.square
                rules = "no legal move is there" if picks.areas else "the rules are not known"
                self._say(f"({x},{y}): {rules}; nothing is counted", Tone.REFUSED)

    @on(MovePrompt.Entered)
    def _entered(self, event: MovePrompt.Entered) -> None:
        said = self._picks.said(event.text)
        self._answer(str(said[0]) if len(said) == 1 else event.text)
        self.action_escape()

    def _choose(self, question: str, moves: tuple[MatchMove, ...]) -> None:
        def chosen(move: MatchMove | None) -> None:
            if move is not None:
                self._answer(str(move))

        self.push_screen(MenuScreen(question, moves), chosen)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """True if a binding applies: inputs and dialogs take ":" and "/" for themselves."""
        taken = isinstance(self.focused, Input) or len(self.screen_stack) > 1
        return not (action == "type" and taken)

    def action_type(self) -> None:
        """Go to the prompt."""
        self.default_screen.set_focus(self.query_one(MovePrompt))

    def action_menu(self) -> None:
        """Choose from all legal moves."""
        if self._moves and self.busy is None:
            count = len(self._moves)
            self._choose(counted(count, "legal move"), self._moves)
        else:
            self.bell()

    def action_show(self) -> None:
        """Show the right answer: the question is missed."""
        drill, asked = self._drill, self._question
        if drill is None or asked is None or self.busy is not None:
            self.bell()
            return

        def shown(answers: frozenset[str]) -> None:
            self._keep()
            last = f" to {asked.line[-1]}" if asked.line else ""
            self._next(f"The answer{last} is {asked.right}", Tone.PAST)

        self._work("looking for the next puzzle", drill.give_up, shown)

    def action_side(self) -> None:
        if not self._plan.both or self.busy is not None:
            self.bell()
            return
        self._begin(self._progress.side.other)

    def action_anew(self) -> None:
        """Begin anew, when that is confirmed."""
        if self.busy is not None:
            self.bell()
            return

        def answered(sure: bool | None) -> None:
            if sure:
                self._begin(self._progress.side, anew=True)
                self._keep()

        self.push_screen(ConfirmScreen("Forget the progress, and begin anew?", "Anew"), answered)

    def action_theme(self) -> None:
        """Switch between dark and light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_escape(self) -> None:
        """Leave what is in the way: the prompt, the selection."""
        if self._selected is not None:
            self._selected = None
            self._say("", Tone.TURN)
        self._to_board()

    def _to_board(self) -> None:
        if self._board is not None:
            self.default_screen.set_focus(self._board)

    async def action_quit(self) -> None:
        self.exit(Exit.FINE)


def _key(word: str) -> str:
    return next(key for key, label, _ in KEYS if label == word)


def drill_on_board(
    make: Callable[[], Teacher],
    title: str,
    side: Player,
    path: Callable[[Player], str | None],
    *,
    both: bool,
    theme: str,
) -> str:
    """Drill on this terminal until the person leaves; returns the theme at the end.

    Raises ``InputError`` for a file of another drill that the person has named (not ``both``), and
    as :func:`~qsage_validate.play.tui.base.run_app`.
    """
    if not both:
        DrillFile(path(side)).read(title, side)
    app = DrillApp(
        DrillPlan(make, title, side, lambda drilled: DrillFile(path(drilled)), both), theme
    )
    run_app(app)
    return "dark" if app.current_theme.dark else "light"
