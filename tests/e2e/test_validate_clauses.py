"""Clause certificates that are validated without their formula."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage

META = """\
#boardsize
3 3
#depth
3
#blackactions
occupy(?x,?y)
#whiteactions
occupy(?x,?y)
#actionvars
[1] [2,3] [4,5]
[7] [8,9] [10,11]
[15] [16,17] [18,19]
#symbolicpos
[34,35] [36,37]
#statevars
38 39
40 41
42 43
44 45
#goalvar
0
"""
GAME = "httt --size 3x3 --shape domino --depth 3"
# Black begins in the middle; what stands above it is taken if White is not in the first row.
CONSTANT = (-1, -2, 3, -4, 5, -15, -16, 17, -19, *range(38, 46))
REPLY = "10 11 18 0\n-10 -18 0\n-11 -18 0\n"


@pytest.fixture
def files(qsage: Qsage) -> None:
    """A certificate whose clauses mention neither White's columns nor the symbolic square."""
    blocks = [f"c Model for variable {abs(x)}.\n{x} 0\n" for x in CONSTANT]
    blocks.append(f"c Model for variable 18.\n{REPLY}")
    Path("c.cnf").write_text(f"p cnf 45 {len(CONSTANT) + 3}\n" + "".join(blocks))
    Path("c.meta").write_text(META)


@pytest.mark.usefixtures("files")
def test_what_no_clause_mentions_is_the_opponents_all_the_same(qsage: Qsage) -> None:
    done = qsage("validate", "c.cnf", "--model", GAME, "--level", "rules", "--json")
    assert done.code == Exit.FINE, done.out
    assert json.loads(done.out)["claim"] == "Black wins httt 3x3 domino within 3 plies"


@pytest.mark.usefixtures("files")
def test_boards_that_are_constants_are_refuted(qsage: Qsage) -> None:
    done = qsage("validate", "c.cnf", "--model", GAME, "--json")
    read = json.loads(done.out)
    refuted = {level["level"] for level in read["levels"] if level["verdict"] == "refuted"}
    assert (done.code, "boards" in refuted, "rules" in refuted) == (Exit.REFUTED, True, False)


@pytest.mark.usefixtures("files")
def test_such_a_certificate_is_played(qsage: Qsage) -> None:
    done = qsage("play", "c.cnf", "--model", GAME, "--moves", "occupy(1,1)")
    assert "Black wins: reached its goal" in done.out
