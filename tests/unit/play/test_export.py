from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from qsage_validate.arena.frame import LayoutMove
from qsage_validate.errors import UsageError
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Shape
from qsage_validate.play.export import (
    ExportFormat,
    export,
    export_json,
    export_svg,
    export_text,
    play_svg,
    write_play,
)
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.transcript import Transcript, play_transcript, transcript_of
from qsage_validate.render.svg import diagram, steps_by_rules, steps_of_frames
from tests.support.plays import DOMINEERING, EL, match_for, model_of
from tests.support.toy_match import bare_match, toy_match

SVG = "{http://www.w3.org/2000/svg}"


def played(match: PlayMatch) -> PlayMatch:
    while not match.over:
        match.push(match.legal_moves()[0])
    return match


@pytest.fixture(scope="module")
def el() -> PlayMatch:
    return played(match_for(EL))


@pytest.mark.parametrize("form", [ExportFormat.TEXT, ExportFormat.JSON])
@pytest.mark.parametrize("words", [EL, DOMINEERING])
def test_text_and_json_replay_to_the_same_play(words: tuple[str, ...], form: ExportFormat) -> None:
    match = played(match_for(words))
    transcript = Transcript.parse(export(match, form))
    assert transcript == transcript_of(match)
    again = match_for(words)
    play_transcript(again, transcript)
    assert [f.board for f in again.frames] == [f.board for f in match.frames]


def test_an_unfinished_play_and_one_with_an_illegal_move_read_back() -> None:
    match = match_for(EL)
    assert Transcript.parse(export_text(match)) == transcript_of(match)
    taken = next(f.move for f in match.frames if f.move is not None)
    match.push(str(taken), force=True)
    text = export_text(match)
    assert "!illegal" in text
    assert "# Let happen: " in text
    assert Transcript.parse(text) == transcript_of(match)


def test_the_text_shows_every_board(el: PlayMatch) -> None:
    text = export_text(el)
    assert text.count("#   a b c") == len(el.frames)
    assert "# Black wins: reached its goal" in text


def test_json_has_boards_values_and_outcome(el: PlayMatch) -> None:
    data = json.loads(export_json(el))
    assert [f["board"] for f in data["frames"]] == [str(f.board) for f in el.frames]
    assert data["outcome"]["winner"] == "black"
    assert data["rules"] is True


def test_svg_has_a_board_for_each_step(el: PlayMatch) -> None:
    root = ElementTree.fromstring(export_svg(el))
    groups = root.findall(f"{SVG}g")
    assert len(groups) == len(el.frames)
    titles = [group.findtext(f"{SVG}title") for group in groups]
    assert titles[0] == "Start"
    assert titles[1] == f"1. Black {el.frames[1].said}" == "1. Black b2"


def test_columns_make_the_sheet_narrow_and_high(el: PlayMatch) -> None:
    steps = steps_of_frames(el.frames)
    wide = ElementTree.fromstring(play_svg(steps, "t"))
    high = ElementTree.fromstring(play_svg(steps, "t", columns=1))
    assert float(high.get("width", "")) < float(wide.get("width", ""))
    assert float(high.get("height", "")) > float(wide.get("height", ""))


def test_names_are_text_in_drawings(el: PlayMatch) -> None:
    hostile = "</text><script>alert(1)</script>\x00&\ud800"
    root = ElementTree.fromstring(play_svg(steps_of_frames(el.frames), hostile, hostile))
    assert not root.findall(".//{*}script")
    assert "<script>" in (root.findtext(f"{SVG}title") or "")


def test_a_play_of_variables_has_text_but_no_picture() -> None:
    match = bare_match()
    match.push("3=1 4=0 x5=1")
    assert Transcript.parse(export_text(match)) == transcript_of(match)
    with pytest.raises(UsageError, match="without boards"):
        export_svg(match)


def test_the_name_of_the_file_says_the_format(tmp_path: Path) -> None:
    match = toy_match()
    for suffix in (".txt", ".json", ".SVG"):
        path = tmp_path / f"play{suffix}"
        write_play(match, str(path))
        assert path.read_text(encoding="utf-8") == export(match, ExportFormat.of(str(path)))
    with pytest.raises(UsageError, match=r"'play\.png'.*\.txt, \.json, \.svg"):
        write_play(match, "play.png")


def test_a_refused_export_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        write_play(bare_match(), str(tmp_path / "play.svg"))
    assert not list(tmp_path.iterdir())


def test_findings_are_told_and_wrong_squares_marked() -> None:
    match = toy_match(finding_at=1)
    assert "# board differs" in export_text(match)
    assert "board differs" in export_svg(match)


def test_a_diagram_numbers_the_squares_by_ply(el: PlayMatch) -> None:
    found = diagram(steps_of_frames(el.frames))
    assert found is not None
    board, marks = found
    assert board == el.board
    assert marks.labels == {
        frame.move.square: str(frame.ply)
        for frame in el.frames
        if isinstance(frame.move, LayoutMove)
    }
    assert diagram(steps_of_frames(bare_match().frames)) is None


def test_rules_alone_play_until_a_move_is_illegal() -> None:
    game = load_game(model_of(EL))
    steps = steps_by_rules(game, ["occupy(2,2)", "occupy(1,1)", "occupy(2,2)", "occupy(3,3)"])
    assert [s.ply for s in steps] == [0, 1, 2, 3]
    assert steps[2].marks.changed == ((1, 1),)
    assert "open" in steps[3].remarks[0]
    assert steps[3].board == steps[2].board
    assert steps_by_rules(game, ["nonsense"])[1].remarks


def test_the_rules_say_what_shape_a_board_has() -> None:
    match = match_for(EL)
    steps = steps_of_frames(match.frames)
    assert all(s.board is not None and s.board.shape is Shape.RECTANGLE for s in steps)


def test_a_ring_is_where_the_stone_is_when_the_move_names_another_square() -> None:
    game = load_game(model_of(("connect-c", "--size=3x3", "--connect=2", "--depth=3")))
    (_, step) = steps_by_rules(game, ["occupyBottom(2,1)"])
    assert step.marks.changed == ((2, 3),)
    assert step.marks.last == (2, 3)
    taken = steps_by_rules(game, ["occupyBottom(2,1)", "occupyBottom(2,1)"])[-1]
    assert taken.marks.last is None  # The rules refuse it: nothing was made.
