"""Solution files: found by a search, proved by a walk, played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from qsage_validate.api.frames import html_table
from qsage_validate.api.games import Game
from qsage_validate.api.matches import Match
from qsage_validate.api.sources import FileSource, as_paths, shown
from qsage_validate.games.protocol import Player
from qsage_validate.solutions import check as checking
from qsage_validate.solutions import file
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.progress import Tell, nobody


@dataclass(frozen=True)
class SolutionReport:
    """The result of a walk through all plays of a solution.

    ``text`` is the verdict in a sentence, ``hypotheses`` what a proof rests on.  ``play`` has the
    moves of a play that breaks the claim; none where it is proved.  ``positions`` were met,
    ``longest`` is the number of plies of the longest play, ``seconds`` are of wall time.
    """

    proved: bool
    text: str
    hypotheses: str
    positions: int
    longest: int
    play: tuple[str, ...]
    seconds: float
    fields: Mapping[str, object] = field(repr=False)

    def to_dict(self) -> dict[str, object]:
        """The fields of ``qsage validate --solution --json``."""
        return dict(self.fields)

    def __repr__(self) -> str:
        return f"<SolutionReport {self.text}>"

    def _repr_html_(self) -> str:
        return html_table(["", ""], self.fields.items())


@dataclass(frozen=True)
class Solution:
    """The winner's reply in each position that the winner meets, of a game at a depth.

    It is a claim until :meth:`validate` has proved it.
    """

    solution: file.SolutionClaim = field(repr=False)

    @property
    def game(self) -> Game:
        """The game that is solved."""
        return Game(self.solution.model)

    @property
    def winner(self) -> Player:
        """The player whose replies these are; White's say that Black does not win in time."""
        return self.solution.winner

    @property
    def plies(self) -> int:
        """The number of plies within which Black wins or does not win."""
        return self.solution.game.plies

    @property
    def positions(self) -> int:
        """The number of positions that have a reply."""
        return self.solution.positions

    @property
    def replies(self) -> Mapping[int, Mapping[str, str]]:
        """For each ply of the winner's, from 1, the positions with the replies, as text."""
        return self.solution.replies

    def validate(self, *, timeout: float | None = None, tell: Tell = nobody) -> SolutionReport:
        """Walk through all plays, by the rules: every move of the loser against the replies.

        ``timeout`` is in seconds of wall time.  Raises ``UndecidedError`` when it is over, and
        ``InputError`` for replies that are no moves of the game.
        """
        found = checking.check(self.solution, deadline=Deadline.after(timeout), tell=tell)
        walked = found.walked
        return SolutionReport(
            found.proved,
            found.text,
            found.hypotheses if found.proved else "",
            walked.positions,
            walked.longest,
            found.play,
            found.seconds,
            found.to_dict(),
        )

    def play(self) -> Match:
        """A play against the replies, with you on the other side."""
        from qsage_validate.arena.engines.searched import SearchedEngine
        from qsage_validate.arena.lesson import make_teacher
        from qsage_validate.problems.solved import SolutionProblem, SolutionReplies

        problem = SolutionProblem(SolutionReplies(self.solution))
        engine: Any = SearchedEngine(problem)
        return Match(engine, teacher=lambda: make_teacher(problem.player, None, problem.game))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file, all of it or nothing."""
        self.solution.save(fspath(path))

    def __repr__(self) -> str:
        return f"<Solution {self.solution.claim}: {self.positions:,} replies of {self.winner}>"


def load_solution(source: FileSource) -> Solution:
    """A solution from its file: a path, bytes or an open file.

    Raises ``InputError`` for what is no solution file, or was cut or changed.
    """
    with as_paths(solution=source) as paths:
        path = paths["solution"]
        assert path is not None, "there is one"
        read = file.read_solution(path)
    name = shown("solution", source)
    return Solution(file.SolutionClaim(read.model, read.winner, read.replies, name))


def find_solution(
    game: Game, *, timeout: float | None = None, memory: int | None = None, tell: Tell = nobody
) -> Solution:
    """Search a game at its depth, and make the winner's solution.

    ``timeout`` is in seconds of wall time, ``memory`` in megabytes.  Raises ``UndecidedError``
    when a limit is reached.
    """
    from qsage_validate.solvers.search import solution

    return Solution(
        solution.find_solution(game.model, Limits(Deadline.after(timeout), memory), tell)
    )
