"""Moves of impartial games: an action with numbers for its parameters."""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.games.impartial.rules import Move


@dataclass(frozen=True, slots=True)
class HeapMove:
    """A ground action; ``str`` is ``take(2)``."""

    action: str
    arguments: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.action}({','.join(map(str, self.arguments))})"

    @classmethod
    def of(cls, move: Move) -> HeapMove:
        """The move of the rules, without the state after it."""
        return cls(move.name, move.arguments)
