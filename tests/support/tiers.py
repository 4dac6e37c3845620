"""The tests that the quick gate leaves out: ``tests/full.txt`` names them, each with its cost.

A line has the seconds of processor time and a name: a file, a test of it with all its parameters,
or a test with parameters of it.  In place of the seconds may stand ``quick``: such a test stays
among the quick ones, whatever it costs.

    python -m tests.support.tiers COSTS

writes the list anew from what ``tests.support.costs`` wrote to COSTS.  A test of the core's own
folders is left out from 1.5 s on, another one from 0.25 s on.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

LIST: Final = Path(__file__).resolve().parent.parent / "full.txt"
HEADING: Final = (
    "# Left out by the quick gate, see tests/support/tiers.py: processor seconds and name."
)
QUICK: Final = "quick"
CORE: Final = tuple(
    f"tests/unit/{part}/"
    for part in (
        *("kernel", "circuit", "formats", "certificates"),
        *("encodings", "judging", "validation", "games"),
    )
)
"""Whose tests notice most faults for their time; those of ``play`` start the board."""
MOST: Final = 0.25
MOST_IN_CORE: Final = 1.5


def listed(path: Path = LIST) -> dict[str, str]:
    """The names in the list, with what stands before them: seconds, or ``quick``."""
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            before, name = line.split(maxsplit=1)
            if name in found:
                raise ValueError(f"{path}:{number}: found {name} a second time, expected it once")
            found[name] = before
    return found


def full_tests(path: Path = LIST) -> dict[str, float]:
    """The names of what is left out, with their seconds."""
    return {name: float(before) for name, before in listed(path).items() if before != QUICK}


def names_of(test: str) -> tuple[str, str, str]:
    """The names by which the list may name a test: its file, its function and itself."""
    return test.partition("::")[0], test.partition("[")[0], test


def dear(costs: Mapping[str, float], kept: Collection[str]) -> Iterator[tuple[str, float]]:
    """What the quick tests leave out, with its seconds.

    A file, or a function, is one name where all of its tests are left out.
    """
    left_out = {
        test
        for test, seconds in costs.items()
        if seconds >= (MOST_IN_CORE if test.startswith(CORE) else MOST)
        and not any(name in kept for name in names_of(test))
    }
    within: dict[str, list[str]] = defaultdict(list)
    for test in costs:
        for name in dict.fromkeys(names_of(test)):
            within[name].append(test)
    told: set[str] = set()
    for test in sorted(left_out):
        name = next(name for name in names_of(test) if left_out.issuperset(within[name]))
        if name not in told:
            told.add(name)
            yield name, sum(costs[one] for one in within[name])


def main(costs: str) -> None:
    """Write the list anew."""
    measured: dict[str, float] = {}
    for line in Path(costs).read_text(encoding="utf-8").splitlines():
        name, *seconds = json.loads(line)
        measured[name] = sum(seconds)
    kept = [name for name, before in listed().items() if before == QUICK]
    lines = [HEADING, *(f"{QUICK:>6} {name}" for name in kept)]
    lines += [f"{seconds:6.1f} {name}" for name, seconds in dear(measured, kept)]
    LIST.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
