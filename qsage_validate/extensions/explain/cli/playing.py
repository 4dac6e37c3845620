"""``qsage play --explain``: plays against the certificate of a program that is found first."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from qsage_validate.api.formulas import Formula
from qsage_validate.arena.program import Programmed
from qsage_validate.cli.common import SearchLine, narrate
from qsage_validate.cli.formula import game_formula
from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.explain.explain import ExplainOptions
from qsage_validate.extensions.explain.explanation import Followed, counted_nodes
from qsage_validate.extensions.explain.library import check_winning, explained
from qsage_validate.system.limits import NEVER
from qsage_validate.system.task import watching

if TYPE_CHECKING:
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.games.protocol import Player
    from qsage_validate.problems.files import Files


def game(
    model: GameModel, words: tuple[str, ...], encoding: str | None, *, by_name: bool, files: Files
) -> Programmed:
    """The program by which a game's winner wins, found and proved now.

    ``files`` say how it is played.  Raises ``UsageError`` and ``UndecidedError`` as ``qsage
    explain`` does.
    """
    formula = game_formula(model, words, encoding, by_name=by_name, files=files)
    return _explained(formula, None, any_encoding=encoding is None)


def formula(files: Files) -> Programmed:
    """The program for the winner of a formula's game, whose certificate is proved first.

    Raises ``RefutedStrategyError`` where that does not win, and as :func:`game`.
    """
    from qsage_validate.problems.files import sorted_out
    from qsage_validate.problems.load import load

    problem = load(replace(sorted_out(files), explained=True))
    return _explained(Formula(problem), check_winning(problem))


def _explained(formula: Formula, hero: Player | None, *, any_encoding: bool = False) -> Programmed:
    task = watching()
    deadline = NEVER if task is None else task.deadline(None)
    usual = ExplainOptions()
    options = replace(usual, limits=replace(usual.limits, deadline=deadline))
    with SearchLine(sys.stderr) as line:
        found = explained(formula, options, hero, line.tell, any_encoding=any_encoding)
    if not found.proved:
        raise UndecidedError(found.report.summary)
    narrate(f"a program of {counted_nodes(found.nodes)} for {found.player} was found and proved")
    return Programmed(found.problem, Followed(found.whole))
