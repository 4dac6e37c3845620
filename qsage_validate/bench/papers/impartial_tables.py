"""Tables of the experiment ``impartial``: beside the paper's Table 4, by family, what is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from qsage_validate.bench.campaign import latest
from qsage_validate.bench.experiment import Tabulate
from qsage_validate.bench.papers.published import rows_of
from qsage_validate.bench.run import Record
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
    "variant": "published: the families as they were published, with their defects; defective: of "
    "these the games that have a repaired variant, too (without files only)",
}

CATEGORIES: Final = ("Sub", "Nim", "Welter", "Wythoff", "Chomp")
_TOTAL: Final = "Total"


@cache
def table4() -> tuple[Mapping[str, str], ...]:
    """The lines of the paper's Table 4: what a method solved in a category."""
    return tuple(rows_of("impartial_table4.csv"))


def category(record: Record) -> str:
    """The category of a record: families are numbered ``category.class`` as the benchmark's."""
    first = record.run.family.partition(".")[0]
    known = first.isdigit() and 1 <= int(first) <= len(CATEGORIES)
    return CATEGORIES[int(first) - 1] if known else "other"


def has_formula(record: Record) -> bool:
    """True if a formula and termination were proved, and no cross-check contradicts them."""
    return record.result.status == PROVED


def has_strategy(record: Record) -> bool:
    """True if a strategy was proved as well."""
    strategy = record.result.data.get("strategy")
    return has_formula(record) and strategy is not None and strategy["outcome"] == PROVED


def beside_table4(records: Sequence[Record]) -> Table:
    """By category and method: shares of formulas and strategies, seconds and sizes."""
    known = latest(records)
    rows = []
    for name in (*CATEGORIES, _TOTAL, "other"):
        own = [r for r in known if name in (category(r), _TOTAL)]
        if not own:
            continue
        rows += [_printed(line) for line in table4() if line["category"] == name]
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
        *("category", "method", "cases", "formulas", "share", "seconds", "size", "common size"),
        *("strategies", "share", "seconds", "size"),
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
    formulas = [r.result.data for r in records if has_formula(r)]
    shared = [r.result.data for r in records if has_formula(r) and r.run.instance in common]
    strategies = [r.result.data["strategy"] for r in records if has_strategy(r)]
    asked = any("strategy" in r.result.data for r in records)

    def shares(found: list[Mapping[str, Any]], *sizes: float | None) -> list[str]:
        return _shares(len(found), len(records), _mean(found, "seconds"), *sizes)

    first = shares(formulas, _mean(formulas, "size"), _mean(shared, "size"))
    second = shares(strategies, _mean(strategies, "size"))
    return (f"{len(records):,}", *first, *(second if asked else ("",) * len(second)))


def _mean(found: Sequence[Mapping[str, Any]], name: str) -> float | None:
    return sum(data[name] for data in found) / len(found) if found else None


def _printed(line: Mapping[str, str]) -> tuple[str, ...]:
    cases, formulas, strategies = (int(line[n]) for n in ("cases", "formulas", "strategies"))

    def average(name: str) -> float | None:
        return float(line[name]) if line[name] else None

    sizes = average("formula_size"), average("common_formula_size")
    return (
        line["category"],
        f"paper: {line['method']}",
        f"{cases:,}",
        *_shares(formulas, cases, average("formula_seconds"), *sizes),
        *_shares(strategies, cases, average("strategy_seconds"), average("strategy_size")),
    )


def _shares(solved: int, cases: int, seconds: float | None, *sizes: float | None) -> list[str]:
    return [
        f"{solved:,}",
        f"{100 * solved / cases:.1f} %",
        "" if seconds is None else seconds_text(seconds),
        *("" if size is None else f"{size:.1f}" for size in sizes),
    ]


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


def by_technique(records: Sequence[Record]) -> Table:
    """A method a row: how many of its proved formulas came from each technique."""
    known = [record for record in latest(records) if has_formula(record)]
    techniques = sorted({_technique(record) for record in known})
    rows = []
    for config in configuration_names(known):
        own = [_technique(r) for r in known if r.run.configuration == config]
        rows.append((config, f"{len(own):,}", *(f"{own.count(name):,}" for name in techniques)))
    return Table("Formulas by technique", ("method", "formulas", *techniques), tuple(rows))


def _technique(record: Record) -> str:
    """The technique of a formula; results of older versions do not name it."""
    return record.result.data.get("technique") or "not recorded"


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
    "techniques": by_technique,
    "unsolved": unsolved,
    **default_tables(),
}
