"""A play that waits on its board, and the wish for another one; no interface is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qsage_validate.cli.play.table import PlayTable
    from qsage_validate.play.match import PlayMatch
    from qsage_validate.play.state import Store


@dataclass
class BoardSession:
    """A play on a board, which can be left and taken up again.

    ``path`` is the file in which it was kept when it was left, ``saved`` the one to which the
    person has saved it since; ``unsaved`` says that it is in none.
    """

    table: PlayTable
    match: PlayMatch
    store: Store
    theme: str | None
    seed: int | None
    force: bool
    path: str | None = None
    saved: str | None = None
    unsaved: bool = False


class AnotherPlay(Exception):  # noqa: N818 (a wish, not an error)
    """The person wants another play; ``behind`` is the one that waits."""

    def __init__(self, behind: BoardSession) -> None:
        super().__init__("another play is wanted")
        self.behind = behind
