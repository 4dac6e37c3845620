"""The moves of a game in the words of a formula's layout, and back."""

from __future__ import annotations

from collections.abc import Mapping

from qsage_validate.errors import MalformedMoveError
from qsage_validate.games.protocol import Game, Move, Player, Symmetry
from qsage_validate.strategies.readings import LayoutMove, PlyCode


class Words:
    """What a formula calls the moves of a game: by text, else by square.

    With a ``mirror`` the formula means the image of each move.
    """

    def __init__(self, code: PlyCode, game: Game, mirror: Symmetry | None = None) -> None:
        self._code = code
        self._game = game
        self._images = {} if mirror is None else mirror.moves
        self._origins = {image: move for move, image in self._images.items()}
        self._by_square: dict[Player, Mapping[object, Move | None]] = {}

    def say(self, ply: int, move: Move) -> LayoutMove | None:
        """What the formula calls a move at a ply; ``None`` where it cannot say it."""
        text = str(self._images.get(move, move))
        found = self._code.find(ply, text)
        square = self._game.square_of(text)
        if found is not None or square is None:
            return found
        same = [m for m in self._code.moves(ply) if m.square == square]
        return same[0] if len(same) == 1 else None

    def read(self, move: LayoutMove, player: Player) -> Move | None:
        """The move of the game that the formula's move means."""
        found = parsed(self._game, str(move), player)
        if found is None and move.square is not None:
            found = self._at(player).get(move.square)
        return None if found is None else self._origins.get(found, found)

    def _at(self, player: Player) -> Mapping[object, Move | None]:
        """The only move on each square."""
        if player not in self._by_square:
            by_square: dict[object, Move | None] = {}
            for each in self._game.moves(player):
                square = self._game.square_of(str(each))
                by_square[square] = None if square in by_square else each
            self._by_square[player] = by_square
        return self._by_square[player]


def parsed(game: Game, text: str, player: Player) -> Move | None:
    """The move that a text names, if it names one."""
    try:
        return game.parse_move(text, player)
    except MalformedMoveError:
        return None
