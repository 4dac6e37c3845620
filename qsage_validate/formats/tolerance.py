"""Faults of files that change nothing of what the files mean: told, or refused when asked for.

Readers hand such a fault to :func:`put_up_with`.  A command says by :func:`tolerating` who hears
of it; in a library that is Python's :mod:`warnings`.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator

from qsage_validate.errors import InputError


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
