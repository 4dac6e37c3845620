"""Games as simulators, and who wins after each play."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from qsage_validate.errors import IllegalMoveError, UndecidedError
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.judging.python_rules import GameValues, Simulator, simulator_of
from qsage_validate.system.limits import Deadline

BLACK, WHITE = Player.BLACK, Player.WHITE


class Nim:
    """Heaps of tokens; who takes the last one wins.  The researcher's own rules."""

    def __init__(self, heaps: tuple[int, ...], plies: int) -> None:
        self.heaps = heaps
        self.plies = plies

    def start(self) -> tuple[tuple[int, ...], int]:
        return self.heaps, 0

    def to_move(self, state: tuple[tuple[int, ...], int]) -> Player:
        return WHITE if state[1] % 2 else BLACK

    def legal_moves(self, state: tuple[tuple[int, ...], int]) -> Sequence[str]:
        return [f"{k}-{n}" for k, heap in enumerate(state[0]) for n in range(1, heap + 1)]

    def play(self, state: tuple[tuple[int, ...], int], move: str) -> tuple[tuple[int, ...], int]:
        heap, taken = map(int, move.split("-"))
        heaps = [n - taken * (k == heap) for k, n in enumerate(state[0])]
        return tuple(heaps), state[1] + 1

    def winner(self, state: tuple[tuple[int, ...], int]) -> Player | None:
        if any(state[0]) or not state[1]:
            return None
        return BLACK if state[1] % 2 else WHITE


@pytest.mark.parametrize(
    ("heaps", "plies", "winner"),
    [
        ((1, 2), 3, BLACK),
        ((1, 2), 2, WHITE),
        ((2, 2), 4, WHITE),
        ((1, 2, 3), 6, WHITE),
        ((), 2, WHITE),
    ],
)
def test_own_rules_are_enough(heaps: tuple[int, ...], plies: int, winner: Player) -> None:
    nim: Simulator = Nim(heaps, plies)
    values = GameValues(nim)
    assert values.winner(nim.start(), 0) is winner


def test_a_play_that_nobody_has_won_is_whites() -> None:
    values = GameValues(Nim((1, 2), 2))
    assert values.value(["1-1", "0-1"]) is False, "all plies are made"
    assert GameValues(Nim((1, 2), 3)).value(["1-1", "0-1"]) is True


def test_a_move_that_is_not_legal_is_named() -> None:
    values = GameValues(Nim((1, 2), 3))
    with pytest.raises(IllegalMoveError, match="0-1 is not legal after 0-1"):
        values.value(["0-1", "0-1"])
    with pytest.raises(IllegalMoveError, match="5-1 is not legal after the start"):
        values.value(["5-1"])


@pytest.mark.parametrize(
    "words",
    [
        "httt --shape domino --size 2x2 --depth 3",
        "hex --size 2x2 --depth 3",
        "domineering --size 2x3 --depth 3",
        "breakthrough --size 2x4 --depth 5",
    ],
)
def test_the_search_and_minimax_agree_after_each_play(words: str) -> None:
    game = load_game(find_command(words.split()))
    simulator = simulator_of(game)
    plain, searched = GameValues(simulator), GameValues.of_game(game)
    open_plays = [(simulator.start(), 0)]
    winners = set()
    while open_plays:
        state, made = open_plays.pop()
        winners.add(searched.winner(state, made))
        assert plain.winner(state, made) is searched.winner(state, made), str(state)
        assert (plain.ended(state, made) is None) is (state.outcome is None)
        if state.outcome is None:
            assert simulator.to_move(state) is state.to_move
            open_plays += [
                (simulator.play(state, m), made + 1) for m in simulator.legal_moves(state)
            ]
    assert WHITE in winners


def test_no_value_after_the_deadline() -> None:
    nim = Nim((3, 3, 3), 9)
    with pytest.raises(UndecidedError):
        GameValues(nim, deadline=Deadline.after(0)).winner(nim.start(), 0)
