"""``qsage count``."""

from typing import Final

from qsage_validate.cli.commands import DeclaredCommand

COMMANDS: Final = (
    DeclaredCommand(
        "count", "Count winning first moves, assignments, strategies.", f"{__package__}.command"
    ),
)
