"""Further solvers, from a config file.

An INI file, because every Python can read it; one section for each solver::

    [caqe-4.1]
    kind = caqe
    program = /opt/caqe/bin/caqe
    arguments = --miniscoping=0

``kind`` says how the program is called and read (a name of the registry, or ``generic``: the
file's name alone, exit code 10 or 20 and a printed verdict); ``formats`` (``qdimacs``,
``qcir`` or both) is needed for a generic one and narrows or widens what another kind reads.
A program's path is relative to the file.  A section named like a solver of the registry takes
its place.  The file is the one that ``QSAGE_SOLVERS``
names, else ``qsage/solvers.ini`` in ``XDG_CONFIG_HOME`` (``~/.config``), if there is one.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from qsage_validate.errors import InputError
from qsage_validate.formats.source import Source, quoted

GENERIC: Final = "generic"
_MOST_BYTES: Final = 1 << 20
_KEYS: Final = ("kind", "program", "arguments", "formats")
_FORMATS: Final = frozenset({"qdimacs", "qcir"})
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


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
    try:
        folder = Path(base) if base else Path.home() / ".config"
    except RuntimeError:
        return None  # an account without a home
    usual = folder / "qsage" / "solvers.ini"
    return usual if usual.is_file() else None


def configured(kinds: frozenset[str]) -> tuple[Configured, ...]:
    """The solvers of the config file; raises :class:`InputError`."""
    path = config_path()
    if path is None:
        return ()
    source = Source.plain(path, most=_MOST_BYTES)
    return parse_config(source.text, str(path), kinds)


def parse_config(text: str, path: str, kinds: frozenset[str]) -> tuple[Configured, ...]:
    """The solvers that ``text`` describes; raises :class:`InputError` with the line."""
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string(text, path)
    except configparser.MissingSectionHeaderError as error:
        raise InputError(
            path, error.lineno, 1, quoted(error.line.strip()), "a section [NAME]"
        ) from None
    except configparser.DuplicateSectionError as error:
        found = f"the section {quoted(error.section)} again"
        raise InputError(path, error.lineno, 1, found, "each solver once") from None
    except configparser.DuplicateOptionError as error:
        found = f"{quoted(error.option)} again"
        raise InputError(path, error.lineno, 1, found, "each key once") from None
    except configparser.ParsingError as error:
        line = error.errors[0][0]
        shown = text.splitlines()[line - 1].strip()
        raise InputError(path, line, 1, quoted(shown), "KEY = VALUE") from None
    places = _Places(text, path)
    return tuple(_solver(parser[name], places, kinds) for name in parser.sections())


class _Places:
    """The places of sections and keys in the file, for messages."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self._line: dict[tuple[str, str], int] = {}
        section = ""
        for number, line in enumerate(text.splitlines(), start=1):
            if header := re.match(r"\s*\[(.*)\]", line):
                section = header.group(1)
                self._line[section, ""] = number
            elif key := re.match(r"\s*([^#;=:\s][^=:]*?)\s*[=:]", line):
                self._line[section, key.group(1).lower()] = number

    def error(self, section: str, key: str, found: str, expected: str) -> InputError:
        line = self._line.get((section, key), self._line.get((section, "")))
        return InputError(self.path, line, 1, found, expected)


def _solver(
    section: configparser.SectionProxy, places: _Places, kinds: frozenset[str]
) -> Configured:
    name = section.name
    if not _NAME.fullmatch(name):
        raise places.error(name, "", quoted(name), "a name of letters, digits, '.', '_' and '-'")
    for key in section:
        if key not in _KEYS:
            raise places.error(name, key, f"the key {quoted(key)}", f"one of {', '.join(_KEYS)}")
    for key in ("kind", "program"):
        if not section.get(key, "").strip():
            raise places.error(name, "", f"the solver {quoted(name)} without {key}", f"{key} = ...")
    kind = section["kind"].strip().lower()
    if kind not in kinds:
        choices = ", ".join(sorted(kinds))
        raise places.error(name, "kind", f"the kind {quoted(kind)}", f"one of {choices}")
    formats = frozenset(section.get("formats", "").lower().replace(",", " ").split())
    if not formats <= _FORMATS or (kind == GENERIC and not formats):
        found = quoted(section.get("formats", ""))
        raise places.error(name, "formats", f"the formats {found}", "qdimacs, qcir or both")
    try:
        arguments = tuple(shlex.split(section.get("arguments", "")))
    except ValueError as error:
        found = f"{quoted(section['arguments'])} ({error})"
        raise places.error(name, "arguments", found, "words") from None
    try:
        named = Path(section["program"].strip()).expanduser()
    except RuntimeError:
        found = f"{quoted(section['program'])}, the home of nobody"
        raise places.error(name, "program", found, "the path of a program") from None
    # Relative to the file that names it, not to wherever one happens to be.
    program = Path(places.path).absolute().parent / named
    return Configured(name.lower(), kind, program, arguments, formats)
