"""Definitions that the encodings with a witness share.

The witness of a winning play is a list of positions: those of a winning set, or of a way in their
order, the last one repeated until the list is full.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.encodings.arithmetic import Bits
from qsage_validate.encodings.completion import Goals, PlayLiterals
from qsage_validate.encodings.positional.open_game import OpenGame, first_set, shortest_way
from qsage_validate.games.positional.masks import members

Listing = Callable[[Goals], tuple[int, ...]]
"""The positions that one of the goals which were reached consists of, by number."""


def set_members(game: OpenGame) -> Listing:
    """The members of a winning set that a witness contains."""
    return lambda goals: first_set(game.inner.black_wins, game.claimed(goals))


def way_positions(game: OpenGame) -> Listing:
    """The positions of a way through a witness, from start to end."""
    network = game.inner.network
    assert network is not None, "a game with a network"
    return lambda goals: shortest_way(network, game.claimed(goals))


def witness_positions(
    play: PlayLiterals, listing: Listing, number: int, first_move: Bits
) -> list[Bits]:
    """So many positions of the goal that is reached, in literals of the play's graph.

    Where the goal needs no position at all, all of them are Black's first move, which is black.
    """
    width = len(first_move)

    def value(index: int) -> Callable[[Goals], int]:
        def of(goals: Goals) -> int:
            positions = listing(goals)
            return positions[min(index, len(positions) - 1)] if positions else 0

        return of

    empty = play.witness(lambda goals: int(not listing(goals)), 1)[0]
    at = tuple(play.literals[v] for v in first_move)
    return [
        ite_bits(play.builder, empty, at, play.witness(value(index), width))
        for index in range(number)
    ]


def ite_bits(builder: AigBuilder, condition: int, then: Bits, otherwise: Bits) -> Bits:
    """If-then-else on vectors."""
    return tuple(builder.ite(condition, a, b) for a, b in zip(then, otherwise, strict=True))


def literals_of(play: PlayLiterals, variables: Sequence[int]) -> Bits:
    """The literals of some variables that are known."""
    return tuple(play.literals[v] for v in variables)


def at(builder: AigBuilder, bits: Bits, position: int) -> int:
    """Whether ``bits`` are the number of a position."""
    width = len(bits)
    return builder.and_all(
        bit ^ 1 ^ (position >> place & 1)
        for place, bit in zip(range(width - 1, -1, -1), bits, strict=True)
    )


def is_one_of(builder: AigBuilder, bits: Bits, others: Sequence[Bits]) -> int:
    """Whether ``bits`` are the same as one of ``others``."""
    return builder.or_all(builder.eq_all(bits, other) for other in others)


def are_related(builder: AigBuilder, first: Bits, second: Bits, steps: Sequence[int]) -> int:
    """Whether ``second`` is one of the steps from ``first``."""
    return builder.or_all(
        builder.and_(
            at(builder, first, v), builder.or_all(at(builder, second, w) for w in members(row))
        )
        for v, row in enumerate(steps)
    )


def choose(builder: AigBuilder, cases: Sequence[tuple[int, Bits]], otherwise: Bits) -> Bits:
    """The vector of the first case whose condition holds."""
    result = otherwise
    for condition, bits in reversed(cases):
        result = ite_bits(builder, condition, bits, result)
    return result


def number(value: int, width: int) -> Bits:
    """The literals of a constant."""
    return tuple(TRUE if value >> place & 1 else FALSE for place in range(width - 1, -1, -1))


def assign(
    values: dict[int, int], vectors: Sequence[Bits], literals: Sequence[Bits]
) -> Mapping[int, int]:
    """Enter the literals of some vectors of variables into ``values``."""
    for variables, bits in zip(vectors, literals, strict=True):
        values.update(zip(variables, bits, strict=True))
    return values
