"""Moves in a person's words, and the possible moves of a click on a square.

``squares_of`` tells moves by their squares, as people say them: the landing square, from where to
where.  ``goal_line`` says what a game is about, in a sentence to the person who plays it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

from qsage_validate.arena.frame import MatchMove
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError
from qsage_validate.games.protocol import BoardPicture, Illegality, Player, Square, TwoPlayerGame
from qsage_validate.strategies.readings import LayoutMove, PlyCode, SquareXY

_MOVE = re.compile(r"\s*([^\s(]+)\s*\(\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\)\s*")
_SQUARE = re.compile(r"\s*\(?\s*(\d{1,6})\s*[, ]\s*(\d{1,6})\s*\)?\s*")
# Moves that are named in an error.
_NAMED = 8


class MoveWords(ABC):
    """Reads the moves of one player."""

    actions: tuple[str, ...] = ()
    has_blanks: bool = False

    @abstractmethod
    def parse(self, text: str, ply: int, legal: Sequence[LayoutMove]) -> LayoutMove:
        """The move of ``ply`` that ``text`` names, legal or not; ``legal`` has the legal ones.

        Raises ``MalformedMoveError`` and ``AmbiguousMoveError``.
        """

    @abstractmethod
    def at(self, square: SquareXY, ply: int) -> tuple[LayoutMove, ...]:
        """The moves, legal or not, that a person may mean by a square."""

    @abstractmethod
    def checked(self, move: object, ply: int) -> LayoutMove:
        """The move, if it is one of the player's; raises ``MalformedMoveError``."""

    @abstractmethod
    def illegality(self, move: LayoutMove, ply: int) -> Illegality | None:
        """The fault of a move in any position: it is off the board, or no move at all."""


def words_of(
    layout: Layout, player: Player, code: PlyCode, game: TwoPlayerGame | None
) -> MoveWords:
    """The words in which ``player`` says moves of a layout."""
    if layout.actions:
        return GridWords(layout, player)
    return TableWords(layout, player, code, game)


class GridWords(MoveWords):
    """``occupy(2,3)``, or the square alone where there is one action that is meant."""

    def __init__(self, layout: Layout, player: Player) -> None:
        self._layout = layout
        self._player = player
        self.actions = layout.actions[player]

    def parse(self, text: str, ply: int, legal: Sequence[LayoutMove]) -> LayoutMove:
        names = self.actions
        match = _MOVE.fullmatch(text)
        if match is None:
            return self._square(text, legal)
        fitting = [n for n in names if n == match[1]]
        fitting = fitting or [n for n in names if n.lower() == match[1].lower()]
        if not fitting:
            raise MalformedMoveError(
                f"found the unknown action {match[1]!r}, expected one of {self._player}: "
                f"{', '.join(names)}"
            )
        return LayoutMove.on_grid(fitting[0], int(match[2]), int(match[3]))

    def _square(self, text: str, legal: Sequence[LayoutMove]) -> LayoutMove:
        """A square alone is a move where there is one action only, or one that is legal."""
        match = _SQUARE.fullmatch(text)
        names = self.actions
        if match is None:
            raise MalformedMoveError(
                f"found {text.strip()!r}, expected a move like {names[0]}(1,1); the actions of "
                f"{self._player}: {', '.join(names)}"
            )
        here = [LayoutMove.on_grid(name, int(match[1]), int(match[2])) for name in names]
        legal_here = [move for move in legal if move in here]
        if len(here) > 1 and len(legal_here) != 1:
            fitting = ", ".join(str(move) for move in legal_here or here)
            raise AmbiguousMoveError(f"found {text.strip()!r}, expected one of {fitting}")
        return here[0] if len(here) == 1 else legal_here[0]

    def at(self, square: SquareXY, ply: int) -> tuple[LayoutMove, ...]:
        return tuple(LayoutMove.on_grid(name, *square) for name in self.actions)

    def checked(self, move: object, ply: int) -> LayoutMove:
        if not isinstance(move, LayoutMove) or move.action not in self.actions:
            raise MalformedMoveError(f"{move}: no move of {self._player}")
        return move

    def illegality(self, move: LayoutMove, ply: int) -> Illegality | None:
        assert move.square is not None, "checked before"
        (width, height), (x, y) = self._layout.state.size, move.square
        if 1 <= x <= width and 1 <= y <= height:
            return None
        rule = f"({x},{y}) is not on the {width}x{height} board"
        return Illegality(rule, f"{move}: {rule}")


class TableWords(MoveWords):
    """Moves in the game's own words: ``b2``, ``(mark 1 1)``; ``@12`` is a number without a move."""

    def __init__(
        self, layout: Layout, player: Player, code: PlyCode, game: TwoPlayerGame | None
    ) -> None:
        self._layout = layout
        self._player = player
        self._code = code
        self._game = game
        tables = [ply.moves for ply in layout.of(player)]
        self.has_blanks = any(" " in text for moves in set(tables) for text in moves)

    def parse(self, text: str, ply: int, legal: Sequence[LayoutMove]) -> LayoutMove:
        wanted = text.strip()
        found = self._code.find(ply, wanted)
        if found is not None:
            return found
        if self._game is not None:
            try:
                wanted = str(self._game.parse_move(wanted, self._player))
            except MalformedMoveError:
                raise self._unknown(text, ply, legal) from None
        moves = self._code.moves(ply)
        fitting = [m for m in moves if str(m) == wanted]
        fitting = fitting or [m for m in moves if str(m).lower() == wanted.lower()]
        if not fitting:
            raise self._unknown(text, ply, legal)
        if len(fitting) > 1:
            raise AmbiguousMoveError(
                f"found {text.strip()!r}, expected one of {', '.join(map(str, fitting))}"
            )
        return fitting[0]

    def _unknown(self, text: str, ply: int, legal: Sequence[LayoutMove]) -> MalformedMoveError:
        moves = list(legal) or self._code.moves(ply)
        named = ", ".join(map(str, moves[:_NAMED])) + (", …" if len(moves) > _NAMED else "")
        return MalformedMoveError(f"found {text.strip()!r}, expected a move such as {named}")

    def at(self, square: SquareXY, ply: int) -> tuple[LayoutMove, ...]:
        return tuple(move for move in self._code.moves(ply) if move.square == square)

    def checked(self, move: object, ply: int) -> LayoutMove:
        if not isinstance(move, LayoutMove) or not self._code.can_say(ply, move):
            raise MalformedMoveError(f"{move}: no move of {self._player}")
        return move

    def illegality(self, move: LayoutMove, ply: int) -> Illegality | None:
        table = self._layout.moves[ply - 1]
        if str(move) in table.moves:
            return None
        rule = f"there are {len(table.moves)} moves, from 0"
        return Illegality(rule, f"{move}: the number of no move: {rule}")


def goal_line(game: TwoPlayerGame, person: Player) -> str:
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


def squares_of(
    before: BoardPicture | None, after: BoardPicture | None, move: MatchMove | None
) -> str:
    """A move by its squares: ``(2,4)`` for a piece that falls, ``(2,3)-(1,2)`` for a step.

    ``(2,3)x(1,2)`` is a step that captures.  Empty where a board is not known, where the name of
    the move says the square already, and for moves of other kinds.
    """
    if before is None or after is None or not isinstance(move, LayoutMove):
        return ""
    changed = before.differences(after)
    if len(changed) == 1 and before[changed[0]] is Square.OPEN:
        return "" if move.square in (changed[0], None) else _text(changed[0])
    if len(changed) != 2:
        return ""
    origin, target = sorted(changed, key=lambda square: after[square] is not Square.OPEN)
    moved = before[origin]
    if moved is Square.OPEN or after[origin] is not Square.OPEN or after[target] is not moved:
        return ""
    capture = before[target] is not Square.OPEN
    return f"{_text(origin)}{'x' if capture else '-'}{_text(target)}"


def _text(square: SquareXY) -> str:
    x, y = square
    return f"({x},{y})"
