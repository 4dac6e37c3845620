"""A question about a game in GDL: can a role win within some rounds?"""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.games.gdl.model import Description


@dataclass(frozen=True)
class GdlModel:
    """A description with the question that is asked of it.

    ``rounds`` is the bound, ``role`` who is Black (``None``: the first role), ``win`` the
    smallest goal that counts as a win (Definition 5 of He, Saffidine and Thielscher 2024).
    """

    description: Description
    rounds: int
    role: str | None = None
    win: int = 100

    @property
    def name(self) -> str:
        """The game's name, for people."""
        return self.description.name
