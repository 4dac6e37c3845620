"""The main view: a play on the screen, its lessons, and the tools beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Event, Lock
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from qsage_validate.arena.frame import BlockMove, Frame, Hint, LayoutMove, MatchMove, WhyNot
from qsage_validate.arena.lesson import SECONDS, Lesson, other_moves
from qsage_validate.errors import QsageError, counted
from qsage_validate.formats.policy import check_inside
from qsage_validate.play.export import ExportFormat, formats_of, write_play
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.base import DARK, LIGHT, TEACHER, AskingApp
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.dialogs import (
    ConfirmScreen,
    FindingsScreen,
    ListedFinding,
    MenuScreen,
    PathScreen,
)
from qsage_validate.play.tui.model import requests
from qsage_validate.play.tui.model.actions import PANES, Sizing, key_of, too_small
from qsage_validate.play.tui.model.requests import Answer, Saved, WouldOverwrite, follow
from qsage_validate.play.tui.model.situation import (
    MatchSituation,
    Note,
    Replay,
    Services,
    Weight,
    frame_notes,
)
from qsage_validate.play.tui.model.view import (
    StatusLines,
    ViewState,
    picture,
    ply_notes,
    square_text,
    status,
)
from qsage_validate.play.tui.panes import (
    ActionBar,
    MessagesPane,
    MovesPane,
    StatusBar,
    TitleBar,
    ValuesPane,
    WhyPane,
)
from qsage_validate.play.tui.play_area import BlockForm, MovePrompt, PaneTabs, PlayArea
from qsage_validate.play.tui.tool_screen import (
    GateScreen,
    ProveScreen,
    ScreenProof,
    TreeScreen,
)
from qsage_validate.system.limits import Deadline

# The main screen: its widgets, and their update from a view


# How often the work that is being done is shown.
_TICK = 0.25
# From so many lines on the goal has one of its own.
_TALL = 24


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
        self._say(*(Note(Weight.SAID, note) for note in situation.facts.first_lines))
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
        said = [move.words for move in situation.legal]
        self.query_one(MovePrompt).offer(
            list(dict.fromkeys([*said, *map(str, situation.legal)])), len(said)
        )
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
        if ghost is None:
            return text
        shown, squares = board.picture.board, list(ghost.squares)
        reply = shown.square_name(squares[0]) if len(squares) == 1 else ghost.reply
        answers = self.view.situation.facts.certificate_player
        return f"{text.rpartition(' ')[0]}, then {answers} {reply}"

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
            bits = counted(len(block.variables), "bit")
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
        shown = None if why is None else requests.Explained(why.move.words, (why,))
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
        if self._board is not None and self.query_one(PlayArea).sizing.alone:
            self._show_alone(self._board, alone=False)
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
        """Give what has the focus all the room: the board alone, or the active pane beside it."""
        area = self.query_one(PlayArea)
        if self._board is not None and (area.sizing.alone or self._board.has_focus):
            self._show_alone(self._board, alone=not area.sizing.alone)
        else:
            self._resize(replace(area.sizing, maximised=not area.sizing.maximised))

    def _show_alone(self, board: BoardView, *, alone: bool) -> None:
        """Show the board without panes and in large letters, or with them again."""
        area = self.query_one(PlayArea)
        board.large = alone
        self.default_screen.set_class(alone, "-alone")
        self._resize(replace(area.sizing, alone=alone))
        said = f"{key_of('maximise')} shows the panes again." if alone else None
        self.show(replace(self.view, said=said))

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


# The teacher on the board: lessons are learnt in a thread of their own, beside the match


# Seconds for a comparison, which a person has asked for and waits for.
_COMPARE_SECONDS = 30.0
_NO_OTHER = "No other reply can be tried: the rules tell of none."


@dataclass
class Taught(Message):
    """The lesson of a round of one history; ``lesson`` is ``None`` where it was called off."""

    history: int
    number: int
    lesson: Lesson | None


@dataclass
class Compared(Message):
    """Another reply was compared, or could not be."""

    text: str


class TeachingApp(ShowingApp):
    """An app that teaches, where the match has a teacher.

    One thing is learnt at a time: the moment on the board first, then the others of its line.
    Threads take turns: the teacher serves one.
    """

    _learning: int | None = None
    _comparing = False
    # Counts the histories: rounds of another one have the same numbers.
    _history = 0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # A signal may end the app before it is mounted.
        self._lessons: dict[int, Lesson] = {}
        self._lessons_told: set[int] = set()
        self._off = Event()
        self._turn = Lock()

    def on_mount(self) -> None:
        """Begin to teach (before the board is shown)."""
        self.view = replace(self.view, teaches=self._match.may_teach)

    def show(self, view: ViewState) -> None:
        """Show ``view`` with the lessons of its line, and learn what is not known yet."""
        super().show(replace(view, lessons=self._known(view)))
        self._learn()

    def _known(self, view: ViewState) -> dict[int, Lesson]:
        """The lessons of the line, by the indices of their frames."""
        if not view.teaches:
            return {}
        numbers = enumerate(map(view.situation.round_at, range(len(view.situation.line))))
        known = ((k, None if n is None else self._lessons.get(n)) for k, n in numbers)
        return {k: lesson for k, lesson in known if lesson is not None}

    def forget_lessons(self) -> None:
        """The rounds are those of another history from now on."""
        self._history += 1
        self._lessons.clear()
        self._lessons_told.clear()

    # Learning

    def _learn(self) -> None:
        """Learn about the moment that is shown, or another one of the line, if it is quiet."""
        view, situation = self.view, self.view.situation
        if not view.teaches or situation.waits or self._comparing:
            return
        indices = (view.index, *reversed(range(len(situation.line))))
        numbers = ((k, situation.round_at(k)) for k in indices)
        lacking = ((k, n) for k, n in numbers if n is not None and n not in self._lessons)
        index, number = next(lacking, (0, None))
        if number is None:
            return
        if self._learning is not None:
            if index == view.index and number != self._learning:
                self._off.set()  # what is shown is more urgent
            return
        self._learning, self._off = number, Event()
        frames = situation.line[: index + 1]
        self._work_beside(partial(self._teach, self._history, number, frames, self._off))

    def _work_beside(self, work: Callable[[], None]) -> None:
        self.run_worker(work, name="teaching", group=TEACHER, thread=True, exit_on_error=False)

    def _teach(self, history: int, number: int, frames: tuple[Frame, ...], off: Event) -> None:
        # In a thread.  A bug is raised, and ends the app in on_worker_state_changed.
        with self._turn:
            deadline = Deadline.after(SECONDS, off.is_set)
            teacher = self._match.teacher
            lesson = None if teacher is None else teacher.lesson(frames, deadline)
        self.post_message(Taught(history, number, lesson))

    def on_taught(self, event: Taught) -> None:
        """Keep the lesson, unless something more urgent has called it off."""
        self._learning = None
        view = self.view
        shown = view.situation.round_at(view.index)
        if event.lesson is None:
            view = replace(view, teaches=False)
        elif event.history == self._history and (event.number == shown or not self._off.is_set()):
            self._lessons[event.number] = event.lesson
        self.show(view)
        lesson = self.view.lesson
        if lesson is not None and shown is not None and shown not in self._lessons_told:
            self._lessons_told.add(shown)
            self._say(*(Note(Weight.SAID, line) for line in lesson.lines))

    @property
    def teaching(self) -> bool:
        """True if something is being learnt, or compared."""
        return self._learning is not None or self._comparing

    def stop_teaching(self) -> bool:
        """Call off what is being learnt; whether something was."""
        if self.teaching:
            self._off.set()
        return self.teaching

    def on_unmount(self) -> None:
        """Call off what is being learnt: its thread is waited for."""
        self._off.set()

    # Asking

    def action_teach(self) -> None:
        """Teach, or stop teaching."""
        if not self._match.may_teach:
            self._remark(self.view, "There is nothing to learn here: no board, or no rules.")
            return
        now = not self.view.teaches
        text = "Distances, threats and replies are" + (" shown." if now else " hidden.")
        self.show(self._noted(replace(self.view, teaches=now), text))

    def graded_hint(self) -> Hint | None:
        """The moves that last longest, where that is known; the first of them is the hint."""
        view, lesson = self.view, self.view.lesson
        if lesson is None or view.past:
            return None
        legal = (m for m in view.situation.legal if str(m) in lesson.grades.best)
        move = next(legal, None)
        return None if move is None else Hint(move, lesson.grades.text)

    def action_other(self) -> None:
        """Ask for another move in the place of the last reply, and compare it."""
        view = self.view
        frames = view.situation.line[: view.index + 1]
        player = view.situation.facts.certificate_player
        moves = other_moves(frames, player) if self._match.may_teach else ()
        if not moves or self._comparing:
            self._remark(view, _NO_OTHER)
            return

        def chosen(move: MatchMove | None) -> None:
            if move is not None:
                self._compare(frames, str(move))

        choice = tuple(LayoutMove(move) for move in moves)
        self.push_screen(MenuScreen(f"Another move for {player}", choice), chosen)

    def _compare(self, frames: tuple[Frame, ...], move: str) -> None:
        self._off.set()
        self._comparing, self._off = True, Event()
        self.show(replace(self.view, said=f"Trying {move} … {key_of('cancel')} cancels"))
        self._work_beside(partial(self._comparison, frames, move, self._off))

    def _comparison(self, frames: tuple[Frame, ...], move: str, off: Event) -> None:
        with self._turn:
            teacher = self._match.teacher
            try:
                deadline = Deadline.after(_COMPARE_SECONDS, off.is_set)
                text = _NO_OTHER
                if teacher is not None:
                    text = teacher.compare(frames, move, deadline).text
            except QsageError as error:
                text = str(error)
        self.post_message(Compared(text))

    def on_compared(self, event: Compared) -> None:
        self._comparing = False
        self.show(self._noted(self.view, event.text))


# The actions on a play beside playing: save it, open another one, look into it, prove it


_ABOUT = (
    "The end of the name says what is written:\n"
    "  .svg   all boards in one drawing, for papers and slides\n"
    "  .json  every step with its board, values and findings\n"
    "  .txt   the transcript with boards between its lines\n"
    "Text and JSON can be opened again. Existing files are not replaced unasked."
)
_ABOUT_SGF = "  .sgf   all that was tried as variations, for programs of Hex\n"


def export_play(match: PlayMatch, path: str, *, overwrite: bool) -> Answer:
    """Write the play so far in the format that the end of ``path`` names."""
    target = os.path.expanduser(path)
    form = ExportFormat.of(target)
    check_inside(target, writing=True)
    if not overwrite and os.path.lexists(target):
        return WouldOverwrite(path, partial(export_play, path=path, overwrite=True))
    write_play(match, target, form)
    return Saved(path)


def export_screen(path: str, forms: tuple[ExportFormat, ...]) -> PathScreen:
    """Asks for the file; the buttons of the formats change the end of its name."""
    head, last, foot = _ABOUT.rpartition("Text and JSON")
    about = head + (_ABOUT_SGF if ExportFormat.SGF in forms else "") + last + foot
    return PathScreen("Export the play", "Export", path, about, forms)


class ToolsApp(TeachingApp):
    """An app with the tools around a play.  ``path`` is the file that is offered first."""

    path: str

    # Files

    def action_save(self) -> None:
        remark = "A name that ends in .json writes JSON. Existing files are not replaced unasked."
        screen = PathScreen("Save the transcript", "Save", self.path, remark)
        self.push_screen(screen, self._save)

    def _save(self, path: str | None) -> None:
        if path is not None:
            self.path = path
            self.ask("saving", requests.save, path, overwrite=False)

    def action_export(self) -> None:
        situation = self.view.situation
        forms = formats_of(situation.facts, situation.frames[0].board)
        path = self.path.rpartition(".")[0] or self.path
        suffix = ExportFormat.SVG.suffix if self._board is not None else ExportFormat.TEXT.suffix
        self.push_screen(export_screen(path + suffix, forms), self._export)

    def _export(self, path: str | None) -> None:
        if path is not None:
            self.ask("exporting", export_play, path, overwrite=False)

    def _confirm_overwrite(self, answer: requests.WouldOverwrite) -> None:
        path = answer.path

        def answered(overwrite: bool | None) -> None:
            if overwrite:
                self.ask("saving", answer.again)
            else:
                self.show(self._noted(self.view, f"Not saved: {path} exists."))

        self.push_screen(ConfirmScreen(f"{path} exists. Replace it?", "Replace"), answered)

    def action_load(self) -> None:
        remark = "The play is replayed from the start and compared with the certificate's answers."
        screen = PathScreen("Open a transcript", "Open", self.path, remark)
        self.push_screen(screen, self._load)

    def _load(self, path: str | None) -> None:
        if path is not None:
            self._stopped()
            self.path = path
            self.ask("replaying the transcript", requests.load, path)

    # Findings, gates, tree, proof

    def action_findings(self) -> None:
        if self.found:
            self.push_screen(FindingsScreen(self.found), self._jump)
        else:
            self._remark(self.view, "Nothing was found so far.")

    def _jump(self, found: ListedFinding | None) -> None:
        """Go to the step of a finding, replaying its play if it is another one."""
        if found is None:
            return
        self._stopped()
        if found.index is not None:
            self._look_at(found.index)
        else:
            name = f"the play of the finding: {found.finding.kind.value}"
            self.ask("replaying", follow, found.finding.moves, name, ply=found.finding.ply)

    def action_gates(self) -> None:
        whys = self.query_one(WhyPane).whys
        first = whys[0].evidence[:1] if whys else ()
        self.action_gate(first[0].literal if first else None, 0)

    @on(ValuesPane.Opened)
    def _opened(self, event: ValuesPane.Opened) -> None:
        self.action_gate(event.literal)

    def action_gate(self, literal: int | None, why: int | None = None) -> None:
        """Show the gates, at ``literal``; as they are after the illegal try of reason ``why``."""
        gates, frame = self._services.gates, self.view.frame
        if gates is None:
            self._remark(self.view, "No gates to show: there is no formula.")
            return
        tried = None if why is None else next(iter(self.query_one(WhyPane).whys[why:]), None)
        square = None if self._board is None else self._board.cursor
        for value in () if tried is None else tried.evidence:
            if value.literal == literal and value.false_at:
                square = value.false_at[0]
        if tried is frame.illegal:
            tried = None  # it was let happen: the step has it
        step = f"after ply {frame.ply}: {frame.move or 'the start'}"
        if tried is not None:
            step = f"if {tried.move} were played at ply {frame.ply + 1}"
        self.push_screen(GateScreen(lambda: gates(frame, tried), step, square, literal))

    def action_tree(self) -> None:
        if self._services.tree is None:
            self._remark(self.view, "No tree to show: without a layout there are no moves.")
            return
        self.push_screen(TreeScreen(self._services.tree, self._played), self._replay_moves)

    @property
    def _played(self) -> tuple[str, ...]:
        """The person's moves up to the step that is shown."""
        frames = self.view.situation.line[: self.view.index + 1]
        person = self.view.situation.facts.person
        return tuple(str(frame.move) for frame in frames if frame.player is person)

    def _replay_moves(self, moves: tuple[str, ...] | None) -> None:
        if moves is not None:
            self._stopped()
            self.ask("replaying", follow, moves, "the play of the tree")

    def action_prove(self) -> None:
        if self._services.prove is None:
            self._remark(self.view, "Nothing can be proved here: no files are known.")
            return
        self.push_screen(ProveScreen(self._services.prove), self._proved)

    def _proved(self, proof: ScreenProof | None) -> None:
        """Keep what a proof has found, and say how it ended."""
        if proof is None:
            return
        self.proof_found = proof.found
        weight = Weight.FINDING if proof.found else Weight.VERDICT
        self._say(Note(weight, proof.text))
        self.notify(proof.text, severity="error" if proof.found else "information", markup=False)
        self.show(replace(self.view, said=proof.text))
        self._jump(proof.chosen)
