"""The game that the encodings with numbered positions speak of: its open positions alone.

Section 4.1 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023 takes an empty board without
loss of generality: positions that a player has already are contracted away.  All open positions
stay, for each of them can be claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from qsage_validate.encodings.completion import Goals, one_of
from qsage_validate.encodings.positional.explicit_board import until_last_black_ply
from qsage_validate.errors import UsageError
from qsage_validate.games.positional.masks import bits, members
from qsage_validate.games.positional.model import (
    Network,
    PositionalModel,
    require_alternating,
)
from qsage_validate.games.positional.paths import with_winning_sets
from qsage_validate.games.positional.preprocessing import (
    contracted,
    without_larger_sets,
    without_long_sets,
)
from qsage_validate.games.protocol import Player


def playable(model: PositionalModel) -> PositionalModel:
    """The model as far as Black's last ply.

    Raises ``UsageError`` for a game that is not maker-breaker with one stone a turn and an odd
    depth.
    """
    require_alternating(model)
    if not model.maker_breaker:
        raise UsageError(
            f"{model.name}: found winning sets of White's, expected a maker-breaker game"
        )
    return until_last_black_ply(model)


@dataclass(frozen=True)
class OpenGame:
    """A maker-breaker game and what is left of it on its open positions.

    ``inner`` has the open positions alone, numbered in their order; for shapes, whose cells must
    stay where they are, it has all positions in an order of its own.
    """

    model: PositionalModel
    inner: PositionalModel

    @property
    def depth(self) -> int:
        """The number of plies: odd, or 0 where nothing can be claimed."""
        return len(self.model.turns)

    @property
    def names(self) -> tuple[str, ...]:
        """The positions by number."""
        return self.inner.positions

    @property
    def size(self) -> int:
        """How many positions there are (the paper's eta)."""
        return len(self.inner.positions)

    @property
    def stones(self) -> int:
        """How many stones Black has: the positions of the longest witness."""
        return (self.depth + 1) // 2

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {self.model.number[name]: new for new, name in enumerate(self.inner.positions)}

    def inner_mask(self, mask: int) -> int:
        """The positions of a set of the model's that ``inner`` has, in its numbers."""
        image = 0
        for old in members(mask):
            if old in self._numbers:
                image |= 1 << self._numbers[old]
        return image

    def claimed(self, goals: Goals) -> int:
        """The positions of one of the goals that were reached, in the numbers of ``inner``.

        A witness is the mask of a winning set or way in the numbers of the model.
        """
        witness = one_of(goals)
        assert isinstance(witness, int), "a witness of a positional game is a set of positions"
        return self.inner_mask(witness)


def with_sets(model: PositionalModel) -> OpenGame:
    """The game with Black's minimal winning sets for which there are enough stones.

    The ways of a network are listed; raises ``UsageError`` where there are too many, and as
    :func:`playable` does.
    """
    model = playable(model)
    inner = contracted(with_winning_sets(model))
    return OpenGame(model, without_larger_sets(without_long_sets(inner)))


def with_network(model: PositionalModel, encoding: str) -> OpenGame:
    """The game with its network; raises ``UsageError`` where Black connects nothing."""
    model = playable(model)
    if model.network is None or model.network.short is not Player.BLACK:
        found = "winning sets" if model.network is None else "a network of White's"
        raise UsageError(f"{model.name}: found {found}, expected Black's network for {encoding}")
    return OpenGame(model, contracted(model))


def steps_of(network: Network) -> tuple[int, ...]:
    """For each position the set of those that may follow it on the witness path.

    The neighbours; and the position itself where it is one of the end, so that short paths are
    as long as long ones (section 4.3).  A position without neighbours is followed by itself
    too: it is on no path, but in the lifted encoding each position must have a neighbour.
    """
    return tuple(
        row | 1 << k if network.end >> k & 1 or not row else row
        for k, row in enumerate(network.neighbours)
    )


def shortest_way(network: Network, through: int) -> tuple[int, ...]:
    """The positions of a shortest way from start to end within a set, in their order.

    Empty where there is none, or where none is needed.
    """
    if network.joined:
        return ()
    layers = [network.start & through]
    seen = layers[0]
    while layers[-1] and not layers[-1] & network.end:
        near = 0
        for k in members(layers[-1]):
            near |= network.neighbours[k]
        layers.append(near & through & ~seen)
        seen |= layers[-1]
    if not layers[-1]:
        return ()
    way = [_first(layers[-1] & network.end)]
    for layer in reversed(layers[:-1]):
        way.append(_first(layer & network.neighbours[way[-1]]))
    return tuple(reversed(way))


def first_set(wins: Sequence[int], through: int) -> tuple[int, ...]:
    """The members of the first winning set within a set of positions; none where there is none."""
    return next((tuple(members(w)) for w in wins if w & through == w), ())


def _first(mask: int) -> int:
    return next(bits(mask)).bit_length() - 1
