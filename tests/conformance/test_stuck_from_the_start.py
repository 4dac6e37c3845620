"""A player whose moves are possible nowhere has lost: an honest formula of it is not refuted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import run_qsage

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


def test_black_has_no_possible_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("domain.ig").write_text(DOMAIN)
    Path("problem.ig").write_text(PROBLEM)
    assert run_qsage(["encode", "domain.ig", "problem.ig", "-o", "f.qdimacs"]) == 0
    # Where the constant stands is no matter; on the left the board can be read.
    text = Path("f.qdimacs").read_text()
    text = text.replace(" 26 0\n", " 0\n").replace("\ne 1 2 3 0\n", "\ne 1 2 3 26 0\n")
    Path("f.qdimacs").write_text(text)
    # Whatever White does, Black has lost: constant functions prove the formula false.
    scopes = [line.split()[1:-1] for line in Path("f.qdimacs").read_text().splitlines()
              if line.startswith("a ")]  # fmt: skip
    own = [variable for scope in scopes for variable in scope]
    names = [*own, "result"]
    lines = [f"aag 0 0 0 {len(names)} 0", *["0"] * len(names)]
    lines += [f"o{k} {name}" for k, name in enumerate(names)]
    Path("c.aag").write_text("\n".join(lines) + "\n")
    capsys.readouterr()
    code = run_qsage(["validate", "f.qdimacs", "--cert", "c.aag", "--json"])
    read = json.loads(capsys.readouterr().out)
    assert (code, read["verdict"]) == (0, "valid"), read["summary"]
    assert read["statements"][0]["winner"] == "white"
