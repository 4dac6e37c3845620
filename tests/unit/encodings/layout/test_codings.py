"""Codings of moves: every value of the bits is a move, or said to be none."""

from __future__ import annotations

from itertools import product

import pytest

from qsage_validate.encodings.layout import GridCoding, MoveCoding, Number, literal_value
from qsage_validate.encodings.list_codings import NumberedCoding, OneHotCoding

GRID = GridCoding(("put", "take", "turn"), (1, -2), Number((3, 4), 3), Number((5, -6), 3))
LINE = GridCoding(("put",), (), Number((1, 2), 3), Number((3,), 1))
NUMBERED = NumberedCoding(("a", "b", "c"), (1, -2))
ONE_HOT = OneHotCoding(("a", "b", "c"), (1, -2, 3))


@pytest.mark.parametrize("coding", [GRID, LINE, NUMBERED, ONE_HOT])
def test_each_value_of_the_bits_is_a_move_or_none(coding: MoveCoding) -> None:
    patterns = list(coding.patterns())
    variables = [abs(x) for x in coding.variables]
    said = []
    for bits in product((False, True), repeat=len(variables)):
        values = dict(zip(variables, bits, strict=True))
        move, why = coding.decode(values)
        assert (move is None) is bool(why)
        literals = [literal_value(values, x) for x in coding.variables]
        fitting = [
            name
            for name, pattern in patterns
            if all(p is None or p == x for p, x in zip(pattern, literals, strict=True))
        ]
        assert fitting == ([] if move is None else [move])
        if move is not None:
            said.append(move)
            assert coding.decode(coding.encode(move)) == (move, "")
    assert set(said) == set(coding.moves)


def test_a_coordinate_off_the_board_is_told() -> None:
    """On either axis, and also where the other one is on the board."""
    for move, on_board in {"put(4,2)": False, "take(2,4)": False, "turn(3,3)": True}.items():
        found, why = GRID.decode(GRID.encode(move))
        assert found == (move if on_board else None)
        assert why == ("" if on_board else f"{move} is off the 3x3 board")
        assert (move in GRID.no_moves) is not on_board
    assert GRID.decode({1: True, 2: False})[1] == "the action bits say 4 of 3 actions"
