"""Who wins a game of connection once the board is full, in machine code.

The game is a network between two sides, or Hex by its winning sets: there the other player's
connection is known as well, by the Hex theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from qsage_validate.extensions.fast.arrays import CONTROLS, DONE, FIRST
from qsage_validate.extensions.fast.runner import Runner
from qsage_validate.games.positional.hex import is_hex_board, transversal_of, with_network
from qsage_validate.games.positional.model import Arrangement, Network, PositionalModel
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search.search_engine import WIN

BLACK, WHITE = Player.BLACK, Player.WHITE

# A node takes some ten thousandths of a second on 7x7.
_NODES_A_SLICE = 200

MAX_POSITIONS = 60
"""Positions and two marks are the bits of an entry of the table."""


def networks_of(model: PositionalModel) -> Mapping[Player, Network]:
    """The networks in which the players have to connect two sides, both of them for Hex.

    Empty for games that are none of connection, and for those of more than ``MAX_POSITIONS``.
    """
    if len(model.positions) > MAX_POSITIONS or model.white_wins:
        return {}
    found = model if model.network is not None else with_network(model)
    if found is None or found.network is None or found.network.joined:
        return {}
    networks = [found.network]
    if is_hex_board(found):
        other = transversal_of(found).network
        assert other is not None
        networks.append(other)
    return {network.short: network for network in networks}


class ConnectionSearch:
    """Who wins from the positions of one game, if they are played until the board is full.

    ``watch`` is called now and then, and ends a search by an error; ``memory_mb`` is the size of
    the table at most.  Raises ``UsageError`` for a table that does not fit in the memory.
    """

    def __init__(
        self,
        model: PositionalModel,
        networks: Mapping[Player, Network],
        watch: Callable[[], None],
        memory_mb: int | None = None,
    ) -> None:
        self._machine = _machine()
        self._watch = watch
        self._board = self._board_of(model, networks)
        size = len(model.positions)
        self._frames = self._machine.new_frames(size)
        self._links = self._machine.new_links(size)
        self._runner = Runner(2, 2, CONTROLS, memory_mb, nodes_a_slice=_NODES_A_SLICE)

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        return self._runner.nodes

    @property
    def positions(self) -> int:
        return self._runner.filled

    def black_wins(self, black: int, white: int, player: Player) -> bool:
        """True if Black wins from a position with a player to move."""
        runner = self._runner
        self._enter(black, white, player)
        runner.control[FIRST] = player is WHITE
        runner.begin()
        while (
            runner.slice(self._machine.run_connections, self._board, self._frames, self._links)
            != DONE
        ):
            self._watch()
        return (runner.result == WIN) is (player is BLACK)

    def known(self, black: int, white: int, player: Player) -> bool | None:
        """The answer if the table has the position, else ``None``; nothing is searched."""
        self._enter(black, white, player)
        entry = self._runner.call(
            self._machine.find_position, self._runner.table, self._frames, int(player is WHITE)
        )
        if not entry:
            return None
        return bool(entry & self._machine.WINS) is (player is BLACK)

    def _enter(self, black: int, white: int, player: Player) -> None:
        own, other = (black, white) if player is BLACK else (white, black)
        self._frames.own[0], self._frames.other[0] = own, other

    def _board_of(self, model: PositionalModel, networks: Mapping[Player, Network]) -> Any:
        size = len(model.positions)
        sides = [
            mask
            for player in (BLACK, WHITE)
            for mask in (
                (networks[player].start, networks[player].end) if player in networks else (0, 0)
            )
        ]
        some = next(iter(networks.values()))
        return self._machine.ConnectionBoard(
            np.array(some.neighbours, dtype=np.int64),
            np.array(sides, dtype=np.int64),
            np.array([player in networks for player in (BLACK, WHITE)], dtype=np.int64),
            (1 << size) - 1,
            size,
            np.array(_central(model), dtype=np.int64),
        )


def _central(model: PositionalModel) -> list[int]:
    """For each position how near it is to the middle of the board, the nearest with most."""
    grid = Arrangement.of(model.positions)
    middle = grid.width + 1, grid.height + 1
    return [-((2 * x - middle[0]) ** 2) - (2 * y - middle[1]) ** 2 for x, y in grid.squares]


def _machine() -> ModuleType:
    from qsage_validate.extensions.fast import connections_machine

    return connections_machine
