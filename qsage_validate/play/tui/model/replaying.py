"""Requests that bring another play onto the board: of a finding, or of the strategy's tree."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.errors import QsageError, UsageError
from qsage_validate.play.match import Match
from qsage_validate.play.tui.model.requests import Answer, Loaded, Request


def follow(moves: Sequence[str], name: str, *, ply: int | None = None) -> Request:
    """Play ``moves`` (of both players, from ply 1) from the start; look at ``ply`` then.

    Illegal moves are let happen, as they were when they were found.  When it cannot be done
    the play stays what it was.  ``name`` tells the person what was replayed.
    """

    def request(match: Match) -> Answer:
        kept = match.transcript()
        try:
            match.restart()
            _play(match, moves)
        except QsageError:
            match.load(kept)
            raise
        return Loaded(name, ply)

    return request


def _play(match: Match, moves: Sequence[str]) -> None:
    for number, text in enumerate(moves, start=1):
        frame = next((f for f in match.frames if f.ply == number), None)
        if frame is None:
            match.push(text, force=True)
        elif frame.player is match.person:
            raise UsageError(f"found {text} at ply {number}, which {match.person} has made")
        elif frame.move is not None and text not in ("?", str(frame.move)):
            # (A reply that is no move has no text of its own: nothing to compare.)
            raise UsageError(
                f"found the reply {text} at ply {number}, expected {frame.move}, which is how "
                "this certificate answers"
            )
