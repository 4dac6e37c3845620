"""Which goals a position reaches, each as the set of positions that reach it."""

from __future__ import annotations

from qsage_validate.games.positional.masks import bits, spread
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.protocol import Player


def goal_masks(model: PositionalModel, own: int, player: Player) -> frozenset[int]:
    """The goals of ``player`` within the positions ``own``, as masks; empty without one.

    Every complete winning set; in a network a shortest connection of Short's, or a cut of Cut's
    from which nothing can be left out.
    """
    network = model.network
    if player is Player.WHITE or network is None:
        wins = model.black_wins if player is Player.BLACK else model.white_wins
        return frozenset(mask for mask in wins if mask & own == mask)
    if not network.won_by_black(own):
        return frozenset()
    if network.short is Player.BLACK:
        return frozenset({shortest_connection(network, own)})
    cut = own
    for bit in bits(own):
        if network.won_by_black(cut & ~bit):
            cut &= ~bit
    return frozenset({cut})


def shortest_connection(network: Network, own: int) -> int:
    """The positions of a shortest way from start to end within ``own``, which there is."""
    if network.joined:
        return 0
    layers = [network.start & own]
    seen = layers[0]
    while not layers[-1] & network.end:
        layers.append(spread(layers[-1], network.neighbours) & own & ~seen)
        seen |= layers[-1]
    near = layers[-1] & network.end
    way = 0
    for layer in reversed(layers):
        last = layer & near
        last &= -last
        way |= last
        near = spread(last, network.neighbours)
    return way
