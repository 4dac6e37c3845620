"""All positions of a game, with who wins each of them, in how many plies, and by which moves.

The table is made from the rules alone, from the last plies back: no search and no encoding is
asked, so that it can be held against both.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from qsage_validate.errors import UndecidedError, UsageError, counted
from qsage_validate.formats.source import unpacked_name
from qsage_validate.games.protocol import BoardPicture, Player, Position, Square, TwoPlayerGame
from qsage_validate.system.limits import Limits

COLUMNS: Final = ("position", "ply", "to_move", "winner", "distance", "best_moves")
_SIGN: Final = {Player.BLACK: 1, Player.WHITE: -1}
_CONTENT: Final = {Square.OPEN: 0, Square.BLACK: 1, Square.WHITE: -1}
_EVERY: Final = 1024  # positions between two looks at the clock


@dataclass(frozen=True, slots=True)
class ValuedPosition:
    """A position with its value.

    ``distance`` are the plies that are still made: the winner's moves make it as small as they
    can, the loser's as large.  ``best_moves`` are all moves with this value and distance, in the
    order of the legal ones; none where the play has ended.
    """

    position: Position
    winner: Player
    distance: int
    best_moves: tuple[str, ...]

    def as_row(self) -> dict[str, object]:
        """The values by the names of :data:`COLUMNS`; moves are separated by semicolons."""
        return {
            "position": str(self.position),
            "ply": self.position.ply,
            "to_move": self.position.to_move.value,
            "winner": self.winner.value,
            "distance": self.distance,
            "best_moves": ";".join(self.best_moves),
        }


def valued_positions(
    game: TwoPlayerGame,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
) -> tuple[ValuedPosition, ...]:
    """Every position that legal moves lead to, by plies, the first position first.

    Raises ``UndecidedError`` where there are more positions than ``limits`` allow, or at the
    deadline.
    """
    successors: dict[Position, Mapping[str, Position]] = {}
    waiting, seen = [game.initial], {game.initial}
    for number, position in enumerate(waiting):  # it grows: ply by ply
        if number % _EVERY == 0:
            limits.deadline.check(f"positions were listed ({number:,} so far)")
        after = {str(move): position.after(move) for move in position.legal_moves()}
        successors[position] = after
        new = [each for each in dict.fromkeys(after.values()) if each not in seen]
        seen.update(new)
        waiting += new
        if limits.positions is not None and len(waiting) > limits.positions:
            raise UndecidedError(f"there are more than {counted(limits.positions, 'position')}")
    known: dict[Position, ValuedPosition] = {}
    for position in reversed(waiting):
        known[position] = _valued(position, {m: known[p] for m, p in successors[position].items()})
    return tuple(known[position] for position in waiting)


def _valued(position: Position, after: Mapping[str, ValuedPosition]) -> ValuedPosition:
    outcome = position.outcome
    if outcome is not None:
        return ValuedPosition(position, outcome.winner, outcome.plies, ())
    mover = position.to_move
    wins = any(each.winner is mover for each in after.values())
    winner = mover if wins else mover.other
    kept = {move: each.distance for move, each in after.items() if each.winner is winner}
    distance = min(kept.values()) if wins else max(kept.values())
    best = tuple(move for move, plies in kept.items() if plies == distance)
    return ValuedPosition(position, winner, distance + 1, best)


def csv_text(table: tuple[ValuedPosition, ...]) -> str:
    """The table as CSV, a line for each position."""
    written = io.StringIO()
    writer = csv.DictWriter(written, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(each.as_row() for each in table)
    return written.getvalue()


def npz_bytes(table: tuple[ValuedPosition, ...]) -> bytes:
    """The table as arrays of numpy, of one length N but for ``moves``.

    ``position`` are the texts, ``board`` is N x height x width (0 open, 1 Black, -1 White),
    ``ply`` and ``distance`` are numbers, ``to_move`` and ``winner`` are 1 for Black and -1 for
    White; ``best`` is N x M, true where the move ``moves[m]`` is one of the best.  Raises
    ``UsageError`` for positions whose boards have several sizes.
    """
    import numpy as np

    moves = tuple(dict.fromkeys(move for each in table for move in each.best_moves))
    number = {move: index for index, move in enumerate(moves)}
    best = np.zeros((len(table), len(moves)), dtype=bool)
    for row, each in enumerate(table):
        best[row, [number[move] for move in each.best_moves]] = True
    boards = [each.position.board for each in table]
    if len({(board.width, board.height) for board in boards}) > 1:
        raise UsageError("found boards of several sizes, expected one size: write a .csv file")
    squares = np.array([list(_contents(board)) for board in boards], dtype=np.int8)
    arrays = {
        "position": np.array([str(each.position) for each in table]),
        "board": squares.reshape(len(table), boards[0].height, boards[0].width),
        "ply": np.array([each.position.ply for each in table], dtype=np.int16),
        "to_move": np.array([_SIGN[each.position.to_move] for each in table], dtype=np.int8),
        "winner": np.array([_SIGN[each.winner] for each in table], dtype=np.int8),
        "distance": np.array([each.distance for each in table], dtype=np.int16),
        "moves": np.array(moves, dtype=np.str_),
        "best": best,
    }
    written = io.BytesIO()
    np.savez_compressed(written, allow_pickle=False, **arrays)
    return written.getvalue()


def _contents(board: BoardPicture) -> Iterator[int]:
    return (_CONTENT[square] for square in board.squares)


def table_file(path: str, table: tuple[ValuedPosition, ...]) -> str | bytes:
    """What a file of this name holds: arrays in ``.npz``, else text."""
    return npz_bytes(table) if unpacked_name(path).endswith(".npz") else csv_text(table)
