"""One page for a class: several certificates that play, boards to print, a solution sheet.

Each game is the page of :mod:`play_page` in a frame of its own.  The page asks the network for
nothing: the frames travel in it, and inherit its content security policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from qsage_validate.arena.board_engine import goal_line
from qsage_validate.arena.strategy_tree import Exploration, StrategyNode, StrategyTree, tree_of
from qsage_validate.errors import one_line
from qsage_validate.games.protocol import BoardPicture
from qsage_validate.problems.load import Problem
from qsage_validate.proving.pages.html import page
from qsage_validate.proving.pages.play_page import SCRIPTS, TEMPLATE, play_values
from qsage_validate.proving.report import ValidationReport
from qsage_validate.render.svg import board_svg, escape

MOST_ANSWERS: Final = 2_000
"""Nodes of a strategy's tree from which a solution sheet is made."""

_MORE: Final = (
    f"The sheet is made of the first {MOST_ANSWERS:,} moves and answers; the game has them all."
)

_COPIES: Final = 4  # boards of a sheet to print


@dataclass(frozen=True, slots=True)
class ClassGame:
    """A certificate with its validation, as on a page of its own."""

    problem: Problem
    report: ValidationReport


def class_page(games: Sequence[ClassGame]) -> str:
    """The page of several certificates, in their order.

    Raises ``UsageError`` for what a page cannot play (see :func:`play_page`).
    """
    values = {
        "title": f"{len(games)} games against proofs" if len(games) > 1 else "A game and its proof",
        "games": [_game(number, game) for number, game in enumerate(games, start=1)],
    }
    return page("class.html.jinja", SCRIPTS, values)


def _game(number: int, own: ClassGame) -> dict[str, object]:
    problem = own.problem
    values = play_values(problem, own.report)
    tree = tree_of(problem.on_board)
    explored = tree.explore(tree.root, MOST_ANSWERS)
    board = None if problem.game is None else problem.game.initial.board
    game, person = problem.game, problem.answering.kind.player.other
    return {
        "title": values["title"],
        "page": page(TEMPLATE, SCRIPTS, values),
        "goal": "" if game is None else goal_line(game, person),
        "board": None if board is None else _sheet_board(number, board, str(values["title"])),
        "copies": _COPIES,
        "plies": tree.plies,
        "verdict": own.report.last_line,
        "begins": _begins(tree),
        "answers": Markup(_answers(tree.root, tree, explored)),
        "more": "" if explored.exact else _MORE,
    }


def _sheet_board(number: int, board: BoardPicture, title: str) -> Markup:
    """The board of the start; the copies of one sheet have the same title and description."""
    return Markup(board_svg(board, title=title, identifier=f"sheet-{number}", standalone=False))


def _begins(tree: StrategyTree) -> str:
    """Who begins, and with which moves if it is the certificate."""
    said = tree.root.said
    return f"{tree.player} begins: {', '.join(said)}." if said else f"{tree.player.other} begins."


def _answers(node: StrategyNode, tree: StrategyTree, explored: Exploration) -> str:
    """The answers below a node as a list; moves after which all is alike are one item."""
    alike: dict[str, dict[str, None]] = {}
    for child in () if node.ended or node in explored.frontier else tree.children(node):
        move, *replies = child.said
        ending = child.state.ending
        behind = f": <b>{escape(', '.join(replies))}</b>" if replies else ""
        if ending is not None:
            won = "" if ending.winner is None else f"{ending.winner} wins: "
            behind += f". {escape(one_line(won + ending.reason))}"
        # Several moves of the text form may be one to people: a column, in which a stone falls.
        alike.setdefault(behind + _answers(child, tree, explored), {})[move] = None
    items = (f"<li>{escape(', '.join(moves))}{behind}</li>" for behind, moves in alike.items())
    return f"<ul>{''.join(items)}</ul>" if alike else ""
