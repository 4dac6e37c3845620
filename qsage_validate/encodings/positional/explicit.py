"""EA, EN and ET: the goals on an explicit board (Shaik et al. 2023, sections 3.1, 4.2 and 4.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Final

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.positional.explicit_board import ExplicitBoard
from qsage_validate.encodings.positional.in_mind import completed
from qsage_validate.errors import UsageError
from qsage_validate.games.masks import members
from qsage_validate.games.positional.hex import is_hex_board, transversal_of
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.positional.paths import with_winning_sets
from qsage_validate.games.protocol import Player


def encode_ea(model: PositionalModel) -> Encoding:
    """The formula that is true if and only if Black, as maker, wins within the plies.

    A network's winning sets are listed first: minimal ways, or minimal cuts.  Raises
    ``UsageError`` when there are too many, for games that do not alternate, an even depth, and
    maker-maker games.
    """
    require_maker_breaker(model, "ea")
    board = ExplicitBoard(model)
    wins = with_winning_sets(board.model).black_wins
    goals = board.clauses.exists(len(wins))  # (7)
    board.clauses.add(*goals)  # (8)
    for goal, win in zip(goals, wins, strict=True):
        for v in members(win):
            board.clauses.add(-goal, board.final[v])  # (9)

    def define(builder: AigBuilder, black: Sequence[int]) -> dict[int, int]:
        return dict(zip(goals, completed(builder, wins, black), strict=True))

    return board.encoding("ea", define)


def encode_en(model: PositionalModel, *, backward: bool = True) -> Encoding:
    """The formula that is true if and only if Black connects the network within the plies.

    ``p[i][v]`` says that position ``v`` is the ``i``-th one of a way from start to end, with
    equations 10 to 14 of section 4.2.  With ``backward`` there are the clauses of the authors'
    generator (``sat2023/bule/level.bul``) besides: only positions of the start are first, a
    position behind them has a predecessor on the way, and a position of the end is last.  The
    formula has as many clauses as Table 2 says, then; without, it has those of Table 3.

    Raises ``UsageError`` without a network of Black's, for games that do not alternate, and an
    even depth.
    """
    name = "en" if backward else "en-forward"
    network = require_network(model, name, short=Player.BLACK)
    board = ExplicitBoard(model)
    model = board.model
    add, positions, final = board.clauses.add, board.positions, board.final
    if network.joined:
        return board.encoding(name, lambda builder, black: {})
    # A way of Black's has the positions that Black has and will claim at most.
    stones = model.black.bit_count() + model.moves_of(Player.BLACK)
    length = min(stones, len(model.positions))
    p = [board.clauses.exists(len(positions)) for _ in range(length)]  # (10)
    neighbours = [tuple(members(row)) for row in network.neighbours]
    not_start = tuple(members(model.all & ~network.start))
    not_end = tuple(members(model.all & ~network.end))
    for step in p:
        for v in positions:
            add(-step[v], final[v])  # (11)
    add(*(p[0][v] for v in members(network.start) if p))  # (12)
    for step, following in pairwise(p):
        for v in not_end:
            add(-step[v], *(following[w] for w in neighbours[v]))  # (13)
        for w in not_start if backward else ():
            add(-following[w], *(step[v] for v in neighbours[w]))
    if p:
        for v in not_end:
            add(-p[-1][v])  # (14)
    if p and backward:
        for v in not_start:
            add(-p[0][v])
        add(*(p[-1][v] for v in members(network.end)))

    def reached(
        builder: AigBuilder, border: int, steps: Sequence[Bits], black: Sequence[int]
    ) -> dict[int, int]:
        """For each step what is black and so many steps from a border, at most."""
        values: dict[int, int] = {}
        near = [black[v] if border >> v & 1 else FALSE for v in positions]
        for step in steps:
            values.update(zip(step, near, strict=True))
            near = [
                near[v]
                if border >> v & 1
                else builder.and_(black[v], builder.or_all(near[w] for w in neighbours[v]))
                for v in positions
            ]
        return values

    def define(builder: AigBuilder, black: Sequence[int]) -> dict[int, int]:
        to_end = reached(builder, network.end, p[::-1], black)
        if not backward:
            return to_end
        from_start = reached(builder, network.start, p, black)
        return {v: builder.and_(x, to_end[v]) for v, x in from_start.items()}

    return board.encoding(name, define)


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


def require_maker_breaker(model: PositionalModel, encoding: str) -> None:
    """Raise ``UsageError`` for a game in which White has winning sets."""
    if not model.maker_breaker:
        raise UsageError(
            f"{model.name}: found winning sets of White's, expected a maker-breaker game for "
            f"the encoding {encoding}"
        )


def require_network(
    model: PositionalModel, encoding: str, *, short: Player, network: Network | None = None
) -> Network:
    """The network of a maker-breaker game; ``UsageError`` when it is not ``short`` who connects.

    ``network`` takes the place of the model's.
    """
    require_maker_breaker(model, encoding)
    network = network or model.network
    expected = f"a network that {short} connects, for the encoding {encoding}"
    if network is None:
        raise UsageError(f"{model.name}: found no network, expected {expected}")
    if network.short is not short:
        raise UsageError(
            f"{model.name}: found one that {network.short} connects, expected {expected}"
        )
    return network


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "ea": encode_ea,
    "en": encode_en,
    "en-forward": partial(encode_en, backward=False),
    "et": encode_et,
}
