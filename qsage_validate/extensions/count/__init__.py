"""Counting: first moves that win, outermost assignments that win, and winning strategies."""

from typing import Final

DECLARES: Final = {"commands": "qsage_validate.extensions.count.cli:COMMANDS"}
