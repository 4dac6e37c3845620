"""Searches on arrays in machine code, of games on a grid and of games of connection.

Between the slices Python looks at the clock, at Ctrl-C and at the limits.

The game is a network between two sides, or Hex by its winning sets: there the other player's
connection is known as well, by the Hex theorem.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qsage_validate.errors import UsageError
from qsage_validate.extensions.fast.arrays import (
    CONTROLS,
    CROWDED,
    DEPTH,
    DONE,
    ENTER,
    FAR,
    FILLED,
    FIRST,
    MODE,
    NODES,
    ORDERED,
    PLIES,
    RESULT,
    SYMMETRIC,
    Arrays,
    Frames,
    HashTable,
    Words,
    new_frames,
)
from qsage_validate.extensions.fast.declared import is_kept
from qsage_validate.games.bddl.kernel import BddlKernel
from qsage_validate.games.kernel import ALWAYS, Kernel, State
from qsage_validate.games.positional.hex import transversal_network, with_network
from qsage_validate.games.positional.model import (
    Arrangement,
    Network,
    PositionalModel,
    is_hex_board,
)
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search_engine import MAX_PLIES, NEVER, NOT_WITHIN, WIN, LimitError
from qsage_validate.system.memory import physical_mb
from qsage_validate.system.programs import signals_held_back

# Machine code that is run in slices of nodes, and the table in which it keeps its states


SLICE = 100_000
"""Nodes between two looks at the clock: a few hundredths of a second."""

DEFAULT_MB = 1024
"""The largest table without ``--memory``; it begins small and grows."""

SLOTS = 1 << 14
"""Entries of a table at the beginning."""


class Runner:
    """The control block and the table of one game's search.

    A state has ``size`` words, its key in the table ``key_words``.  ``memory_mb`` sizes the table,
    which begins with so many ``slots`` and grows.  After ``nodes_a_slice`` nodes the clock is
    looked at.  Raises ``UsageError`` for a table that does not
    fit in the memory.
    """

    def __init__(
        self,
        size: int,
        key_words: int,
        controls: int,
        memory_mb: int | None,
        slots: int = SLOTS,
        nodes_a_slice: int = SLICE,
    ) -> None:
        self._nodes_a_slice = nodes_a_slice
        self.words = (0,) * size
        self.control: Words = np.zeros(controls, dtype=np.int64)
        self._key_words = key_words
        self._most_slots = _most_slots(1 + key_words, memory_mb)
        self._called: set[str] = set()
        self.table = self._new_table(min(slots, self._most_slots))

    @property
    def nodes(self) -> int:
        """The number of states that were visited."""
        return int(self.control[NODES])

    @property
    def filled(self) -> int:
        """The number of states in the table."""
        return int(self.control[FILLED])

    @property
    def result(self) -> int:
        """The result of a search that is done."""
        return (NOT_WITHIN, WIN, NEVER)[int(self.control[RESULT])]

    def begin(self) -> None:
        """Let the next slice begin a search."""
        self.control[DEPTH], self.control[MODE] = 0, ENTER

    def slice(self, function: Callable[..., int], rules: Any, frames: Any, history: Words) -> int:
        """One slice of a search: why it came back.  A crowded table has grown then."""
        # The first call makes the machine code: a node, and then the clock is looked at.
        nodes = self._nodes_a_slice if function.__name__ in self._called else 1
        until = self.nodes + nodes
        why = self.call(
            function, self.words, rules, self.table, frames, self.control, history, until
        )
        if why == CROWDED:
            self._grow()
        return int(why)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The value of a function in machine code.

        Its first call may compile it, which signals would leave half-done: they wait until then.
        """
        if function.__name__ in self._called:
            return function(*arguments)
        place = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        with signals_held_back(_nobody_waits if is_kept(place) else _say_why_it_waits):
            value = function(*arguments)
        self._called.add(function.__name__)
        return value

    def _new_table(self, slots: int) -> HashTable:
        return HashTable(
            np.zeros(slots * (self._key_words + 1), dtype=np.int64),
            slots,
            slots >= self._most_slots,
        )

    def _grow(self) -> None:
        from qsage_validate.extensions.fast.machine import move_over

        old = self.table
        try:
            self.table = self._new_table(min(4 * old.slots, self._most_slots))
        except MemoryError:
            self.table = old._replace(full=True)
            return
        self.control[FILLED] = self.call(move_over, old, self.table, self._key_words)


def _nobody_waits() -> None: ...


def _say_why_it_waits() -> None:
    if sys.stderr is not None:
        text = "the search ends when its machine code is made, which takes some ten seconds, once"
        sys.stderr.write(f"qsage: {text}\n")
        sys.stderr.flush()


def _most_slots(words: int, memory_mb: int | None) -> int:
    """The largest power of two of entries with so many words each that the memory has room for."""
    room = physical_mb()
    if memory_mb is None:
        memory_mb = DEFAULT_MB if room is None else min(DEFAULT_MB, room // 2)
    elif room is not None and memory_mb > room:
        raise UsageError(
            f"found a table of {memory_mb:,} MB, expected at most {room:,} MB, the memory"
        )
    return max(4, 1 << (memory_mb * 1_000_000 // (8 * words)).bit_length() - 1)


# The compiled search of a grid game (a ``SearchEngine``)


BLACK, WHITE = Player.BLACK, Player.WHITE

# From so many plies on symmetric positions share an entry, as in the search in Python.
_SYMMETRIC_FROM = 4


def _unwatched() -> None: ...


class CompiledEngine:
    """The compiled search of one game.

    ``memory_mb`` sizes the table, which begins with so many ``slots`` and grows.  Without
    ``with_bounds`` it looks at the nodes that
    :class:`~qsage_validate.solvers.general_search.Bounds` looks at without them.  Raises
    ``UsageError`` for a table that does not fit in the memory, ``TooLargeError`` for a game
    whose states do not fit in the words.
    """

    deepens = False
    at_once = True
    for_ever = True
    replaces = True
    name = "compiled"

    def __init__(
        self,
        kernel: BddlKernel,
        *,
        memory_mb: int | None = None,
        with_bounds: bool = True,
        slots: int = SLOTS,
    ) -> None:
        self.kernel: Kernel = kernel
        self._grid = kernel
        self.watch: Callable[[], None] = _unwatched
        self._machine = _machine()
        arrays = self._arrays = Arrays(kernel, with_bounds=with_bounds)
        self._rules = arrays.rules
        self._frames: Frames | None = None
        key_words = self._rules.key_words
        self._runner = Runner(arrays.size, key_words, CONTROLS, memory_mb, slots)
        self._control = self._runner.control
        self._control[ORDERED] = with_bounds
        if arrays.symmetric:
            # Finding the least image costs more than it saves in the second half of a play.
            least = kernel.grounding.squares // 3 if with_bounds else 0
            self._control[SYMMETRIC] = max(_SYMMETRIC_FROM, least)
        self._history = np.zeros(len(self._rules.number), dtype=np.int64)

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        return self._runner.nodes

    @property
    def positions(self) -> int:
        return self._runner.filled

    def frames(self, plies: int) -> int:
        """A few: the stack of the search is its own."""
        return 100

    def depths(self, player: Player, last: int) -> range:
        return range(1, last + 1)

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``; a limit beyond ``MAX_PLIES``."""
        assert isinstance(state, int)
        if plies < 1:
            return NOT_WITHIN
        if plies > MAX_PLIES:
            raise LimitError(f"the search goes {MAX_PLIES} plies deep")
        known = self._at_once(state, player, plies)
        if known is not None:
            self._control[NODES] += 1
            return known
        return self._run(state, player, plies)

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the table does not tell."""
        assert isinstance(state, int)
        win, lose = self._entry(state, player, plies)
        if plies >= win:
            return True
        if plies <= lose:
            return False
        if self._grid.wins_at_once(state, player):
            return player is BLACK
        result = self._by_bounds(state, player, plies)
        return None if result is None else result == WIN

    def hint(self, state: State, player: Player, plies: int) -> None:
        """Always ``None``: the caller finds deciding moves by the table's entries after them."""

    def many(
        self, black: NDArray[np.uint64], white: NDArray[np.uint64], player: Player, plies: int
    ) -> Sequence[int]:
        """For many positions the number of a move that keeps the player's win; -1: unknown."""
        from qsage_validate.extensions.fast import replies

        states = self._arrays.states(black, white)
        chosen = np.zeros(len(black), dtype=np.int64)
        self._runner.call(
            replies.replies,
            self._runner.words,
            self._rules,
            self._runner.table,
            states,
            int(player is WHITE),
            plies,
            int(self._control[SYMMETRIC]),
            np.zeros(6 * self._arrays.size, dtype=np.int64),
            np.zeros(self._rules.line_words, dtype=np.int64),
            chosen,
        )
        found: list[int] = chosen.tolist()
        return found

    # -- what the machine is not asked -------------------------------------------------------

    def _at_once(self, state: int, player: Player, plies: int) -> int | None:
        """The result that needs no search of a position."""
        if self._grid.wins_at_once(state, player):
            return WIN if player is BLACK else NEVER
        if plies == 1:
            stuck = player is WHITE and not self._grid.successors(state, WHITE)
            return WIN if stuck else NOT_WITHIN
        return self._by_bounds(state, player, plies)

    def _by_bounds(self, state: int, player: Player, plies: int) -> int | None:
        bounds = self._grid.bounds(state, player) if self._control[ORDERED] else None
        if bounds is None:
            return None
        if plies >= bounds[0]:
            return WIN
        if plies <= bounds[1]:
            return NEVER if bounds[1] == ALWAYS else NOT_WITHIN
        return None

    # -- the machine -------------------------------------------------------------------------

    def _frames_for(self, plies: int) -> Frames:
        if self._frames is None or len(self._frames.wins) < plies + 2:
            self._frames = new_frames(self._rules, self._arrays.size, plies)
        return self._frames

    def _run(self, state: int, player: Player, plies: int) -> int:
        control, size = self._control, self._arrays.size
        frames = self._frames_for(plies)
        frames.states[:size] = self._arrays.state(state)
        frames.lines[: self._rules.line_words] = self._arrays.lines(state)
        frames.last[0] = -1
        control[PLIES], control[FIRST] = plies, player is WHITE
        self._runner.begin()
        while self._runner.slice(self._machine.run, self._rules, frames, self._history) != DONE:
            self.watch()
        return self._runner.result

    def _entry(self, state: int, player: Player, plies: int) -> tuple[int, int]:
        """In how many plies Black wins by the table, and within how many not."""
        size = self._arrays.size
        words = np.zeros(3 * size, dtype=np.int64)
        words[:size] = self._arrays.state(state)
        mark = 2 * (player is WHITE) + int(plies >= self._control[SYMMETRIC])
        runner = self._runner
        arguments = runner.words, self._rules, runner.table, words, mark
        entry = int(runner.call(self._machine.find_state, *arguments))
        if entry == 0:
            return ALWAYS, 0
        win, lose = entry & FAR, entry >> 16 & FAR
        return ALWAYS if win == FAR else win, ALWAYS if lose == FAR else lose


def _machine() -> ModuleType:
    from qsage_validate.extensions.fast import machine

    return machine


# Who wins a game of connection once the board is full, in machine code


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
        networks.append(transversal_network(found))
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
        self._machine = _connections_machine()
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


def _connections_machine() -> ModuleType:
    from qsage_validate.extensions.fast import connections_machine

    return connections_machine
