"""What a game is about, in a sentence to the person who plays it."""

from __future__ import annotations

from qsage_validate.games.protocol import Game, Player


def goal_line(game: Game, person: Player) -> str:
    """The goals of both players: ``Black: three in a row or column by ply 5. You stop it.``.

    Empty where the game has no plain words for Black's goal.
    """
    black, white = game.goal_words(Player.BLACK), game.goal_words(Player.WHITE)
    if not black:
        return ""
    if person is Player.BLACK:
        who, stops, has = "You", "White stops", "has"
    else:
        who, stops, has = "Black", "You stop", "have"
    first = f", or {has} it first" if white == black else f", or first {has} {white}"
    return f"{who}: {black} by ply {game.plies}. {stops} it{first if white else ''}."
