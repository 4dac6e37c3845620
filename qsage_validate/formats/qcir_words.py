"""What readers and writer of QCIR share: names, what is no comment, which numbers are kept."""

from __future__ import annotations

import re
from typing import Final

_HEADER: Final = re.compile(r"#QCIR(?:-G?[0-9]+)?(?:\s+[0-9]+)?\s*", re.IGNORECASE)
NAME: Final = r"[^\s#(),;=-][^\s#(),;=]*"
BARE_NAME: Final = re.compile(NAME)

FREE: Final = "free"
OUTPUT: Final = "output"
GATE: Final = "gate"
"""Kinds of statements, beside the quantifiers of the prefix."""

# Identifiers that are numbers keep them up to here, or up to this times their count.
DENSE: Final = 1_000_000
SPARSITY: Final = 8


def is_comment(line: int, text: str) -> bool:
    """True if ``#text`` in ``line`` (from 1) is a comment: the header is none."""
    return line > 1 or not _HEADER.fullmatch("#" + text)


def largest_kept(identifiers: int) -> int:
    """The largest number that stays one, in a file with so many identifiers."""
    return max(DENSE, SPARSITY * identifiers)
