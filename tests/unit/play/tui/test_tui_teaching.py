"""The teacher on the board: lessons beside the play, ghosts, other replies, calling off."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from textual.notifications import Notify

from qsage_validate.arena.frame import Frame
from qsage_validate.arena.lesson import Lesson
from qsage_validate.extensions.teaching.drill import StrategyTeacher
from qsage_validate.games.protocol import Square
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.dialogs import MenuScreen
from qsage_validate.play.tui.model.view import SquareMark, glyph_row, status
from qsage_validate.system.limits import Deadline
from tests.support.pilot import Driver, drive, drive_app
from tests.support.plays import BREAKTHROUGH, EL, match_for
from tests.support.toy_match import toy_match
from tests.unit.arena.test_teacher_distance import teacher_for

pytestmark = pytest.mark.slow


def taught(words: tuple[str, ...] = EL, teacher: StrategyTeacher | None = None) -> PlayMatch:
    """A play with a teacher."""
    chosen = teacher_for(words) if teacher is None else teacher
    return PlayMatch(match_for(words)._engine, teacher=lambda: chosen)


class Quiet(Driver):
    """Waits for the teacher, too."""

    async def settle(self) -> None:
        while True:
            await super().settle()
            if not self.app.teaching:
                return
            await self.pilot.pause(0.01)


def detail(driver: Driver) -> str:
    return status(driver.app.view).detail


def headline(driver: Driver) -> str:
    return status(driver.app.view).headline


def run(match: PlayMatch, scenario, size: tuple[int, int] = (100, 30)) -> PlayApp:  # type: ignore[no-untyped-def]
    return drive_app(PlayApp(match, seed=7, pace=0.001), scenario, Quiet, size)


def test_a_lesson_is_on_the_board_after_each_reply() -> None:
    async def scenario(driver: Quiet) -> None:
        assert headline(driver).endswith("ply 2 of 5. Black wins within 4 plies")
        assert "wins within 4" in driver.screen
        assert "threatens to win in two moves" in detail(driver)
        letters = driver.app.query_one(BoardView).picture.letters
        assert set(letters.values()) <= set("abcdefgh")
        assert letters
        await driver.enter("occupy(1,1)")
        assert headline(driver).endswith("Black wins within 2 plies")
        assert "and White cannot stop it" in detail(driver)
        letters = driver.app.query_one(BoardView).picture.letters
        assert set(letters.values()) == {"A", "B", "C"}
        assert sum("Black wins within" in text for text in driver.said) == 2
        # Looking back shows what was known then, at once.
        await driver.press("left_square_bracket", "left_square_bracket")
        assert "Black wins within 4 plies" in headline(driver)
        assert sum("Black wins within" in text for text in driver.said) == 2

    run(taught(), scenario)


def test_moves_are_graded_and_the_hint_names_the_longest() -> None:
    async def scenario(driver: Quiet) -> None:
        await driver.press("h")
        assert "none lasts longer than another" in driver.screen
        await driver.press("m", "enter")
        assert driver.app.view.lesson is not None
        grades = driver.app.view.lesson.grades
        assert len(grades.best) < len(grades.distances), "some moves are shorter"
        await driver.press("h")
        assert f"Hint: {grades.text}" in driver.said
        marks = driver.app.query_one(BoardView).picture.marks
        hinted = {square for square, own in marks.items() if SquareMark.HINT in own}
        areas = driver.app.view.situation.picks.areas
        assert hinted == {s for m, area in areas.items() if str(m) in grades.best for s in area}
        worse = next(m for m in grades.distances if m not in grades.best)
        await driver.enter(worse)
        assert f"{grades.short(worse)} shorter" in driver.screen

    run(taught(BREAKTHROUGH), scenario)


def test_a_ghost_shows_the_reply_at_the_cursor() -> None:
    async def scenario(driver: Quiet) -> None:
        board = driver.app.query_one(BoardView)
        await driver.press("pageup", "home")
        ghost = board.picture.ghosts[1, 1]
        ((square, content),) = ghost.squares.items()
        assert f"a1, then Black {'abc'[square[0] - 1]}{square[1]}" in driver.screen
        assert content is Square.BLACK
        assert driver.screen.count("◍") == 1
        await driver.press("d")
        assert "◍" not in driver.screen
        assert (board.picture.ghosts, board.picture.letters) == ({}, {})
        assert "wins within" not in driver.screen
        assert driver.seen(Notify)[-1].notification.message == (
            "Distances, threats and replies are hidden."
        )
        await driver.press("d", "enter")
        # The reply is the one that was shown.
        assert driver.at(square) is Square.BLACK

    run(taught(), scenario)


def test_a_ghost_hides_no_letter() -> None:
    """The preview of the reply stood where the letter of the threat that it carries out was."""

    async def scenario(driver: Quiet) -> None:
        board = driver.app.query_one(BoardView)
        picture = board.picture
        at, ghost = next(
            (at, ghost)
            for at, ghost in picture.ghosts.items()
            if any(square in picture.letters for square in ghost.squares)
        )
        ((square, _),) = ghost.squares.items()
        board.move_cursor(at)
        await driver.settle()
        assert f"{picture.letters[square]}◍" in driver.screen
        await driver.press("z")
        letter = glyph_row(picture.letters[square], 1)
        assert board.grid.large
        assert f"{letter}◍" in driver.screen or f"{letter} ◍" in driver.screen

    run(taught(), scenario)


@pytest.mark.parametrize("size", [(80, 24), (60, 24)])
def test_remarks_and_reasons_are_whole_on_a_small_screen(size: tuple[int, int]) -> None:
    """The column of remarks was cut in a pane of 34 columns, and the reason at the screen's end."""

    async def scenario(driver: Quiet) -> None:
        assert "wins within 4" in driver.screen
        said = " ".join(line.strip() for line in driver.screen.splitlines())
        assert " ".join(detail(driver).split()) in said
        assert "…" not in driver.screen

    run(taught(), scenario, size)


def test_the_cursor_repaints_the_ghosts_that_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(driver: Quiet) -> None:
        board = driver.app.query_one(BoardView)
        await driver.press("pageup", "home")
        painted = []
        monkeypatch.setattr(BoardView, "refresh", lambda self, *r, **k: painted.extend(r))
        board.move_cursor((2, 1))
        for at in ((1, 1), (2, 1)):
            for square in (at, *board.picture.ghosts[at].squares):
                column, line = board.grid.corner(square)
                inside = (board.grid.gutter + column, 1 + line)
                assert any(region.contains(*inside) for region in painted), square

    run(taught(), scenario)


def test_another_reply_is_tried() -> None:
    async def scenario(driver: Quiet) -> None:
        await driver.press("b")
        screen = driver.app.screen
        assert isinstance(screen, MenuScreen)
        assert "Another move for Black" in driver.screen
        await driver.press("enter")
        text = driver.seen(Notify)[-1].notification.message
        assert text.startswith("a1 loses the win: White wins; b2, which was")
        assert text in driver.said
        assert driver.app.view.busy is None
        assert driver.moves == ["occupy(2,2)"]

    run(taught(), scenario)


def test_without_a_teacher_nothing_is_taught() -> None:
    async def scenario(driver: Driver) -> None:
        assert "d Teach" not in driver.screen
        await driver.press("d")
        assert "There is nothing to learn here: no board, or no rules." in driver.said
        await driver.press("b")
        assert "No other reply can be tried: the rules tell of none." in driver.said

    drive(toy_match(), scenario, size=(120, 40))


class Slow(StrategyTeacher):
    """A teacher that waits for a gate, or for being called off."""

    def __init__(self, teacher: StrategyTeacher) -> None:
        super().__init__(teacher.player, teacher.tree, teacher.game)
        self.gate = threading.Event()
        self.asked: list[int] = []

    def lesson(self, frames: Sequence[Frame], deadline: Deadline | None = None) -> Lesson:
        self.asked.append(frames[-1].ply)
        assert deadline is not None
        while not self.gate.wait(0.01) and not deadline.over:
            pass
        return super().lesson(frames, deadline)


def test_moves_are_played_while_something_is_learnt() -> None:
    teacher = Slow(teacher_for(EL))

    async def scenario(driver: Driver) -> None:
        assert driver.app.teaching
        await driver.enter("occupy(1,1)")
        assert len(driver.moves) == 3
        # The lesson that is no longer wanted was called off: the next one is about what is shown.
        await driver.until(lambda: teacher.asked == [1, 3])
        teacher.gate.set()
        await driver.until(lambda: not driver.app.teaching)
        assert "Black wins within 2 plies" in headline(driver)
        # What was called off is learnt at last.
        assert teacher.asked == [1, 3, 1]
        assert "wins within 4" in driver.screen

    drive_app(PlayApp(taught(teacher=teacher)), scenario, Driver, (100, 30))


def test_a_lesson_that_is_cancelled_stays_unknown() -> None:
    # One that knows nothing yet.
    teacher = Slow(teacher_for.__wrapped__(EL))

    async def scenario(driver: Driver) -> None:
        await driver.press("k")
        await driver.until(lambda: not driver.app.teaching)
        await driver.settle()
        assert teacher.asked == [1]
        assert driver.app.view.lesson is not None
        assert driver.app.view.lesson.distance is None
        assert "Cancelled: what is not known yet stays unknown." in driver.said
        assert headline(driver).endswith("ply 2 of 5")
        await driver.press("k")
        assert "Nothing to cancel." in driver.said

    drive_app(PlayApp(taught(teacher=teacher)), scenario, Driver, (100, 30))


def test_leaving_calls_off_what_is_learnt() -> None:
    teacher = Slow(teacher_for(EL))

    async def scenario(driver: Driver) -> None:
        await driver.pilot.press("q")

    app = drive_app(PlayApp(taught(teacher=teacher)), scenario, Driver)
    assert app.bug is None


def test_a_bug_of_the_teacher_ends_the_app_and_is_kept() -> None:
    class Broken(Slow):
        def lesson(self, frames: Sequence[Frame], deadline: Deadline | None = None) -> Lesson:
            raise RuntimeError("a bug")

    async def scenario(driver: Driver) -> None:
        await driver.until(lambda: driver.app.bug is not None)

    app = drive_app(PlayApp(taught(teacher=Broken(teacher_for(EL)))), scenario, Driver)
    assert isinstance(app.bug, RuntimeError)
