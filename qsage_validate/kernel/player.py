"""The two players, and the kinds of what can be wrong with their plays."""

from __future__ import annotations

from enum import Enum

# The two players


class Player(Enum):
    """Black is the player whose win the formula states; either player may move first."""

    BLACK = "black"
    WHITE = "white"

    other: Player
    """The opponent."""

    # Players are keys everywhere, and an enum's own hash is a call of Python.
    __hash__ = object.__hash__

    def __str__(self) -> str:
        return str(self.value).capitalize()


Player.BLACK.other, Player.WHITE.other = Player.WHITE, Player.BLACK


# The kinds of what can be wrong


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
