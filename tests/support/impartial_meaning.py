"""What an impartial game means on a small grid, to compare games that are written differently."""

from __future__ import annotations

from hashlib import sha256
from itertools import product

from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.rules import compile_successors, compile_test

# How far each variable goes, from -1 on, by the number of variables.
REACH = {1: 100, 2: 33, 3: 10, 4: 6, 5: 3}


def meaning(game: ImpartialGame, reach: int | None = None) -> str:
    """A fingerprint of legal states, ending states and successors on all states of a grid.

    Names do not count, the order of the variables does.
    """
    is_legal, is_ending = compile_test(game, "constraint"), compile_test(game, "ending")
    successors = compile_successors(game)
    last = REACH[len(game.variables)] if reach is None else reach
    digest = sha256()
    for state in product(range(-1, last + 1), repeat=len(game.variables)):
        if is_legal(state):
            after = sorted(set(successors(state)))
            digest.update(repr((state, is_ending(state), after)).encode())
    return digest.hexdigest()
