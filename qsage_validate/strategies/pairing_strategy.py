"""White's strategy by pairs, as an object that plays, and its check by the rules.

For some plies White plays the moves that ``solvers/search/maker_maker.py`` found; from then
on there is a pairing, and White answers in the pair that Black plays in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qsage_validate.errors import QsageError, UsageError
from qsage_validate.games.masks import members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.pairing import Pairing, open_sets
from qsage_validate.games.positional.rules import ClaimMove, PositionalGame, PositionalPosition
from qsage_validate.games.positional.symmetry import representatives
from qsage_validate.games.protocol import Move, Player
from qsage_validate.solvers.search.maker_maker import BlockingSearch
from qsage_validate.system.limits import NEVER, Deadline

BLACK, WHITE = Player.BLACK, Player.WHITE


class PairingFailsError(QsageError):
    """A strategy by pairs that lets Black through; the text names the play."""


@dataclass(frozen=True, slots=True)
class CheckedPairing:
    """The counts of :func:`check_pairing`: positions after White's moves, and those with pairs.

    ``longest`` is the most plies that were played before a pairing, or White's win.
    """

    positions: int
    pairings: int
    longest: int


class PairingStrategy:
    """White's moves within ``plies`` to a pairing, and its pairs from then on.

    The game is one to whose last ply White is to hold out, at most the open positions' number.
    Raises ``UsageError`` where White has no such strategy, ``UndecidedError`` when that
    is not known at the deadline.
    """

    def __init__(
        self,
        model: PositionalModel,
        plies: int,
        *,
        search: BlockingSearch | None = None,
        deadline: Deadline = NEVER,
    ) -> None:
        self.game = PositionalGame(model)
        self.model = model
        self.plies = plies
        self._search = BlockingSearch(model) if search is None else search
        if not self._search.blocks(plies, deadline):
            raise UsageError(
                f"{self.game.name}: White has no pairing within {plies} plies, expected more plies "
                "or another game"
            )

    @property
    def player(self) -> Player:
        return WHITE

    def pairing(self, history: Sequence[Move]) -> Pairing | None:
        """The pairs that White plays by after ``history``; ``None`` before there is a pairing.

        Pairs in which both positions have been claimed are left out.
        """
        position, pairing, _ = self._follow(history)
        if pairing is None:
            return None
        claimed = position.black | position.white
        return Pairing(tuple(p for p in pairing.pairs if not all(claimed >> v & 1 for v in p)))

    def answers(self) -> Iterator[tuple[ClaimMove, ClaimMove, Pairing | None]]:
        """Black's first moves, one of each class of symmetric ones, with White's answers.

        The pairing is that after both, where there is one by then.
        """
        firsts = representatives(self.model)
        for position in members(firsts):
            first = self.game.claims[position]
            answer = self.reply([first])
            yield first, answer, self.pairing([first, answer])

    def reply(self, history: Sequence[Move]) -> ClaimMove:
        """White's move; raises ``UsageError`` when it is not White's turn.

        Off the strategy's plays White answers as well as is known: in pairs, else anywhere.
        """
        position, pairing, stones = self._follow(history)
        if position.outcome is not None or position.to_move is not WHITE:
            raise UsageError(f"found {position}, expected White to move")
        black, white, free = position.black, position.white, position.open
        if pairing is None:
            block = self._search.reply(black, white, stones)
            if block is not None:
                return self.game.claims[block.position]
        else:
            last = self._last(history)
            partner = None if last is None else pairing.partner(last)
            if partner is not None and free >> partner & 1:
                return self.game.claims[partner]
            # A position outside the pairs, to keep these whole.
            free = free & ~pairing.mask or free
        return self.game.claims[next(members(free))]

    def _last(self, history: Sequence[Move]) -> int | None:
        move = history[-1] if history else None
        return self.model.number.get(move.name) if isinstance(move, ClaimMove) else None

    def _follow(self, history: Sequence[Move]) -> tuple[PositionalPosition, Pairing | None, int]:
        """The position after some moves, the pairing that holds there, and White's stones left."""
        position = self.game.initial
        stones = self.plies // 2
        pairing: Pairing | None = None
        for move in (*history, None):
            if pairing is None and position.to_move is BLACK:
                pairing = self._search.pairing(position.black, position.white)
            if move is None:
                break
            stones -= position.to_move is WHITE
            position = position.play(move)
        return position, pairing, max(stones, 0)


def check_pairing(strategy: PairingStrategy) -> CheckedPairing:
    """Play every move of Black's against the strategy, by the rules, until it has a pairing.

    There each winning set of Black's has to have a white position or a pair in it, which hinders
    Black for ever.  A position that several plays reach is looked at once.  Raises
    :class:`PairingFailsError` with the play that lets Black through.
    """
    seen: set[tuple[int, int]] = set()
    positions = pairings = longest = 0
    waiting: list[tuple[tuple[Move, ...], PositionalPosition]] = [((), strategy.game.initial)]
    while waiting:
        history, position = waiting.pop()
        key = (position.black, position.white)
        if key in seen:
            continue
        seen.add(key)
        positions += 1
        longest = max(longest, len(history))
        if position.outcome is not None:
            _expect_white(position, history)
            continue
        pairing = strategy.pairing(history)
        if pairing is not None:
            left = next(open_sets(strategy.model, pairing, *key), None)
            if left is not None:
                shape = ", ".join(strategy.model.names(left))
                raise PairingFailsError(f"after {_text(history)}: no pair in {shape}")
            pairings += 1
            continue
        if len(history) >= strategy.plies:
            raise PairingFailsError(f"after {_text(history)}: no pairing in {len(history)} plies")
        for move in position.legal_moves():
            after = position.play(move)
            played: tuple[Move, ...] = (*history, move)
            if after.outcome is not None:
                _expect_white(after, played)
                continue
            answer = strategy.reply(played)
            waiting.append(((*played, answer), after.play(answer)))
    return CheckedPairing(positions, pairings, longest)


def _expect_white(position: PositionalPosition, history: Sequence[Move]) -> None:
    outcome = position.outcome
    assert outcome is not None
    if outcome.winner is not WHITE:
        raise PairingFailsError(f"after {_text(history)}: Black {outcome.reason}")


def _text(history: Sequence[Move]) -> str:
    return " ".join(map(str, history)) or "no move"
