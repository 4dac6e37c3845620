"""Random positional games, and who wins them by the plainest of searches."""

from __future__ import annotations

from functools import cache
from random import Random

from qsage_validate.formats.pg import HexFile
from qsage_validate.games.positional.harary import fits, named
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.positional.polyominoes import Cells
from qsage_validate.games.positional.rules import PositionalGame, PositionalPosition
from qsage_validate.games.protocol import Player

BLACK, WHITE = Player.BLACK, Player.WHITE


def winner(model: PositionalModel) -> Player:
    """Who wins, by trying every move of every position."""

    @cache
    def best(position: PositionalPosition) -> Player:
        if position.outcome is not None:
            return position.outcome.winner
        mover = position.to_move
        won = any(best(position.play(move)) is mover for move in position.legal_moves())
        return mover if won else mover.other

    return best(PositionalGame(model).initial)


def random_turns(random: Random, most: int) -> tuple[Player, ...]:
    """One stone a turn mostly, sometimes two, sometimes anything."""
    count = random.randint(1, most)
    kind = random.randrange(4)
    first = random.choice((BLACK, WHITE))
    if kind < 2:
        return tuple(first if k % 2 == 0 else first.other for k in range(count))
    if kind == 2:
        return tuple(first if (k + 1) // 2 % 2 == 0 else first.other for k in range(count))
    return tuple(random.choice((BLACK, WHITE)) for _ in range(count))


def random_stones(random: Random, size: int) -> tuple[int, int]:
    """Black's and White's first positions: few."""
    black = white = 0
    for k in range(size):
        chance = random.random()
        if chance < 0.12:
            black |= 1 << k
        elif chance < 0.24:
            white |= 1 << k
    return black, white


def random_sets(random: Random, size: int, most: int) -> tuple[int, ...]:
    """Different sets of one to four positions."""
    sets = {
        sum(1 << k for k in random.sample(range(size), min(size, random.randint(1, 4))))
        for _ in range(random.randint(1, most))
    }
    return tuple(sorted(sets))


def random_game(random: Random, size: int = 7) -> PositionalModel:
    """A maker-maker or maker-breaker game of winning sets."""
    black, white = random_stones(random, size)
    return PositionalModel(
        name="random",
        positions=tuple(f"p{k}" for k in range(size)),
        turns=random_turns(random, size),
        black_wins=random_sets(random, size, 9),
        white_wins=random_sets(random, size, 5) if random.random() < 0.5 else (),
        black=black,
        white=white,
    )


def random_network_game(
    random: Random, size: int = 7, *, short: Player = BLACK, turns: bool = True
) -> PositionalModel:
    """Generalized Hex on a random graph."""
    rows = [0] * size
    for v in range(size):
        for w in range(v):
            if random.random() < 0.35:
                rows[v] |= 1 << w
                rows[w] |= 1 << v
    start, end = (sum(1 << k for k in random.sample(range(size), 2)) for _ in range(2))
    black, white = random_stones(random, size)
    alternating = tuple(BLACK if k % 2 == 0 else WHITE for k in range(random.randint(1, size)))
    return PositionalModel(
        name="random",
        positions=tuple(f"p{k}" for k in range(size)),
        turns=random_turns(random, size) if turns else alternating,
        network=Network(tuple(rows), start, end, random.random() < 0.03, short),
        black=black,
        white=white,
    )


def targets_on(width: int, height: int, most: int = 6) -> dict[str, Cells]:
    """The named polyominoes of at most ``most`` cells, at most six, that fit on a board."""
    return {n: c for n, c in named().items() if len(c) <= most and fits(c, width, height)}


def hex_text(board: HexFile) -> str:
    """The text of a ``.hex`` file; ``parse_hex`` reads it back."""
    stones = [f"b[{name}]" for name in board.black] + [f"w[{name}]" for name in board.white]
    return "\n".join([f"{board.rows}{' white' * board.white_moves}", *stones]) + "\n"
