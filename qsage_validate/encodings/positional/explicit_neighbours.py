"""EN: explicit board, the goal by neighbours (Shaik et al. 2023, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.positional.explicit_board import ExplicitBoard
from qsage_validate.encodings.positional.require import require_network
from qsage_validate.games.positional.masks import members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player


def path_length(model: PositionalModel) -> int:
    """How many positions a way of Black's has at most: those that Black has and will claim."""
    stones = model.black.bit_count() + model.moves_of(Player.BLACK)
    return min(stones, len(model.positions))


def encode_en(model: PositionalModel) -> Encoding:
    """The formula that is true if and only if Black connects the network within the plies.

    ``p[i][v]`` says that position ``v`` is the ``i``-th one of a way from start to end.  Raises
    ``UsageError`` without a network of Black's, for games that do not alternate, and an even
    depth.
    """
    network = require_network(model, "en", short=Player.BLACK)
    board = ExplicitBoard(model)
    model = board.model
    add, positions, final = board.clauses.add, board.positions, board.final
    if network.joined:
        return board.encoding("en", lambda builder, black: {})
    length = path_length(model)
    p = [board.clauses.exists(len(positions)) for _ in range(length)]  # (10)
    neighbours = [tuple(members(row)) for row in network.neighbours]
    inner = tuple(members(model.all & ~network.end))
    for step in p:
        for v in positions:
            add(-step[v], final[v])  # (11)
    add(*(p[0][v] for v in members(network.start) if p))  # (12)
    for step, following in pairwise(p):
        for v in inner:
            add(-step[v], *(following[w] for w in neighbours[v]))  # (13)
    if p:
        for v in inner:
            add(-p[-1][v])  # (14)

    def define(builder: AigBuilder, black: Sequence[int]) -> dict[int, int]:
        # Backwards: what is so many steps from the end, within Black's positions, at most.
        values: dict[int, int] = {}
        near = [black[v] if network.end >> v & 1 else FALSE for v in positions]
        for step in reversed(p):
            values.update(zip(step, near, strict=True))
            near = [
                near[v]
                if network.end >> v & 1
                else builder.and_(black[v], builder.or_all(near[w] for w in neighbours[v]))
                for v in positions
            ]
        return values

    return board.encoding("en", define)
