"""A strategy by pairs is held against every move of Black's, by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qsage_validate.errors import QsageError
from qsage_validate.games.positional.cover_game import open_sets
from qsage_validate.games.positional.rules import PositionalPosition
from qsage_validate.games.protocol import Move, Outcome, Player
from qsage_validate.strategies.guesses import PairingStrategy

WHITE = Player.WHITE


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
            _expect_white(position.outcome, history)
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
                _expect_white(after.outcome, played)
                continue
            answer = strategy.reply(played)
            waiting.append(((*played, answer), after.play(answer)))
    return CheckedPairing(positions, pairings, longest)


def _expect_white(outcome: Outcome, history: Sequence[Move]) -> None:
    if outcome.winner is not WHITE:
        raise PairingFailsError(f"after {_text(history)}: Black {outcome.reason}")


def _text(history: Sequence[Move]) -> str:
    return " ".join(map(str, history)) or "no move"
