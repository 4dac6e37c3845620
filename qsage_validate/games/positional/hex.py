"""Games of connection: networks, ways through them, Hex, and what of a network decides.

A minimal way touches the start in its first position only, the end in its last only, and no two
of its positions are neighbours but those that follow each other.  Their number grows
exponentially with the board, so there are limits.

Each keeps whether Black wins within the plies.  Those that look at winning sets leave a network
as it is, and those of a network leave winning sets; ``preprocess`` does all of them.

The transversal game on the same board has White connect the first column with the last; by the
Hex theorem (Gale 1979) Black has cut that off if and only if Black has connected the rows, once
the board is full, so both games have the same winner, and in as many plies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from qsage_validate.errors import UsageError
from qsage_validate.formats.grid_names import cell_name
from qsage_validate.games.masks import bits, flood, members, minimal, spread
from qsage_validate.games.positional.model import (
    MAX_POSITIONS,
    Arrangement,
    Network,
    PositionalModel,
    alternating,
    border,
    hex_axis,
    hex_neighbours,
    is_hex_board,
    without_dead_sets,
    without_long_sets,
)
from qsage_validate.games.protocol import Player

# The winning sets of a network: all minimal ways from start to end


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


# Transformations that make a positional game smaller and keep its answer (section 4.1)


BLACK, WHITE = Player.BLACK, Player.WHITE


def without_larger_sets(model: PositionalModel) -> PositionalModel:
    """Without the winning sets that contain another one, which is complete before them."""
    return replace(
        model, black_wins=minimal(model.black_wins), white_wins=minimal(model.white_wins)
    )


def useless_positions(model: PositionalModel) -> int:
    """The open positions that are in no winning set, or on no way that is short enough.

    In a network with Black as Short: on none from start to end that takes at most Black's
    stones.  With White as Short: on none from start to end at all.
    """
    used = 0
    for wins in (*model.black_wins, *model.white_wins):
        used |= wins
    if model.network is not None:
        used |= _on_ways(model, model.network)
    return model.open & ~used


def _on_ways(model: PositionalModel, network: Network) -> int:
    if network.short is WHITE:
        through = model.all & ~model.black
        return flood(network.start, through, network.neighbours) & flood(
            network.end, through, network.neighbours
        )
    stones = model.moves_of(BLACK)
    start = network.distance_layers(network.start, model.black, model.open, stones)
    end = network.distance_layers(network.end, model.black, model.open, stones)
    used = 0
    for k, layer in enumerate(start):
        for behind in end[: stones - k]:
            used |= layer & behind
    return used


def with_useless_white(model: PositionalModel) -> PositionalModel:
    """With the useless positions claimed by White, as neither player needs them (Figure 1(b)).

    The step is repeated, because fewer open positions may leave Black fewer stones.
    """
    return last_of(after(model, [with_useless_white]), model)


def _without_useless(model: PositionalModel) -> PositionalModel:
    return _given_to_white(model, useless_positions(model))


def without_detours(model: PositionalModel, limit: int = DEFAULT_LIMIT) -> PositionalModel:
    """With the open positions claimed by White that no minimal way and no set of White's has.

    A position on a short way need not be on a minimal one.  The minimal ways have to be listed;
    where there are more than ``limit`` of them, the model stays as it is.
    """
    while (left := _without_detours(model, limit)) != model:
        model = left
    return model


def _without_detours(model: PositionalModel, limit: int = DEFAULT_LIMIT) -> PositionalModel:
    ways = None
    if model.network is not None and not model.network.joined:
        ways = ways_of(model, limit)
    if ways is None:
        return model
    used = 0
    for way in (*minimal(ways), *model.white_wins):
        used |= way
    return _given_to_white(model, model.open & ~used)


def _given_to_white(model: PositionalModel, positions: int) -> PositionalModel:
    if not positions:
        return model
    first_moves = model.first_moves & ~positions
    return replace(model, white=model.white | positions, first_moves=first_moves)


def contracted(model: PositionalModel) -> PositionalModel:
    """Only the open positions (Figure 1(c)).

    Positions that a player owns are taken out of that player's winning sets; sets with an
    opponent's position are removed.  In a network, Cut's positions go with their edges; Short's go
    and leave their neighbours pairwise connected (Bonnet et al. 2017, proof of Theorem 2).
    """
    dead_free = without_dead_sets(model)
    kept = list(members(model.open))
    number = {old: new for new, old in enumerate(kept)}

    def renumbered(mask: int) -> int:
        image = 0
        for k in members(mask & model.open):
            image |= 1 << number[k]
        return image

    network = None
    if model.network is not None:
        joined = _contract(model, model.network)
        network = replace(
            joined,
            neighbours=tuple(renumbered(joined.neighbours[k]) for k in kept),
            start=renumbered(joined.start),
            end=renumbered(joined.end),
        )
    return replace(
        model,
        positions=tuple(model.positions[k] for k in kept),
        black_wins=tuple(dict.fromkeys(map(renumbered, dead_free.black_wins))),
        white_wins=tuple(dict.fromkeys(map(renumbered, dead_free.white_wins))),
        black=0,
        white=0,
        network=network,
        first_moves=renumbered(model.first_moves),
        hexagons=model.hexagons and model.open == model.all,
    )


def _contract(model: PositionalModel, network: Network) -> Network:
    """The network of the open positions, still with all numbers."""
    own = model.black if network.short is BLACK else model.white
    rows = list(network.neighbours)
    start, end, joined = network.start, network.end, network.joined
    rest = own
    while rest:
        # A connected group of Short's positions at a time.
        group = flood(rest & -rest, own, network.neighbours)
        rest &= ~group
        near = spread(group, network.neighbours) & model.open
        for k in members(near):
            rows[k] |= near & ~(1 << k)
        at_start, at_end = bool(group & network.start), bool(group & network.end)
        joined |= at_start and at_end
        start |= near if at_start else 0
        end |= near if at_end else 0
    return replace(
        network,
        neighbours=tuple(row & model.open for row in rows),
        start=start & model.open,
        end=end & model.open,
        joined=joined,
    )


Step = Callable[[PositionalModel], PositionalModel]

STEPS: Final[Sequence[Step]] = (
    without_dead_sets,
    without_long_sets,
    without_larger_sets,
    with_useless_white,
    without_detours,
    contracted,
)
"""The transformations, in the order in which they help each other."""

_ROUNDS: Final[Mapping[Step, Step]] = {
    with_useless_white: _without_useless,
    without_detours: _without_detours,
}
"""What is repeated in those that are repeated."""


def after(model: PositionalModel, steps: Iterable[Step]) -> Iterator[PositionalModel]:
    """The models after each of some transformations, and after each round of one."""
    for step in steps:
        once, before = _ROUNDS.get(step), None
        while model != before:
            before, model = model, (once or step)(model)
            yield model
            if once is None:
                break


def stages(model: PositionalModel) -> Iterator[PositionalModel]:
    """The models after one transformation after the other, until none changes it any more."""
    left, before = model, None
    while left != before:
        before = left
        for stage in after(left, STEPS):
            yield stage
            left = stage


def preprocess(model: PositionalModel) -> PositionalModel:
    """The model after all transformations, until none changes it any more."""
    return last_of(stages(model), model)


def last_of(models: Iterable[PositionalModel], otherwise: PositionalModel) -> PositionalModel:
    """The last of some models; ``otherwise`` if there is none."""
    return reduce(lambda _, model: model, models, otherwise)


# Hex as a network: cells of a board of hexagons, Black from the first row to the last


def hex_network(
    width: int, height: int, plies: int | None = None, *, transversal: bool = False
) -> PositionalModel:
    """Hex on a board of any size, empty; as many plies as there are cells, unless said.

    With ``transversal`` the network is White's, from the first column to the last.  Raises
    ``UsageError`` for boards of no cells or too many.
    """
    if width < 1 or height < 1 or width * height > MAX_POSITIONS:
        raise UsageError(
            f"found a {width}x{height} board, expected one of 1 to {MAX_POSITIONS} cells"
        )
    cells = tuple((x, y) for x in range(1, width + 1) for y in range(1, height + 1))
    axis, last = (0, width) if transversal else (1, height)
    network = Network(
        hex_neighbours(cells),
        border(cells, axis, 1),
        border(cells, axis, last),
        short=Player.WHITE if transversal else Player.BLACK,
    )
    return PositionalModel(
        name=f"hex {width}x{height}{' transversal' if transversal else ''}",
        positions=tuple(cell_name(x, y) for x, y in cells),
        turns=alternating(width * height if plies is None else plies),
        network=network,
        hexagons=True,
    )


def transversal_of(model: PositionalModel) -> PositionalModel:
    """The same Hex position with White's network in place of Black's, or the reverse.

    Raises ``UsageError`` for a model that is no Hex board with its network between two sides.
    """
    return replace(model, network=transversal_network(model), name=f"{model.name} transversal")


def transversal_network(model: PositionalModel) -> Network:
    """The other player's network of a Hex position; errors as in :func:`transversal_of`."""
    network = model.network
    if network is None or not is_hex_board(model):
        raise UsageError(f"{model.name} is no Hex board with a network, expected one")
    grid = Arrangement.of(model.positions)
    axis, last = (0, grid.width) if hex_axis(network, grid) == 1 else (1, grid.height)
    first, final = border(grid.squares, axis, 1), border(grid.squares, axis, last)
    return Network(network.neighbours, first, final, short=network.short.other)


def with_network(model: PositionalModel) -> PositionalModel | None:
    """The same game with a network for Black in place of winning sets, where these are Hex's.

    These are all that Black has stones for.  ``None`` for any other game, and for a board with
    stones.
    """
    if model.network is not None or model.black or model.white or not is_hex_board(model):
        return None
    cells = Arrangement.of(model.positions).squares
    first, last = border(cells, 1, 1), border(cells, 1, max(y for _, y in cells))
    network = Network(hex_neighbours(cells), first, last)
    found = replace(model, network=network, black_wins=())
    try:
        listed = with_winning_sets(found, len(model.black_wins))
    except UsageError:  # more ways than the game has sets
        return None
    return found if set(minimal(model.black_wins)) == set(minimal(listed.black_wins)) else None


def side_owner(model: PositionalModel) -> Player | None:
    """The player who connects the top row of a Hex board with the bottom row.

    The opponent connects the left side with the right side.

    ``None`` for a model that is no Hex board.
    """
    if not is_hex_board(model):
        return None
    if model.network is None:
        return Player.BLACK
    short = model.network.short
    return short if hex_axis(model.network, Arrangement.of(model.positions)) == 1 else short.other
