"""The threats of a position: moves that would win if the opponent did nothing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase

from qsage_validate.games.protocol import Game, Kernel, Player, Position, Square
from qsage_validate.strategies.readings import SquareXY

# Moves of which threats with two moves are looked for: the cost grows with the square.
_MOST_MOVES = 100
# Moves that a sentence names.
_LISTED = 4


@dataclass(frozen=True, slots=True)
class Threat:
    """A move of ``player`` that would win if the opponent passed now.

    ``moves`` is 1 where it reaches the goal, and 2 where any answer to it leaves a move that does.
    ``squares`` are those that it takes, or else changes.
    """

    player: Player
    move: str
    moves: int
    squares: tuple[SquareXY, ...]

    @property
    def text(self) -> str:
        """``occupy(2,3) would win``."""
        if self.moves == 1:
            return f"{self.move} would win"
        return f"{self.move} would win with one move more, whatever is answered"


class Threats:
    """The threats in the positions of one game.

    None are known in games without the rules on plain values, and where a turn has several plies.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        kernel = game.kernel()
        can_pass = game.skipped(game.initial) is not None
        self._kernel = kernel if can_pass and kernel is not None and kernel.alternates else None

    def of(self, position: Position, player: Player) -> tuple[Threat, ...]:
        """The threats of ``player``, those that win at once first; else those of two moves.

        Where the player is to move they are what the player can do now.
        """
        kernel = self._kernel
        if kernel is None or position.outcome is not None:
            return ()
        turn = position if position.to_move is player else self.game.skipped(position)
        if turn is None or turn.outcome is not None:
            return ()
        state = kernel.state(turn)
        after = kernel.successors(state, player)
        found = [number for number, _, won in after if won]
        moves = 1
        left = self.game.plies - turn.ply + 1
        if not found and left >= 3 and len(after) <= _MOST_MOVES:
            found = [n for n, state, _ in after if self._unstoppable(kernel, state, player)]
            moves = 2
        return tuple(self._threat(turn, kernel, number, moves) for number in found)

    def wins(self, position: Position, player: Player) -> tuple[Threat, ...]:
        """The threats that would win at once."""
        return tuple(threat for threat in self.of(position, player) if threat.moves == 1)

    def cannot_stop(self, position: Position) -> bool:
        """True if each move of the player to move leaves the other one a move that wins at once."""
        kernel = self._kernel
        if kernel is None or position.outcome is not None:
            return False
        left = self.game.plies - position.ply + 1
        other = position.to_move.other
        return left >= 2 and self._unstoppable(kernel, kernel.state(position), other)

    @staticmethod
    def _unstoppable(kernel: Kernel, state: Hashable, player: Player) -> bool:
        """True if ``player`` wins by the next own move, whatever the opponent answers before it."""
        if not kernel.wins_at_once(state, player):
            return False
        answers = kernel.successors(state, player.other)
        return bool(answers) and all(
            not won and kernel.wins_at_once(after, player) for _, after, won in answers
        )

    def _threat(self, turn: Position, kernel: Kernel, number: int, moves: int) -> Threat:
        player = turn.to_move
        move = kernel.move(number, player)
        before, after = turn.board, turn.play(move).board
        changed = before.differences(after)
        own = Square.BLACK if player is Player.BLACK else Square.WHITE
        taken = [square for square in changed if after[square] is own]
        return Threat(player, str(move), moves, tuple(taken or changed))


def letters_of_threats(threats: Iterable[Threat]) -> dict[SquareXY, str]:
    """A letter for each threat, on its squares: capitals for those that win at once."""
    letters: dict[SquareXY, str] = {}
    for number, threat in enumerate(threats):
        signs = ascii_uppercase if threat.moves == 1 else ascii_lowercase
        for square in threat.squares:
            letters.setdefault(square, signs[number % len(signs)])
    return letters


def threats_text(threats: tuple[Threat, ...]) -> str:
    """``Black threatens to win by occupy(2,3) or occupy(3,3)``; empty without threats."""
    if not threats:
        return ""
    moves = or_list([threat.move for threat in threats])
    first = threats[0]
    if first.moves == 1:
        return f"{first.player} threatens to win by {moves}"
    return f"{first.player} threatens to win in two moves, beginning with {moves}"


def or_list(items: Sequence[str]) -> str:
    """``a, b or c``; of very many only the first."""
    return _list(items, "or")


def and_list(items: Sequence[str]) -> str:
    """``a, b and c``; of very many only the first."""
    return _list(items, "and")


def _list(items: Sequence[str], word: str) -> str:
    shown = list(items)
    if len(shown) > _LISTED:
        shown = [*shown[: _LISTED - 1], f"{len(shown) - _LISTED + 1} others"]
    return f" {word} ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))
