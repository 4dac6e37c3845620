"""``qsage certify`` writes what ``qsage validate`` proves, or nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import Exit
from qsage_validate.kernel.certificate import CircuitCertificate

from .conftest import Qsage

EL = ("httt", "--size", "3x3", "--shape", "el")


@pytest.mark.parametrize("formula", ["f.qcir", "f.qdimacs"])
@pytest.mark.parametrize("certificate", ["c.aig", "c.aag"])
@pytest.mark.parametrize(("depth", "kind"), [(5, "Skolem"), (3, "Herbrand")])
def test_what_is_written_is_proved(
    qsage: Qsage, formula: str, certificate: str, depth: int, kind: str
) -> None:
    done = qsage("certify", *EL, "--depth", depth, "-o", certificate, "--formula", formula)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(f"{certificate}: {kind} certificate of httt 3x3 el for ")
    read = json.loads(qsage("validate", formula, "--cert", certificate, "--json").out)
    assert (read["verdict"], read["facts"]["kind"]) == ("valid", kind)
    levels = {level["level"]: level for level in read["levels"]}
    assert levels["formula"]["verdict"] == "proved"
    assert levels["formula"]["evidence"]["dont_cares"] == []


def test_the_formula_is_that_of_encode(qsage: Qsage) -> None:
    qsage("certify", *EL, "--depth", 5, "-o", "c.aig", "--formula", "f.qcir")
    qsage("encode", *EL, "--depth", 5, "-o", "g.qcir")
    assert Path("f.qcir").read_bytes() == Path("g.qcir").read_bytes()


@pytest.mark.parametrize("dialect", ["caqe", "qbfcert-ascii", "qbfcert-binary"])
def test_other_dialects(qsage: Qsage, dialect: str) -> None:
    name = "c.aag" if dialect == "qbfcert-ascii" else "c.aig"
    qsage("certify", *EL, "--depth", 5, "-o", name, "--formula", "f.qcir", "--as", dialect)
    read = json.loads(qsage("validate", "f.qcir", "--cert", name, "--json").out)
    assert (read["verdict"], read["facts"]["dialect"]) == ("valid", dialect)


def test_numbers_for_programs(qsage: Qsage) -> None:
    done = qsage("certify", *EL, "--depth", 5, "-o", "c.aig", "--json")
    facts = json.loads(done.out)
    assert (facts["winner"], facts["kind"], facts["formula"]) == ("black", "Skolem", None)
    assert 0 < facts["gates"] < 1000
    assert Path("c.aig").exists()


def test_a_limit_leaves_no_files(qsage: Qsage) -> None:
    done = qsage(
        "certify",
        *("httt", "--size", "6x6", "--shape", "skinny", "--timeout", "0.2"),
        *("-o", "c.aig", "--formula", "f.qcir"),
    )
    assert done.code == Exit.UNDECIDED
    assert done.err.count("\n") == 1
    assert list(Path().iterdir()) == []


def test_a_certificate_that_does_not_hold_is_not_written(
    qsage: Qsage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the compiler gets wrong, the check stands between it and the file."""
    from qsage_validate.certificates import compiler as compile
    from qsage_validate.certificates import routes as certify

    right = compile.compile_plan

    def wrong(*arguments: Any) -> CircuitCertificate:
        made = right(*arguments)
        move = next(iter(made.functions))
        return replace(made, functions={**made.functions, move: made.functions[move] ^ 1})

    monkeypatch.setattr(certify, "compile_plan", wrong)
    done = qsage("certify", *EL, "--depth", 5, "-o", "c.aig", "--formula", "f.qcir")
    assert done.code == Exit.REFUTED
    assert "does not hold" in done.err
    assert list(Path().iterdir()) == []


def test_certificate_and_formula_are_two_files(qsage: Qsage) -> None:
    done = qsage("certify", *EL, "--depth", 5, "-o", "c", "--formula", "./c")
    assert done.code == Exit.BAD_INPUT
    assert "would overwrite c" in done.err


def test_a_folder_that_is_not_there_is_one_line(qsage: Qsage) -> None:
    done = qsage("certify", *EL, "--depth", 5, "-o", "nowhere/c.aig")
    assert done.code == Exit.BAD_INPUT
    assert done.err.startswith("nowhere/c.aig: found ")
    assert done.err.count("\n") == 1


def test_a_stop_stays_where_a_decision_does_not_know_that_black_has_won(qsage: Qsage) -> None:
    """A decision of a plan serves positions in which Black has won on another way already."""
    words = ("hex", "--size", "5x5", "--depth", 13, "--encoding", "cor")
    done = qsage("certify", *words, "-o", "c.aig")
    assert (done.code, done.err.count("for Black")) == (Exit.FINE, 1), done.err
