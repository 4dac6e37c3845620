"""Impartial games: language, rules, winning formulas and strategies, and plays against these."""

from typing import Final

from qsage_validate.registry import DeclaredCommand

DECLARES: Final = {
    "commands": "qsage_validate.extensions.impartial:COMMANDS",
    "families": "qsage_validate.extensions.impartial.declared:FAMILIES",
}
COMMANDS: Final = (
    DeclaredCommand(
        "synthesize",
        "Find the winning formula of an impartial game.",
        f"{__name__}.cli",
    ),
)
