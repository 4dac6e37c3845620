"""The experiment ``gdl``: games in GDL at the depths of the paper's Table 2, in four encodings.

The paper is He, Saffidine and Thielscher 2024.  Its descriptions are files of their authors', so
the folder with them is an input; other descriptions there (``--set depth=N``) are taken as well.
Where a game is one of this project's models in BDDL too, the lifted encoding of that is another
instance (the paper's column BL).  ``search`` is the minimax with a table of positions on the state
machine (the paper's Minx, but in Python).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench import solving
from qsage_validate.extensions.bench.campaign import latest
from qsage_validate.extensions.bench.experiment import (
    NO_PREPROCESSOR,
    Configuration,
    Experiment,
    Instance,
    ResultTable,
    Run,
    RunRecord,
    RunResult,
    Selection,
    Tabulate,
)
from qsage_validate.extensions.bench.papers.table2 import rows_of
from qsage_validate.extensions.bench.plots import default_tables, limits_text, seconds_text
from qsage_validate.extensions.bench.solving import BLOQQER, answered, content_sum
from qsage_validate.formats.source import quoted
from qsage_validate.system.limits import Deadline, Limits, Stopwatch

if TYPE_CHECKING:
    from qsage_validate.formats.qdimacs import ClausalForm


# Tables of the experiment ``gdl``, beside Tables 2 and 3 of He, Saffidine, Thielscher 2024


_COLUMNS: Final = ("gn", "gt", "gd", "sd", "bl")
_SEARCH: Final = "search"
PAPERS_LIMIT: Final = 1000
"""Seconds that the GDL paper gave each solver."""
PAPERS_BLOQQER: Final = 500
"""Seconds that it gave Bloqqer."""
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
    return {(r.run.instance, r.run.solver, column_of(r.run.encoding)): r for r in known}


def column_of(encoding: str) -> str:
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
                str(cell.longest),
                str(cell.depth),
                _agreement(cell, own),
                f"{cell.printed['bloqqer']} / {seconds_text(min(bloqqer)) if bloqqer else '-'}",
                *cells,
                f"{cell.printed['minimax'] or '*'} / {_solved_in(search) or '-'}",
            )
        )
    if rows:
        whole = latest(records)
        limits = [limits_text(r for r in whole if _in_column(r, *pair)) for pair in pairs]
        searched = limits_text(r for r in whole if r.run.solver == _SEARCH)
        bloqqer_limit = f"{PAPERS_BLOQQER:,} / with the solver"
        shown = (f"{PAPERS_LIMIT:,} / {limit or '-'}" for limit in (*limits, searched))
        rows.append(("limit s", "", "", "", bloqqer_limit, *shown))
    columns = [f"{solver} {column.upper()}" for solver, column in pairs]
    notes = (
        "each cell: the paper's seconds / ours; * no answer within the limit (the paper's: 1000 s),"
        " - not run, n/a not strictly turn-taking or no such model",
        "μ: the length of the longest play that x wins, as printed",
        "ours are processor seconds of the solver on what Bloqqer leaves, as the paper counts; "
        "BL is the lifted encoding of the same game in BDDL, minimax our search on the rules",
    )
    names = ("game", "μ", "depth", "value", "Bloqqer", *columns, "minimax")
    return ResultTable("Table 2: seconds, the paper's / ours", names, tuple(rows), notes, left=1)


def _in_column(record: RunRecord, solver: str, column: str) -> bool:
    """Whether a run is of a cell of Table 2: of its solver and encoding, after Bloqqer."""
    run = record.run
    return (run.solver, column_of(run.encoding), run.preprocessor) == (solver, column, BLOQQER)


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
        rows.append((column_of(encoding).upper(), stage, *numbers, *seconds))
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
            column = column_of(encoding)
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


# The experiment ``gdl``: games in GDL at the depths of the paper's Table 2, in four encodings


NAME: Final = "gdl"
SUFFIX: Final = ".gdl"
LIFTED: Final = "lifted"

_ENCODINGS: Final = ("gdl-gn", "gdl-gt", "gdl-gd", "gdl-sd", LIFTED)
_SOLVERS: Final = ("depqbf", "caqe", solving.SEARCH)
_ROLE: Final = "xplayer"


def _runs(selection: Selection) -> list[Run]:
    files = {os.path.basename(p).removesuffix(SUFFIX): p for p in _files(selection.inputs)}
    if not files:
        raise UsageError(
            f"found no {SUFFIX} file in {', '.join(selection.inputs) or 'no folder'}, expected a "
            "folder with descriptions"
        )
    instances = [*_published(files), *_further(files, selection.options.get("depth"))]
    if not instances:
        names = ", ".join(cell.file for cell in table2()[:3])
        raise UsageError(f"found none of the paper's games ({names}, ...), expected --set depth=N")
    chosen = replace(
        selection,
        solvers=selection.solvers or _SOLVERS,
        preprocessors=selection.preprocessors or (BLOQQER,),
        encodings=selection.encodings or _ENCODINGS,
    )
    return selection.runs(NAME, instances, solving.configurations(chosen, games=True))


def _files(inputs: Sequence[str]) -> Iterator[str]:
    for given in inputs:
        if os.path.isdir(given):
            names = sorted(name for name in os.listdir(given) if name.endswith(SUFFIX))
            yield from (os.path.join(given, name) for name in names)
        else:
            yield given


def _published(files: dict[str, str]) -> Iterable[Instance]:
    for cell in table2():
        if cell.file not in files:
            continue
        yield _instance(cell.family, cell.name, files[cell.file], cell.depth, cell.strict)
        if cell.words:
            words = (*cell.words, "--depth", str(cell.depth))
            yield Instance(cell.family, in_bddl(cell), words, fits=lambda c: c.encoding == LIFTED)


def _further(files: dict[str, str], depth: str | None) -> Iterable[Instance]:
    if depth is None:
        return
    if not (depth.isascii() and depth.isdigit() and 0 < int(depth) < 1000):
        raise UsageError(f"found {quoted(depth)} for depth, expected a number of rounds")
    known = {cell.file for cell in table2()}
    for name, path in files.items():
        if name not in known:
            yield _instance("other", name, path, int(depth), None)


def _instance(family: str, name: str, path: str, depth: int, strict: bool | None) -> Instance:
    def fits(config: Configuration) -> bool:
        if config.solver == solving.SEARCH:
            return True
        return config.encoding != LIFTED and not (strict is False and config.encoding == "gdl-sd")

    words = [os.path.abspath(path), "--depth", str(depth)]
    if strict is not None:
        words += ["--role", _ROLE]
    return Instance(family, name, tuple(words), (("sum", content_sum(path)),), fits)


def execute(run: Run) -> RunResult:
    """Solve, with sizes before and after the preprocessor; seconds are those of both programs."""
    if run.solver == solving.SEARCH or run.solver.startswith(solving.CERTIFY):
        return solving.execute(run)
    return _solve(run)


def _sizes(form: ClausalForm) -> dict[str, int]:
    from qsage_validate.circuit.qbf import Quantifier

    used = {abs(x) for clause in form.clauses for x in clause}
    universals = {v for s in form.scopes if s.quantifier is Quantifier.FORALL for v in s.variables}
    return {
        "variables": len(used),
        "universals": len(universals & used),
        "clauses": len(form.clauses),
        "blocks": len(form.scopes),
    }


def _solve(run: Run) -> RunResult:
    from qsage_validate.encodings.registry import encode
    from qsage_validate.formats.qdimacs import clausal_form
    from qsage_validate.games.registry import find_command
    from qsage_validate.solvers.backends import get_backend, preprocessor_named
    from qsage_validate.system.programs import workspace

    watch = Stopwatch()
    formula = encode(find_command(run.source), run.encoding).qbf
    form = clausal_form(formula)
    data: dict[str, Any] = {"formula_seconds": round(watch.seconds, 4), "plain": _sizes(form)}
    limits = Limits(Deadline.after(run.seconds), run.memory_mb)
    seconds = cpu = peak = 0.0
    with workspace() as folder:
        first = preprocessor_named(run.preprocessor)
        if first is not None:
            done = first.run(form, limits, folder)
            seconds, cpu, peak = done.seconds, done.cpu_seconds, done.peak_mb
            data["preprocess_seconds"] = round(done.cpu_seconds, 4)
            if done.form is None:
                data |= {"by": first.name, "solve_seconds": 0.0}
                return answered(done.status, done.why, (seconds, cpu, peak), data)
            form = done.form
            data["preprocessed"] = _sizes(form)
        backend = get_backend(run.solver)
        outcome = backend.solve(formula, limits, workdir=folder, form=form, outer=False)
    data |= {"by": f"{outcome.solver} {outcome.version}"}
    data["solve_seconds"] = round(outcome.cpu_seconds, 4)
    seconds, cpu = seconds + outcome.seconds, cpu + outcome.cpu_seconds
    return answered(outcome.status, outcome.why, (seconds, cpu, max(peak, outcome.peak_mb)), data)


EXPERIMENT: Final = Experiment(
    name=NAME,
    runs=_runs,
    execute=execute,
    tables={**TABLES, **solving.tables()},
    inputs=f"a folder with the authors' descriptions ({SUFFIX}), or such files",
    options={"depth": "N: also descriptions that are not in Table 2, for N rounds"},
)
