"""Games and strategies in OpenSpiel, or in a stand-in of its interface where it is not there."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

import qsage_validate as qs
from qsage_validate.api import matches, openspiel
from qsage_validate.errors import install_line
from tests.support.toy_spiel import toy_spiel

GAMES: tuple[tuple[str, dict[str, object]], ...] = (
    ("hex", {"size": 3}),
    ("breakthrough", {"size": (2, 4)}),
    ("domineering", {"size": 3}),
    ("trails", {}),
)


@pytest.fixture(autouse=True)
def _spiel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if find_spec("pyspiel") is None:
        monkeypatch.setitem(sys.modules, "pyspiel", toy_spiel())
    classes = (openspiel._game_class, matches._bot_class)
    for made in classes:
        made.cache_clear()
    yield
    for made in classes:
        made.cache_clear()


def played(state: Any, bots: dict[int, Any], seed: int) -> Any:
    """The state at the end; who has no bot moves at random."""
    drawn = random.Random(seed)
    while not state.is_terminal():
        bot = bots.get(state.current_player())
        action = drawn.choice(state.legal_actions()) if bot is None else bot.step(state)
        state.apply_action(action)
    return state


@pytest.mark.parametrize(("name", "parameters"), GAMES, ids=[name for name, _ in GAMES])
def test_a_game_plays_as_its_rules_do(name: str, parameters: dict[str, object]) -> None:
    game = qs.game(name, **parameters)
    spiel = game.to_openspiel()
    for seed in range(5):
        drawn, state, position = random.Random(seed), spiel.new_initial_state(), game.initial
        while position.outcome is None:
            mover = 0 if position.to_move is qs.Player.BLACK else 1
            assert state.current_player() == mover
            actions = state.legal_actions()
            assert actions == sorted(set(actions))
            assert max(actions) < spiel.num_distinct_actions()
            texts = [state.action_to_string(mover, action) for action in actions]
            assert sorted(texts) == sorted(map(str, position.legal_moves()))
            before, text = str(state), drawn.choice(texts)
            copied = state.clone()
            copied.apply_action(actions[texts.index(text)])
            assert str(state) == before
            state, position = copied, position.play(text)
            assert str(state) == str(position)
        assert state.is_terminal()
        assert state.legal_actions() == []
        black = position.outcome.winner is qs.Player.BLACK
        assert list(state.returns()) == ([1.0, -1.0] if black else [-1.0, 1.0])


def test_the_bot_of_a_certificate_wins_every_play() -> None:
    game = qs.game("hex", size=3)
    bot = qs.certify(game).openspiel_bot()
    for seed in range(25):
        state = played(game.to_openspiel().new_initial_state(), {0: bot}, seed)
        assert state.returns()[0] == 1.0
    policy, action = bot.step_with_policy(game.to_openspiel().new_initial_state())
    assert [p for a, p in policy if a == action] == [1.0]
    assert sum(p for _, p in policy) == 1.0


def test_the_bot_of_a_herbrand_certificate_is_player_1() -> None:
    game = qs.game("domineering", size=(4, 4), depth=8)
    strategy = qs.certify(game)
    number = 0 if strategy.player is qs.Player.BLACK else 1
    bot = strategy.openspiel_bot()
    assert bot.player_id() == number
    for seed in range(5):
        state = played(game.to_openspiel().new_initial_state(), {number: bot}, seed)
        assert state.returns()[number] == 1.0


def test_a_play_that_the_strategy_does_not_lead_to_is_one_line() -> None:
    game = qs.game("hex", size=3)
    strategy = qs.certify(game)
    state = game.to_openspiel().new_initial_state()
    texts = [state.action_to_string(0, action) for action in state.legal_actions()]
    other = next(k for k, text in enumerate(texts) if text != strategy.play().moves[0])
    state.apply_action(state.legal_actions()[other])
    state.apply_action(state.legal_actions()[0])
    with pytest.raises(qs.UsageError, match="expected one against this strategy"):
        strategy.openspiel_bot().step(state)


def test_the_observation_has_the_board_and_the_turn() -> None:
    spiel = qs.game("hex", size=2).to_openspiel()
    state, observer = spiel.new_initial_state(), spiel.make_py_observer()
    state.apply_action(1)
    observer.set_from(state, 0)
    assert observer.tensor.tolist() == [0, 0, 1, 0, *[0] * 4, 1, 1, 0, 1, 0]
    assert observer.string_from(state, 0) == str(state)


def test_without_openspiel_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    game = qs.game("hex", size=2)
    with pytest.raises(qs.MissingExtraError) as error:
        game.to_openspiel()
    assert install_line("openspiel") in str(error.value)
    with pytest.raises(qs.MissingExtraError):
        qs.certify(game).openspiel_bot()
