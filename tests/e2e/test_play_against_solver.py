"""``qsage play FORMULA --solver``: plays without a certificate, and with a part of one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from qsage_validate.solvers.backends import get_backend
from tests.support.fake_solvers import script
from tests.support.terminal import LEAVES_SCREEN, SHOWS_CURSOR, Terminal

from .conftest import Qsage

pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")

DOMINO = ("httt", "--size", "3x3", "--shape", "domino", "--depth", "3")


@pytest.fixture
def hexagons(repository: Path) -> str:
    """The sample on 3x3, a true formula."""
    return str(repository / "certificates" / "hex.qcir")


@pytest.fixture
def domino(qsage: Qsage) -> str:
    """A smaller one, without a certificate."""
    assert qsage("encode", *DOMINO, "-o", "domino.qcir").code == Exit.FINE
    return "domino.qcir"


def test_a_solver_plays_black(qsage: Qsage, domino: str) -> None:
    ran = qsage("play", domino, "--solver", "depqbf", "--white", "random", "--games", 2, "--json")
    assert ran.code == Exit.FINE
    report = json.loads(ran.out)
    assert (report["wins"], report["losses"], report["findings_total"]) == (2, 0, 0)


@pytest.mark.parametrize("solver", ["caqe", "auto"])
def test_a_false_formula_of_others(qsage: Qsage, shared_data: Path, solver: str) -> None:
    folder = shared_data / "sqval" / "LN_hein_04_3x3_03_UNSAT"
    if not folder.is_dir():
        pytest.skip("no instances of SQval's")
    options = ("--solver", solver, "--status", "false", "--black", "random", "--games", "3")
    ran = qsage("play", str(folder / "qbf.qcir"), *options, "--json")
    assert ran.code == Exit.FINE
    assert json.loads(ran.out)["wins"] == 3
    blocks = qsage("play", str(folder / "qbf.qdimacs"), "--bare", *options, "--json")
    assert blocks.code == Exit.FINE
    assert json.loads(blocks.out)["wins"] == 3


def test_a_part_of_a_certificate(qsage: Qsage, repository: Path, hexagons: str) -> None:
    part = ("--cert", hexagons.replace(".qcir", ".aig"), "--blocks", "1")
    script = ("--moves", "(1,1)", "--json")
    whole = json.loads(qsage("play", hexagons, *part[:2], *script).out)
    some = json.loads(qsage("play", hexagons, *part, "--solver", "depqbf", *script).out)
    assert [frame["move"] for frame in some["frames"][:3]] == [
        frame["move"] for frame in whole["frames"][:3]
    ]
    assert some["title"] == "hex 3x3: Skolem certificate and depqbf for Black"
    assert some["findings"] == []


@pytest.mark.parametrize("solver", ["depqbf", "caqe", "rareqs"])
def test_what_a_solver_printed_of_the_outermost_block(
    qsage: Qsage, domino: str, tmp_path: Path, solver: str
) -> None:
    clauses, printed = tmp_path / "domino.qdimacs", tmp_path / "domino.out"
    assert qsage("encode", *DOMINO, "-o", str(clauses)).code == Exit.FINE
    backend = get_backend(solver)
    program = [backend.program().path, *(backend.dialect.outer or ()), str(clauses)]
    printed.write_bytes(subprocess.run(program, stdout=subprocess.PIPE, check=False).stdout)
    for formula in (domino, str(clauses)):
        told = qsage("info", str(printed), "--formula", formula, "--json")
        facts = json.loads(told.out)
        assert (facts["dialect"], facts["kind"]) == ("outer", "Skolem")
        assert facts["a_part"].startswith("of the first 1 of ")
        # No --solver: a part leaves the rest to whatever solvers there are.
        part = ("play", formula, "--cert", str(printed))
        start = qsage(*part, "--moves", "", "--json")
        assert start.code == Exit.UNDECIDED
        assert "Skolem certificate and a portfolio of solvers" in json.loads(start.out)["title"]
        ran = qsage(*part, "--white", "random", "--games", 1, "--json")
        report = json.loads(ran.out)
        assert (ran.code, report["wins"], report["findings"]) == (Exit.FINE, 1, [])


def test_a_part_is_refused_where_all_is_needed(qsage: Qsage, hexagons: str, tmp_path: Path) -> None:
    part = tmp_path / "part.out"
    part.write_text("s cnf 1\nV 1 0\n", encoding="utf-8")
    small = qsage("minimise", hexagons, str(part), "-o", str(tmp_path / "small.aag"))
    assert small.code == Exit.BAD_INPUT
    assert "found a part of a certificate in" in small.err
    other = qsage("compare", hexagons, hexagons, "--cert", str(part))
    assert other.code == Exit.BAD_INPUT
    assert "found a part of a certificate in" in other.err


def test_inner_functions_alone(qsage: Qsage, tmp_path: Path) -> None:
    formula, inner = tmp_path / "f.qcir", tmp_path / "inner.aag"
    formula.write_text("exists(1)\nforall(2)\nexists(3)\noutput(4)\n4 = xor(2, -3)\n")
    inner.write_text("aag 3 1 0 1 1\n4\n6\n6 4 4\n")
    whole = qsage("play", str(formula), "--cert", str(inner), "--moves", "")
    assert whole.code == Exit.UNDECIDED, "what has no function is false"
    ran = qsage("play", str(formula), "--cert", str(inner), "--solver", "depqbf", "--moves", "")
    assert ran.code == Exit.BAD_INPUT
    expected = "expected some of the player's outermost block (1)"
    assert ran.err == f"{inner}: found functions of inner blocks only, {expected}\n"


def test_a_game_by_name(qsage: Qsage) -> None:
    words = ("--model", " ".join(DOMINO), "--solver", "depqbf")
    ran = qsage("play", *words, "--white", "random", "--games", "3", "--json")
    assert ran.code == Exit.FINE
    assert json.loads(ran.out)["wins"] == 3
    start = qsage("play", *words, "--moves", "")
    assert "the formula is true: depqbf plays Black, and nothing is proved" in start.out


def test_a_wrong_status_is_a_contradiction(qsage: Qsage, hexagons: str) -> None:
    ran = qsage("play", hexagons, "--solver", "depqbf", "--status", "false", "--moves", "(2,2)")
    assert ran.code == Exit.REFUTED
    (line,) = [x for x in ran.out.splitlines() if "what is left of the formula is true" in x]
    kept = Path(line.rpartition("what is left is in ")[2])
    again = qsage("solve", str(kept))
    assert again.code == Exit.TRUE, "the residual formula reproduces it"


def test_time_ends_a_play_as_undecided(qsage: Qsage, hexagons: str) -> None:
    limits = ("--solver", "depqbf", "--status", "true", "--timeout", "0.001")
    ran = qsage("play", hexagons, *limits, "--moves", "(1,1)")
    assert ran.code == Exit.UNDECIDED
    assert "no answer in time" in ran.out
    many = qsage("play", hexagons, *limits, "--white", "random", "--games", "2", "--json")
    assert many.code == Exit.UNDECIDED
    assert json.loads(many.out)["undecided"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--solver", "nosuch"), "found the solver 'nosuch', expected auto or one of depqbf"),
        (("--blocks", "2"), "found --blocks without --solver"),
        (("--solver", "depqbf", "--blocks", "2"), "found --blocks without --cert"),
        (("--timeout", "2"), "found --timeout without --solver"),
    ],
)
def test_what_does_not_fit(
    qsage: Qsage, hexagons: str, options: tuple[str, ...], message: str
) -> None:
    ran = qsage("play", hexagons, *options, "--moves", "(1,1)")
    assert ran.code == Exit.BAD_INPUT
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_a_certificate_with_fewer_blocks(qsage: Qsage, hexagons: str) -> None:
    certificate = ("--cert", hexagons.replace(".qcir", ".aig"))
    ran = qsage("play", hexagons, *certificate, "--solver", "depqbf", "--blocks", "99", "--plain")
    assert ran.code == Exit.BAD_INPUT
    assert "found --blocks 99, expected at most" in ran.err
    other = qsage("play", hexagons, *certificate, "--solver", "depqbf", "--status", "false")
    assert other.code == Exit.BAD_INPUT
    assert "found --status false with a Skolem certificate" in other.err


@pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
@pytest.mark.parametrize(("leave", "code"), [("\x03", Exit.INTERRUPTED), ("q", Exit.FINE)])
def test_leaving_the_board_during_a_reply(
    hexagons: str, tmp_path: Path, leave: str, code: Exit
) -> None:
    """The terminal is as it was before, and the solver's process has ended."""
    tell = f"echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid"
    slow = script(tmp_path, "slow", f"{tell}; sleep 600")
    (tmp_path / "solvers.ini").write_text(f"[slow]\nkind = depqbf\nprogram = {slow}\n")
    variables = {"QSAGE_SOLVERS": str(tmp_path / "solvers.ini")}
    command = ["qsage-play", hexagons, "--solver", "slow", "--status", "true"]
    with Terminal(command, folder=tmp_path, variables=variables) as terminal:
        terminal.wait_for("Working: Black's reply … slow: a reply")
        terminal.send(leave)
        assert terminal.exit_code() == code
        assert terminal.output.count(LEAVES_SCREEN) == 1
        assert SHOWS_CURSOR in terminal.output
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)
