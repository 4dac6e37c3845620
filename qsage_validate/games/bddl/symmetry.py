"""Symmetries of a grounded model: reflections and rotations that keep its rules and goals.

A candidate is taken when it permutes the grounded actions of each player among themselves and
the goals of each player likewise, so that actions may change their names (``left-diagonal``
becomes ``right-diagonal``) and their places.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.protocol import Move, Player, Symmetry, board_maps

SquareMap = dict[tuple[int, int], tuple[int, int]]


def _candidates(width: int, height: int) -> Iterator[tuple[str, SquareMap]]:
    squares = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    # On boards of one row or column several of them are the same, or the identity.
    seen: list[SquareMap] = [{square: square for square in squares}]
    for name, function in board_maps(width, height):
        square_map = {square: function(*square) for square in squares}
        if square_map not in seen:
            seen.append(square_map)
            yield name, square_map


class BitPermutation:
    """Permutes the squares of every plane of a mask, a byte at a time."""

    def __init__(self, squares: Sequence[int], planes: int = 3) -> None:
        size = len(squares)
        images = [1 << (plane * size + to) for plane in range(planes) for to in squares]
        self.tables: list[list[int]] = []
        for start in range(0, len(images), 8):
            table = [0]
            for image in images[start : start + 8]:
                table += [entry | image for entry in table]
            self.tables.append(table)

    def __call__(self, mask: int) -> int:
        """The image of ``mask``."""
        image = 0
        for table in self.tables:
            image |= table[mask & 255]
            mask >>= 8
        return image


def permutation(
    grounding: Grounding, squares: Mapping[tuple[int, int], tuple[int, int]]
) -> list[int]:
    """A map of squares as a list: where the square with each number goes."""
    result = [0] * grounding.squares
    for square, image in squares.items():
        result[grounding.square(*square)] = grounding.square(*image)
    return result


def find_symmetries(
    grounding: Grounding, moves: Mapping[Player, Sequence[Move]]
) -> Iterator[Symmetry]:
    """The symmetries of the board, without the identity, that are symmetries of the game."""
    for name, squares in _candidates(grounding.width, grounding.height):
        permute = BitPermutation(permutation(grounding, squares))
        if not _keeps_goals(grounding, permute):
            continue
        move_map = _move_map(grounding, permute, moves)
        if move_map is not None:
            kept = permute(grounding.initial) == grounding.initial
            yield Symmetry(name, squares, move_map, kept)


def _keeps_goals(grounding: Grounding, permute: BitPermutation) -> bool:
    for player in Player:
        goals = {(goal.care, goal.value) for goal in grounding.goals[player]}
        if any((permute(care), permute(value)) not in goals for care, value in goals):
            return False
    return True


def _move_map(
    grounding: Grounding, permute: BitPermutation, moves: Mapping[Player, Sequence[Move]]
) -> dict[Move, Move] | None:
    """The image of each move; ``None`` when the actions are not permuted."""
    full = (1 << 3 * grounding.squares) - 1
    result: dict[Move, Move] = {}
    for player in Player:
        actions = grounding.actions[player]
        by_meaning: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for action in actions:
            by_meaning[action.meaning].append(action.number)
        used: Counter[tuple[int, ...]] = Counter()
        for action in actions:
            image = (
                permute(action.care),
                permute(action.value),
                full & ~permute(full & ~action.keep),
                permute(action.put),
            )
            # Moves that mean the same are mapped in their order, so that none is hit twice.
            same = by_meaning.get(image, [])
            if used[image] >= len(same):
                return None
            result[moves[player][action.number]] = moves[player][same[used[image]]]
            used[image] += 1
    return result
