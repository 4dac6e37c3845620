"""Values of formulas with fixed moves, against truth tables."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.encodings.registry import encode
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.judging import residuals, sandwich
from qsage_validate.judging.encoding import judge
from qsage_validate.judging.positions import Positions
from qsage_validate.judging.python_rules import GameValues
from qsage_validate.judging.residuals import (
    Refinement,
    Residuals,
    ResidualsOf,
    solver_value,
    trimmed,
)
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.validation.finding import Claimed, Proved
from tests.support.random_qbf import truth


def _formula(random: Random) -> Qbf:
    """A circuit over four blocks of three variables, in any order of quantifiers."""
    variables = list(range(1, 13))
    random.shuffle(variables)
    scopes = tuple(
        Scope(random.choice(tuple(Quantifier)), tuple(variables[k : k + 3]))
        for k in range(0, 12, 3)
    )
    gates: dict[int, Gate] = {}
    for number in range(13, 13 + random.randint(3, 25)):
        arity = random.randint(2, 4)
        inputs = tuple(random.choice((1, -1)) * random.randint(1, number - 1) for _ in range(arity))
        gates[number] = Gate(random.choice((Connective.AND, Connective.OR)), inputs)
    return Qbf(scopes, gates, random.choice((1, -1)) * max(gates))


@pytest.mark.parametrize("most_inputs", [0, 40, 300_000])
def test_each_value_is_the_one_of_the_truth_table(most_inputs: int) -> None:
    """By expansion, by expansion of what is left, and by refinement."""
    random = Random(most_inputs)
    seen = set()
    for _ in range(60 if most_inputs else 6):
        formula = _formula(random)
        moves = random.sample(range(1, 13), 6)
        plies = [moves[:2], moves[2:3], moves[3:]]
        residuals = Residuals(formula, plies, most_inputs=most_inputs)
        for _ in range(8):
            made = random.randint(0, 3)
            values = {v: random.random() < 0.5 for ply in plies for v in ply}
            fixed = {v: values[v] for ply in plies[:made] for v in ply}
            left = residual(formula, fixed)
            expected = truth(left)
            answer = residuals.answer(values, made)
            assert answer.truth is expected
            assert truth(trimmed(left)) is expected
            seen.add((expected, bool(answer.word)))
    assert {value for value, _ in seen} == {True, False}
    assert not any(word for _, word in seen), "refinement decides formulas of this size"


def _table(formula: Qbf, values: dict[int, bool]) -> bool:
    return truth(residual(formula, values))


def test_an_expansion_that_grows_has_the_value_of_the_truth_table() -> None:
    """Whatever is asked before: what has been learnt of other values holds for all."""
    random = Random(17)
    seen = set()
    for _ in range(80):
        formula = trimmed(_formula(random))
        variables = [v for scope in formula.scopes for v in scope.variables]
        free = random.sample(variables, min(len(variables), random.randint(0, 4)))
        refinement = Refinement(formula, free)
        for _ in range(6):
            values = {v: random.random() < 0.5 for v in free}
            expected = _table(formula, values)
            assert refinement.value(values) is expected
            seen.add(expected)
    assert seen == {True, False}


def test_an_expansion_that_grows_ends_where_the_whole_one_is_cheaper() -> None:
    random = Random(23)
    ended = 0
    for _ in range(40):
        formula = _formula(random)
        grows = Refinement(formula, ())
        value = grows.value({}, most_inputs=1)
        ended += value is None
        assert value is None or value is truth(formula)
        assert grows.value({}) is truth(formula), "it goes on where it is asked again"
    assert ended


def test_values_of_another_formula_are_not_taken() -> None:
    encoding = encode(hex_network(2, 2, plies=3))
    values = GameValues.of_game(load_game(encoding.model))
    never = Qbf(encoding.qbf.scopes, {99: Gate(Connective.OR, ())}, 99)
    known = ResidualsOf(never)
    own = Positions(encoding.qbf, encoding.layout, values, residuals=known).residuals
    assert own.value({}, 0) is True
    shared = Positions(never, encoding.layout, values, residuals=known).residuals
    assert shared.value({}, 0) is False
    again = Positions(never, encoding.layout, values, residuals=known).residuals
    assert again is shared


def test_connectives_of_all_kinds_are_refined() -> None:
    random = Random(23)
    for _ in range(60):
        scopes = tuple(Scope(random.choice(tuple(Quantifier)), (k, k + 1)) for k in (1, 3, 5, 7))
        gates: dict[int, Gate] = {}
        for number in range(9, 17):
            kind = random.choice(tuple(Connective))
            arity = {Connective.XOR: 2, Connective.ITE: 3}.get(kind, random.randint(0, 3))
            inputs = [random.choice((1, -1)) * random.randint(1, number - 1) for _ in range(arity)]
            gates[number] = Gate(kind, tuple(inputs))
        formula = Qbf(scopes, gates, random.choice((16, -16)))
        assert Refinement(formula, ()).value({}) is truth(formula)


@pytest.mark.parametrize("lies", [False, True])
def test_a_bare_word_is_confirmed_or_found_wrong(
    monkeypatch: pytest.MonkeyPatch, lies: bool
) -> None:
    formula = _formula(Random(5))
    expected = truth(formula)
    word = residuals.ResidualValue(expected is not lies, "a solver")
    monkeypatch.setattr(residuals, "_said", lambda *_: word)
    monkeypatch.setattr(Refinement, "value", lambda *_: None)
    monkeypatch.setattr(residuals, "_SMALL_INPUTS", 0)
    asked = Residuals(formula, [], most_inputs=0)
    assert asked.answer({}, 0) == word
    assert dict(asked.words) == {"a solver": 1}
    monkeypatch.undo()
    assert asked.confirm(NEVER) is lies
    assert asked.answer({}, 0) == residuals.ResidualValue(expected)
    assert not asked.words


@pytest.mark.parametrize("lies", [False, True])
def test_a_bare_word_is_held_against_a_certificate(
    monkeypatch: pytest.MonkeyPatch, lies: bool
) -> None:
    """Where no expansion decides, some route to a certificate may."""
    formula = _formula(Random(5))
    expected = truth(formula)
    word = residuals.ResidualValue(expected is not lies, "a solver")
    monkeypatch.setattr(residuals, "_said", lambda *_: word)
    monkeypatch.setattr(Refinement, "value", lambda *_: None)
    monkeypatch.setattr(residuals, "_SMALL_INPUTS", 0)
    asked = Residuals(formula, [], most_inputs=0)
    assert asked.answer({}, 0) == word
    assert not asked.certificates
    assert asked.confirm(Deadline.after(60)) is lies
    assert asked.answer({}, 0).truth is expected
    assert not asked.words
    assert sum(asked.certificates.values()) == 1


def test_a_question_that_was_decided_is_not_asked_again() -> None:
    formula = Qbf(
        (Scope(Quantifier.EXISTS, (1, 3)), Scope(Quantifier.FORALL, (2,))),
        {4: Gate(Connective.OR, (1, 2)), 5: Gate(Connective.AND, (4,))},
        5,
    )
    residuals = Residuals(formula, [(1, 3), (2,)])
    assert residuals.value({1: True, 3: False}, 1) is True
    assert residuals.value({1: True, 3: True}, 1) is True, "3 is not needed"
    assert residuals.asked == 1
    assert residuals.value({1: False, 3: False}, 1) is False
    assert residuals.value({1: False, 3: False, 2: True}, 2) is True
    assert residuals.value({}, 0) is True


@pytest.mark.parametrize("most_inputs", [0, 300_000])
def test_no_value_after_the_deadline(most_inputs: int) -> None:
    scope = Scope(Quantifier.EXISTS, (1, 2, 3))
    formula = Qbf((scope,), {4: Gate(Connective.OR, (1, 2, 3))}, 4)
    residuals = Residuals(formula, [(1,)], most_inputs=most_inputs)
    over = Deadline.after(0)
    assert residuals.answer({1: False}, 1, over).truth is None
    assert solver_value(formula, over).truth is None
    assert residuals.asked == 0
    assert residuals.value({1: False}, 1) is True


def test_values_follow_from_those_of_all_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the next ply stands left of all else, and only the longer plays are expanded."""
    monkeypatch.setattr(residuals, "_SMALL_INPUTS", 0)
    monkeypatch.setattr(Refinement, "value", lambda *_: None)
    monkeypatch.setattr(residuals, "_said", lambda *_: residuals.ResidualValue(None))
    random = Random(3)
    seen = set()
    for _ in range(60):
        formula = trimmed(_formula(random))
        own = formula.merged_scopes()[0]
        if own.quantifier is Quantifier.FORALL and formula.gates:
            size = residuals.expansion_size(formula, own.variables)
            asked = Residuals(formula, [own.variables], most_inputs=size)
            answer = asked.answer({}, 0)
            assert answer.truth is truth(formula)
            seen.add((answer.truth, asked.asked > 1))
    assert seen >= {(True, True), (False, True)}


def test_a_bare_word_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hex_network(2, 2, plies=3)
    encoded = encode(model, "cor")
    layout = replace(encoded.layout, encoding="mine")
    monkeypatch.setattr(sandwich, "completion", lambda *_: {})
    assert isinstance(judge(encoded.qbf, layout, load_game(model)).verdict, Proved)
    monkeypatch.setattr(Residuals, "words", property(lambda _: {"a solver": 3}))
    verdict = judge(encoded.qbf, layout, load_game(model)).verdict
    assert isinstance(verdict, Claimed), str(verdict)
    assert "by the word of a solver for 3 of them" in str(verdict)
