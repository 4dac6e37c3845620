"""The experiment ``table2``: the games of the paper's Table 2, from the project's own templates.

What the papers' Tables 2 and 3 have is in data files.  Each cell is an instance at the depth that
is printed.  With the solver ``search`` there is another one, the same game as deep as plays go,
for the critical depth itself; QBF solvers show that a depth is critical by refuting the one below
(``--set below=yes``).  Hex of Table 3 is not among them: its puzzles are files of their authors',
and are added when their folder, ``hex``, is given.

HQSpre's columns of Table 3 are asked about the files that the authors published after HQSpre
(``--set hqspre=FOLDER``): then HQSpre's own time is not known, and the limit is the solver's alone.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from importlib import resources
from typing import Final

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench import solving
from qsage_validate.extensions.bench.campaign import latest
from qsage_validate.extensions.bench.experiment import (
    NO_PREPROCESSOR,
    Experiment,
    Instance,
    ResultTable,
    Run,
    RunRecord,
    RunResult,
    Selection,
)
from qsage_validate.extensions.bench.plots import (
    configuration_names,
    counts,
    limits_text,
    seconds_text,
)
from qsage_validate.extensions.bench.solving import content_sum, files_in, models_in
from qsage_validate.formats.source import quoted

# The contents of the paper's Tables 2 and 3, from the data files beside this module


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


PAPERS_LIMIT: Final = 3600
"""Seconds that the BDDL paper gave preprocessor and solver together."""


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


# The experiment ``table2``: the games of the paper's Table 2, from the project's own templates


NAME: Final = "table2"


def _instances(below: bool) -> Iterable[Instance]:
    for cell in table2():
        words = (*cell.words, "--depth", str(cell.depth))
        yield Instance(cell.family, at_depth(cell), words)
        if below and (lower := _depth_below(cell)) is not None:
            words = (*cell.words, "--depth", str(lower))
            yield Instance(cell.family, _below(cell), words)
        deepest = () if cell.deepest is None else ("--depth", str(cell.deepest))
        yield Instance(
            cell.family,
            complete(cell),
            (*cell.words, *deepest),
            fits=lambda config: config.solver == solving.SEARCH,
        )


def _further(selection: Selection) -> Iterable[Instance]:
    """The problems of folders, in the families of Table 3 where these have the folders' names."""
    families = {family.name.lower(): family.name for family in table3()}
    for instance in models_in(selection.inputs, selection.note):
        yield replace(instance, family=families.get(instance.family.lower(), instance.family))


def _depth_below(cell: Cell) -> int | None:
    """The last depth before the printed one whose answer can differ from it."""
    from qsage_validate.games.registry import resolve_command
    from qsage_validate.solvers.deepening import GridDepths

    model = resolve_command(cell.words)
    lower = list(GridDepths(model).relevant(1, cell.printed - 1))
    return model.at_plies(lower[-1]).depth if lower else None


def _below(cell: Cell) -> str:
    return f"{cell.name} below depth {cell.depth}"


def at_depth(cell: Cell) -> str:
    """The name of the instance at the printed depth."""
    return f"{cell.name} depth {cell.depth}"


def complete(cell: Cell) -> str:
    """The name of the instance that is followed as deep as plays go."""
    return f"{cell.name} complete"


def _runs(selection: Selection) -> list[Run]:
    below = selection.options.get("below", "no")
    if below not in ("yes", "no"):
        raise UsageError(f"found {below!r} for the option below, expected yes or no")
    if (folder := selection.options.get("hqspre")) is not None:
        return _after_hqspre(folder, selection)
    return solving.make_runs(
        selection, NAME, [*_instances(below == "yes"), *_further(selection)], games=True
    )


# --- The authors' formulas after HQSpre -----------------------------------------------------

HQSPRE: Final = "hqspre"
_HQSPRE_FILE: Final = re.compile(r"(.+)_bwnib\.qdimacs\.hqspre")
# Names of the authors' folders that are not those of Table 3 in small letters.
_FOLDERS: Final = {"bsp": "B-SP", "c4": "C-c"}


def _after_hqspre(folder: str, selection: Selection) -> list[Run]:
    """Runs on the formulas of a folder; the seconds of HQSpre itself are not known."""
    found = list(_preprocessed(folder))
    if not found:
        raise UsageError(
            f"found no file *_bwnib.qdimacs.hqspre in {quoted(folder)}, expected the authors' "
            "formulas after HQSpre"
        )
    plain = replace(selection, preprocessors=(NO_PREPROCESSOR,))
    runs = solving.make_runs(plain, NAME, found, games=False)
    return [replace(run, encoding=solving.LIFTED, preprocessor=HQSPRE) for run in runs]


def _preprocessed(folder: str) -> Iterator[Instance]:
    families = {family.name.lower(): family.name for family in table3()} | _FOLDERS
    cells = {(cell.family, *_parameters(cell)): cell for cell in table2()}
    for path in files_in([folder]):
        name = _HQSPRE_FILE.fullmatch(os.path.basename(path))
        family = families.get(os.path.basename(os.path.dirname(os.path.abspath(path))).lower())
        if name is None or family is None:
            continue
        if family == "Hex":
            title = f"hex/{name[1]}.pg"
        else:
            cell = cells.get((family, *name[1].split("_")))
            if cell is None:
                raise UsageError(f"found {path}, expected a game of Table 2")
            title = at_depth(cell)
        source = (solving.FORMULA, os.path.abspath(path))
        yield Instance(family, title, source, (("sum", content_sum(path)),))


def _parameters(cell: Cell) -> tuple[str, ...]:
    """What the authors' files are called by: size, plies, and the words for what else there is."""
    given = dict(zip(cell.words[1::2], cell.words[2::2], strict=False))
    size, further = given["--size"], []
    if "--shape" in given:
        further = [given["--shape"]]
    elif "--connect" in given:
        further = [f"connect{given['--connect']}"]
    elif "--pursuer" in given:
        # The evader is in the first row's last column of a square board.
        pursuer = given["--pursuer"].replace(",", "-")
        further = [f"e-{size.partition('x')[0]}-1", f"p-{pursuer}"]
    return (size, str(cell.printed), *further)


def execute(run: Run) -> RunResult:
    """One run; a formula that HQSpre has gone over is given to the solver as it is."""
    if run.source[0] == solving.FORMULA:
        return solving.execute(replace(run, preprocessor=NO_PREPROCESSOR))
    return solving.execute(run)


# --- Table 2 --------------------------------------------------------------------------------


def depth_table(records: Sequence[RunRecord]) -> ResultTable:
    """Table 2: the printed value, the critical depth that search finds, and all answers."""
    by_question = {(r.run.instance, r.run.configuration): r for r in latest(records)}
    searched = [config for config in configuration_names(records) if config != solving.SEARCH]
    rows = []
    for cell in table2():
        deep = by_question.get((complete(cell), solving.SEARCH))
        shallow = by_question.get((at_depth(cell), solving.SEARCH))
        others = [
            (by_question.get((at_depth(cell), config)), by_question.get((_below(cell), config)))
            for config in searched
        ]
        if deep is None and shallow is None and not any(map(any, others)):
            continue
        rows.append(
            (
                cell.part,
                " ".join(filter(None, (cell.family, cell.row, cell.column))),
                _printed(cell),
                found(cell, deep),
                _answer(shallow),
                verdict(cell, deep, shallow),
                *(_answers(*pair) for pair in others),
            )
        )
    notes = (
        "printed: **critical depth**, none at all, *largest depth refuted*; with ? where the "
        "text does not say which",
        "found: the critical depth by search, in plies; 'none' when every play was followed to "
        "its end, '> d' when depth d is refuted and nothing is known beyond",
        "each other column: truth of the formula at the printed depth, and seconds; behind 'below' "
        "the same of the depth below, where it was asked about",
    )
    columns = ("part", "instance", "printed", "found", "search", "agrees", *searched)
    return ResultTable("Table 2: critical depths", columns, tuple(rows), notes, left=2)


def _printed(cell: Cell) -> str:
    text = str(cell.printed)
    marks = {
        TableReading.CRITICAL: f"**{text}**",
        TableReading.REFUTED: f"*{text}*",
        TableReading.NONE: text,
    }
    return marks.get(cell.reading, f"{text} ?")


def found(cell: Cell, deep: RunRecord | None) -> str:
    """The critical depth of a cell's game as search finds it, in words."""
    if deep is None:
        return ""
    data = deep.result.data
    if deep.result.truth is True:
        return str(data["critical_plies"])
    if deep.result.truth is False and (cell.deepest is None or data["never"]):
        return "none"
    plies = data.get("refuted_plies")
    return f"> {plies}" if plies else ""


def _answer(record: RunRecord | None) -> str:
    if record is None:
        return ""
    result = record.result
    return f"{result.status} {seconds_text(result.seconds)}" if result.decided else result.status


def _answers(at_depth: RunRecord | None, below: RunRecord | None) -> str:
    parts = [_answer(at_depth)] if at_depth is not None else []
    if below is not None:
        parts.append(f"below {_answer(below)}")
    return ", ".join(parts)


def verdict(cell: Cell, deep: RunRecord | None, shallow: RunRecord | None) -> str:
    """The comparison of the search's results with the printed value, in words.

    The answer is ``yes``, or ``no (…)`` with the contradiction, or the meaning that the value must
    have where the text does not say it; it is empty as long as nothing is known.
    """
    truth = None if shallow is None else shallow.result.truth
    critical = None if deep is None else deep.result.data.get("critical_plies")
    none = deep is not None and found(cell, deep) == "none"
    to_the_end = none and deep is not None and cell.printed >= deep.result.data["plies"]
    if critical is not None and critical < cell.printed:
        return f"no (a win at {critical})"
    if critical == cell.printed or (critical is None and truth is True):
        meaning = TableReading.CRITICAL
    elif to_the_end:
        meaning = TableReading.NONE
    elif truth is False or critical is not None or none:
        meaning = TableReading.REFUTED
    else:
        return ""
    possible = {
        TableReading.SOLVED: (TableReading.CRITICAL, TableReading.NONE),
        TableReading.OPEN: tuple(TableReading),
    }.get(cell.reading, (cell.reading,))
    if meaning not in possible:
        return f"no ({meaning.value})"
    return "yes" if meaning is cell.reading else f"yes: {meaning.value}"


# --- Table 3 --------------------------------------------------------------------------------


def solved_table(records: Sequence[RunRecord]) -> ResultTable:
    """Table 3: the number of instances that each configuration solves, the paper's beside ours."""
    others = {name(cell) for cell in table2() for name in (_below, complete)}
    own = [r for r in records if r.run.instance not in others]
    configs = configuration_names(own)
    solved = counts(own)
    runs_made = Counter((r.run.family, r.run.configuration) for r in latest(own))
    families = table3()
    published = list(families[0].solved)

    def cell(family: FamilyCounts, config: str) -> str:
        place = family.name, config
        if place not in solved:
            return ""
        part = runs_made[place] < family.instances
        return f"{solved[place]} of {runs_made[place]} run" if part else str(solved[place])

    rows = [
        (
            family.name,
            str(family.instances),
            *(str(family.solved[config]) for config in published),
            *(cell(family, config) for config in configs),
        )
        for family in families
    ]
    ours = []
    for config in configs:
        count, made = (
            sum(n for (_, way), n in numbers.items() if way == config)
            for numbers in (solved, runs_made)
        )
        whole = made >= sum(family.instances for family in families)
        ours.append(str(count) if whole else f"{count} of {made} run")
    theirs = [sum(f.solved[config] for f in families) for config in published]
    rows.append(("total", str(sum(f.instances for f in families)), *map(str, theirs), *ours))
    rows.append(_coverage(solved, configs, published))
    limits = (limits_text(r for r in latest(own) if r.run.configuration == c) for c in configs)
    rows.append(("limit s", "", *(f"{PAPERS_LIMIT:,}" for _ in published), *limits))
    notes = (
        "left: as published, 1 hour and 8 GB on a Xeon Gold 6248R; right: ours, within the limits "
        "of these results",
        "average coverage: the share of a domain's instances that is solved, averaged over domains"
        " (ours: over those with results)",
    )
    columns = ("domain", "instances", *(f"paper: {config}" for config in published), *configs)
    return ResultTable("Table 3: instances solved", columns, tuple(rows), notes)


def _coverage(
    solved: dict[tuple[str, str], int], configs: Sequence[str], published: Sequence[str]
) -> tuple[str, ...]:
    families = table3()

    def average(counts: Iterable[tuple[FamilyCounts, int | None]]) -> str:
        shares = [n / family.instances for family, n in counts if n is not None]
        return f"{sum(shares) / len(shares):.2f}" if shares else ""

    theirs = (average((f, f.solved[config]) for f in families) for config in published)
    ours = (average((f, solved.get((f.name, config))) for f in families) for config in configs)
    return ("average coverage", "", *theirs, *ours)


EXPERIMENT: Final = Experiment(
    name=NAME,
    runs=_runs,
    execute=execute,
    options={
        "below": "yes: also the depths below the printed ones",
        "hqspre": "FOLDER: only the authors' formulas after HQSpre, for Table 3",
    },
    inputs="folders with further BDDL problems (hex, for Table 3)",
    tables={"depths": depth_table, "solved": solved_table, **solving.tables()},
)
