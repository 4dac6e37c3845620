"""The shortest solver there is, to hold the others against."""

from __future__ import annotations

from qsage_validate.games.protocol import Player, Position, TwoPlayerGame


def minimax(game: TwoPlayerGame) -> Player:
    """Who wins a game of bounded depth when both play best."""
    return minimax_from(game.initial)


def minimax_from(start: Position) -> Player:
    """The same from a position."""
    known: dict[tuple[int, Position], Player] = {}

    def winner(position: Position) -> Player:
        if position.outcome is not None:
            return position.outcome.winner
        key = (position.ply, position)
        if key not in known:
            mover = position.to_move
            wins = any(winner(position.play(m)) is mover for m in position.legal_moves())
            known[key] = mover if wins else mover.other
        return known[key]

    return winner(start)
