"""``qsage solve`` says who wins, ``qsage validate`` whether a certificate is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage

EL = ("httt", "--size", "3x3", "--shape", "el")


@pytest.mark.parametrize(
    ("model", "code", "winner"),
    [
        ((*EL, "--depth", "5"), Exit.TRUE, "black"),
        ((*EL, "--depth", "3"), Exit.FALSE, "white"),
        (("breakthrough", "--size", "2x4", "--second", "--depth", "9"), Exit.TRUE, "black"),
        (("domineering", "--size", "2x2", "--depth", "2"), Exit.TRUE, "black"),
        (("domineering", "--size", "2x2", "--second", "--depth", "3"), Exit.FALSE, "white"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else None,
)
def test_the_winner_is_told(qsage: Qsage, model: tuple[str, ...], code: Exit, winner: str) -> None:
    told = qsage("solve", *model)
    facts = qsage("solve", *model, "--json")
    assert told.code == facts.code == code
    assert told.err == facts.err == ""
    assert told.out.lower().startswith(f"{winner} wins")
    read = json.loads(facts.out)
    assert read["winner"] == winner
    assert bool(read["first_moves"]) == ("first move" in told.out)
    assert (read["critical_plies"] is not None) == (winner == "black")


def test_a_limit_is_no_verdict(qsage: Qsage) -> None:
    hard = ("httt", "--size", "6x6", "--shape", "skinny")
    for limit in (("--timeout", "0.2"), ("--memory", "1")):
        done = qsage("solve", *hard, *limit)
        assert done.code == Exit.UNDECIDED
        assert done.out.startswith("undecided: ")
    facts = json.loads(qsage("solve", *hard, "--timeout", "0.2", "--json").out)
    assert facts["winner"] is None
    assert qsage("solve", *hard, "--timeout", "-1").code == Exit.BAD_INPUT


def test_what_a_model_is_warned_of_is_told(qsage: Qsage) -> None:
    Path("domain.ig").write_text(
        "#blackactions\n:action occupy\n:parameters (?x,?y)\n:precondition (open(?x,?y))\n"
        ":effect (black(?x,?y))\n#whiteactions\n:action occupy\n:parameters (?x,?y)\n"
        ":precondition (open(?x,?y))\n:effect (white(?x,?y))\n"
    )
    problem = "#boardsize\n2 2\n#init\n#depth\n3\n#blackgoals\n(black(?x,?y){})\n#whitegoals\n"
    Path("problem.ig").write_text(problem.format(" white(?x,?y)"))
    done = qsage("solve", "domain.ig", "problem.ig")
    assert done.code == Exit.FALSE
    assert done.err.startswith("problem.ig:7:1: warning: found ")
    Path("problem.ig").write_text(problem.format(" black(5,1)"))
    done = qsage("solve", "domain.ig", "problem.ig")
    assert done.code == Exit.BAD_INPUT
    assert done.err.startswith("problem.ig:7:15: found ")
    assert done.err.count("\n") == 1


# True: 2 has to be the complement of 1, and 3 has to equal it.
FORMULA = """#QCIR-G14
forall(1)
exists(2, 3)
output(6)
4 = xor(1, 2)
5 = xor(1, -3)
6 = and(4, 5)
"""
CERTIFICATE = "aag 1 1 0 3 0\n2\n{}\n{}\n1\ni0 1\no0 2\no1 3\no2 result\n"


@pytest.mark.parametrize(
    ("functions", "code", "verdict"),
    [(("3", "2"), Exit.FINE, "valid"), (("2", "2"), Exit.REFUTED, "refuted")],
)
def test_a_certificate_is_proved_or_refuted(
    qsage: Qsage, functions: tuple[str, str], code: Exit, verdict: str
) -> None:
    Path("f.qcir").write_text(FORMULA)
    Path("c.aag").write_text(CERTIFICATE.format(*functions))
    told = qsage("validate", "f.qcir", "--cert", "c.aag")
    facts = qsage("validate", "f.qcir", "--cert", "c.aag", "--json")
    assert told.code == facts.code == code
    assert told.out.splitlines()[-1].startswith(f"f.qcir with c.aag: {verdict}")
    read = json.loads(facts.out)
    assert read["verdict"] == verdict
    levels = {level["level"]: level for level in read["levels"]}
    assert levels["dependencies"]["verdict"] == "proved"
    assert levels["formula"]["evidence"]["kind"] == "Skolem"
    if code is Exit.REFUTED:
        assert levels["formula"]["findings"][0]["moves"]
        assert "the certificate is wrong" in read["blame"]


def test_a_certificate_of_another_formula_is_bad_input(qsage: Qsage) -> None:
    Path("f.qcir").write_text(FORMULA.replace("forall(1)", "forall(7)").replace("1,", "7,"))
    Path("c.aag").write_text(CERTIFICATE.format("3", "2"))
    done = qsage("validate", "f.qcir", "--cert", "c.aag")
    assert done.code == Exit.BAD_INPUT
    assert done.err.startswith("c.aag:")
    assert done.err.count("\n") == 1


def test_an_unknown_dialect_lists_the_known_ones(qsage: Qsage) -> None:
    Path("f.qcir").write_text(FORMULA)
    Path("c.aag").write_text(CERTIFICATE.format("3", "2"))
    done = qsage("validate", "f.qcir", "--cert", "c.aag", "--dialect", "rubbish")
    assert done.code == Exit.BAD_INPUT
    assert "found 'rubbish' for --dialect, expected one of qbfcert-ascii" in done.err
