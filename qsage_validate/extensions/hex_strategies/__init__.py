"""Strategies of Hex as and/or trees of local patterns: read, proved, played, found."""

from typing import Final

from qsage_validate.registry import DeclaredCommand

DECLARES: Final = {
    "commands": "qsage_validate.extensions.hex_strategies:COMMANDS",
    "strategies": "qsage_validate.extensions.hex_strategies.walk:STRATEGIES",
}
COMMANDS: Final = (
    DeclaredCommand(
        "hex-strategy",
        "Prove, compile or find a strategy of Hex by patterns.",
        f"{__name__}.cli",
    ),
)
