"""EA: explicit board, all winning sets (Shaik et al. 2023, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.positional.explicit_board import ExplicitBoard
from qsage_validate.encodings.positional.require import require_maker_breaker
from qsage_validate.games.positional.masks import members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.paths import with_winning_sets


def encode_ea(model: PositionalModel) -> Encoding:
    """The formula that is true if and only if Black, as maker, wins within the plies.

    A network's winning sets are listed first: minimal ways, or minimal cuts.  Raises
    ``UsageError`` when there are too many, for games that do not alternate, an even depth, and
    maker-maker games.
    """
    require_maker_breaker(model, "ea")
    board = ExplicitBoard(model)
    wins = with_winning_sets(board.model).black_wins
    goals = board.clauses.exists(len(wins))  # (7)
    board.clauses.add(*goals)  # (8)
    for goal, win in zip(goals, wins, strict=True):
        for v in members(win):
            board.clauses.add(-goal, board.final[v])  # (9)

    def define(builder: AigBuilder, black: Sequence[int]) -> dict[int, int]:
        return {
            goal: builder.and_all(black[v] for v in members(win))
            for goal, win in zip(goals, wins, strict=True)
        }

    return board.encoding("ea", define)
