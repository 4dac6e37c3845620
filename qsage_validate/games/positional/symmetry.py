"""Symmetries of a positional game that is drawn as a grid, and the orbits of first moves.

Candidates are the reflections and rotations of the board, and of a torus its translations too;
one is taken when it permutes each player's winning sets, or the network, among themselves.

:class:`CanonicalKeys` has one key for all positions that symmetries of the goals exchange.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qsage_validate.games.masks import members
from qsage_validate.games.positional.model import Arrangement, Network, PositionalModel
from qsage_validate.games.protocol import Move, Symmetry, board_maps

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
