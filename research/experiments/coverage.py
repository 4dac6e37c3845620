"""How much of each table of the papers was run here: a line for each, counted in the rows.

    python research/experiments/coverage.py

A *cell* is what the paper prints, or draws as a point: the seconds of a solver on a formula, a
size, a value.  A cell is *here* where there is a run for it, whatever came of that.  Its limit is
*the paper's* where it was decided (a larger limit changes nothing then), or where the run had the
paper's seconds at least.  A *disagreement* is a value that is not the paper's, or an instance on
which two runs contradict each other.  The page with the lines is ``docs/results/index.md``, where
``pages.py`` writes them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.extensions.bench.campaign import disagreements, latest, read_all
from qsage_validate.extensions.bench.experiment import NO_PREPROCESSOR, RunRecord
from qsage_validate.extensions.bench.papers import gdl, httt, impartial, positional, table2
from qsage_validate.extensions.bench.plots import limits_text
from qsage_validate.extensions.bench.solving import BLOQQER, SEARCH

FOLDER: Final = Path(__file__).resolve().parent
COLUMNS: Final = (
    *("paper", "table", "cells", "cells in the paper", "cells here", "limit is the paper's"),
    *("disagreements", "paper's limit, s", "limit here, s", "measured", "page"),
)
RunCell = Sequence[RunRecord]
"""The runs that a cell of a table rests on."""


@dataclass(frozen=True)
class Counted:
    """What is here of a table: cells, how many with the paper's limit, and disagreements.

    ``records`` are the runs that it rests on; their limits and dates are shown.
    """

    cells: int
    at_limit: int
    disagreements: int
    records: Sequence[RunRecord] = ()


@dataclass(frozen=True)
class PaperTable:
    """A table of a paper: ``cells`` of the kind ``unit``, each with so many seconds (``limit``)."""

    paper: str
    name: str
    unit: str
    cells: int
    limit: int | None
    page: str
    count: Callable[[], Counted]

    def row(self) -> tuple[str, ...]:
        """The line of the table, by :data:`COLUMNS`."""
        found = self.count()
        days = sorted(record.when[:10] for record in found.records)
        return (
            self.paper,
            self.name,
            self.unit,
            f"{self.cells:,}",
            f"{found.cells:,}",
            f"{found.at_limit:,}",
            str(found.disagreements),
            "" if self.limit is None else f"{self.limit:,}",
            limits_text(found.records),
            " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "",
            self.page,
        )


@cache
def records_of(*files: str) -> tuple[RunRecord, ...]:
    """The runs of files beside this one; files that are not there have none."""
    there = [str(FOLDER / file) for file in files if (FOLDER / file).exists()]
    return read_all(there).records if there else ()


def counted(cells: Sequence[RunCell], limit: float, against: int) -> Counted:
    """The cells of runs: those that all of whose runs were decided or had ``limit`` seconds."""

    def enough(record: RunRecord) -> bool:
        seconds = record.run.seconds
        return record.result.decided or seconds is None or seconds >= limit

    there = [cell for cell in cells if cell]
    at_limit = sum(all(map(enough, cell)) for cell in there)
    return Counted(len(there), at_limit, against, [record for cell in there for record in cell])


def _singles(records: Sequence[RunRecord]) -> list[RunCell]:
    return [[record] for record in latest(records)]


# --- Concise QBF Encodings for Games on a Grid ----------------------------------------------


def bddl_table2() -> Counted:
    """Critical depths: the search's, held against the printed values."""
    known = {
        r.run.instance: r for r in latest(records_of("table2.jsonl")) if r.run.solver == SEARCH
    }
    cells, wrong = [], 0
    for cell in table2.table2():
        deep, shallow = (known.get(name(cell)) for name in (table2.complete, table2.at_depth))
        cells.append([record for record in (deep, shallow) if record is not None])
        wrong += table2.verdict(cell, deep, shallow).startswith("no")
    # Either run gives the cell's value where it is decided.
    return counted([cell[:1] for cell in cells], table2.PAPERS_LIMIT, wrong)


def bddl_table3() -> Counted:
    """A cell is an instance by a solver and a preprocessor."""
    records = records_of("table2.jsonl")
    columns = set(table2.table3()[0].solved)
    own = [r for r in records if r.run.configuration in columns]
    return counted(_singles(own), table2.PAPERS_LIMIT, len(disagreements(records)))


# --- Solving Two-player Games with QBF Solvers in General Game Playing ----------------------


def _gdl() -> Iterator[tuple[gdl.GdlConfiguration, str, str, RunRecord]]:
    """The runs of Table 2 by configuration, solver and column."""
    cells = {gdl.in_bddl(cell): cell for cell in gdl.table2()}
    cells |= {cell.name: cell for cell in gdl.table2()}
    for record in latest(records_of("gdl.jsonl")):
        cell = cells.get(record.run.instance)
        if cell is None:
            continue
        if record.run.solver == SEARCH:
            yield cell, SEARCH, "minimax", record
        elif record.run.preprocessor == BLOQQER:
            yield cell, record.run.solver, gdl.column_of(record.run.encoding), record


def _against_the_paper(found: Sequence[tuple[gdl.GdlConfiguration, RunRecord]]) -> int:
    return len({c.name for c, r in found if r.result.truth not in (None, c.truth)})


def gdl_table2() -> Counted:
    """Seconds of each solver and encoding, and of the search on the rules."""
    found = list(_gdl())
    printed = [(c, r) for c, s, column, r in found if _column(s, column) in _printed(c)]
    cells = [[record] for _, record in printed]
    return counted(cells, gdl.PAPERS_LIMIT, _against_the_paper(printed))


def _column(solver: str, column: str) -> str:
    return column if solver == SEARCH else f"{solver} {column}"


def _printed(cell: gdl.GdlConfiguration) -> Mapping[str, str]:
    return {name: s for name, s in cell.printed.items() if name != BLOQQER and s != "n/a"}


def gdl_table3() -> Counted:
    """Four sizes and two seconds of each of six formulas; sizes have no limit."""
    records = records_of("gdl.jsonl")
    table = gdl.table3_table(records)
    names = {name for name in table.columns if name.endswith(" s")}
    cells = at_limit = wrong = 0
    for row in table.rows:
        for name, text in zip(table.columns[2:], row[2:], strict=True):
            theirs, _, ours = text.partition(" / ")
            if ours == "-":
                continue
            cells += 1
            # The limit here is smaller, so a run without an answer has not had the paper's.
            at_limit += name not in names or ours != "*"
            wrong += name not in names and theirs != ours
    own = [r for r in records if r.run.instance.startswith("BT 3x4") and r.run.solver != SEARCH]
    return Counted(cells, at_limit, wrong, own)


# --- The QBF Cover Encoding for Harary's Tic-Tac-Toe ----------------------------------------

_COVER: Final = ("httt-cover.jsonl", "httt-cover-caqe.jsonl", "httt-cover-qute.jsonl")
_BOTH: Final = ("cor+", "cover")


def _cover(encodings: Sequence[str]) -> dict[tuple[str, ...], list[RunRecord]]:
    """The cases of the paper's shapes by solver, preprocessor, and those of the encodings."""
    found: dict[tuple[str, ...], list[RunRecord]] = {}
    for record in latest(records_of(*_COVER)):
        run = record.run
        if run.family.startswith("5x5") and dict(run.options).get("printed") == "yes":
            key = run.encoding if run.encoding in encodings else ""
            found.setdefault((run.solver, run.preprocessor, key), []).append(record)
    return found


def _cover_against() -> int:
    """Contradictions of formulas, and with the search's answers on the same boards."""
    return len(disagreements((*records_of(*_COVER), *records_of("httt-5x5.jsonl"))))


def cover_table1() -> Counted:
    """A cell is the seconds of all cases by a solver, a preprocessor and an encoding."""
    cells = list(_cover(_BOTH).values())
    return counted(cells, httt.PAPERS_LIMIT, _cover_against())


def cover_figure2() -> Counted:
    """A cell is the points of a solver and a preprocessor: both encodings, formula by formula."""
    cells = list(_cover(()).values())
    return counted(cells, httt.PAPERS_LIMIT, _cover_against())


# --- Implicit QBF Encodings for Positional Games --------------------------------------------


def positional_table2() -> Counted:
    """Variables and clauses of a formula, before Bloqqer and behind it, as they are cut off."""
    made = json.loads((FOLDER / "positional-bloqqer.json").read_text("utf-8"))
    rows = [row for table in made for row in table["rows"] if row["encoding"] not in ("li", "si")]
    after = [row for row in rows if row.get("clauses left") is not None]
    wrong = sum(row["agrees"] != "both" for row in rows)
    wrong += sum(
        f"{row['clauses left'] // 1000}" != _clauses(row["printed after"]) for row in after
    )
    return Counted(len(rows) + len(after), len(rows) + len(after), wrong)


def _clauses(printed: str) -> str:
    return printed.partition("/")[2]


def _formulas(file: str, encodings: Sequence[str]) -> Counted:
    """A cell is an instance by an encoding, after Bloqqer and by CAQE as in the paper."""
    records = records_of(file)
    own = [
        r
        for r in records
        if (r.run.solver, r.run.preprocessor) == ("caqe", BLOQQER) and r.run.encoding in encodings
    ]
    return counted(_singles(own), positional.PAPERS_LIMIT, len(disagreements(records)))


def positional_section6() -> Counted:
    """Eleven polyominoes at five depths; ``z`` was run besides."""
    records = records_of("httt-depths.jsonl")
    own = [r for r in records if r.run.solver == "caqe" and r.run.source[:1] != ("z",)]
    return counted(_singles(own), positional.PAPERS_LIMIT, len(disagreements(records)))


def positional_appendix_b() -> Counted:
    """A cell is a solver with a preprocessor, QFun without; the appendix prints no numbers."""
    found: dict[tuple[str, str], list[RunRecord]] = {}
    records = records_of("positional-combinations.jsonl")
    for record in latest(records):
        way = record.run.solver, record.run.preprocessor
        if way not in ((SEARCH, NO_PREPROCESSOR), ("qfun", BLOQQER)):
            found.setdefault(way, []).append(record)
    return counted(list(found.values()), positional.PAPERS_LIMIT, len(disagreements(records)))


# --- Synthesising Winning Strategies of Impartial Games -------------------------------------

_IMPARTIAL: Final = ("impartial-families.jsonl.xz", "impartial-enum.jsonl")


def impartial_table4(*methods: str) -> Counted:
    """A cell is a game by a method; both say whether there is a formula."""
    records = latest(records_of(*_IMPARTIAL, "impartial-welter-chomp.jsonl"))
    own = [r for r in records if r.run.solver in methods]
    said: dict[str, set[str]] = {}
    for record in records:
        if record.result.status in (impartial.PROVED, impartial.IMPOSSIBLE):
            said.setdefault(record.run.instance, set()).add(record.result.status)
    wrong = sum(len(answers) > 1 for answers in said.values())
    return counted([[record] for record in own], impartial.PAPERS_LIMIT, wrong)


# --- All of them ----------------------------------------------------------------------------


def _link(title: str, place: str) -> str:
    return f"[{title}]({place})"


_TABLE2: Final = _link("Table 2 of the BDDL paper", "table2.md")
_GDL: Final = _link("GDL", "gdl-benchmark.md")
_SIZES: Final = _link("sizes", "../explanation/positional-encodings.md#sizes")
_IN_TURN: Final = _link("COVER", "../explanation/positional-encodings.md#asking-for-both-in-turn")
_HEIN: Final = _link("positional games", "positional-benchmark.md")
_GAMES: Final = _link("impartial games", "impartial-benchmark.md")
_COR: Final = ("cor", "ea", "la", "sa", "sn", "ln", "en", "et")
_IMPLICIT_GOALS: Final = ("sn", "ln", "en", "et")
_FILES: Final = 3720


def tables() -> tuple[PaperTable, ...]:
    """Every table and figure of the papers that has numbers of runs or formulas."""
    cells = sum(len(_printed(cell)) for cell in gdl.table2())
    hour, three = table2.PAPERS_LIMIT, positional.PAPERS_LIMIT
    cover, synms = httt.PAPERS_LIMIT, impartial.PAPERS_LIMIT
    two_a = "Figure 2(a); 3 and 4 are of the same runs"
    two_b = "Figure 2(b); 5 is of the same runs"
    return (
        PaperTable("BDDL", "Table 2", "critical depths", 72, hour, _TABLE2, bddl_table2),
        PaperTable("BDDL", "Table 3", "instances by ways", 6 * 102, hour, _TABLE2, bddl_table3),
        PaperTable("GDL", "Table 2", "seconds", cells, gdl.PAPERS_LIMIT, _GDL, gdl_table2),
        PaperTable("GDL", "Table 3", "sizes, seconds", 36, gdl.PAPERS_LIMIT, _GDL, gdl_table3),
        PaperTable("COVER", "Table 1", "ways, all cases", 32, cover, _IN_TURN, cover_table1),
        PaperTable("COVER", "Figure 2", "ways, all points", 16, cover, _IN_TURN, cover_figure2),
        PaperTable("positional", "Table 2", "sizes", 32, None, _SIZES, positional_table2),
        PaperTable("positional", two_a, "instances by encodings", 8 * 40, three, _HEIN, hein),
        PaperTable("positional", two_b, "instances by encodings", 4 * 23, three, _HEIN, champions),
        PaperTable(
            *("positional", "section 6", "formulas", 55, three),
            _link("polyominoes", "httt-depths.md"),
            positional_section6,
        ),
        PaperTable(
            *("positional", "Appendix B", "solvers with preprocessors", 20, three, _HEIN),
            positional_appendix_b,
        ),
        PaperTable("SynMS", "Table 4, SynMS", "games", _FILES, synms, _GAMES, synms_runs),
        PaperTable("SynMS", "Table 4, Enum", "games", _FILES, synms, _GAMES, enum_runs),
    )


def hein() -> Counted:
    """Hein's puzzles."""
    return _formulas("positional-hein.jsonl", _COR)


def champions() -> Counted:
    """Championship positions."""
    return _formulas("positional-championship.jsonl", _IMPLICIT_GOALS)


def synms_runs() -> Counted:
    """By the paper's method."""
    return impartial_table4("synms")


def enum_runs() -> Counted:
    """By enumeration."""
    return impartial_table4("enum")


def table() -> list[str]:
    """The lines of the table in Markdown."""
    numbers = {name for name in COLUMNS if "cells " in name or "limit" in name}
    numbers.add("disagreements")
    marks = ["--:" if name in numbers else "---" for name in COLUMNS]
    rows: list[Any] = [COLUMNS, marks, *(one.row() for one in tables())]
    return [f"| {' | '.join(row)} |" for row in rows]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in table()))
