"""The rules of a BDDL model on plain integers, for search.

The same grounded actions and goals as the rules', arranged for speed: actions are found by the
mover's own piece that they need, goals are looked at only where an action can complete them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.bddl.symmetry import BitPermutation, permutation
from qsage_validate.games.protocol import Kernel, Move, Player, Position, Symmetry

_Condition = tuple[int, int]
# care, value, keep, put, number, conditions on the next state one of which is a win (or True).
_Entry = tuple[int, int, int, int, int, "tuple[_Condition, ...] | bool"]


class BddlKernel(Kernel):
    """States are the integers of ``Grounding``."""

    def __init__(
        self,
        grounding: Grounding,
        moves: Mapping[Player, Sequence[Move]],
        symmetries: Sequence[Symmetry],
    ) -> None:
        self._grounding = grounding
        self._moves = moves
        self._planes = (1 << 2 * grounding.squares) - 1
        self._permutations = [
            BitPermutation(permutation(grounding, symmetry.squares), planes=2)
            for symmetry in symmetries
        ]
        self._pieces: dict[Player, int] = {}
        self._by_piece: dict[Player, dict[int, list[_Entry]]] = {}
        self._free: dict[Player, list[_Entry]] = {}
        self._threats: dict[Player, list[_Condition] | None] = {}
        for player in Player:
            self._prepare(player)

    def _prepare(self, player: Player) -> None:
        grounding = self._grounding
        full = (1 << 3 * grounding.squares) - 1
        # Where the goals of the player come true by own moves only, a move has to touch the
        # goal that it completes.
        own_only = grounding.only_own_moves_win(player)
        goals = [(goal.care, goal.value) for goal in grounding.goals[player]]
        own_plane = grounding.plane << (0 if player is Player.BLACK else grounding.squares)
        by_piece: dict[int, list[_Entry]] = {}
        free: list[_Entry] = []
        threats: dict[_Condition, None] = {}
        meanings = set()
        for action in grounding.actions[player]:
            if action.meaning in meanings:
                continue
            meanings.add(action.meaning)
            changed = full & ~action.keep
            wins: dict[_Condition, None] = {}
            for care, value in goals:
                if (value ^ action.put) & care & changed or (own_only and not care & changed):
                    continue
                rest = (care & ~changed, value & ~changed)
                wins[rest] = None
                if not (rest[1] ^ action.value) & rest[0] & action.care:
                    threats[action.care | rest[0], action.value | rest[1]] = None
            entry = (
                action.care,
                action.value,
                action.keep,
                action.put,
                action.number,
                True if (0, 0) in wins else tuple(wins),
            )
            own = action.value & own_plane
            if own:
                by_piece.setdefault(own & -own, []).append(entry)
            else:
                free.append(entry)
        self._pieces[player] = sum(by_piece)
        self._by_piece[player] = by_piece
        self._free[player] = free
        self._threats[player] = list(threats)

    @property
    def initial(self) -> int:
        return self._grounding.initial

    def successors(self, state: Hashable, player: Player) -> list[tuple[int, Hashable, bool]]:
        assert isinstance(state, int)
        entries = self._free[player]
        pieces = state & self._pieces[player]
        if pieces:
            by_piece = self._by_piece[player]
            entries = list(entries)
            while pieces:
                low = pieces & -pieces
                entries += by_piece[low]
                pieces ^= low
        result: list[tuple[int, Hashable, bool]] = []
        for care, value, keep, put, number, wins in entries:
            if state & care == value:
                after = state & keep | put
                won = False
                if wins is True:
                    won = True
                elif wins:
                    for rest, expected in wins:
                        if after & rest == expected:
                            won = True
                            break
                result.append((number, after, won))
        return result

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        threats = self._threats[player]
        assert threats is not None
        for care, value in threats:  # noqa: SIM110 (a generator costs twice as much)
            if state & care == value:
                return True
        return False

    def key(self, state: Hashable) -> int:
        assert isinstance(state, int)
        if not self._permutations:
            return state
        # The third plane follows from the other two.
        least = plain = state & self._planes
        for permute in self._permutations:
            image = permute(plain)
            if image < least:  # noqa: PLR1730 (quicker than a call of min)
                least = image
        return least

    def move(self, number: int, player: Player) -> Move:
        return self._moves[player][number]

    def state(self, position: Position) -> int:
        grounding = getattr(getattr(position, "game", None), "grounding", None)
        state = getattr(position, "state", None)
        if not isinstance(grounding, Grounding) or not isinstance(state, int):
            raise UsageError(f"found {position}, expected a position of a BDDL game")
        if grounding is not self._grounding and grounding.model != self._grounding.model:
            raise UsageError(f"found {position} of another game")
        return state
