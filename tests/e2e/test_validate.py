"""``qsage validate``: levels, blame, reports, proofs and limits, as a user sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage

SAMPLES = ("tic", "domineering", "evader", "hex")


def _sample(repository: Path, name: str) -> tuple[str, str, str]:
    folder = repository / "certificates"
    return str(folder / f"{name}.qcir"), "--cert", str(folder / f"{name}.aig")


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_valid_on_every_level(qsage: Qsage, repository: Path, name: str) -> None:
    done = qsage("validate", *_sample(repository, name), "--games", 100, "--json")
    assert done.code == Exit.FINE
    assert done.err == ""
    read = json.loads(done.out)
    assert read["verdict"] == "valid"
    verdicts = {level["level"]: level["verdict"] for level in read["levels"]}
    assert verdicts.pop("random plays") == "sampled"
    # Position and legality are Black's to state: a certificate for White has none of its own.
    boards = "not applicable" if name == "domineering" else "proved"
    assert verdicts.pop("boards") == boards
    assert verdicts == dict.fromkeys(
        ("dependencies", "formula", "all plays", "rules", "encoding"), "proved"
    )
    game, formula, *_ = read["statements"]
    won = name != "domineering"
    assert (game["about"], game["winner"]) == ("game", "black" if won else "white")
    assert (formula["about"], formula["value"]) == ("formula", won)
    assert read["blame"] == ""


def test_the_encoding_alone_is_proved(qsage: Qsage, repository: Path) -> None:
    formula, *_ = _sample(repository, "tic")
    done = qsage("validate", formula)
    assert done.code == Exit.FINE
    said = "the formula is true exactly when Black wins httt 4x4 tic within 5 plies (encoding)"
    assert done.out.splitlines()[-1] == f"sample:tic.qcir: valid: {said}"


def test_another_game_of_the_same_shape_is_told_apart(qsage: Qsage, repository: Path) -> None:
    """The formula and its certificate agree, the rules are those of another game."""
    el = "httt --size 4x4 --shape el --depth 5"
    done = qsage("validate", *_sample(repository, "tic"), "--model", el, "--json")
    assert done.code == Exit.REFUTED
    read = json.loads(done.out)
    verdicts = {level["level"]: level["verdict"] for level in read["levels"]}
    assert verdicts["formula"] == "proved"
    assert verdicts["rules"] == verdicts["encoding"] == "refuted"
    assert read["blame"].startswith("the encoding is wrong")
    rules = next(level for level in read["levels"] if level["level"] == "rules")
    assert len(rules["findings"][0]["moves"]) == 5
    assert "--moves" in rules["findings"][0]["replay"]


def test_a_game_that_does_not_fit_is_named(qsage: Qsage, repository: Path) -> None:
    other = "httt --size 3x3 --shape tic --depth 5"
    done = qsage("validate", *_sample(repository, "tic"), "--model", other)
    assert done.code == Exit.BAD_INPUT
    assert "its board is 3x3, expected 4x4" in done.err
    assert done.err.count("\n") == 1


def test_a_game_by_name_has_the_language_of_the_layout(qsage: Qsage) -> None:
    """A positional encoding of Hex is compared with the positional rules of Hex."""
    words = ("hex", "--size", "3x3", "--depth", "5")
    made = qsage("certify", *words, "--encoding", "et", "-o", "hex.aig", "--formula", "hex.qcir")
    assert made.code == Exit.FINE
    files = ("hex.qcir", "--cert", "hex.aig", "--model")
    assert qsage("validate", *files, " ".join(words)).code == Exit.FINE
    other = qsage("validate", *files, "hex --size 4x4 --depth 7")
    assert other.code == Exit.BAD_INPUT
    assert "it has 7 plies, expected 5" in other.err
    assert qsage("validate", *files, "breakthrough --size 2x4").code == Exit.BAD_INPUT


def test_a_damaged_certificate_is_to_blame(qsage: Qsage, repository: Path) -> None:
    """One flipped gate: the levels that can see it do, and the encoding is cleared."""
    el = ("httt", "--size", "3x3", "--shape", "el", "--depth", "5")
    assert qsage("certify", *el, "-o", "el.aag", "--formula", "el.qcir").code == Exit.FINE
    lines = Path("el.aag").read_text().split("\n")
    _, _, inputs, _, outputs, gates = (int(x) if x.isdigit() else 0 for x in lines[0].split())
    caught = 0
    for number in range(1 + inputs + outputs, 1 + inputs + outputs + gates, gates // 6):
        gate, left, right = lines[number].split()
        damaged = [*lines[:number], f"{gate} {int(left) ^ 1} {right}", *lines[number + 1 :]]
        Path("wrong.aag").write_text("\n".join(damaged))
        done = qsage("validate", "el.qcir", "--cert", "wrong.aag", "--games", "50", "--json")
        read = json.loads(done.out)
        verdicts = {level["level"]: level["verdict"] for level in read["levels"]}
        assert verdicts["encoding"] == "proved"
        if done.code == Exit.REFUTED:
            caught += 1
            assert read["blame"].startswith("the certificate is wrong")
    assert caught >= 4


def test_a_wrong_answer_is_to_blame(qsage: Qsage) -> None:
    """A "Skolem certificate" of a false formula: nobody could have one."""
    el = ("httt", "--size", "3x3", "--shape", "el")
    assert qsage("certify", *el, "--depth", "5", "-o", "c.aag", "--formula", "5.qcir").code == 0
    assert qsage("encode", *el, "--depth", "3", "-o", "3.qcir").code == 0
    qcir = Path("3.qcir").read_text()
    universals = [
        v.strip()
        for line in qcir.splitlines()
        if line.startswith("forall(")
        for v in line[7:-1].split(",")
    ]
    count = len(universals)
    text = [f"aag {count} {count} 0 2 0", *(str(2 * k + 2) for k in range(count)), "0", "1"]
    text += [f"i{k} {v}" for k, v in enumerate(universals)] + ["o0 1", "o1 result", ""]
    Path("claim.aag").write_text("\n".join(text))
    done = qsage("validate", "3.qcir", "--cert", "claim.aag", "--json")
    assert done.code == Exit.REFUTED
    assert json.loads(done.out)["blame"].startswith("the solver's answer is wrong")


def test_a_peeking_function_fails_level_one(qsage: Qsage) -> None:
    Path("f.qcir").write_text("#QCIR-G14\nexists(1)\nforall(2)\noutput(3)\n3 = xor(1, -2)\n")
    Path("c.aag").write_text("aag 1 1 0 2 0\n2\n2\n1\ni0 2\no0 1\no1 result\n")
    done = qsage("validate", "f.qcir", "--cert", "c.aag", "--json")
    assert done.code == Exit.REFUTED
    level = json.loads(done.out)["levels"][0]
    assert (level["level"], level["verdict"]) == ("dependencies", "refuted")
    assert "reads 2" in level["findings"][0]["text"]


def test_a_page_and_a_proof_are_written(qsage: Qsage, repository: Path) -> None:
    sample = _sample(repository, "tic")
    done = qsage("validate", *sample, "--report", "out.html", "--proof", "tic")
    assert done.code == Exit.FINE
    page = Path("out.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "valid" in page
    assert "<svg" in page
    assert Path("tic/formula.cnf").read_text().splitlines()[-1].endswith(" 0")
    assert Path("tic/formula.lrat").read_text().strip().endswith("0")


def test_a_proof_that_cannot_be_written_is_said_at_once(qsage: Qsage, repository: Path) -> None:
    done = qsage("validate", *_sample(repository, "tic"), "--proof", "nowhere/tic")
    assert done.code == Exit.BAD_INPUT
    assert done.out == ""
    assert done.err.count("\n") == 1


def test_limits_end_in_undecided(qsage: Qsage, repository: Path) -> None:
    sample = _sample(repository, "tic")
    for limit in (("--timeout", "0"), ("--memory", "30")):
        done = qsage("validate", *sample, *limit)
        assert done.code == Exit.UNDECIDED, (limit, done)
        assert "undecided" in done.out.splitlines()[-1]


def test_results_do_not_depend_on_the_number_of_processes(qsage: Qsage, repository: Path) -> None:
    def levels(jobs: int) -> list[tuple[str, str, object]]:
        sample = _sample(repository, "tic")
        done = qsage("validate", *sample, "--jobs", str(jobs), "--games", "300", "--json")
        assert done.code == Exit.FINE
        return [
            (level["level"], level["text"], level["evidence"].get("digest"))
            for level in json.loads(done.out)["levels"]
        ]

    assert levels(1) == levels(2)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--level", "nonsense"), "found --level nonsense, expected one of"),
        (("--model", "httt", "--game", "a", "b"), "found --game with --model"),
        (("--jobs", "0"), "--jobs"),
        (("--report", "-", "--json"), "found --json with output to '-'"),
    ],
)
def test_contradictory_options(
    qsage: Qsage, repository: Path, arguments: tuple[str, ...], text: str
) -> None:
    done = qsage("validate", *_sample(repository, "tic"), *arguments)
    assert done.code == Exit.BAD_INPUT
    assert text in done.err
    assert done.err.count("\n") == 1


def test_without_a_certificate_only_the_encoding_can_be_checked(
    qsage: Qsage, repository: Path
) -> None:
    formula, *_ = _sample(repository, "tic")
    done = qsage("validate", formula, "--level", "formula")
    assert done.code == Exit.BAD_INPUT
    assert "--cert" in done.err


def test_the_encoding_is_proved_without_a_certificate(qsage: Qsage, repository: Path) -> None:
    formula, *_ = _sample(repository, "evader")
    done = qsage("validate", formula, "--proof", "proof")
    assert done.code == Exit.FINE
    assert "proof: proof: encoding (" in done.err
    done = qsage("verify", "proof", "--checker", "qsage")
    assert done.code == Exit.FINE
    assert done.out.splitlines()[-1].endswith("are those of the inputs (encoding)")


def test_certificates_of_other_tools_with_their_games(qsage: Qsage, shared_data: Path) -> None:
    """Foreign formulas with meta files, of both kinds, and clause sets alone."""
    folder, games = shared_data / "certificates", shared_data / "bddl"
    pairs = [
        ("quabs/httt-3x3_3_domino.qcir", "quabs/httt-3x3_3_domino.aig", "httt/3x3_3_domino.ig", 7),
        (
            "quabs/domineering__4x2_5.qcir",
            "quabs/domineering__4x2_5.aig",
            "domineering/4x2_5.ig",
            7,
        ),
        ("quabs/domineering-2x2_2.qcir", "quabs/domineering-2x2_2.aag", "domineering/2x2_2.ig", 7),
        ("pedant-cnf/httt_3_3_el_grounded/certificate.cnf", None, "httt/3x3_5_el.ig", 4),
    ]
    for formula, certificate, problem, levels in pairs:
        family = problem.partition("/")[0]
        words = [str(folder / formula)]
        words += [] if certificate is None else ["--cert", str(folder / certificate)]
        words += ["--game", str(games / family / "domain.ig"), str(games / problem)]
        done = qsage("validate", *words, "--games", "60", "--json")
        assert done.code == Exit.FINE, (formula, done)
        read = json.loads(done.out)
        verdicts = {level["level"]: level["verdict"] for level in read["levels"]}
        assert verdicts.pop("random plays") == "sampled"
        herbrand = "domineering__4x2" in formula
        assert verdicts.pop("boards") == ("not applicable" if herbrand else "proved")
        assert set(verdicts.values()) == {"proved"}
        assert len(read["levels"]) == levels


def test_rules_that_clauses_hide_are_told(qsage: Qsage) -> None:
    """A game that fits was refused: "no layout says what the variables mean"."""
    game = "domineering --size 3x3"
    assert qsage("encode", *game.split(), "--depth", 3, "-o", "f.qdimacs").code == Exit.FINE
    assert qsage("certify", "f.qdimacs", "-o", "c.aag").code == Exit.FINE
    asked = ("validate", "f.qdimacs", "--cert", "c.aag")
    for done in (qsage(*asked), qsage(*asked, "--model", f"{game} --depth 3")):
        assert done.code == Exit.FINE
        assert "rules          not applicable" in done.out
        assert "a Herbrand certificate needs the" in done.out
    done = qsage(*asked, "--model", "domineering --size 4x4 --depth 3")
    assert done.code == Exit.BAD_INPUT
    assert done.err.count("\n") == 1
    done = qsage(*asked, "--game", "nosuch.ig", "nosuch.ig")
    assert done.code == Exit.BAD_INPUT
    assert "nosuch.ig" in done.err
