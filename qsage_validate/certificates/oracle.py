"""The question that a certificate answers: the values of everything under an opponent's choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol


class Oracle(Protocol):
    """Answers under total or partial choices of the opponent's variables.

    A choice maps opponent variables to values; those that are left out are fixed to false, so
    that an answer is one play and not a mixture of several.
    """

    def values(self, choice: Mapping[int, bool], wanted: Iterable[int]) -> dict[int, bool]:
        """The values of ``wanted`` (QBF variables or gates of the matrix) under ``choice``.

        Don't-cares of the certificate read as false.  Raises ``KeyError`` for a variable that
        neither formula nor certificate has.
        """
        ...
