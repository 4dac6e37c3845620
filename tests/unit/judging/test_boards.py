"""The board and the gates of legality of a formula whose moves alone are known."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout, StateView
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.list_codings import NumberedCoding
from qsage_validate.encodings.registry import encode, language_of_encoding
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.judging.boards import with_board
from qsage_validate.judging.judged import lines_in_names
from qsage_validate.judging.move_codes import sketch_of
from qsage_validate.judging.readings import find_layout
from tests.support.places import REPOSITORY

SAMPLES = REPOSITORY / "certificates"


def stripped(words: str, encoding: str) -> tuple[Qbf, Layout, Layout, TwoPlayerGame]:
    """A formula of ours, its layout, the same with moves alone, and the game."""
    model = find_command(words.split(), language_of_encoding(encoding))
    made = encode(model, encoding)
    moves = tuple(replace(ply, stop=None, legal=(), indicators=None) for ply in made.layout.moves)
    alone = Layout(moves, actions=made.layout.actions, game=made.layout.game)
    return made.qbf, made.layout, alone, load_game(model)


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("httt --size 3x3 --shape domino --depth 3", "lifted"),
        ("connect-c --connect 2 --size 2x2 --depth 3", "lifted"),
        ("domineering --size 2x3 --depth 4", "lifted"),
    ],
)
def test_the_board_is_the_one_that_the_encoder_made(words: str, encoding: str) -> None:
    """Of what is found nothing differs; the encoder knows of states that no play comes to."""
    formula, known, alone, game = stripped(words, encoding)
    found = with_board(alone, formula, sketch_of(game), game)
    assert found.state.is_board
    assert found.state.axes == known.state.axes
    turned = found.state.code is not known.state.code
    for ours, theirs in zip(found.state.states, known.state.states, strict=False):
        assert ours == ((-theirs[0], theirs[1]) if turned else theirs)
    stops = {ply.stop for ply in found.moves} - {None}
    assert stops <= {ply.stop for ply in known.moves}


@pytest.mark.parametrize(
    "words",
    [
        "httt --size 4x4 --shape tic --depth 5",
        "connect-c --connect 2 --size 2x2 --depth 3",
        "breakthrough --size 2x4 --depth 7 --second",
        "domineering --size 3x4 --depth 6",
    ],
)
def test_claims_and_indicators_are_the_encoders(words: str) -> None:
    """In the first game White reaches no goal: the parts that do not hold tell the bits apart.

    In the third one White's claim stands in the block of the symbolic position.  In the last one
    hardly any play comes behind White's last ply: indicators say why a move there is illegal.
    """
    formula, known, alone, game = stripped(words, "lifted")
    found = with_board(alone, formula, sketch_of(game), game)
    assert found.goals == known.goals
    for ours, theirs in zip(found.moves, known.moves, strict=True):
        if theirs.indicators is not None:
            assert ours.indicators is not None
            assert ours.indicators.preconditions == theirs.indicators.preconditions


def test_no_board_is_made_up() -> None:
    """States that a strategy may tell otherwise, to its own disadvantage, are no board."""
    formula, known, alone, game = stripped("hex-network --size 2x2 --depth 3", "en")
    assert known.state.one_sided
    assert with_board(alone, formula, sketch_of(game), game).state == StateView()


def test_plays_whose_moves_have_no_code_are_passed_over() -> None:
    formula, known, alone, game = stripped("hex-network --size 2x2 --depth 3", "ln")
    first = alone.moves[0]
    few = replace(first, coding=NumberedCoding(first.moves[:2], first.coding.variables))
    layout = replace(alone, moves=(few, *alone.moves[1:]))
    found = with_board(layout, formula, sketch_of(game), game).state
    assert found.axes in ((), known.state.axes)


def test_a_symbolic_place_of_a_list_is_found() -> None:
    formula, known, alone, game = stripped("hex-network --size 2x2 --depth 3", "ln")
    found = with_board(alone, formula, sketch_of(game), game).state
    assert (found.axes, found.names) == (known.state.axes, known.state.names)
    at = found.kinds.index("white")
    whites = [state[at] for state in found.states]
    # Nothing is white before White's ply: no literal is marked by that.
    assert whites[2:] == [state[1] for state in known.state.states[2:]]


def test_gates_of_legality_are_true_exactly_at_legal_moves() -> None:
    game = load_game(find_command([str(SAMPLES / "puzzle.pg")]))
    formula = parse_qcir((SAMPLES / "puzzle.qcir").read_text())
    found = find_layout(formula, game).whole_layout(formula)
    names = [f"{player} {ply} legal" for ply, player in enumerate(("black", "white", "black"), 1)]
    assert [*found.gates] == names
    last, gate = found.moves[2], found.gates["black 3 legal"]
    first = {**found.moves[0].coding.encode("a3"), **found.moves[1].coding.encode("b2")}
    state = game.initial
    for move in ("a3", "b2"):
        state = state.after(game.parse_move(move, state.to_move))
    legal = [last.coding.encode(str(move)) for move in state.legal_moves()]
    for bits in product((False, True), repeat=len(last.variables)):
        own = dict(zip(last.variables, bits, strict=True))
        values = formula.evaluate({**dict.fromkeys(formula.levels(), False), **first, **own})
        assert (values[abs(gate)] is (gate > 0)) is (own in legal)


def test_a_board_is_written_in_the_names_of_the_file() -> None:
    formula, _, alone, game = stripped("httt --size 3x3 --shape domino --depth 3", "lifted")
    found = with_board(alone, formula, sketch_of(game), game)
    numbers = [*formula.levels(), *formula.gates]
    named = replace(formula, names={number: f"v{number}" for number in numbers})
    lines = lines_in_names(found, named)
    again = layout_from_comments(replace(named, comments=tuple(enumerate(lines, start=1))))
    assert again is not None
    assert (again.moves, again.state, again.gates) == (found.moves, found.state, found.gates)
    assert again.goals == found.goals


def test_plays_that_are_rare_at_random_are_searched_for() -> None:
    """Black wins no random play of this game: its formula had no board, and no proof."""
    game = load_game(find_command(["domineering", "--size", "6x6", "--depth", "11"]))
    plays = sketch_of(game).plays
    won = [play.moves for play in plays if play.black_wins]
    assert len({moves[0] for moves in won}) == len(won) >= 4
    for play in plays:
        state = game.initial
        for move in play.moves:
            assert state.outcome is None
            state = state.after(game.parse_move(move, state.to_move))
        assert state.outcome is not None
        assert (state.outcome.winner is Player.BLACK) is play.black_wins
