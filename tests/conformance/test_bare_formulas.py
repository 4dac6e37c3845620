"""Right formulas of small games without a layout: none is refuted, and none is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.commands import run_qsage

STUCK = (
    "#blackactions\n:action up\n:parameters (?x,?y)\n:precondition (open(?x,?y) open(?x,?y+1))\n"
    ":effect (black(?x,?y))\n#whiteactions\n:action up\n:parameters (?x,?y)\n"
    ":precondition (open(?x,?y) open(?x,?y+1))\n:effect (white(?x,?y))\n"
)
"""On a board of one row nobody can move."""

ONE_PLY = STUCK.replace("(open(?x,?y) open(?x,?y+1))", "(open(?x,?y))", 1)
"""Black can move, and White never: a play has one ply, whatever the depth."""

PROBLEM = (
    "#boardsize\n3 1\n#init\n()\n#depth\n3\n#blackgoals\n(black(?x,?y) black(?x+1,?y))\n"
    "#whitegoals\n"
)

TAKE_B = (
    "#blackinitials\n#whiteinitials\n#times\nt1 t2\n#blackturns\nt1\n#positions\na b c\n"
    "#blackwins\na b c\nb\n#whitewins\n"
)
"""White's ply behind Black's only one is left out by some encoders."""

WALK = """(role black) (role white) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(base (step 1)) (base (step 2)) (base (step 3)) (base (step 4)) (base (on a)) (base (on b))
(input black (go a)) (input black (go b)) (input black (go c)) (input white noop)
(<= (legal black (go a)) (true (step 1))) (<= (legal black (go b)) (true (step 2)))
(<= (legal black (go c)) (true (step 2))) (<= (legal black (go a)) (true (step 3)))
(legal white noop)
(<= (next (step ?l)) (true (step ?k)) (succ ?k ?l))
(<= (next (on ?x)) (does black (go ?x)))
(<= terminal (true (step 4))) (<= terminal (true (on b)))
(<= (goal black 100) (true (on b))) (<= (goal black 0) (not (true (on b)))) (goal white 0)
"""
"""White has one legal move at each ply, which needs no variable."""

CELLS = """(role black) (role white) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(base (step 1)) (base (step 2)) (base (step 3)) (base (step 4))
(cell a) (cell b) (cell c) (turn 1 black) (turn 2 white) (turn 3 black)
(other black white) (other white black)
(<= (base (has ?r ?x)) (role ?r) (cell ?x)) (<= (input ?r noop) (role ?r))
(<= (input ?r (take ?x)) (role ?r) (cell ?x)) (<= (taken ?x) (true (has ?r ?x)))
(<= (control ?r) (true (step ?k)) (turn ?k ?r))
(<= (legal ?r (take ?x)) (control ?r) (cell ?x) (not (taken ?x)))
(<= (legal ?r noop) (role ?r) (other ?r ?s) (control ?s))
(<= (legal ?r noop) (role ?r) (true (step 4)))
(<= (next (has ?r ?x)) (does ?r (take ?x))) (<= (next (has ?r ?x)) (true (has ?r ?x)))
(<= (next (step ?l)) (true (step ?k)) (succ ?k ?l)) (<= terminal (true (step 4)))
(<= (won black) (true (has black a)) (true (has black b)) (true (has black c)))
(<= (goal black 100) (won black)) (<= (goal black 0) (not (won black))) (goal white 0)
"""
"""Black needs three cells and takes two."""


def _bare(encoding: str, game: list[str], folder: Path) -> list[str]:
    """The formula of a game without its comments; the result are the comments of the layout."""
    written = folder / "own.qcir"
    assert run_qsage(["encode", *game, "--encoding", encoding, "-o", str(written)]) == 0
    lines = written.read_text().splitlines()
    kept = [line for line in lines if not line.startswith("#") or line.startswith("#QCIR")]
    (folder / "f.qcir").write_text("\n".join(kept) + "\n")
    return [line for line in lines if line.startswith("#@")]


@pytest.mark.parametrize("domain", [STUCK, ONE_PLY], ids=["none", "one"])
@pytest.mark.parametrize("encoding", ["lifted", "lifted-guarded"])
def test_grid_games_whose_plays_are_shorter_than_the_depth(
    encoding: str, domain: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(tmp_path / "domain.ig"), str(tmp_path / "problem.ig")]
    for file, text in zip(files, (domain, PROBLEM), strict=True):
        Path(file).write_text(text)
    _bare(encoding, files, tmp_path)
    capsys.readouterr()
    assert run_qsage(["validate", str(tmp_path / "f.qcir"), "--game", *files]) == 0
    assert "the formula is true exactly when Black wins" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["cor-ladder", "cor"])
def test_last_plies_that_a_formula_leaves_out(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = tmp_path / "take.pg"
    game.write_text(TAKE_B)
    _bare(encoding, [str(game)], tmp_path)
    capsys.readouterr()
    assert run_qsage(["validate", str(tmp_path / "f.qcir"), "--model", str(game)]) == 0
    assert "the formula is true exactly when Black wins" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["gdl", "gdl-strict", "gdl-gn"])
def test_moves_that_need_no_variable_are_no_reason_to_refuse(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("clingo", reason="games in GDL need the extra 'gdl'")
    game = tmp_path / "walk.gdl"
    game.write_text(WALK)
    _bare(encoding, [str(game), "--depth", "3"], tmp_path)
    capsys.readouterr()
    code = run_qsage(["validate", str(tmp_path / "f.qcir"), "--model", f"{game} --depth 3"])
    assert code in (0, 3), capsys.readouterr().err


def test_a_reply_that_is_no_legal_move_refutes_nothing_where_no_file_says_what_it_means(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("clingo", reason="games in GDL need the extra 'gdl'")
    game = tmp_path / "cells.gdl"
    game.write_text(CELLS)
    layout = _bare("gdl", [str(game), "--depth", "3"], tmp_path)
    # White takes the same cell each time; encoded is that illegal moves of White's do not count.
    white = [line for line in layout if re.match(r"#@ move \d+ white", line)]
    own = [int(v) for line in white for v in re.search(r"code \[([^\]]*)\]", line)[1].split()]  # type: ignore[index]
    inputs = _existential(tmp_path / "f.qcir")
    names = [f"i{k} {v}" for k, v in enumerate(inputs)] + [f"o{k} {v}" for k, v in enumerate(own)]
    lines = [f"aag {len(inputs)} {len(inputs)} 0 {len(own) + 1} 0"]
    lines += [str(2 * k + 2) for k in range(len(inputs))] + ["1"] * len(own) + ["0"]
    lines += [*names, f"o{len(own)} result"]
    (tmp_path / "c.aag").write_text("\n".join(lines) + "\n")
    formula, model = str(tmp_path / "f.qcir"), f"{game} --depth 3"
    words = ["validate", formula, "--cert", str(tmp_path / "c.aag"), "--model", model]
    capsys.readouterr()
    assert run_qsage(words) == 3
    out = capsys.readouterr().out
    assert "no file says what the formula makes of a reply that is no legal move" in " ".join(
        out.split()
    )
    assert "proved: dependencies, formula" in out
    # With the layout, which says it, the certificate is valid.
    own_formula = str(tmp_path / "own.qcir")
    assert run_qsage(["validate", own_formula, *words[2:]]) == 0


def _existential(formula: Path) -> list[int]:
    rows = re.findall(r"^exists\(([^)]*)\)", formula.read_text(), re.MULTILINE)
    return [int(v) for row in rows for v in row.split(",")]
