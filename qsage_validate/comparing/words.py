"""The moves of a game in the words of a formula's layout, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.errors import MalformedMoveError, UsageError
from qsage_validate.games.protocol import Game, Move, Player, Symmetry
from qsage_validate.strategies.readings import LayoutMove, PlyCode, SquareOf


class Words:
    """The names that a formula has for the moves of a game: by text, else by square.

    With a ``mirror`` the formula means the image of each move.
    """

    def __init__(self, code: PlyCode, game: Game, mirror: Symmetry | None = None) -> None:
        self._code = code
        self._game = game
        self._images = {} if mirror is None else mirror.moves
        self._origins = {image: move for move, image in self._images.items()}
        self._by_square: dict[Player, Mapping[object, Move | None]] = {}

    def say(self, ply: int, move: Move) -> LayoutMove | None:
        """The formula's name for a move at a ply; ``None`` where it cannot say it."""
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


class Mirrors:
    """The words in which a formula can be told of first moves, in a mirror where it has no code.

    A mirror is a symmetry of the game that keeps the first position.
    """

    def __init__(self, code: PlyCode, game: Game) -> None:
        self._code = code
        self._game = game
        self.plain = Words(code, game)

    @cached_property
    def others(self) -> list[Words]:
        """The words in each mirror."""
        symmetries = self._game.symmetries()
        return [Words(self._code, self._game, s) for s in symmetries if s.keeps_initial]

    def telling(self, first: Move) -> Words:
        """The words for a play that begins with ``first``; the plain ones where there are none."""
        if self.plain.say(1, first) is not None:
            return self.plain
        return next((words for words in self.others if words.say(1, first)), self.plain)


class Spelling:
    """The values by which a formula says the moves of a game.

    ``square_of`` is that of the game whose words the layout has, where that is another one.
    """

    def __init__(self, layout: Layout, game: Game, square_of: SquareOf | None = None) -> None:
        self.plies = layout.moves
        self.code = PlyCode(layout, square_of or game.square_of)
        self.mirrors = Mirrors(self.code, game)
        self.words = self.mirrors.plain
        self._patterns = [dict(ply.coding.patterns()) for ply in self.plies]

    def literals(self, ply: int, move: Move, words: Words | None = None) -> list[int] | None:
        """The literals that are true where a move is said at a ply, from 1, if it can be said.

        Bits that mean nothing are left out.
        """
        if ply > len(self.plies):
            return None
        said = (words or self.words).say(ply, move)
        pattern = None if said is None else self._patterns[ply - 1].get(str(said))
        if pattern is None:
            return None
        pairs = zip(self.plies[ply - 1].variables, pattern, strict=True)
        return [literal if bit else -literal for literal, bit in pairs if bit is not None]


def check_length(layout: Layout, own: Game | None, game: Game) -> None:
    """Raise ``UsageError`` where the layout's game, ``own``, is not as long as ``game``.

    A formula may leave out last plies of its game that decide nothing.
    """
    plies = layout.plies if own is None else own.plies
    if plies != game.plies:
        raise UsageError(
            f"found a formula of a game of {plies} plies beside one of {game.plies}, "
            "expected games of one length"
        )


def values_of(literals: Iterable[int]) -> dict[int, bool]:
    """The values of variables by which literals are true."""
    return {abs(x): x > 0 for x in literals}


def parsed(game: Game, text: str, player: Player) -> Move | None:
    """The move that a text names, if it names one."""
    try:
        return game.parse_move(text, player)
    except MalformedMoveError:
        return None
