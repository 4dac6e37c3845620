"""Games that are rules in Python, by the words of a command: a file, or a game of OpenSpiel."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from typing import Any, Final

from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.source import quoted
from qsage_validate.judging.simulated import SimulatedGame

_OPENSPIEL: Final = "openspiel:"
_FILE: Final = re.compile(r"(.+\.py)(?::([A-Za-z_]\w*))?")
_NAME: Final = "game"
"""The name that a file has its rules under, where no other one is given."""


def names_python_rules(words: Sequence[str]) -> bool:
    """True if the words of a command name a Python file or a game of OpenSpiel."""
    return bool(words) and (
        words[0].startswith(_OPENSPIEL) or _FILE.fullmatch(words[0]) is not None
    )


def python_game(words: Sequence[str]) -> SimulatedGame:
    """The game that the words name: ``rules.py``, ``rules.py:NAME`` or ``openspiel:NAME``.

    Behind it ``--depth N`` bounds the plies.  NAME is an object with the methods of
    ``Simulator``, or a class or function that makes one; it is ``game`` where none is named.  The
    file is run.  Raises ``UsageError`` for other words and other objects, ``InputError`` for a file
    that cannot be read or run.
    """
    name, *rest = words
    depth = _depth(rest)
    if name.startswith(_OPENSPIEL):
        from qsage_validate.judging.openspiel import OpenSpielSimulator

        own = name.removeprefix(_OPENSPIEL)
        return SimulatedGame(OpenSpielSimulator(own, depth), f"{own} of OpenSpiel")
    match = _FILE.fullmatch(name)
    if match is None:
        raise UsageError(f"found {quoted(name)}, expected FILE.py, FILE.py:NAME or openspiel:NAME")
    path, wanted = match[1], match[2] or _NAME
    found = getattr(_module(path), wanted, None)
    if found is None:
        raise UsageError(f"{path}: found no {quoted(wanted)}, expected rules under that name")
    is_maker = isinstance(found, type) or (callable(found) and not hasattr(found, "legal_moves"))
    rules = _made(path, wanted, found) if is_maker else found
    stem = os.path.splitext(os.path.basename(path))[0]
    game = SimulatedGame(rules, getattr(rules, "name", None) or stem)
    return (
        game
        if depth is None or depth >= game.plies
        else SimulatedGame(_Bounded(rules, depth), game.name)
    )


def _made(path: str, name: str, maker: Callable[[], Any]) -> Any:
    try:
        return maker()
    except Exception as error:  # whatever the user's rules raise is theirs
        raise UsageError(f"{path}: {name} raised {type(error).__name__}: {error}") from error


def _depth(words: Sequence[str]) -> int | None:
    if not words:
        return None
    match = re.fullmatch(r"--depth[= ]([0-9]{1,4})", " ".join(words))
    if match is None:
        raise UsageError(f"found {quoted(' '.join(words))}, expected '--depth N' behind the rules")
    return int(match[1])


class _Bounded:
    """Rules of a simulator whose plays are cut."""

    def __init__(self, rules: Any, plies: int) -> None:
        self.plies = plies
        self._rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)


def _module(path: str) -> Any:
    if not os.path.isfile(path):
        raise InputError(path, None, None, "no such file", "a Python file with rules")
    name = f"qsage_rules_{abs(hash(os.path.abspath(path)))}"
    loader = SourceFileLoader(name, path)
    module = module_from_spec(ModuleSpec(name, loader, origin=path))
    module.__file__ = path
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except SyntaxError as error:
        found = str(error.msg)
        raise InputError(path, error.lineno, error.offset, found, "a Python file") from None
    except Exception as error:  # whatever the user's file raises is its own
        found = f"{type(error).__name__}: {error}"
        raise InputError(path, None, None, found, "a file that can be run") from error
    return module
