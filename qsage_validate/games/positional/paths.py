"""The winning sets of a network: all minimal ways from start to end.

A minimal way touches the start in its first position only, the end in its last only, and no two
of its positions are neighbours but those that follow each other.  Their number grows
exponentially with the board, so there are limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from qsage_validate.errors import UsageError
from qsage_validate.games.masks import bits, minimal, spread
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.protocol import Player

DEFAULT_LIMIT = 20_000
"""The default limit on the number of winning sets."""

_STEPS_PER_SET = 200
_LEAST_STEPS = 1_000_000


def _search(network: Network, through: int, free: int, longest: int | None) -> Iterator[int | None]:
    """The minimal ways; ``None`` at each step between them."""
    if network.joined:
        yield 0
        return
    neighbours = network.neighbours
    costs = _costs(network, through, free)
    most = len(neighbours) if longest is None else longest
    start, end = network.start & through, network.end
    # The last position, the way, what may not follow, and the stones that the way takes.
    stack = [(bit, bit, start, int(not bit & free)) for bit in _last_first(start)]
    while stack:
        last, path, barred, stones = stack.pop()
        if last & end:
            if stones <= most:
                yield path
            continue
        yield None
        number = last.bit_length() - 1
        step = neighbours[number] & through & ~barred
        barred |= neighbours[number] | last
        for bit in _last_first(step):
            cost = costs.get(bit)
            if cost is not None and stones + cost <= most:
                stack.append((bit, path | bit, barred, stones + int(not bit & free)))


def _last_first(mask: int) -> list[int]:
    return list(bits(mask))[::-1]


def _costs(network: Network, through: int, free: int) -> dict[int, int]:
    """For each position the fewest positions outside ``free`` from it to the end, itself too."""
    costs: dict[int, int] = {}
    layer = network.end & through
    seen = 0
    count = 0
    while layer:
        # Free steps cost nothing more: finish them before the next stone.
        cheap = layer & free & ~seen
        while cheap:
            seen |= cheap
            for bit in bits(cheap):
                costs[bit] = count
            near = spread(cheap, network.neighbours) & through & ~seen
            layer |= near
            cheap = near & free
        stones = layer & ~free & ~seen
        count += 1
        seen |= stones
        for bit in bits(stones):
            costs[bit] = count
        layer = spread(stones, network.neighbours) & through & ~seen
    return costs


def with_winning_sets(model: PositionalModel, limit: int = DEFAULT_LIMIT) -> PositionalModel:
    """The model with Black's minimal winning sets in place of the network.

    For Short the minimal ways that Black has stones enough for; for Cut the minimal cuts.  Raises
    ``UsageError`` when there are more than ``limit``.
    """
    network = model.network
    if network is None:
        return model
    stones = model.moves_of(Player.BLACK)
    ways = _limited_ways(model, network, limit)
    if ways is None:
        raise UsageError(
            f"{model.name} with {model.plies} plies has more than {limit:,} winning sets, or they "
            "take too long to list: choose fewer plies, a smaller board, a larger limit or the "
            "form with neighbours"
        )
    if network.short is Player.WHITE:
        cuts = transversals([way & ~model.white for way in ways], limit, model.name)
        ways = [cut | model.black for cut in cuts if cut.bit_count() <= stones]
    return replace(model, network=None, black_wins=tuple(ways))


def with_all_winning_sets(model: PositionalModel) -> PositionalModel:
    """The model, with as many plies, and every set that Black could complete on a full board.

    A set of pairs that hinders all of them hinders Black for ever.  Raises ``UsageError`` for too
    many sets.
    """
    if model.network is None:
        return model
    listed = with_winning_sets(model.at_depth(model.open.bit_count()))
    return replace(listed, turns=model.turns)


def ways_of(model: PositionalModel, limit: int = DEFAULT_LIMIT) -> list[int] | None:
    """The open positions of each minimal way of Short's, ``None`` for more than ``limit`` ways.

    Short's own positions are free; Black as Short has stones for so many others only.  Raises
    ``UsageError`` for a model without a network.
    """
    if model.network is None:
        raise UsageError(f"{model.name} has no network, expected one")
    ways = _limited_ways(model, model.network, limit)
    return None if ways is None else [way & model.open for way in ways]


def _limited_ways(model: PositionalModel, network: Network, limit: int) -> list[int] | None:
    if network.short is Player.BLACK:
        free, lost, stones = model.black, model.white, model.moves_of(Player.BLACK)
    else:
        free, lost, stones = model.white, model.black, len(model.positions)
    ways: list[int] = []
    for steps, mask in enumerate(_search(network, model.all & ~lost, free, stones)):
        if mask is not None:
            ways.append(mask)
        if len(ways) > limit or steps > _LEAST_STEPS + _STEPS_PER_SET * limit:
            return None
    return ways


def transversals(sets: list[int], limit: int = DEFAULT_LIMIT, name: str = "the game") -> list[int]:
    """The minimal sets that have a member in common with each of ``sets``.

    Those with which a breaker stops a maker (Berge's multiplication, set by set).  Raises
    ``UsageError`` when more than ``limit`` of them are at hand.
    """
    result = [0]
    for mask in minimal(sets):
        hit = [t for t in result if t & mask]
        grown = [t | bit for t in result if not t & mask for bit in bits(mask)]
        result = list(minimal(hit + grown))
        if len(result) > limit:
            raise UsageError(f"{name} has more than {limit:,} transversals, expected fewer")
    return result
