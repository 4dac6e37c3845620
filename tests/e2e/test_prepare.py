"""``--prepare`` of ``encode``, ``solve`` and ``certify``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage

# Black needs four stones for a way, and has three: nothing is left.
SHORT = ("hex", "--size", "4x4", "--depth", "5")
ELLY = ("httt", "--size", "4x4", "--shape", "elly", "--depth", "7", "--maker-breaker")
EL = ("httt", "--size", "3x3", "--shape", "el", "--depth", "5", "--maker-breaker")

BOARDS = [
    *(("hex", "--size", size, "--depth", depth) for size in ("2x2", "3x3") for depth in "1357"),
    *(
        ("httt", "--size", "3x3", "--shape", shape, "--depth", depth, *mode)
        for shape in ("domino", "el", "tic", "fatty")
        for depth in "35"
        for mode in ((), ("--maker-breaker",))
    ),
]


@pytest.mark.parametrize("words", BOARDS, ids=" ".join)
def test_the_winner_is_the_same_and_proved_on_the_whole_game(
    qsage: Qsage, words: tuple[str, ...]
) -> None:
    plain = qsage("solve", *words, "--encoding", "cor-lean").code
    assert plain in (Exit.TRUE, Exit.FALSE)
    assert qsage("solve", *words, "--prepare").code == plain
    assert qsage("solve", *words, "--prepare", "--encoding", "cor+").code == plain
    done = qsage("certify", *words, "--prepare", "-o", "c.aig", "--formula", "f.qcir")
    assert done.code == Exit.FINE
    qsage("encode", *words, "--encoding", "cor-lean", "-o", "whole.qcir")
    assert Path("f.qcir").read_bytes() == Path("whole.qcir").read_bytes()
    read = json.loads(qsage("validate", "whole.qcir", "c.aig", "--json").out)
    kind = "Skolem" if plain == Exit.TRUE else "Herbrand"
    assert (read["verdict"], read["facts"]["kind"]) == ("valid", kind)
    levels = {level["level"]: level["verdict"] for level in read["levels"]}
    assert levels["formula"] == "proved"
    assert set(levels.values()) <= {"proved", "sampled", "not applicable"}


@pytest.mark.parametrize("name", ["f.qcir", "f.qdimacs"])
def test_certificates_by_solvers(qsage: Qsage, name: str) -> None:
    words = (*EL, "--encoding", "cor+", "--prepare", "--route", "bloqqer")
    done = qsage("certify", *words, "-o", "c.aig", "--formula", name, "--json")
    facts = json.loads(done.out)
    assert facts["by"].endswith(" on the prepared game")
    assert [stage["stage"] for stage in facts["stages"]][-2:] == ["lift", "check"]
    assert (facts["open_positions"], facts["positions_left"]) == (9, 9)
    assert json.loads(qsage("validate", name, "c.aig", "--json").out)["verdict"] == "valid"


def test_a_changed_certificate_is_refuted(qsage: Qsage) -> None:
    qsage("certify", *ELLY, "--prepare", "-o", "c.aag", "--formula", "f.qcir")
    lines = Path("c.aag").read_text().splitlines()
    _, _, inputs, _, outputs, _ = lines[0].split()
    first = 1 + int(inputs)
    # The first bit of the first move, the other way round.
    lines[first] = str(int(lines[first]) ^ 1)
    assert int(outputs) > 0
    Path("c.aag").write_text("\n".join(lines) + "\n")
    assert qsage("validate", "f.qcir", "c.aag").code == Exit.REFUTED


def test_the_formula_of_what_is_left(qsage: Qsage) -> None:
    done = qsage("encode", *SHORT, "--encoding", "sn", "--prepare", "-o", "f.qcir", "--json")
    facts = json.loads(done.out)
    assert (facts["open_positions"], facts["positions_left"], facts["variables"]) == (16, 0, 0)
    assert done.err.startswith("hex 4x4 prepared: 16 open positions, 0 left\n")
    assert qsage("solve", "f.qcir").code == Exit.FALSE


def test_the_answer_is_about_the_whole_game(qsage: Qsage) -> None:
    assert qsage("solve", *SHORT, "--prepare").out == (
        "White wins: Black does not win within 5 plies\n"
    )
    facts = json.loads(qsage("solve", *SHORT, "--prepare", "--encoding", "ea", "--json").out)
    assert (facts["depth"], facts["winner"], facts["positions_left"]) == (5, "white", 0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", *SHORT[:-1], "auto", "--prepare"), "--prepare with --depth auto"),
        (("solve", *SHORT, "--prepare", "--solution", "s.json"), "--prepare with --solution"),
        (("solve", "sample:tic", "--prepare"), "--prepare with a formula"),
        (("encode", "sample:tic", "--prepare", "-o", "f.qcir"), "--prepare with a formula"),
        (("certify", "sample:tic", "--prepare", "-o", "c.aig"), "--prepare with a formula"),
        (("encode", "breakthrough", "--prepare", "-o", "f.qcir"), "expected a positional game"),
        (("solve", *SHORT, "--prepare", "--encoding", "core"), "unknown encoding 'core'"),
        (
            ("solve", *SHORT, "--prepare", "--encoding", "lifted"),
            "--prepare with the encoding lifted, expected one of positional games: cor-lean,",
        ),
        # The game is good, and so is preparation; the encoding is one of networks alone.
        (
            ("certify", *ELLY, "--prepare", "--encoding", "sn", "-o", "c.aig"),
            "found winning sets, expected Black's network for SN",
        ),
        (
            ("encode", *ELLY, "--prepare", "--encoding", "sn", "-o", "f.qcir"),
            "found winning sets, expected Black's network for SN",
        ),
        (
            ("solve", *ELLY, "--prepare", "--encoding", "sn"),
            "found winning sets, expected Black's network for SN",
        ),
        (
            ("encode", *ELLY, "--encoding", "cover", "--prepare", "-o", "f.qcir"),
            "--prepare with the encoding cover, which is about shapes on a whole board",
        ),
    ],
)
def test_what_it_does_not_go_with(qsage: Qsage, words: tuple[str, ...], message: str) -> None:
    done = qsage(*words)
    assert (done.code, done.out) == (Exit.BAD_INPUT, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not list(Path().glob("[fcs].*"))
