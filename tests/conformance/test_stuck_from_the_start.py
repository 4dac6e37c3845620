"""A player whose moves are possible nowhere has lost: an honest formula of it is not refuted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.cli.app import app, run

DOMAIN = """\
#blackactions
:action domino
:parameters (?x,?y)
:precondition (open(?x,?y) open(?x+1,?y))
:effect (black(?x,?y) black(?x+1,?y))
#whiteactions
:action domino
:parameters (?x,?y)
:precondition (open(?x,?y) open(?x+1,?y))
:effect (white(?x,?y) white(?x+1,?y))
"""
PROBLEM = """\
#boardsize
1 3
#init
#depth
3
#blackgoals
(black(xmax,ymax))
(black(1,1))
#whitegoals
(white(?x,?y) white(?x,?y+1))
"""


@pytest.mark.parametrize("suffix", ["qcir", "qdimacs"])
def test_black_has_no_possible_move(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    suffix: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("domain.ig").write_text(DOMAIN)
    Path("problem.ig").write_text(PROBLEM)
    made = ["certify", "domain.ig", "problem.ig", "-o", "c.aag", "--formula", f"f.{suffix}"]
    assert run(app, made, "qsage") == 0
    capsys.readouterr()
    code = run(app, ["validate", f"f.{suffix}", "--cert", "c.aag", "--json"], "qsage")
    read = json.loads(capsys.readouterr().out)
    assert (code, read["verdict"]) == (0, "valid"), read["summary"]
    assert {said.get("winner") for said in read["statements"]} <= {"white", None}
