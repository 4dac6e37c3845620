"""All winning first choices of one formula: each move of ply 1, or each value of the first block.

A choice wins when the formula in which its variables have their values has the value of the player
who made it.  Every value is asked of a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.circuit.rewriting import residual
from qsage_validate.comparing.compare import moves_in
from qsage_validate.comparing.exact import ExactChoice, ExactOption
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.games.protocol import Player
from qsage_validate.system.progress import Progress, Tell, nobody

if TYPE_CHECKING:
    from qsage_validate.problems.load import Problem

MOST_VARIABLES: Final = 12
"""A first block of more variables, without moves, has too many values to be listed."""


@dataclass(frozen=True, slots=True)
class FirstMoves:
    """The first choices by name: whether each wins for ``player``, ``None`` where that is open.

    ``why`` says why some are open, else it is empty.
    """

    player: Player
    wins: Mapping[str, bool | None]
    why: str = ""

    @property
    def winning(self) -> tuple[str, ...]:
        return tuple(name for name, wins in self.wins.items() if wins)


def first_moves(
    problem: Problem, truth: bool, value: Callable[[Qbf], bool], tell: Tell = nobody
) -> FirstMoves:
    """The first choices in a formula that has the value ``truth``.

    Nothing wins for the player who has lost.  ``value`` may raise ``UndecidedError``.  Raises
    ``UsageError`` where there is no first choice, or where there are too many.
    """
    formula = problem.qbf
    choices = moves_in(problem)
    turn = _first_values(formula) if choices is None else choices.first()
    wanted = turn.player is Player.BLACK
    if truth is not wanted:
        return FirstMoves(turn.player, {option.name: False for option in turn.options})
    wins: dict[str, bool | None] = {}
    why = ""
    for number, option in enumerate(turn.options, start=1):
        tell(Progress("first moves", option.name, number, len(turn.options)))
        said = option.said[0]
        try:
            wins[option.name] = said is not None and value(residual(formula, said)) is wanted
        except UndecidedError as error:
            wins[option.name] = None
            why = why or str(error)
    return FirstMoves(turn.player, wins, why)


def _first_values(formula: Qbf) -> ExactChoice:
    """The values of the first block, named as clauses are: ``a -b``."""
    scopes = formula.merged_scopes()
    if not scopes:
        raise UsageError("found a formula without variables, expected a first block")
    variables = scopes[0].variables
    if len(variables) > MOST_VARIABLES:
        raise UsageError(
            f"found {len(variables)} variables in the first block, expected a layout with moves or "
            f"at most {MOST_VARIABLES}"
        )
    options = []
    for row in product((True, False), repeat=len(variables)):
        values = dict(zip(variables, row, strict=True))
        name = " ".join(f"{'' if x else '-'}{formula.name(v)}" for v, x in values.items())
        options.append(ExactOption(name, (values, values)))
    exists = scopes[0].quantifier is Quantifier.EXISTS
    return ExactChoice(Player.BLACK if exists else Player.WHITE, ({}, {}), options)
