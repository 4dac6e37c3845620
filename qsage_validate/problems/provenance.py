"""The inputs of a validation: files by their content, programs by their versions."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from math import inf

from qsage_validate import __version__
from qsage_validate.formats.source import open_input
from qsage_validate.problems.files import Files

_BLOCK = 1 << 20
_PROGRAMS = ("python-sat", "numpy")


@dataclass(frozen=True, slots=True)
class FileFact:
    """A file: its name as it was given, its size in bytes, its SHA-256 in hexadecimal digits."""

    path: str
    size: int
    sha256: str

    def to_dict(self) -> dict[str, object]:
        """The fields but the name."""
        return {"bytes": self.size, "sha256": self.sha256}


def file_facts(files: Files, trace: str | None = None) -> tuple[FileFact, ...]:
    """The files that a problem was read from; streams and names of library games are left out."""
    named = (files.formula, files.certificate, files.meta, *files.game, trace)
    return tuple(file_fact(p) for p in dict.fromkeys(named) if p and os.path.isfile(p))


def file_fact(path: str) -> FileFact:
    """Read a file in blocks and sum it up; raises ``InputError``."""
    digest, size = hashlib.sha256(), 0
    with open_input(path, pipes=False, most=inf) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return FileFact(path, size, digest.hexdigest())


def facts_from_json(data: object) -> tuple[FileFact, ...]:
    """The files among a report's facts: ``{name: {"bytes": …, "sha256": …}}``.

    Other entries are left out.
    """
    if not isinstance(data, Mapping):
        return ()
    return tuple(_facts(data.items()))


def _facts(items: Iterable[tuple[object, object]]) -> Iterable[FileFact]:
    for path, value in items:
        if not isinstance(path, str) or not isinstance(value, Mapping):
            continue
        size, digest = value.get("bytes"), value.get("sha256")
        if isinstance(size, int) and isinstance(digest, str):
            yield FileFact(path, size, digest)


def versions() -> dict[str, str]:
    """The versions of what a verdict rests on."""
    found = {"qsage-validate": __version__, "Python": platform.python_version()}
    for name in _PROGRAMS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "unknown"
    return found
