"""The depths of a game whose answers can differ, and the bound beyond which no answer differs.

The formula of depth k says that Black wins within k plies, so deeper formulas are implied by
shallower ones.  A win that needs exactly k plies comes about at ply k: by a goal of Black's, if
Black makes that ply, or by White's having no legal move at it (``games/bddl/rules.py``).  Where
neither is possible the formula says the same as the one before, and need not be asked about.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from qsage_validate.games.bddl.bounds import (
    BLACK_PIECE,
    OPEN_SQUARE,
    changes,
    filled,
    stuck_without,
)
from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Player, plies_text

BLACK, WHITE = Player.BLACK, Player.WHITE


@dataclass(frozen=True, slots=True)
class Bound:
    """No depth beyond ``plies`` gives Black anything more; ``why`` is a clause in words."""

    plies: int
    why: str


class Depths(ABC):
    """The depths of a game, in plies (rounds in GDL), whatever depth its model has."""

    model: GameModel
    bound: Bound | None

    def at(self, plies: int) -> GameModel:
        return self.model.at_depth(self.depth(plies))

    @abstractmethod
    def relevant(self, first: int = 1, last: int | None = None) -> Iterator[int]:
        """The depths from ``first`` to ``last`` or the bound that can differ from the one before.

        Endless when there is neither.
        """

    def depth(self, plies: int) -> int:
        """The number that ``--depth`` gives for so many plies."""
        return plies

    def count(self, plies: int) -> str:
        return plies_text(plies)

    def without_goal(self, plies: int) -> str:
        """What a shortest win in so many plies comes from, in words: ``""`` for a goal."""
        return ""

    def searched(self, plies: int) -> int:
        """The number of these plies that a number of plies of the executable rules amounts to."""
        return plies

    def last(self, last: int | None = None) -> int | None:
        """The smaller one of ``last`` and the bound, as far as there are any."""
        ends = [] if last is None else [last]
        if self.bound is not None:
            ends.append(self.bound.plies)
        return min(ends, default=None)


class GridDepths(Depths):
    """The depths of a grid game.

    Raises ``UsageError`` for models whose rules cannot be executed.
    """

    def __init__(self, model: Model) -> None:
        self.model = self._grid = model
        self._grounding = Grounding(model)
        self._fills_board = not _stuck_with_an_open_square(self._grounding)
        self.bound = self._find_bound()

    def depth(self, plies: int) -> int:
        return self._grid.at_plies(plies).depth

    def without_goal(self, plies: int) -> str:
        return self._grounding.stuck_words(self._grid.player_at(plies))

    def relevant(self, first: int = 1, last: int | None = None) -> Iterator[int]:
        end = self.last(last)
        plies = first
        while end is None or plies <= end:
            if self._may_win_at(plies):
                yield plies
            plies += 1

    def _may_win_at(self, ply: int) -> bool:
        if self._grid.player_at(ply) is BLACK:
            return bool(self._grounding.goals[BLACK])
        return not (self._fills_board and self._open_before(ply) > 0)

    def _open_before(self, ply: int) -> int:
        """A lower bound of the number of squares that are open before a ply."""
        grounding = self._grounding
        count = grounding.squares - (grounding.initial >> 2 * grounding.squares).bit_count()
        most = {
            p: max((filled(grounding, a)[1] for a in grounding.actions[p]), default=0)
            for p in Player
        }
        return count - sum(max(0, most[self._grid.player_at(k)]) for k in range(1, ply))

    def _find_bound(self) -> Bound | None:
        grounding = self._grounding
        longest = self._longest_filling_play()
        if longest is not None and self._fills_board and grounding.goals[BLACK]:
            # White to move on the full board has lost, at one ply more.
            stuck = self._grid.player_at(longest + 1) is WHITE
            return Bound(longest + stuck, f"the board is full after {plies_text(longest)}")
        if longest is None:
            plays = [_longest_advance(grounding, axis, sign) for axis in "yx" for sign in (1, -1)]
            longest = min((play for play in plays if play is not None), default=None)
        if longest is None:
            return None
        return Bound(longest + 1, f"no play has more than {plies_text(longest)}")

    def _longest_filling_play(self) -> int | None:
        """The most plies of a play, where each one fills an open square for good."""
        grounding = self._grounding
        least = {
            p: min((filled(grounding, a)[0] for a in grounding.actions[p]), default=1)
            for p in Player
        }
        if min(least.values()) < 1:
            return None
        count = grounding.squares - (grounding.initial >> 2 * grounding.squares).bit_count()
        plies = 0
        while (count := count - least[self._grid.player_at(plies + 1)]) >= 0:
            plies += 1
        return plies


def _longest_advance(grounding: Grounding, axis: str, sign: int) -> int | None:
    """The most plies of a play in which every move brings an own piece ahead for good.

    Black advances along the axis with ``sign``, White against it; pieces may be captured.  What
    all pieces have left to go becomes less with each ply, or there is no such bound.
    """
    width, height = grounding.width, grounding.height

    def left(square: int, content: tuple[int, int, int]) -> int:
        if content == OPEN_SQUARE:
            return 0
        place, side = (square % width, width) if axis == "x" else (square // width, height)
        ascends = (sign > 0) == (content == BLACK_PIECE)
        return side - 1 - place if ascends else place

    for player in Player:
        for action in grounding.actions[player]:
            change = sum(
                left(square, after) - min(left(square, content) for content in before)
                for square, before, after in changes(grounding, action)
            )
            if change >= 0:
                return None
    total = 0
    for square in range(grounding.squares):
        planes = [grounding.initial >> (k * grounding.squares + square) & 1 for k in range(3)]
        total += left(square, (planes[0], planes[1], planes[2]))
    return total


def _stuck_with_an_open_square(grounding: Grounding) -> bool:
    """True if White cannot move on some board with an open square, reachable or not."""
    occupied = range(2 * grounding.squares + 1, 3 * grounding.squares + 1)
    return stuck_without(grounding, WHITE, [[-o for o in occupied]])
