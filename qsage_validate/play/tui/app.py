"""The Textual app: widgets post messages, the app asks the match and shows what comes back."""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Input, Static

from qsage_validate.errors import Exit, QsageError, UsageError
from qsage_validate.play.export import ExportFormat
from qsage_validate.play.frame import BlockMove, Frame, MatchMove, WhyNot
from qsage_validate.play.match import Match
from qsage_validate.play.tui import requests
from qsage_validate.play.tui.actions import ACTIONS
from qsage_validate.play.tui.asking import Answered, AskingApp
from qsage_validate.play.tui.bars import ActionBar, StatusBar, TitleBar
from qsage_validate.play.tui.block_form import BlockForm
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.dialogs import ConfirmScreen, HelpScreen, MenuScreen, PathScreen
from qsage_validate.play.tui.exporting import ExportScreen, export_play
from qsage_validate.play.tui.findings_screen import FindingsScreen, Found
from qsage_validate.play.tui.gate_screen import GateScreen
from qsage_validate.play.tui.notes import Note, Replay, Weight, frame_notes
from qsage_validate.play.tui.pane_layout import too_small
from qsage_validate.play.tui.panes import (
    MessagesPane,
    MovesPane,
    ValuesPane,
    WhyPane,
)
from qsage_validate.play.tui.picking import Choose, Drop, NoMove, Play, Select
from qsage_validate.play.tui.play_area import PANES, PaneTabs, PlayArea
from qsage_validate.play.tui.prompt import MovePrompt
from qsage_validate.play.tui.prove_screen import Proof, ProveScreen
from qsage_validate.play.tui.replaying import follow
from qsage_validate.play.tui.situation import Situation
from qsage_validate.play.tui.themes import DARK, LIGHT, THEMES
from qsage_validate.play.tui.tools import Tools
from qsage_validate.play.tui.tree_screen import TreeScreen
from qsage_validate.play.tui.view import View, picture, square_text, status


class PlayApp(AskingApp):
    """A play against a certificate, on a terminal."""

    CSS_PATH = "play.tcss"
    TITLE = "qsage play"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            # "Type" is handled before the keys that follow it are given to the board.
            Binding(a.keys, a.name, a.title, False, a.key, priority=a.name == "type")
            for a in ACTIONS
        ),
        Binding("escape", "escape", "Back to the play", show=False),
    ]

    def __init__(
        self,
        match: Match,
        *,
        theme: str = "dark",
        seed: int | None = None,
        let_happen: bool = False,
        pace: float = 0.4,
        replay: Replay | None = None,
        tools: Tools | None = None,
    ) -> None:
        """``pace`` is the time in seconds between two moves of the random player.

        ``replay`` makes the command that plays the person's moves again, for findings.
        """
        super().__init__(match, let_happen=let_happen)
        self._generator = random.Random(seed)
        self._pace = pace
        self._news: frozenset[str] = frozenset()
        self._home = PANES[0]
        self._typed = ""
        self._path = _file_name(match.title)
        self._first_theme = theme
        for known in THEMES.values():
            self.register_theme(known)
        self._replay = replay
        self.proof_found: tuple[Found, ...] = ()
        self._tools = Tools() if tools is None else tools
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
            yield PlayArea(
                centre,
                MovesPane(id="moves"),
                WhyPane(id="why"),
                ValuesPane(id="values"),
                MessagesPane(id="messages"),
            )
            yield StatusBar(id="status")
            yield MovePrompt(id="prompt")
            yield ActionBar(id="actions")
        yield Static(id="too-small", markup=False)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables

    def on_mount(self) -> None:
        self.theme = THEMES[self._first_theme].name
        situation = self.view.situation
        self._say(*(Note(Weight.SAID, note) for note in situation.notes))
        self._report(situation, situation.frames)
        self._settle(situation.frames)
        self.action_board()
        self.show(self.view)

    @on(Answered)
    def _answered(self, event: Answered) -> None:
        before = self.view
        view = replace(
            before,
            situation=event.situation or before.situation,
            busy=None,
            hint=None,
            pointed=frozenset(),
            refusal=None,
            error=None,
            said=None,
        )
        if event.failure is not None:
            view = self._failed(view, event.failure)
        elif event.answer is not None:
            view = self._told(view, event.answer)
            prompt = self.query_one(MovePrompt)
            if prompt.has_focus and not prompt.value:
                self.action_board()
        self.show(view)
        if not self.ask_next() and self.view.running:
            self.set_timer(self._pace, self._run_on)

    def _failed(self, view: View, failure: QsageError) -> View:
        self._say(Note(Weight.ERROR, str(failure)))
        self._news |= {"messages"}
        self.bell()
        prompt = self.query_one(MovePrompt)
        if prompt.has_focus and not prompt.value:
            # What could not be read can be mended.
            prompt.value = self._typed
        return replace(view, error=str(failure), tried=frozenset(), running=False)

    def _told(self, view: View, answer: requests.Answer) -> View:
        match answer:
            case requests.Played():
                self._report(view.situation, answer.frames)
                view = replace(view, viewing=None, selected=None, tried=frozenset(), claiming=False)
                self._settle(answer.frames)
                if any(frame.illegal is not None for frame in answer.frames):
                    view = replace(view, said=f"{answer.move} was illegal, and happened.")
                if view.situation.outcome is not None or not answer.at_random:
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
            case requests.Unclear():
                self._choose(answer.question, answer.moves)
            case requests.Hinted():
                view = self._hinted(view, answer)
            case requests.Travelled():
                self._say(Note(Weight.DONE, answer.text))
                self._settle()
                view = replace(
                    view, said=answer.text, viewing=None, selected=None, tried=frozenset()
                )
            case requests.Nothing():
                view = replace(view, said=answer.text, running=False, tried=frozenset())
                self._say(Note(Weight.SAID, answer.text))
            case requests.Saved():
                view = self._noted(view, f"Saved to {answer.path}")
            case requests.Loaded():
                self._report(view.situation, view.situation.frames[1:])
                self._settle(view.situation.frames)
                view = self._noted(view, f"Replayed {answer.path}")
                viewing = _frame_of_ply(view.situation, answer.ply)
                view = replace(view, viewing=viewing, selected=None, tried=frozenset())
            case requests.WouldOverwrite():
                self._confirm_overwrite(answer)
        return view

    def _hinted(self, view: View, answer: requests.Hinted) -> View:
        if answer.hint is None:
            return self._noted(view, "No hint: nothing is known, or the play is over.")
        self._say(Note(Weight.SAID, f"Hint: {answer.hint.text}"))
        square = getattr(answer.hint.move, "square", None)
        if self._board is not None and square is not None:
            self._board.move_cursor(square)
        if self._form is not None and isinstance(answer.hint.move, BlockMove):
            self._form.set_bits(answer.hint.move)
        return replace(view, hint=answer.hint)

    def _noted(self, view: View, text: str) -> View:
        self._say(Note(Weight.DONE, text))
        return replace(view, said=text)

    def _report(self, situation: Situation, frames: Sequence[Frame]) -> None:
        """Say what happened in ``frames``."""
        self._say(*frame_notes(situation, frames, self._replay))
        if any(frame.findings for frame in frames):
            self.bell()

    # Showing

    def show(self, view: View) -> None:
        """Make ``view`` what is on the screen."""
        self.view = view
        situation = view.situation
        drawn = picture(view)
        if self._board is not None and drawn is not None:
            self._board.show(drawn)
        if self._form is not None:
            self._show_form(self._form, view)
        self.query_one(TitleBar).show(view)
        self.query_one(MovesPane).show(situation.frames, view.index)
        self.query_one(ValuesPane).show(view.frame.values)
        moves = [str(move) for move in situation.legal]
        self.query_one(MovePrompt).offer(moves)
        self._show_status()
        self._show_bars()

    def _show_status(self) -> None:
        over = self.view.situation.outcome is not None and not self.view.past
        square = "" if self._board is None or over else square_text(self.view, self._board.cursor)
        self.query_one(StatusBar).show(status(self.view), square)

    def _show_bars(self) -> None:
        area = self.query_one(PlayArea)
        self.query_one(PaneTabs).show(area.active, self._news if area.tabbed else frozenset())
        active = {"let_happen"} if self.view.let_happen else set()
        if self.view.running:
            active.add("run")
        if self.view.claiming:
            active.add("claim")
        if self.view.situation.pairs:
            active.add("pairs")
        self.query_one(ActionBar).show(self._possible, frozenset(active))

    def _show_form(self, form: BlockForm, view: View) -> None:
        situation = view.situation
        block = next((m for m in situation.legal if isinstance(m, BlockMove)), None)
        if view.past and not view.frame.state:
            form.show(None, f"Block {view.frame.ply} of {situation.plies} (looking back)")
        elif view.frame.state:
            form.show_text(view.frame.state)
        elif block is None:
            form.show(None, "The play is over")
        else:
            bits = f"{len(block.variables)} bit{'s' * (len(block.variables) != 1)}"
            form.show(block, f"Block {view.frame.ply + 1} of {situation.plies}: your {bits}")

    def _possible(self, name: str) -> bool | None:
        situation = self.view.situation
        going_on = situation.outcome is None and not self.view.past
        return {
            "undo": situation.can_undo,
            "restart": situation.can_undo,
            "redo": situation.can_redo,
            "hint": going_on,
            "why_not": going_on and (situation.has_board or bool(self.view.frame.state)),
            "menu": going_on,
            "type": going_on,
            "random": going_on,
            "run": going_on,
            "claim": True if going_on and situation.can_claim else None,
            "pairs": True if situation.has_pairs else None,
            "look_back": self.view.index > 0,
            "look_forward": self.view.past,
            "findings": True if self.found else None,
            "gates": None if self._tools.gates is None else True,
            "tree": None if self._tools.tree is None else True,
            "prove": None if self._tools.prove is None else True,
        }.get(name, True)

    def _say(self, *notes: Note) -> None:
        if notes:
            self.query_one(MessagesPane).add(*notes)

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

    # Messages of the widgets

    @on(BoardView.Picked)
    def _picked(self, event: BoardView.Picked) -> None:
        view = self._stopped()
        if not self._may_play(view):
            return
        waiting = view.situation.only_elsewhere
        if event.key and waiting is not None and not view.let_happen:
            self._play(waiting)
            return
        pick = view.situation.picks.pick(event.square, view.selected)
        view = replace(view, refusal=None, error=None, said=None, hint=None, tried=frozenset())
        match pick:
            case Play():
                self.show(replace(view, selected=None))
                self._play(pick.move)
            case Select():
                self.show(replace(view, selected=pick.square))
            case Drop():
                self.show(replace(view, selected=None))
            case Choose():
                self.show(view)
                self._choose("Which move?", pick.moves)
            case NoMove():
                tried = frozenset({pick.origin, pick.target})
                self.view = replace(view, tried=tried, selected=None)
                force = view.let_happen
                request = requests.try_square(pick.origin, pick.target, force=force)
                self.ask("trying the square", request)

    def _may_play(self, view: View) -> bool:
        """Whether a move can be made now; says why not."""
        if view.busy is not None:
            self._remark(view, "Still working: that was not played.")
        elif view.past:
            self._remark(view, "Looking back: Esc returns to the current position.")
        elif view.situation.outcome is not None:
            self._remark(view, "The play is over: undo or restart to go on.")
        else:
            return True
        return False

    def _remark(self, view: View, text: str) -> None:
        self._say(Note(Weight.SAID, text))
        self.bell()
        self.show(replace(view, said=text))

    def _play(self, move: MatchMove | str) -> None:
        view = self.view
        request = requests.play(move, force=view.let_happen, claim=view.claiming)
        self.ask(f"playing {move}", request)

    def _choose(self, question: str, moves: Iterable[MatchMove]) -> None:
        def chosen(move: MatchMove | None) -> None:
            if move is not None:
                self._play(move)

        self.push_screen(MenuScreen(question, tuple(moves)), chosen)

    @on(BoardView.CursorMoved)
    def _cursor_moved(self) -> None:
        self._show_status()

    @on(MovePrompt.Entered)
    def _entered(self, event: MovePrompt.Entered) -> None:
        view = self._stopped()
        if event.asking:
            self.ask("asking why not", requests.explain(event.text))
        elif view.busy is not None or self._may_play(view):
            self.view = replace(self.view, tried=frozenset())
            self._typed = event.text
            self._play(event.text)

    @on(BlockForm.Submitted)
    def _block_submitted(self, event: BlockForm.Submitted) -> None:
        if self._may_play(self._stopped()):
            self._play(event.move)

    @on(MovesPane.FrameChosen)
    def _frame_chosen(self, event: MovesPane.FrameChosen) -> None:
        self._look_at(event.index)

    @on(ValuesPane.Pointed)
    def _pointed(self, event: ValuesPane.Pointed) -> None:
        self.view = replace(self.view, pointed=event.squares)
        drawn = picture(self.view)
        if self._board is not None and drawn is not None:
            self._board.show(drawn)

    @on(PaneTabs.Chosen)
    def _tab_chosen(self, event: PaneTabs.Chosen) -> None:
        self.action_pane(event.pane)

    # Actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a binding applies: in inputs and dialogs, ":" and "/" are theirs."""
        taken = isinstance(self.focused, Input) or len(self.screen_stack) > 1
        return not (action == "type" and taken)

    def action_undo(self) -> None:
        self._stopped()
        self.ask("taking back", requests.undo)

    def action_redo(self) -> None:
        self._stopped()
        self.ask("playing again", requests.redo)

    def action_restart(self) -> None:
        self._stopped()
        self.ask("going back to the start", requests.restart)

    def action_hint(self) -> None:
        self._stopped()
        self.ask("looking for a hint", requests.hint)

    def action_why_not(self) -> None:
        if self._board is not None:
            self.ask("asking why not", requests.explain_square(self._board.cursor))
        elif self.view.frame.state:
            self._remark(self.view, "Type ? and a move to ask why it is illegal.")
        else:
            self._remark(self.view, "Every assignment of a block is legal.")

    def action_menu(self) -> None:
        view = self._stopped()
        if self._may_play(view):
            count = len(view.situation.legal)
            self._choose(f"{count} legal move{'s' * (count != 1)}", view.situation.legal)

    def action_type(self) -> None:
        self.default_screen.set_focus(self.query_one(MovePrompt))

    def action_random(self) -> None:
        view = self._stopped()
        if view.busy is not None or self._may_play(view):
            self.ask("moving at random", requests.play_at_random(self._generator))

    def action_run(self) -> None:
        if self.view.running:
            self.show(self._stopped())
        elif self._may_play(self.view):
            self.show(replace(self.view, running=True))
            self._run_on()

    def _run_on(self) -> None:
        if self.view.running and self.view.busy is None:
            self.ask("moving at random", requests.play_at_random(self._generator))

    def _stopped(self) -> View:
        """The view with the random player stopped."""
        self.view = replace(self.view, running=False)
        return self.view

    def action_let_happen(self) -> None:
        now = not self.view.let_happen
        text = (
            "Illegal moves will be played into the formula."
            if now
            else "Illegal moves are refused again."
        )
        self.show(self._noted(replace(self.view, let_happen=now, refusal=None), text))

    def action_claim(self) -> None:
        view = self._stopped()
        if self._may_play(view):
            if view.situation.can_claim:
                self.show(replace(view, claiming=not view.claiming, said=None, refusal=None))
            else:
                self._remark(view, "No goal can be claimed here: no game-stop variable.")

    def action_pairs(self) -> None:
        situation = self.view.situation
        if situation.has_pairs:
            self.ask("looking for pairs", requests.show_pairs(not situation.pairs))
        else:
            self._remark(self.view, "Pairs are of White's certificates, in games of winning sets.")

    def action_save(self) -> None:
        remark = "A name that ends in .json writes JSON. Existing files are not replaced unasked."
        screen = PathScreen("Save the transcript", "Save", self._path, remark)
        self.push_screen(screen, self._save)

    def _save(self, path: str | None) -> None:
        if path is not None:
            self._path = path
            self.ask("saving", requests.save(path, overwrite=False))

    def action_export(self) -> None:
        forms = tuple(ExportFormat)
        if not self.view.situation.has_board:
            forms = tuple(form for form in forms if form is not ExportFormat.SVG)
        path = self._path.rpartition(".")[0] or self._path
        suffix = ExportFormat.SVG.suffix if self._board is not None else ExportFormat.TEXT.suffix
        self.push_screen(ExportScreen(path + suffix, forms), self._export)

    def _export(self, path: str | None) -> None:
        if path is not None:
            self.ask("exporting", export_play(path, overwrite=False))

    @property
    def found(self) -> tuple[Found, ...]:
        """The findings of this play, and those of the last proof."""
        frames = self.view.situation.frames
        own = tuple(
            Found(finding, index, "this play")
            for index, frame in enumerate(frames)
            for finding in frame.findings
        )
        return own + self.proof_found

    def action_findings(self) -> None:
        if self.found:
            self.push_screen(FindingsScreen(self.found), self._jump)
        else:
            self._remark(self.view, "Nothing was found so far.")

    def action_gates(self) -> None:
        if self._tools.gates is None:
            self._remark(self.view, "No gates to show: there is no formula.")
            return
        square = None if self._board is None else self._board.cursor
        self.push_screen(GateScreen(self._tools.gates, self.view.frame, square))

    def action_tree(self) -> None:
        if self._tools.tree is None:
            self._remark(self.view, "No tree to show: without a layout there are no moves.")
            return
        self.push_screen(TreeScreen(self._tools.tree, self._played), self._replay_moves)

    @property
    def _played(self) -> tuple[str, ...]:
        """The person's moves up to the step that is shown."""
        frames = self.view.situation.frames[: self.view.index + 1]
        person = self.view.situation.person
        return tuple(str(frame.move) for frame in frames if frame.player is person)

    def _replay_moves(self, moves: tuple[str, ...] | None) -> None:
        if moves is not None:
            self._stopped()
            self.ask("replaying", follow(moves, "the play of the tree"))

    def action_prove(self) -> None:
        if self._tools.prove is None:
            self._remark(self.view, "Nothing can be proved here: no files are known.")
            return
        self.push_screen(ProveScreen(self._tools.prove), self._proved)

    def _proved(self, proof: Proof | None) -> None:
        """Keep what a proof has found, and say how it ended."""
        if proof is None:
            return
        self.proof_found = proof.found
        weight = Weight.FINDING if proof.found else Weight.VERDICT
        self._say(Note(weight, proof.text))
        self.show(replace(self.view, said=proof.text))
        self._jump(proof.chosen)

    def _jump(self, found: Found | None) -> None:
        """Go to the step of a finding, replaying its play if it is another one."""
        if found is None:
            return
        self._stopped()
        if found.index is not None:
            self._look_at(found.index)
        else:
            name = f"the play of the finding: {found.finding.kind.value}"
            self.ask("replaying", follow(found.finding.moves, name, ply=found.finding.ply))

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
        screen = PathScreen("Open a transcript", "Open", self._path, remark)
        self.push_screen(screen, self._load)

    def _load(self, path: str | None) -> None:
        if path is not None:
            self._stopped()
            self._path = path
            self.ask("replaying the transcript", requests.load(path))

    def action_look_back(self) -> None:
        self._look_at(self.view.index - 1)

    def action_look_forward(self) -> None:
        self._look_at(self.view.index + 1)

    def _look_at(self, index: int) -> None:
        last = self.view.situation.last
        if not 0 <= index <= last:
            self.bell()
            return
        self._explain_happened(self.view.situation.frames[index].illegal)
        viewing = None if index == last else index
        self.show(
            replace(
                self._stopped(),
                viewing=viewing,
                selected=None,
                pointed=frozenset(),
                refusal=None,
                said=None,
            )
        )

    def action_theme(self) -> None:
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_zoom(self, by: int) -> None:
        if self._board is None or not self._board.change_zoom(by):
            self.bell()
        else:
            self.query_one(PlayArea).rearrange()

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

    def action_board(self) -> None:
        if self._board is not None:
            self.default_screen.set_focus(self._board)
        elif self._form is not None:
            self.default_screen.set_focus(self._form.bits)

    def action_help(self) -> None:
        self.push_screen(HelpScreen())

    def action_escape(self) -> None:
        """Leave what is in the way: queue, random player, input, selection, past."""
        view = self.view
        if self.forget_waiting():
            self.show(replace(view, waiting=0, running=False))
        elif isinstance(self.focused, Input):
            self.action_board()
        else:
            cleared = replace(
                view,
                running=False,
                selected=None,
                refusal=None,
                error=None,
                said=None,
                hint=None,
                viewing=None,
                tried=frozenset(),
                pointed=frozenset(),
            )
            self.show(cleared)
            self.action_board()

    async def action_quit(self) -> None:
        situation = self.view.situation
        outcome = situation.outcome
        broken = outcome is not None and outcome.promised is False
        self.exit(Exit.REFUTED if situation.findings or broken else Exit.FINE)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        for action in ACTIONS:
            if action.name != "command_palette":
                about = f"{action.help} ({action.key})"
                yield SystemCommand(action.title, about, partial(self.run_action, action.name))

    # The terminal

    async def on_event(self, event: events.Event) -> None:
        # Ctrl-C leaves from wherever one is, also from dialogs, which hide the app's bindings.
        if isinstance(event, events.Key) and event.key == "ctrl+c":
            event.stop()
            self.exit(Exit.INTERRUPTED)
            return
        await super().on_event(event)

    def on_resize(self, event: events.Resize) -> None:
        """Say so where there is no room for the interface."""
        complaint = too_small(event.size.width, event.size.height)
        self.query_one("#too-small", Static).update(complaint or "")
        self.default_screen.set_class(complaint is not None, "-too-small")


def _squares(move: MatchMove) -> frozenset[tuple[int, int]]:
    square = getattr(move, "square", None)
    return frozenset() if square is None else frozenset({square})


def _frame_of_ply(situation: Situation, ply: int | None) -> int | None:
    """The index to look at for ``ply``; ``None`` for the present."""
    found = (k for k, frame in enumerate(situation.frames) if frame.ply == ply)
    index = next(found, None)
    return None if index == situation.last else index


def _file_name(title: str) -> str:
    """A name for the transcript: of the game or formula, without the kind of certificate."""
    name = title.partition(":")[0].removesuffix(".qcir").removesuffix(".qdimacs")
    return (re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60] or "play") + ".play"


def run(
    match: Match,
    *,
    theme: str = "dark",
    seed: int | None = None,
    let_happen: bool = False,
    replay: Replay | None = None,
    tools: Tools | None = None,
) -> Exit:
    """Play ``match`` on this terminal until the person leaves; returns the exit code.

    ``seed`` is that of the random player; ``replay`` makes the command that plays the person's
    moves again, for findings.  The code is 1 when something was found in the play on the screen
    or its promised win did not come, 130 after Ctrl-C, else 0.  Raises ``UsageError`` without a
    terminal and for an unknown theme; a bug is raised when the terminal is as it was before.
    """
    if theme not in THEMES:
        raise UsageError(f"found --theme {theme!r}, expected {' or '.join(THEMES)}")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the board needs a terminal: use --plain, --moves or --white random")
    if os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        raise UsageError("the board needs a terminal, found TERM=dumb or none: use --plain")
    app = PlayApp(match, theme=theme, seed=seed, let_happen=let_happen, replay=replay, tools=tools)
    code = app.run()
    if app.bug is not None:
        raise app.bug
    if code is None and app.return_code:
        # Textual has printed the traceback of the bug that ended it.
        raise SystemExit(Exit.INTERNAL)
    if code is None:
        # A signal from outside, not the key: that would have been answered.
        raise KeyboardInterrupt
    return code
