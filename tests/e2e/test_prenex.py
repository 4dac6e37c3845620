"""Formulas with quantifier gates: every command says what was done, and certificates fit it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.readers import read_qcir

from .conftest import Qsage

# Going out, y stands beside x, left of u; going in, right of it.
NESTED = """#QCIR-G14
exists(a)
output(o)
p = or(u, x, a)
q = exists(x; p)
r = forall(u; q)
s = or(y, a)
t = exists(y; s)
o = and(r, t)
"""
UP = "quantifier gates (3) brought into prenex form, up: 3 scopes (down: 3)"
DOWN = "quantifier gates (3) brought into prenex form, down: 3 scopes (up: 3)"


@pytest.fixture
def nested(qsage: Qsage) -> Qsage:
    Path("nested.qcir").write_text(NESTED)
    return qsage


def test_encode_writes_the_prenex_form(nested: Qsage) -> None:
    done = nested("encode", "nested.qcir", "--prenex", "down", "-o", "prenex.qcir")
    assert done.code == 0
    assert done.err.splitlines() == [
        f"nested.qcir: {DOWN}",
        "prenex.qcir: formula nested.qcir: 3 scopes, 4 variables, 3 gates",
    ]
    made = read_qcir("prenex.qcir")
    assert [len(scope.variables) for scope in made.merged_scopes()] == [1, 1, 2]
    # What is prenex is told of no more, and clauses can be written as well.
    assert "prenex form" not in nested("info", "prenex.qcir").out
    assert nested("encode", "nested.qcir", "-o", "nested.qdimacs").code == 0
    assert nested("solve", "nested.qdimacs").code == 10


def test_commands_say_the_order(nested: Qsage) -> None:
    solved = nested("solve", "nested.qcir", "--prenex", "down", "--json")
    assert (solved.code, solved.err) == (10, f"nested.qcir: {DOWN}\n")
    assert json.loads(solved.out)["prenex"] == "down"
    assert f"prenex: {UP}" in nested("info", "nested.qcir").out
    certified = nested("certify", "nested.qcir", "-o", "up.aig")
    assert certified.err.splitlines()[0] == f"nested.qcir: {UP}"
    # A certificate is one of the prenex form, which is a file of its own as well.
    checked = nested("validate", "nested.qcir", "--cert", "up.aig", "--json")
    assert (checked.code, checked.err.splitlines()[0]) == (0, f"nested.qcir: {UP}")
    assert json.loads(checked.out)["facts"]["prenex"] == UP
    nested("encode", "nested.qcir", "-o", "prenex.qcir")
    assert nested("validate", "prenex.qcir", "--cert", "up.aig").code == 0


def test_what_a_function_may_read_follows_from_the_order(nested: Qsage) -> None:
    # y is a function of u, which stands left of y only where y has gone inwards.
    Path("y.aag").write_text("aag 1 1 0 4 0\n2\n0\n2\n1\n1\ni0 u\no0 x\no1 y\no2 a\no3 result\n")
    down = nested("validate", "nested.qcir", "--cert", "y.aag", "--prenex", "down")
    assert down.code == 0
    up = nested("validate", "nested.qcir", "--cert", "y.aag", "--prenex", "up")
    assert up.code == 1
    assert "reads u" in up.out
    assert nested("validate", "nested.qcir", "--cert", "y.aag").code == 1


def test_what_does_not_go(nested: Qsage) -> None:
    done = nested("encode", "nested.qcir", "--encoding", "lifted", "-o", "f.qcir")
    assert (done.code, done.err) == (
        2,
        "qsage: error: found --encoding with a formula, expected a game\n",
    )
    assert nested("encode", "nested.qcir", "-o", "nested.qcir").code == 2
    assert nested("solve", "nested.qcir", "--prenex", "sideways").code == 2
