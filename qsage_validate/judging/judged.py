"""A formula and a game, from the search for a layout to the verdict."""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.errors import Undecided
from qsage_validate.games.protocol import Game
from qsage_validate.judging.encoding import judge
from qsage_validate.judging.readings.find import find_layout
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Tell, nobody
from qsage_validate.validation.fit import check_fit
from qsage_validate.validation.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with the layout that it is about; ``None`` where no layout was found."""

    verdict: Verdict
    layout: Layout | None


def judge_formula(
    formula: Qbf,
    game: Game,
    layout: Layout | None = None,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    most_differences: int = 1,
) -> Judged:
    """Judge a formula by its layout, or by the one that is found.

    Raises ``UsageError`` where the game is not the layout's, or cannot be the formula's.
    """
    if layout is None:
        found = find_layout(formula, game, deadline=deadline, tell=tell)
        if not found.stands_out:
            return Judged(Undecided(f"no layout was found: {found.why}"), None)
        layout = found.layout
    else:
        check_fit(game, layout)
    answer = judge(
        formula, layout, game, deadline=deadline, tell=tell, most_differences=most_differences
    )
    return Judged(answer.verdict, layout)
