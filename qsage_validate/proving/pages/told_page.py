"""The table of a certificate's answers to every play, for pages that cannot compute them.

White's functions (Herbrand) read variables of Black's that follow from the moves by the formula: to
find them takes a SAT solver, which a page has not.  So the answers to all plays of legal moves are
found here, and travel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from qsage_validate.arena.strategy_tree import StrategyNode, tree_of
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import UsageError, one_line
from qsage_validate.games.protocol import Player, Square, TwoPlayerGame
from qsage_validate.problems.load import BoardProblem
from qsage_validate.strategies.reader import LayoutMove, PlyCode, SquareXY


class NumberedTexts:
    """Texts by their numbers.  What is shown of them is cut, and differs where the texts do."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def shown(self) -> list[str]:
        """The texts in one line each; where two would look alike, with a number behind them."""
        seen: set[str] = set()
        found = []
        for text in self._numbers:
            line = shown = one_line(text)
            count = 1
            while shown in seen:
                count += 1
                shown = f"{line} [{count}]"
            seen.add(shown)
            found.append(shown)
        return found


MOST_NODES: Final = 10_000
"""Plays after which the opponent is to move, or which have ended, for which answers travel."""


def answers(problem: BoardProblem, words: NumberedTexts) -> list[dict[str, object]]:
    """The answers to each play, from the start on.

    Each has ``answers`` (the moves of the certificate that lead there, as numbers of ``words``;
    ``None`` for one that is no move), ``next`` (the opponent's legal moves with the number of the
    play behind each), ``ending`` and, where the play has ended, whether it is ``kept``.

    Raises ``UsageError`` for more than ``MOST_NODES``.
    """
    tree = tree_of(problem)
    explored = tree.explore(tree.root, MOST_NODES)
    if not explored.exact:
        raise UsageError(
            f"found more than {MOST_NODES:,} plays against White's certificate, expected fewer for "
            "a page"
        )
    numbers = {node: number for number, node in enumerate(explored.nodes)}
    return [_told(node, tree.children(node), numbers, words) for node in explored.nodes]


def _told(
    node: StrategyNode,
    children: Iterable[StrategyNode],
    numbers: dict[StrategyNode, int],
    words: NumberedTexts,
) -> dict[str, object]:
    state, before = node.state, 0 if node.parent is None else node.parent.state.plies + 1
    ending = state.ending
    said = ""
    if ending is not None:
        said = f"{ending.winner} wins: {ending.reason}" if ending.winner else ending.reason
    made = state.moves[before:]
    return {
        "answers": [None if text == "?" else words.number(text) for text in made],
        "next": [[words.number(str(child.move)), numbers[child]] for child in children],
        "ending": said,
        "kept": node.kept,
    }


def plies(
    layout: Layout, player: Player, game: TwoPlayerGame, words: NumberedTexts
) -> list[dict[str, object]]:
    """The moves of each ply, as numbers, with the square that each names."""
    code = PlyCode(layout, game.square_of)
    found: list[dict[str, object]] = []
    for ply in layout.moves:
        moves = code.moves(ply.ply)
        found.append(
            {
                "mine": ply.player is player,
                "moves": [words.number(str(move)) for move in moves],
                "squares": [_square(move) for move in moves],
                "sets": [[] for _ in moves],
                "instead": False,
            }
        )
    return found


def _square(move: LayoutMove) -> str | None:
    return None if move.square is None else square_key(move.square)


def square_key(square: SquareXY) -> str:
    """A square as a page names it: by column and row."""
    return f"({square[0]},{square[1]})"


def drawn(game: TwoPlayerGame, words: NumberedTexts) -> dict[int, list[str]]:
    """The square and the stone of each atom that puts one stone on the board."""
    found = {}
    for atom in sorted(game.words):
        board = game.board_of([atom])
        stones = [k for k, square in enumerate(board.squares) if square is not Square.OPEN]
        if len(stones) == 1:
            square = stones[0] % board.width + 1, stones[0] // board.width + 1
            found[words.number(atom)] = [square_key(square), board[square].value]
    return found
