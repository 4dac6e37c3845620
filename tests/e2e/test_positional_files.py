"""``qsage solve`` on positional games in PG and ``.hex`` files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage

HEX = "3\nb[a1] w[b1] w[c2]\n"
PG = """\
% three in a row, turns of two stones but the first
#times
t1 t2 t3
#blackturns
t1
#positions
left middle right
#blackwins
left middle
#whitewins
middle right
"""


@pytest.fixture(autouse=True)
def files(qsage: Qsage) -> None:
    """The games, in the folder where the command runs."""
    Path("puzzle.hex").write_text(HEX)
    Path("row.pg").write_text(PG)


def test_the_winner_is_told(qsage: Qsage) -> None:
    done = qsage("solve", "puzzle.hex")
    assert (done.code, done.err) == (Exit.TRUE, "")
    assert done.out == "Black wins within 5 plies; first move b2\n"
    done = qsage("solve", "puzzle.hex", "--depth", "3", "--json")
    assert done.code == Exit.FALSE
    facts = json.loads(done.out)
    name = 'the positional game of 9 positions labelled "puzzle"'
    assert (facts["game"], facts["plies"], facts["winner"]) == (name, 3, "white")
    done = qsage("solve", "row.pg")
    assert done.code == Exit.FALSE
    assert done.out.startswith("White wins: Black does not win within")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("puzzle.hex", "--size", "3x3"), "found --size for puzzle.hex, a positional game"),
        (("puzzle.hex", "--depth", "x"), "found 'x' for --depth, expected a number"),
        (("row.pg", "--meta", "row.meta"), "found --meta with a game, expected a formula"),
        (("wrong.pg",), "wrong.pg:8:6: found 'top', expected a position of #positions"),
        (("wrong.hex",), "wrong.hex:1:5: found 'a4', expected a cell of the 3x3 board"),
        (("none.hex",), "none.hex: found no such file"),
    ],
)
def test_what_does_not_fit_is_one_line(qsage: Qsage, words: tuple[str, ...], message: str) -> None:
    Path("wrong.pg").write_text(
        PG.replace("% three in a row, turns of two stones but the first\n", "").replace(
            "left middle\n#white", "left top\n#white"
        )
    )
    Path("wrong.hex").write_text("3 b[a4]\n")
    done = qsage("solve", *words)
    assert done.code == Exit.BAD_INPUT
    assert done.out == ""
    assert message in done.err


def test_depths_of_a_file_are_tried(qsage: Qsage) -> None:
    done = qsage("solve", "puzzle.hex", "--depth", "auto")
    assert done.code == Exit.TRUE
    assert done.out == "Black wins within 5 plies and not in fewer; first move b2\n"
