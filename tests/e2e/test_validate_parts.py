"""``qsage validate`` on parts of certificates: who decides the rest, and what is said of it."""

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


@pytest.fixture
def part(hexagons: str) -> tuple[str, ...]:
    """Its first block, validated on two levels."""
    certificate = hexagons.replace(".qcir", ".aig")
    return ("--cert", certificate, "--blocks", "1", "--level", "dependencies", "--level", "formula")


def test_functions_of_the_rest_are_found_and_proved(
    qsage: Qsage, hexagons: str, part: tuple[str, ...], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    ran = qsage("validate", hexagons, *part, "--solver", "depqbf", "--report", str(page), "--json")
    assert ran.code == Exit.FINE
    report = json.loads(ran.out)
    level = report["levels"][1]
    assert (report["claim"], level["verdict"]) == ("the formula is true", "proved")
    assert level["evidence"]["functions_of_the_file"] == 5
    assert level["evidence"]["variables_of_the_rest"] == 28
    assert "depqbf" in level["evidence"]["found_by"]
    assert "--solver depqbf --blocks 1" in report["facts"]["command"]
    assert "were found by" in page.read_text(encoding="utf-8")


def test_proofs_for_a_part_are_about_the_whole_that_is_found(
    qsage: Qsage, hexagons: str, part: tuple[str, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "proof"
    levels = ("--level", "dependencies", "--level", "formula", "--level", "rules")
    ran = qsage("validate", hexagons, *part, *levels, "--proof", str(folder))
    assert ran.code == Exit.FINE
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["inputs"]["certificate"]["path"] == "whole.aig"
    # The whole is a certificate of its own, of which everything is made again.
    assert qsage("validate", hexagons, "--cert", str(folder / "whole.aig"), *levels).code == 0
    ran = qsage("verify", str(folder), "--checker", "qsage")
    assert ran.code == Exit.FINE
    assert "are those of the inputs (formula, rules)" in ran.out
    # Another whole is not the one of the manifest.
    data = (folder / "whole.aig").read_bytes()
    (folder / "whole.aig").write_bytes(data[:-1] + b"x")
    assert qsage("verify", str(folder), "--checker", "qsage").code == Exit.REFUTED


def test_a_part_without_functions_of_the_rest_has_no_proof(
    qsage: Qsage, hexagons: str, part: tuple[str, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "proof"
    ran = qsage("validate", hexagons, *part, "--solver", "caqe", "--proof", str(folder))
    assert ran.code == Exit.UNDECIDED
    assert "no proof is written: no functions of the rest are proved" in ran.err
    assert not folder.exists()


def test_a_solvers_word_is_no_proof(qsage: Qsage, hexagons: str, part: tuple[str, ...]) -> None:
    ran = qsage("validate", hexagons, *part, "--solver", "caqe")
    assert ran.code == Exit.UNDECIDED
    assert "claimed (formula); proved: dependencies; caqe" in ran.out
    assert "nothing checks it" in ran.out
    every = qsage("validate", hexagons, *part[:4], "--solver", "caqe", "--json")
    levels = {level["level"]: level["verdict"] for level in json.loads(every.out)["levels"]}
    assert levels == {
        "dependencies": "proved",
        "formula": "claimed",
        **dict.fromkeys(("random plays", "all plays", "rules", "boards"), "not applicable"),
        "encoding": "proved",
    }


def test_rules_need_the_functions_of_moves_alone(qsage: Qsage, hexagons: str) -> None:
    """Behind the third block there are states only."""
    certificate = hexagons.replace(".qcir", ".aig")
    options = ("--cert", certificate, "--blocks", "3", "--solver", "caqe", "--level", "rules")
    ran = qsage("validate", hexagons, *options)
    assert ran.code == Exit.FINE
    assert "valid: Black wins hex 3x3 within 5 plies (rules)" in ran.out


def test_no_time_for_the_rest(qsage: Qsage, hexagons: str, part: tuple[str, ...]) -> None:
    ran = qsage("validate", hexagons, *part, "--timeout", "0.05")
    assert ran.code == Exit.UNDECIDED
    assert "undecided (formula); proved: dependencies" in ran.out


def test_functions_that_look_right_are_not_completed(qsage: Qsage, tmp_path: Path) -> None:
    formula, peeking = tmp_path / "f.qcir", tmp_path / "peeking.aag"
    formula.write_text(
        "exists(1)\nforall(2)\nexists(3)\noutput(6)\n4 = xor(1, -2)\n5 = or(3, -3)\n6 = and(4, 5)\n"
    )
    peeking.write_text("aag 2 1 0 1 1\n4\n2\n2 4 4\n")
    ran = qsage("validate", str(formula), "--cert", str(peeking), "--blocks", "1", "--json")
    levels = json.loads(ran.out)["levels"]
    assert [level["verdict"] for level in levels[:2]] == ["refuted", "undecided"]
    assert "the rest is not looked for" in levels[1]["text"]
    alone = qsage(
        "validate", str(formula), "--cert", str(peeking), "--blocks", "1", "--level", "formula"
    )
    assert alone.code == Exit.UNDECIDED


def test_a_lost_part_is_shown_up_to_its_last_reply(qsage: Qsage, tmp_path: Path) -> None:
    """x1 says which of x2 Black cannot copy; the part chooses badly, and so it is lost after x2."""
    formula, lost = tmp_path / "f.qcir", tmp_path / "lost.aag"
    formula.write_text(
        "exists(1)\nforall(2)\nexists(3)\nforall(4)\nexists(5)\noutput(8)\n"
        "6 = xor(3, -2)\n7 = xor(5, -4)\n8 = and(6, 7)\n"
    )
    lost.write_text("aag 3 1 0 2 1\n4\n2\n6\n2 1 1\n6 5 5\n".replace("3 1 0 2 1", "3 1 0 2 2"))
    ran = qsage("validate", str(formula), "--cert", str(lost), "--blocks", "2", "--json")
    assert ran.code == Exit.REFUTED
    finding = json.loads(ran.out)["levels"][1]["findings"][0]
    assert finding["kind"] == "part of a certificate loses"
    assert "the formula is false under these functions, whatever the rest is" in finding["text"]
    assert len(finding["moves"]) == 4
    assert "--solver auto --blocks 2" in finding["replay"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--solver", "depqbf"), "found --solver or --blocks without --cert"),
        (("--dialect", "caqe"), "found --dialect without --cert, whose dialect it would be"),
        (("--axioms", "general"), "found --axioms without --trace, whose axioms they would be"),
        (("--cert", "CERT", "--solver", "nosuch"), "found the solver 'nosuch', expected auto"),
        (("--cert", "CERT", "--blocks", "9"), "found --blocks 9, expected at most 4"),
    ],
)
def test_what_does_not_fit(
    qsage: Qsage, hexagons: str, options: tuple[str, ...], message: str
) -> None:
    named = [x.replace("CERT", hexagons.replace(".qcir", ".aig")) for x in options]
    ran = qsage("validate", hexagons, *named)
    assert ran.code == Exit.BAD_INPUT
    assert message in ran.err
    assert ran.err.count("\n") == 1
