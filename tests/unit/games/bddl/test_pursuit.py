"""One piece that hunts another: each has a shape of its own, wherever it is drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.pursuit import Piece, piece_of, pursuer_of
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Square
from qsage_validate.play.tui.model.view import scales, square_rows
from qsage_validate.render.board_text import board_lines
from qsage_validate.render.svg import board_svg, describe
from tests.support.by_name import resolve_model


def model_of(name: str) -> Model:
    model = resolve_model([name], {})
    assert isinstance(model, Model)
    return model


@pytest.mark.parametrize(
    ("name", "pursuer"),
    [
        ("evader-pursuer", Player.WHITE),
        ("evader-pursuer-dual", Player.BLACK),
        ("breakthrough", None),
        ("domineering", None),
        ("konane", None),
    ],
)
def test_the_rules_say_who_hunts(name: str, pursuer: Player | None) -> None:
    model = model_of(name)
    assert pursuer_of(model) is pursuer
    assert load_game(model).initial.board.pursuer is pursuer


def test_two_pieces_that_take_each_other_are_stones() -> None:
    model = model_of("breakthrough")
    pieces = ((Square.BLACK, 1, 4), (Square.WHITE, 2, 1))
    duel = replace(model, problem=replace(model.problem, initial=pieces))
    assert pursuer_of(duel) is None


def test_fugitive_and_pursuer_differ_without_colour() -> None:
    board = load_game(model_of("evader-pursuer")).initial.board
    forms = [piece_of(board, content) for content in (Square.BLACK, Square.WHITE)]
    assert forms == [Piece.FUGITIVE, Piece.PURSUER]
    text = board_lines(board)
    assert (text.count("E"), text.count("P")) == (1, 1)
    assert "B" not in text
    # What is written to files and JSON stays.
    assert board.rows.count("B") == board.rows.count("W") == 1
    svg = board_svg(board)
    assert svg.count('Z"') == 2
    assert "Black's fugitive: " in describe(board)
    for scale in scales(board.shape)[:8]:
        drawn = {
            (content, piece): [
                row.text for row in square_rows(content, scale.width, scale.height, False, piece)
            ]
            for content in (Square.BLACK, Square.WHITE)
            for piece in Piece
        }
        for content in (Square.BLACK, Square.WHITE):
            shapes = {tuple(drawn[content, piece]) for piece in Piece}
            assert len(shapes) == len(Piece), scale
