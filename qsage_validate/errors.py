"""The exceptions that reach a user, the exit codes, and outcomes of questions.

Everything that can go wrong because of an input, an option or the machine is a
:class:`QsageError`; its text is one line that says what was found and what was expected.
Any other exception is a bug of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from os import PathLike, fspath
from typing import TYPE_CHECKING, ClassVar, Final


class Exit(IntEnum):
    """The exit codes of every command (the one table of them)."""

    FINE = 0
    REFUTED = 1
    BAD_INPUT = 2
    UNDECIDED = 3
    TRUE = 10
    FALSE = 20
    INTERNAL = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class Conclusion:
    """The result of a question: a word for it, the reason, and the exit code that says so."""

    __slots__ = ()
    word: ClassVar[str]
    exit_code: ClassVar[Exit]

    if TYPE_CHECKING:  # at run time a dataclass would take the property as its field's default

        @property
        def reason(self) -> str:
            """The rest of the sentence that begins with the word: a field or a property."""

    def __str__(self) -> str:
        return f"{self.word}: {self.reason}"


class Proof(Conclusion):
    """A claim holds."""

    __slots__ = ()
    word = "proved"
    exit_code = Exit.FINE


class Refutation(Conclusion):
    """A claim fails."""

    __slots__ = ()
    word = "refuted"
    exit_code = Exit.REFUTED


@dataclass(frozen=True, slots=True)
class Undecided(Conclusion):
    """Nothing was proved and nothing refuted; ``why`` says what stood in the way."""

    word = "undecided"
    exit_code = Exit.UNDECIDED

    why: str

    @property
    def reason(self) -> str:
        return self.why


class QsageError(Exception):
    """A failure that the user can understand and mend; its text is a single line."""

    exit_code: Exit = Exit.BAD_INPUT


# What is found instead of a file, or where it is.
_OF_FILES: Final = (
    "no such",
    "a directory",
    "a pipe",
    "a device",
    "an error: ",
    "a file elsewhere",
)


class InputError(QsageError):
    """Something unexpected in a file: ``file:line:column: found X, expected Y``.

    ``line`` and ``column`` count from 1; ``None`` where the place is not known (binary files
    give the byte offset in ``found``).  ``excerpt`` is the offending line, for the caret that
    is drawn under the message on a terminal.  Where not ``quotes`` (for all of a program) nothing
    is said of what a file has: it may be any file.
    """

    quotes = True

    def __init__(
        self,
        file: str | PathLike[str] | None,
        line: int | None,
        column: int | None,
        found: str,
        expected: str,
        *,
        excerpt: str | None = None,
    ) -> None:
        self.file = None if file is None else fspath(file)
        self.line = line
        self.column = column
        self.found = found
        self.expected = expected
        self.excerpt = excerpt if self.quotes else None
        super().__init__(str(self))

    def __str__(self) -> str:
        place = [self.file if self.file is not None else "<input>"]
        if self.line is not None:
            place.append(str(self.line))
            if self.column is not None:
                place.append(str(self.column))
        found = self.found
        if not self.quotes and not (self.line is None and found.startswith(_OF_FILES)):
            found = "something else"
        return one_line(f"{':'.join(place)}: found {found}, expected {self.expected}")


class UsageError(QsageError):
    """Options or names that do not fit together, or a name that is not known."""


class MissingExtraError(QsageError):
    """A feature needs an optional package; the text names the line that installs it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra {extra!r}: {install_line(extra)}")


class UndecidedError(QsageError):
    """A limit (time, memory, positions) was reached before there was an answer."""

    exit_code = Exit.UNDECIDED


class CancelledError(QsageError):
    """Work that its caller cancelled; nothing of it is kept."""

    exit_code = Exit.UNDECIDED


class IllegalMoveError(QsageError):
    """A well-formed move that the rules do not allow here; quotes the move and the reason."""


class MalformedMoveError(QsageError):
    """Text that is no move of this game."""


class AmbiguousMoveError(QsageError):
    """Text that fits several moves."""


def install_line(extra: str) -> str:
    """The command that adds ``extra`` to the copy of this package that is running.

    A checkout is installed from its folder, by ``dev.py`` where that has made the environment; a
    wheel from the file or the address that it came from, while that is there; a copy without
    such a record gets the packages of the extra.
    """
    checkout = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not os.path.exists(os.path.join(checkout, "dev.py")):
        return f"pip install {_of_this_copy(extra, checkout)}"
    here = os.path.realpath(checkout) == os.path.realpath(os.curdir)
    if os.path.realpath(sys.prefix) == os.path.realpath(os.path.join(checkout, ".venv")):
        return f"python3 {'' if here else checkout + os.sep}dev.py install {extra}"
    return f"pip install -e '{'.' if here else checkout}[{extra}]'"


def _of_this_copy(extra: str, folder: str) -> str:
    """What pip installs to add ``extra`` to the package in ``folder``."""
    import json
    import re
    from importlib.metadata import distributions
    from urllib.parse import unquote, urlsplit

    found = next(iter(distributions(name="qsage-validate", path=[folder])), None)
    if found is None:
        return f"'qsage-validate[{extra}]'"
    source = found.read_text("direct_url.json")
    if source is not None:
        address = json.loads(source)
        parts = urlsplit(address["url"])
        vcs = address.get("vcs_info", {}).get("vcs")
        if parts.scheme != "file":
            prefix = "" if vcs is None else f"{vcs}+"
            return f"'qsage-validate[{extra}] @ {prefix}{address['url']}'"
        if os.path.exists(path := unquote(parts.path)):
            return f"'{path}[{extra}]'"
    elif (found.read_text("INSTALLER") or "").strip():
        return f"'qsage-validate[{extra}]'"  # it came from an index
    wanted = re.compile(rf"extra == ['\"]{re.escape(extra)}['\"]")
    lines = (line.partition(";") for line in found.requires or ())
    needed = [name.strip() for name, _, condition in lines if wanted.search(condition)]
    return " ".join(f"'{name}'" for name in needed) or f"'qsage-validate[{extra}]'"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The addition to a message about the unknown ``name``: `` (did you mean 'hex'?)``.

    Empty where none of the ``known`` names is like it; upper and lower case do not matter.
    """
    from difflib import get_close_matches

    plain = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), plain, n=1)
    return f" (did you mean {plain[near[0]]!r}?)" if near else ""


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``1 scope``, ``2 plies``."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'.replace('plys', 'plies')}"


def visible(text: str) -> str:
    r"""``text`` from outside, fit to be shown: what does not print is written as Python does, \x1b.

    That is what could command a terminal (control characters), turn the direction of writing or
    hide, and what no encoding takes (halves of characters).  Line feeds stay.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def one_line(text: str, limit: int = 400) -> str:
    """``text`` as :func:`visible` shows it, in one line and shortened."""
    shown = visible(text).replace("\n", "\\n")
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
