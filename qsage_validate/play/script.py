"""Plays from a script: the opponent's moves one after the other.

Moves are separated by blanks, semicolons or lines; ``#`` begins a comment.  A move with ``!``
behind it is let happen even if it is illegal, one with ``!stop`` (or ``!!``) claims the goal;
``!stop!`` is both.  A move stands in quotation marks where its own name has such signs: ``"b!b"!``.
In the game of blocks a move is a block's values, and only semicolons and lines separate moves.
A transcript is a script as well: its moves are replayed and the certificate's answers compared.
"""

from __future__ import annotations

from collections.abc import Callable

from qsage_validate.arena.frame import Frame, WhyNot
from qsage_validate.errors import (
    AmbiguousMoveError,
    Exit,
    InputError,
    MalformedMoveError,
    UsageError,
)
from qsage_validate.play.match import PlayMatch, RefusedMoveError
from qsage_validate.play.report import exit_code
from qsage_validate.problems.script_moves import is_transcript, script_moves


def run_script(
    match: PlayMatch,
    text: str,
    path: str | None = None,
    *,
    show: Callable[[Frame], None] = lambda frame: None,
) -> WhyNot | None:
    """Play the moves in ``text``; ``show`` is told each new frame, the start included.

    Returns why a move was refused: the play stops there; ``None`` when all were played, or when
    the play ended early and was not won as promised: a replay has shown what it was for, or a
    limit has ended it.
    Raises ``InputError`` with the place of a move that cannot be read or comes after the end.
    """
    if is_transcript(text):
        from qsage_validate.play.transcript import Transcript

        match.load(Transcript.parse(text, path))
        for frame in match.frames:
            show(frame)
        return None
    for frame in match.frames:
        show(frame)
    for move in script_moves(text, by_line=match.facts.moves_by_line):
        place = (path or "--moves", move.line, move.column)
        if match.over and exit_code(match) is not Exit.FINE:
            return None
        if match.over:
            raise InputError(*place, repr(move.text), "no more moves: the play is over")
        try:
            added = match.push(move.text, force=move.force, claim=move.claim)
        except RefusedMoveError as error:
            return error.why
        except (MalformedMoveError, AmbiguousMoveError) as error:
            found, _, expected = str(error).removeprefix("found ").partition(", expected ")
            raise InputError(*place, found, expected or "a move") from error
        except UsageError as error:
            raise InputError(*place, repr(move.text), f"no move ({error})") from error
        for frame in added:
            show(frame)
    return None
