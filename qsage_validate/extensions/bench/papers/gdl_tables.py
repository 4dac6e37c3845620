"""Tables of the experiment ``gdl``, beside Tables 2 and 3 of He, Saffidine, Thielscher 2024."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from qsage_validate.extensions.bench.campaign import latest
from qsage_validate.extensions.bench.experiment import Tabulate
from qsage_validate.extensions.bench.papers.published import rows_of
from qsage_validate.extensions.bench.run import NO_PREPROCESSOR, RunRecord
from qsage_validate.extensions.bench.summaries import default_tables, seconds_text
from qsage_validate.extensions.bench.table import ResultTable

_COLUMNS: Final = ("gn", "gt", "gd", "sd", "bl")
_SEARCH: Final = "search"
_OF_TABLE_3: Final = "BT 3x4"
_SIZES: Final = ("variables", "universals", "clauses", "blocks")


@dataclass(frozen=True, slots=True)
class GdlConfiguration:
    """A row of Table 2.

    ``value`` is ``"true"``, ``"false"`` or ``"open"`` (refuted, but perhaps won at larger depths);
    ``printed`` has the cells of seconds by solver and column (``"depqbf gd"``, ``"minimax"``,
    ``"bloqqer"``): empty for a time-out; ``words`` make the same game's model in BDDL.
    """

    family: str
    config: str
    file: str
    longest: int
    depth: int
    value: str
    printed: Mapping[str, str]
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.family} {self.config}"

    @property
    def strict(self) -> bool:
        """True if the game is strictly turn-taking."""
        return self.printed["depqbf sd"] != "n/a"

    @property
    def truth(self) -> bool:
        """True if the role x wins within the depth."""
        return self.value == "true"


def in_bddl(cell: GdlConfiguration) -> str:
    """The name of the instance of the same game in BDDL."""
    return f"{cell.name} (BDDL)"


@cache
def table2() -> tuple[GdlConfiguration, ...]:
    found = []
    for row in rows_of("gdl_table2.csv"):
        family, config, file, value = (row.pop(n) for n in ("family", "config", "file", "value"))
        longest, depth, words = int(row.pop("longest")), int(row.pop("depth")), row.pop("words")
        found.append(
            GdlConfiguration(family, config, file, longest, depth, value, row, tuple(words.split()))
        )
    return tuple(found)


@cache
def table3() -> tuple[Mapping[str, str], ...]:
    return tuple(rows_of("gdl_table3.csv"))


Places = Mapping[tuple[str, str, str], RunRecord]


def _places(records: Sequence[RunRecord]) -> Places:
    """The records by instance, solver and column of the paper, those after Bloqqer first."""
    known = sorted(latest(records), key=lambda r: r.run.preprocessor != NO_PREPROCESSOR)
    return {(r.run.instance, r.run.solver, _column(r.run.encoding)): r for r in known}


def _column(encoding: str) -> str:
    return "bl" if encoding == "lifted" else encoding.removeprefix("gdl-")


def _solved_in(record: RunRecord | None) -> str:
    """Seconds of the solver alone on a processor, ``*`` without an answer."""
    if record is None:
        return ""
    if not record.result.decided:
        return "*" if record.result.status == "timeout" else record.result.status
    data = record.result.data
    return seconds_text(data.get("solve_seconds", record.result.seconds))


def _record(places: Places, cell: GdlConfiguration, solver: str, column: str) -> RunRecord | None:
    instance = in_bddl(cell) if column == "bl" else cell.name
    return places.get((instance, solver, column))


def times_table(records: Sequence[RunRecord]) -> ResultTable:
    """Table 2: seconds of each solver after Bloqqer, the paper's and ours; truth of all."""
    places = _places(records)
    run = {key[1:] for key in places}
    pairs = [(s, c) for s in ("depqbf", "caqe") for c in _COLUMNS if (s, c) in run]
    solvers = dict.fromkeys(solver for solver, _ in pairs)
    rows = []
    for cell in table2():
        own = [r for r in latest(records) if r.run.instance in (cell.name, in_bddl(cell))]
        if not own:
            continue
        gd = [r for s in solvers if (r := places.get((cell.name, s, "gd"))) is not None]
        bloqqer = [r.result.data["preprocess_seconds"] for r in gd if _preprocessed(r)]
        cells = [
            f"{cell.printed[f'{solver} {column}'] or '*'} / "
            f"{_solved_in(_record(places, cell, solver, column)) or '-'}"
            for solver, column in pairs
        ]
        search = next((r for r in own if r.run.solver == _SEARCH), None)
        rows.append(
            (
                cell.name,
                str(cell.depth),
                _agreement(cell, own),
                f"{cell.printed['bloqqer']} / {seconds_text(min(bloqqer)) if bloqqer else '-'}",
                *cells,
                f"{cell.printed['minimax'] or '*'} / {_solved_in(search) or '-'}",
            )
        )
    columns = [f"{solver} {column.upper()}" for solver, column in pairs]
    notes = (
        "each cell: the paper's seconds / ours; * no answer within the limit (the paper's: 1000 s),"
        " - not run, n/a not strictly turn-taking or no such model",
        "ours are processor seconds of the solver on what Bloqqer leaves, as the paper counts; "
        "BL is the lifted encoding of the same game in BDDL, minimax our search on the rules",
    )
    names = ("game", "depth", "value", "Bloqqer", *columns, "minimax")
    return ResultTable("Table 2: seconds, the paper's / ours", names, tuple(rows), notes, left=1)


def _preprocessed(record: RunRecord) -> bool:
    return "preprocess_seconds" in record.result.data


def _agreement(cell: GdlConfiguration, own: Sequence[RunRecord]) -> str:
    """The value that runs agree on, and whether it is the paper's."""
    found = {r.result.truth for r in own if r.result.decided}
    if not found:
        return "?"
    if len(found) > 1:
        return "CONTRADICTION"
    (truth,) = found
    word = "true" if truth else "false"
    return word if truth is cell.truth else f"{word} (paper: {cell.value})"


# --- Table 3 --------------------------------------------------------------------------------


def table3_table(records: Sequence[RunRecord]) -> ResultTable:
    """Table 3: Breakthrough 3x4 before and after Bloqqer, sizes and seconds, theirs / ours."""
    cell = next(cell for cell in table2() if cell.name == _OF_TABLE_3)
    known = latest(records)
    rows = []
    for printed in table3():
        encoding, stage = printed["encoding"], printed["stage"]
        instance = in_bddl(cell) if encoding == "lifted" else cell.name
        wanted = NO_PREPROCESSOR if stage == "plain" else stage
        own = [r for r in known if (r.run.instance, r.run.encoding) == (instance, encoding)]
        if not own:
            continue
        key = "plain" if stage == "plain" else "preprocessed"
        sizes = next((found for r in own if (found := r.result.data.get(key)) is not None), None)
        numbers = [
            f"{int(printed[name]):,} / {'-' if sizes is None else f'{sizes[name]:,}'}"
            for name in _SIZES
        ]
        seconds = []
        for solver in ("depqbf", "caqe"):
            made = [r for r in own if (r.run.solver, r.run.preprocessor) == (solver, wanted)]
            ours = _solved_in(made[0]) if made else "-"
            seconds.append(f"{printed[solver] or '*'} / {ours}")
        rows.append((_column(encoding).upper(), stage, *numbers, *seconds))
    limits = sorted({r.run.seconds for r in known if r.run.seconds is not None})
    shown = ", ".join(f"{limit:g}" for limit in limits)
    notes = (
        "each cell: the paper's / ours; * no answer within the limit (the paper's: 1000 s, "
        f"ours: {shown} s with Bloqqer's time), - not run",
    )
    columns = ("encoding", "stage", *_SIZES, "depqbf s", "caqe s")
    return ResultTable(f"Table 3: {_OF_TABLE_3}", columns, tuple(rows), notes, left=2)


def sizes_table(records: Sequence[RunRecord]) -> ResultTable:
    """Table 3's numbers for every game: variables, universals, clauses, blocks."""
    places = _places(records)
    rows = []
    for cell in table2():
        for encoding in ("gdl-gd", "gdl-sd", "lifted"):
            column = _column(encoding)
            record = next(
                (r for s in ("depqbf", "caqe") if (r := _record(places, cell, s, column))), None
            )
            if record is None:
                continue
            for stage, key in (("plain", "plain"), ("bloqqer", "preprocessed")):
                sizes = record.result.data.get(key)
                if sizes is None:
                    continue
                printed = _printed(cell, encoding, stage)
                numbers = [sizes[n] for n in _SIZES]
                shown = [f"{number:,}" for number in numbers]
                if printed is not None:
                    shown = [
                        f"{int(printed[n]):,} / {s}" for n, s in zip(_SIZES, shown, strict=True)
                    ]
                rows.append((cell.name, column.upper(), stage, *shown))
    notes = ("where there are two numbers, the first is the paper's (Table 3)",)
    columns = ("game", "encoding", "stage", *_SIZES)
    return ResultTable("Sizes", columns, tuple(rows), notes, left=3)


def _printed(cell: GdlConfiguration, encoding: str, stage: str) -> Mapping[str, str] | None:
    if cell.name != _OF_TABLE_3:
        return None
    return next(
        (row for row in table3() if (row["encoding"], row["stage"]) == (encoding, stage)), None
    )


TABLES: Final[Mapping[str, Tabulate]] = {
    "table2": times_table,
    "sizes": sizes_table,
    "table3": table3_table,
    **default_tables(),
}
"""By name; the first is shown at the end of a campaign."""
