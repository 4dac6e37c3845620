"""The text form of plays: the opponent's moves one after the other.

Moves are separated by blanks, commas, semicolons or lines, and may be numbered as in books of
Chess (``1.a1 2.c3``); ``#`` begins a comment.  A move with ``!``
behind it is let happen even if it is illegal, one with ``!stop`` (or ``!!``) claims the goal;
``!stop!`` is both.  A move stands in quotation marks where its own name has such signs: ``"b!b"!``.
A comma between two digits belongs to a move, and a number before other digits does.
In the game of blocks a move is a block's values, and only semicolons and lines separate moves.
A transcript is a script as well: its moves are replayed and the certificate's answers compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from qsage_validate.errors import InputError

_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
# The number of a move, alone or before one; 1.2 is a move.
_NUMBER: Final = re.compile(r"[0-9]{1,9}\.+(?=[^\W\d_]|[(\"]|[\s,;#]|\Z)")
_MARK: Final = re.compile(r"\s*!(?:illegal|stop!?|!)?$")


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
    for number, line in enumerate(without_mark(text).splitlines(), start=1):
        for start, end in _pieces(line, by_line):
            yield _move(line[start:end], number, start + 1)


def without_mark(text: str) -> str:
    """The text without the byte-order mark that Windows puts before it."""
    return text.removeprefix("\ufeff")


def unnumbered(text: str) -> str:
    """A move without the number before it: ``1.a1`` is ``a1``."""
    number = _NUMBER.match(text)
    return text if number is None else text[number.end() :].lstrip()


def _pieces(line: str, by_line: bool) -> Iterator[tuple[int, int]]:
    """The places of a line's moves; blanks inside parentheses or before ``!`` belong to a move."""
    start: int | None = None
    depth = skipped_to = 0
    for index, character in enumerate(f"{line};"):
        if index < skipped_to:
            continue
        begins = start is None and not by_line
        numbered = _NUMBER.match(line, index) if begins else None
        if numbered is not None:
            skipped_to = numbered.end()
            continue
        quotation = _QUOTED.match(line, index) if begins else None
        if quotation is not None:
            start, skipped_to = index, quotation.end()
            continue
        ends = character in ";#" or (
            character == "," and depth == 0 and not (by_line or _between_digits(line, index))
        )
        blank = character.isspace() and depth == 0 and not by_line
        if blank and (_continues(line, index) or _is_begun(line, start, index)):
            blank = False
        if ends or blank:
            if start is not None and line[start:index].strip():
                yield start, index
            start = None
            depth = 0
            if character == "#":
                return
            continue
        if start is None and not character.isspace():
            start = index
        depth += (character == "(") - (character == ")")


def _between_digits(line: str, index: int) -> bool:
    return line[max(index - 1, 0) : index].isdigit() and line[index + 1 : index + 2].isdigit()


def _continues(line: str, index: int) -> bool:
    """True if what follows the blanks at ``index`` belongs to the move before them."""
    rest = line[index:].lstrip()
    return rest.startswith(("(", "!"))


def _is_begun(line: str, start: int | None, index: int) -> bool:
    """True if the move that began at ``start`` needs one word more: ``column b``."""
    return start is not None and line[start:index].lower() == "column"


def _move(text: str, line: int, column: int) -> ScriptMove:
    quotation = _QUOTED.match(text)
    if quotation is not None:
        move, rest = json.loads(quotation[0], strict=False), text[quotation.end() :]
        mark, name = rest.strip()[:1], rest.strip()[1:]
    else:
        move, mark, name = text.strip().partition("!")
    said = name.strip().lower()
    claim = said in ("stop", "!", "stop!")
    if (mark and mark != "!") or (mark and not claim and said not in ("", "illegal")):
        raise InputError(
            "--moves", line, column, repr(text.strip()), "'!', '!stop' or '!stop!' behind a move"
        )
    force = bool(mark) and said in ("", "illegal", "stop!")
    return ScriptMove(move.strip(), line, column, force=force, claim=claim)


def scripted(move: str, names: Collection[str] = ()) -> ScriptMove:
    """One move with its mark, as findings have it.

    ``names`` are those of the game's moves, as far as they are known: a name may end with a mark.
    """
    end = None if move in names else _MARK.search(move)
    if end is None:
        return ScriptMove(move, 1, 1)
    return _move(f"{_in_quotes(move[: end.start()])}{end[0]}", 1, 1)


def marked(move: str, mark: str, names: Collection[str]) -> str:
    """A move of a finding with its mark: not to be taken for another move."""
    return f"{move} {mark}" if f"{move}{mark}" in names else f"{move}{mark}"


def insistent(move: str, names: Collection[str]) -> str:
    """A move of a script as one that is let happen, whatever formula and rules say of it."""
    read = scripted(move, names)
    word, mark = read.text, "!stop!" if read.claim else "!"
    try:
        plain = [(m.text, m.claim, m.force) for m in script_moves(f"{word}{mark}")]
    except InputError:
        plain = []
    same = plain == [(word, read.claim, True)]
    return f"{word if same else _in_quotes(word)}{mark}"


def _in_quotes(move: str) -> str:
    return json.dumps(move, ensure_ascii=False)


def is_transcript(text: str) -> bool:
    """True if ``text`` looks like a transcript, in either form."""
    begin = next((line for _, line in content_lines(text)), "")
    return begin.startswith(("qsage transcript", "{"))


def content_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a transcript or script that are no comments, with their numbers from 1."""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if line and not line.startswith("#"):
            yield number, line
