"""Strategies as programs: decision trees over the board, found as small as they can be, proved."""

from typing import Final

from qsage_validate.registry import DeclaredCommand, PublicName

DECLARES: Final = {
    "commands": "qsage_validate.extensions.explain:COMMANDS",
    "explanations": "qsage_validate.extensions.explain.certificate:EXPLANATIONS",
    "names": "qsage_validate.extensions.explain:NAMES",
}
NAMES: Final = tuple(
    PublicName(name, "qsage_validate.extensions.explain.certificate")
    for name in ("Explanation", "RefutedStrategyError", "explain")
)
COMMANDS: Final = (
    DeclaredCommand(
        "explain",
        "Show a strategy as a small program that people can play by.",
        f"{__name__}.cli",
    ),
)
