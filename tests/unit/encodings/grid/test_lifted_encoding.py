"""The lifted encoding says what the rules say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.grid import encode_lifted
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.registry import encode, encoders
from qsage_validate.errors import UsageError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.bddl.model import BddlProblem, Domain, Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.library.grid import positional_domain
from qsage_validate.games.protocol import Player
from tests.support.minimax import minimax
from tests.support.models import models
from tests.support.qbf_truth import qbf_truth


@settings(max_examples=60)
@given(models(max_side=2, max_depth=3))
def test_truth_equals_minimax_on_random_games(model: Model) -> None:
    """Black wins by the rules exactly when the formula is true (Definition 10)."""
    encoding = encode_lifted(model)
    assert qbf_truth(encoding.qbf) == (minimax(BddlGame(model)) is Player.BLACK)


@settings(max_examples=60)
@given(models())
def test_formula_and_layout_round_trip_through_qcir(model: Model) -> None:
    """Written and read again, formula and layout are the same."""
    encoding = encode_lifted(model)
    again = parse_qcir(qcir_text(encoding.qbf))
    assert again.scopes == encoding.qbf.scopes
    assert list(again.gates.items()) == list(encoding.qbf.gates.items())
    assert again.output == encoding.qbf.output
    layout = layout_from_comments(again)
    assert layout == encoding.layout


@settings(max_examples=60)
@given(models())
def test_prefix_follows_the_plies(model: Model) -> None:
    """Black's moves are existential, White's universal, each left of the next ply's."""
    encoding = encode_lifted(model)
    levels, quantifiers = encoding.qbf.levels(), encoding.qbf.quantifiers()
    before = -1
    for move in encoding.layout.moves:
        black = move.player is Player.BLACK
        expected = Quantifier.EXISTS if black else Quantifier.FORALL
        assert {quantifiers[v] for v in move.variables} <= {expected}
        for variable in move.variables:
            assert levels[variable] >= before
            before = max(before, levels[variable])


@given(models())
@settings(max_examples=1)
def test_unknown_encoding_lists_the_choices(model: Model) -> None:
    """A name that is not registered is answered with those that are."""
    with pytest.raises(UsageError, match="lifted"):
        encode(model, "no-such-encoding")
    assert "lifted" in encoders()


@pytest.mark.parametrize("player", Player)
def test_a_player_without_actions_is_refused_where_there_is_a_ply_of_theirs(player: Player) -> None:
    """Rules decide such a game, so models may be read; a formula needs an action to choose."""
    occupy = positional_domain()
    black = occupy.black_actions if player is Player.WHITE else ()
    white = occupy.white_actions if player is Player.BLACK else ()
    problem = BddlProblem(2, 2, (), 2, (), (), Player.BLACK)
    model = Model(Domain(black, white), problem, "half a game")
    assert minimax(BddlGame(model)) is player.other
    with pytest.raises(UsageError, match=f"found no actions of {player}, who has to move"):
        encode_lifted(model)
    if player is Player.WHITE:
        assert encode_lifted(model.at_depth(1)).layout.moves
