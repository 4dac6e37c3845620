"""``qsage hex-strategy``."""

from typing import Final

from qsage_validate.cli.commands import DeclaredCommand

COMMANDS: Final = (
    DeclaredCommand(
        "hex-strategy",
        "Prove, compile or find a strategy of Hex by patterns.",
        f"{__package__}.command",
    ),
)
