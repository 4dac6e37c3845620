"""A formula and a game, from the search for a layout to the verdict."""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.layout import FOUND, Layout
from qsage_validate.errors import Undecided
from qsage_validate.games.protocol import Game
from qsage_validate.judging.encoding import judge
from qsage_validate.judging.readings.find import find_layout
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Tell, nobody
from qsage_validate.validation.fit import check_fit
from qsage_validate.validation.verdict import Proved, Refuted, Verdict


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

    def judged(layout: Layout) -> Judged:
        answer = judge(
            formula, layout, game, deadline=deadline, tell=tell, most_differences=most_differences
        )
        return Judged(answer.verdict, layout)

    if layout is not None:
        check_fit(game, layout)
        return judged(layout)
    found = find_layout(formula, game, deadline=deadline, tell=tell)
    if not found.stands_out:
        return Judged(Undecided(f"no layout was found: {found.why}"), None)
    first = judged(found.layout)
    if not isinstance(first.verdict, Refuted):
        return first
    # A formula is refuted when it differs under every reading that nothing spoke against.
    for other in found.also:
        again = judged(found.layout_of(other.reading))
        if isinstance(again.verdict, Proved):
            return again
        if not isinstance(again.verdict, Refuted):
            assert again.layout is not None, "a layout that was judged"
            text = f"it differs with {_moves(found.layout)}, and with {_moves(again.layout)}: "
            return Judged(Undecided(text + str(again.verdict)), again.layout)
    return first


def _moves(layout: Layout) -> str:
    return layout.source.removeprefix(FOUND)
