from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.errors import InputError
from qsage_validate.formats.pg import HexFile, parse_hex_sgf
from qsage_validate.formats.source import Format, Source, sniff_bytes
from tests.support.generated import damaged
from tests.unit.formats.test_fuzz_readers import refused_or_read

HEXGUI = (
    "(;FF[4]EV[a \\] tournament]GM[11]AP[HexGui:0.10]SZ[5]\nAB[a1][b2]AW[c3]PL[W];W[d4];B[e5]C[x])"
)
GOLEM = (
    "(;FF[4]EV[hex.ch.23.1.1]PB[b]PW[w]SZ[13]RE[W]SO[http://www.littlegolem.com]"
    ";W[mf];B[swap];W[kj];B[ie];W[resign])"
)


def read(text: str) -> HexFile:
    assert sniff_bytes(text.encode()) is Format.SGF
    return parse_hex_sgf(Source(text, "f.sgf"))


def test_the_position_is_the_one_behind_the_last_move() -> None:
    board = read(HEXGUI)
    assert (board.columns, board.rows) == (5, 5)
    assert board.black == ("a1", "b2", "e5")
    assert board.white == ("c3", "d4")
    assert board.white_moves


def test_little_golem_s_white_begins_and_is_black() -> None:
    board = read(GOLEM)
    # mf is column m, row 6; the swap makes a stone of the other player's at its mirror image.
    assert board.white == ("f13", "i5")
    assert board.black == ("k10",)
    assert board.white_moves


@pytest.mark.parametrize(
    ("text", "black", "white", "white_moves"),
    [
        ("(;GM[11]SZ[3])", (), (), False),
        ("(;GM[11]SZ[3]PL[White])", (), (), True),
        ("(;GM[11]SZ[3];B[a1])", ("a1",), (), True),
        ("(;GM[11]SZ[3];B[a1];PL[B])", ("a1",), (), False),
        ("(;GM[11]SZ[3];B[A3];W[swap-pieces])", (), ("c1",), False),
        ("(;GM[11]SZ[3];B[a3];W[swap-sides];B[pass])", ("a3",), (), True),
        ("(;GM[11]SZ[3:2];B[c2](;W[a1](;B[b1])(;B[b2]))(;W[a2]))", ("c2", "b1"), ("a1",), True),
        ("(;gm[11]SZ[3]AB[a1]AB[a2];AE[a1]AW[a2])", (), ("a2",), False),
    ],
)
def test_positions(
    text: str, black: tuple[str, ...], white: tuple[str, ...], white_moves: bool
) -> None:
    text = text.replace("gm", "GM")
    board = read(text)
    assert (board.black, board.white, board.white_moves) == (black, white, white_moves)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("(;GM[1]SZ[3])", (1, 6), "the game GM[1], expected Hex"),
        ("(;FF[4]SZ[3])", (1, 1), "an SGF file without GM[11]"),
        ("(;GM[11]SZ[99])", (1, 12), "'99', expected the size"),
        ("(;GM[11]SZ[x])", (1, 12), "'x', expected the size"),
        ("(;GM[11]SZ[3];\nB[d1])", (2, 3), "'d1', expected a cell of the 3x3 board"),
        ("(;GM[11]SZ[3];B[a1];W[a1])", (1, 23), "'a1', expected an open cell"),
        ("(;GM[11]SZ[3];W[swap-pieces])", (1, 17), "a swap with 0 stones"),
        ("(;GM[11]SZ[3]PL[x])", (1, 17), "'x', expected B or W"),
        ("(;GM[11]SZ[3];B[a1]", (1, 20), "the end of the file, expected ')'"),
        ("(;GM[11]SZ[3];B[a1", (1, 16), "'[', expected a property"),
        ("(;GM[11]SZ[3] %)", (1, 15), "'%', expected a property"),
    ],
)
def test_errors_name_the_place(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(InputError) as error:
        read(text)
    assert message in str(error.value)
    assert (error.value.line, error.value.column) == place


@given(data=damaged([HEXGUI.encode(), GOLEM.encode()]), rest=st.text("()[];BWab1\\ ", max_size=20))
def test_no_damaged_file_is_a_crash(data: bytes, rest: str) -> None:
    text = data.decode("latin-1") + rest
    refused_or_read(lambda data: parse_hex_sgf(Source(data.decode(), "f.sgf")), text.encode())
