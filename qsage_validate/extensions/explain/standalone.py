"""A game and the words of an explanation in one file that needs nothing else.

The text of this module, without this docstring, is the first part of every explanation that is
written as Python: it imports nothing of the package.  Data and the tree come behind it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

Place = tuple[int, int]


class Ply(NamedTuple):
    """The rules of a ply as gates, each the AND of two literals; a literal is AIGER's.

    The inputs are the bits of the position, then a bit for each move: that it is made.  ``after``
    are the bits of the next position, ``black`` and ``white`` its stones, square by square in
    reading order, and ``won`` says that Black, or White, has won then.
    """

    mover: str
    moves: Sequence[str]
    gates: Sequence[int]
    legal: Sequence[int]
    after: Sequence[int]
    black: Sequence[int]
    white: Sequence[int]
    won: tuple[int, int]


class Game(NamedTuple):
    """The plies of a game with its first board; ``named`` has the squares that moves name."""

    width: int
    height: int
    board: str
    plies: Sequence[Ply]
    named: dict[str, Place]

    def first(self) -> Position:
        """The position before the first ply."""
        return Position(self, 0, [], self.board, "")

    def place(self, number: int) -> Place:
        """A square by its number, from 0, in reading order."""
        return number % self.width + 1, number // self.width + 1


class Move:
    """A legal move: what it leads to, the square that it came to and the one that it left."""

    def __init__(self, text: str, before: Position, after: Position) -> None:
        self.text = text
        self.kind = text.partition("(")[0]
        self.after = after
        own, game = before.mover, before.game
        foe = "BW".replace(own, "")
        pairs = list(zip(before.board, after.board, strict=True))
        come = [k for k, (old, new) in enumerate(pairs) if new == own != old]
        gone = [k for k, (old, new) in enumerate(pairs) if old == own != new]
        self.to = game.place(come[0]) if come else game.named.get(text)
        self.off = game.place(gone[0]) if gone else None
        self.captures = after.board.count(foe) < before.board.count(foe)

    def order(self) -> tuple[Place, Place, str]:
        """By this the first move of several is found: row by row, each from the left."""
        to, off = self.to or (0, 0), self.off or (0, 0)
        return to[::-1], off[::-1], self.text


class Position:
    """A position after ``time`` plies; ``won`` is who has won, or empty."""

    def __init__(self, game: Game, time: int, bits: Sequence[int], board: str, won: str) -> None:
        self.game, self.time, self.bits, self.board, self.won = game, time, bits, board, won
        self.mover = game.plies[time].mover if time < len(game.plies) else ""
        self._moves: list[Move] | None = None

    def moves(self) -> list[Move]:
        """The legal moves in their order; none where the play is over."""
        if self._moves is None:
            found = [] if self.won else [Move(text, self, after) for text, after in self._after()]
            self._moves = sorted(found, key=Move.order)
        return self._moves

    def _after(self) -> Iterator[tuple[str, Position]]:
        # Bit k of every number is about the position after move k: all are worked out at once.
        ply = self.game.plies[self.time]
        full = (1 << len(ply.moves)) - 1
        values = [0, full]
        for bit in self.bits:
            values += (full, 0) if bit else (0, full)
        for number in range(len(ply.moves)):
            values += (1 << number, full ^ (1 << number))
        for left, right in zip(ply.gates[::2], ply.gates[1::2], strict=True):
            value = values[left] & values[right]
            values += (value, full ^ value)
        for number, text in enumerate(ply.moves):
            if not values[ply.legal[number]] >> number & 1:
                continue
            bits = [values[literal] >> number & 1 for literal in ply.after]
            board = "".join(
                "B" if values[black] >> number & 1 else "W" if values[white] >> number & 1 else "."
                for black, white in zip(ply.black, ply.white, strict=True)
            )
            black, white = (values[literal] >> number & 1 for literal in ply.won)
            won = "B" if black else "W" if white or self.time + 1 == len(self.game.plies) else ""
            yield text, Position(self.game, self.time + 1, bits, board, won)


class At:
    """A position in which ``hero`` is to move, with the last moves of both players."""

    def __init__(self, position: Position, theirs: Move | None, ours: Move | None) -> None:
        self.position, self.theirs, self.ours = position, theirs, ours
        self.hero = position.mover
        self.foe = "BW".replace(self.hero, "")

    # Questions.

    def stands(self, place: Place) -> str:
        """What stands on a square: B, W or a point; empty beyond the edge."""
        (x, y), game = place, self.position.game
        if not (1 <= x <= game.width and 1 <= y <= game.height):
            return ""
        return self.position.board[(y - 1) * game.width + x - 1]

    def went(self, last: Move | None, place: Place) -> bool:
        """A last move went to a square."""
        return last is not None and last.to == place

    def went_in(self, last: Move | None, region: str, number: int = 0) -> bool:
        """A last move went to a region; halves leave out the line in the middle."""
        if last is None or last.to is None:
            return False
        (x, y), width, height = last.to, self.position.game.width, self.position.game.height
        sides = (x in (1, width)) + (y in (1, height))
        return {
            "row": y == number,
            "column": x == number,
            "left": 2 * x < width + 1,
            "right": 2 * x > width + 1,
            "top": 2 * y < height + 1,
            "bottom": 2 * y > height + 1,
            "edge": sides > 0,
            "corner": sides > 1,
            "dark": (x + y) % 2 == 0,
        }[region]

    def was(self, last: Move | None, kind: str) -> bool:
        """A last move was of a kind."""
        return last is not None and last.kind == kind

    def beside(self, last: Move | None, dx: int, dy: int, what: str) -> bool:
        """What stands so far from a last move."""
        if last is None or last.to is None:
            return False
        return self.stands((last.to[0] + dx, last.to[1] + dy)) == what

    def apart(self, dx: int, dy: int) -> bool:
        """The opponent's last move is so far from one's own."""
        if self.theirs is None or self.ours is None:
            return False
        to, own = self.theirs.to, self.ours.to
        return to is not None and own is not None and to == (own[0] + dx, own[1] + dy)

    def related(self, relation: str) -> bool:
        """How the opponent's last move lies to one's own."""
        if self.theirs is None or self.ours is None:
            return False
        if self.theirs.to is None or self.ours.to is None:
            return False
        dx, dy = self.theirs.to[0] - self.ours.to[0], self.theirs.to[1] - self.ours.to[1]
        return {
            "row": dy == 0,
            "column": dx == 0,
            "diagonal": abs(dx) == abs(dy),
            "touching": max(abs(dx), abs(dy)) == 1,
            "above": dy < 0,
            "left": dx < 0,
        }[relation]

    def by_ply(self, ply: int) -> bool:
        """The number of the ply is so many or less."""
        return self.position.time < ply

    def threatened(self) -> bool:
        """Some move lets the opponent win at once."""
        return not all(map(self._safe, self.position.moves()))

    def odd(self) -> bool:
        """The number of open squares is odd."""
        return self.position.board.count(".") % 2 == 1

    def ahead(self, player: str, by: int) -> bool:
        """A player has so many stones more, or still more."""
        board, other = self.position.board, "BW".replace(player, "")
        return board.count(player) - board.count(other) >= by

    # Answers.

    def exactly(self, text: str) -> Move | None:
        """The move of a text."""
        return next((move for move in self.position.moves() if move.text == text), None)

    def to(self, place: Place | None) -> Move | None:
        """The first move to a square."""
        if place is None:
            return None
        return next((move for move in self.position.moves() if move.to == place), None)

    def shifted(self, last: Move | None, dx: int, dy: int) -> Move | None:
        """The first move to the square so far from a last move."""
        if last is None or last.to is None:
            return None
        return self.to((last.to[0] + dx, last.to[1] + dy))

    def mapped(self, squares: dict[Place, Place]) -> Move | None:
        """The first move to the image of the opponent's last move."""
        if self.theirs is None or self.theirs.to is None:
            return None
        return self.to(squares.get(self.theirs.to))

    def pick(self, quality: str, kind: str = "", last: bool = False) -> Move | None:
        """The first or the last move with a quality."""
        has: Callable[[Move], bool] = {
            "win": lambda move: move.after.won == self.hero,
            "decide": self._decides,
            "safe": self._safe,
            "capture": lambda move: move.captures,
            "safe capture": lambda move: move.captures and self._safe(move),
            "recapture": lambda move: (
                move.captures and self.theirs is not None and move.to == self.theirs.to
            ),
            "same": lambda move: (
                self.ours is not None and self.ours.to is not None and move.off == self.ours.to
            ),
            "other": lambda move: (
                self.ours is not None
                and self.ours.to is not None
                and move.off not in (None, self.ours.to)
            ),
            "any": lambda move: True,
        }[quality]
        found = [move for move in self.position.moves() if not kind or move.kind == kind]
        return next((move for move in (found[::-1] if last else found) if has(move)), None)

    def _safe(self, move: Move) -> bool:
        after = move.after
        if after.won:
            return after.won == self.hero
        return after.mover != self.foe or not self._can_win(after, self.foe)

    def _decides(self, move: Move) -> bool:
        after = move.after
        if after.won:
            return after.won == self.hero
        return all(
            reply.after.won == self.hero
            if reply.after.won
            else self._can_win(reply.after, self.hero)
            for reply in after.moves()
        )

    @staticmethod
    def _can_win(position: Position, player: str) -> bool:
        if position.mover != player:
            return False
        return any(move.after.won == player for move in position.moves())


class Play:
    """A play in which the opponent's moves are given, and the tree's moves are made."""

    def __init__(self, game: Game, hero: str, choose: Callable[[At], Move | None]) -> None:
        self.position, self.hero, self.choose = game.first(), hero, choose
        self.theirs: Move | None = None
        self.ours: Move | None = None
        self.given = 0
        self.replies = self._reply()

    def give(self, text: str) -> None:
        """Make a move of the opponent's; raises ``ValueError`` where it is illegal."""
        self.given += 1
        legal = self.position.moves()
        move = next((move for move in legal if move.text == text), None)
        if move is None:
            expected = ", ".join(move.text for move in legal) or "no move, for the play is over"
            raise ValueError(f"found {text!r} as move {self.given}, expected {expected}")
        self.theirs, self.position = move, move.after
        self.replies = self._reply()

    def _reply(self) -> list[str]:
        made = []
        while not self.position.won and self.position.mover == self.hero:
            move = self.choose(At(self.position, self.theirs, self.ours))
            if move is None:
                raise ValueError(f"found no move in {self.position.board}, expected one")
            made.append(move.text)
            self.ours, self.position = move, move.after
        return made


def played(
    game: Game, hero: str, choose: Callable[[At], Move | None], moves: Sequence[str]
) -> Play:
    """The play with these moves of the opponent's."""
    play = Play(game, hero, choose)
    for text in moves:
        play.give(text)
    return play


def run(game: Game, hero: str, choose: Callable[[At], Move | None]) -> int:
    """Print the replies to the moves of the command line, and the board; 2 for illegal moves."""
    try:
        play = played(game, hero, choose, sys.argv[1:])
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    board = play.position.board
    lines = [" ".join(board[k : k + game.width]) for k in range(0, len(board), game.width)]
    lines += [f"reply: {text}" for text in play.replies]
    if play.position.won:
        lines.append("Black has won" if play.position.won == "B" else "White has won")
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0
