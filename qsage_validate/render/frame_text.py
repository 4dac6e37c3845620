"""Steps of a play as text."""

from __future__ import annotations

from qsage_validate.arena.frame import MatchOutcome


def outcome_line(outcome: MatchOutcome) -> str:
    """The outcome, and whether it is what the certificate promised."""
    if outcome.promised is None:
        return f"{outcome.text}; whether this is the promised win is not known"
    return f"{outcome.text}; {'as promised' if outcome.promised else 'NOT as promised'}"
