"""``qsage compare``: the strategy of one formula in another."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from qsage_validate.formats.writing import qcir_text
from tests.support.faults import negated_gate
from tests.support.readers import read_qcir

from .conftest import Qsage

EL = ("--size", "3x3", "--shape", "el", "--depth", "5")
# The certificate of each formula of SQval's pairs; one formula is published twice.
PAIRS = {
    "hein_04_03_equivalence": {"LN": "LN_certificate.aag", "SN": "SN_certificate.aag"},
    "hein_09_05_unsat_equivalence": {
        "LN": "../LN_hein_09_4x4_05_UNSAT/certificate.aag",
        "SN": "SN_certificate.aag",
    },
}


@pytest.mark.parametrize("pair", PAIRS)
def test_published_pairs_are_equivalent(qsage: Qsage, shared_data: Path, pair: str) -> None:
    folder = shared_data / "sqval" / pair
    shared = folder / "shared_variables.txt"
    for own, other in (("LN", "SN"), ("SN", "LN")):
        formulas = (folder / f"{own}.qdimacs", folder / f"{other}.qdimacs")
        cert = folder / PAIRS[pair][own]
        found = qsage("compare", *formulas, "--cert", cert, "--shared", shared)
        assert found.code == 0
        assert f"{other}.qdimacs: wins: " in found.out
    if pair.startswith("hein_09"):
        return  # certificates of these take long to make
    both = qsage("compare", *formulas, "--shared", shared)
    assert both.code == 0
    assert both.out.splitlines()[-1] == "equivalent: each strategy wins in the other formula"


def test_a_grid_and_a_positional_formula_of_one_game_agree(qsage: Qsage) -> None:
    qsage("encode", "httt", *EL, "-o", "grid.qcir")
    qsage("certify", "harary", *EL, "-o", "listed.aig", "--formula", "listed.qcir")
    found = qsage("compare", "listed.qcir", "grid.qcir", "--cert", "listed.aig")
    assert found.code == 0
    assert found.out.startswith("listed.qcir in grid.qcir: wins: ")
    both = qsage("compare", "grid.qcir", "listed.qcir", "--json")
    assert both.code == 0
    assert json.loads(both.out)["relation"] == "equivalent"


def test_a_faulty_formula_is_separated_by_a_play_that_replays_in_both(qsage: Qsage) -> None:
    domino = ("httt", "--size", "3x3", "--shape", "domino", "--depth", "3")
    qsage("certify", *domino, "-o", "el.aig", "--formula", "el.qcir")
    faulty = negated_gate(read_qcir("el.qcir"), "white 2 legal")
    Path("faulty.qcir").write_text(qcir_text(faulty))
    found = qsage("compare", "el.qcir", "faulty.qcir", "--cert", "el.aig", "-o", "there.aig")
    assert found.code == 1
    head, play, *replays = found.out.splitlines()
    assert head.startswith(
        "el.qcir in faulty.qcir: loses: the second formula is false in this play"
    )
    moves = play.removeprefix("  play: ").split()
    assert len(replays) == 2
    for replay in replays:
        program, *words = shlex.split(replay.removeprefix("  replay: "))
        assert program == "qsage-play"
        # The strategy makes the same moves in both formulas.
        played = qsage("play", *words).out
        for number, move in enumerate(moves, start=1):
            player = "Black" if number % 2 else "White"
            said = re.sub(r"occupy\((\d),(\d)\)", lambda m: "abc"[int(m[1]) - 1] + m[2], move)
            assert f"ply {number}, {player}: {said}\n" in played
    checked = qsage("validate", "faulty.qcir", "--cert", "there.aig", "--level", "formula")
    assert checked.code == 1


def test_formulas_of_different_games_are_told_apart(qsage: Qsage) -> None:
    qsage("encode", "httt", *EL, "-o", "el.qcir")
    qsage("encode", "httt", "--size", "3x3", "--shape", "tic", "--depth", "5", "-o", "tic.qcir")
    found = qsage("compare", "el.qcir", "tic.qcir")
    assert found.code == 1
    assert "by the rules Black does not win this play: held out for 5 plies" in found.out
    assert "by the rules White does not win this play: reached its goal" in found.out
    assert found.out.splitlines()[-1].startswith("different: ")


def test_what_loses_without_functions_is_told_all_the_same(qsage: Qsage) -> None:
    qsage("certify", "httt", *EL, "-o", "el.aig", "--formula", "el.qcir")
    qsage("encode", "httt", "--size", "3x3", "--shape", "tic", "--depth", "5", "-o", "tic.qcir")
    found = qsage("compare", "el.qcir", "tic.qcir", "--cert", "el.aig", "-o", "there.aig")
    assert found.code == 1
    assert "loses: by the rules Black does not win this play" in found.out
    assert found.err.startswith("there.aig: not written: ")
    assert not Path("there.aig").exists()


def test_all_encodings_of_a_game_agree(qsage: Qsage) -> None:
    found = qsage("compare", "hex-network", "--size", "2x2", "--depth", "3", "--encodings", "all")
    assert found.code == 0
    last = found.out.splitlines()[-1]
    assert last.startswith("all ")
    assert last.endswith(" agree: each strategy wins in every formula")
    two = ("domineering", "--size", "2x2", "--depth", "2", "--encodings", "lifted,lifted-guarded")
    assert json.loads(qsage("compare", *two, "--json").out)["encodings"] == [
        "lifted",
        "lifted-guarded",
    ]


def test_formulas_whose_value_says_nothing_are_left_out(qsage: Qsage) -> None:
    game = ("harary", "--size", "2x2", "--shape", "el", "--maker-breaker", "--depth", "3")
    found = qsage("compare", *game, "--encodings", "cor,ea,cover-played,pairing")
    assert found.code == 0
    lines = found.out.splitlines()
    assert "pairing: left out: the formula is true, of which no winner follows in pairing" in lines
    assert any(line.startswith("cover-played: left out: the formula is false") for line in lines)
    assert lines[-1] == "both agree: each strategy wins in every formula"


def test_all_encodings_of_a_game_in_gdl_agree(qsage: Qsage) -> None:
    found = qsage("compare", "trails", "--depth", "4", "--encodings", "all")
    assert found.code == 0
    last = found.out.splitlines()[-1]
    assert last == "all 6 agree: each strategy wins in every formula"


def test_winning_moves_one_by_one(qsage: Qsage) -> None:
    # Each choice is a question for the solvers, so the games are small; White wins some of them.
    for name, file in (("hex", "hex"), ("hex-network", "listed")):
        qsage("encode", name, "--size", "2x2", "--depth", "3", "-o", f"{file}.qcir")
    found = qsage("compare", "hex.qcir", "listed.qcir", "--exact")
    assert found.code == 0
    head, *rows, last = found.out.splitlines()
    assert head.split() == ["Black", "hex.qcir", "listed.qcir", "replies", "that", "win"]
    told = [row.split()[1:3] for row in rows]
    assert sorted(told) == [["loses", "loses"]] * 2 + [["wins", "wins"]] * 2
    assert last.startswith("equal: of 4 first choices and 12 replies the same win in both (")
    few = qsage("compare", "hex.qcir", "listed.qcir", "--exact", "--questions", "3")
    assert few.code == 3
    assert few.out.splitlines()[-1] == (
        "undecided: 0 of 4 first choices and 0 of 12 replies win or lose in both alike, the rest "
        "is open: 3 questions were asked"
    )
    assert few.out.count("  all 3 open\n") == 4
    assert " ? " in few.out
    back = qsage("compare", "listed.qcir", "hex.qcir", "--exact")
    assert (back.code, back.out.count("wins  ")) == (0, 4)


def test_winning_moves_of_a_faulty_formula(qsage: Qsage) -> None:
    qsage("encode", "hex", "--size", "2x2", "--depth", "3", "-o", "hex.qcir")
    faulty = negated_gate(read_qcir("hex.qcir"), "black 1 move")
    Path("faulty.qcir").write_text(qcir_text(faulty))
    told = qsage("compare", "hex.qcir", "faulty.qcir", "--exact", "--json")
    assert told.code == 1
    facts = json.loads(told.out)
    wins = [(*t["play"], m) for t in facts["turns"] for m, (a, b) in t["wins"].items() if a != b]
    assert facts["relation"] == "different"
    assert facts["sentence"].startswith(f"different: in one formula alone win {' '.join(wins[0])}")


def test_values_of_the_outer_block_one_by_one(qsage: Qsage) -> None:
    Path("first.qdimacs").write_text("p cnf 3 2\ne 1 2 0\na 3 0\n1 3 0\n2 -3 0\n")
    Path("second.qdimacs").write_text("p cnf 3 1\ne 1 2 0\na 3 0\n1 0\n")
    found = qsage("compare", "first.qdimacs", "second.qdimacs", "--exact")
    assert found.code == 1
    assert found.out.splitlines() == [
        "Black  first.qdimacs  second.qdimacs  replies that win",
        "1 2    wins           wins            none",
        "1 -2   loses          wins            3 | none",
        "-1 2   loses          loses           -3 | 3 -3",
        "-1 -2  loses          loses           3 -3",
        "different: in one formula alone win 1 -2, 1 -2 3, -1 2 3",
    ]


def test_a_value_that_is_not_found_in_time_is_undecided(qsage: Qsage) -> None:
    game = ("httt", "--size", "4x4", "--shape", "tippy", "--depth", "9")
    qsage("encode", *game, "-o", "first.qcir")
    qsage("encode", *game, "--encoding", "lifted-guarded", "-o", "second.qcir")
    for words in ((), ("--exact",)):
        done = qsage("compare", "first.qcir", "second.qcir", "--timeout", "0.01", *words)
        assert done.code == 3
        assert "Traceback" not in done.err
        assert (
            (done.out + done.err).strip().splitlines()[-1].startswith(("undecided", "qsage: und"))
        )


FIRST = "p cnf 3 2\ne 1 0\na 2 0\ne 3 0\n1 2 3 0\n-3 1 0\n"


@pytest.mark.parametrize(
    ("second", "shared", "code", "message"),
    [
        # The same strategy wins: 1 is true.
        ("p cnf 4 1\na 4 0\ne 1 0\n1 4 0\n", "1", 0, "wins: the functions are all that it needs"),
        ("p cnf 2 1\ne 2 0\ne 1 0\n-1 2 0\n", "1", 0, "wins: with functions of 1 other variable"),
        # It loses: 1 should be false.
        ("p cnf 4 2\na 4 0\ne 1 0\n1 4 0\n-1 -4 0\n", "1", 1, "loses: the second formula is false"),
        ("p cnf 4 1\ne 4 0\n-4 0\n", "1=4", 1, "loses: the second formula is false"),
        (
            "p cnf 1 1\na 1 0\n1 0\n",
            "1",
            2,
            "pairs:1:1: found '1', which is of exists in",
        ),
        ("p cnf 1 1\ne 1 0\n1 0\n", "7", 2, "pairs:1:1: found '7', expected a variable that the f"),
        ("p cnf 1 1\ne 1 0\n1 0\n", "3=8", 2, "'8', expected a variable that the second formula"),
        (
            "p cnf 1 1\ne 1 0\n1 0\n",
            "1=",
            2,
            "pairs:1:1: found '1=', expected a variable or a",
        ),
        ("p cnf 1 1\ne 1 0\n1 0\n", "1 3=1", 2, "pairs:1:3: found '3=1' again"),
        ("p cnf 2 1\na 2 0\ne 1 0\n1 2 0\n", "2", 2, "none of the shared variables is Black's"),
        ("p cnf 1 1\ne 1 0\n1 0\n", " # nothing", 2, "no variable, expected shared variables"),
    ],
)
def test_shared_variables(qsage: Qsage, second: str, shared: str, code: int, message: str) -> None:
    Path("first.qdimacs").write_text(FIRST)
    Path("second.qdimacs").write_text(second)
    Path("pairs").write_text(shared + "\n")
    # 1 is true and 3 is false.
    Path("cert.aag").write_text("aag 0 0 0 3 0\n1\n0\n1\no0 1\no1 3\no2 result\n")
    found = qsage(
        "compare", "first.qdimacs", "second.qdimacs", "--cert", "cert.aag", "--shared", "pairs"
    )
    assert found.code == code
    assert message in (found.err if code == 2 else found.out)
    assert (found.err.count("\n") == 1) == (code == 2)


def test_a_function_that_peeks_in_the_other_prefix(qsage: Qsage) -> None:
    Path("first.qdimacs").write_text("p cnf 2 2\na 1 0\ne 2 0\n1 -2 0\n-1 2 0\n")
    Path("second.qdimacs").write_text("p cnf 2 1\ne 2 0\na 1 0\n1 2 -1 0\n")
    Path("cert.aag").write_text("aag 1 1 0 2 0\n2\n2\n1\ni0 1\no0 2\no1 result\n")
    found = qsage("compare", "first.qdimacs", "second.qdimacs", "--cert", "cert.aag")
    assert found.code == 1
    assert "loses: the function of 2 reads 1, which is chosen later there" in found.out


def test_words_that_do_not_go(qsage: Qsage) -> None:
    qsage("encode", "httt", *EL, "-o", "el.qcir")
    for words, message in (
        (("el.qcir",), "found 1 word, expected two formulas, or a game with --encodings"),
        (("el.qcir", "el.qcir", "--depth", "3"), "found --depth with formulas"),
        (("el.qcir", "el.qcir", "-o", "x.aig"), "found -o without --cert"),
        (("httt", *EL, "--encodings", "lifted,gdl"), "found the encoding 'gdl' for httt 3x3 el"),
        (("httt", *EL, "--encodings", "all", "--cert", "x"), "found --cert with --encodings"),
        (("httt", *EL, "--encodings", "lifted,lifted"), "found 1 encoding, expected two or more"),
        (("httt", *EL, "--encodings", "all", "--exact"), "found --exact with --encodings"),
        (("el.qcir", "el.qcir", "--exact", "--cert", "x"), "found --cert with --exact"),
        (("el.qcir", "el.qcir", "--dialect", "caqe"), "found --dialect without --cert"),
        (("el.qcir", "el.qcir", "--questions", "9"), "found --questions without --exact"),
    ):
        done = qsage("compare", *words)
        assert (done.code, message in done.err, done.err.count("\n")) == (2, True, 1)
