"""An oracle that solves what it is asked plays a winning strategy of every formula."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.kernel.certificate import CertificateKind
from qsage_validate.problems.searched import SolvingOracle
from tests.support.random_qbf import circuits, truth


def winning_block(promised: bool) -> object:
    """Values of the outermost block by the truth table."""

    def ask(formula: Qbf) -> Mapping[int, bool]:
        block = formula.merged_scopes()[0].variables
        for bits in product((False, True), repeat=len(block)):
            values = dict(zip(block, bits, strict=True))
            if truth(residual(formula, values)) is promised:
                return values
        raise AssertionError("the residual formula has lost its value")

    return ask


@given(circuits())
@settings(max_examples=80)
def test_its_answers_are_a_winning_strategy(formula: Qbf) -> None:
    assume(len(formula.quantifiers()) <= 9)
    value = truth(formula)
    kind = CertificateKind.SKOLEM if value else CertificateKind.HERBRAND
    oracle = SolvingOracle(formula, kind, winning_block(value), decide=truth)  # type: ignore[arg-type]
    own = formula.variables(kind.decides)
    level = formula.levels()
    seen: dict[tuple[int, tuple[bool, ...]], bool] = {}
    for bits in product((False, True), repeat=len(oracle.opponent)):
        choice = dict(zip(oracle.opponent, bits, strict=True))
        # One by one, the outermost first, as a play asks.
        replies = {v: oracle.values(choice, [v])[v] for v in own}
        assert formula.truth({**choice, **replies}) is value
        for v in own:
            before = tuple(choice[u] for u in oracle.opponent if level[u] < level[v])
            assert seen.setdefault((v, before), replies[v]) is replies[v]
        assert oracle.values(choice, [*formula.gates]) == {
            gate: v
            for gate, v in formula.evaluate({**choice, **replies}).items()
            if gate in formula.gates
        }


@given(circuits(), st.data())
@settings(max_examples=150)
def test_what_follows_is_what_every_winning_strategy_has(formula: Qbf, data: st.DataObject) -> None:
    """Values that are read before the solver is asked are those that it gives afterwards.

    Those of the innermost block follow from the blocks before it, once these are chosen.
    """
    assume(len(formula.quantifiers()) <= 9)
    value = truth(formula)
    kind = CertificateKind.SKOLEM if value else CertificateKind.HERBRAND
    own = frozenset(formula.variables(kind.decides))
    opponent = formula.variables(kind.decides.dual)
    probes = (
        data.draw(st.lists(st.dictionaries(st.sampled_from(opponent), st.booleans())))
        if (opponent)
        else []
    )
    asked: list[Qbf] = []

    def ask(left: Qbf) -> Mapping[int, bool]:
        asked.append(left)
        return winning_block(value)(left)  # type: ignore[operator, no-any-return]

    oracle = SolvingOracle(formula, kind, ask, decide=truth, follows=own, probes=[{}, *probes])
    choice = data.draw(st.fixed_dictionaries(dict.fromkeys(opponent, st.booleans())))
    early: dict[int, bool] = {}
    level, last = formula.levels(), len(formula.merged_scopes()) - 1
    for v in (u for u in own if level[u] < last):
        before = len(asked)
        reply = oracle.values(choice, [v])[v]
        if len(asked) == before:
            early[v] = reply
    assert formula.truth({**choice, **oracle.values(choice, own)}) is value
    assert early.items() <= oracle.values(choice, own).items()


def test_an_indicator_is_read_before_the_move_beside_it_is_chosen() -> None:
    """i is what x is, though that shows for one value of s only; m is free to be chosen."""
    x, i, m, s = 1, 2, 3, 4
    gates = {5: Gate(Connective.XOR, (x, -i)), 6: Gate(Connective.OR, (5, -s))}
    gates[7] = Gate(Connective.OR, (m, -m))
    gates[8] = Gate(Connective.AND, (6, 7))
    blocks = ((Quantifier.FORALL, (x,)), (Quantifier.EXISTS, (i, m)), (Quantifier.FORALL, (s,)))
    formula = Qbf((*(Scope(q, vs) for q, vs in blocks), Scope(Quantifier.EXISTS, (9,))), gates, 8)

    def refuse(left: Qbf) -> Mapping[int, bool]:
        raise AssertionError(f"asked about {left}")

    follows = frozenset({i})
    oracle = SolvingOracle(
        formula,
        CertificateKind.SKOLEM,
        refuse,
        decide=truth,
        follows=follows,
        probes=[{}, {s: True}],
    )
    assert [oracle.values({x: value}, [i])[i] for value in (True, False)] == [True, False]
    with pytest.raises(AssertionError):
        oracle.values({x: True}, [i, m])


def test_a_reply_follows_the_opponents_last_move() -> None:
    """The copycat: y is what x is, and z stands right of it."""
    gates = {4: Gate(Connective.XOR, (1, -2)), 5: Gate(Connective.OR, (3, -3))}
    gates[6] = Gate(Connective.AND, (4, 5))
    quantified = ((Quantifier.FORALL, 1), (Quantifier.EXISTS, 2), (Quantifier.FORALL, 3))
    formula = Qbf(tuple(Scope(quantifier, (v,)) for quantifier, v in quantified), gates, 6)
    oracle = SolvingOracle(formula, CertificateKind.SKOLEM, winning_block(True), decide=truth)  # type: ignore[arg-type]
    for x in (False, True, False):
        assert oracle.values({1: x}, [2]) == {2: x}


def test_unknown_names_are_refused() -> None:
    formula = Qbf((Scope(Quantifier.EXISTS, (1,)),), {2: Gate(Connective.OR, (1,))}, 2)
    oracle = SolvingOracle(formula, CertificateKind.SKOLEM, winning_block(True), decide=truth)  # type: ignore[arg-type]
    assert oracle.values({}, [1, 2]) == {1: True, 2: True}
    with pytest.raises(KeyError):
        oracle.values({}, [7])
    with pytest.raises(KeyError):
        oracle.values({1: True}, [1])


def test_a_wrong_promise_shows() -> None:
    formula = Qbf((Scope(Quantifier.EXISTS, (1,)),), {2: Gate(Connective.AND, (1, -1))}, 2)
    oracle = SolvingOracle(formula, CertificateKind.SKOLEM, winning_block(True), decide=truth)  # type: ignore[arg-type]
    assert oracle.values({}, [1, 2])[2] is False, "the verdict tells"
