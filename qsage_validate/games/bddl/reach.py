"""What could ever stand on each square: an over-approximation of the reachable positions."""

from __future__ import annotations

from qsage_validate.games.bddl.ground import Contents, Grounding
from qsage_validate.games.protocol import Player


class Reachable:
    """The contents that plays can bring to each square, squares taken one by one.

    The delete relaxation of planning: what was once possible on a square stays possible, and
    an action is playable when all its preconditions are possible.  ``playable`` holds the
    numbers of the actions of each player that are playable somewhere.
    """

    def __init__(self, grounding: Grounding) -> None:
        initial = dict(enumerate(grounding.content_sets(grounding.initial_board())))
        self._possible: Contents = initial
        self.playable: dict[Player, set[int]] = {player: set() for player in Player}
        waiting: list[tuple[Player, int, Contents, Contents]] = []
        for player in Player:
            for index, action in enumerate(grounding.model.domain.actions(player)):
                for x, y in grounding.positions(action.precondition, action.effect):
                    before = grounding.contents(action.precondition, x, y)
                    after = grounding.contents(action.effect, x, y)
                    if before is not None and after is not None:
                        waiting.append((player, index, before, after))
        changed = True
        while changed:
            changed = False
            blocked = []
            for player, index, before, after in waiting:
                if not self.allows(before):
                    blocked.append((player, index, before, after))
                    continue
                self.playable[player].add(index)
                for square, content in after.items():
                    if not self._possible[square] & content:
                        self._possible[square] |= content
                        changed = True
            waiting = blocked

    def allows(self, contents: Contents) -> bool:
        """Whether each square can have one of the contents asked for, seen by itself."""
        return all(self._possible[square] & allowed for square, allowed in contents.items())
