"""A question about a game in GDL: can a role win within some rounds?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from qsage_validate.games.gdl.model import Description
from qsage_validate.games.gdl.paranoid import against_all


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

    @cached_property
    def two_roles(self) -> Description:
        """The description of the role's game against all the others together.

        With two roles it is the description itself.  Raises ``InputError`` for one that is not
        valid.
        """
        return against_all(self.description, self.role)
