"""ET: explicit board, the goal of the transversal game (Shaik et al. 2023, section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.positional.explicit_board import ExplicitBoard
from qsage_validate.encodings.positional.require import require_network
from qsage_validate.games.positional.hex import is_hex_board, transversal_of
from qsage_validate.games.positional.masks import members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player


def encode_et(model: PositionalModel) -> Encoding:
    """The formula that is true if and only if Black cuts White's network within the plies.

    A Hex board whose network is Black's stands for its transversal game, which has the same
    winner in as many plies.  ``r[v]`` holds at least for the positions that are connected with
    White's start by positions that are not black.  Raises ``UsageError`` without such a network,
    for games that do not alternate, and an even depth.
    """
    network = model.network
    if network is not None and network.short is Player.BLACK and is_hex_board(model):
        network = transversal_of(model).network
    network = require_network(model, "et", short=Player.WHITE, network=network)
    board = ExplicitBoard(model)
    add, positions, final = board.clauses.add, board.positions, board.final
    r = board.clauses.exists(len(positions))  # (15)
    neighbours = [tuple(members(row)) for row in network.neighbours]
    for v in members(network.start):
        add(final[v], r[v])  # (16)
    for v in positions:
        for w in neighbours[v]:
            add(-r[v], final[w], r[w])  # (17)
    for v in members(network.end):
        add(-r[v])  # (18)
    if network.joined:
        add()

    def define(builder: AigBuilder, black: Sequence[int]) -> dict[int, int]:
        reached = [black[v] ^ 1 if network.start >> v & 1 else FALSE for v in positions]
        # A way without a detour never comes to a position twice; sweeps back and forth find
        # most ways early, and then nothing changes any more.
        for sweep in range(len(positions)):
            before = list(reached)
            for v in reversed(positions) if sweep % 2 else positions:
                near = builder.or_all(reached[w] for w in neighbours[v])
                reached[v] = builder.or_(reached[v], builder.and_(black[v] ^ 1, near))
            if reached == before:
                break
        return dict(zip(r, reached, strict=True))

    return board.encoding("et", define)
