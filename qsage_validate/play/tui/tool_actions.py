"""The actions on a play beside playing: save it, open another one, look into it, prove it."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial

from textual import on

from qsage_validate.formats.policy import check_inside
from qsage_validate.play.export import ExportFormat, formats_of, write_play
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.model import requests
from qsage_validate.play.tui.model.notes import Note, Weight
from qsage_validate.play.tui.model.requests import Answer, Saved, WouldOverwrite, follow
from qsage_validate.play.tui.screens.dialogs import ConfirmScreen, PathScreen
from qsage_validate.play.tui.screens.findings_screen import FindingsScreen, ListedFinding
from qsage_validate.play.tui.screens.gate_screen import GateScreen
from qsage_validate.play.tui.screens.prove_screen import ProveScreen, ScreenProof
from qsage_validate.play.tui.screens.tree_screen import TreeScreen
from qsage_validate.play.tui.teaching import TeachingApp
from qsage_validate.play.tui.widgets.panes import ValuesPane, WhyPane

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
