"""Where strategies' files are played, for ``qsage play --strategy``; nothing else is loaded."""

from typing import Final

from qsage_validate.problems.searched import DeclaredStrategies

STRATEGIES: Final = (
    DeclaredStrategies("qsage_validate.extensions.hex_strategies.walk:strategy_problem"),
)
