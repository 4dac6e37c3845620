"""Counts of plays, to compare implementations of the same rules."""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame


@dataclass(frozen=True, slots=True)
class PerftRow:
    """What the plays of some length lead to.

    ``plays`` counts sequences of ``ply`` legal moves, ``positions`` the different positions at
    their ends; ``black`` and ``white`` count the plays that end there with that winner.
    """

    ply: int
    plays: int
    positions: int
    black: int
    white: int


def perft(
    game: TwoPlayerGame, plies: int | None = None, *, limit: int = 10_000_000
) -> list[PerftRow]:
    """The counts for 0 to ``plies`` moves (all of the game when ``None``).

    Equal positions are expanded once.  Raises ``UndecidedError`` when more than ``limit``
    positions would be held at a time.
    """
    last = game.plies if plies is None else min(plies, game.plies)
    level: dict[Position, int] = {game.initial: 1}
    rows: list[PerftRow] = []
    for ply in range(last + 1):
        wins = {Player.BLACK: 0, Player.WHITE: 0}
        following: dict[Position, int] = {}
        for position, plays in level.items():
            outcome = position.outcome
            if outcome is not None:
                wins[outcome.winner] += plays
                continue
            if ply == last:
                continue
            for move in position.legal_moves():
                after = position.play(move)
                following[after] = following.get(after, 0) + plays
            if len(following) > limit:
                raise UndecidedError(f"more than {limit:,} positions after {ply + 1} plies")
        total = sum(level.values())
        rows.append(PerftRow(ply, total, len(level), wins[Player.BLACK], wins[Player.WHITE]))
        level = following
        if not level:
            break
    return rows
