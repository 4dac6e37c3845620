"""The winner of a game by a search of its positions, each once: for games made for planning.

The search uses no knowledge of stones and no depths that can be raised.  Small games are
searched to the end, larger ones to a deadline.
"""

from __future__ import annotations

from qsage_validate.games.planning_game import PlanningGame
from qsage_validate.games.protocol import Player, Position
from qsage_validate.system.limits import NEVER, Deadline

# Positions between two looks at the clock.
_TICK = 256


class PlainSearch:
    """The winners of a game's positions, kept; ``UndecidedError`` at the deadline."""

    def __init__(self, game: PlanningGame, deadline: Deadline = NEVER) -> None:
        self.game = game
        self.deadline = deadline
        self._winners: dict[Position, Player] = {}
        self._looked_at = 0

    def winner(self, position: Position) -> Player:
        if position.outcome is not None:
            return position.outcome.winner
        found = self._winners.get(position)
        if found is None:
            found = self._winners[position] = self._look(position)
        return found

    def _look(self, position: Position) -> Player:
        self._looked_at += 1
        if self._looked_at % _TICK == 0:
            self.deadline.check("the game of the formula was searched")
        settled = self.game.settled(position)
        if settled is not None:
            return settled
        mover = position.to_move
        after = [position.play(move) for move in position.legal_moves()]
        # Plays that end at once are the cheapest ones to look at.
        after.sort(key=lambda one: one.outcome is None)
        return mover if any(self.winner(one) is mover for one in after) else mover.other
