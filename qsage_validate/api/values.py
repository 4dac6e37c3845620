"""What the library takes and gives: files in any form, parameters in words, tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeAlias, TypeVar

from qsage_validate.errors import (
    InputError,
    MissingExtraError,
    QsageError,
    UndecidedError,
    UsageError,
    one_line,
)
from qsage_validate.formats.source import sample_path
from qsage_validate.render.svg import escape
from qsage_validate.system.programs import marked_folder

# The words of the library's errors: parameters as Python writes them, not options of commands


_P = ParamSpec("_P")
_R = TypeVar("_R")

# What stands in quotes was given so.
_OPTION = re.compile(r"(?<!\w)'[^']*'|(?<![\w-])--([a-z][a-z-]*)")
_OTHER_NAMES = {"level": "levels"}


def parameter_words(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function, whose errors call its parameters ``route=`` where a command says ``--route``.

    The modules behind library and commands write options.  Options that the function has no
    parameter for stay as they are, unless the function takes any parameter (``**parameters``).
    """

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except (UsageError, UndecidedError) as error:
            _rename(error, function)
            raise

    return called


def _rename(error: QsageError, function: Callable[..., object]) -> None:
    from inspect import Parameter, signature

    known = signature(function).parameters
    takes_any = any(p.kind is Parameter.VAR_KEYWORD for p in known.values())

    def renamed(option: re.Match[str]) -> str:
        if option[1] is None:
            return option[0]
        name = option[1].replace("-", "_")
        name = _OTHER_NAMES.get(name, name)
        return f"{name}=" if takes_any or name in known else option[0]

    error.args = tuple(
        _OPTION.sub(renamed, arg) if isinstance(arg, str) else arg for arg in error.args
    )


_T = TypeVar("_T")


def of_kind(value: object, kind: type[_T], expected: str) -> _T:
    """The value; raises ``UsageError`` for one of another kind."""
    if not isinstance(value, kind):
        raise UsageError(f"found {one_line(repr(value))}, expected {expected}")
    return value


# Sources in the place of a file: a path, its bytes or text, or an open file


FileSource: TypeAlias = "str | PathLike[str] | bytes | IO[str] | IO[bytes]"


@contextmanager
def as_paths(**sources: FileSource | None) -> Iterator[Mapping[str, str | None]]:
    """The paths of ``sources`` by name; what is no path lies in a folder until the end.

    An error in between names bytes and open files as :func:`shown` does.
    """
    with marked_folder() as place:
        # Games from files are named after their folder, so this one has a name of its own.
        folder = Path(place) / "game"
        folder.mkdir()
        paths = {name: _path(source, folder / name) for name, source in sources.items()}
        try:
            yield paths
        except QsageError as error:
            for name, path in paths.items():
                if path == str(folder / name):
                    _call(error, path, shown(name, sources[name]) or "")
            raise


def _call(error: QsageError, path: str, name: str) -> None:
    """Let an error call the file at ``path`` by its ``name``."""
    if isinstance(error, InputError):
        error.file = name if error.file == path else error.file
    error.args = tuple(
        arg.replace(path, name) if isinstance(arg, str) else arg for arg in error.args
    )


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


# Tables of results for notebooks; pandas and networkx are loaded when they are asked for


def data_frame(rows: Iterable[Mapping[str, object]]) -> Any:
    """A ``pandas.DataFrame`` with a row for each of ``rows``; needs the extra ``frame``."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise MissingExtraError("to_frame()", "frame") from None
    return pandas.DataFrame.from_records(list(rows))


def directed_graph() -> Any:
    """An empty ``networkx.DiGraph``; needs the extra ``frame``."""
    try:
        networkx = import_module("networkx")
    except ImportError:
        raise MissingExtraError("to_networkx()", "frame") from None
    return networkx.DiGraph()


def html_table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A plain HTML table."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(frozen=True)
class RowTable:
    """Rows by column, as a notebook shows them."""

    rows: tuple[Mapping[str, object], ...]

    def __iter__(self) -> Iterator[Mapping[str, object]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> list[dict[str, object]]:
        """The rows, as JSON has them."""
        return [dict(row) for row in self.rows]

    def to_frame(self) -> Any:
        """The rows as a ``pandas.DataFrame`` (extra ``frame``)."""
        return data_frame(self.rows)

    def _repr_html_(self) -> str:
        columns = list(dict.fromkeys(key for row in self.rows for key in row))
        return html_table(columns, ([row.get(c, "") for c in columns] for row in self.rows))
