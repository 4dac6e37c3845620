"""Adders, comparators and equalities, against the numbers."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.encoding import (
    add_constant,
    constant_literals,
    equality_clauses,
    in_range,
    less_than,
)
from qsage_validate.encodings.layout import bits_value, value_bits
from qsage_validate.games.masks import width_for


def _values(circuit: CircuitBuilder, width: int, value: int, literals: Sequence[int]) -> list[bool]:
    variables = tuple(range(1, width + 1))
    gates: dict[int, Gate] = circuit.gates
    qbf = Qbf((Scope(Quantifier.EXISTS, variables),), gates, next(iter(gates), 1))
    values = qbf.evaluate(dict(zip(variables, value_bits(value, width), strict=True)))
    return [values[abs(x)] != (x < 0) for x in literals]


@given(st.integers(1, 5), st.data())
def test_constants_are_added_modulo(width: int, data: st.DataObject) -> None:
    """ADD and SUB, which are one (section 4.3)."""
    value = data.draw(st.integers(0, 2**width - 1))
    constant = data.draw(st.integers(-(2**width), 2**width))
    circuit = CircuitBuilder(width + 1)
    result = add_constant(circuit, tuple(range(1, width + 1)), constant)
    got = bits_value(tuple(_values(circuit, width, value, result)))
    assert got == (value + constant) % 2**width


@given(st.integers(1, 5), st.data())
def test_comparators(width: int, data: st.DataObject) -> None:
    """LT, both bounds together, and equality with a number."""
    value = data.draw(st.integers(0, 2**width - 1))
    low, high = data.draw(st.integers(-1, 2**width)), data.draw(st.integers(-1, 2**width))
    circuit = CircuitBuilder(width + 1)
    bits = tuple(range(1, width + 1))
    less = less_than(circuit, bits, low)
    within = circuit.and_(*in_range(circuit, bits, low, high))
    same = circuit.and_(*constant_literals(bits, max(low, 0) % 2**width))
    assert _values(circuit, width, value, [less, within, same]) == [
        value < low,
        low <= value <= high,
        value == max(low, 0) % 2**width,
    ]


@given(st.integers(1, 3), st.data())
def test_equality_of_vectors(width: int, data: st.DataObject) -> None:
    """EQ of two vectors."""
    value = data.draw(st.integers(0, 4**width - 1))
    circuit = CircuitBuilder(2 * width + 1)
    left, right = tuple(range(1, width + 1)), tuple(range(width + 1, 2 * width + 1))
    equal = circuit.and_(*equality_clauses(circuit, left, right))
    assert _values(circuit, 2 * width, value, [equal]) == [value >> width == value % 2**width]


def test_width_for() -> None:
    """One thing needs no bit, five things need three."""
    assert [width_for(n) for n in range(10)] == [0, 0, 1, 2, 2, 3, 3, 3, 3, 4]
