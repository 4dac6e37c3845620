"""Positions from their text form, which every game prints: ``str(position)`` reads back."""

from __future__ import annotations

import re
from functools import singledispatch

from qsage_validate.extensions.gdl.parser import parse_ground
from qsage_validate.extensions.gdl.rules import RoundsGame, RoundsPosition
from qsage_validate.extensions.impartial.heap_game import HeapGame, HeapPosition, parse_state
from qsage_validate.formats.sexpr import read_nodes
from qsage_validate.formats.source import Source
from qsage_validate.games.bddl.rules import BddlGame, BddlPosition
from qsage_validate.games.positional.rules import PositionalGame, PositionalPosition
from qsage_validate.games.protocol import BoardPicture, Player, Position, Square, TwoPlayerGame

_BOARD = re.compile(r"\s*([.BW/]*)(?:\s+ply\s+([0-9]+))?\s*")
_FLUENTS = re.compile(r"\s*\{(.*)\}(?:\s+ply\s+([0-9]+))?(?:\s+after\s+(.+))?\s*", re.DOTALL)


@singledispatch
def parse_position(game: TwoPlayerGame, text: str) -> Position:
    """The position of ``game`` whose text is ``text``; ply 1 where none is said."""
    raise TypeError(f"no positions of {game!r}")


def board_of(text: str) -> BoardPicture:
    """The board whose ``str`` is ``text``: its rows, joined by ``/``."""
    rows = text.split("/")
    assert len({len(row) for row in rows}) == 1, text
    return BoardPicture(
        len(rows[0]), len(rows), tuple(Square(sign) for row in rows for sign in row)
    )


def _board(text: str) -> tuple[BoardPicture, int]:
    match = _BOARD.fullmatch(text)
    assert match is not None, text
    return board_of(match[1]), int(match[2] or 1)


@parse_position.register
def of_grid(game: BddlGame, text: str) -> BddlPosition:
    board, ply = _board(text)
    return BddlPosition(game, game.grounding.state_of(board), ply)


@parse_position.register
def of_claims(game: PositionalGame, text: str) -> PositionalPosition:
    board, ply = _board(text)
    held = dict.fromkeys(Square, 0)
    for number, square in enumerate(game.arrangement.squares):
        held[board[square]] |= 1 << number
    return PositionalPosition(game, held[Square.BLACK], held[Square.WHITE], ply)


@parse_position.register
def of_heaps(game: HeapGame, text: str) -> HeapPosition:
    state, player, number = text.rsplit(";", 2)
    return HeapPosition(
        game, parse_state(game.rules, state), Player(player.strip().lower()), int(number)
    )


@parse_position.register
def of_rounds(game: RoundsGame, text: str) -> RoundsPosition:
    """The fluents and the round; behind ``after`` the move that Black has chosen in it."""
    match = _FLUENTS.fullmatch(text)
    assert match is not None, text
    body = Source(match[1])
    starts = [node.offset for node in read_nodes(body)]
    ends = [*starts[1:], len(body.text)]
    fluents = [parse_ground(body.text[a:b]) for a, b in zip(starts, ends, strict=False)]
    first = 2 * int(match[2] or 1) - 1
    if match[3] is None:
        return RoundsPosition(game, frozenset(fluents), None, first)
    chosen = game.parse_move(match[3], Player.BLACK).term
    return RoundsPosition(game, frozenset(fluents), chosen, first + 1)
