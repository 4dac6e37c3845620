"""``--assert``: in plays and in validations, on files of others, and what is refused."""

from __future__ import annotations

import json
import lzma
import shlex
from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage


@pytest.fixture
def hexagons(repository: Path) -> tuple[str, str, str]:
    """The sample on 3x3 with its certificate."""
    formula = str(repository / "certificates" / "hex.qcir")
    return formula, "--cert", formula.replace(".qcir", ".aig")


@pytest.mark.parametrize("form", ["qcir", "qdimacs"])
def test_the_assertion_of_a_true_instance_of_sqval(
    qsage: Qsage, shared_data: Path, form: str
) -> None:
    folder = shared_data / "sqval" / "LN_hein_04_3x3_05_SAT"
    Path("c.aag").write_bytes(lzma.decompress((folder / "certificate.aag.xz").read_bytes()))
    files = (folder / f"qbf.{form}", "--cert", "c.aag", "--assert", folder / "assertion.cnf")
    found = qsage("validate", *files)
    assert found.code == Exit.FINE
    assert f"holds: {folder / 'assertion.cnf'}:1: 225 0" in found.out
    assert "the formula is true; the assertion holds in each play of the functions" in found.out
    played = qsage("play", *files, "--white", "random", "--games", "50")
    assert played.code == Exit.FINE


def test_the_assertion_of_a_false_instance_of_sqval(qsage: Qsage, shared_data: Path) -> None:
    """It is broken in the game of variables, where SQval's question cannot be answered with no."""
    folder = shared_data / "sqval" / "LN_hein_09_4x4_05_UNSAT"
    files = (folder / "qbf.qdimacs", "--cert", folder / "certificate.aag")
    asserted = (*files, "--assert", folder / "assertion.cnf")
    found = qsage("validate", *asserted, "--level", "assertions", "--json")
    assert found.code == Exit.REFUTED
    (level,) = json.loads(found.out)["levels"]
    (finding,) = level["findings"]
    assert finding["evidence"] == [{"name": "179", "value": False, "meaning": ""}]
    program, *words = shlex.split(finding["replay"])
    replayed = qsage("play", *words)
    assert (program, replayed.code) == ("qsage-play", Exit.REFUTED)
    assert "FINDING assertion broken" in replayed.out


def test_a_report_for_programs(qsage: Qsage, hexagons: tuple[str, ...]) -> None:
    Path("a.txt").write_text("end: goal\nply 2: white (2,2) implies goal\n")
    Path("b.cnf").write_text("p cnf 226 1\n226 0\n")
    found = qsage("validate", *hexagons, "--assert", "a.txt", "--assert", "b.cnf", "--json")
    report = json.loads(found.out)
    assert found.code == Exit.FINE
    levels = {level["level"]: level for level in report["levels"]}
    told = levels["assertions"]["evidence"]["assertions"]
    assert [(answer["place"], answer["verdict"]) for answer in told] == [
        ("a.txt:1", "holds"),
        ("a.txt:2", "vacuous"),
        ("b.cnf:2", "holds"),
    ]
    for level in ("random plays", "all plays"):
        looked = levels[level]["evidence"]["assertions"]
        assert looked.startswith("assertions looked at: 2 about positions (by the rules); 1 about")
    said = {statement["about"]: statement for statement in report["statements"]}
    assert said["assertions"]["levels"] == ["assertions"]
    assert report["facts"]["command"].endswith("--assert a.txt --assert b.cnf")


def test_a_limit_of_memory_keeps_the_assertions(qsage: Qsage, hexagons: tuple[str, ...]) -> None:
    Path("a.txt").write_text("end: not goal\n")
    options = ("--assert", "a.txt", "--level", "assertions", "--memory", "4000")
    found = qsage("validate", *hexagons, *options)
    assert found.code == Exit.REFUTED
    assert "broken: a.txt:1: end: not goal" in found.out


def test_one_that_time_did_not_suffice_for(qsage: Qsage, hexagons: tuple[str, ...]) -> None:
    Path("a.txt").write_text("end: goal\n")
    options = ("--assert", "a.txt", "--level", "assertions", "--timeout", "0")
    assert qsage("validate", *hexagons, *options).code == Exit.UNDECIDED


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", (), "a.txt:1:1: found no assertion, expected a clause, or a line like 'end: goal'"),
        ("ply 7: goal", (), "a.txt:1:1: found ply 7, expected a ply from 0 to 5"),
        ("always red (1,1)", (), "a.txt:1:8: found 'red (1,1)', expected a name of the position"),
        ("1 2", (), "a.txt:1:4: found the end of the line, expected 0 after the clause"),
        ("always goal and", (), "a.txt:1:16: found the end of the line, expected a name"),
    ],
)
@pytest.mark.parametrize("command", ["validate", "play"])
def test_what_is_wrong_with_a_file_is_one_line(
    qsage: Qsage,
    hexagons: tuple[str, ...],
    command: str,
    text: str,
    options: tuple[str, ...],
    message: str,
) -> None:
    Path("a.txt").write_text(text)
    more = ("--moves", "") if command == "play" else ()
    found = qsage(command, *hexagons, "--assert", "a.txt", *options, *more)
    assert found.code == Exit.BAD_INPUT
    assert found.out == ""
    assert message in found.err
    assert found.err.count("\n") == 1


def test_options_that_do_not_go_together(qsage: Qsage, hexagons: tuple[str, ...]) -> None:
    Path("a.txt").write_text("end: goal\n")
    formula = hexagons[0]
    for words, message in (
        (("validate", formula, "--assert", "a.txt"), "found --assert without --cert"),
        (("validate", *hexagons, "--level", "assertions"), "expected --assert FILE with it"),
        (("validate", *hexagons, "--assert", "-"), "needs its files by name"),
        (("validate", *hexagons, "--assert", "none.txt"), "none.txt: found"),
        (("play", "take-away-3", "--assert", "a.txt"), "found --assert with an impartial game"),
        (("info", hexagons[2], "--names"), "found --names with AIGER (binary)"),
    ):
        found = qsage(*words)
        assert found.code == Exit.BAD_INPUT, words
        assert message in found.err
        assert found.err.count("\n") == 1


def test_blocks_are_played_with_words_that_nobody_looks_at(
    qsage: Qsage, hexagons: tuple[str, ...]
) -> None:
    Path("a.txt").write_text("always not goal\n226 0\n")
    found = qsage("play", *hexagons, "--assert", "a.txt", "--bare", "--white", "random")
    assert found.code == Exit.FINE
    assert "not the 1 about positions, for values are played, no moves" in found.out


def test_info_tells_the_names(qsage: Qsage, hexagons: tuple[str, ...]) -> None:
    told = json.loads(qsage("info", hexagons[0], "--names", "--json").out)["names"]
    assert told["plies"] == "0 to 5"
    assert {"black (1,1)", "white (3,3)", "goal"} <= set(told["positions"])
    assert any(line.startswith("white 2 legal = ") for line in told["variables_and_gates"])


def test_a_proof_for_other_checkers(qsage: Qsage, hexagons: tuple[str, ...]) -> None:
    Path("a.txt").write_text("always not (black (1,1) and white (1,1))\n226 0\n")
    options = ("--assert", "a.txt", "--level", "assertions", "--proof", "bundle")
    assert qsage("validate", *hexagons, *options).code == Exit.FINE
    checked = qsage("verify", "bundle")
    assert checked.code == Exit.FINE
    assert checked.out.splitlines()[-1].endswith("(assertions)")
    Path("a.txt").write_text("always not (black (1,1) and white (1,2))\n226 0\n")
    changed = qsage("verify", "bundle")
    assert changed.code == Exit.REFUTED
    assert "a.txt is not the file that the bundle was made from" in changed.err + changed.out


def test_a_solver_is_asked_for_what_an_end_needs(qsage: Qsage, hexagons: tuple[str, ...]) -> None:
    pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")
    Path("a.txt").write_text("always not (black (1,1) and white (1,1))\n226 0\n")
    words = (hexagons[0], "--solver", "depqbf", "--assert", "a.txt")
    found = qsage("play", *words, "--white", "random", "--games", "2", "--json")
    assert found.code == Exit.FINE
    report = json.loads(found.out)
    assert (report["wins"], report["findings_total"]) == (2, 0)
    assert report["assertions"].startswith("assertions looked at: 1 about positions (by the rules)")
    Path("a.txt").write_text("-226 0\n")
    broken = qsage("play", *words, "--white", "random", "--games", "1")
    assert broken.code == Exit.REFUTED
    assert "assertion broken after ply 5: a.txt:1: -226 0" in broken.out
