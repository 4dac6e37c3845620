"""The interface, driven by keys and clicks: first its messages, then what it shows."""

from __future__ import annotations

import random
import threading

import pytest
from textual.events import Paste
from textual.geometry import Region
from textual.notifications import Notify
from textual.screen import ModalScreen
from textual.widgets import DataTable, Input, Static

from qsage_validate.arena.frame import BlockMove, Frame, LayoutMove, MatchMove
from qsage_validate.errors import Exit, InputError, UsageError
from qsage_validate.games.protocol import Player, Square
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.app import PlayApp, run
from qsage_validate.play.tui.base import Answered
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.dialogs import (
    ConfirmScreen,
    HelpScreen,
    MenuScreen,
    PathScreen,
)
from qsage_validate.play.tui.model import requests
from qsage_validate.play.tui.model.view import SquareMark, Tone, status
from qsage_validate.play.tui.panes import MessagesPane, MovesPane, ValuesPane, WhyPane
from qsage_validate.play.tui.play_area import BlockForm, MovePrompt, PaneTabs, PlayArea
from tests.support.pilot import Driver, drive
from tests.support.toy_match import DOMINOES, PAWNS, TIC, Toy, ToyEngine, bare_match, toy_match

pytestmark = pytest.mark.slow


def answers(driver: Driver) -> list[requests.Answer | None]:
    return [message.answer for message in driver.seen(Answered)]


def headline(driver: Driver) -> str:
    return status(driver.app.view).headline


# -- moving -------------------------------------------------------------------------------------


def test_a_click_plays_a_stone_and_the_certificate_answers() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((3, 2))
        assert [m.square for m in driver.seen(BoardView.Picked)] == [(3, 2)]
        (answer,) = answers(driver)
        assert isinstance(answer, requests.Played)
        assert answer.move == LayoutMove.on_grid("occupy", 3, 2)
        assert driver.moves == ["occupy(1,1)", "occupy(3,2)", "occupy(2,1)"]
        assert driver.at((3, 2)) is Square.WHITE
        assert driver.at((2, 1)) is Square.BLACK
        assert "White occupy(3,2)" in " ".join(driver.said)

    drive(toy_match(), scenario)


def test_of_a_paste_of_several_lines_the_first_is_taken_and_the_others_are_named() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("colon")
        prompt = driver.app.query_one(MovePrompt)
        prompt.post_message(Paste("\r\n occupy(4,4)\r\noccupy(1,4)\n[b]x\n"))
        await driver.until(lambda: driver.app._notifications)
        assert prompt.value == "occupy(4,4)"
        (told,) = driver.app._notifications
        assert told.message == (
            "One line at a time: 2 of the 3 pasted lines dropped: occupy(1,4), [b]x"
        )
        await driver.press("enter")
        assert driver.moves[1] == "occupy(4,4)"
        await driver.press("colon")
        prompt.post_message(Paste("occupy(1,4)"))
        await driver.until(lambda: prompt.value)
        assert len(driver.app._notifications) == 1

    drive(toy_match(), scenario)


def test_moves_are_made_by_the_cursor_typed_and_completed() -> None:
    async def scenario(driver: Driver) -> None:
        assert "legal moves: pick a square or type :" in driver.screen, "letters alone are keys"
        await driver.enter("occupy(4,4)")
        assert [(m.text, m.asking) for m in driver.seen(MovePrompt.Entered)] == [
            ("occupy(4,4)", False)
        ]
        assert driver.moves[1] == "occupy(4,4)"
        assert isinstance(driver.app.focused, BoardView)
        await driver.press("r")
        await driver.press("right", "down", "space")
        assert driver.moves[1] == "occupy(3,3)"
        await driver.press("home", "pagedown", "enter")
        assert driver.moves[3] == "occupy(1,4)"
        await driver.press("r")
        await driver.press("colon", "o", "c", "c")
        prompt = driver.app.query_one(MovePrompt)
        await driver.until(lambda: prompt._suggestion)
        await driver.press("tab")
        assert prompt.value == "occupy(2,1)"
        await driver.press("enter")
        assert driver.moves[1] == "occupy(2,1)"

    drive(toy_match(), scenario)


def test_text_that_is_no_move_is_explained_and_a_menu_has_all_moves() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.enter("jump(1)")
        failure = driver.seen(Answered)[0].failure
        assert failure is not None
        assert str(failure) in driver.said
        assert driver.app.query_one(MovePrompt).value == "jump(1)"
        assert "'jump(1)' is no move" in headline(driver)
        assert len(driver.moves) == 1
        await driver.press("escape")
        await driver.press("m", "4", "comma", "3")
        assert isinstance(driver.app.screen, MenuScreen)
        await driver.press("enter")
        assert driver.moves[1] == "occupy(4,3)"
        await driver.press("m", "escape")
        assert not isinstance(driver.app.screen, ModalScreen)
        assert len(driver.moves) == 3

    drive(toy_match(), scenario)


def test_a_piece_its_target_and_what_drops_it() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((1, 1))
        await driver.press("escape")
        assert driver.app.view.selected is None
        await driver.click((1, 1))
        await driver.click((1, 1))
        assert driver.app.view.selected is None
        assert answers(driver) == []
        await driver.press("r")
        await driver.click((1, 1))
        assert driver.app.view.selected == (1, 1)
        marks = driver.app.query_one(BoardView).picture.marks
        assert SquareMark.SELECTED in marks[1, 1]
        assert SquareMark.TARGET in marks[1, 2]
        await driver.click((1, 2))
        assert driver.moves[1] == "down(1,1)"
        assert driver.app.view.selected is None
        await driver.press("r")
        await driver.click((1, 1))
        await driver.click((2, 2))
        assert isinstance(driver.app.screen, MenuScreen)
        await driver.press("down", "enter")
        assert driver.moves[1] == "kick(1,1)"

    drive(toy_match(PAWNS), scenario)


def test_dominoes_take_two_clicks_on_either_half() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((3, 3))
        await driver.click((2, 3))
        assert driver.moves[1] == "horizontal(2,3)"

    drive(toy_match(DOMINOES), scenario)


def test_black_is_played_by_the_person_against_a_herbrand_certificate() -> None:
    async def scenario(driver: Driver) -> None:
        assert driver.moves == []
        await driver.click((2, 2))
        await driver.click((2, 3))
        assert driver.moves[0] == "vertical(2,2)"
        assert "you ● Black" in driver.screen

    drive(toy_match(DOMINOES, person=Player.BLACK), scenario)


# -- illegal moves ------------------------------------------------------------------------------


def test_an_illegal_click_is_refused_aloud() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((1, 1))
        (answer,) = answers(driver)
        assert isinstance(answer, requests.Refused)
        assert answer.whys[0].move == LayoutMove.on_grid("occupy", 1, 1)
        assert status(driver.app.view).tone is Tone.REFUSED
        assert "open(?x+0,?y+0) is false at (1,1)" in headline(driver)
        assert SquareMark.ILLEGAL in driver.app.query_one(BoardView).picture.marks[1, 1]
        assert driver.app.query_one(PlayArea).active == "why"
        assert "white 2 precondition 1" in driver.screen
        assert "-30" in driver.screen
        assert len(driver.moves) == 1

    drive(toy_match(), scenario)


def test_all_actions_on_a_square_and_a_target_out_of_reach_are_explained() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((2, 2))
        await driver.press("escape")
        await driver.click((3, 4))
        (answer,) = answers(driver)
        assert isinstance(answer, requests.Refused)
        assert [why.move.action for why in answer.whys if isinstance(why.move, LayoutMove)] == [
            "down",
            "left",
            "right",
            "kick",
        ]
        assert "No move at (3,4)" in headline(driver)
        assert "(and 3 more)" in headline(driver)
        await driver.press("r")
        await driver.click((1, 1))
        await driver.click((3, 4))
        answer = answers(driver)[-1]
        assert isinstance(answer, requests.Refused)
        assert "No move from (1,1) to (3,4)" in headline(driver)
        marks = driver.app.query_one(BoardView).picture.marks
        assert SquareMark.ILLEGAL in marks[1, 1]
        assert SquareMark.ILLEGAL in marks[3, 4]

    drive(toy_match(PAWNS), scenario)


def test_an_illegal_move_can_be_let_happen() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("i")
        assert driver.app.view.force
        assert "illegal moves happen" in driver.screen
        await driver.click((1, 1))
        assert driver.moves[1] == "occupy(1,1)"
        assert driver.app.view.situation.frames[2].illegal is not None
        assert "occupy(1,1) illegal" in driver.screen, "the reason is shown"
        assert "white 2 precondition 1" in driver.screen
        assert "off the rules" in driver.line(0)
        await driver.press("1")
        assert "occupy(1,1)  illegal" in driver.screen, "the ply is marked"
        await driver.press("i")
        assert not driver.app.view.force

    drive(toy_match(), scenario)


def test_letting_happen_asks_which_illegal_move() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((2, 3))
        assert isinstance(driver.app.screen, MenuScreen)
        await driver.press("enter")
        assert driver.moves[1] == "down(2,3)"
        frame = driver.app.view.situation.frames[2]
        assert frame.illegal is not None

    drive(toy_match(PAWNS), scenario, force=True)


def test_why_not_without_trying() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("home", "pageup", "w")
        (answer,) = answers(driver)
        assert isinstance(answer, requests.Explained)
        assert len(answer.whys) == 1
        assert "occupy(1,1) illegal" in driver.screen
        await driver.enter("?occupy(2,2)")
        assert "occupy(2,2) legal" in driver.screen
        assert len(driver.moves) == 1

    drive(toy_match(), scenario)


# -- back and forth -----------------------------------------------------------------------------


def test_undo_redo_and_restart() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((3, 3))
        played = driver.moves
        await driver.press("u")
        assert driver.moves == played[:1]
        assert driver.at((3, 3)) is Square.OPEN
        await driver.press("y")
        assert driver.moves == played
        await driver.press("r")
        assert driver.moves == played[:1]
        await driver.press("r")
        assert "This is the start." in driver.said
        await driver.press("u")
        assert "Nothing to undo." in driver.said

    drive(toy_match(), scenario)


def test_looking_back_shows_the_past_and_esc_the_present() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((3, 3))
        await driver.press("left_square_bracket")
        assert driver.app.view.index == 2
        assert "Looking back at ply 2: White occupy(3,3)" in headline(driver)
        await driver.click((4, 4))
        assert "Black is to move here: [ and ] go to a ply of yours." in driver.said
        await driver.press("left_square_bracket")
        assert driver.app.view.index == 1
        assert driver.at((3, 3)) is Square.OPEN
        assert status(driver.app.view).tone is Tone.PAST
        # The match has gone there: what can be played there is marked, and can be asked for.
        assert SquareMark.LEGAL in driver.app.query_one(BoardView).picture.marks[3, 3]
        await driver.press("right_square_bracket")
        assert driver.at((3, 3)) is Square.WHITE
        await driver.press("escape")
        assert (driver.app.view.index, driver.app.view.past) == (3, False)
        assert len(driver.moves) == 3
        # A row of the table leads back, too.
        await driver.press("1", "up", "up", "enter")
        assert [m.index for m in driver.seen(MovesPane.FrameChosen)] == [1]
        assert driver.app.view.index == 1
        assert driver.app._match.history.here is driver.app._match.history.root

    drive(toy_match(), scenario)


def test_quick_looks_end_where_the_last_one_went(monkeypatch: pytest.MonkeyPatch) -> None:
    went, gate = requests.go, threading.Event()

    def slowly(match: PlayMatch, number: int) -> requests.Answer:
        assert gate.wait(10)
        return went(match, number)

    monkeypatch.setattr(requests, "go", slowly)

    async def scenario(driver: Driver) -> None:
        await driver.click((3, 3))
        await driver.click((4, 4))
        await driver.pilot.press(*["left_square_bracket"] * 4)
        await driver.until(lambda: driver.app.view.index == 1)
        assert driver.app.view.busy == "going there"
        gate.set()
        await driver.settle()
        assert driver.app.view.index == 1
        assert not driver.app.view.past
        await driver.pilot.press(*["right_square_bracket"] * 3)
        await driver.settle()
        assert driver.app.view.index == 4
        assert driver.app.view.past

    drive(toy_match(), scenario)


def test_a_move_from_the_past_branches_and_the_tree_is_shown() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((3, 3))
        await driver.press("left_square_bracket", "left_square_bracket")
        await driver.click((4, 4))
        assert driver.moves[1] == "occupy(4,4)"
        assert driver.app._match.history.branches == 1
        assert "└ 2  ○ White  occupy(3,3)" in driver.screen
        # The row of the branch leads to it; then the other one is the branch.
        await driver.press("1", "down", "enter")
        assert driver.moves[1] == "occupy(3,3)"
        assert "└ 2  ○ White  occupy(4,4)" in driver.screen
        # Esc goes to the end of this line, and undo keeps it in the tree.
        await driver.press("u", "escape")
        assert (driver.moves, driver.app.view.index) == (["occupy(1,1)"], 1)
        assert driver.app._match.history.branches == 1
        await driver.press("y")
        assert driver.moves[1] == "occupy(3,3)"

    drive(toy_match(), scenario)


# -- hints, random players ----------------------------------------------------------------------


def test_a_hint_marks_its_move() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("h")
        board = driver.app.query_one(BoardView)
        assert board.cursor == (4, 4)
        assert SquareMark.HINT in board.picture.marks[4, 4]
        assert "It holds out longest." in status(driver.app.view).detail
        await driver.press("enter")
        assert driver.moves[1] == "occupy(4,4)"

    drive(toy_match(), scenario)


def test_the_cursor_leaves_the_signs_of_a_square_and_repaints_two_squares(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    painted: list[Region] = []
    plain = BoardView.refresh

    def refresh(board: BoardView, *regions: Region, **options: bool) -> BoardView:
        painted.extend(regions or (board.size.region,))
        return plain(board, *regions, **options)

    async def scenario(driver: Driver) -> None:
        board = driver.app.query_one(BoardView)
        await driver.click((1, 1))
        row = 1 + board.grid.corner((1, 1))[1] + (board.grid.scale.height - 1) // 2
        assert board.cursor == (1, 1)
        assert str(board.render_line(row).text).count("×") == 2
        monkeypatch.setattr(BoardView, "refresh", refresh)
        await driver.press("right")
        assert board.cursor == (2, 1)
        for square in ((1, 1), (2, 1)):
            column, line = board.grid.corner(square)
            assert any(p.contains(board.grid.gutter + column, 1 + line) for p in painted), square
        assert sum(region.area for region in painted) < board.size.area / 2

    drive(toy_match(), scenario, size=(120, 40))


def test_a_random_player_makes_one_move() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("x")
        assert len(driver.moves) == 3

    drive(toy_match(), scenario)


def test_a_random_player_plays_to_the_end() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("X")
        await driver.until(lambda: driver.app.view.situation.outcome is not None)
        await driver.settle()
        assert not driver.app.view.running

    drive(toy_match(PAWNS), scenario)


def test_the_random_player_stops_where_rules_and_formula_disagree() -> None:
    class Torn(ToyEngine):
        def random(self, frame: Frame, generator: random.Random) -> MatchMove | None:
            return LayoutMove.on_grid("occupy", 1, 1)

    async def scenario(driver: Driver) -> None:
        await driver.press("X")
        assert not driver.app.view.running
        (answer,) = answers(driver)
        assert isinstance(answer, requests.Refused)

    drive(PlayMatch(Torn()), scenario)


def test_the_random_player_stops_when_told() -> None:
    async def scenario(driver: Driver) -> None:
        driver.app._pace = 30
        await driver.press("X")
        assert driver.app.view.running
        played = len(driver.moves)
        await driver.press("escape")
        assert not driver.app.view.running
        assert len(driver.moves) == played

    drive(toy_match(PAWNS), scenario)


def test_a_goal_can_be_claimed() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("c")
        assert driver.app.view.claiming
        await driver.click((3, 3))
        assert driver.app.view.situation.frame.stopped
        assert driver.app.view.situation.outcome is not None
        assert not driver.app.view.claiming

    drive(toy_match(claims=True), scenario)


def test_no_goal_is_claimed_and_no_reason_shown_where_there_is_none() -> None:
    async def scenario(driver: Driver) -> None:
        text = driver.app.query_one(WhyPane).query_one(Static)
        assert "Nothing illegal was tried" in str(text.render())
        assert "c Claim" not in driver.screen
        await driver.press("c")
        assert not driver.app.view.claiming
        assert any("no game-stop variable" in text for text in driver.said)

    drive(toy_match(), scenario)


# -- findings and the end -----------------------------------------------------------------------


def test_a_finding_is_shown_at_once() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((3, 3))
        assert status(driver.app.view).tone is Tone.FINDING
        assert "board differs after ply 3" in headline(driver)
        assert driver.app.query_one(PlayArea).active == "messages"
        assert "1 finding" in driver.line(0)
        assert SquareMark.FINDING in driver.app.query_one(BoardView).picture.marks[2, 1]
        (text,) = [text for text in driver.said if text.startswith("FINDING")]
        assert "51 (state 3 open) = 1" in text
        assert "replay: qsage-play" in text

    app = drive(toy_match(finding_at=3), scenario)
    assert app.view.situation.findings


@pytest.mark.parametrize(
    ("match", "code"),
    [(toy_match(), Exit.FINE), (toy_match(finding_at=1), Exit.REFUTED)],
)
def test_leaving_tells_whether_something_was_found(match: PlayMatch, code: Exit) -> None:
    async def scenario(driver: Driver) -> None:
        await driver.pilot.press("q")

    assert drive(match, scenario).return_value == code


def test_the_end_tells_who_won_and_what_the_verdict_is() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((2, 2))
        await driver.click((3, 2))
        shown = status(driver.app.view)
        assert shown.tone is Tone.KEPT
        assert shown.headline == "Black wins: reached its goal, as the certificate promised"
        assert shown.detail.startswith("Verdict gate true, no findings.")
        assert "r restart" in shown.detail
        assert any("verdict true (at every square)" in text for text in driver.said)
        await driver.click((4, 4))
        assert "The play is over: undo or restart to go on." in driver.said

    app = drive(toy_match(), scenario)
    assert app.view.situation.outcome is not None


def test_a_broken_promise_is_no_success() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((2, 1))
        await driver.click((4, 4))
        shown = status(driver.app.view)
        assert shown.tone is Tone.BROKEN
        assert "NOT what the certificate promised" in shown.headline
        await driver.pilot.press("q")

    assert drive(toy_match(), scenario).return_value == Exit.REFUTED


# -- transcripts --------------------------------------------------------------------------------


def test_a_transcript_is_saved_and_opened(
    tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))

    async def save(driver: Driver) -> None:
        await driver.click((3, 3))
        await driver.press("s")
        screen = driver.app.screen
        assert isinstance(screen, PathScreen)
        assert screen.query_one(Input).value == "tic-4x4.play"
        await driver.press("enter")
        assert "Saved to tic-4x4.play" in driver.said
        await driver.press("r", "o", "enter")
        assert driver.moves == ["occupy(1,1)", "occupy(3,3)", "occupy(2,1)"]
        assert "Replayed tic-4x4.play" in driver.said

    drive(toy_match(), save)


def test_after_the_end_a_notification_confirms_what_was_saved(
    tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The status line tells how the play ended, and the pane of messages is behind another."""
    monkeypatch.chdir(str(tmp_path))

    async def save(driver: Driver) -> None:
        await driver.press("X")
        await driver.until(lambda: driver.app.view.situation.outcome is not None)
        await driver.press("s", "enter", "s", "enter", "escape")
        told = [message.notification.message for message in driver.seen(Notify)]
        (saved, kept) = told
        assert saved.startswith("Saved to ")
        assert kept.startswith("Not saved: ")

    drive(toy_match(PAWNS), save)


def test_a_file_is_not_replaced_unasked(
    tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("tic-4x4.play", "w") as stream:
        stream.write("precious")

    def content() -> str:
        with open("tic-4x4.play") as stream:
            return stream.read()

    async def scenario(driver: Driver) -> None:
        await driver.press("s", "enter")
        assert isinstance(driver.app.screen, ConfirmScreen)
        await driver.press("enter")
        assert content() == "precious"
        assert "Not saved: tic-4x4.play exists." in driver.said
        await driver.press("s", "enter", "left", "enter")
        assert content().startswith("qsage transcript")

    drive(toy_match(), scenario)


def test_a_file_that_is_no_transcript_is_a_message(
    tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))

    async def scenario(driver: Driver) -> None:
        await driver.press("o", "enter")
        assert any("tic-4x4.play" in text for text in driver.said)
        await driver.press("s", "slash", "x", "enter")
        assert any("tic-4x4.play/x" in text for text in driver.said)
        await driver.click((3, 3))
        for content in ("", "no transcript", "qsage transcript 1\n\0"):
            with open("tic-4x4.play", "w") as stream:
                stream.write(content)
            await driver.press("o", "enter")
            failure = driver.seen(Answered)[-1].failure
            assert isinstance(failure, InputError)
            assert str(failure) in driver.said
            assert status(driver.app.view).tone is Tone.REFUSED
            assert len(driver.moves) == 3

    drive(toy_match(), scenario)


# -- panes --------------------------------------------------------------------------------------


def test_values_point_and_are_filtered_and_tabs_are_chosen() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("3", "down", "down", "down")
        assert driver.seen(ValuesPane.Pointed)[-1].squares == {(1, 1)}
        assert SquareMark.POINTED in driver.app.query_one(BoardView).picture.marks[1, 1]
        pane = driver.app.query_one(ValuesPane)
        await driver.press("3")
        assert len(pane.shown) == 5
        pane.query_one(Input).focus()
        await driver.press("b", "l", "a", "c", "k", "space", "t", "r", "u", "e")
        assert [value.name for value in pane.shown] == ["black 1 x 1"]
        assert pane.query_one(DataTable).row_count == 1
        await driver.press("escape", "4")
        assert driver.app.query_one(PlayArea).active == "messages"
        await driver.pilot.click(PaneTabs, offset=(3, 0))
        await driver.settle()
        assert driver.app.query_one(PlayArea).active == "moves"

    drive(toy_match(), scenario)


def test_the_pane_that_was_chosen_comes_back_after_a_move() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("3", "0")
        await driver.click((1, 1))
        assert driver.app.query_one(PlayArea).active == "why"
        await driver.click((3, 3))
        assert driver.app.query_one(PlayArea).active == "values"

    drive(toy_match(), scenario)


@pytest.mark.parametrize("toy", [TIC, PAWNS, DOMINOES])
def test_nothing_overlaps(toy: Toy) -> None:
    async def scenario(driver: Driver) -> None:
        for size in ((60, 16), (40, 26), (44, 50), (104, 36), (220, 60)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            area = driver.app.query_one(PlayArea)
            regions = [child.region for child in area.children if child.display]
            for index, region in enumerate(regions):
                assert region.width > 0
                assert area.region.contains_region(region)
                assert all(not region.overlaps(other) for other in regions[index + 1 :])
            board = driver.app.query_one(BoardView)
            assert area.stage.region.contains_region(board.region)

    drive(toy_match(toy), scenario)


def test_a_terminal_that_is_too_small_says_so_and_recovers() -> None:
    async def scenario(driver: Driver) -> None:
        assert driver.line(0).strip() == "Too small: 50x12, need 60x16 or 40x26"
        assert driver.screen.strip() == driver.line(0).strip()
        await driver.pilot.resize_terminal(80, 24)
        await driver.settle()
        assert "Your move, White" in driver.screen
        await driver.click((3, 3))
        assert driver.moves[1] == "occupy(3,3)"

    drive(toy_match(), scenario, size=(50, 12))


def test_zoom_scrolls_a_board_that_does_not_fit() -> None:
    async def scenario(driver: Driver) -> None:
        board = driver.app.query_one(BoardView)
        before = board.grid
        await driver.press("plus", "plus")
        assert board.grid.size > before.size
        await driver.press("end", "pagedown")
        assert board.cursor == (4, 4)
        assert board.scroll_y > 0
        await driver.click((4, 4))
        assert driver.moves[1] == "occupy(4,4)"

    drive(toy_match(), scenario)


def test_the_theme_changes_and_help_opens_and_closes() -> None:
    async def scenario(driver: Driver) -> None:
        assert driver.app.theme == "qsage-light"
        await driver.press("t")
        assert driver.app.theme == "qsage-dark"
        await driver.press("question_mark")
        assert isinstance(driver.app.screen, HelpScreen)
        await driver.press("escape")
        assert not isinstance(driver.app.screen, HelpScreen)

    drive(toy_match(), scenario, theme="light")


# -- the worker ---------------------------------------------------------------------------------


def test_what_is_asked_during_work_waits_its_turn() -> None:
    gate = threading.Event()

    async def scenario(driver: Driver) -> None:
        await driver.pilot.press("enter")
        await driver.until(lambda: "Working: playing occupy(2,2)" in driver.screen)
        assert driver.app.view.busy == "playing occupy(2,2)"
        await driver.pilot.press("u")
        await driver.pilot.pause()
        assert driver.app.view.waiting == 1
        await driver.pilot.press("right", "enter")
        await driver.pilot.pause()
        assert "Still working: that was not played." in driver.said
        gate.set()
        await driver.settle()
        assert [type(answer) for answer in answers(driver)] == [
            requests.Played,
            requests.Travelled,
        ]
        assert len(driver.moves) == 1

    drive(toy_match(gate=gate), scenario)


def test_escape_drops_what_waits() -> None:
    gate = threading.Event()

    async def scenario(driver: Driver) -> None:
        await driver.pilot.press("enter")
        await driver.pilot.press("u", "escape")
        await driver.pilot.pause()
        assert driver.app.view.waiting == 0
        gate.set()
        await driver.settle()
        assert len(driver.moves) == 3

    drive(toy_match(gate=gate), scenario)


def test_a_failure_of_the_certificate_is_a_message() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("enter")
        assert "the certificate broke" in driver.said
        assert status(driver.app.view).headline == "the certificate broke"

    drive(toy_match(broken=UsageError), scenario)


def test_a_bug_in_the_worker_ends_the_app_and_is_kept() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.pilot.press("enter")
        await driver.until(lambda: driver.app.bug)

    app = drive(toy_match(broken=ZeroDivisionError), scenario)
    assert isinstance(app.bug, ZeroDivisionError)


@pytest.mark.parametrize("keys", [[], ["question_mark"], ["colon"], ["ctrl+p"]])
def test_control_c_leaves_from_anywhere(keys: list[str]) -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press(*keys)
        await driver.pilot.press("ctrl+c")

    assert drive(toy_match(), scenario).return_value == Exit.INTERRUPTED


def test_without_a_terminal_there_is_no_board(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="needs a terminal"):
        run(toy_match())
    with pytest.raises(UsageError, match="expected dark or light"):
        run(toy_match(), theme="pink")


# -- the bare game ------------------------------------------------------------------------------


def test_bits_are_set_typed_or_hinted_and_the_block_is_played() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("1", "down", "space", "p")
        (submitted,) = driver.seen(BlockForm.Submitted)
        assert submitted.move == BlockMove((3, 4, 5), (True, False, True), ("3", "4", "x5"))
        assert driver.moves[1:] == ["3=1 4=0 x5=1", "6=1 7=0 8=1"]
        names = [value.name for value in driver.app.query_one(ValuesPane).shown]
        assert names == ["3", "4", "x5", "6", "7", "8"]
        assert "Black wins: the matrix is true" in driver.screen
        await driver.press("r")
        await driver.enter("3=0 4=1 x5=0")
        assert driver.moves[1] == "3=0 4=1 x5=0"
        await driver.press("r")
        await driver.press("h")
        assert driver.app.query_one(BlockForm).bits.bits == [True, False, True]
        await driver.press("w")
        assert "Every assignment of a block is legal." in driver.said

    drive(bare_match(), scenario)


def test_the_app_keeps_the_match_out_of_its_widgets() -> None:
    app = PlayApp(toy_match())
    assert app.view.situation.facts.person is Player.WHITE


def test_the_newest_message_is_in_sight_when_the_pane_comes_up() -> None:
    async def scenario(driver: Driver) -> None:
        for _ in range(20):
            await driver.press("u")
        await driver.press("4")
        assert driver.app.query_one(MessagesPane).scroll_y > 0
        await driver.click((3, 3))
        assert "3. Black occupy(2,1)" in driver.screen

    drive(toy_match(), scenario)


def test_answers_arrive_under_a_dialog() -> None:
    gate = threading.Event()

    async def scenario(driver: Driver) -> None:
        await driver.pilot.press("enter", "question_mark")
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, HelpScreen)
        gate.set()
        await driver.settle()
        assert isinstance(driver.app.screen, HelpScreen)
        await driver.pilot.resize_terminal(30, 8)
        await driver.pilot.resize_terminal(80, 24)
        await driver.press("escape")
        assert len(driver.moves) == 3
        await driver.press("right", "enter")
        assert len(driver.moves) == 5

    drive(toy_match(gate=gate), scenario)
