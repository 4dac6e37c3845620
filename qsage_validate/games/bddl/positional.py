"""Grid games that are positional.

A grid game is positional when both players may occupy any open square, for good, and goals ask
for own pieces only.  Its grounded rules tell; nothing is known of its name.  The squares become
positions in their own order, so that a state of the grid without its third plane is a state of the
positional game.  Up to the full board the plays are the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from qsage_validate.formats.grid_names import cell_name
from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.bddl.kernel import BddlKernel
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.positional.rules import SetsKernel
from qsage_validate.games.protocol import Move, Player, Symmetry


def as_positional(grounding: Grounding) -> PositionalModel:
    """The positional game that a grid game is up to the full board; it must be one."""
    assert grounding.is_positional, "the caller has looked"
    problem, goals = grounding.model.problem, grounding.goals
    black_wins, white_wins = (
        tuple(dict.fromkeys(grounding.own(goal.value, player) for goal in goals[player]))
        for player in (Player.BLACK, Player.WHITE)
    )
    return PositionalModel(
        name=grounding.model.name,
        positions=tuple(
            cell_name(x, y)
            for y in range(1, grounding.height + 1)
            for x in range(1, grounding.width + 1)
        ),
        turns=alternating(problem.plies, problem.first_player),
        black_wins=black_wins,
        white_wins=white_wins,
        black=grounding.own(grounding.initial, Player.BLACK),
        white=grounding.own(grounding.initial, Player.WHITE),
    )


class PositionalKernel(BddlKernel):
    """Looks only at the moves that the kernel of the positional game calls worth a look.

    Goals may hold here without an end: whoever has one wins by any move.
    """

    def __init__(
        self,
        grounding: Grounding,
        moves: Mapping[Player, Sequence[Move]],
        symmetries: Sequence[Symmetry],
    ) -> None:
        super().__init__(grounding, moves, symmetries)
        self._sets = SetsKernel(as_positional(grounding), (), ())
        self._occupied = 2 * grounding.squares
        self._entry = {
            player: {
                (action.put >> self._occupied).bit_length() - 1: (action.number, action.put)
                for action in grounding.actions[player]
            }
            for player in Player
        }

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        if state >> self._occupied == self.grounding.plane:
            return False
        return self._sets.wins_at_once(state & self._planes, player)

    def bounds(self, state: Hashable, player: Player) -> None:
        """None: the candidates say what can be reached in time."""

    def candidates(
        self, state: Hashable, player: Player, plies: int
    ) -> list[tuple[int, Hashable, bool]] | None:
        assert isinstance(state, int)
        if self.grounding.squares - (state >> self._occupied).bit_count() < plies:
            # A player may be unable to move in time.
            return None
        entries = self._entry[player]
        chosen = self._sets.candidates(state & self._planes, player, plies) or ()
        found: list[tuple[int, Hashable, bool]] = []
        for square, _, _ in chosen:
            number, put = entries[square]
            found.append((number, state | put, False))
        return found
