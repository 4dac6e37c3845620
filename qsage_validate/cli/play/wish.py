"""The wish for another play: apart from the board, which other plays do not load."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qsage_validate.cli.play.board import Board


class AnotherPlay(Exception):  # noqa: N818 (a wish, not an error)
    """The person wants another play; ``behind`` is the one that waits."""

    def __init__(self, behind: Board) -> None:
        super().__init__("another play is wanted")
        self.behind = behind
