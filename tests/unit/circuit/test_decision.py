"""Circuits for partial functions agree with every row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.decision import synthesise


def _evaluate(builder: AigBuilder, inputs: list[int], key: int, literal: int) -> bool:
    values = {0: False}
    for position, input_literal in enumerate(inputs):
        values[input_literal >> 1] = bool(key >> (len(inputs) - 1 - position) & 1)

    def value(literal: int) -> bool:
        variable = literal >> 1
        if variable not in values:
            fanins = builder.fanins(literal)
            assert fanins is not None
            values[variable] = value(fanins[0]) and value(fanins[1])
        return values[variable] != bool(literal & 1)

    return value(literal)


@given(
    st.integers(0, 5).flatmap(
        lambda width: st.tuples(
            st.just(width),
            st.dictionaries(
                st.integers(0, 2**width - 1), st.sampled_from([0, 1, None]), max_size=32
            ),
            st.lists(st.integers(0, 2), max_size=2),
        )
    )
)
def test_every_row_is_kept(case: tuple[int, dict[int, int | None], list[int]]) -> None:
    """Whatever the don't-cares, rows with a value have it."""
    width, rows, groups = case
    if sum(groups) > width:
        groups = []
    builder = AigBuilder(width)
    literal = synthesise(builder, builder.inputs, rows, groups)
    for key, value in rows.items():
        if value is not None:
            assert _evaluate(builder, builder.inputs, key, literal) == bool(value)


def test_dont_cares_make_constants() -> None:
    """A function with one value only is that constant, and without rows it is false."""
    builder = AigBuilder(3)
    assert synthesise(builder, builder.inputs, {5: 1, 2: 1}) == TRUE
    assert synthesise(builder, builder.inputs, {}) == FALSE
    assert builder.num_gates == 0


def test_one_test_is_enough_where_dont_cares_allow() -> None:
    """Rows that one input tells apart need no gate."""
    builder = AigBuilder(3)
    literal = synthesise(builder, builder.inputs, {0b001: 0, 0b010: 1, 0b110: 1})
    assert builder.num_gates == 0
    assert literal in (builder.inputs[1], builder.inputs[2] ^ 1)
