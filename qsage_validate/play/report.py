"""Plays by a script, told in plain text.

Moves are separated by blanks, semicolons or lines; ``#`` begins a comment.  A move with ``!``
behind it is let happen even if it is illegal, one with ``!stop`` (or ``!!``) claims the goal;
``!stop!`` is both.  A move stands in quotation marks where its own name has such signs: ``"b!b"!``.
In the game of blocks a move is a block's values, and only semicolons and lines separate moves.
A transcript is a script as well: its moves are replayed and the certificate's answers compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from qsage_validate.arena.frame import Frame, WhyNot
from qsage_validate.errors import (
    AmbiguousMoveError,
    Exit,
    InputError,
    MalformedMoveError,
    UsageError,
)
from qsage_validate.play.match import PlayMatch, RefusedMoveError
from qsage_validate.problems.script_moves import is_transcript, script_moves, without_mark
from qsage_validate.render.board_text import board_lines

if TYPE_CHECKING:
    from qsage_validate.arena.lesson import Lesson


# Plays as text


BOARD_BY_RULES = "(the rules' board: the formula does not describe it)"


def exit_code(match: PlayMatch) -> Exit:
    """The exit code that tells the result of a play for the certificate.

    0: the play ended with the promised win and nothing was found; 1: something was found, or
    the win did not come; 3: the play is not over, or nothing tells who won.
    """
    outcome = match.outcome
    if match.findings or (outcome is not None and outcome.promised is False):
        return Exit.REFUTED
    if outcome is None or outcome.promised is None:
        return Exit.UNDECIDED
    return Exit.FINE


def frame_lines(match: PlayMatch, frame: Frame) -> Iterator[str]:
    """A step in plain text: who moved, the board, findings, the outcome."""
    yield frame_title(match, frame)
    if frame.player is None:
        yield from (f"  {line}" for line in match.facts.first_lines)
    if frame.board is not None:
        yield board_lines(frame.board)
    if frame.board_by_rules:
        yield BOARD_BY_RULES
    if frame.state:
        yield frame.state
    if frame.illegal is not None:
        yield f"let happen: {frame.illegal}"
    yield from frame.remarks
    yield from (f"FINDING {finding.text}" for finding in frame.findings)
    if frame.outcome is not None:
        yield frame.outcome.line


def lesson_lines(lesson: Lesson) -> Iterator[str]:
    """A lesson in plain text: its sentences, and the moves by how long they last."""
    yield from lesson.lines
    if lesson.grades.distances:
        yield lesson.grades.text


def headline(match: PlayMatch) -> str:
    """The game, who answers, and the person's side: the first line of a play."""
    return f"{match.facts.title}. You are {match.person}"


def frame_title(match: PlayMatch, frame: Frame) -> str:
    """``ply 2, White: c3``: the move as people say it."""
    if frame.player is None:
        return headline(match)
    claim = " and claims the goal" if frame.stopped else ""
    return f"ply {frame.ply}, {frame.player}: {frame.said}{claim}"


# Plays from a script: the opponent's moves one after the other


def too_few_moves(match: PlayMatch) -> str:
    """The line about moves that end before the play does."""
    return f"the moves end before the play does: {match.mover} is to move"


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
    text = without_mark(text)
    if is_transcript(text):
        from qsage_validate.play.transcript import Transcript, play_transcript

        play_transcript(match, Transcript.parse(text, path))
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
