"""The one folder in which a program opens and saves: that of a board in a browser.

The server says it to the programs behind its tabs by the environment, from which their own
processes know it as well.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Final

from qsage_validate.errors import InputError

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
    from qsage_validate.system.folders import PREFIX

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
    expected = f"one in {folder}, to which a browser is confined"
    raise InputError(path, None, None, "a file elsewhere", expected)


def _paths(variable: str) -> list[str]:
    return [path for path in os.environ.get(variable, "").split(os.pathsep) if path]
