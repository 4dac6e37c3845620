"""The reply of a solution in one position."""

from __future__ import annotations

from typing import Any

from qsage_validate.errors import InputError
from qsage_validate.games.protocol import Move, Position
from qsage_validate.solutions.check import rules_for
from qsage_validate.solutions.file import SolutionClaim
from qsage_validate.solutions.plain import fault_of


class Lookup:
    """The replies of a solution by position; nothing of them is proved."""

    def __init__(self, solution: SolutionClaim) -> None:
        self.solution = solution
        self._rules: Any = rules_for(solution.game)
        self._table = self._rules.table(solution)

    def reply(self, position: Position) -> Move:
        """The winner's reply; raises ``InputError`` where there is none that is legal."""
        layer = self._rules.layer(position)
        answers = self._table(position.ply, layer)
        move: Move | None = self._rules.reply(answers, 0, self.solution.winner)
        fault = fault_of(position, 0, move)
        if move is None or (fault is not None and fault.move is None):
            reason = "" if fault is None else fault.reason
            raise InputError(self.solution.path, None, None, reason, "a legal reply")
        return move
