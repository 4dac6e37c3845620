"""Further solvers, from a config file.

An INI file, because every Python can read it; one section for each solver::

    [caqe-4.1]
    kind = caqe
    program = /opt/caqe/bin/caqe
    arguments = --miniscoping=0

``kind`` says how the program is called and read (a name of the registry, or ``generic``: the
file's name alone, exit code 10 or 20 and a printed verdict); ``formats`` (``qdimacs``,
``qcir`` or both) is needed for a generic one.  The file is the one that ``QSAGE_SOLVERS``
names, else ``qsage/solvers.ini`` in ``XDG_CONFIG_HOME`` (``~/.config``), if there is one.
"""

from __future__ import annotations

import configparser
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_KEYS: Final = ("kind", "program", "arguments", "formats")


@dataclass(frozen=True)
class Configured:
    """One section of the file."""

    name: str
    kind: str
    program: Path
    arguments: tuple[str, ...]
    formats: frozenset[str]


def config_path() -> Path | None:
    """The config file, ``None`` where none is named and none is in its usual place."""
    named = os.environ.get("QSAGE_SOLVERS")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CONFIG_HOME")
    folder = Path(base) if base else Path.home() / ".config"
    usual = folder / "qsage" / "solvers.ini"
    return usual if usual.is_file() else None


def configured(kinds: frozenset[str]) -> tuple[Configured, ...]:
    """The solvers of the config file; raises :class:`InputError`."""
    path = config_path()
    if path is None:
        return ()
    return parse_config(path.read_text(encoding="utf-8"), str(path), kinds)


def parse_config(text: str, path: str, kinds: frozenset[str]) -> tuple[Configured, ...]:
    """The solvers that ``text`` describes; raises :class:`InputError` with the line."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text, path)
    return tuple(
        Configured(
            name,
            parser[name]["kind"],
            Path(parser[name]["program"]).expanduser(),
            tuple(shlex.split(parser[name].get("arguments", ""))),
            frozenset(parser[name].get("formats", "").lower().split()),
        )
        for name in parser.sections()
    )
