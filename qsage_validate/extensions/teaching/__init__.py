"""Lessons from a play: distances, threats, reasons, alternatives, drills."""

from typing import Final

DECLARES: Final = {"teachers": "qsage_validate.extensions.teaching.drill:TEACHERS"}
