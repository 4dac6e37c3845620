"""Plans, and certificates compiled from them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from qsage_validate.certificates.compiler import compile_plan
from qsage_validate.certificates.plan import NoWinError, Plan, Planner, PlanNode
from qsage_validate.encodings.grid import encode_lifted
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame, BddlPosition
from qsage_validate.games.protocol import Player, Position
from qsage_validate.kernel.certificate import CertificateKind
from tests.support.certificate_truth import falsifying_choice
from tests.support.minimax import minimax
from tests.support.models import models

pytestmark = pytest.mark.slow


def _planner(model: Model, hero: Player, budget: int = 10_000) -> Planner:
    game = BddlGame(model)

    def wins(position: Position) -> bool:
        assert isinstance(position, BddlPosition)
        return _winner(position) is hero

    return Planner(game, hero, wins, budget)


def _winner(position: BddlPosition) -> Player:
    if position.outcome is not None:
        return position.outcome.winner
    mover = position.to_move
    wins = any(_winner(position.play(m)) is mover for m in position.legal_moves())
    return mover if wins else mover.other


def _play_out(plan: Plan, position: Position, node: PlanNode | None) -> None:
    """The plan wins against every reply of the opponent."""
    if position.outcome is not None:
        assert position.outcome.winner is plan.hero
        return
    if position.to_move is plan.hero:
        assert node is not None
        after = position.play(node.move)
        assert node.stop == bool(
            isinstance(after, BddlPosition)
            and after.outcome is not None
            and after.game.witnesses(after, plan.hero)
        )
        _play_out(plan, after, node)
        return
    for move in position.legal_moves():
        reply = position.play(move)
        table = node.table if node is not None else plan.replies
        _play_out(plan, reply, table.get(move))


@settings(max_examples=70)
@given(models(max_depth=4))
def test_compiled_certificates_are_valid(model: Model) -> None:
    """For whoever wins: the plan wins every play, and its certificate proves the formula."""
    encoding = encode_lifted(model)
    winner = minimax(BddlGame(model))
    plan = _planner(model, winner).build()
    _play_out(plan, BddlGame(model).initial, plan.root)
    certificate = compile_plan(encoding, plan)
    assert certificate.kind is (
        CertificateKind.SKOLEM if winner is Player.BLACK else CertificateKind.HERBRAND
    )
    assert set(certificate.functions) == set(encoding.qbf.variables(certificate.kind.decides))
    assert falsifying_choice(encoding.qbf, certificate) is None


@settings(max_examples=40)
@given(models(max_side=2, max_depth=3))
def test_a_plan_without_merging_is_as_good(model: Model) -> None:
    """Without a budget positions are merged only when they are equal; the result is valid."""
    winner = minimax(BddlGame(model))
    plan = _planner(model, winner, budget=0).build()
    _play_out(plan, BddlGame(model).initial, plan.root)
    assert (
        falsifying_choice(encode_lifted(model).qbf, compile_plan(encode_lifted(model), plan))
        is None
    )


@settings(max_examples=20)
@given(models(max_depth=2))
def test_there_is_no_plan_for_the_loser(model: Model) -> None:
    """Asking for one is an error, not a plan."""
    loser = minimax(BddlGame(model)).other
    with pytest.raises(NoWinError, match="does not win"):
        _planner(model, loser).build()
