"""Sources in the place of a file: a path, its bytes or text, or an open file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, TypeAlias

from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.source import sample_path
from qsage_validate.system.folders import marked_folder

FileSource: TypeAlias = "str | PathLike[str] | bytes | IO[str] | IO[bytes]"


@contextmanager
def as_paths(**sources: FileSource | None) -> Iterator[Mapping[str, str | None]]:
    """The paths of ``sources`` by name; what is no path lies in a folder until the end.

    An ``InputError`` in between names bytes and open files as :func:`shown` does.
    """
    with marked_folder() as place:
        # Games from files are named after their folder, so this one has a name of its own.
        folder = Path(place) / "game"
        folder.mkdir()
        paths = {name: _path(source, folder / name) for name, source in sources.items()}
        try:
            yield paths
        except InputError as error:
            hidden = [n for n, p in paths.items() if p == error.file and p != sources[n]]
            if not hidden or error.file is None or Path(error.file).parent != folder:
                raise
            raise InputError(
                shown(hidden[0], sources[hidden[0]]),
                error.line,
                error.column,
                error.found,
                error.expected,
                excerpt=error.excerpt,
            ) from None


def shown(name: str, source: FileSource | None) -> str | None:
    """The name of a source in messages: its path, the name of an open file, or ``<name>``."""
    if source is None:
        return None
    if isinstance(source, str | PathLike):
        return fspath(source)
    of_stream = getattr(source, "name", None)
    return of_stream if isinstance(of_stream, str) else f"<{name}>"


def _path(source: FileSource | None, place: Path) -> str | None:
    if source is None or isinstance(source, str | PathLike):
        return None if source is None else sample_path(fspath(source))
    content: Any = source if isinstance(source, bytes) else _read(source)
    place.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(place)


def _read(source: object) -> Any:
    read = getattr(source, "read", None)
    content = read() if callable(read) else None
    if not isinstance(content, str | bytes):
        raise UsageError(
            f"found {type(source).__name__} for a file, expected a path, bytes or an open file"
        )
    return content
