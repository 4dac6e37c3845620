from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.certificates.learning import (
    Fork,
    build_tree,
    features_of,
    learn_tree,
    say,
    say_in_bits,
)
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.simplify import columns_as_bits
from tests.support.random_certificates import evaluate_aig


@st.composite
def samples(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows that differ, their values, and prices of the features."""
    width = draw(st.integers(1, 6))
    keys = sorted(draw(st.sets(st.integers(0, (1 << width) - 1), min_size=1, max_size=24)))
    rows = np.array([[key >> k & 1 for k in range(width)] for key in keys], dtype=np.bool_)
    values = np.array([draw(st.booleans()) for _ in keys], dtype=np.bool_)
    prices = np.array([draw(st.integers(0, 9)) for _ in range(width)], dtype=np.float64)
    return rows, values, prices


@given(samples(), st.sampled_from((0.0, 1.0, 5.0)))
def test_a_tree_says_what_its_rows_say(
    sample: tuple[np.ndarray, np.ndarray, np.ndarray], thrift: float
) -> None:
    rows, values, prices = sample
    tree = learn_tree(rows, values, prices, thrift=thrift)
    assert (say(tree, lambda f: rows[:, f], len(rows)) == values).all()
    assert all(prices[f] == 0 for f in features_of(tree))
    mask = (1 << len(rows)) - 1
    packed = say_in_bits(tree, columns_as_bits(rows), mask)
    assert [bool(packed >> k & 1) for k in range(len(rows))] == values.tolist()
    builder = AigBuilder(rows.shape[1])
    literal = build_tree(builder, tree, dict(enumerate(builder.inputs)))
    aig, (output,) = builder.build([literal])
    assert [evaluate_aig(aig, row)[output] for row in rows.tolist()] == values.tolist()


def test_equal_rows_of_different_values_are_an_error() -> None:
    rows = np.zeros((2, 3), dtype=np.bool_)
    with pytest.raises(ValueError, match="equal rows have different values"):
        learn_tree(rows, np.array([True, False]), np.zeros(3))


def test_a_cheap_feature_is_preferred_to_a_dear_one_that_tells_the_same() -> None:
    rows = np.array([[0, 0], [1, 1]] * 4, dtype=np.bool_)
    values = rows[:, 0].copy()
    assert learn_tree(rows, values, np.array([50.0, 2.0])) == Fork(1, True, False)
    assert learn_tree(rows, values, np.array([2.0, 50.0])) == Fork(0, True, False)


def test_a_side_that_agrees_with_the_other_is_not_tested() -> None:
    # Feature 0 separates nothing that matters: a tree over feature 1 alone does.
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.bool_)
    tree = learn_tree(rows, rows[:, 1].copy(), np.array([0.0, 0.0]))
    assert features_of(tree) == {1}
