"""The boards level says no more than what the layout names of position and legality."""

from __future__ import annotations

import json
import re
from pathlib import Path

from qsage_validate.errors import Exit

from .conftest import Qsage

GAME = ("hex-network", "--size", "2x2", "--depth", 3)


def _claim(qsage: Qsage, formula: str) -> str:
    done = qsage("validate", formula, "--cert", "c.aag", "--level", "boards", "--json")
    assert done.code == Exit.FINE, done.out
    return str(json.loads(done.out)["claim"])


def test_boards_that_say_nothing_are_not_those_of_the_rules(qsage: Qsage) -> None:
    qsage("encode", *GAME, "--encoding", "ea", "-o", "f.qcir")
    qsage("certify", "f.qcir", "-o", "c.aag", "--route", "search")
    one_sided = "the position in the formula is no better for Black than that of the rules"
    assert _claim(qsage, "f.qcir") == f"{one_sided} in each play of the strategy"
    # Nothing is ever black, everything white.
    text = Path("f.qcir").read_text()
    gates = [int(n) for n in re.findall(r"^(\d+) = ", text, re.MULTILINE)]
    false = max(gates) + 1
    bits = " ".join([str(false)] * 4 + [str(-false)] * 4)
    text = re.sub(r"(#@ state [13]) .*", rf"\1 [{bits}]", text)
    Path("constant.qcir").write_text(f"{text}{false} = or()\n")
    assert _claim(qsage, "constant.qcir") == f"{one_sided} in each play of the strategy"


def test_legality_and_position_are_said_where_both_are_named(qsage: Qsage) -> None:
    words = ("httt", "--size", "3x3", "--shape", "domino", "--depth", 3)
    qsage("encode", *words, "-o", "f.qcir")
    qsage("certify", "f.qcir", "-o", "c.aag", "--route", "search")
    both = (
        "position and legality in the formula are those of the rules in each play of the strategy"
    )
    assert _claim(qsage, "f.qcir") == both
    # Without indicators nothing is said of legality.
    text = re.sub(r"#@ indicators .*\n", "", Path("f.qcir").read_text())
    Path("f.qcir").write_text(text)
    assert (
        _claim(qsage, "f.qcir")
        == "the position in the formula is that of the rules in each play of the strategy"
    )


def test_a_layout_of_moves_alone_is_enough_for_the_rules(qsage: Qsage) -> None:
    words = ("httt", "--size", "3x3", "--shape", "domino", "--depth", 3)
    qsage("encode", *words, "-o", "f.qcir")
    qsage("certify", "f.qcir", "-o", "c.aag", "--route", "search")
    kept = r"#@ (?!qsage-layout|board|actions|move|model)"
    lines = Path("f.qcir").read_text().splitlines(keepends=True)
    Path("f.qcir").write_text("".join(x for x in lines if not re.match(kept, x)))
    assert "state" not in Path("f.qcir").read_text()
    done = qsage("validate", "f.qcir", "--cert", "c.aag", "--json")
    read = json.loads(done.out)
    assert done.code == Exit.FINE, done.out
    verdicts = {level["level"]: level["verdict"] for level in read["levels"]}
    assert verdicts["rules"] == verdicts["all plays"] == "proved", verdicts
    played = qsage("play", "f.qcir", "--cert", "c.aag", "--white", "random", "--games", "5")
    assert (played.code, "lost 0" in played.out) == (Exit.FINE, True), played.out
