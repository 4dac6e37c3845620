"""Counting: first moves that win, outermost assignments that win, and winning strategies."""

from typing import Final

from qsage_validate.registry import DeclaredCommand

DECLARES: Final = {"commands": "qsage_validate.extensions.count:COMMANDS"}
COMMANDS: Final = (
    DeclaredCommand(
        "count", "Count winning first moves, assignments, strategies.", f"{__name__}.cli"
    ),
)
