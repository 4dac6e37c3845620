"""The order of the plies in the prefix, without which nothing is shown on whole scripts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player
from qsage_validate.judging.codes import Codes
from qsage_validate.judging.encoding import judge
from qsage_validate.validation.finding import Proved
from research.benchmarks.models import Case
from tests.support.position_truth import right_after_each_play

WORDS = ("httt --shape domino --size 2x3 --depth 3", "domineering --size 3x3 --depth 4")


def _encoded(words: str) -> tuple[Encoding, BddlGame]:
    model = Case(words, words).model()
    return encode(model), BddlGame(model)


def _first(formula: Qbf, variables: set[int]) -> Qbf:
    """The formula with some variables moved to the left of everything else."""
    moved = [
        replace(scope, variables=tuple(v for v in scope.variables if (v in variables) is inside))
        for inside in (True, False)
        for scope in formula.scopes
    ]
    return replace(formula, scopes=tuple(scope for scope in moved if scope.variables))


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("player", Player)
def test_plies_in_another_order_are_not_proved_on_whole_scripts(words: str, player: Player) -> None:
    """Who chooses the last move first does not see what it answers: another formula."""
    encoded, game = _encoded(words)
    layout = encoded.layout
    last = next(ply for ply in reversed(layout.moves) if ply.player is player and ply.ply > 1)
    formula = _first(encoded.qbf, set(last.variables))
    half = player is Player.BLACK
    assert "stands left of" in Codes(formula, layout, game.plies).disorder(half)
    verdict = judge(formula, layout, game, patience=0).verdict
    assert not isinstance(verdict, Proved), str(verdict)


def test_the_order_matters() -> None:
    """Black, who names the second stone first, wins less: a proof would say something false."""
    encoded, game = _encoded(WORDS[0])
    (last,) = (ply for ply in encoded.layout.moves if ply.ply == 3)
    formula = _first(encoded.qbf, set(last.variables))
    assert not right_after_each_play(formula, encoded.layout, game)
    assert not isinstance(judge(formula, encoded.layout, game).verdict, Proved)
