"""Plays step by step: what can be claimed, and what an illegal move leaves behind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.games.languages import load_game
from qsage_validate.strategies.reader import LayoutMove
from tests.support.plays import BREAKTHROUGH, EL, HELD, certified, play_engine_for


def play_engine(words: tuple[str, ...], *, rules: bool = True) -> PlayEngine:
    made = certified(words)
    game = load_game(made.encoding.model) if rules else None
    return play_engine_for(made.encoding, made.certificate, game, simulate=True)


@pytest.mark.parametrize(
    ("words", "plies"), [(EL, {2, 4}), (HELD, {1}), (BREAKTHROUGH, {1, 3, 5, 7})]
)
def test_the_opponent_claims_with_its_own_plies(words: tuple[str, ...], plies: set[int]) -> None:
    """The certificate's side has variables for claims too, and the last ply has none."""
    played = play_engine(words)
    assert {ply for ply in range(1, played.layout.plies + 3) if played.can_claim(ply)} == plies


def test_a_claim_needs_a_variable_of_the_opponents() -> None:
    """A layout may name as White's stop what Black's formula says of it."""
    played = play_engine(EL)
    moves = list(played.layout.moves)
    moves[1] = replace(moves[1], stop=moves[0].stop)
    played.layout = replace(played.layout, moves=tuple(moves))
    assert [played.can_claim(ply) for ply in (2, 4)] == [False, True]


@pytest.mark.parametrize("rules", [True, False])
def test_after_an_illegal_move_a_play_stays_illegal(rules: bool) -> None:
    played = play_engine(EL, rules=rules)
    (state,) = played.answer_all([played.start()])
    taken = state.last
    assert isinstance(taken, LayoutMove)
    state = played.play(state, taken)
    assert state.illegal
    (state,) = played.answer_all([state])
    assert state.illegal
    # Some move, which nobody forbids any more.
    free = next(m for m in played.candidates(state) if str(m) not in state.moves)
    state = played.play(state, free)
    assert state.illegal
    (state,) = played.answer_all([state])
    assert state.ending is not None
    assert state.ending.reason == "all plies are played after White's illegal move"
    assert state.findings == ()
