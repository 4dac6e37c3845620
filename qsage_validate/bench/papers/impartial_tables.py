"""Tables of the experiment ``impartial``: beside the paper's Table 4, by family, what is open."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from qsage_validate.bench.campaign import latest
from qsage_validate.bench.experiment import Tabulate
from qsage_validate.bench.record import Record
from qsage_validate.bench.summaries import configuration_names, default_tables, seconds_text
from qsage_validate.bench.table import Table

PROVED: Final = "proved"
IMPOSSIBLE: Final = "impossible"
"""The game has no winning formula: an answer, but no formula."""

MALFORMED: Final = "malformed"
WRONG: Final = "wrong"
"""Proof and cross-check contradict each other."""

OPTIONS: Final[Mapping[str, str]] = {
    "every": "K: only the first of each K instances, in the order of their names",
    "strategy": "no: only winning formulas",
    "variant": "published: the families as they were published, with their defects "
    "(without files only)",
}

CATEGORIES: Final = ("Sub", "Nim", "Welter", "Wythoff", "Chomp")
_TOTAL: Final = "Total"


@dataclass(frozen=True, slots=True)
class Published:
    """A line of the paper's Table 4: what a method solved in a category.

    ``averages`` are those of the data file's columns; ``None``: nothing was solved.
    """

    category: str
    method: str
    cases: int
    formulas: int
    strategies: int
    averages: Mapping[str, float | None]


@cache
def table4() -> tuple[Published, ...]:
    """The paper's Table 4, from the data file beside this module."""
    path = resources.files("qsage_validate.bench") / "data" / "impartial_table4.csv"
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    found = []
    for row in csv.DictReader(lines, delimiter=";"):
        cases, formulas, strategies = (
            int(row.pop(name)) for name in ("cases", "formulas", "strategies")
        )
        category, method = row.pop("category"), row.pop("method")
        averages = {name: float(value) if value else None for name, value in row.items()}
        found.append(Published(category, method, cases, formulas, strategies, averages))
    return tuple(found)


def category(record: Record) -> str:
    """The category of a record: families are numbered ``category.class`` as the benchmark's."""
    first = record.run.family.partition(".")[0]
    known = first.isdigit() and 1 <= int(first) <= len(CATEGORIES)
    return CATEGORIES[int(first) - 1] if known else "other"


# --- What came of a run ---------------------------------------------------------------------


def has_formula(record: Record) -> bool:
    """Whether a formula was proved with the end of all plays, and no cross-check is against it."""
    return record.result.status == PROVED


def has_strategy(record: Record) -> bool:
    """Whether a strategy was proved as well."""
    strategy = record.result.data.get("strategy")
    return has_formula(record) and strategy is not None and strategy["outcome"] == PROVED


def _formula_seconds(record: Record) -> float:
    return float(record.result.data["seconds"])


def _formula_size(record: Record) -> float:
    return float(record.result.data["size"])


def _strategy_seconds(record: Record) -> float:
    return float(record.result.data["strategy"]["seconds"])


def _strategy_size(record: Record) -> float:
    return float(record.result.data["strategy"]["size"])


def _mean(records: Sequence[Record], value: Callable[[Record], float]) -> float | None:
    return sum(map(value, records)) / len(records) if records else None


# --- Table 4 --------------------------------------------------------------------------------


def beside_table4(records: Sequence[Record]) -> Table:
    """By category and method: shares of formulas and strategies, seconds and sizes."""
    known = latest(records)
    rows = []
    for name in (*CATEGORIES, _TOTAL, "other"):
        own = [r for r in known if name in (category(r), _TOTAL)]
        if not own:
            continue
        rows += [
            (
                name,
                f"paper: {line.method}",
                *_cells(
                    line.cases,
                    line.formulas,
                    line.averages["formula_seconds"],
                    line.averages["formula_size"],
                    line.averages["common_formula_size"],
                ),
                *_cells(
                    None,
                    line.strategies,
                    line.averages["strategy_seconds"],
                    line.averages["strategy_size"],
                    cases_of_share=line.cases,
                ),
            )
            for line in table4()
            if line.category == name
        ]
        common = _solved_by_all(own)
        rows += [
            (name, config, *_own_cells([r for r in own if r.run.configuration == config], common))
            for config in configuration_names(own)
        ]
    limits = sorted({f"{r.run.seconds:g} s" if r.run.seconds else "no limit" for r in known})
    notes = (
        "paper: all 3,720 published files, 1,200 s each on a Core i7-7700; ours: "
        f"{len({r.run.instance for r in known})} files, {' / '.join(limits)} for formula and "
        "strategy together",
        "seconds and sizes are averages over what a method solved; common: over the formulas "
        "that all methods of the same source solved",
        "ours: every formula is proved, with the end of all plays, and agrees with backward "
        "induction; a strategy of enum is proved winning, not complete",
    )
    columns = (
        "category",
        "method",
        "cases",
        "formulas",
        "share",
        "seconds",
        "size",
        "common size",
        "strategies",
        "share",
        "seconds",
        "size",
    )
    return Table("Winning formulas and strategies", columns, tuple(rows), notes, left=2)


def _solved_by_all(records: Sequence[Record]) -> set[str]:
    """The instances whose formula all configurations found, if there are at least two."""
    configs = configuration_names(records)
    if len(configs) < 2:
        return set()
    found = [
        {r.run.instance for r in records if r.run.configuration == config and has_formula(r)}
        for config in configs
    ]
    return set.intersection(*found)


def _own_cells(records: Sequence[Record], common: set[str]) -> tuple[str, ...]:
    formulas = [r for r in records if has_formula(r)]
    strategies = [r for r in records if has_strategy(r)]
    shared = [r for r in formulas if r.run.instance in common]
    asked = any("strategy" in r.result.data for r in records)
    second = _cells(
        None,
        len(strategies),
        _mean(strategies, _strategy_seconds),
        _mean(strategies, _strategy_size),
        cases_of_share=len(records),
    )
    return (
        *_cells(
            len(records),
            len(formulas),
            _mean(formulas, _formula_seconds),
            _mean(formulas, _formula_size),
            _mean(shared, _formula_size),
        ),
        *(second if asked else ("",) * len(second)),
    )


def _cells(
    cases: int | None,
    solved: int,
    seconds: float | None,
    size: float | None,
    common: float | None = None,
    cases_of_share: int | None = None,
) -> tuple[str, ...]:
    whole = cases if cases is not None else cases_of_share
    cells = [
        f"{solved:,}",
        f"{100 * solved / whole:.1f} %" if whole else "",
        "" if seconds is None else seconds_text(seconds),
        _size_text(size),
    ]
    if cases is not None:
        return (f"{cases:,}", *cells, _size_text(common))
    return tuple(cells)


def _size_text(size: float | None) -> str:
    return "" if size is None else f"{size:.1f}"


# --- By family ------------------------------------------------------------------------------


def by_family(records: Sequence[Record]) -> Table:
    """A family a row: by configuration formulas and strategies; files that have no formula."""
    known = latest(records)
    configs = configuration_names(known)
    rows = []
    for family in [*dict.fromkeys(r.run.family for r in known), None]:
        own = [r for r in known if family in (r.run.family, None)]
        flawed = {r.run.instance for r in own if r.result.status in (IMPOSSIBLE, MALFORMED)}
        row = [family or "total", str(len({r.run.instance for r in own})), str(len(flawed) or "")]
        for config in configs:
            ours = [r for r in own if r.run.configuration == config]
            row += [str(sum(map(has_formula, ours))), str(sum(map(has_strategy, ours)))]
        rows.append(tuple(row))
    columns = ("family", "cases", "no formula exists")
    pairs = [f"{config}: {what}" for config in configs for what in ("formulas", "strategies")]
    return Table("By family", (*columns, *pairs), tuple(rows))


def unsolved(records: Sequence[Record]) -> Table:
    """The cases without a formula or a strategy, with the reason and where the time went."""
    rows = []
    for record in latest(records):
        data = record.result.data
        strategy: Mapping[str, Any] = data.get("strategy") or {}
        if has_formula(record) and (not strategy or has_strategy(record)):
            continue
        missing = "strategy" if has_formula(record) else "formula"
        why = strategy.get("reason", "") if has_formula(record) else record.result.why
        smt = data.get("solver_seconds")
        rows.append(
            (
                record.run.instance,
                record.run.configuration,
                missing,
                record.result.status if missing == "formula" else str(strategy["outcome"]),
                why[:140],
                seconds_text(record.result.seconds),
                "" if smt is None else seconds_text(smt),
                str(data.get("rounds", "")),
                str(data.get("labelled", "")),
            )
        )
    columns = ("case", "method", "missing", "result", "why", "seconds", "in z3", "rounds", "labels")
    return Table("Without a formula or a strategy", columns, tuple(rows), left=5)


TABLES: Final[Mapping[str, Tabulate]] = {
    "table4": beside_table4,
    "families": by_family,
    "unsolved": unsolved,
    **default_tables(),
}
