"""Boards of one column, and of three rows: from the rules to the proof."""

from __future__ import annotations

import pytest

from .conftest import Qsage


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        # Black places dominoes upright: on one column White has no move, on one row Black has none.
        ("domineering --size 1x1", "Black does not win domineering 1x1 within 1 ply"),
        ("domineering --size 1x1 --second", "Black wins domineering 1x1 --second within 1 ply"),
        ("domineering --size 1x4", "Black wins domineering 1x4 within 2 plies"),
        ("domineering --size 1x3 --second", "Black wins domineering 1x3 --second within 1 ply"),
        ("domineering --size 3x1", "Black does not win domineering 3x1 within 2 plies"),
        (
            "domineering --size 2x1 --second",
            "Black does not win domineering 2x1 --second within 2 plies",
        ),
        ("breakthrough --size 2x3", "Black wins breakthrough 2x3 within 5 plies"),
        ("breakthrough --size 2x3 --second", "Black does not win breakthrough 2x3 --second within"),
    ],
)
def test_small_boards_are_proved(qsage: Qsage, words: str, sentence: str) -> None:
    done = qsage("certify", *words.split(), "-o", "c.aag", "--formula", "f.qcir")
    assert done.code == 0
    done = qsage("validate", "f.qcir", "c.aag", "--level", "all")
    assert (done.code, done.err) == (0, "")
    assert f"valid: {sentence}" in done.out
    assert qsage("play", "f.qcir", "c.aag", "--white", "random", "--games", "3").code == 0
