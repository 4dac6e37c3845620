"""The tests that the quick gate leaves out: ``tests/full.txt`` names them, each with its cost.

A line has the seconds of processor time and a name: a file, a test of it with all its parameters,
or a test with parameters of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

LIST: Final = Path(__file__).resolve().parent.parent / "full.txt"


def full_tests(path: Path = LIST) -> dict[str, float]:
    """The names in the list, with their seconds."""
    found: dict[str, float] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            seconds, name = line.split(maxsplit=1)
            if name in found:
                raise ValueError(f"{path}:{number}: found {name} a second time, expected it once")
            found[name] = float(seconds)
    return found


def names_of(test: str) -> tuple[str, str, str]:
    """The names by which the list may name a test: its file, its function and itself."""
    return test.partition("::")[0], test.partition("[")[0], test
