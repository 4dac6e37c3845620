"""Plays against rules: the rule that fired, illegal moves, wrong rules, the interface."""

from __future__ import annotations

import random
from functools import partial

import pytest
from textual.widgets import Label

from qsage_validate.arena.frame import HeapMove, LayoutMove
from qsage_validate.errors import Exit, MalformedMoveError, UsageError
from qsage_validate.extensions.impartial import heap_game
from qsage_validate.extensions.impartial.problem import open_heaps
from qsage_validate.extensions.impartial.rules import State, box_states, reach
from qsage_validate.games.protocol import Player
from qsage_validate.play.export import export_svg, export_text, match_json
from qsage_validate.play.match import PlayMatch, RefusedMoveError
from qsage_validate.play.picking import Choose, NoMove, Picks, Select
from qsage_validate.play.report import exit_code, frame_lines
from qsage_validate.play.transcript import Transcript, play_transcript, transcript_of
from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.model.view import status
from qsage_validate.validation.finding import FindingKind
from tests.support.heap_rules import MISERE, RULES, TRANSFER, WRONG, match, problem
from tests.support.pilot import Driver, drive


def kinds(play: PlayMatch) -> list[FindingKind]:
    return [finding.kind for finding in play.findings]


# -- plays ----------------------------------------------------------------------------------


def test_the_rule_that_fired_is_told() -> None:
    play = match("take-away-3", (13,))
    assert [str(f.move) for f in play.frames[1:]] == ["take(1)"]
    assert play.frame.remarks == ("rule 1: v % 4 = 1 -> take(1); leaves v = 12, losing for White",)
    assert play.frame.state == "v = 12"
    play.push("take(3)")
    assert play.frame.remarks[0].startswith("rule 1: v % 4 = 1 -> take(1); leaves v = 8")
    assert "rule 1: v % 4 = 1 -> take(1); leaves v = 8, losing for White" in "\n".join(
        frame_lines(play, play.frame)
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", RULES)
def test_rules_win_whatever_white_does(name: str, seed: int) -> None:
    generator = random.Random(seed)
    rules = problem(name).rules
    states = [s for s in box_states(rules.game, 80) if next(rules.moves(s), None) is not None]
    play = match(name, generator.choice(states))
    while not play.over:
        move = play.random_move(generator)
        assert move is not None
        play.push(move)
    assert play.outcome is not None
    assert play.outcome.winner is Player.BLACK
    assert play.outcome.promised
    assert not play.findings
    assert exit_code(play) is Exit.FINE
    assert play.facts.plies >= play.frame.ply


def test_misere_play() -> None:
    play = match("take-away-3", (8,), MISERE, misere=True)
    assert str(play.frame.move) == "take(3)"
    play.push("take(3)")
    assert play.frame.state == "v = 1"
    play.push("1")
    assert play.outcome is not None
    assert play.outcome.text == "Black wins: Black cannot move, which wins in misère play"
    assert not play.findings


def test_without_a_promise_white_may_win() -> None:
    play = match("take-away-3", (5,), first=Player.WHITE)
    assert len(play.frames) == 1
    play.push("take(1)")
    assert play.frame.remarks == ("no rule: v = 4 is losing for Black, any move will do",)
    play.push("take(3)")
    assert play.outcome is not None
    assert play.outcome.winner is Player.WHITE
    assert play.outcome.promised
    assert exit_code(play) is Exit.FINE


def test_a_mistake_of_white_is_used() -> None:
    play = match("take-away-3", (5,), first=Player.WHITE)
    play.push("take(2)")
    assert str(play.frame.move) == "take(3)"
    assert play.outcome is not None
    assert play.outcome.winner is Player.BLACK


def beginner(play: PlayMatch) -> Player:
    start = play.frames[0].position
    assert start is not None
    return start.to_move


def test_who_begins_is_who_lets_the_rules_win() -> None:
    assert beginner(match("take-away-3", (13,))) is Player.BLACK
    assert beginner(match("take-away-3", (12,))) is Player.WHITE


# -- moves ----------------------------------------------------------------------------------


def test_illegal_moves_are_refused_in_the_files_words() -> None:
    play = match("take-away-3", (13,))
    with pytest.raises(RefusedMoveError) as caught:
        play.push("take(4)")
    said = "take(4): (<= ?k 3) is false for k = 4 (take-away-3.ig, line 8)"
    assert caught.value.why.lines == ("k is 4, and it has to be at most 3", said)
    assert len(play.frames) == 2


def test_an_illegal_move_that_is_let_happen_takes_the_promise_away() -> None:
    play = match("take-away-3", (13,))
    play.push("take(5)", force=True)
    assert [f.illegal is not None for f in play.frames] == [False, False, True, False]
    assert play.frames[2].state == "v = 7"
    play.push("take(4)", force=True)
    assert not play.findings
    assert play.outcome is not None
    assert play.outcome.winner is Player.WHITE
    assert play.outcome.promised
    with pytest.raises(UsageError, match="no legal state"):
        match("take-away-3", (5,)).push("take(6)", force=True)


def test_there_is_nothing_to_claim() -> None:
    play = match("take-away-3", (13,))
    assert not play.can_claim()
    with pytest.raises(UsageError, match="no goal to claim"):
        play.push("take(1)", claim=True)
    with pytest.raises(MalformedMoveError):
        play.why_not(LayoutMove.on_grid("take", 1, 1))


def test_rounds_are_taken_back_and_transcripts_replayed() -> None:
    play = match("two-heap-nim", (5, 3))
    play.push("left(1)")
    play.push("left(2)")
    text = str(transcript_of(play))
    assert play.undo()
    assert play.frame.state == "v1 = 2, v2 = 2"
    assert play.redo()
    other = match("two-heap-nim", (5, 3))
    play_transcript(other, Transcript.parse(text))
    assert [f.move for f in other.frames] == [f.move for f in play.frames]
    assert other.outcome == play.outcome


def test_hints_come_from_the_formula() -> None:
    play = match("take-away-3", (6,), first=Player.WHITE)
    hint = play.hint()
    assert hint is not None
    assert hint.text == "take(2): leaves v = 4, which is losing for Black"
    play.push(hint.move)
    assert play.frame.remarks[0].startswith("no rule")
    lost = match("take-away-3", (4,)).hint()
    assert lost is not None
    assert lost.text == "take(1): no move wins against the strategy"


# -- wrong rules ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "start", "moves", "kind"),
    [
        (WRONG, (6,), [], FindingKind.REPLY_FAILS),
        ("v % 4 = 1 -> take(1)\n", (2,), [], FindingKind.FORMULA_DIFFERS),
        ("v >= 1 -> take(1)\n", (4,), [], FindingKind.FORMULA_DIFFERS),
        ("v % 4 = 1 -> take(v + 1)\n", (5,), [], FindingKind.ILLEGAL_REPLY),
        ("v % 4 = 1 -> take(4)\n", (5,), [], FindingKind.ILLEGAL_REPLY),
        (WRONG, (2,), ["take(1)"], FindingKind.END_DIFFERS),
    ],
)
def test_wrong_rules_are_found(
    rules: str, start: State, moves: list[str], kind: FindingKind
) -> None:
    play = match("take-away-3", start, rules, first=Player.BLACK)
    for move in moves:
        play.push(move)
    assert kind in kinds(play)
    assert exit_code(play) is Exit.REFUTED
    found = next(f for f in play.findings if f.kind is kind)
    assert found.moves == tuple(str(f.move) for f in play.frames[1 : found.ply + 1])


def test_an_illegal_reply_ends_the_play() -> None:
    play = match("take-away-3", (5,), "v % 4 = 1 -> take(4)\n")
    assert play.outcome is not None
    assert play.outcome.text == "White wins: take(4) is illegal"
    assert play.outcome.promised is False
    assert play.findings[0].rule == "v % 4 = 1 -> take(4)"
    assert "(<= ?k 3) is false for k = 4" in play.findings[0].detail


# -- what interfaces use --------------------------------------------------------------------


def test_a_play_as_data_and_as_pictures() -> None:
    play = match("two-heap-nim", (5, 3))
    play.push("left(1)")
    data = match_json(play)
    frames = data["frames"]
    assert isinstance(frames, list)
    assert frames[1]["state"] == "v1 = 3, v2 = 3"
    assert frames[1]["remarks"] == [
        "rule 2: v1 > v2 -> left(v1 - v2); leaves v1 = 3, v2 = 3, losing for White"
    ]
    assert frames[1]["board"] == "BBB../BBB.."
    values = {value["name"]: value["value"] for value in frames[0]["values"]}
    assert values == {
        "winning": True,
        "rule 1: right(v2 - v1)": False,
        "rule 2: left(v1 - v2)": True,
    }
    drawn = export_svg(play)
    assert ">v1<" in drawn
    assert "rule 2: v1 &gt; v2" in drawn
    assert "# v1 ●●●··\n# v2 ●●●··" in export_text(play)


def test_heaps_are_picked_by_their_tokens() -> None:
    play = match("take-away-3", (12,))
    picks = Picks.of(play.legal_moves(), play.touched)
    assert picks.pick((11, 1)) == Choose((HeapMove("take", (2,)),))
    assert picks.pick((3, 1)) == NoMove((3, 1), (3, 1))
    assert [str(move) for move in play.moves_at((8, 1))] == ["take(5)"]
    both = match("odd-wythoff", (4, 4))
    picks = Picks.of(both.legal_moves(), both.touched)
    assert picks.pick((2, 1)) == Select((2, 1))
    assert picks.pick((2, 1), (2, 1)) == Choose((HeapMove("left", (3,)),))
    assert picks.pick((2, 2), (2, 1)) == Choose((HeapMove("both", (3,)),))
    transfer = PlayMatch(open_heaps(problem(TRANSFER, "a >= 1 -> move(a)\n"), (3, 4), Player.WHITE))
    picks = Picks.of(transfer.legal_moves(), transfer.touched)
    # The bottom token of the heap moves in one move only, so that a pick of it is that move.
    assert picks.pick((1, 1)) == Choose((HeapMove("move", (3,)),))
    assert picks.pick((7, 2), (1, 1)) == Choose((HeapMove("move", (3,)),))


def test_moves_of_one_area_are_a_choice() -> None:
    transfer = PlayMatch(open_heaps(problem(TRANSFER, "a >= 1 -> move(a)\n"), (3, 7), Player.WHITE))
    picks = Picks.of(transfer.legal_moves(), transfer.touched)
    assert picks.pick((1, 1), (1, 1)) == Choose((HeapMove("stop", ()),))
    two = Picks({HeapMove("a", (1,)): frozenset({(1, 1)}), HeapMove("b", ()): frozenset({(1, 1)})})
    assert two.pick((1, 1)) == Choose((HeapMove("a", (1,)), HeapMove("b", ())))


def test_large_heaps_are_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap_game, "reach", partial(reach, max_moves=1000))
    play = match("take-away-3", (100_001,))
    assert not play.facts.has_board
    assert not play.facts.moves_by_line
    assert play.frame.board is None
    assert play.frame.state == "v = 100,000".replace(",", "")
    play.push("take(2)")
    assert play.frame.remarks[0].startswith("rule 2")
    assert not play.findings


def test_clicking_tokens_on_the_screen() -> None:
    async def scenario(driver: Driver) -> None:
        board = driver.app.query_one(BoardView)
        assert board.grid.gutter == 2
        await driver.click((10, 1))
        assert driver.moves == ["take(1)", "take(3)", "take(1)"]
        shown = status(driver.app.view)
        assert shown.detail == (
            "Black: rule 1: v % 4 = 1 -> take(1); leaves v = 8, losing for White"
        )
        await driver.click((2, 1))
        assert status(driver.app.view).headline == (
            "take(7) is illegal: k is 7, and it has to be at most 3"
        )
        await driver.enter("take(1)")
        await driver.enter("3")
        assert status(driver.app.view).headline == (
            "Black wins: White cannot move, as the strategy promised"
        )
        assert status(driver.app.view).detail.startswith("No findings.")

    drive(match("take-away-3", (13,)), scenario)


def test_numbers_on_the_screen() -> None:
    async def scenario(driver: Driver) -> None:
        title = driver.app.query_one("#block-title", Label)
        assert str(title.content) == "v = 1000"
        await driver.press("w")
        assert "Type ? and a move" in status(driver.app.view).detail
        await driver.enter("take(2)")
        assert str(title.content) == "v = 996"
        assert driver.moves == ["take(1)", "take(2)", "take(2)"]

    drive(match("take-away-3", (1001,)), scenario)


def test_findings_on_the_screen_have_their_replay() -> None:
    play = problem("take-away-3", WRONG)
    app = PlayApp(
        PlayMatch(open_heaps(play, (6,), play.begins((6,)))), replay=play.replay((6,), Player.BLACK)
    )
    assert app.view.situation.findings[0].kind is FindingKind.REPLY_FAILS
    assert play.replay((6,), Player.BLACK)(["take(1)"]) == (
        "qsage-play take-away-3 --state v=6 --begins black --moves 'take(1)'"
    )
