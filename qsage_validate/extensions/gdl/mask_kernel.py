"""The kernel of a game in GDL on bit masks: the states of ``RoundsKernel`` as integers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from qsage_validate.errors import UsageError
from qsage_validate.extensions.gdl.masks import Masks, holds
from qsage_validate.extensions.gdl.model import Ground
from qsage_validate.extensions.gdl.rules import GdlMove, RoundsPosition
from qsage_validate.games.bddl.symmetry import BitPermutation
from qsage_validate.games.protocol import Kernel, Move, Player, Position, State

BLACK, WHITE = Player.BLACK, Player.WHITE


class NoTurnsError(Exception):
    """A state in which both have a choice, or one has no legal move: the rules say which."""


class MaskKernel(Kernel):
    """States are those of ``masks``; with Black's part of the round chosen, a pair with its number.

    Methods raise ``NoTurnsError``.
    """

    def __init__(self, masks: Masks) -> None:
        self.masks = masks
        self.initial = masks.state(masks.game.machine.initial)
        self._numbers: dict[Player, dict[Ground, int]] = {
            player: {move: number for number, move in enumerate(moves)}
            for player, moves in masks.moves.items()
        }
        self._symmetries = [BitPermutation(places, planes=1) for places in masks.symmetries]
        self._choices: tuple[int, tuple[list[int], list[int]]] | None = None

    def legal(self, state: int) -> tuple[list[int], list[int]]:
        """The legal moves of Black and of White in a state that has not ended."""
        if self._choices is not None and self._choices[0] == state:
            return self._choices[1]
        black, white = (
            [number for number, cases in enumerate(self.masks.legal[p]) if holds(cases, state)]
            for p in (BLACK, WHITE)
        )
        if not black or not white or (len(black) > 1 and len(white) > 1):
            raise NoTurnsError
        self._choices = state, (black, white)
        return black, white

    def end(self, state: int) -> Player | None:
        if not holds(self.masks.terminal, state):
            return None
        return BLACK if holds(self.masks.wins, state) else WHITE

    def successors(self, state: State, player: Player) -> Sequence[tuple[int, State, bool]]:
        if isinstance(state, int):
            if self.end(state) is not None:
                return []
            return [(number, (state, number), False) for number in self.legal(state)[0]]
        before, black = _pair(state)
        found: list[tuple[int, State, bool]] = []
        for white in self.legal(before)[1]:
            effect = self.masks.effect(black, white)
            after = effect.apply(before)
            lost = holds(effect.ends, after) and not holds(self.masks.wins, after)
            found.append((white, after, lost))
        return found

    def wins_at_once(self, state: State, player: Player) -> bool:
        if isinstance(state, int):
            return self.end(state) is BLACK
        return any(won for _, _, won in self.successors(state, player))

    def key(self, state: State) -> Hashable:
        if not isinstance(state, int):
            return state
        return min([state, *(image(state) for image in self._symmetries)])

    def move(self, number: int, player: Player) -> Move:
        return GdlMove(self.masks.moves[player][number])

    def state(self, position: Position) -> State:
        if not isinstance(position, RoundsPosition):
            raise UsageError(f"found {position}, expected a position by rounds")
        return self.translated(
            position.state if position.chosen is None else (position.state, position.chosen)
        )

    def translated(self, state: State) -> State:
        if isinstance(state, frozenset):
            return self.masks.state(state)
        assert isinstance(state, tuple), "a state with Black's move"
        before, chosen = state
        return self.masks.state(before), self._numbers[BLACK][chosen]


def _pair(state: State) -> tuple[int, int]:
    assert isinstance(state, tuple), "a state with Black's move"
    before, black = state
    return before, black
