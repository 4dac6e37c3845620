"""``qsage mcp``."""

from typing import Final

from qsage_validate.cli.commands import DeclaredCommand

COMMANDS: Final = (
    DeclaredCommand(
        "mcp", "Serve agents: encode, solve, certify, validate, play.", f"{__package__}.command"
    ),
)
