"""What is left of a formula under values is the formula under these values."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import residual
from tests.support.random_qbf import circuits


@given(circuits(), st.data())
@settings(max_examples=60)
def test_the_rest_has_the_same_values(formula: Qbf, data: st.DataObject) -> None:
    order = [v for scope in formula.scopes for v in scope.variables]
    chosen = data.draw(st.lists(st.sampled_from(order), unique=True)) if order else []
    values = {v: data.draw(st.booleans()) for v in chosen}
    left = residual(formula, values)
    free = [v for v in order if v not in values]
    assert [v for scope in left.scopes for v in scope.variables] == free
    assert all(scope.variables for scope in left.scopes)
    assert left.gates.keys() <= {*formula.gates, formula.max_variable + 1}
    used = {abs(x) for gate in left.gates.values() for x in gate.inputs} | {abs(left.output)}
    assert left.gates.keys() <= used, "no gate is dead"
    assert not used & values.keys()
    for bits in product((False, True), repeat=min(len(free), 8)):
        rest = dict(zip(free, [*bits, *(False for _ in free[8:])], strict=True))
        assert left.truth(rest) is formula.truth({**values, **rest})


@pytest.mark.parametrize(
    "gate", [Gate(Connective.XOR, (1, -2)), Gate(Connective.ITE, (1, -2, 3))], ids=str
)
def test_every_constant_in_every_place(gate: Gate) -> None:
    formula = Qbf((Scope(Quantifier.EXISTS, (1, 2, 3)),), {4: gate}, -4)
    for given_values in product((None, False, True), repeat=3):
        values = {v: x for v, x in zip((1, 2, 3), given_values, strict=True) if x is not None}
        left = residual(formula, values)
        free = [v for v in (1, 2, 3) if v not in values]
        for bits in product((False, True), repeat=len(free)):
            rest = dict(zip(free, bits, strict=True))
            assert left.truth(rest) is formula.truth({**values, **rest}), values


def test_constants_and_single_inputs_disappear() -> None:
    gates = {
        4: Gate(Connective.AND, (1, 2)),
        5: Gate(Connective.ITE, (4, 3, -2)),
        6: Gate(Connective.OR, (5, 3)),
    }
    formula = Qbf((Scope(Quantifier.EXISTS, (1,)), Scope(Quantifier.FORALL, (2, 3))), gates, 6)
    left = residual(formula, {1: False})
    assert left.scopes == (Scope(Quantifier.FORALL, (2, 3)),)
    assert left.gates == {6: Gate(Connective.OR, (-2, 3))}
    assert residual(formula, {1: True, 2: True}).output == 3
    constant = residual(formula, {2: False})
    assert constant.gates == {constant.output: Gate(Connective.AND, ())}
