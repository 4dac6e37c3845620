"""``qsage explain``."""

from typing import Final

from qsage_validate.cli.commands import DeclaredCommand

COMMANDS: Final = (
    DeclaredCommand(
        "explain",
        "Show a strategy as a small program that people can play by.",
        f"{__package__}.command",
    ),
)
