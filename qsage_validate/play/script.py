"""Plays from a script: the opponent's moves one after the other.

Moves are separated by blanks, semicolons or lines; ``#`` begins a comment.  A move with ``!``
behind it is let happen even if it is illegal, one with ``!stop`` (or ``!!``) claims the goal;
``!stop!`` is both.
In the bare game a move is a block's values, and only semicolons and lines separate moves.
A transcript is a script as well: its moves are replayed and the certificate's answers compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from qsage_validate.errors import (
    AmbiguousMoveError,
    Exit,
    InputError,
    MalformedMoveError,
    UsageError,
)
from qsage_validate.play.frame import Frame, WhyNot
from qsage_validate.play.match import Match, RefusedMoveError
from qsage_validate.play.report import exit_code
from qsage_validate.play.transcript import Transcript, is_transcript


@dataclass(frozen=True, slots=True)
class ScriptMove:
    """A move of a script and where it stands, from 1."""

    text: str
    line: int
    column: int
    force: bool = False
    claim: bool = False


def run_script(
    match: Match,
    text: str,
    path: str | None = None,
    *,
    show: Callable[[Frame], None] = lambda frame: None,
) -> WhyNot | None:
    """Play the moves in ``text``; ``show`` is told each new frame, the start included.

    Returns why a move was refused: the play stops there; ``None`` when all were played, or when
    the play ended early and something was found in it: a replay has shown what it was for.
    Raises ``InputError`` with the place of a move that cannot be read or comes after the end.
    """
    if is_transcript(text):
        match.load(Transcript.parse(text, path))
        for frame in match.frames:
            show(frame)
        return None
    for frame in match.frames:
        show(frame)
    for move in script_moves(text, by_line=match.moves_by_line):
        if match.over and exit_code(match) is Exit.REFUTED:
            return None
        if match.over:
            place = (path or "--moves", move.line, move.column)
            raise InputError(*place, repr(move.text), "no more moves: the play is over")
        try:
            added = match.push(move.text, force=move.force, claim=move.claim)
        except RefusedMoveError as error:
            return error.why
        except (MalformedMoveError, AmbiguousMoveError) as error:
            found, _, expected = str(error).removeprefix("found ").partition(", expected ")
            raise InputError(
                path or "--moves", move.line, move.column, found, expected or "a move"
            ) from error
        except UsageError as error:
            raise InputError(
                path or "--moves", move.line, move.column, repr(move.text), f"no move ({error})"
            ) from error
        for frame in added:
            show(frame)
    return None


def script_moves(text: str, *, by_line: bool = False) -> Iterator[ScriptMove]:
    """The moves of a script; ``by_line`` when blanks do not separate moves."""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#", 1)[0]
        for start, end in _pieces(line, by_line):
            yield _move(line[start:end], number, start + 1)


def _pieces(line: str, by_line: bool) -> Iterator[tuple[int, int]]:
    """Where the moves of a line stand; blanks inside parentheses or before ``!`` are theirs."""
    start: int | None = None
    depth = 0
    for index, character in enumerate(f"{line};"):
        ends = character == ";"
        blank = character.isspace() and depth == 0 and not by_line
        if blank and _continues(line, index):
            blank = False
        if ends or blank:
            if start is not None and line[start:index].strip():
                yield start, index
            start = None
            depth = 0
            continue
        if start is None and not character.isspace():
            start = index
        depth += (character == "(") - (character == ")")


def _continues(line: str, index: int) -> bool:
    """Whether what follows the blanks at ``index`` belongs to the move before them."""
    rest = line[index:].lstrip()
    return rest.startswith(("(", "!"))


def _move(text: str, line: int, column: int) -> ScriptMove:
    move, mark, name = text.strip().partition("!")
    said = name.strip().lower()
    claim = said in ("stop", "!", "stop!")
    if mark and not claim and said not in ("", "illegal"):
        raise InputError(
            "--moves", line, column, repr(text.strip()), "'!', '!stop' or '!stop!' behind a move"
        )
    force = bool(mark) and said in ("", "illegal", "stop!")
    return ScriptMove(move.strip(), line, column, force=force, claim=claim)


def insistent(move: str) -> str:
    """A move of a script as one that is let happen, whatever formula and rules say of it."""
    read = _move(move, 1, 1)
    return f"{read.text}!stop!" if read.claim else f"{read.text}!"
