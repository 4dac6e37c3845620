"""The language of predicates: each question reads back, and a mistake has a place."""

from __future__ import annotations

import shlex
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qsage_validate as qs
from qsage_validate.errors import InputError
from qsage_validate.extensions.explain.answers import (
    AnswerFork,
    Possible,
    bridged,
    nodes_of,
    vocabulary_of,
)
from qsage_validate.extensions.explain.explanation import ExplainOptions, explain, pairs_of
from qsage_validate.extensions.explain.language import Joined, parse_predicates
from qsage_validate.extensions.explain.shown import explanation_text
from qsage_validate.extensions.explain.situation import (
    Question,
    Situation,
    Stands,
    Threatened,
    first_situations,
    made,
)
from qsage_validate.formats.source import Source
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Square, TwoPlayerGame
from qsage_validate.games.registry import find_command
from tests.support.text_player import Memory, Seen, TextPlayer, play_all

TIC = "httt --size 4x4 --shape tic --depth 5"
STEPS = "breakthrough --size 2x4 --depth 7"


def game_of(words: str) -> TwoPlayerGame:
    return load_game(find_command(shlex.split(words)))


def read(text: str, words: str = TIC, hero: Player = Player.BLACK) -> tuple[Question, ...]:
    return parse_predicates(Source(text, "p.txt"), game_of(words), hero)


@pytest.mark.parametrize("words", [TIC, STEPS, "hex --size 3x3 --depth 5"])
@pytest.mark.parametrize("hero", list(Player))
def test_each_question_of_a_game_reads_back(words: str, hero: Player) -> None:
    game = game_of(words)
    for question in vocabulary_of(game, hero).questions:
        (found,) = parse_predicates(Source(question.formal), game, hero)
        if isinstance(question, Possible):
            assert isinstance(found, Possible)
            assert found.answer == question.answer
        else:
            assert found == question
        assert found.formal == question.formal


def test_conditions_are_joined_and_named() -> None:
    one, other = read("near the corner:  open(1,1) or not (black(1,2) and white(2,1))\nthreatened")
    assert str(one) == "near the corner"
    assert one.formal == "(open(1,1) or (not (black(1,2) and white(2,1))))"
    assert other == Threatened(Player.BLACK)
    (empty,) = first_situations(game_of(TIC), Player.BLACK)
    assert one.holds(empty)
    assert read("not open(1,1) or black(1,1)")[0].holds(empty) is False
    assert read("open(1,1) and open(2,2) and not threatened")[0].holds(empty) is True


def test_comments_and_repetitions_are_left_out() -> None:
    assert read("# all\n\nopen(1,1) # corner\nopen(1,1)\n") == (Stands((1, 1), Square.OPEN, "a1"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "p.txt:1:1: found the end of the file, expected a question such as"),
        ("open(5,1)", r"p.txt:1:5: found '\(5,1\)', expected a square from \(1,1\) to \(4,4\)"),
        ("open(1,1) xor", "p.txt:1:11: found 'xor', expected 'and', 'or' or the end of the line"),
        ("\n  open(1,1) and", "p.txt:2:16: found the end of the line, expected a question"),
        ("(open(1,1)", r"p.txt:1:11: found the end of the line, expected '\)'"),
        ("a: b: theirs in row(9)", "p.txt:1:21: found '9', expected a number from 1 to 4"),
        (": threatened", "p.txt:1:1: found no name before ':', expected NAME: CONDITION"),
        ("theirs over ours", "p.txt:1:8: found 'over', expected 'at', 'like', 'in', 'is', a shift"),
        ("ours above theirs", "p.txt:1:6: found 'above', expected 'at', 'like', 'in', 'is'$"),
        ("open $", r"p.txt:1:6: found '\$', expected a question such as"),
        ("can play first best", "p.txt:1:16: found 'best', expected one of win, decide"),
        ("can play mirror 'x'", "p.txt:1:17: found 'x', expected one of left-right"),
        ("can play bridge", "p.txt:1:10: found 'bridge', expected another answer, for the game is"),
        ("can play fly(1,1)", r"p.txt:1:10: found 'fly\(1,1\)', expected a move of Black's"),
        ("ply < 3", "p.txt:1:5: found '<', expected a question"),
        ("ahead(red,1)", "p.txt:1:7: found 'red', expected 'black' or 'white'"),
        ("not " * 60 + "threatened", "expected at most 50 levels"),
    ],
)
def test_a_mistake_has_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(text)


def test_a_mirror_that_the_board_does_not_have_is_refused() -> None:
    """A board of 2x4 has no diagonal."""
    with pytest.raises(InputError, match="found 'diagonal', expected one of left-right, up-down"):
        read("can play mirror 'diagonal'", STEPS)
    assert str(read("can play mirror 'half turn'", STEPS)[0]).startswith("Black can play the image")


@given(
    st.lists(
        st.sampled_from(
            [
                "open",
                "black",
                "white",
                "theirs",
                "ours",
                "at",
                "in",
                "is",
                "of",
                "row",
                "column",
                "left",
                "(",
                ")",
                "(1,1)",
                "(9,9)",
                "(+1,-1)",
                "not",
                "and",
                "or",
                "ply",
                "<=",
                "3",
                "threatened",
                "odd",
                "ahead",
                ",",
                "can",
                "play",
                "first",
                "last",
                "win",
                "mirror",
                "'left-right'",
                "safe",
                "capture",
                "occupy",
                ":",
                "#",
                "\n",
                "²",
                "$",
            ]
        ),
        max_size=12,
    )
)
@settings(max_examples=300, deadline=None)
def test_whatever_is_written_is_read_or_refused(words: list[str]) -> None:
    text = " ".join(words)
    try:
        found = read(text)
    except InputError:
        return
    (empty,) = first_situations(game_of(TIC), Player.BLACK)
    for question in found:
        assert question.holds(empty) in (True, False)
        (again,) = read(question.formal)
        assert again.holds(empty) is question.holds(empty)


def test_a_question_of_the_users_makes_the_tree_smaller(tmp_path: Path) -> None:
    """The tree of TIC asks three questions of the usual words; one of the user's does as well."""
    game = qs.game("httt", size=(4, 4), shape="tic", depth=5)
    path = tmp_path / "p.txt"
    path.write_text("my question: ply <= 3 and (ply <= 1 or theirs in row(2))\n")
    plain = qs.explain(game, lookahead=1)
    own = qs.explain(game, lookahead=1, predicates=path)
    assert own.proved
    assert own.nodes <= plain.nodes
    path.write_text("theirs in row(5)\n")
    with pytest.raises(InputError, match="found '5', expected a number from 1 to 4"):
        qs.explain(game, predicates=path)


def test_a_user_s_question_is_asked_by_its_name() -> None:
    game = game_of(TIC)
    own = Joined("and", read("ply <= 1"), "the board is empty")
    options = ExplainOptions(lookahead=1, questions=lambda _game, _hero: (own,))
    tree = explain(game, None, options).tree
    asked = {str(node.question) for _, node in tree.walk() if isinstance(node, AnswerFork)}
    assert "the board is empty" in asked


# -- pairs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", ["httt --size 3x3 --shape fatty --depth 9", "harary --size 3x3 --shape fatty"]
)
def test_a_pairing_is_told_in_three_nodes_and_the_text_is_enough(words: str) -> None:
    game = game_of(words)
    found = explain(game, None, ExplainOptions(lookahead=0))
    assert nodes_of(found.tree) == 3
    assert found.found.smallest
    assert "the other square of the pair" in str(found.predicates)
    assert play_all(game, explanation_text(found), Player.WHITE) > 10


def test_black_s_pairs_are_told_and_the_text_is_enough() -> None:
    game = game_of("hex --size 3x3")
    found = explain(game, None, ExplainOptions(lookahead=0))
    assert nodes_of(found.tree) == 5
    assert "the other square of the pair of White's last move" in explanation_text(found)
    assert play_all(game, explanation_text(found), Player.BLACK) > 10


@pytest.mark.parametrize("hero", list(Player))
@pytest.mark.parametrize("words", ["hex --size 4x4", "hex-network --size 3x4 --transversal"])
def test_bridges_are_what_the_text_says(words: str, hero: Player) -> None:
    """The answer and the question, on random boards, beside a player who reads the text."""
    random = Random(5)
    game = game_of(words)
    answer = bridged(hero, game.initial.board)
    assert answer is not None
    player = TextPlayer(f"Bridges\n{answer}", hero)
    held = 0
    for _ in range(1_500):
        position, theirs = game.initial, None
        for _ in range(random.randrange(14)):
            if position.outcome is not None:
                break
            move, mover, before = random.choice(position.legal_moves()), position.to_move, position
            position = position.after(move)
            if mover is not hero:
                theirs = made(game, before.board, move, position.board, mover)
        if position.outcome is not None or position.to_move is not hero or theirs is None:
            continue
        at = Situation(game, position, theirs, None)
        seen = Seen(theirs.text, theirs.to, None, False)
        memory = Memory(position, ((hero.other, seen),))
        known = player.answered(str(answer), memory)
        choice = answer.choose(at)
        assert (choice.made.to if choice else None) in ([one.to for _, one in known] or [None])
        assert answer.question.holds(at) is player.holds(str(answer.question), memory)
        held += bool(known)
    assert held > 20
    assert bridged(hero, game_of(TIC).initial.board) is None


def test_squares_that_symmetries_exchange_are_a_question() -> None:
    game = game_of("httt --size 3x3 --shape tic --depth 5")
    (corners,) = parse_predicates(Source("theirs like (3,1)"), game, Player.BLACK)
    assert str(corners) == "White's last move was to a1, c1, a3 or c3"
    assert corners.formal == "theirs like (1,1)"
    assert corners in vocabulary_of(game, Player.BLACK).questions
    (alone,) = parse_predicates(Source("theirs like (2,2)"), game, Player.BLACK)
    assert str(alone) == "White's last move was to b2"


def test_who_has_no_pairs_is_told_none() -> None:
    assert pairs_of(game_of(TIC), Player.WHITE) is None
    assert pairs_of(game_of(STEPS), Player.BLACK) is None
    assert pairs_of(game_of(STEPS), Player.WHITE) is None


def test_what_can_be_followed_is_not_said_to_be_open() -> None:
    """In Connect a square may be open, and too high to be played on."""
    game = game_of("connect-c --size 4x4 --connect 3 --depth 9")
    questions = [q for q in vocabulary_of(game, Player.BLACK).questions if isinstance(q, Possible)]
    mirrored = [q for q in questions if "image" in str(q)]
    assert mirrored
    assert all(str(question).endswith("'s last move can be played") for question in mirrored)


def test_a_mirror_in_the_text_is_enough_to_play_by() -> None:
    game = game_of("httt --size 3x3 --shape fatty --depth 9")
    text = explanation_text(explain(game, None, ExplainOptions()))
    assert "if the mirror image, left for right, of Black's last move can be played:" in text
    assert play_all(game, text, Player.WHITE) > 100
