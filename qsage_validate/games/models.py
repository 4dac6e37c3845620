"""What all models of games have, in whatever language they are written."""

from __future__ import annotations

from typing import ClassVar, Protocol


class GameModel(Protocol):
    """What a game is loaded from and a formula is made of.

    A model is text that has been read: it knows nothing of the rules that play it, which the
    language makes (``games/languages.py``).
    """

    language: ClassVar[str]
    """What it is written in, as layouts call it."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def depth(self) -> int:
        """The number that ``--depth`` gives: BDDL's ``#depth``, plies, or rounds in GDL."""
        ...

    @property
    def plies(self) -> int:
        """How many plies a play has at most, as formulas have them."""
        ...

    def at_depth(self, depth: int) -> GameModel:
        """The same game with another depth."""
        ...

    def parts(self) -> dict[str, str]:
        """The text by part, as layouts carry it; no text ends with a line break."""
        ...

    def fingerprint(self) -> str:
        """Equal for two models exactly when they are the same game, whatever their depths."""
        ...
