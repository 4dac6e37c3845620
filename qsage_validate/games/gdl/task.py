"""A question about a game in GDL: can a role win within some rounds?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import ClassVar

from qsage_validate.games.gdl.model import Description
from qsage_validate.games.gdl.paranoid import against_all


@dataclass(frozen=True)
class GdlModel:
    """A description with the question that is asked of it.

    ``rounds`` is the bound, ``role`` who is Black (``None``: the first role), ``win`` the
    smallest goal that counts as a win (Definition 5 of He, Saffidine and Thielscher 2024).
    """

    language: ClassVar[str] = "gdl"

    description: Description
    rounds: int
    role: str | None = None
    win: int = 100

    @property
    def name(self) -> str:
        """The game's name, for people."""
        return self.description.name

    @property
    def depth(self) -> int:
        """The number of rounds."""
        return self.rounds

    @property
    def plies(self) -> int:
        """Two a round, Black's part and White's."""
        return 2 * self.rounds

    def at_depth(self, depth: int) -> GdlModel:
        """The same question about so many rounds."""
        return replace(self, rounds=depth)

    def parts(self) -> dict[str, str]:
        """The name, the question and the description."""
        parts = {"name": self.name, "rounds": str(self.rounds), "win": str(self.win)}
        parts |= {} if self.role is None else {"role": self.role}
        return parts | {"gdl": self.description.text().rstrip("\n")}

    def fingerprint(self) -> str:
        """Of the description, the role and the goal that wins."""
        text = f"{self.description.text()}{self.role} {self.win}"
        return sha256(text.encode()).hexdigest()

    @cached_property
    def two_roles(self) -> Description:
        """The description of the role's game against all the others together.

        With two roles it is the description itself.  Raises ``InputError`` for one that is not
        valid.
        """
        return against_all(self.description, self.role)
