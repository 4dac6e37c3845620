"""A formula and a game, from the search for a layout to the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.layout import FOUND, Layout
from qsage_validate.errors import Undecided
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.judging.encoding import judge
from qsage_validate.judging.readings.find import FoundReadings, find_layout
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Tell, nobody
from qsage_validate.validation.fit import check_fit
from qsage_validate.validation.proofs.strategy import LevelAnswer
from qsage_validate.validation.verdict import Proved, Refuted, Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer with the layout that it is about; ``None`` where no layout was found."""

    answer: LevelAnswer
    layout: Layout | None

    @property
    def verdict(self) -> Verdict:
        return self.answer.verdict


def judge_formula(
    formula: Qbf,
    game: TwoPlayerGame,
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
        return judge_found(
            formula, found, deadline=deadline, tell=tell, most_differences=most_differences
        )
    check_fit(game, layout)
    answer = judge(
        formula, layout, game, deadline=deadline, tell=tell, most_differences=most_differences
    )
    return Judged(answer, layout)


def judge_found(
    formula: Qbf,
    found: FoundReadings,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    obligations: bool = False,
    most_differences: int = 1,
) -> Judged:
    """Judge a formula by the readings that were found.

    A proof by any reading is a proof.  A difference may be the reading's fault: it refutes where
    nothing is in doubt about the first reading, and no other one is left that fits every play.
    Otherwise the formula is undecided.  With ``obligations`` as :func:`judge` has it.
    """
    if not found.stands_out:
        return _undecided(f"no reading of the variables stands out: {found.why}", found, None)
    if found.answer is not None and not obligations:
        return Judged(found.answer, found.layout)
    ask: Callable[..., LevelAnswer] = partial(
        judge,
        formula,
        game=found.game,
        deadline=deadline,
        tell=tell,
        most_differences=most_differences,
        residuals=found.residuals,
    )
    first = Judged(ask(layout=found.layout, obligations=obligations), found.layout)
    if not isinstance(first.verdict, Refuted):
        return first
    for other in found.also:
        layout = found.layout_of(other.reading)
        again = Judged(ask(layout=layout), layout)
        if isinstance(again.verdict, Proved):
            return again
        if not isinstance(again.verdict, Refuted):
            text = f"it differs with {_moves(found.layout)}, and with {_moves(layout)}: "
            return _undecided(f"{text}{again.verdict.reason}", found, layout)
    if found.doubt:
        text = f"it differs with {_moves(found.layout)}, which may not be what the formula means: "
        return _undecided(text + found.doubt, found, found.layout)
    named = tuple(
        replace(finding, detail=f"{finding.detail} (with {_moves(found.layout)})")
        for finding in first.verdict.findings
    )
    return Judged(replace(first.answer, verdict=Refuted(named)), found.layout)


def _undecided(why: str, found: FoundReadings, layout: Layout | None) -> Judged:
    return Judged(LevelAnswer(Undecided(f"{why} ({found.best_words})")), layout)


def _moves(layout: Layout) -> str:
    return layout.source.removeprefix(FOUND)
