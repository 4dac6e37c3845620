"""Plays of a game without a formula: a search answers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.solvers.search.solution import SearchReplies, SearchReply
from qsage_validate.system.progress import Task


class GameReplies(Protocol):
    """Whatever answers in the positions of a play on the rules."""

    task: Task

    def reply(self, position: Position) -> SearchReply:
        """The reply in a position; raises ``UndecidedError`` where there is none."""
        ...


class RulesProblem(Protocol):
    """A game without a formula, one side of which is answered."""

    answers: ClassVar[str]
    """What answers, in words."""
    hints: ClassVar[bool]
    """True if there are replies for the person's side too."""

    @property
    def game(self) -> TwoPlayerGame: ...

    @property
    def player(self) -> Player: ...

    @property
    def promised(self) -> bool: ...

    @property
    def title(self) -> str: ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    @property
    def replies(self) -> GameReplies: ...

    def replay(self, moves: Sequence[str]) -> str: ...


@dataclass(frozen=True)
class SearchedProblem:
    """A game whose side ``player`` a search plays; ``words`` mean it on a command line.

    ``promised`` says that the search has found that its side wins.
    """

    answers: ClassVar[str] = "search"
    hints: ClassVar[bool] = True

    words: tuple[str, ...]
    replies: SearchReplies
    player: Player
    promised: bool

    @property
    def game(self) -> TwoPlayerGame:
        return self.replies.game

    @property
    def title(self) -> str:
        """The name of the game, and the side that the search plays."""
        return f"{self.game.name}: the search plays {self.player}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts worth telling at the start of a play."""
        game, top = self.game, self.game.initial.board.top
        black_wins = self.promised is (self.player is Player.BLACK)
        said = "wins" if black_wins else "does not win"
        who = f"Black {said} within {game.length}: the search plays {self.player}"
        if not self.promised:
            who = f"the search plays {self.player}, whoever wins"
        sides = f"{top} connects top and bottom, {top.other} left and right" if top else ""
        return tuple(filter(None, (f"{who}, and nothing is proved", sides)))

    def replay(self, moves: Sequence[str]) -> str:
        """The command that replays a play with these moves of the person's."""
        between = "; " if any(" " in move for move in moves) else " "
        side = () if self.promised else ("--side", self.player.value)
        return shlex.join(["qsage-play", *self.words, *side, "--moves", between.join(moves)])
