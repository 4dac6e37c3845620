"""Plays against a search: what is told, what is refused, and what happens when the search lies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from qsage_validate.arena.adversary import EngineAdversary
from qsage_validate.arena.blocks import SearchedEngine
from qsage_validate.errors import (
    AmbiguousMoveError,
    Exit,
    IllegalMoveError,
    MalformedMoveError,
    UndecidedError,
    UsageError,
)
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Position, Square
from qsage_validate.games.registry import find_command
from qsage_validate.play.export import frame_json, match_json
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.picking import Choose, NoMove
from qsage_validate.play.report import exit_code, frame_title
from qsage_validate.play.transcript import Transcript, play_transcript, transcript_of
from qsage_validate.problems.searched import SearchedProblem
from qsage_validate.solvers.search_solution import SearchReplies, SearchReply
from qsage_validate.validation.finding import FindingKind

EL = "harary --size 3x3 --shape el --depth 5"
BISHOPS = "breakthrough --size 2x4 --depth 9"


def problem_of(words: str, player: Player | None = None) -> SearchedProblem:
    replies = SearchReplies(load_game(find_command(words.split())))
    return SearchedProblem(
        tuple(words.split()), replies, player or replies.winner(), promised=player is None
    )


def match_of(words: str, player: Player | None = None) -> PlayMatch:
    return PlayMatch(SearchedEngine(problem_of(words, player)))


def test_a_play_to_its_end() -> None:
    play = match_of(EL)
    assert play.facts.title == "httt 3x3 el: the search plays Black"
    assert play.facts.notes == (
        "Black wins within 5 plies: the search plays Black, and nothing is proved",
    )
    assert play.frame.remarks == ("Black wins within 4 plies from here",)
    assert [str(move) for move in play.legal_moves()].count("b2") == 0
    with pytest.raises(IllegalMoveError, match="b2"):
        play.push("b2")
    hint = play.hint()
    assert hint is not None
    assert hint.text == f"{hint.move}: holds out longest, 4 plies"
    text = str(transcript_of(play))
    while not play.over:
        hint = play.hint()
        assert hint is not None
        play.push(hint.move)
    assert play.outcome is not None
    assert (play.outcome.winner, play.outcome.promised, play.frame.ply) == (Player.BLACK, True, 5)
    assert (exit_code(play), play.findings) == (Exit.FINE, ())
    assert len(play.frame.won) == 3
    assert play.undo()
    play_transcript(play, Transcript.parse(text, None))
    assert [str(frame.move) for frame in play.frames[1:]] == ["b2"]


def test_words_for_moves() -> None:
    play = match_of("httt --size 3x3 --shape el --depth 5")
    assert str(play.parse_move("1,1")) == "occupy(1,1)"
    with pytest.raises(IllegalMoveError, match=r"occupy\(2,2\)"):
        play.push("(2 2)")
    with pytest.raises(MalformedMoveError, match="expected a move like occupy"):
        play.push("zz")
    with pytest.raises(MalformedMoveError, match=r"squares of the 3x3 board: a1 to c3$"):
        play.push("z9")
    pieces = match_of(BISHOPS, Player.WHITE)
    with pytest.raises(AmbiguousMoveError, match="expected one of"):
        pieces.push("1,4")
    assert len(pieces.moves_at((1, 4))) > 1
    assert pieces.touched(pieces.legal_moves()[0])


def test_what_needs_a_formula_is_refused() -> None:
    play = match_of(EL)
    with pytest.raises(UsageError, match="there is no formula to tell it"):
        play.push("b2", force=True)
    with pytest.raises(UsageError, match="no goal can be claimed"):
        play.push("a1", claim=True)
    assert not play.can_claim()


def test_a_side_that_was_chosen_promises_nothing() -> None:
    play = match_of(EL, Player.WHITE)
    assert play.facts.notes == ("the search plays White, whoever wins, and nothing is proved",)
    for move in ("b2", "a2", "a1", "b1", "c2", "a3", "b3", "c1", "c3"):
        if not play.over and play.why_not(play.parse_move(move)) is None:
            play.push(move)
    assert play.outcome is not None
    assert (play.outcome.winner, play.outcome.promised) == (Player.BLACK, None)
    assert (exit_code(play), play.findings) == (Exit.UNDECIDED, ())


@dataclass
class Lies:
    """Replies of a search that takes the first legal move for a win, until it says otherwise."""

    real: SearchReplies
    until: int

    @property
    def game(self) -> object:
        return self.real.game

    def reply(self, position: Position) -> SearchReply:
        plies = 1 if position.ply < self.until else None
        return SearchReply(position.legal_moves()[0], position.to_move, plies)


def lying(until: int) -> SearchedProblem:
    problem = problem_of(EL)
    return replace(problem, replies=Lies(problem.replies, until))  # type: ignore[arg-type]


def test_a_search_that_is_wrong_is_found_out() -> None:
    play = PlayMatch(SearchedEngine(lying(until=99)))
    for move in ("b2", "c2"):
        play.push(move)
    (finding,) = play.findings
    assert finding.kind is FindingKind.END_DIFFERS
    assert "White wins, which the search has ruled out" in finding.text
    assert exit_code(play) is Exit.REFUTED
    play = PlayMatch(SearchedEngine(lying(until=2)))
    play.push("c3")
    (finding,) = play.findings
    assert finding.kind is FindingKind.REPLY_FAILS
    assert finding.text.endswith("said that Black wins, and says now that Black does not")
    assert match_json(play)["findings"]


def test_random_plays_find_it_and_say_how_to_replay_it() -> None:
    problem = lying(until=99)
    adversary = EngineAdversary(SearchedEngine(problem), problem.replay, seed=0)
    report = adversary.run(20)
    assert report.losses
    assert report.findings_total == len(report.findings)
    assert report.findings[0].replay.startswith(f"qsage-play {EL} --moves '")
    assert adversary.run(20).digest == report.digest


def test_random_plays_are_won() -> None:
    problem = problem_of(EL)
    report = EngineAdversary(SearchedEngine(problem), problem.replay, seed=3).run(30)
    assert report.clean


def test_time_that_is_up_ends_the_play() -> None:
    problem = problem_of(EL)
    engine = SearchedEngine(problem)

    def late(position: Position) -> SearchReply:
        raise UndecidedError("undecided: 1 second is over")

    play = PlayMatch(engine)
    problem.replies.reply = late  # type: ignore[method-assign]
    play.push("a1")
    assert play.outcome is not None
    assert play.outcome.reason == "no answer in time: undecided: 1 second is over"
    assert exit_code(play) is Exit.UNDECIDED


def test_a_square_of_a_column_means_the_piece_that_falls_there() -> None:
    match = match_of("connect-c --size 3x3 --connect 3 --depth 9", Player.BLACK)
    assert match.frame.said in ("column a", "column b", "column c")
    assert match.board is not None
    (taken,) = ((x, 3) for x in (1, 2, 3) if match.board[x, 3] is Square.BLACK)
    column = taken[0]
    picks = match.picks()
    (move,) = {picks.pick((column, y)) for y in (1, 2)}
    assert isinstance(move, Choose)
    assert [match.touched(m) for m in move.moves] == [((column, 2),)]
    assert picks.pick(taken) == NoMove(taken, taken)
    name = "abc"[column - 1]
    for text in (f"({column},2)", f"{name}2", name, f"Column {name}", f"column {column}"):
        assert match.parse_move(text) == move.moves[0]


def test_nothing_falls_on_a_board_of_one_row() -> None:
    match = match_of("hex --size 2x2 --one-row", Player.BLACK)
    assert match.frame.said in ("b1", "c1")
    assert {move.words for move in match.legal_moves()} <= {"a1", "b1", "c1", "d1"}


def test_moves_are_said_and_shown_by_their_squares() -> None:
    match = match_of("breakthrough --size 3x4 --depth 5", Player.WHITE)
    step = next(m for m in match.legal_moves() if str(m) == "left-diagonal(2,3)")
    for text in ("(2,3)-(1,2)", "2,3 to 1,2", "( 2, 3 ) x ( 1, 2 )", "b3xa2", "B3-a2", "b3 to a2"):
        assert match.parse_move(text) == step
    blocked = match.why_not(match.parse_move("b3-b2"))
    assert blocked is not None
    assert blocked.lines[0] == "White already holds b2"
    for text in ("(1,1)-(3,4)", "(2,3)-(1,2)-(1,1)", "2,3-", "b3-"):
        with pytest.raises(MalformedMoveError, match="found"):
            match.parse_move(text)
    match.push(step)
    assert frame_title(match, match.frames[1]) == "ply 1, Black: b3xa2"
    told = frame_json(match.frames[1])
    assert (told["move"], told["said"]) == ("left-diagonal(2,3)", "b3xa2")
