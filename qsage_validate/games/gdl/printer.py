"""Game descriptions as text that parses back."""

from __future__ import annotations

from typing import Final

from qsage_validate.games.gdl.model import Description, Rule

_WIDTH: Final = 100


def description_text(description: Description) -> str:
    """The description in KIF, a rule a paragraph; comments of the file are not kept."""
    return "".join(f"{rule_text(rule)}\n" for rule in description.rules)


def rule_text(rule: Rule) -> str:
    """A rule; on several lines when it is long."""
    line = str(rule)
    if len(line) <= _WIDTH:
        return line
    return "\n    ".join((f"(<= {rule.head}", *map(str, rule.body))) + ")"
