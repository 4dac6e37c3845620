"""The kinds of what can be wrong."""

from __future__ import annotations

from enum import Enum


class FindingKind(Enum):
    """The kind of a difference or fault; the values are what ``--json`` shows."""

    BOARD_DIFFERS = "board differs"
    LEGALITY_DIFFERS = "legality differs"
    ILLEGAL_REPLY = "illegal reply"
    UNREADABLE_REPLY = "unreadable reply"
    END_DIFFERS = "end is not the promised win"
    FALSE_CLAIM = "claimed win is none"
    VERDICT_DIFFERS = "verdict differs"
    CERTIFICATE_SILENT = "certificate silent"
    LOOKS_RIGHT = "function looks right"
    CERTIFICATE_BEATEN = "certificate beaten"
    PART_LOSES = "part of a certificate loses"
    LAYOUT_DIFFERS = "layout differs"
    LEVELS_DIFFER = "levels contradict each other"
    TRACE_WRONG = "trace is no proof"
    FORMULA_DIFFERS = "winning formula differs"
    RULES_SILENT = "no rule fires"
    RULE_MISFIRES = "rule fires in a losing state"
    ASSERTION_BROKEN = "assertion broken"
    REPLY_FAILS = "reply does not win"
