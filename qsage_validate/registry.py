"""The door of extensions: declarations of other packages, by kind.

What comes in kinds (games, languages, encodings, solvers, commands) is declared beside its code,
in a sequence of its room.  A package adds its own by an entry point of the group :data:`GROUP`,
and this package's ``extensions/`` do the same; it names a mapping from kinds to places::

    [project.entry-points."qsage_validate.extensions"]
    nim = "my_package:DECLARES"

    DECLARES = {"games": "my_package.games:GAMES", "encodings": "my_package.encoders:ENCODINGS"}

A place is loaded when its kind is asked for.  An extension that cannot be loaded, or declares
something of another type, is one line of warning, and nothing else of it counts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final, TypeVar

GROUP: Final = "qsage_validate.extensions"
KINDS: Final = (
    *("languages", "formats", "games", "families", "encodings", "solvers", "engines"),
    *("teachers", "explanations", "strategies", "boards", "axioms", "commands", "names"),
)
"""The kinds of declarations; a mapping with another one is warned of."""


@dataclass(frozen=True, slots=True)
class PublicName:
    """A name of the library, ``qsage_validate.NAME``, and the module that defines it."""

    name: str
    module: str


@dataclass(frozen=True, slots=True)
class DeclaredCommand:
    """A command: its name, a line of help, and the module that has it as ``command``."""

    name: str
    help: str
    module: str


_T = TypeVar("_T")
_METADATA: Final = (".dist-info", ".egg-info")


def declared(kind: str, of: type[_T]) -> tuple[_T, ...]:
    """What all extensions declare of a kind, in the order of their names."""
    assert kind in KINDS, kind
    found: list[_T] = []
    for name, places in _extensions().items():
        if kind not in places:
            continue
        try:
            own = tuple(load(places[kind]))
            for one in own:
                if not isinstance(one, of):
                    raise TypeError(f"found {one!r} among its {kind}, expected {of.__name__}")
        except Exception as error:  # noqa: BLE001 (anything may go wrong in another's package)
            _warn(name, error)
            continue
        found += own
    return tuple(found)


def declares(kind: str) -> bool:
    """True if an extension declares something of a kind, which is not loaded."""
    return any(kind in places for places in _extensions().values())


@lru_cache(maxsize=1)
def _extensions() -> Mapping[str, Mapping[str, str]]:
    """The places of each extension by kind; those that cannot be loaded are left out."""
    found: dict[str, Mapping[str, str]] = {}
    first: dict[str, str] = {}
    for name, place in _entry_points():  # of two with one name, the one that Python would import
        first.setdefault(name, place)
    for name, place in sorted(first.items()):
        try:
            places = dict(load(place))
            unknown = next((kind for kind in places if kind not in KINDS), None)
            if unknown is not None:
                raise ValueError(f"found the kind {unknown!r}, expected one of {', '.join(KINDS)}")
        except Exception as error:  # noqa: BLE001 (anything may go wrong in another's package)
            _warn(name, error)
            continue
        found[name] = places
    return found


def _entry_points() -> Iterator[tuple[str, str]]:
    """The names and places in the group, of all packages on ``sys.path``.

    ``importlib.metadata`` finds the same, and its import alone takes a tenth of a command's start.
    """
    for folder in dict.fromkeys(sys.path):
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in sorted(name for name in names if name.endswith(_METADATA)):
            path = os.path.join(folder, name, "entry_points.txt")
            try:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
            except (OSError, UnicodeDecodeError):
                continue
            if GROUP in text:
                yield from _of_group(text)


def _of_group(text: str) -> Iterator[tuple[str, str]]:
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = line == f"[{GROUP}]"
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, place = line.partition("=")
            yield name.strip(), place.partition("[")[0].strip()


def load(place: str) -> Any:
    """The attribute of a module that ``place`` names: ``"package.module:attribute"``."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


@cache
def _warned(line: str) -> None:
    # Once: a command asks for several kinds.
    sys.stderr.write(f"{line}\n")


def _warn(name: str, error: Exception) -> None:
    """Warn once of an extension that is left out."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    _warned(f"qsage: warning: the extension {name} is left out: {text}")
