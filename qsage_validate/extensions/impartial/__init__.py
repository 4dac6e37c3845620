"""Impartial games: language, rules, winning formulas and strategies, and plays against these."""

from typing import Final

DECLARES: Final = {
    "commands": "qsage_validate.extensions.impartial.cli:COMMANDS",
    "families": "qsage_validate.extensions.impartial.declared:FAMILIES",
}
