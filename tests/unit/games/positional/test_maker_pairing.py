"""Black's pairs: held against play by them, against all that White can do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.games.languages import load_game
from qsage_validate.games.masks import bits, mask_of
from qsage_validate.games.positional.cover_game import MakerPairing, maker_pairing
from qsage_validate.games.positional.hex import hex_network, with_winning_sets
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.solvers.search import search_for


def wins_by(model: PositionalModel, found: MakerPairing) -> bool:
    """True if Black has a set in the end, whatever White plays against the pairs."""

    def holds(black: int, white: int) -> bool:
        free = model.all & ~(black | white)
        if not free:
            return model.won_by_black(black)
        for move in bits(free):
            partner = found.pairing.partner(move.bit_length() - 1)
            reply = 0 if partner is None else 1 << partner
            # A move of White's outside of the pairs is left without a reply: it helps nothing.
            if not holds(black | reply & free, white | move):
                return False
        return True

    return holds(model.black | (0 if found.stone is None else 1 << found.stone), model.white)


@pytest.mark.parametrize("words", ["hex --size 3x3", "httt --size 3x3 --shape el --depth 9"])
def test_pairs_of_games_win(words: str) -> None:
    model = find_command(words.split())
    if not isinstance(model, PositionalModel):
        from qsage_validate.solvers.positional_search import positional_model_of

        game = load_game(model)
        model = positional_model_of(game)  # type: ignore[arg-type]
    model = with_winning_sets(model)
    found = maker_pairing(model, 0, 0, begins=True)
    assert found is not None
    assert wins_by(model, found)


def test_hex_is_won_by_bridges_on_five_lines() -> None:
    model = with_winning_sets(hex_network(5, 5))
    found = maker_pairing(model, 0, 0, begins=True)
    assert found is not None
    assert found.stone == model.positions.index("c3")
    assert 5 <= len(found.pairing.pairs) <= 12


SETS = st.sets(
    st.sets(st.integers(0, 6), min_size=1, max_size=4).map(mask_of), min_size=1, max_size=8
)


@given(sets=SETS, begins=st.booleans())
def test_pairs_win_and_are_found_only_where_black_wins(sets: set[int], begins: bool) -> None:
    turns = alternating(8) if begins else alternating(8)[1:]
    model = PositionalModel(
        name="random",
        positions=tuple("abcdefg"),
        turns=turns[:7],
        black_wins=tuple(sorted(sets)),
    )
    found = maker_pairing(model, 0, 0, begins=begins)
    if found is not None:
        assert wins_by(model, found)
        assert search_for(load_game(model)).solve(winner_only=True).winner is Player.BLACK
