"""The tree of what was tried: branches, transcripts with variations, and SGF for Hex."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from qsage_validate.arena.frame import Frame, MatchMove, WhyNot
from qsage_validate.errors import InputError, UsageError
from qsage_validate.games.protocol import BoardPicture, Player, Square
from qsage_validate.play.console import PlainPlay
from qsage_validate.play.export import ExportFormat, export, formats_of, write_play
from qsage_validate.play.match import PlayMatch, Round
from qsage_validate.play.transcript import (
    Transcript,
    TranscriptPly,
    Variation,
    play_transcript,
    rows_of,
    transcript_of,
)
from qsage_validate.strategies.reader import LayoutMove
from tests.support.plays import EL, match_for
from tests.support.sgf import moves_of, read_sgf
from tests.support.table_matches import HEX, table_match
from tests.support.toy_match import ToyEngine, toy_match


def hex_match(top: Player = Player.BLACK) -> PlayMatch:
    """A play of Hex on 3x3; ``top`` owns the sides at top and bottom."""
    match = table_match(HEX, "en")
    engine = match._engine
    engine.facts = replace(engine.facts, top_owner=top)
    return match


def wander(match: PlayMatch, seed: int, steps: int = 12) -> None:
    """Play and go back and forth at random."""
    generator = random.Random(seed)
    for _ in range(steps):
        if generator.random() < 0.4:
            numbers = [row.number for row in rows_of(match.history)]
            match.go(generator.choice(numbers))
        move = match.random_move(generator)
        if move is not None:
            match.push(move)


def plays(round_: Round, before: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """All plays of a history up to an end, as text."""
    own = (*before, *(str(f.move) for f in round_.frames if f.move is not None))
    if not round_.children:
        return {own}
    return {play for child in round_.children for play in plays(child, own)}


# -- going back and forth ------------------------------------------------------------------------


def test_a_move_from_the_past_branches_and_nothing_is_lost() -> None:
    match = toy_match()
    match.push("occupy(3,3)")
    match.push("occupy(4,3)")
    match.go(0)
    match.push("occupy(4,4)")
    assert [str(f.move) for f in match.frames[1:]] == ["occupy(1,1)", "occupy(4,4)", "occupy(2,1)"]
    assert match.history.branches == 2
    shown = [(r.level, r.frame.ply, str(r.frame.move), r.index) for r in rows_of(match.history)]
    assert shown == [
        (0, 0, "None", 0),
        (0, 1, "occupy(1,1)", 1),
        (0, 2, "occupy(4,4)", 2),
        (0, 3, "occupy(2,1)", 3),
        (1, 2, "occupy(3,3)", None),
        (1, 3, "occupy(2,1)", None),
        (1, 4, "occupy(4,3)", None),
        (1, 5, "occupy(3,1)", None),
    ]
    assert match.undo()
    assert match.can_redo
    assert [str(f.move) for f in match.ahead] == ["occupy(4,4)", "occupy(2,1)"]
    match.go(2)
    assert [f.ply for f in match.frames] == [0, 1, 2, 3, 4, 5]
    assert match.history.branches == 1
    with pytest.raises(UsageError, match="found the round 7"):
        match.go(7)


def test_alternatives_of_branches_follow_the_ply_that_they_replace() -> None:
    match = toy_match()
    for squares in (("3,3", "4,3"), ("3,3", "4,4"), ("4,4",)):
        match.restart()
        for square in squares:
            match.push(f"occupy({square})")
    shown = [(r.level, r.frame.ply, str(r.frame.move)) for r in rows_of(match.history)][4:]
    assert shown == [
        (1, 2, "occupy(3,3)"),
        (1, 3, "occupy(2,1)"),
        (1, 4, "occupy(4,4)"),
        (1, 5, "occupy(3,1)"),
        (2, 4, "occupy(4,3)"),
        (2, 5, "occupy(3,1)"),
    ]


class Asked(ToyEngine):
    """Counts the moves that it is told of."""

    told = 0

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        self.told += 1
        return super().push(frame, move, why, claim=claim)


def test_a_move_that_was_tried_is_not_asked_for_again() -> None:
    engine = Asked(claims=True)
    match = PlayMatch(engine)
    frames = match.push("occupy(3,3)")
    match.undo()
    assert match.push("occupy(3,3)") == frames
    assert engine.told == 1
    match.undo()
    # With a claim it is another move.
    assert match.push("occupy(3,3)", claim=True)[0].stopped
    assert engine.told == 2
    assert match.history.branches == 1


def test_a_round_without_an_answer_leaves_the_tree() -> None:
    class Broken(ToyEngine):
        def reply(self, frame: Frame) -> Frame | None:
            if frame.ply == 2 and frame.move == LayoutMove("occupy(3,3)"):
                raise UsageError("no answer")
            return super().reply(frame)

    match = PlayMatch(Broken())
    match.push("occupy(4,4)")
    match.undo()
    with pytest.raises(UsageError, match="no answer"):
        match.push("occupy(3,3)")
    assert match.history.here is match.history.root
    assert [str(f.move) for f in match.ahead] == ["occupy(4,4)", "occupy(2,1)"]


def test_the_prompt_shows_the_tree_and_goes_anywhere_in_it() -> None:
    console = Console(file=StringIO(), width=100)
    play = PlainPlay(toy_match(), console)
    for line in ("occupy(3,3)", "undo", "occupy(4,4)", "history", "goto 1", "goto 9", "goto x"):
        play.do(line)
    assert isinstance(console.file, StringIO)
    said = console.file.getvalue()
    tree = """   0  0. start
      1. Black occupy(1,1)
  2*  2. White occupy(4,4)
      3. Black occupy(2,1)
   1    2. White occupy(3,3)
        3. Black occupy(2,1)
"""
    assert tree in said
    assert play.match.history.here.number == 1
    assert "found the round 9, expected one of the history" in said
    assert "found 'x', expected the number of a round: see history" in said


# -- transcripts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_tree_is_saved_and_loads_again(seed: int, form: str) -> None:
    match = match_for(EL)
    wander(match, seed)
    saved = transcript_of(match)
    text = str(saved) if form == "text" else json.dumps(saved.to_dict())
    again = match_for(EL)
    again.push(again.legal_moves()[-1])
    play_transcript(again, Transcript.parse(text))
    assert transcript_of(again) == saved
    assert [f.board for f in again.frames] == [f.board for f in match.frames]
    assert [f.move for f in again.ahead] == [f.move for f in match.ahead]
    assert plays(again.history.root) == plays(match.history.root)
    assert len(plays(match.history.root)) > 1, "something branched"


def test_redo_after_loading_plays_what_it_played_before() -> None:
    match = toy_match()
    for square in ("3,3", "4,3", "4,4"):
        match.push(f"occupy({square})")
        match.undo()
    match.go(2)
    match.undo()
    again = toy_match()
    play_transcript(again, Transcript.parse(str(transcript_of(match))))
    assert [str(f.move) for f in again.ahead] == ["occupy(4,3)", "occupy(2,1)"]


@pytest.mark.parametrize("form", [ExportFormat.TEXT, ExportFormat.JSON])
def test_exports_have_the_variations_and_read_back(form: ExportFormat) -> None:
    match = match_for(EL)
    wander(match, 3)
    again = match_for(EL)
    play_transcript(again, Transcript.parse(export(match, form)))
    assert plays(again.history.root) == plays(match.history.root)


def test_transcripts_from_before_there_were_variations_load() -> None:
    text = """qsage transcript 1
title: a play
person: white

1 black occupy(1,1)
2 white occupy(3,3)
3 black occupy(2,1)
"""
    match = toy_match()
    play_transcript(match, Transcript.parse(text))
    assert len(match.frames) == 4
    data = {
        "transcript": 1,
        "title": "a play",
        "person": "white",
        "plies": [
            {"ply": 1, "player": "black", "move": "occupy(1,1)", "illegal": False},
            {"ply": 2, "player": "white", "move": "occupy(3,3)"},
        ],
        "result": None,
    }
    play_transcript(match, Transcript.parse(json.dumps(data)))
    assert match.history.branches == 0
    assert transcript_of(match).variations == ()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("(\n2 white occupy(9,9)\n)", r"t:7: found 'occupy\(9,9\)'"),
        ("(\n2 white occupy(4,4)\n3 black occupy(4,1)\n)", r"t:8: found Black occupy\(4,1\)"),
        ("(\n3 black occupy(4,1)\n)", "t:7: found a variation from ply 3 on"),
        ("(\n2 white occupy(4,4)", r"t:6:1: found '\(', expected '\)'"),
        ("(\n)", r"t:7:1: found '\)'"),
        (")", r"t:6:1: found '\)'"),
        ("(\n2 white occupy(4,4)\n)\n4 white occupy(4,4)", "t:9:1: .* behind its variations"),
    ],
)
def test_wrong_variations_are_told_and_change_nothing(lines: str, message: str) -> None:
    text = f"qsage transcript 1\ntitle: x\nperson: white\n1 black occupy(1,1)\n\n{lines}\n"
    match = toy_match()
    match.push("occupy(3,3)")
    match.undo()
    before = transcript_of(match)
    with pytest.raises(InputError, match=message):
        play_transcript(match, Transcript.parse(text, "t"))
    assert transcript_of(match) == before


@pytest.mark.parametrize("depth", [300, 100_000])
def test_variations_that_nest_too_deep_are_refused(depth: int) -> None:
    head = "qsage transcript 1\ntitle: x\nperson: white\n"
    with pytest.raises(InputError, match="found '\\('"):
        Transcript.parse(head + "(\n2 white x\n" * depth + ")\n" * depth)
    ply = '{"plies": [{"ply": 2, "player": "white", "move": "x"}], "variations": ['
    data = '{"title": "x", "person": "white", "plies": [], "variations": ['
    with pytest.raises(InputError):
        Transcript.parse(data + ply * depth + "]}" * depth + "]}")


PLIES = st.lists(
    st.builds(TranscriptPly, st.integers(1, 99), st.sampled_from(Player), st.just("a(1,1)")),
    min_size=1,
    max_size=3,
).map(tuple)
VARIATIONS = st.recursive(
    st.builds(Variation, PLIES),
    lambda inner: st.builds(Variation, PLIES, st.lists(inner, max_size=3).map(tuple)),
    max_leaves=8,
)


@given(PLIES, st.lists(VARIATIONS, max_size=3).map(tuple))
def test_variations_read_back(
    plies: tuple[TranscriptPly, ...], variations: tuple[Variation, ...]
) -> None:
    transcript = Transcript("x", Player.WHITE, plies, "Black wins: so", variations)
    assert Transcript.parse(str(transcript)) == transcript
    assert Transcript.parse(json.dumps(transcript.to_dict())) == transcript


# -- SGF -----------------------------------------------------------------------------------------


def cells(board: BoardPicture, content: Square) -> list[str]:
    return [
        f"{'abcdefgh'[x - 1]}{y}"
        for y in range(1, board.height + 1)
        for x in range(1, board.width + 1)
        if board[x, y] is content
    ]


@pytest.mark.parametrize("seed", range(4))
def test_an_sgf_of_hex_has_every_play(seed: int, tmp_path: Path) -> None:
    match = hex_match()
    wander(match, seed)
    write_play(match, str(tmp_path / "play.sgf"))
    root = read_sgf((tmp_path / "play.sgf").read_text(encoding="utf-8"))
    start = match.frames[0].board
    assert start is not None
    assert root.properties["FF"] == ["4"]
    assert root.properties["GM"] == ["11"]
    assert root.properties["SZ"] == [str(start.width)]
    assert root.properties.get("AB", []) == cells(start, Square.BLACK)
    assert root.properties.get("AW", []) == cells(start, Square.WHITE)
    signs = "BW" if match.frames[1].player is Player.BLACK else "WB"
    expected = {
        tuple(f"{signs[ply % 2]} {move}" for ply, move in enumerate(play))
        for play in plays(match.history.root)
    }
    assert match.facts.top_owner is Player.BLACK, "else it would be mirrored"
    assert moves_of(root) == expected
    # The main line is the line on the board.
    line = [f for f in match.frames + match.ahead if f.move is not None]
    node, found = root, []
    while node.children:
        node = node.children[0]
        found.append(node.properties.get("B", node.properties.get("W", [""]))[0])
    assert found == [str(frame.move) for frame in line]


def test_an_sgf_is_mirrored_where_black_connects_sideways() -> None:
    plain, sideways = hex_match(), hex_match(Player.WHITE)
    for match in (plain, sideways):
        match.push("a3")
    found, mirrored = (read_sgf(export(m, ExportFormat.SGF)) for m in (plain, sideways))

    def mirror(move: str) -> str:
        return f"{move[:2]}{'abc'[int(move[3]) - 1]}{'abc'.index(move[2]) + 1}"

    (play,), (other,) = moves_of(found), moves_of(mirrored)
    assert "W a3" in play
    assert other == tuple(map(mirror, play))
    assert "mirrored" in mirrored.properties["C"][0]
    assert "mirrored" not in found.properties["C"][0]


def test_an_sgf_is_for_hex_alone() -> None:
    match = toy_match()
    assert ExportFormat.SGF not in formats_of(match.facts, match.frames[0].board)
    with pytest.raises(UsageError, match="expected one of Hex for an SGF"):
        export(match, ExportFormat.SGF)
    other = hex_match()
    assert ExportFormat.SGF in formats_of(other.facts, other.frames[0].board)
