"""A person's play on a board: moves, reasons, history, transcripts, ends."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from qsage_validate.arena.frame import BlockMove, LayoutMove
from qsage_validate.errors import (
    Exit,
    InputError,
    MalformedMoveError,
    UsageError,
)
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Square
from qsage_validate.play.export import match_json
from qsage_validate.play.match import PlayMatch, RefusedMoveError
from qsage_validate.play.report import exit_code, frame_lines
from qsage_validate.play.transcript import Transcript, play_transcript, transcript_of
from qsage_validate.strategies.reader import NamedGroup
from qsage_validate.validation.finding import FindingKind
from tests.support.plays import (
    BREAKTHROUGH,
    CONNECT,
    DOMINEERING,
    DOMINO,
    EL,
    HELD,
    certified,
    match_for,
    model_of,
    with_function,
)
from tests.support.plies import indicators_of
from tests.support.position_text import board_of


def play_out(match: PlayMatch, seed: int = 1) -> None:
    generator = random.Random(seed)
    while not match.over:
        move = match.random_move(generator)
        assert move is not None
        match.push(move)


def texts(match: PlayMatch) -> list[str]:
    return [str(frame.move) for frame in match.frames if frame.move is not None]


# -- the course of a play --------------------------------------------------------------------


def test_the_certificate_begins_when_it_is_its_turn() -> None:
    match = match_for(DOMINO)
    start, first = match.frames
    assert (start.ply, start.player, start.move) == (0, None, None)
    assert str(start.board) == ".../.../..."
    assert (first.ply, first.player, first.by_certificate) == (1, Player.BLACK, True)
    assert isinstance(first.move, LayoutMove)
    assert first.board is not None
    assert first.move.square is not None
    assert first.board[first.move.square] is Square.BLACK
    assert (match.person, match.facts.certificate_player) == (Player.WHITE, Player.BLACK)
    assert match.to_move is Player.WHITE
    assert (match.facts.plies, match.facts.has_board, match.facts.has_rules) == (3, True, True)
    assert match.facts.actions == ("occupy",)


def test_the_person_begins_against_a_second_player() -> None:
    match = match_for(BREAKTHROUGH)
    assert len(match.frames) == 1
    assert match.person is Player.WHITE
    first, second = match.push(match.legal_moves()[0])
    assert (first.player, second.player) == (Player.WHITE, Player.BLACK)


@pytest.mark.parametrize("words", [DOMINO, EL, CONNECT, BREAKTHROUGH, HELD, DOMINEERING], ids=str)
@pytest.mark.parametrize("rules", [True, False])
def test_a_play_ends_as_promised(words: tuple[str, ...], rules: bool) -> None:
    match = match_for(words, rules=rules)
    play_out(match)
    outcome = match.outcome
    assert outcome is not None
    assert outcome.winner is match.facts.certificate_player
    assert outcome.promised is True
    assert outcome.verdict is (match.facts.certificate_player is Player.BLACK)
    assert match.findings == ()
    assert match.to_move is None
    assert match.legal_moves() == ()
    assert exit_code(match) is Exit.FINE
    with pytest.raises(UsageError, match="the play is over"):
        match.push("occupy(1,1)")


def test_decoded_boards_follow_the_moves() -> None:
    match = match_for(EL)
    play_out(match)
    boards = [frame.board for frame in match.frames]
    for before, after, frame in zip(boards, boards[1:], match.frames[1:], strict=False):
        assert before is not None
        assert after is not None
        assert isinstance(frame.move, LayoutMove)
        assert before.differences(after) == [frame.move.square]
        assert frame.position is not None
        assert frame.position.board == after


# -- illegal moves ---------------------------------------------------------------------------


def taken_square(match: PlayMatch) -> LayoutMove:
    move = match.frames[1].move
    assert isinstance(move, LayoutMove)
    return move


def test_an_illegal_move_is_explained_by_formula_and_rules() -> None:
    match = match_for(DOMINO)
    move = taken_square(match)
    why = match.why_not(move)
    assert why is not None
    assert (why.formula_legal, why.rules_legal) == (False, False)
    assert why.illegality is not None
    assert move.square is not None
    x, y = move.square
    assert why.lines[:2] == (
        f"Black already holds {'abc'[x - 1]}{y}",
        f"occupy({x},{y}): open(?x,?y) is false at ({x},{y})",
    )
    evidence, gate = why.evidence
    assert gate.name == "white 2 legal"
    layout = certified(DOMINO).encoding.layout
    assert evidence.literal == indicators_of(layout)[0][1].preconditions[0]
    assert (evidence.value, evidence.group) == (False, NamedGroup.INDICATOR)
    assert str(evidence) == f"white 2 precondition 1 [{evidence.literal}]: false"
    with pytest.raises(RefusedMoveError, match=r"is illegal: .*open\(\?x,\?y\) is false"):
        match.push(move)
    assert len(match.frames) == 2


def test_without_rules_the_indicators_alone_explain() -> None:
    match = match_for(DOMINO, rules=False)
    why = match.why_not(taken_square(match))
    assert why is not None
    assert (why.formula_legal, why.rules_legal, why.illegality) == (False, None, None)
    assert why.lines == tuple(f"formula: {value}" for value in why.evidence)


def test_a_bound_that_is_left_is_named() -> None:
    match = match_for(CONNECT)
    why = match.why_not(off_bottom(match))
    assert why is not None
    assert why.evidence[0].name == "white 2 in bounds"
    assert why.lines[0] == "the move needs row 4, and the rows of the board are 1 to 3"
    assert "leaves the board" in why.lines[1]


def off_bottom(match: PlayMatch) -> LayoutMove:
    """A move onto something below the bottom row."""
    found = [
        LayoutMove.on_grid(action, 1, 3)
        for action in match.facts.actions
        if (why := match.why_not(LayoutMove.on_grid(action, 1, 3))) is not None
        and why.illegality is not None
        and "leaves the board" in why.illegality.text
    ]
    return found[0]


def test_a_legal_move_needs_no_explanation() -> None:
    match = match_for(DOMINO)
    assert all(match.why_not(move) is None for move in match.legal_moves())
    assert len(match.legal_moves()) == 8


def test_an_illegal_move_can_be_let_happen() -> None:
    match = match_for(DOMINO)
    move = taken_square(match)
    own, answer = match.push(move, force=True)
    assert own.illegal is not None
    assert own.position is None
    assert answer.illegal is None
    assert answer.outcome is not None
    # White's illegal move makes the rest of the formula true, whatever follows.
    assert answer.outcome.verdict is True
    assert answer.outcome.promised is True
    assert "after White's illegal move" in answer.outcome.reason
    assert match.findings == ()
    assert "let happen: " in "\n".join(frame_lines(match, own))


def test_an_illegal_move_of_blacks_leaves_no_state() -> None:
    """Against a Herbrand certificate: no values of the state variables are consistent."""
    match = match_for(HELD)
    match.push("occupy(1,1)")
    why = match.why_not(LayoutMove.on_grid("occupy", 1, 1))
    assert why is not None
    assert why.formula_legal is False
    assert why.evidence
    assert all(value.value is not True for value in why.evidence)
    (last,) = match.push("occupy(1,1)", force=True)
    assert last.board is None
    assert last.outcome is not None
    assert last.outcome.winner is Player.WHITE
    assert last.outcome.verdict is False


def test_a_move_without_bits_cannot_be_let_happen() -> None:
    match = match_for(DOMINO)
    why = match.why_not(LayoutMove.on_grid("occupy", 9, 9))
    assert why is not None
    assert why.formula_legal is None
    assert "not on the 3x3 board" in str(why)
    with pytest.raises(UsageError, match="the formula has no bits for it"):
        match.push("occupy(9,9)", force=True)
    # Two bits an axis can say 4, although the board has no such square.
    assert match.why_not(LayoutMove.on_grid("occupy", 4, 4)) is not None
    match.push("occupy(4,4)", force=True)
    assert match.over


# -- reading moves ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["occupy(2,3)", " Occupy ( 2 , 3 ) ", "2,3", "(2,3)", "2 3"])
def test_moves_are_read_in_several_forms(text: str) -> None:
    assert match_for(DOMINO).parse_move(text) == LayoutMove.on_grid("occupy", 2, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hop(2,3)", "found the unknown action 'hop', expected one of White: occupy"),
        ("occupy(2)", r"found 'occupy\(2\)', expected a move like occupy\(1,1\)"),
        ("", "found '', expected a move like"),
        ("occupy(-1,2)", "expected a move like"),
        ("occupy(1,1) occupy(2,2)", "expected a move like"),
    ],
)
def test_text_that_is_no_move_is_quoted(text: str, message: str) -> None:
    with pytest.raises(MalformedMoveError, match=message):
        match_for(DOMINO).parse_move(text)


def test_a_square_with_several_actions_is_ambiguous_unless_one_is_legal() -> None:
    match = match_for(CONNECT)
    legal = match.legal_moves()
    assert len(match.facts.actions) > 1
    only = next(
        move
        for move in legal
        if isinstance(move, LayoutMove)
        and sum(isinstance(m, LayoutMove) and m.square == move.square for m in legal) == 1
    )
    assert match.parse_move("{},{}".format(*only.square or ())) == only
    squares = {(x, y) for x in (1, 2, 3) for y in (1, 2, 3)}
    x, y = min(squares - {move.square for move in legal if isinstance(move, LayoutMove)})
    floats = match.why_not(match.parse_move(f"{x},{y}"))
    assert floats is not None
    assert "is empty, and a piece has to stand there" in floats.lines[0]


def test_a_block_is_no_move_on_a_board() -> None:
    match = match_for(DOMINO)
    with pytest.raises(MalformedMoveError):
        match.why_not(BlockMove((1,), (True,), ("1",)))
    assert match.touched(BlockMove((1,), (True,), ("1",))) == ()


def test_touched_squares_are_those_that_change() -> None:
    for rules in (True, False):
        match = match_for(BREAKTHROUGH, rules=rules)
        for move in match.legal_moves():
            assert isinstance(move, LayoutMove)
            squares = match.touched(move)
            assert move.square in squares
            assert len(squares) == 2
    match = match_for(DOMINO)
    assert match.touched(taken_square(match)) == ()


# -- back and forth --------------------------------------------------------------------------


def test_undo_redo_restart() -> None:
    match = match_for(EL)
    assert not match.undo()
    assert not match.redo()
    play_out(match)
    frames = match.frames
    rounds = 0
    while match.undo():
        rounds += 1
    assert len(match.frames) == 2
    assert not match.over
    assert (match.can_undo, match.can_redo) == (False, True)
    for _ in range(rounds):
        assert match.redo()
    assert match.frames == frames
    match.restart()
    assert len(match.frames) == 2
    assert match.redo()
    assert match.frames == frames[: len(match.frames)]
    match.restart()
    match.push(match.legal_moves()[-1])
    assert not match.can_redo


def test_a_refused_move_keeps_what_can_be_redone() -> None:
    match = match_for(EL)
    match.push(match.legal_moves()[0])
    match.undo()
    with pytest.raises(RefusedMoveError):
        match.push(taken_square(match))
    assert match.can_redo


def test_hints_are_legal_and_say_why() -> None:
    match = match_for(EL)
    hint = match.hint()
    assert hint is not None
    assert hint.move in match.legal_moves()
    assert "Black answers" in hint.text
    match.push(hint.move)
    last = match.hint()
    assert last is not None
    assert "the play ends" in last.text
    match.push(last.move)
    assert match.hint() is None


def test_random_moves_follow_the_generator() -> None:
    one, other = match_for(EL), match_for(EL)
    play_out(one, 3)
    play_out(other, 3)
    assert texts(one) == texts(other)


# -- values ----------------------------------------------------------------------------------


def test_each_step_has_named_values() -> None:
    match = match_for(DOMINO)
    match.push(match.legal_moves()[0])
    groups = [{value.group for value in frame.values} for frame in match.frames]
    assert NamedGroup.GATE in groups[0]
    assert {NamedGroup.MOVE, NamedGroup.STOP, NamedGroup.GATE} <= groups[1]
    assert {NamedGroup.MOVE, NamedGroup.STOP, NamedGroup.INDICATOR, NamedGroup.GATE} <= groups[2]
    legal = next(v for v in match.frames[2].values if v.group is NamedGroup.INDICATOR)
    assert legal.value is True
    by_name = {value.name: value for value in match.frames[1].values}
    assert by_name["black 1 move"].value is True
    assert by_name["black 1 stop"].value is False


def test_gates_that_differ_from_square_to_square_say_where() -> None:
    match = match_for(EL)
    values = [v for frame in match.frames for v in frame.values if v.false_at]
    assert values
    assert all(value.value is None for value in values)
    assert "false at (" in str(values[0])


# -- claims ----------------------------------------------------------------------------------


def test_a_goal_can_be_claimed_and_is_refuted() -> None:
    match = match_for(DOMINO, rules=False)
    assert match.can_claim()
    (last,) = match.push(match.legal_moves()[0], claim=True)
    assert last.stopped
    assert last.outcome is not None
    assert last.outcome.promised is True
    assert "White's goal" in last.outcome.verdict_note
    assert transcript_of(match).plies[-1].stopped


def test_the_last_ply_has_nothing_to_claim() -> None:
    match = match_for(DOMINEERING)
    assert not match.can_claim()
    with pytest.raises(UsageError, match="no goal can be claimed at ply 1"):
        match.push(match.legal_moves()[0], claim=True)


# -- what is wrong ---------------------------------------------------------------------------


def test_findings_and_the_lost_promise_are_shown() -> None:
    """Black's replies are all the same square: legal at first, then not."""
    made = certified(DOMINO)
    damaged = made.certificate
    for ply in (1, 3):
        for literal in made.encoding.layout.moves[ply - 1].variables:
            damaged = with_function(damaged, literal, 0)
    match = match_for(DOMINO, certificate=damaged)
    play_out(match)
    assert {finding.kind for finding in match.findings} >= {FindingKind.ILLEGAL_REPLY}
    assert match.outcome is not None
    assert match.outcome.promised is False
    assert match.outcome.winner is Player.WHITE
    assert exit_code(match) is Exit.REFUTED
    shown = "\n".join(line for frame in match.frames for line in frame_lines(match, frame))
    assert "FINDING illegal reply after ply 3: " in shown
    assert "; occupy(1,1): open(?x,?y) is false at (1,1)" in shown
    assert "NOT as promised" in shown


def test_a_reply_off_the_board_ends_the_play() -> None:
    made = certified(DOMINO)
    damaged = made.certificate
    for literal in made.encoding.layout.moves[0].variables:
        damaged = with_function(damaged, literal, 1)
    match = match_for(DOMINO, certificate=damaged, rules=False)
    assert match.over
    finding = match.findings[0]
    assert finding.kind is FindingKind.UNREADABLE_REPLY
    assert finding.detail == "occupy(4,4) is off the 3x3 board"
    assert match.outcome is not None
    assert match.outcome.winner is Player.WHITE
    transcript = transcript_of(match)
    assert transcript.plies[-1].move == "?"
    again = match_for(DOMINO, certificate=damaged, rules=False)
    play_transcript(again, transcript)


def test_a_wrong_goal_is_the_wrong_end() -> None:
    words = ("httt", "--size=3x3", "--shape=tippy", "--depth=3")
    match = match_for(DOMINO, game=load_game(model_of(words)))
    play_out(match)
    assert FindingKind.END_DIFFERS in {finding.kind for finding in match.findings}
    assert match.outcome is not None
    assert (match.outcome.winner, match.outcome.promised) == (Player.WHITE, False)


# -- transcripts -----------------------------------------------------------------------------


@pytest.mark.parametrize("words", [EL, HELD, BREAKTHROUGH], ids=str)
def test_a_transcript_replays_to_the_same_frames(words: tuple[str, ...]) -> None:
    match = match_for(words)
    play_out(match, 2)
    for text in (str(transcript_of(match)), json.dumps(transcript_of(match).to_dict())):
        again = match_for(words)
        play_transcript(again, Transcript.parse(text))
        assert texts(again) == texts(match)
        assert [f.board for f in again.frames] == [f.board for f in match.frames]
        assert transcript_of(again) == transcript_of(match)


def test_a_transcript_with_an_illegal_move_replays() -> None:
    match = match_for(DOMINO)
    match.push(taken_square(match), force=True)
    again = match_for(DOMINO)
    play_transcript(again, Transcript.parse(str(transcript_of(match))))
    assert transcript_of(again) == transcript_of(match)


def test_a_transcript_of_another_play_changes_nothing() -> None:
    match = match_for(EL)
    match.push(match.legal_moves()[0])
    match.undo()
    before = match.frames
    good = transcript_of(match)
    other_side = replace(good, person=Player.BLACK)
    with pytest.raises(InputError, match="found a play in which the person is Black"):
        play_transcript(match, other_side)
    wrong_answer = replace(good, plies=(replace(good.plies[0], move="occupy(1,3)", line=5),))
    with pytest.raises(InputError, match=r":5: found Black occupy\(1,3\) at ply 1, expected occ"):
        play_transcript(match, wrong_answer)
    taken = replace(good.plies[0], ply=2, player=Player.WHITE, line=7)
    with pytest.raises(InputError, match=r":7: found .* expected a legal move"):
        play_transcript(match, replace(good, plies=(*good.plies, taken)))
    unreadable = replace(taken, move="hop")
    with pytest.raises(InputError, match=r":7: found 'hop'"):
        play_transcript(match, replace(good, plies=(*good.plies, unreadable)))
    assert match.frames == before
    assert match.can_redo


def test_an_interrupt_while_a_transcript_is_replayed_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = match_for(EL)
    match.push(match.legal_moves()[0])
    transcript, before = transcript_of(match), match.frames

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(match, "push", interrupted)
        with pytest.raises(KeyboardInterrupt):
            play_transcript(match, transcript)
    assert match.frames == before
    assert transcript_of(match) == transcript


# -- data ------------------------------------------------------------------------------------


def test_the_play_as_json_is_complete_and_serialises() -> None:
    match = match_for(DOMINO)
    why = match.why_not(taken_square(match))
    play_out(match)
    data = json.loads(json.dumps(match_json(match, why)))
    assert [frame["move"] for frame in data["frames"][1:]] == texts(match)
    assert data["frames"][0]["board"] == data["frames"][0]["rules_board"] == ".../.../..."
    assert data["outcome"]["winner"] == "black"
    assert data["findings"] == []
    assert data["refused"]["rule"] == "open(?x,?y)"
    assert board_of(data["frames"][-1]["board"]) == match.board
    assert Transcript.from_json(json.dumps(data["transcript"])) == transcript_of(match)
