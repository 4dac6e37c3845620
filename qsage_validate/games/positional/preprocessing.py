"""Transformations that make a positional game smaller and keep its answer (section 4.1).

Each keeps whether Black wins within the plies.  Those that look at winning sets leave a network
as it is, and those of a network leave winning sets; ``preprocess`` does all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from qsage_validate.games.masks import flood, members, minimal, spread
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.positional.paths import DEFAULT_LIMIT, ways_of
from qsage_validate.games.protocol import Player

BLACK, WHITE = Player.BLACK, Player.WHITE


def without_long_sets(model: PositionalModel) -> PositionalModel:
    """Without the winning sets that miss more positions than their player has stones left.

    Neither player can complete those in time.
    """
    black, white = (
        tuple(w for w in wins if (w & ~own).bit_count() <= model.moves_of(player))
        for player, wins, own in (
            (BLACK, model.black_wins, model.black),
            (WHITE, model.white_wins, model.white),
        )
    )
    return replace(model, black_wins=black, white_wins=white)


def without_dead_sets(model: PositionalModel) -> PositionalModel:
    """Without the winning sets in which the opponent has a position."""
    return replace(
        model,
        black_wins=tuple(w for w in model.black_wins if not w & model.white),
        white_wins=tuple(w for w in model.white_wins if not w & model.black),
    )


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
    """With those open positions of a network claimed by White that are on no minimal way.

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
    for way in minimal(ways):
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
