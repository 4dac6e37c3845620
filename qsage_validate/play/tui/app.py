"""The Textual app: widgets post messages, the app asks the match and shows what comes back."""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input

from qsage_validate.arena.frame import BlockMove, MatchMove, told_once
from qsage_validate.errors import Exit, QsageError, counted
from qsage_validate.play.export import ExportFormat, write_play
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.picking import Choose, NoMove, Select
from qsage_validate.play.state import is_a_play
from qsage_validate.play.transcript import transcript_of
from qsage_validate.play.tui.base import (
    Answered,
    check_terminal,
    complain,
    ended_by,
    run_in_colours,
)
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.dialogs import ConfirmScreen, HelpScreen, MenuScreen
from qsage_validate.play.tui.main_view import ToolsApp
from qsage_validate.play.tui.model import requests
from qsage_validate.play.tui.model.actions import ACTIONS, key_of
from qsage_validate.play.tui.model.situation import MatchSituation, Note, Replay, Services, Weight
from qsage_validate.play.tui.model.view import ViewState
from qsage_validate.play.tui.panes import WhyPane
from qsage_validate.play.tui.play_area import BlockForm, MovePrompt


class PlayApp(ToolsApp):
    """A play against a certificate, on a terminal."""

    CSS_PATH = "play.tcss"
    TITLE = "qsage play"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(a.keys or a.key, a.name, a.title, show=False, key_display=a.key)
            for a in ACTIONS
        ),
        Binding("escape", "escape", "Back to the play", show=False),
    ]

    def __init__(
        self,
        match: PlayMatch,
        *,
        theme: str = "dark",
        seed: int | None = None,
        force: bool = False,
        pace: float = 0.4,
        replay: Replay | None = None,
        services: Services | None = None,
        asks: bool = False,
        unsaved: bool = False,
        saved: Callable[[str], None] | None = None,
    ) -> None:
        """``pace`` is the time in seconds between two moves of the random player.

        ``replay`` makes the command that plays the person's moves again, for findings.  With
        ``asks`` a play that is in no file is not left without a question; ``unsaved`` says that
        this holds of the moves that were played before.  ``saved`` is told of each file that
        the play is saved to and can go on from.
        """
        super().__init__(match, theme=theme, force=force, replay=replay, services=services)
        self._generator = random.Random(seed)
        self._pace = pace
        self._typed = ""
        # Rounds that were played when the play was last in a file.
        self._saved_rounds = -1 if unsaved else len(self.view.situation.rows)
        self._asks = asks
        self._saved = saved
        self.next = Next.NOTHING
        self.path = _file_name(match.facts.title)

    # Answers of the match

    @on(Answered)
    def _answered(self, event: Answered) -> None:
        situation = event.situation or self.view.situation
        view = replace(self.view.silent(), situation=situation, busy=None, work=None)
        if event.failure is not None:
            view = self._failed(view, event.failure)
        elif event.answer is not None:
            view = self._told(view, event.answer)
            prompt = self.query_one(MovePrompt)
            if prompt.has_focus and not prompt.value:
                self.action_board()
        self.show(view)
        if isinstance(event.answer, requests.Played) and view.situation.waits:
            self.ask_for_reply()
        elif self.ask_next():
            pass
        elif self.view.running:
            self.set_timer(self._pace, self._run_on)
        elif event.failure is None:
            self._go_where_looked()

    def _failed(self, view: ViewState, failure: QsageError) -> ViewState:
        self._say(Note(Weight.ERROR, str(failure)))
        self.notify(str(failure), severity="error", markup=False)
        self._news |= {"messages"}
        self.bell()
        prompt = self.query_one(MovePrompt)
        if prompt.has_focus and not prompt.value:
            # A person can mend a file that could not be read.
            prompt.value = self._typed
        return replace(view, error=str(failure), tried=frozenset(), running=False)

    def _told(self, view: ViewState, answer: requests.Answer) -> ViewState:
        match answer:
            case requests.Played():
                self._report(view.situation, answer.frames)
                view = replace(_here(view), selected=None, tried=frozenset(), claiming=False)
                self._settle(answer.frames)
                if any(frame.illegal is not None for frame in answer.frames):
                    view = replace(view, said=f"{answer.move} was illegal, and happened.")
                if view.situation.outcome is not None or not answer.at_random:
                    view = replace(view, running=False)
            case requests.Replied():
                self._report(view.situation, answer.frames)
                self._settle(answer.frames)
                if view.situation.outcome is not None:
                    view = replace(view, running=False)
            case requests.Refused():
                self._say(*(Note(Weight.REFUSED, str(why)) for why in answer.whys))
                self.query_one(WhyPane).show(answer)
                self._front("why")
                self.bell()
                tried = view.tried or _squares(answer.whys[0].move)
                view = replace(view, refusal=answer, tried=tried, selected=None, running=False)
            case requests.Explained():
                self.query_one(WhyPane).show(answer)
                self._front("why")
                illegal = bool(answer.whys) and not answer.legal
                said = f"{answer.attempt}: {'illegal' if illegal else 'see Why not'}"
                if not illegal and answer.legal:
                    said = f"{', '.join(map(str, answer.legal))} is legal"
                view = replace(view, said=said)
            case requests.Ambiguous():
                self._choose(answer.question, answer.moves)
            case requests.Hinted():
                view = self._hinted(view, answer)
            case requests.Travelled():
                self._say(Note(Weight.DONE, answer.text))
                self._settle()
                view = replace(_here(view), said=answer.text, selected=None, tried=frozenset())
            case requests.HistoryMoved():
                there = view.viewing in (None, view.situation.last)
                view = replace(view, viewing=None if there else view.viewing, looked=True)
                view = replace(view, selected=None, tried=frozenset())
            case requests.NoOp():
                view = replace(view, said=answer.text, running=False, tried=frozenset())
                self._say(Note(Weight.SAID, answer.text))
            case requests.Saved():
                if not answer.path.endswith((ExportFormat.SVG.suffix, ExportFormat.SGF.suffix)):
                    self._saved_rounds = len(view.situation.rows)
                    if self._saved is not None:
                        self._saved(answer.path)
                view = self._noted(view, f"Saved to {answer.path}")
            case requests.Loaded():
                self.forget_lessons()
                self._report(view.situation, view.situation.frames[1:])
                self._settle(view.situation.frames)
                self._saved_rounds = len(view.situation.rows)
                view = self._noted(view, f"Replayed {answer.path}")
                viewing = _frame_of_ply(view.situation, answer.ply)
                view = replace(_here(view), selected=None, tried=frozenset())
                view = replace(view, viewing=viewing, looked=viewing is not None)
            case requests.WouldOverwrite():
                self._confirm_overwrite(answer)
        return view

    def _hinted(self, view: ViewState, answer: requests.Hinted) -> ViewState:
        if answer.hint is None:
            return self._noted(view, "No hint: nothing is known, or the play is over.")
        self._say(Note(Weight.SAID, f"Hint: {answer.hint.text}"))
        square = getattr(answer.hint.move, "square", None)
        if self._board is not None and square is not None:
            self._board.move_cursor(square)
        if self._form is not None and isinstance(answer.hint.move, BlockMove):
            self._form.set_bits(answer.hint.move)
        return replace(view, hint=answer.hint)

    # Moves

    @on(BoardView.Picked)
    def _picked(self, event: BoardView.Picked) -> None:
        view = self._stopped()
        if not self._may_play(view):
            return
        waiting = view.situation.only_elsewhere
        if event.key and waiting is not None and not view.force:
            self._play(waiting)
            return
        pick = view.situation.picks.pick(event.square, view.selected)
        view = replace(view, refusal=None, error=None, said=None, hint=None, tried=frozenset())
        match pick:
            case Choose(moves=(move,)):
                self.show(replace(view, selected=None))
                self._play(move)
            case Choose():
                self.show(view)
                self._choose("Which move?", pick.moves)
            case Select():
                self.show(replace(view, selected=pick.square))
            case NoMove():
                tried = frozenset({pick.origin, pick.target})
                self.view = replace(view, tried=tried, selected=None)
                force = view.force
                at = pick.origin, pick.target
                self.ask("trying the square", requests.try_square, *at, force=force)

    def _may_play(self, view: ViewState) -> bool:
        """True if a move can be made now; otherwise a message says why not."""
        if view.busy is not None:
            self._remark(view, "Still working: that was not played.")
        elif view.situation.waits:
            self.ask_for_reply()
        elif view.past:
            mover = view.situation.facts.certificate_player
            keys = f"{key_of('look_back')} and {key_of('look_forward')} go to a ply of yours"
            self._remark(view, f"{mover} is to move here: {keys}.")
        elif view.situation.outcome is not None:
            self._remark(view, "The play is over: undo or restart to go on.")
        else:
            return True
        return False

    def _play(self, move: MatchMove | str) -> None:
        view = self.view
        how = {"force": view.force, "claim": view.claiming}
        self.ask(
            f"playing {move if isinstance(move, str) else move.words}", requests.play, move, **how
        )

    def _choose(self, question: str, moves: Iterable[MatchMove]) -> None:
        def chosen(move: MatchMove | None) -> None:
            if move is not None:
                self._play(move)

        self.push_screen(MenuScreen(question, tuple(moves)), chosen)

    @on(MovePrompt.Entered)
    def _entered(self, event: MovePrompt.Entered) -> None:
        view = self._stopped()
        if event.asking:
            self.ask("asking why not", requests.explain, event.text)
        elif view.busy is not None or self._may_play(view):
            self.view = replace(self.view, tried=frozenset())
            self._typed = event.text
            self._play(event.text)

    @on(BlockForm.Submitted)
    def _block_submitted(self, event: BlockForm.Submitted) -> None:
        if self._may_play(self._stopped()):
            self._play(event.move)

    # Actions

    def action_cancel(self) -> None:
        if self.work is not None and self.work.cancel():
            self._stopped()
        elif self.stop_teaching():
            self._remark(self.view, "Cancelled: what is not known yet stays unknown.")
        else:
            self._remark(self.view, "Nothing to cancel.")

    def action_undo(self) -> None:
        if self.view.situation.waits and self.can_cancel:
            self.action_cancel()  # which takes the move back
            return
        self._stopped()
        self.ask("taking back", requests.undo)

    def action_redo(self) -> None:
        self._stopped()
        self.ask("playing again", requests.redo)

    def action_restart(self) -> None:
        self._stopped()
        self.ask("going back to the start", requests.restart)

    def action_hint(self) -> None:
        graded = self.graded_hint()
        if graded is None:
            self._stopped()
            self.ask("looking for a hint", requests.hint)
        else:
            self.show(self._hinted(self._stopped(), requests.Hinted(graded)))

    def action_why_not(self) -> None:
        if self._board is not None:
            self.ask("asking why not", requests.explain_square, self._board.cursor)
        elif self.view.frame.state:
            self._remark(self.view, "Type ? and a move to ask why it is illegal.")
        else:
            self._remark(self.view, "Every assignment of a block is legal.")

    def action_menu(self) -> None:
        view = self._stopped()
        if self._may_play(view):
            moves = told_once(view.situation.legal)
            count = len(moves)
            self._choose(counted(count, "legal move"), moves)

    def action_type(self) -> None:
        self.default_screen.set_focus(self.query_one(MovePrompt))

    def action_random(self) -> None:
        view = self._stopped()
        if view.busy is not None or self._may_play(view):
            self.ask("moving at random", requests.play_at_random, self._generator)

    def action_run(self) -> None:
        if self.view.running:
            self.show(self._stopped())
        elif self._may_play(self.view):
            self.show(replace(self.view, running=True))
            self._run_on()

    def _run_on(self) -> None:
        if self.view.running and self.view.busy is None:
            self.ask("moving at random", requests.play_at_random, self._generator)

    def action_force(self) -> None:
        now = not self.view.force
        text = (
            "Illegal moves will be played into the formula."
            if now
            else "Illegal moves are refused again."
        )
        self.show(self._noted(replace(self.view, force=now, refusal=None), text))

    def action_claim(self) -> None:
        view = self._stopped()
        if self._may_play(view):
            if view.situation.can_claim:
                self.show(replace(view, claiming=not view.claiming, said=None, refusal=None))
            else:
                self._remark(view, "No goal can be claimed here: no game-stop variable.")

    def action_pairs(self) -> None:
        situation = self.view.situation
        if situation.facts.has_pairs:
            self.ask("looking for pairs", requests.show_pairs, not situation.pairs)
        else:
            self._remark(self.view, "Pairs are of White's certificates, in games of winning sets.")

    def action_help(self) -> None:
        self.push_screen(HelpScreen(self.view.situation.facts))

    def action_escape(self) -> None:
        """Leave what is in the way: queue, random player, input, selection, past."""
        view = self.view
        if self.forget_waiting():
            self.show(replace(view, waiting=0, running=False))
        elif isinstance(self.focused, Input):
            self.action_board()
        elif self.can_cancel and not view.past and view.selected is None:
            self.action_cancel()
        else:
            end = len(view.situation.line) - 1
            if view.looked and view.index != end:
                self._look_at(end)
            view = replace(self.view.silent(), running=False, selected=None, tried=frozenset())
            self.show(view if view.looked else replace(view, viewing=None))
            self.action_board()

    @property
    def unsaved(self) -> bool:
        """Whether rounds were played that are in no file."""
        return len(self.view.situation.rows) > self._saved_rounds

    async def action_quit(self) -> None:
        if not (self._asks and self.unsaved):
            self._leave()
            return

        def answered(leave: bool | None) -> None:
            if leave:
                self._leave()

        question = f"Leave a play that is not saved? ({key_of('save')} saves it)"
        self.push_screen(ConfirmScreen(question, "Leave"), answered)

    def action_new_game(self) -> None:
        """Go to the start screen, from where a key leads back."""
        self.next = Next.ANOTHER
        self._leave()

    def action_drill(self) -> None:
        """Go to the puzzles, from where a key leads back."""
        if self._possible("drill"):
            self.next = Next.DRILL
            self._leave()
        else:
            self._remark(self.view, "There is nothing to drill: no certificate on a board.")

    def _leave(self) -> None:
        situation = self.view.situation
        outcome = situation.line[-1].outcome
        broken = outcome is not None and outcome.promised is False
        self.exit(Exit.REFUTED if situation.findings or broken else Exit.FINE)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        for action in ACTIONS:
            if action.name != "command_palette":
                about = f"{action.help} ({action.key})"
                yield SystemCommand(action.title, about, partial(self.run_action, action.name))


def _here(view: ViewState) -> ViewState:
    """The view with the frame on the board that the match has come to."""
    return replace(view, viewing=None, looked=False)


def _squares(move: MatchMove) -> frozenset[tuple[int, int]]:
    square = getattr(move, "square", None)
    return frozenset() if square is None else frozenset({square})


def _frame_of_ply(situation: MatchSituation, ply: int | None) -> int | None:
    """The index to look at for ``ply``; ``None`` for the present."""
    found = (k for k, frame in enumerate(situation.frames) if frame.ply == ply)
    index = next(found, None)
    return None if index == situation.last else index


def _file_name(title: str) -> str:
    """A name for the transcript: of the game or formula, without the kind of certificate."""
    name = title.partition(":")[0].removesuffix(".qcir").removesuffix(".qdimacs")
    return (re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60] or "play") + ".play"


def rescue(match: PlayMatch, name: str | None, refuge: str | None = None) -> None:
    """Save the play, here, in ``refuge`` or where temporary files go, and say where it is.

    What was taken back is in it, as a variation.
    """
    if not is_a_play(transcript_of(match)):
        return
    # The file may be one that could not be saved to: its folder does not count.
    stem, end = os.path.splitext(os.path.basename(name or "") or _file_name(match.facts.title))
    for folder in (os.curdir, refuge, tempfile.gettempdir()):
        if folder is None:
            continue
        names = (stem + end, *(f"{stem}-{k}{end}" for k in range(2, 1000)))
        free = (os.path.join(folder, n) for n in names)
        path = next((p for p in free if not os.path.lexists(p)), None)
        if path is None:
            continue
        try:
            write_play(match, path, ExportFormat.TEXT)
        except QsageError as error:
            complain(f"qsage: the play is not saved: {error}")
        else:
            complain(f"qsage: the play is saved: {os.path.normpath(path)}")
            return


class Next(Enum):
    """The request with which the board is left."""

    NOTHING = "nothing"
    ANOTHER = "another play"
    DRILL = "a drill"


@dataclass(frozen=True, slots=True)
class Left:
    """How the board was left: its exit code, its theme (``dark``), the file name of the play.

    ``unsaved`` says whether rounds are in no file, ``next`` what is wanted then.
    """

    code: Exit
    theme: str
    name: str
    unsaved: bool
    next: Next


def run(
    match: PlayMatch,
    *,
    theme: str = "dark",
    seed: int | None = None,
    force: bool = False,
    replay: Replay | None = None,
    services: Services | None = None,
    asks: bool = False,
    unsaved: bool = False,
    saved: Callable[[str], None] | None = None,
    refuge: str | None = None,
) -> Left:
    """Play ``match`` on this terminal until the person leaves; says how it was left.

    ``seed`` is that of the random player; ``replay`` makes the command that plays the person's
    moves again, for findings; ``saved`` is told of each file that the play is saved to.  A play
    that is not left by a key is saved, in the folder ``refuge`` where it cannot be saved here.  The
    code is 1 when something was found in the play on the screen
    or its promised win did not come, 130 after Ctrl-C, else 0; after SIGTERM and SIGHUP
    ``SystemExit`` is raised.  Raises ``UsageError`` without a
    terminal and for an unknown theme; a bug is raised when the terminal is as it was before.
    """
    check_terminal(theme)
    app = PlayApp(
        match,
        theme=theme,
        seed=seed,
        force=force,
        replay=replay,
        services=services,
        asks=asks,
        unsaved=unsaved,
        saved=saved,
    )
    code = run_in_colours(app)
    # A signal or a bug, and not the key.
    cut_off = app.ended_by is not None or app.bug is not None or code is None
    # What the match has come to may not have been shown yet.
    unsaved = app.unsaved or len(match.frames) > len(app.view.situation.frames)
    if unsaved and (cut_off or (asks and code is Exit.INTERRUPTED)):
        rescue(match, app.path, refuge)
    ended_by(app)
    if app.bug is not None:
        raise app.bug
    assert code is not None, "what else ends the board has a code"
    shown = "dark" if app.current_theme.dark else "light"
    wanted = Next.NOTHING if code is Exit.INTERRUPTED else app.next
    return Left(code, shown, app.path, app.unsaved, wanted)
