"""A server of the Model Context Protocol: for agents and services."""

from typing import Final

DECLARES: Final = {"commands": "qsage_validate.extensions.mcp.cli:COMMANDS"}
