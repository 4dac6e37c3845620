"""``qsage play FORMULA --solver``: plays without a certificate, and with a part of one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage

pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")


@pytest.fixture
def hexagons(repository: Path) -> str:
    """The sample on 3x3, a true formula."""
    return str(repository / "certificates" / "hex.qcir")


def test_a_solver_plays_black(qsage: Qsage, hexagons: str) -> None:
    ran = qsage(
        "play", hexagons, "--solver", "depqbf", "--white", "random", "--games", "2", "--json"
    )
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


def test_a_game_by_name(qsage: Qsage) -> None:
    words = ("--model", "httt --size 3x3 --shape domino --depth 3", "--solver", "depqbf")
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
