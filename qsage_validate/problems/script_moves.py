"""The text form of plays: the opponent's moves one after the other.

Moves are separated by blanks, semicolons or lines; ``#`` begins a comment.  A move with ``!``
behind it is let happen even if it is illegal, one with ``!stop`` (or ``!!``) claims the goal;
``!stop!`` is both.
In the game of blocks a move is a block's values, and only semicolons and lines separate moves.
A transcript is a script as well: its moves are replayed and the certificate's answers compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qsage_validate.errors import InputError


@dataclass(frozen=True, slots=True)
class ScriptMove:
    """A move of a script and where it stands, from 1."""

    text: str
    line: int
    column: int
    force: bool = False
    claim: bool = False


def script_moves(text: str, *, by_line: bool = False) -> Iterator[ScriptMove]:
    """The moves of a script; ``by_line`` when blanks do not separate moves."""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#", 1)[0]
        for start, end in _pieces(line, by_line):
            yield _move(line[start:end], number, start + 1)


def _pieces(line: str, by_line: bool) -> Iterator[tuple[int, int]]:
    """The places of a line's moves; blanks inside parentheses or before ``!`` belong to a move."""
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
    """True if what follows the blanks at ``index`` belongs to the move before them."""
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


def scripted(move: str) -> ScriptMove:
    """One move with its mark, as findings have it."""
    return _move(move, 1, 1)


def insistent(move: str) -> str:
    """A move of a script as one that is let happen, whatever formula and rules say of it."""
    read = scripted(move)
    return f"{read.text}!stop!" if read.claim else f"{read.text}!"
