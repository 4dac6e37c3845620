"""The model of a positional game: positions, claims, turns, and its symmetries.

Definitions 1 to 4 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023, and the maker-maker
games and turns of several stones that PG files have besides.  Sets of positions are integers,
bit k for position k (see ``masks``).

An :class:`Arrangement` says how positions are drawn: as a grid where their names are its cells,
else as a list.

Candidates are the reflections and rotations of the board, and of a torus its translations too;
one is taken when it permutes each player's winning sets, or the network, among themselves.

:class:`CanonicalKeys` has one key for all positions that symmetries of the goals exchange.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qsage_validate.errors import UsageError, counted
from qsage_validate.formats.grid_names import Cell, column_names, named_cell
from qsage_validate.formats.source import quoted
from qsage_validate.games.masks import bits, flood, mask_of, members, spread
from qsage_validate.games.positional.polyominoes import NEIGHBOURS
from qsage_validate.games.protocol import (
    BoardPicture,
    Move,
    Player,
    Shape,
    Square,
    Symmetry,
    board_maps,
)

if TYPE_CHECKING:
    from qsage_validate.formats.pg import PgFile


# Positional games: positions, turns, winning sets or a network, and the first stones


MAX_POSITIONS = 1600
"""No game with more positions is taken (40x40)."""


@dataclass(frozen=True, slots=True)
class Network:
    """The goal of Generalized Hex (Definition 4): Short connects ``start`` with ``end``.

    ``neighbours`` has for each position the set of its neighbours; ``start`` and ``end`` are the
    positions next to the two distinguished nodes, and ``joined`` says that those are neighbours
    themselves, so that Short has connected them whatever is played.  With ``short`` Black, Black
    wins by a connection of black positions; with ``short`` White, Black is Cut and has won when
    every way from start to end has a black position on it (the transversal game).
    """

    neighbours: tuple[int, ...]
    start: int
    end: int
    joined: bool = False
    short: Player = Player.BLACK

    def connects(self, through: int) -> bool:
        """True if start and end are connected within a set of positions."""
        return self.joined or bool(flood(self.start, through, self.neighbours) & self.end)

    def won_by_black(self, black: int) -> bool:
        """True if Black has reached the goal with these positions."""
        if self.short is Player.BLACK:
            return self.connects(black)
        return not self.connects(((1 << len(self.neighbours)) - 1) & ~black)

    def edges(self) -> list[tuple[int, int]]:
        """Each pair of neighbours once, the smaller number first."""
        return [(v, w) for v, row in enumerate(self.neighbours) for w in members(row) if v < w]

    def distance_layers(self, border: int, owned: int, free: int, count: int) -> list[int]:
        """Open positions by how many stones a way from a border to them takes, 1 to ``count``.

        ``owned`` positions take none.  The position itself is counted.
        """
        reached = flood(border, owned, self.neighbours)
        layer = (border | spread(reached, self.neighbours)) & free
        seen = reached | layer
        layers: list[int] = []
        while layer and len(layers) < count:
            layers.append(layer)
            near = spread(layer, self.neighbours) & ~seen
            joined = flood(near, owned, self.neighbours)
            layer = (near | spread(joined, self.neighbours)) & free & ~seen
            seen |= joined | layer
        return layers

    def shortest_way(self, through: int) -> tuple[int, ...]:
        """The positions of a shortest way from start to end within a set, in their order.

        Empty where there is none, or where none is needed.
        """
        layers = [0 if self.joined else self.start & through]
        seen = layers[0]
        while layers[-1] and not layers[-1] & self.end:
            layers.append(spread(layers[-1], self.neighbours) & through & ~seen)
            seen |= layers[-1]
        way: list[int] = []
        near = self.end
        for layer in reversed(layers if layers[-1] else ()):
            way.append(next(members(layer & near)))
            near = self.neighbours[way[-1]]
        return tuple(reversed(way))


@dataclass(frozen=True)
class PositionalModel:
    """A positional game; frozen and hashable.

    ``turns`` has the player who claims a position at each ply; a player's neighbouring plies are
    one turn of several stones.  ``black_wins`` and ``white_wins`` are winning sets; without
    ``white_wins`` the game is maker-breaker: White only hinders.  ``network`` takes the place of
    ``black_wins``.  ``first_moves``, when not empty, are first moves one of which is as good as
    any other by symmetry: a hint for searches and encodings, no rule.  ``hexagons`` says how the
    board is drawn.

    Raises ``UsageError`` when the parts do not fit together.
    """

    language: ClassVar[str] = "positional"

    name: str
    positions: tuple[str, ...]
    turns: tuple[Player, ...]
    black_wins: tuple[int, ...] = ()
    white_wins: tuple[int, ...] = ()
    black: int = 0
    white: int = 0
    network: Network | None = None
    first_moves: int = 0
    hexagons: bool = False

    def __post_init__(self) -> None:
        size = len(self.positions)
        if size > MAX_POSITIONS:
            raise UsageError(f"found {size} positions, expected at most {MAX_POSITIONS}")
        if len(self.number) != size:
            name = next(n for n in self.positions if self.positions.count(n) > 1)
            raise UsageError(f"found the position {quoted(name)} twice, expected each once")
        masks = [self.black, self.white, self.first_moves, *self.black_wins, *self.white_wins]
        if self.network is not None:
            masks += [self.network.start, self.network.end, *self.network.neighbours]
            if len(self.network.neighbours) != size:
                count = len(self.network.neighbours)
                raise UsageError(f"found neighbours of {count} positions, expected of {size}")
            if self.black_wins:
                raise UsageError("found winning sets besides a network, expected one goal of Black")
        if any(mask < 0 or mask >> size for mask in masks):
            raise UsageError(f"found a set with a position that is not one of the {size}")
        if self.black & self.white:
            both = self.names(self.black & self.white)[0]
            raise UsageError(f"found {both} black and white, expected one owner")

    @cached_property
    def number(self) -> dict[str, int]:
        """The number, from 0, of each position."""
        return {name: number for number, name in enumerate(self.positions)}

    @property
    def own_network(self) -> Network:
        """The network; raises ``UsageError`` for a game of winning sets."""
        if self.network is None:
            raise UsageError(f"{self.name}: found winning sets, expected a network")
        return self.network

    @property
    def all(self) -> int:
        """The set of all positions."""
        return (1 << len(self.positions)) - 1

    @property
    def open(self) -> int:
        """The positions that can be claimed."""
        return self.all & ~(self.black | self.white)

    @property
    def plies(self) -> int:
        """The largest number of stones placed: as many as turns and open positions allow."""
        return min(len(self.turns), self.open.bit_count())

    @property
    def maker_breaker(self) -> bool:
        """True if White has no winning sets, and so can win by hindering only."""
        return not self.white_wins

    @property
    def stones_per_turn(self) -> int:
        """The length of the longest turn."""
        return max((len(list(run)) for _, run in groupby(self.turns)), default=1)

    @property
    def alternates(self) -> bool:
        """True if each turn is one stone."""
        return self.stones_per_turn == 1

    def moves_of(self, player: Player) -> int:
        """The largest number of stones that a player places."""
        return self.turns[: self.plies].count(player)

    def names(self, mask: int) -> tuple[str, ...]:
        return tuple(self.positions[k] for k in members(mask))

    def mask(self, names: Iterable[str]) -> int:
        """The set of some names; raises ``UsageError`` for one that is no position."""
        mask = 0
        for name in names:
            if name not in self.number:
                raise UsageError(f"found {quoted(name)}, expected a position of {self.name}")
            mask |= 1 << self.number[name]
        return mask

    def won_by_black(self, black: int) -> bool:
        """True if Black's goal is reached with these black positions (Definition 3)."""
        if self.network is not None:
            return self.network.won_by_black(black)
        return any(wins & black == wins for wins in self.black_wins)

    def won_by_white(self, white: int) -> bool:
        """True if White has a complete winning set with these white positions."""
        return any(wins & white == wins for wins in self.white_wins)

    def goals_within(self, own: int, player: Player) -> frozenset[int]:
        """The goals of ``player`` within the positions ``own``, as masks; empty without one.

        Every complete winning set; in a network a shortest connection of Short's, or a cut of
        Cut's from which nothing can be left out.
        """
        network = self.network
        if player is Player.WHITE or network is None:
            wins = self.black_wins if player is Player.BLACK else self.white_wins
            return frozenset(mask for mask in wins if mask & own == mask)
        if not network.won_by_black(own):
            return frozenset()
        if network.short is Player.BLACK:
            return frozenset({mask_of(network.shortest_way(own))})
        cut = own
        for bit in bits(own):
            if network.won_by_black(cut & ~bit):
                cut &= ~bit
        return frozenset({cut})

    # -- what all models have -------------------------------------------------------------------

    @property
    def in_words(self) -> str:
        """The kind of the game and its size."""
        return f"positional game of {counted(len(self.positions), 'position')}"

    @property
    def squares(self) -> int:
        """The number of positions."""
        return len(self.positions)

    @property
    def question(self) -> Mapping[str, object]:
        """Nothing: Black's win is asked for."""
        return {}

    @property
    def depth(self) -> int:
        return self.plies

    def at_depth(self, depth: int) -> PositionalModel:
        """The game with so many plies.

        Turns are cut, or go on with as many stones a turn as the longest one has.
        """
        turns = list(self.turns[:depth])
        stones = self.stones_per_turn
        while len(turns) < depth:
            run = _last_run(turns)
            player = turns[-1] if turns else Player.BLACK
            # The first turn may be a shorter one on purpose, as in Connect6.
            full = run >= stones or (run == len(turns) and run < stones and len(self.turns) > run)
            turns.append(player.other if turns and full else player)
        return replace(self, turns=tuple(turns))

    def fingerprint(self) -> str:
        """The digest of the model without the turns behind the first ply."""
        text = repr(replace(self, turns=self.turns[:1]))
        return sha256(text.encode()).hexdigest()

    def parts(self) -> dict[str, str]:
        """The name, the PG file, and notes of what PG has no words for (``model_text.py``)."""
        from qsage_validate.formats.pg import pg_text

        notes = ["hexagons"] if self.hexagons else []
        network = self.network
        if network is not None and network.short is Player.WHITE:
            notes.append("short white")
            network = replace(network, short=Player.BLACK)
        for player, wins in ((Player.BLACK, self.black_wins), (Player.WHITE, self.white_wins)):
            notes += [f"won {player.value} {k}" for k, mask in enumerate(wins, start=1) if not mask]
        told = replace(
            self,
            network=network,
            black_wins=tuple(filter(None, self.black_wins)),
            white_wins=tuple(filter(None, self.white_wins)),
        )
        parts = {"name": self.name, "pg": pg_text(told.pg()).rstrip("\n")}
        return parts | ({"notes": "\n".join(notes)} if notes else {})

    def pg(self) -> PgFile:
        """The PG file; read again, it gives an equal model but for its name.

        Raises ``UsageError`` for a network in which White is Short: PG has no word for it.
        """
        from qsage_validate.formats.pg import PgFile

        present = {"blackinitials", "whiteinitials", "times", "blackturns", "positions"}
        neighbours: tuple[tuple[str, ...], ...] = ()
        edges: list[tuple[str, ...]] = []
        ends: tuple[str | None, str | None] = (None, None)
        start = end = 0
        network = self.network
        if network is None:
            present.add("blackwins")
        elif network.short is Player.WHITE:
            raise UsageError(f"{self.name}: White connects, expected a game in which Black does")
        elif network.joined:
            present |= {"edges", "source", "target"}
            ends = _free_names(self.positions)
            edges = [(str(ends[0]), str(ends[1]))]
            edges += [(self.positions[v], self.positions[w]) for v, w in network.edges()]
            for name, border in zip(ends, (network.start, network.end), strict=True):
                edges += [(str(name), position) for position in self.names(border)]
        else:
            present |= {"neighbours", "startboarder", "endboarder"}
            neighbours = tuple(
                (name, *self.names(row))
                for name, row in zip(self.positions, network.neighbours, strict=True)
            )
            start, end = network.start, network.end
        if self.white_wins:
            present.add("whitewins")
        times = tuple(f"t{k}" for k in range(1, len(self.turns) + 1))
        turns = zip(times, self.turns, strict=True)
        return PgFile(
            times=times,
            black_turns=tuple(t for t, p in turns if p is Player.BLACK),
            positions=self.positions,
            black_wins=tuple(map(self.names, self.black_wins)),
            white_wins=tuple(map(self.names, self.white_wins)),
            black_initials=self.names(self.black),
            white_initials=self.names(self.white),
            neighbours=neighbours,
            start_border=self.names(start),
            end_border=self.names(end),
            edges=tuple(edges),
            source=ends[0],
            target=ends[1],
            first_moves=self.names(self.first_moves),
            present=frozenset(present),
        )

    def __repr__(self) -> str:
        return f"<PositionalModel {self.name}, {counted(len(self.positions), 'position')}>"


def alternating(plies: int, first: Player = Player.BLACK) -> tuple[Player, ...]:
    """Turns of one stone, until ``plies`` are played."""
    return tuple(first.other if k % 2 else first for k in range(plies))


def _last_run(turns: Sequence[Player]) -> int:
    return sum(1 for _ in takewhile(lambda player: player is turns[-1], reversed(turns)))


def _free_names(positions: Sequence[str]) -> tuple[str, str]:
    taken = set(positions)
    names = (name + "'" * k for k in range(len(taken) + 2) for name in ("S", "T"))
    free = [name for name in names if name not in taken]
    return free[0], next(name for name in free if name != free[0])


@dataclass(frozen=True)
class Arrangement:
    """The square of each position on the board.

    ``squares`` has for each position its square, 1-based (x, y): column c and row 4 for ``c4``.
    With ``grid`` false the board is a column of the positions, its rows called by their names.
    ``top`` is the player who connects the top row with the bottom row, in Hex.
    """

    width: int
    height: int
    squares: tuple[Cell, ...]
    shape: Shape
    grid: bool
    names: tuple[str, ...] = ()
    top: Player | None = None

    @classmethod
    def of(cls, names: Sequence[str], *, hexagons: bool = False) -> Arrangement:
        """The arrangement of some positions: a grid when they are all cells of a rectangle."""
        cells = [named_cell(name) for name in names]
        known = [cell for cell in cells if cell is not None]
        if known and len(known) == len(cells):
            width, height = max(x for x, _ in known), max(y for _, y in known)
            if width * height == len(known):
                shape = Shape.HEXAGONS if hexagons else Shape.RECTANGLE
                return cls(width, height, tuple(known), shape, grid=True)
        squares = tuple((1, y) for y in range(1, len(names) + 1))
        return cls(1, len(names), squares, Shape.RECTANGLE, grid=False, names=tuple(names))

    def board(self, black: int, white: int) -> BoardPicture:
        contents = [Square.OPEN] * (self.width * self.height)
        for k, (x, y) in enumerate(self.squares):
            if black >> k & 1:
                contents[(y - 1) * self.width + x - 1] = Square.BLACK
            elif white >> k & 1:
                contents[(y - 1) * self.width + x - 1] = Square.WHITE
        columns = column_names(self.width) if self.grid else ()
        squares = tuple(contents)
        return BoardPicture(
            self.width, self.height, squares, self.shape, self.names, columns, self.top
        )

    def __repr__(self) -> str:
        return f"<Arrangement {self.width}x{self.height}>"


# Winning sets that can decide, and boards of hexagons


def without_long_sets(model: PositionalModel) -> PositionalModel:
    """Without the winning sets that miss more positions than their player has stones left.

    Neither player can complete those in time.
    """
    black, white = (
        tuple(w for w in wins if (w & ~own).bit_count() <= model.moves_of(player))
        for player, wins, own in (
            (Player.BLACK, model.black_wins, model.black),
            (Player.WHITE, model.white_wins, model.white),
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


def hex_neighbours(cells: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """For each cell, 1-based (x, y), the set of its neighbours among the cells."""
    number = {cell: k for k, cell in enumerate(cells)}
    return tuple(
        mask_of(number[x + dx, y + dy] for dx, dy in NEIGHBOURS if (x + dx, y + dy) in number)
        for x, y in cells
    )


def border(cells: tuple[tuple[int, int], ...], axis: int, value: int) -> int:
    """The cells whose coordinate on an axis (0: x, 1: y) has a value."""
    return mask_of(k for k, cell in enumerate(cells) if cell[axis] == value)


def hex_axis(network: Network, grid: Arrangement) -> int | None:
    """0 for a network from the first column to the last, 1 for one between rows."""
    cells = grid.squares
    for axis, last in ((1, grid.height), (0, grid.width)):
        if (network.start, network.end) == (border(cells, axis, 1), border(cells, axis, last)):
            return axis
    return None


def is_hex_board(model: PositionalModel) -> bool:
    """True if a model is Hex on a board, by its network between two sides or its winning sets.

    Winning sets are Hex's when all of them connect the first row with the last by neighbouring
    hexagons, and some of them only by the neighbours that squares do not have.
    """
    grid = Arrangement.of(model.positions)
    if not grid.grid or model.white_wins:
        return False
    cells, neighbours, network = grid.squares, hex_neighbours(grid.squares), model.network
    if network is not None:
        return network.neighbours == neighbours and hex_axis(network, grid) is not None
    first, final = border(cells, 1, 1), border(cells, 1, grid.height)
    straight = tuple(
        mask_of(
            k
            for k in members(row)
            if sum(abs(a - b) for a, b in zip(cells[k], cell, strict=True)) == 1
        )
        for cell, row in zip(cells, neighbours, strict=True)
    )
    for wins in model.black_wins:
        if not flood(first & wins, wins, neighbours) & final:
            return False
    return any(not flood(first & w, w, straight) & final for w in model.black_wins)


# Symmetries of a positional game that is drawn as a grid, and the orbits of first moves


WORD_POSITIONS = 32
"""With so many positions, or fewer, those of both players fit into a word of 64 bits."""


@dataclass(frozen=True)
class Permutation:
    """A permutation of the positions: ``images`` says where each goes.

    ``turns`` says that it is a reflection or rotation of the board, without a translation; those
    of a game are a group by themselves.
    """

    name: str
    images: tuple[int, ...]
    turns: bool = True

    def mask(self, mask: int) -> int:
        """The image of a set."""
        image = 0
        for k in members(mask):
            image |= 1 << self.images[k]
        return image

    def as_symmetry(
        self, arrangement: Arrangement, moves: Sequence[Move], model: PositionalModel
    ) -> Symmetry:
        squares = {
            square: arrangement.squares[image]
            for square, image in zip(arrangement.squares, self.images, strict=True)
        }
        move_map: Mapping[Move, Move] = {
            move: moves[image] for move, image in zip(moves, self.images, strict=True)
        }
        kept = self.mask(model.black) == model.black and self.mask(model.white) == model.white
        return Symmetry(self.name, squares, move_map, kept)


def find_symmetries(model: PositionalModel, arrangement: Arrangement) -> tuple[Permutation, ...]:
    """The symmetries of the goals, without the identity; none of a board that is a list."""
    if not arrangement.grid:
        return ()
    goals = frozenset(model.black_wins), frozenset(model.white_wins)
    found = []
    for permutation in _candidates(arrangement):
        # Different sets have different images: if all of these are goals, all goals are images.
        same = all(permutation.mask(mask) in wins for wins in goals for mask in wins)
        if same and (model.network is None or _keeps(model.network, permutation)):
            found.append(permutation)
    return tuple(found)


def key_symmetries(model: PositionalModel, arrangement: Arrangement) -> tuple[Permutation, ...]:
    """The group of symmetries by which positions are known, without the identity.

    All of :func:`find_symmetries`; on boards of more than ``WORD_POSITIONS`` positions, where
    the many images of a torus are slow to find, the reflections and rotations of the board.
    Kernels, searches and ``Game.symmetries`` all know this group and no other.
    """
    found = find_symmetries(model, arrangement)
    small = len(model.positions) <= WORD_POSITIONS
    return found if small else tuple(s for s in found if s.turns)


def _keeps(network: Network, permutation: Permutation) -> bool:
    """True if a network is its own image; start and end may change places."""
    ends = permutation.mask(network.start), permutation.mask(network.end)
    if ends not in ((network.start, network.end), (network.end, network.start)):
        return False
    return all(
        permutation.mask(row) == network.neighbours[image]
        for row, image in zip(network.neighbours, permutation.images, strict=True)
    )


def _candidates(arrangement: Arrangement) -> Iterator[Permutation]:
    width, height = arrangement.width, arrangement.height
    number = {square: k for k, square in enumerate(arrangement.squares)}
    maps = board_maps(width, height)
    seen = {tuple(range(len(number)))}
    for dx in range(width):
        for dy in range(height):
            for name, function in maps:
                moved = [function(x, y) for x, y in arrangement.squares]
                images = tuple(
                    number[(u - 1 + dx) % width + 1, (v - 1 + dy) % height + 1] for u, v in moved
                )
                if images in seen:
                    continue
                seen.add(images)
                shift = f" by {dx},{dy}" if dx or dy else ""
                full = f"translation{shift}" if name == "identity" else name + shift
                yield Permutation(full, images, turns=not shift)


def keeping_stones(
    model: PositionalModel, permutations: Sequence[Permutation]
) -> list[Permutation]:
    return [
        p
        for p in permutations
        if p.mask(model.black) == model.black and p.mask(model.white) == model.white
    ]


def orbits(model: PositionalModel, permutations: Sequence[Permutation]) -> tuple[int, ...]:
    """The open positions in classes under the symmetries that keep the stones.

    A first move is as good as any other of its class.  In the order of their first positions.
    """
    kept = keeping_stones(model, permutations)
    classes: list[int] = []
    rest = model.open
    while rest:
        number = (rest & -rest).bit_length() - 1
        orbit = 1 << number
        for permutation in kept:
            orbit |= 1 << permutation.images[number]
        classes.append(orbit)
        rest &= ~orbit
    return tuple(classes)


def representatives(model: PositionalModel) -> int:
    """One open position of each orbit, the first."""
    arrangement = Arrangement.of(model.positions)
    mask = 0
    for orbit in orbits(model, find_symmetries(model, arrangement)):
        mask |= orbit & -orbit
    return mask


def with_first_moves(model: PositionalModel) -> PositionalModel:
    """The model with the hint of first moves: one of each orbit."""
    return replace(model, first_moves=representatives(model))


def sound_first_moves(model: PositionalModel) -> int:
    """The hint of first moves where it has one of each orbit, else none.

    A hint that leaves an orbit out may leave out the only winning moves; files have such ones.
    """
    arrangement = Arrangement.of(model.positions)
    kept = model.first_moves & model.open
    if not kept:
        return 0
    complete = all(kept & o for o in orbits(model, find_symmetries(model, arrangement)))
    return kept if complete else 0


class CanonicalKeys:
    """The least image of a position under a group of symmetries, and the way there and back.

    The group is that of ``key_symmetries``; the identity need not be among ``symmetries``.

    A position is two sets, the second one shifted up by the number of positions.  Small boards
    have all images at once, a byte of the position at a time; others image by image.
    """

    def __init__(self, size: int, symmetries: Sequence[Permutation]) -> None:
        # Both players' positions are one word of 64 bits.
        self._small = size <= WORD_POSITIONS
        self.images = [tuple(range(size)), *[s.images for s in symmetries]]
        both = [
            [1 << image for image in images] + [1 << image + size for image in images]
            for images in self.images
        ]
        self._tables: list[Any] = []
        self._plain: list[list[list[int]]] = []
        if self._small:
            for start in range(0, 2 * size, 8):
                part = np.array([row[start : start + 8] for row in both], dtype=np.uint64)
                self._tables.append(_sums(part))
        else:
            self._plain = [
                [_plain_sums(row[start : start + 8]) for start in range(0, 2 * size, 8)]
                for row in both[1:]
            ]

    def key(self, state: int) -> tuple[int, int]:
        """The least image of ``state``, and the number of the symmetry that leads to it."""
        if len(self.images) == 1:
            return state, 0
        if self._small:
            tables = self._tables
            rest = state
            images = tables[0][rest & 255]
            for table in tables[1:]:
                rest >>= 8
                images = images | table[rest & 255]
            number = int(images.argmin())
            return int(images[number]), number
        least, best = state, 0
        for number, tables in enumerate(self._plain, start=1):
            image, rest = 0, state
            for table in tables:
                image |= table[rest & 255]
                rest >>= 8
            if image < least:
                least, best = image, number
        return least, best

    def there(self, mask: int, number: int) -> int:
        """The image of a set."""
        images = self.images[number]
        found = 0
        for v in members(mask):
            found |= 1 << images[v]
        return found

    def back(self, mask: int, number: int) -> int:
        """The set whose image is ``mask``."""
        found = 0
        for v, image in enumerate(self.images[number]):
            if mask >> image & 1:
                found |= 1 << v
        return found


def _sums(part: Any) -> Any:
    """For each byte the images of its members: an array of bytes by symmetries."""
    symmetries, width = part.shape
    table = np.zeros((1 << width, symmetries), dtype=np.uint64)
    for bit in range(width):
        table[1 << bit : 2 << bit] = table[: 1 << bit] | part[:, bit]
    return table


def _plain_sums(images: Sequence[int]) -> list[int]:
    table = [0]
    for image in images:
        table += [entry | image for entry in table]
    return table
