"""Strategies of Hex as and/or trees of local patterns: read, proved, played, found."""

from typing import Final

DECLARES: Final = {
    "commands": "qsage_validate.extensions.hex_strategies.cli:COMMANDS",
    "strategies": "qsage_validate.extensions.hex_strategies.declared:STRATEGIES",
}
