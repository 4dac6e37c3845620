"""Formulas of linear integer arithmetic: values, negation, substitution, texts that parse back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.errors import InputError
from qsage_validate.extensions.impartial.model import (
    FALSE,
    TRUE,
    Congruence,
    ImpartialAnd,
    ImpartialComparison,
    ImpartialFormula,
    ImpartialNot,
    Linear,
    conjunction,
    disjunction,
    without_not,
)
from qsage_validate.extensions.impartial.parser import parse_formula
from qsage_validate.extensions.impartial.rules import columns_of, formula_source, formula_values
from tests.support.impartial_games import VARIABLES, formulas, linears

STATES = st.tuples(st.integers(-9, 30), st.integers(-9, 30))


def at(state: tuple[int, int]) -> dict[str, int]:
    return dict(zip(VARIABLES, state, strict=True))


@given(formulas(), STATES)
def test_all_ways_to_evaluate_agree(formula: ImpartialFormula, state: tuple[int, int]) -> None:
    expected = formula.holds(at(state))
    assert formula.negated().holds(at(state)) is not expected
    assert without_not(formula).holds(at(state)) is expected
    columns = columns_of(VARIABLES, [state, (0, 0)])
    assert bool(formula_values(formula, columns)[0]) is expected
    source = formula_source(formula, {v: v for v in VARIABLES})
    assert bool(eval(source, dict(at(state)))) is expected


@given(formulas(), linears(), linears(), STATES)
def test_substitution_is_evaluation_elsewhere(
    formula: ImpartialFormula, one: Linear, other: Linear, state: tuple[int, int]
) -> None:
    values = {"v1": one, "v2": other}
    there = {name: value.value(at(state)) for name, value in values.items()}
    assert formula.substitute(values).holds(at(state)) is formula.holds(there)


@given(formulas(), STATES)
def test_the_text_parses_back_to_an_equal_formula(
    formula: ImpartialFormula, state: tuple[int, int]
) -> None:
    again = parse_formula(str(formula), VARIABLES)
    assert again.holds(at(state)) is formula.holds(at(state))
    assert parse_formula(str(again), VARIABLES) == again


@given(formulas())
def test_no_not_is_left_in_the_normal_form(formula: ImpartialFormula) -> None:
    waiting = [without_not(formula)]
    while waiting:
        part = waiting.pop()
        assert not isinstance(part, ImpartialNot)
        waiting += getattr(part, "parts", ())


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("v1 = 3", 3),
        ("v1 % 4 != 0", 4),
        ("v1 - v2 < 0", 5),
        ("v1 = v2", 3),
        ("v1 + 2 = v2 and v1 != 0", 9),
        ("not (v1 = 0 or v2 = 0)", 8),
    ],
)
def test_sizes_count_integers_variables_and_connectives(text: str, size: int) -> None:
    assert parse_formula(text, VARIABLES).size == size


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("v1%4!=0&v2=1", "v1 % 4 != 0 and v2 = 1"),
        ("!(v1 == 1 || ?v2 < 3)", "not (v1 = 1 or v2 < 3)"),
        ("3 <= v1 % 5", "v1 % 5 = 3 or v1 % 5 = 4"),
        ("v1 % 5 = 7", "false"),
        ("v1 % 3 = v2 % 3", "(v1 - v2) % 3 = 0"),
        ("2*(v1 + 1) = v2 - -3", "2*v1 + 2 = v2 + 3"),
        ("true and v1 = 1", "v1 = 1"),
    ],
)
def test_people_may_write_formulas_in_several_ways(text: str, same: str) -> None:
    assert str(parse_formula(text, VARIABLES)) == same


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "<input>:1:1: found an empty file, expected a formula"),
        ("v1 % 0 = 1", "<input>:1:4: found division by zero, expected a positive modulus"),
        ("v1 * v2 = 1", "<input>:1:4: found '*', expected a linear term (a product with a number)"),
        (
            "v1 % v2 = 1",
            "<input>:1:4: found '%', expected a number as modulus (anything else is not linear)",
        ),
        ("v1 = w", "<input>:1:6: found the undeclared variable w, expected one of v1, v2"),
        (
            "v1 =",
            "<input>:1:5: found the end of the formula, expected a number or a variable (v1, v2)",
        ),
        ("v1", "<input>:1:3: found the end of the formula, expected =, !=, <, <=, > or >="),
        ("v1 = 1 v2", "<input>:1:8: found 'v2', expected and, or or the end of the formula"),
        ("(v1 = 1", "<input>:1:8: found the end of the formula, expected and, or or ')'"),
        (
            "v1 = 1 and",
            "<input>:1:11: found the end of the formula, expected a number or a variable (v1, v2)",
        ),
        ("v1 $ 2", "<input>:1:4: found '$', expected a formula"),
        (
            "v1 % 3 + 1 = 2",
            "<input>:1:8: found '+', expected a remainder that stands alone on its side",
        ),
        ("v1 = 99999999", "<input>:1:6: found '99999999', expected a number of at most 999999"),
    ],
)
def test_what_is_no_formula_is_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_formula(text, VARIABLES)
    assert str(error.value) == message


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    for text in ("(" * 5000 + "v1", "not " * 5000 + "v1 = 1", "-" * 5000 + "1 = v1"):
        with pytest.raises(InputError, match="nested parentheses"):
            parse_formula(text, VARIABLES)


def test_connectives_simplify() -> None:
    atom = ImpartialComparison("=", Linear.variable("v1"))
    assert conjunction([]) == TRUE
    assert disjunction([]) == FALSE
    assert conjunction([atom, TRUE, atom]) == atom
    assert disjunction([atom, TRUE]) == TRUE
    nested = conjunction([conjunction([atom, atom.negated()]), Congruence(Linear(), 2)])
    assert isinstance(nested, ImpartialAnd)
    assert len(nested.parts) == 3
