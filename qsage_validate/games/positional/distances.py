"""How many stones a way from a border of a network to a position takes."""

from __future__ import annotations

from qsage_validate.games.positional.masks import flood, spread
from qsage_validate.games.positional.model import Network


def distance_layers(network: Network, border: int, owned: int, free: int, count: int) -> list[int]:
    """Open positions by how many stones a way from a border to them takes, from 1 to ``count``.

    ``owned`` positions take none.  The position itself is counted.
    """
    neighbours = network.neighbours
    reached = flood(border, owned, neighbours)
    layer = (border | spread(reached, neighbours)) & free
    seen = reached | layer
    layers: list[int] = []
    while layer and len(layers) < count:
        layers.append(layer)
        near = spread(layer, neighbours) & ~seen
        joined = flood(near, owned, neighbours)
        layer = (near | spread(joined, neighbours)) & free & ~seen
        seen |= joined | layer
    return layers
