"""A play on the board: prepared while something is on the screen, then played."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qsage_validate.cli.common import narrate
from qsage_validate.errors import Exit

if TYPE_CHECKING:
    from qsage_validate.cli.play.table import Table
    from qsage_validate.play.match import Match


def on_board(
    make: Callable[[], Table], what: str, *, theme: str, seed: int | None, let_happen: bool
) -> Exit:
    """Let a person play on the board of the table that ``make`` makes of ``what``."""
    # All of Textual that is needed is there before a second thread loads modules.
    from qsage_validate.play.tui.base import check_terminal
    from qsage_validate.play.tui.loading import opened
    from qsage_validate.system.stages import Background

    check_terminal(theme)

    def prepared() -> tuple[Table, Match]:
        from qsage_validate.play.match import Match

        table = make()
        return table, Match(table.engine, table.task, teacher=table.teacher)

    work = Background(prepared)
    table, match = opened(work, what, theme)
    for note in work.task.notes:
        narrate(note)
    from qsage_validate.play.tui.app import run

    return run(
        match,
        theme=theme,
        seed=seed,
        let_happen=let_happen,
        replay=table.replay,
        services=None if table.services is None else table.services(),
    )
