"""The contents of the paper's Tables 2 and 3, from the data files beside this module."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import resources


class TableReading(Enum):
    """The meaning of a value of Table 2, as far as the text says (see ``data/table2.csv``)."""

    CRITICAL = "critical"
    NONE = "none"
    REFUTED = "refuted"
    SOLVED = "solved"
    OPEN = "?"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of Table 2: a game, and the depth that is printed for it.

    ``words`` make the model but for its depth; ``printed`` counts plies, ``depth`` is the number
    behind ``#depth``.  ``deepest`` is where a search for the critical depth ends (``None``: at the
    depth at which every play has ended).
    """

    part: str
    family: str
    row: str
    column: str
    words: tuple[str, ...]
    printed: int
    depth: int
    reading: TableReading
    deepest: int | None

    @property
    def name(self) -> str:
        """The game and its parameters, in the words of the command line without dashes."""
        return " ".join(word.removeprefix("--") for word in self.words)


@dataclass(frozen=True, slots=True)
class FamilyCounts:
    """A row of Table 3: the numbers of instances, in all and solved by each configuration."""

    name: str
    instances: int
    solved: dict[str, int]


@cache
def table2() -> tuple[Cell, ...]:
    """The cells of Table 2, part by part."""
    return tuple(
        Cell(
            row["part"],
            row["family"],
            row["row"],
            row["column"],
            tuple(row["words"].split()),
            int(row["printed"]),
            int(row["depth"]),
            TableReading(row["reading"]),
            int(row["deepest"]) if row["deepest"] else None,
        )
        for row in rows_of("table2.csv")
    )


@cache
def table3() -> tuple[FamilyCounts, ...]:
    families = []
    for row in rows_of("table3.csv"):
        name, instances = row.pop("family"), int(row.pop("instances"))
        families.append(
            FamilyCounts(name, instances, {config: int(n) for config, n in row.items()})
        )
    return tuple(families)


def rows_of(name: str) -> Iterator[dict[str, str]]:
    """The rows of a file of ``bench/data`` by the names of its columns; ``#`` begins remarks."""
    text = (resources.files("qsage_validate.extensions.bench") / "data" / name).read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    yield from csv.DictReader(lines, delimiter=";")
