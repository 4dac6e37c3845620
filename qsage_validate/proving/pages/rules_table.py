"""The rules of a small game as a table that travels in a page: each position that can be reached.

A page compares a play with it as the referee does: the position, the legal moves, the end.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from qsage_validate.encodings.layout.layout import IllegalMoves, Layout
from qsage_validate.errors import one_line
from qsage_validate.games.protocol import Player, Position, Square, TwoPlayerGame
from qsage_validate.proving.pages.words import NumberedTexts
from qsage_validate.strategies.readings import LayoutMove
from qsage_validate.validation.referee import Referee

MOST_POSITIONS: Final = 60_000
MOST_MOVES: Final = 200_000

_NONE: Final = -1


class TooManyPositionsError(Exception):
    """The rules have more positions, or moves, than travel; the message names the limit."""


def rules_table(
    game: TwoPlayerGame, layout: Layout, moves: Sequence[Sequence[LayoutMove]], words: NumberedTexts
) -> dict[str, object]:
    """The table of a game; ``moves`` are those that the layout can say at each ply.

    Moves and atoms are the numbers of ``words``.

    Raises :class:`TooManyPositionsError` where the game is not small.
    """
    referee, table = Referee(game, layout), _Table(game, layout, words)
    table.explore()
    names = []
    for ply, own in zip(layout.moves, moves, strict=True):
        known = (referee.move(move, ply.player) for move in own)
        names.append([_NONE if m is None else words.number(str(m)) for m in known])
    sayable = {str(move) for move in moves[0]} if moves else set()
    left = {str(m) for m in game.initial.legal_moves()} - sayable
    exchanged = left & set(game.exchanged_first_moves(sayable)) if left else set()
    return {
        "positions": table.size,
        "table": table.packed(),
        "outcomes": [[winner, one_line(reason)] for winner, reason in table.outcomes],
        "names": names,
        "exchanged": sorted(map(words.number, exchanged)),
        "oneSided": layout.state.one_sided,
    }


class _Table:
    """The positions of a game, breadth first, as numbers.

    A position is: its outcome plus one, or 0; the number of its atoms, and these; the number of
    its legal moves, and of each the move and where it leads; where a pass leads.  What is new
    is written as 0, and what was seen as how many positions have been seen since; a pass has one
    more, for 0 is none.
    """

    def __init__(self, game: TwoPlayerGame, layout: Layout, words: NumberedTexts) -> None:
        self._game, self._layout, self._words = game, layout, words
        self._passes = layout.illegal_replies(Player.BLACK) is IllegalMoves.IGNORED
        self._numbers: dict[Position, int] = {}
        self._rows: list[int] = []
        self._outcomes: dict[tuple[str, str], int] = {}
        state = layout.state
        places = state.places if state.is_board or state.position else ()
        self._said = {f"{kind} {p}" for kind in state.kinds for p in places} or set(state.kinds)

    @property
    def size(self) -> int:
        return len(self._numbers)

    @property
    def outcomes(self) -> Iterable[tuple[str, str]]:
        """The outcomes, by their numbers: the winner, and why."""
        return self._outcomes

    def packed(self) -> str:
        """All numbers, 32 bits each with the low ones first, deflated, in base64."""
        data = np.asarray(self._rows, dtype="<i4").tobytes()
        return base64.b64encode(zlib.compress(data, 9)).decode()

    def explore(self) -> None:
        """Go through all positions that can be reached."""
        self._numbers[self._game.initial] = 0
        line, made = [self._game.initial], 0
        for position in line:  # grows while it is gone through
            made += self._write(position, line)
            if len(line) > MOST_POSITIONS:
                raise TooManyPositionsError(f"more than {MOST_POSITIONS:,} positions")
            if made > MOST_MOVES:
                raise TooManyPositionsError(f"more than {MOST_MOVES:,} moves in its positions")

    def _write(self, position: Position, line: list[Position]) -> int:
        outcome, rows = position.outcome, self._rows
        if outcome is None:
            rows.append(0)
        else:
            told = (outcome.winner.value.capitalize(), outcome.reason)
            rows.append(1 + self._outcomes.setdefault(told, len(self._outcomes)))
        atoms = list(map(self._words.number, self._atoms_of(position)))
        rows += [len(atoms), *atoms]
        moves = () if outcome is not None else position.legal_moves()
        rows.append(len(moves))
        for move in moves:
            rows += [self._words.number(str(move)), self._place(position.after(move), line)]
        passes = self._passes and outcome is None and position.to_move is Player.BLACK
        passed = self._game.passed(position) if passes else None
        rows.append(0 if passed is None else 1 + self._place(passed, line))
        return len(moves)

    def _place(self, position: Position, line: list[Position]) -> int:
        number = self._numbers.setdefault(position, len(line))
        if number == len(line):
            line.append(position)
            return 0
        return len(line) - number

    def _atoms_of(self, position: Position) -> list[str]:
        state = self._layout.state
        if state.code is None:
            return sorted(self._game.atoms(position) & self._said)
        content = ((x, y, position.board[x, y]) for x, y in state.squares)
        return [f"{s.name.lower()} ({x},{y})" for x, y, s in content if s is not Square.OPEN]
