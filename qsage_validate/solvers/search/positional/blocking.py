"""White's block by moves and a pairing, found by search on the rules.

White blocks *within k plies* when White can play so that after at most ``k`` plies there is a
pairing (``games/positional/pairing.py``), or White has won.  That is what the encoding PAIRING
says; here it is searched for, so that the formula's answer has an independent one beside it, and
so that there is a strategy to play.  White's last stone and the pairing are found together, by a
SAT solver; what is known of a position is kept for all symmetric ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from qsage_validate.errors import UndecidedError
from qsage_validate.games.masks import bits, mask_of
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.pairing import Pairing, PairingFinder
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.system.limits import NEVER, Deadline


@dataclass(frozen=True, slots=True)
class Block:
    """White's answer: a position to claim, and the pairing after it, if there is one."""

    position: int
    pairing: Pairing | None


class BlockingSearch:
    """The search for White's block, and its moves; results are kept.

    The game has to alternate, with Black to begin, and winning sets for goals; raises
    ``UsageError`` for a network.
    """

    def __init__(self, model: PositionalModel) -> None:
        self.model = model
        self._finder = PairingFinder(model)
        self._key = PositionalGame(model).kernel().key
        self._size = len(model.positions)
        # White's stones with which a position is known to be blocked, and not to be.
        self._blocked: dict[Hashable, int] = {}
        self._open: dict[Hashable, int] = {}
        self._deadline = NEVER
        self._replies: dict[int, int] = {}

    def blocks(self, plies: int, deadline: Deadline = NEVER) -> bool:
        """True if White blocks within ``plies``; of an odd number White does not need the last.

        Raises ``UndecidedError`` at the deadline; what is known by then is kept.
        """
        return self.holds(self.model.black, self.model.white, plies // 2, deadline)

    def holds(self, black: int, white: int, stones: int, deadline: Deadline = NEVER) -> bool:
        """True if White, with Black to move, has a pairing after so many stones of White's."""
        self._deadline = deadline
        return self._black_to_move(black, white, stones)

    def pairing(self, black: int, white: int) -> Pairing | None:
        return self._finder.find(black, white)

    def reply(
        self, black: int, white: int, stones: int, deadline: Deadline = NEVER
    ) -> Block | None:
        """White's move, with White to move, to a pairing after so many stones.

        ``None`` when there is no such move.  The position must not be Black's already.
        """
        self._deadline = deadline
        return self._reply(black, white, stones)

    def _black_to_move(self, black: int, white: int, stones: int) -> bool:
        if self.model.won_by_black(black):
            return False
        if self.model.won_by_white(white):
            return True
        key = self._key(black | white << self._size)
        if self._blocked.get(key, stones + 1) <= stones:
            return True
        if self._open.get(key, -1) >= stones:
            return False
        if self._deadline.over:
            raise UndecidedError("the time for White's block is over")
        if self._finder.find(black, white) is not None:
            self._blocked[key] = 0
            return True
        free = self.model.all & ~(black | white)
        held = stones > 0 and all(
            not self.model.won_by_black(black | move)
            and self._reply(black | move, white, stones) is not None
            for move in self._moves(black, white, free)
        )
        known = self._blocked if held else self._open
        known[key] = stones
        return held

    def _moves(self, black: int, white: int, free: int) -> list[int]:
        """Black's moves, the most dangerous ones first; one of all irrelevant ones."""
        weights = self._weights(black, white, free)
        useful = sorted(weights, key=lambda bit: -weights[bit])
        idle = free & ~mask_of(bit.bit_length() - 1 for bit in useful)
        return [*useful, *([idle & -idle] if idle else [])]

    def _weights(self, black: int, white: int, free: int) -> dict[int, float]:
        """The positions of sets that can still be completed, by how near that is."""
        weights: dict[int, float] = {}
        for wins, own, other in (
            (self.model.black_wins, black, white),
            (self.model.white_wins, white, black),
        ):
            for shape in wins:
                if not shape & other:
                    rest = shape & ~own
                    worth = 4.0 ** -rest.bit_count()
                    for bit in bits(rest & free):
                        weights[bit] = weights.get(bit, 0.0) + worth
        return weights

    def _reply(self, black: int, white: int, stones: int) -> Block | None:
        free = self.model.all & ~(black | white)
        for bit in self._completing(self.model.white_wins, white, black):
            return Block(bit.bit_length() - 1, None)
        threats = list(self._completing(self.model.black_wins, black, white))
        if len(threats) > 1 or stones < 1 or not free:
            return None
        found = self._finder.find_move(black, white)
        if found is not None:
            return Block(*found)
        if stones == 1:
            return None
        weights = self._weights(black, white, free)
        known = self._replies.get(black)
        candidates = threats or sorted(weights, key=lambda bit: (bit != known, -weights[bit]))
        for bit in candidates:
            if self._black_to_move(black, white | bit, stones - 1):
                self._replies[black] = bit
                return Block(bit.bit_length() - 1, None)
        return None

    @staticmethod
    def _completing(wins: tuple[int, ...], own: int, other: int) -> Iterator[int]:
        """The open positions that complete a set at once, each once."""
        seen = 0
        for shape in wins:
            rest = shape & ~own
            if not shape & other and rest and not rest & (rest - 1) and not rest & seen:
                seen |= rest
                yield rest
