"""A server of the Model Context Protocol: for agents and services."""

from typing import Final

from qsage_validate.registry import DeclaredCommand

DECLARES: Final = {"commands": "qsage_validate.extensions.mcp:COMMANDS"}
COMMANDS: Final = (
    DeclaredCommand(
        "mcp", "Serve agents: encode, solve, certify, validate, play.", f"{__name__}.cli"
    ),
)
