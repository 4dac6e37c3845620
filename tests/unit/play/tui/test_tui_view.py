"""What the interface says and marks, without a screen."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pkgutil import iter_modules

import pytest

from qsage_validate.arena.frame import Frame, LayoutMove, MatchMove, MatchOutcome, SquareXY
from qsage_validate.games.protocol import Player
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.picking import Choose
from qsage_validate.play.tui import model
from qsage_validate.play.tui.model.requests import Refused
from qsage_validate.play.tui.model.situation import MatchSituation, Weight, finding_note
from qsage_validate.play.tui.model.view import (
    SquareMark,
    Tone,
    ViewState,
    picture,
    square_text,
    status,
)
from tests.support.position_text import board_of
from tests.support.toy_match import DOMINOES, TIC, ToyEngine, bare_match, toy_match


def view_of(match: PlayMatch, *moves: str) -> ViewState:
    for move in moves:
        match.push(move)
    return ViewState(MatchSituation.of(match))


def ended(promised: bool | None, verdict: bool | None, winner: Player | None) -> ViewState:
    view = view_of(toy_match())
    outcome = MatchOutcome(winner, "over", promised, verdict)
    frames = (*view.situation.frames, view.situation.frame.ended(outcome))
    return replace(view, situation=replace(view.situation, frames=frames))


@pytest.mark.parametrize(
    ("promised", "verdict", "winner", "tone", "headline"),
    [
        (True, True, Player.BLACK, Tone.KEPT, "Black wins: over, as the certificate promised"),
        # A Herbrand certificate promises a false verdict.
        (True, False, Player.WHITE, Tone.KEPT, "White wins: over, as the certificate promised"),
        (False, False, Player.WHITE, Tone.BROKEN, "White wins: over: NOT what the"),
        (None, None, None, Tone.PAST, "over"),
    ],
)
def test_the_end_is_told_as_it_is(
    promised: bool | None,
    verdict: bool | None,
    winner: Player | None,
    tone: Tone,
    headline: str,
) -> None:
    shown = status(ended(promised, verdict, winner))
    assert shown.tone is tone
    assert shown.headline.startswith(headline)
    expected = {True: "true", False: "false", None: "not evaluated"}[verdict]
    assert shown.detail.startswith(f"Verdict gate {expected}, no findings.")


def test_both_plies_of_a_round_are_marked() -> None:
    shown = picture(view_of(toy_match(DOMINOES), "horizontal(2,3)"))
    assert shown is not None
    assert SquareMark.EARLIER in shown.marks[2, 3]
    assert SquareMark.EARLIER in shown.marks[3, 3]
    assert SquareMark.CHANGED in shown.marks[2, 1]
    assert (1, 1) not in shown.marks


def test_a_past_frame_has_no_legal_moves() -> None:
    view = replace(view_of(toy_match(), "occupy(3,3)"), viewing=0)
    shown = picture(view)
    assert shown is not None
    assert not any(SquareMark.LEGAL in marks for marks in shown.marks.values())
    assert status(view).headline == "Looking back at ply 0: the start"


def test_the_most_urgent_thing_is_told() -> None:
    match = toy_match(finding_at=1)
    view = view_of(match)
    assert status(view).tone is Tone.FINDING
    why = match.why_not(LayoutMove.on_grid("occupy", 1, 1))
    assert why is not None
    refused = replace(view, refusal=Refused("occupy(1,1)", (why,)))
    assert status(refused).tone is Tone.REFUSED
    assert status(replace(refused, viewing=0)).tone is Tone.PAST
    assert status(replace(refused, busy="thinking")).headline == "Working: thinking …"


def test_there_is_no_picture_in_the_bare_game() -> None:
    view = ViewState(MatchSituation.of(bare_match()))
    assert picture(view) is None
    assert square_text(view, (1, 1)) == ""


def test_a_finding_has_the_command_that_replays_it() -> None:
    (finding,) = toy_match(finding_at=1).findings
    assert finding_note(finding, ["occupy(2,2)"]).text.endswith(finding.replay)
    bare = replace(finding, replay="")
    note = finding_note(bare, ["occupy(2,2)"], lambda moves: f"again {' '.join(moves)}")
    assert note.weight is Weight.FINDING
    assert note.text.endswith("replay: again occupy(2,2)")
    assert finding_note(bare, []).text.endswith("moves: occupy(1,1)")


def test_what_is_said_is_decided_without_textual() -> None:
    imports = "; ".join(
        f"import {model.__name__}.{module.name}" for module in iter_modules(model.__path__)
    )
    imports += "; import qsage_validate.play.picking"
    program = f"import sys; {imports}; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_board_with_very_many_moves_is_picked_by_square() -> None:
    class Large(ToyEngine):
        def touched(self, frame: Frame, move: MatchMove) -> tuple[SquareXY, ...]:
            raise AssertionError("the formula is not asked about so many moves")

    board = board_of("/".join(["." * 19] * 19))
    toy = replace(TIC, start=board)
    large = Large(toy)
    large.facts = replace(large.facts, has_rules=False)
    picks = MatchSituation.of(PlayMatch(large)).picks
    assert picks.pick((7, 9)) == Choose((LayoutMove.on_grid("occupy", 7, 9),))
