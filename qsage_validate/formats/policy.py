"""What a program permits its readers and writers: faults that change nothing, and one folder.

Readers hand such a fault to :func:`put_up_with`.  A command says by :func:`tolerating` who hears
of it; in a library that is Python's :mod:`warnings`.

The server says it to the programs behind its tabs by the environment, from which their own
processes know it as well.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike, fspath
from typing import Final

from qsage_validate.errors import InputError

# Faults of files that change nothing of what the files mean: told, or refused when asked for


class _Tolerance:
    strict = False

    def __init__(self, hears: Callable[[str], None]) -> None:
        self.hears = hears


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=4)


_current = [_Tolerance(_warn)]


@contextlib.contextmanager
def tolerating(hears: Callable[[str], None]) -> Iterator[None]:
    """While inside, ``hears`` is told of each fault once, unless files are read strictly."""
    told: set[str] = set()

    def once(fault: str) -> None:
        # A file may be read several times.
        if fault not in told:
            told.add(fault)
            hears(fault)

    _current.append(_Tolerance(once))
    try:
        yield
    finally:
        _current.pop()


def be_strict() -> None:
    """Refuse faults from now on, until the current :func:`tolerating` ends."""
    _current[-1].strict = True


def put_up_with(fault: InputError) -> None:
    """Tell of a fault; raises it where files are read strictly."""
    current = _current[-1]
    if current.strict:
        raise fault
    current.hears(str(fault))


# The one folder in which a program opens and saves: a board in a browser, a server for agents


FOLDER_VARIABLE: Final = "QSAGE_FOLDER"
_NAMED_VARIABLE: Final = "QSAGE_NAMED"
_KEPT_VARIABLE: Final = "QSAGE_KEPT"


def confinement(folder: str, named: Iterable[str], kept: Iterable[str]) -> Mapping[str, str]:
    """The variables that confine a program to ``folder``.

    It may also read the files ``named``, and those beside them that have the same name with another
    end, and read and write in the folders ``kept``.
    """
    return {
        FOLDER_VARIABLE: os.path.realpath(folder),
        _NAMED_VARIABLE: os.pathsep.join(map(os.path.realpath, named)),
        _KEPT_VARIABLE: os.pathsep.join(map(os.path.realpath, kept)),
    }


def is_confined() -> bool:
    """True if this program is confined to a folder."""
    return bool(os.environ.get(FOLDER_VARIABLE))


def check_inside(path: str | PathLike[str], *, writing: bool = False, also: str = "") -> None:
    """Raise ``InputError`` for a file that a confined program may not open, before it is looked at.

    Links are followed.  ``also`` is one more folder that may be read.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        return
    from qsage_validate.system.programs import PREFIX

    try:
        real = os.path.realpath(fspath(path))
    except (OSError, ValueError):  # too many links, or a NUL in the path
        real = ""
    ours = os.path.join(os.path.realpath(tempfile.gettempdir()), PREFIX)
    inside = [folder, *_paths(_KEPT_VARIABLE)]
    if not writing:
        inside += [*_paths(_NAMED_VARIABLE), *([also] if also else ())]
    if any(real == each or real.startswith(each.rstrip(os.sep) + os.sep) for each in inside):
        return
    beside = (
        [] if writing else [f"{os.path.splitext(each)[0]}." for each in _paths(_NAMED_VARIABLE)]
    )
    if real.startswith((ours, *beside)):
        return
    expected = f"one in {folder}, to which this program is confined"
    raise InputError(path, None, None, "a file elsewhere", expected)


def _paths(variable: str) -> list[str]:
    return [path for path in os.environ.get(variable, "").split(os.pathsep) if path]
