"""The parts that the subcommands share: output, narration, protection of inputs."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TextIO

from qsage_validate.cli.streams import say
from qsage_validate.errors import UsageError, visible
from qsage_validate.system.limits import Progress, stage, watching

SCHEMA: Final = 1


def emit(text: str) -> None:
    """Write ``text`` and a newline to standard output: data, for people or programs."""
    print(visible(text), flush=False)


def emit_json(value: Mapping[str, object]) -> None:
    """Write an object to standard output as one line of JSON, as docs/reference/json.md has it."""
    text = json.dumps({"schema": SCHEMA, **value}, ensure_ascii=False)
    print(text if text.isprintable() else "".join(map(_in_json, text)))


def _in_json(character: str) -> str:
    # JSON may have characters in its texts that a terminal takes for commands.
    return character if character.isprintable() else json.dumps(character)[1:-1]


def narrate(text: str) -> None:
    """Tell a person on standard error, unless it is closed or full, what is going on.

    Messages of a watched thread are printed when its work is done: its screen is in use.
    """
    task = watching()
    if task is not None:
        task.notes.append(text)
        return
    # Earlier output stands before it, in a file as well.
    sys.stdout.flush()
    say(sys.stderr, f"{visible(text)}\n")


def narrate_file(output: str, text: str) -> None:
    """Tell what has been written to ``output``, which may be ``-``."""
    narrate(f"{'<stdout>' if output == '-' else output}: {text}")


def protect_inputs(outputs: Iterable[str | None], others: Iterable[object]) -> None:
    """Raise ``UsageError`` when an output would overwrite an input or another output.

    ``outputs`` are the values of the options that name what is written, ``others`` those of all
    other options and arguments: whatever in them names a file or folder is an input, but ``-``.
    """
    taken = {_identity(word): word for word in _words(others) if os.path.exists(word)}
    taken.pop(_identity("-"), None)
    for path in filter(None, outputs):
        other = taken.get(_identity(path))
        if other is not None:
            raise UsageError(f"writing {path} would overwrite {other}: choose another file")
        taken[_identity(path)] = path


def _words(values: Iterable[object]) -> Iterator[str]:
    """The texts among values and in lists of them, and the words of texts ('httt --depth 5')."""
    for value in values:
        match value:
            case str() if os.path.exists(value):
                yield value
            case str():
                with contextlib.suppress(ValueError):
                    yield from shlex.split(value)
            case list() | tuple():
                yield from _words(value)


def _identity(path: str | None) -> object:
    """Equal for two paths exactly when they lead to the same file, existing or not."""
    name = os.fspath(path or "")
    try:
        status = os.stat(name)
    except OSError:
        return os.path.realpath(name)
    return status.st_dev, status.st_ino


_STAGES = {
    "search": "searching",
    "plan": "planning",
    "compile": "compiling",
    "check": "proving the certificate",
    "minimise": "making the certificate smaller",
}


class SearchLine:
    """Overwrites one line of ``stream`` while it lasts; silent where there is no terminal."""

    def __init__(self, stream: TextIO | None) -> None:
        self._task = watching()  # who watches shows it: the screen is in use
        shown = stream is not None and stream.isatty() and self._task is None
        self._stream = stream if shown else None

    def __enter__(self) -> SearchLine:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Make room for other lines."""
        self._show("")

    def tell(self, progress: Progress) -> None:
        """Tell how far the work is."""
        text = str(progress)
        self._show(_STAGES.get(text, text))
        if self._task is not None:
            stage(_STAGES.get(text, text))

    def _show(self, text: str) -> None:
        if self._stream is not None:
            say(self._stream, f"\r\x1b[K{visible(text)}")
