"""``qsage minimise`` writes a smaller certificate that ``qsage validate`` proves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage

DOMINO = ("httt", "--size", "3x3", "--shape", "domino", "--depth", "3")
HELD = ("httt", "--size", "2x2", "--shape", "el", "--depth", "3")


def make(qsage: Qsage, *words: str, formula: str = "f.qcir") -> None:
    done = qsage("certify", *words, "-o", "c.aig", "--formula", formula)
    assert done.code == Exit.FINE, done.err


@pytest.mark.parametrize("formula", ["f.qcir", "f.qdimacs"])
def test_what_is_written_is_smaller_and_proved(qsage: Qsage, formula: str) -> None:
    make(qsage, *DOMINO, formula=formula)
    done = qsage("minimise", formula, "c.aig", "-o", "small.aag", "--json", "--timeout", "4")
    assert done.code == Exit.FINE, done.err
    facts = json.loads(done.out)
    assert facts["smaller"]
    assert facts["gates"] < facts["gates_before"]
    assert f"{facts['gates']:,} AND gates of {facts['gates_before']:,}" in done.err
    assert Path("small.aag").read_text().split()[5] == str(facts["gates"])
    read = json.loads(qsage("validate", formula, "--cert", "small.aag", "--json").out)
    assert read["verdict"] == "valid"
    names = [stage["name"] for stage in facts["stages"]]
    assert names[:2] == ["structure", "check"]
    assert names[-1] == "check"


def test_a_herbrand_certificate_stays_one(qsage: Qsage) -> None:
    make(qsage, *HELD)
    assert qsage("minimise", "f.qcir", "c.aig", "-o", "small.aig", "--timeout", "4").code == 0
    read = json.loads(qsage("validate", "f.qcir", "--cert", "small.aig", "--json").out)
    assert (read["verdict"], read["facts"]["kind"]) == ("valid", "Herbrand")


@pytest.mark.parametrize("dialect", ["qbfcert-ascii", "qbfcert-binary", "caqe"])
def test_the_dialect_stays_or_is_chosen(qsage: Qsage, dialect: str) -> None:
    done = qsage("certify", *DOMINO, "-o", "c", "--formula", "f.qcir", "--as", dialect)
    assert done.code == 0
    for out, options in (("kept", ()), ("chosen", ("--as", dialect))):
        done = qsage("minimise", "f.qcir", "c", "-o", out, *options, "--timeout", "0.5")
        assert done.code == 0, done.err
        read = json.loads(qsage("validate", "f.qcir", "--cert", out, "--json").out)
        assert (read["verdict"], read["facts"]["dialect"]) == ("valid", dialect)


def test_what_cannot_be_made_smaller_is_said(qsage: Qsage) -> None:
    Path("f.qcir").write_text("#QCIR-G14\nforall(1)\nexists(2)\noutput(3)\n3 = xor(-1, 2)\n")
    Path("c.aag").write_text("aag 1 1 0 2 0\n2\n2\n1\ni0 1\no0 2\no1 result\n")
    done = qsage("minimise", "f.qcir", "c.aag", "-o", "out.aag")
    assert done.code == 0
    assert done.err == "out.aag: nothing smaller than 0 AND gates was found and proved\n"
    assert "o0 2" in Path("out.aag").read_text()


def test_a_wrong_certificate_is_refuted_and_nothing_written(qsage: Qsage) -> None:
    Path("f.qcir").write_text("#QCIR-G14\nforall(1)\nexists(2)\noutput(3)\n3 = xor(1, 2)\n")
    Path("c.aag").write_text("aag 1 1 0 2 0\n2\n2\n1\ni0 1\no0 2\no1 result\n")
    done = qsage("minimise", "f.qcir", "c.aag", "-o", "out.aag")
    assert done.code == Exit.REFUTED
    assert done.err.startswith("qsage: error: the certificate does not hold: the matrix is false")
    assert not Path("out.aag").exists()


def test_a_function_that_looks_to_its_right_is_refuted(qsage: Qsage) -> None:
    Path("f.qcir").write_text("#QCIR-G14\nexists(2)\nforall(1)\noutput(3)\n3 = xor(-1, 2)\n")
    Path("c.aag").write_text("aag 1 1 0 2 0\n2\n2\n1\ni0 1\no0 2\no1 result\n")
    done = qsage("minimise", "f.qcir", "c.aag", "-o", "out.aag")
    assert done.code == Exit.REFUTED
    assert "a function of 2 that reads 1" in done.err


@pytest.mark.parametrize("output", ["f.qcir", "c.aig"])
def test_no_input_is_overwritten(qsage: Qsage, output: str) -> None:
    make(qsage, *DOMINO)
    before = Path(output).read_bytes()
    done = qsage("minimise", "f.qcir", "c.aig", "-o", output)
    assert done.code == Exit.BAD_INPUT
    assert "would overwrite" in done.err
    assert Path(output).read_bytes() == before


def test_what_is_missing_or_unknown(qsage: Qsage) -> None:
    make(qsage, *DOMINO)
    assert qsage("minimise", "f.qcir", "none.aig", "-o", "x").code == Exit.BAD_INPUT
    assert qsage("minimise", "f.qcir", "c.aig", "-o", "x", "--as", "latin").code == Exit.BAD_INPUT
    done = qsage("minimise", "f.qcir", "c.aig", "-o", "x", "--as", "pedant", "--timeout", "1")
    assert done.code == Exit.BAD_INPUT
    assert not Path("x").exists()
