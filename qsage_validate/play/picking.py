"""The conversion of squares that are clicked one after the other, or typed, into a move.

A move is known by the squares that it changes, its *area*: one square for a placement, a piece
and its target for a step, two neighbours for a domino.  Clicking one square of a move selects
it, clicking another one plays it; a click that can mean one move only plays it at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from qsage_validate.arena.frame import BlockMove, HeapMove, LayoutMove, MatchMove, SquareXY
from qsage_validate.formats.grid_names import step_named
from qsage_validate.games.protocol import BoardPicture, Square

PlacedMove: TypeAlias = LayoutMove | HeapMove


@dataclass(frozen=True, slots=True)
class Select:
    """The square begins one move or more; ``None``: the selected one is selected no longer."""

    square: SquareXY | None


@dataclass(frozen=True, slots=True)
class Choose:
    """The squares fit legal moves: of several a person has to say which."""

    moves: tuple[PlacedMove, ...]


@dataclass(frozen=True, slots=True)
class NoMove:
    """No legal move has these squares; ``origin`` is the first of them."""

    origin: SquareXY
    target: SquareXY


Pick = Select | Choose | NoMove


@dataclass(frozen=True)
class Picks:
    """The legal moves of a position by the squares that they change.

    Where pieces ``fall``, an open square means the piece's landing below it.
    """

    areas: Mapping[PlacedMove, frozenset[SquareXY]] = field(default_factory=dict)
    fall: bool = False

    @classmethod
    def of(
        cls,
        moves: Iterable[MatchMove],
        touched: Callable[[MatchMove], Sequence[SquareXY]],
        *,
        fall: bool = False,
    ) -> Picks:
        """Group ``moves``; a move that changes nothing belongs to the square that it names."""
        areas: dict[PlacedMove, frozenset[SquareXY]] = {}
        for move in moves:
            if isinstance(move, BlockMove):
                continue
            named = move.square if isinstance(move, LayoutMove) else None
            areas[move] = frozenset(touched(move)) or frozenset(() if named is None else {named})
        return cls(areas, fall)

    def starts(self, board: BoardPicture) -> frozenset[SquareXY]:
        """The squares to mark as playable: pieces that can move, open squares that can be taken."""
        marked: set[SquareXY] = set()
        for move, area in self.areas.items():
            named = move.square if isinstance(move, LayoutMove) else None
            if named is not None and named in area and board[named] is not Square.OPEN:
                marked.add(named)
            else:
                marked |= area
        return frozenset(marked)

    def targets(self, selected: SquareXY) -> frozenset[SquareXY]:
        """The squares that make a move together with ``selected``, itself included if so."""
        marked: set[SquareXY] = set()
        for area in self.areas.values():
            if selected in area:
                marked |= area - {selected} if len(area) > 1 else area
        return frozenset(marked)

    def at(self, square: SquareXY) -> tuple[PlacedMove, ...]:
        """The moves that change ``square``, one for each that differs in action or area."""
        here = self._distinct(m for m, area in self.areas.items() if square in area)
        if here or not self.fall:
            return here
        column, _ = square
        below = {place for area in self.areas.values() for place in area if place[0] == column}
        if len(below) != 1 or min(below) < square:
            return ()
        return self._distinct(m for m, area in self.areas.items() if area == below)

    def pick(self, square: SquareXY, selected: SquareXY | None = None) -> Pick:
        """The meaning of picking ``square`` while ``selected`` is selected."""
        if selected is None:
            return self._first(square)
        if square == selected:
            alone = self._distinct(m for m, area in self.areas.items() if area == {square})
            return Choose(alone) if alone else Select(None)
        both = self._distinct(m for m, area in self.areas.items() if {square, selected} <= area)
        if both:
            exact = tuple(m for m in both if self.areas[m] == {square, selected})
            return Choose(exact or both)
        if self.at(square):
            return self._first(square)
        return NoMove(selected, square)

    def said(self, text: str) -> tuple[PlacedMove, ...]:
        """The moves that ``text`` names by its squares: ``b4``, ``(2,3)-(1,2)``."""
        named = step_named(text)
        if named is None:
            return ()
        area = {square for side in named for square in side}
        return self._distinct(m for m, found in self.areas.items() if found == area)

    def _first(self, square: SquareXY) -> Pick:
        moves = self.at(square)
        if not moves:
            return NoMove(square, square)
        if len(moves) == 1 or all(self.areas[move] == {square} for move in moves):
            return Choose(moves)
        return Select(square)

    def _distinct(self, moves: Iterable[PlacedMove]) -> tuple[PlacedMove, ...]:
        # Parameters that an action does not use (the y of "occupy-bottom") make several moves
        # with one effect; the one that names a square it changes stands for them.
        groups: dict[tuple[str, frozenset[SquareXY]], list[LayoutMove]] = {}
        chosen: list[PlacedMove] = []
        for move in moves:
            if not isinstance(move, LayoutMove) or not move.action:
                chosen.append(move)
            else:
                groups.setdefault((move.action, self.areas[move]), []).append(move)
        for (_, area), same in groups.items():
            chosen += [move for move in same if move.square in area] or same[:1]
        return tuple(chosen)

    def __repr__(self) -> str:
        return f"<Picks of {len(self.areas)} moves>"


def is_elsewhere(legal: Sequence[MatchMove]) -> bool:
    """True if there is one move only, with no arguments and no square."""
    if len(legal) != 1 or not isinstance(legal[0], LayoutMove):
        return False
    return legal[0].square is None and "(" not in legal[0].text
