"""How people say the moves of a grid game, and the pieces that they see, as the rules imply.

A piece that is put down is said by its square (``b2``), one that covers several by all of them
(``a1+a2``), a step by where it begins and ends (``b2-b3``, ``b2xc3`` if it takes something), and a
piece that falls by its column (``column b``).  What changes no square, and what would be said like
a move that does something else, keeps the name of its action: ``stay(b2)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from qsage_validate.errors import MalformedMoveError
from qsage_validate.formats.grid_names import cell_name, column_letters, column_named, step_named
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import BoardPicture, Move, Player, Square

if TYPE_CHECKING:
    from qsage_validate.games.bddl.ground import BddlMove, GroundAction, Grounding

Cell: TypeAlias = tuple[int, int]
_NAMED: Final = re.compile(
    r"\s*([A-Za-z0-9_][A-Za-z0-9_-]*)\s*\(\s*([A-Za-z]{1,3}[0-9]{1,4})\s*\)\s*"
)


@dataclass(frozen=True, slots=True)
class Step:
    """The squares that an action leaves and those on which it puts a piece, both in order.

    ``put`` and ``keep`` are what it does, whatever it is called.
    """

    left: tuple[Cell, ...]
    taken: tuple[Cell, ...]
    effect: tuple[int, int]


class Speech:
    """Says the moves of a game and reads what people say.

    ``actions`` are the grounded actions of ``moves`` that have one; pieces may all ``fall``.
    """

    def __init__(
        self,
        grounding: Grounding,
        moves: Mapping[Player, Sequence[BddlMove]],
        actions: Mapping[Player, Mapping[Move, GroundAction]],
        *,
        falls: bool,
    ) -> None:
        self._grounding, self._falls = grounding, falls and grounding.height > 1
        self._moves, self._actions = moves, actions
        self._columns = [f"column {column_letters(x)}" for x in range(1, grounding.width + 1)]

    def said(self, move: BddlMove, player: Player, board: BoardPicture) -> str:
        """The move as people say it where ``board`` is the position before it."""
        action = self._actions[player].get(move)
        if action is None:
            return str(move)
        step = self._step(action, player)
        if not step.taken or self._is_twofold(step, player):
            return f"{move.action}({cell_name(move.x, move.y)})"
        if self._falls:
            ((x, y),) = step.taken
            lands = max((row for row in self._rows if board[x, row] is Square.OPEN), default=0)
            return self._columns[x - 1] if y == lands else cell_name(x, y)
        taken = "+".join(cell_name(*square) for square in step.taken)
        if not step.left:
            return taken
        sign = "x" if self._takes(action, player, board) else "-"
        return "+".join(cell_name(*square) for square in step.left) + sign + taken

    def meant(self, text: str, player: Player) -> tuple[BddlMove, ...]:
        """The moves, legal or not, that a person may mean; of those that do the same, one.

        Moves of a column are in order from the top.
        """
        named = _NAMED.fullmatch(text)
        if named is not None:
            step = step_named(named[2])
            place = None if step is None else step[1][0]
            return tuple(
                move
                for move in self._moves[player]
                if move.action.lower() == named[1].lower() and (move.x, move.y) == place
            )
        wanted: list[tuple[tuple[Cell, ...], tuple[Cell, ...]]]
        if self._falls and (column := column_named(text)) is not None:
            wanted = [((), ((column, y),)) for y in self._rows]
        elif (step := step_named(text)) is not None:
            left, taken = step
            wanted = [(left, taken), ((), left + taken)] if left else [step]
        else:
            return ()
        found = [
            move
            for left, taken in wanted
            for move in self._by_squares[player].get((frozenset(left), frozenset(taken)), ())
        ]
        left, taken = wanted[0]
        if not found and not left and len(taken) == 1:
            found = list(self._around(taken[0], player))
        return tuple(dict.fromkeys(found))

    def _around(self, square: Cell, player: Player) -> Iterator[BddlMove]:
        """The moves that a square alone may stand for: they begin there or take it.

        Where there is one action only it is the one at the square.
        """
        names = {move.action for move in self._moves[player]}
        for move in self._moves[player]:
            action = self._actions[player].get(move)
            if (move.x, move.y) == square:
                if action is not None or len(names) == 1:
                    yield move
            elif action is not None and len(names) > 1 and square in self._taken(action, player):
                yield move

    def _taken(self, action: GroundAction, player: Player) -> tuple[Cell, ...]:
        return self._step(action, player).taken

    @property
    def _rows(self) -> range:
        return range(1, self._grounding.height + 1)

    @cached_property
    def _by_squares(
        self,
    ) -> Mapping[Player, Mapping[tuple[frozenset[Cell], frozenset[Cell]], Sequence[BddlMove]]]:
        """The moves by the squares that they leave and take; one of those that do the same."""
        found: dict[Player, dict[tuple[frozenset[Cell], frozenset[Cell]], list[BddlMove]]] = {}
        for player in Player:
            own = found.setdefault(player, {})
            chosen: dict[tuple[int, int, int, int], BddlMove] = {}
            for action in self._grounding.actions[player]:
                move = self._moves[player][action.number]
                step = self._step(action, player)
                known = chosen.get(action.meaning)
                if known is None or (move.x, move.y) in step.taken:
                    chosen[action.meaning] = move
            for move in chosen.values():
                action = self._actions[player][move]
                step = self._step(action, player)
                if step.taken:
                    own.setdefault((frozenset(step.left), frozenset(step.taken)), []).append(move)
        return found

    def _is_twofold(self, step: Step, player: Player) -> bool:
        """True if a move that does something else has the same squares."""
        same = self._by_squares[player].get((frozenset(step.left), frozenset(step.taken)), ())
        actions = (self._actions[player][move] for move in same)
        return any((a.keep, a.put) != step.effect for a in actions)

    def _takes(self, action: GroundAction, player: Player, board: BoardPicture) -> bool:
        """True if a piece of the other player's vanishes."""
        grounding = self._grounding
        changed = grounding.own(~action.keep, player.other)
        gone = set(self._cells(changed & ~grounding.own(action.put, player.other)))
        other = Square(player.other.value[0].upper())
        return any(board[square] is other for square in gone - set(self._step(action, player).left))

    def _step(self, action: GroundAction, player: Player) -> Step:
        grounding = self._grounding
        before, after = action.care & action.value, action.put
        mine = (player, player.other)
        came = left = 0
        for owner in mine:
            came |= grounding.own(after, owner) & ~grounding.own(before, owner)
        for owner in mine:
            gone = grounding.own(before, owner) & grounding.own(~action.keep, owner)
            gone &= ~grounding.own(after, Player.BLACK) & ~grounding.own(after, Player.WHITE)
            if gone and not left:  # what is taken on the way belongs to the other player
                left = gone
        return Step(tuple(self._cells(left)), tuple(self._cells(came)), (action.keep, action.put))

    def _cells(self, squares: int) -> Iterator[Cell]:
        """The squares of a set, row by row."""
        width = self._grounding.width
        while squares:
            lowest = squares & -squares
            y, x = divmod(lowest.bit_length() - 1, width)
            yield x + 1, y + 1
            squares ^= lowest

    # -- pieces of several squares ----------------------------------------------------------

    @cached_property
    def _shapes(self) -> Mapping[Square, tuple[Cell, ...]]:
        """The squares of a player's pieces from the first one, where all are alike and put down."""
        found: dict[Square, tuple[Cell, ...]] = {}
        if any(s is not Square.OPEN for s in self._grounding.initial_board().squares):
            return {}
        for player in Player:
            shapes = set()
            for action in self._grounding.actions[player]:
                step = self._step(action, player)
                own = set(self._cells(self._grounding.own(action.put, player)))
                if step.left or own != set(step.taken) or not own:
                    return {}
                x, y = step.taken[0]
                shapes.add(tuple((u - x, v - y) for u, v in step.taken))
            if len(shapes) > 1:
                return {}
            found |= {Square(player.value[0].upper()): shape for shape in shapes}
        return found if any(len(shape) > 1 for shape in found.values()) else {}

    def pieces(self, board: BoardPicture) -> tuple[tuple[Cell, ...], ...] | None:
        """The squares of each piece, as the rules put them down; ``None`` where each has one.

        In the order of squares the first one that no piece covers is the first of its own.  Squares
        of which no piece can be made, behind an illegal move, belong to none.
        """
        if not self._shapes:
            return None
        covered: set[Cell] = set()
        found = []
        for number, content in enumerate(board.squares):
            x, y = number % board.width + 1, number // board.width + 1
            shape = self._shapes.get(content)
            if shape is None or (x, y) in covered:
                continue
            squares = tuple((x + dx, y + dy) for dx, dy in shape)
            if all(
                1 <= u <= board.width
                and v <= board.height
                and (u, v) not in covered
                and board[u, v] is content
                for u, v in squares
            ):
                covered.update(squares)
                found.append(squares)
        return tuple(found)


# Squares in a person's words, in any game on a board


def check_squares(board: BoardPicture | None, text: str) -> None:
    """Raise ``MalformedMoveError`` if ``text`` names a square that is not on the board.

    A list and heaps have names that are no squares.
    """
    if board is None or board.names:
        return
    step = step_named(text)
    squares = () if step is None else (*step[0], *step[1])
    if all(1 <= x <= board.width and 1 <= y <= board.height for x, y in squares):
        return
    first, last = (board.square_name(square) for square in ((1, 1), (board.width, board.height)))
    raise MalformedMoveError(
        f"found {quoted(text.strip())}, expected squares of the {board.width}x{board.height} "
        f"board: {first} to {last}"
    )
