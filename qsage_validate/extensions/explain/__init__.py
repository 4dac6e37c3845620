"""Strategies as programs: decision trees over the board, found as small as they can be, proved."""

from typing import Final

from qsage_validate.registry import PublicName

DECLARES: Final = {
    "commands": "qsage_validate.extensions.explain.cli:COMMANDS",
    "explanations": "qsage_validate.extensions.explain.declared:EXPLANATIONS",
    "names": "qsage_validate.extensions.explain:NAMES",
}
NAMES: Final = tuple(
    PublicName(name, "qsage_validate.extensions.explain.certificate")
    for name in ("Explanation", "RefutedStrategyError", "explain")
)
