"""``qsage hex-strategy``, and plays against a strategy's file."""

from typing import Final

from qsage_validate.cli.commands import DeclaredCommand
from qsage_validate.problems.searched import DeclaredStrategies

COMMANDS: Final = (
    DeclaredCommand(
        "hex-strategy",
        "Prove, compile or find a strategy of Hex by patterns.",
        f"{__package__}.command",
    ),
)
STRATEGIES: Final = (
    DeclaredStrategies("qsage_validate.extensions.hex_strategies.walk:strategy_problem"),
)
