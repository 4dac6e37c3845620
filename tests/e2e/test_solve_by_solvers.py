"""``qsage solve`` with QBF solvers: formulas, games, depths, portfolios, and what is missing."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from qsage_validate.errors import Exit, install_line
from qsage_validate.games.languages import load_game
from qsage_validate.games.registry import resolve_command
from qsage_validate.solvers import qbf_solving
from qsage_validate.solvers.backend import Backend, Missing, SolverFormat
from qsage_validate.solvers.backends import backends
from tests.support.search import winning_first_moves

from .conftest import Qsage

pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")

EL = ("httt", "--size", "3x3", "--shape", "el")
DOMINO = ("httt", "--size", "3x3", "--shape", "domino")

# Which is true: b has to be the complement of a, and c has to equal it.
TRUE = (
    "#QCIR-G14\nforall(a)\nexists(b, c)\noutput(g)\nd = xor(a, b)\ne = xor(a, -c)\ng = and(d, e)\n"
)
FALSE = "p cnf 2 2\ne 2 0\na 1 0\n1 -2 0\n-1 2 0\n"
OUTERMOST = "#QCIR-G14\nexists(x, y)\nforall(u)\noutput(g)\nd = or(x, u)\ng = and(d, -y)\n"
HERE = [
    name
    for name, backend in backends().items()
    if SolverFormat.QDIMACS in backend.accepts and not isinstance(backend.availability(), Missing)
]


@pytest.fixture(autouse=True)
def files(qsage: Qsage) -> None:
    Path("true.qcir").write_text(TRUE)
    Path("false.qdimacs").write_text(FALSE)
    Path("outermost.qcir").write_text(OUTERMOST)


@pytest.mark.parametrize(
    ("file", "code", "line"),
    [("true.qcir", Exit.TRUE, "s cnf 1\n"), ("false.qdimacs", Exit.FALSE, "s cnf 0\n")],
)
def test_in_competitions_there_is_the_result_line_alone(
    qsage: Qsage, file: str, code: Exit, line: str
) -> None:
    done = qsage("solve", file, "--competition")
    assert (done.code, done.out, done.err) == (code, line, "")


@pytest.mark.parametrize(
    "words", [("hex", "--size", "2x2"), ("true.qcir", "--json"), ("true.qcir", "--first-moves=all")]
)
def test_the_result_line_of_competitions_is_of_a_formula(qsage: Qsage, words: list[str]) -> None:
    done = qsage("solve", *words, "--competition")
    assert (done.code, done.out) == (Exit.BAD_INPUT, "")
    assert "found --competition, expected a formula" in done.err


@pytest.mark.parametrize("options", [(), ("--preprocess", "none"), ("--portfolio",)])
@pytest.mark.parametrize(
    ("file", "code", "verdict"),
    [("true.qcir", Exit.TRUE, "true"), ("false.qdimacs", Exit.FALSE, "false")],
)
def test_formulas(
    qsage: Qsage, file: str, code: Exit, verdict: str, options: tuple[str, ...]
) -> None:
    told, facts = qsage("solve", file, *options), qsage("solve", file, *options, "--json")
    assert told.code == facts.code == code
    assert told.err == ""
    assert told.out.startswith(f"{verdict} (")
    read = json.loads(facts.out)
    assert (read["verdict"], read["winner"], read["formula"]) == (verdict, None, file)
    assert read["version"]
    assert (read["preprocessor"] is None) == ("none" in options)


@pytest.mark.parametrize("solver", HERE)
@pytest.mark.parametrize("preprocess", ["bloqqer", "none"])
def test_every_solver_that_is_here(qsage: Qsage, solver: str, preprocess: str) -> None:
    options = ("--solver", solver, "--preprocess", preprocess)
    assert qsage("solve", "true.qcir", *options).code == Exit.TRUE
    assert qsage("solve", "false.qdimacs", *options).code == Exit.FALSE


def test_a_formula_comes_from_standard_input(qsage: Qsage, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(TRUE.encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    monkeypatch.setattr("qsage_validate.formats.source._streams", {})
    done = qsage("solve", "-", "--json")
    assert (done.code, json.loads(done.out)["formula"]) == (Exit.TRUE, "<stdin>")


def test_the_outermost_block_is_told_by_the_names_of_the_formula(qsage: Qsage) -> None:
    options = ("--solver", "depqbf", "--preprocess", "none")
    assert "; outermost block: x -y" in qsage("solve", "outermost.qcir", *options).out
    read = json.loads(qsage("solve", "outermost.qcir", *options, "--json").out)
    assert read["outermost"] == {"x": True, "y": False}


def test_the_first_move_is_decoded_and_wins(qsage: Qsage) -> None:
    done = qsage("solve", *DOMINO, "--depth", 3, "--solver", "depqbf", "--preprocess", "none")
    assert done.code == Exit.TRUE
    assert done.out.startswith("true: Black wins within 3 plies (depqbf ")
    game = load_game(resolve_command([*DOMINO, "--depth", "3"]))
    start = game.initial
    winning = {game.say(m, start.to_move, start.board) for m in winning_first_moves(game)}
    assert done.out.strip().rpartition("first move ")[2] in winning


def test_the_first_move_of_white_who_begins_and_wins(qsage: Qsage) -> None:
    words = ("domineering", "--size", "3x3", "--second", "--depth", "5")
    done = qsage("solve", *words, "--solver", "depqbf", "--preprocess", "none")
    assert done.code == Exit.FALSE
    assert done.out.startswith("false: Black does not win within 4 plies (depqbf ")
    game = load_game(resolve_command(list(words)))
    start = game.initial
    winning = {game.say(m, start.to_move, start.board) for m in winning_first_moves(game)}
    assert done.out.strip().rpartition("first move ")[2] in winning


def test_the_layout_in_a_formula_says_who_wins(qsage: Qsage) -> None:
    qsage("encode", *DOMINO, "--depth", 1, "-o", "domino.qcir")
    done = qsage("solve", "domino.qcir")
    assert done.code == Exit.FALSE
    assert done.out.startswith("false: Black does not win within 1 ply (")
    read = json.loads(qsage("solve", "domino.qcir", "--json").out)
    assert read["winner"] == "white"


def test_a_layout_of_another_formula_says_nothing_of_who_wins(qsage: Qsage) -> None:
    qsage("encode", *DOMINO, "--depth", 1, "-o", "domino.qcir")
    text = Path("domino.qcir").read_text()
    output = next(line for line in text.splitlines() if line.startswith("output"))
    negated = output.replace("(", "(-").replace("--", "")
    Path("lie.qcir").write_text(text.replace(output, negated))
    # True, and by the rules Black does not win.
    done = qsage("solve", "lie.qcir")
    assert done.code == Exit.TRUE
    assert done.out.startswith("true (")
    assert "who wins is not known: whether the layout is right was not checked" in done.out
    assert json.loads(qsage("solve", "lie.qcir", "--json").out)["winner"] is None


def test_a_layout_that_has_another_value_say_who_wins_is_not_believed(qsage: Qsage) -> None:
    qsage(
        "encode",
        "hex-network",
        "--size",
        "2x2",
        "--depth",
        3,
        "--encoding",
        "pairing",
        "-o",
        "pairing.qcir",
    )
    lines = Path("pairing.qcir").read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith("#@ conclusive ")]
    assert len(kept) == len(lines) - 1
    Path("lie.qcir").write_text("".join(kept))
    done = qsage("solve", "lie.qcir")
    assert (done.code, "wins within" in done.out) == (Exit.TRUE, False)
    done = qsage("certify", "lie.qcir", "-o", "lie.aig", "--json")
    assert (done.code, json.loads(done.out)["winner"]) == (Exit.FINE, None)
    assert " for Black" not in done.err


def test_a_meta_file_that_only_lies_beside_is_no_obstacle(qsage: Qsage) -> None:
    Path("other.meta").write_text("#boardsize\n3 3\n#depth\n1\n")
    done = qsage("solve", "true.qcir")
    assert done.code == Exit.TRUE
    assert done.err.startswith("other.meta")
    assert done.err.endswith("the formula is taken without a layout\n")
    assert qsage("solve", "true.qcir", "--meta", "other.meta").code == Exit.BAD_INPUT


def test_a_limit_is_no_verdict(qsage: Qsage) -> None:
    hard = ("httt", "--size", "4x4", "--shape", "elly", "--depth", "7")
    for options in (("--solver", "depqbf"), ("--portfolio",)):
        done = qsage("solve", *hard, *options, "--preprocess", "none", "--timeout", "0.3")
        assert done.code == Exit.UNDECIDED
        assert done.out.startswith("undecided: ")
        # The time for making the formula counts as well.
        seconds = re.findall(r"no answer within (\S+) s", done.out)
        assert seconds
        assert all(float(each) < 0.6 for each in seconds)


# --- Depths ---------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [(), ("--solver", "depqbf"), ("--solver", "search")])
def test_the_critical_depth(qsage: Qsage, options: tuple[str, ...]) -> None:
    done = qsage("solve", *DOMINO, "--depth", "auto", *options)
    assert done.code == Exit.TRUE
    assert done.out.startswith("Black wins within 3 plies and not in fewer")
    read = json.loads(qsage("solve", *DOMINO, "--depth", "auto", *options, "--json").out)
    assert (read["critical_plies"], read["critical_depth"], read["bound"]) == (3, 3, 10)
    assert read["answers"][-1]["verdict"] == "true"


def test_depths_are_resumed_by_another_solver(qsage: Qsage) -> None:
    options = ("--depth", "auto", "--resume", "el.json")
    first = qsage("solve", *EL, *options, "--solver", "depqbf", "--max-depth", 3)
    assert first.code == Exit.UNDECIDED
    expected = "undecided: no greater depth was asked for (Black does not win within 3 plies)\n"
    assert first.out == expected
    assert [line.split(" (")[0] for line in first.err.splitlines()] == [
        "depth 1: false",
        "depth 3: false",
    ]
    second = qsage("solve", *EL, *options, "--solver", "caqe")
    assert second.code == Exit.TRUE
    assert [line.split(" (")[0] for line in second.err.splitlines()] == ["depth 5: true"]
    third = qsage("solve", *EL, *options, "--json")
    assert third.err == ""
    by = [answer["by"].split()[0] for answer in json.loads(third.out)["answers"]]
    assert len(by) == 3
    wrong = qsage("solve", *DOMINO, *options)
    assert wrong.code == Exit.BAD_INPUT
    assert wrong.err.startswith("el.json:4:11: found answers about another game")


def test_a_win_at_no_depth(qsage: Qsage) -> None:
    done = qsage("solve", "httt", "--size", "2x2", "--shape", "fatty", "--depth", "auto")
    assert done.code == Exit.FALSE
    assert done.out == "Black wins at no depth: the board is full after 4 plies\n"


# --- What does not fit ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("true.qcir", "--solver", "nobody"), "found the solver 'nobody'"),
        (("true.qcir", "--solver", "search"), "found --solver search with a formula"),
        (("true.qcir", "--solver", "caqe", "--portfolio"), "found --solver with --portfolio"),
        (("true.qcir", "--size", "3x3"), "found --size with the formula true.qcir"),
        (("true.qcir", "--depth", "auto"), "found --depth auto with a formula"),
        (("true.qcir", "--resume", "x"), "found --resume without --depth auto"),
        ((*EL, "--max-depth", "3"), "found --max-depth without --depth auto"),
        ((*EL, "--meta", "x.meta"), "found --meta with a game"),
        ((*EL, "--solver", "search", "--preprocess", "none"), "found --preprocess with --solver"),
        ((*EL, "--solver", "caqe", "--encoding", "nothing"), "unknown encoding 'nothing'"),
        (("nothing.qcir",), "nothing.qcir: found no such file"),
    ],
)
def test_what_does_not_fit_is_one_line(qsage: Qsage, words: tuple[str, ...], message: str) -> None:
    done = qsage("solve", *words)
    assert done.code == Exit.BAD_INPUT
    assert message in done.err
    assert (done.out, done.err.count("\n")) == ("", 1)


def test_a_file_that_is_no_formula_is_told_with_its_place(qsage: Qsage) -> None:
    Path("bad.qcir").write_text("#QCIR-G14\nexists(1)\noutput(2)\n2 = and(1, 3)\n")
    done = qsage("solve", "bad.qcir")
    assert done.code == Exit.BAD_INPUT
    assert done.err.startswith("bad.qcir:4:")


def test_without_the_extra_the_install_line_is_told(
    qsage: Qsage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing() -> Mapping[str, Backend]:
        return {}

    monkeypatch.setattr(qbf_solving, "backends", nothing)
    assert qsage("solve", "true.qcir").out.startswith("true (expansion, ")
    # What is too large for an expansion needs a solver.
    draw = Random(1)
    clauses = [draw.sample(range(1, 161), 3) for _ in range(480)]
    lines = "".join(" ".join(str(v * draw.choice((1, -1))) for v in c) + " 0\n" for c in clauses)
    odd, even = (" ".join(map(str, range(first, 161, 2))) for first in (1, 2))
    Path("large.qdimacs").write_text(f"p cnf 160 480\na {odd} 0\ne {even} 0\n{lines}")
    done = qsage("solve", "large.qdimacs")
    assert done.code == Exit.BAD_INPUT
    assert install_line("solve") in done.err
