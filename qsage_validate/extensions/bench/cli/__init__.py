"""``qsage bench``."""

from typing import Final

from qsage_validate.cli.commands import DeclaredCommand

COMMANDS: Final = (
    DeclaredCommand(
        "bench",
        "Run experiments, and make tables and plots of their results.",
        f"{__package__}.command",
    ),
)
