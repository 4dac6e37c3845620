"""The experiment ``impartial``: winning formulas and strategies of impartial games.

Instances are files of the published benchmark, or any others of that language, or with no files
the families that come along.  A run looks for the formula and then for the strategy, within one
limit for both.

The tables stand beside the paper's Table 4, go by family and by technique, and list what is open.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import InputError, UsageError
from qsage_validate.extensions.bench.campaign import latest
from qsage_validate.extensions.bench.experiment import (
    NO_ENCODING,
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
from qsage_validate.extensions.bench.plots import (
    configuration_names,
    default_tables,
    limits_text,
    seconds_text,
)
from qsage_validate.extensions.bench.solving import content_sum, files_in
from qsage_validate.formats.source import quoted
from qsage_validate.system.limits import Stopwatch

if TYPE_CHECKING:
    from qsage_validate.extensions.impartial.model import ImpartialGame


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


def category(record: RunRecord) -> str:
    """The category of a record: families are numbered ``category.class`` as the benchmark's."""
    first = record.run.family.partition(".")[0]
    known = first.isdigit() and 1 <= int(first) <= len(CATEGORIES)
    return CATEGORIES[int(first) - 1] if known else "other"


def has_formula(record: RunRecord) -> bool:
    """True if a formula and termination were proved, and no cross-check contradicts them."""
    return record.result.status == PROVED


def has_strategy(record: RunRecord) -> bool:
    """True if a strategy was proved as well."""
    strategy = record.result.data.get("strategy")
    return has_formula(record) and strategy is not None and strategy["outcome"] == PROVED


def apart(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Formula and strategy of each run as records of their own: the curves of the paper's figure 1.

    They are called ``synms: formula`` and ``synms: strategy``; what is proved is decided.
    """
    found = []
    for record in latest(records):
        data = record.result.data
        strategy = data.get("strategy")
        for what, proved, seconds in (
            ("formula", has_formula(record), data.get("seconds")),
            ("strategy", has_strategy(record), strategy and strategy.get("seconds")),
        ):
            spent = record.result.seconds if seconds is None else seconds
            result = RunResult("proved" if proved else "undecided", proved, spent)
            run = replace(record.run, solver=f"{record.run.solver}: {what}")
            found.append(replace(record, run=run, result=result))
    return found


PAPERS_LIMIT: Final = 1200
"""Seconds that the SynMS paper gave each file."""


def beside_table4(records: Sequence[RunRecord]) -> ResultTable:
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
        *("strategies", "share", "seconds", "size", "limit s"),
    )
    return ResultTable("Winning formulas and strategies", columns, tuple(rows), notes, left=2)


def _solved_by_all(records: Sequence[RunRecord]) -> set[str]:
    """The instances whose formula all configurations found, if there are at least two."""
    configs = configuration_names(records)
    if len(configs) < 2:
        return set()
    found = [
        {r.run.instance for r in records if r.run.configuration == config and has_formula(r)}
        for config in configs
    ]
    return set.intersection(*found)


def _own_cells(records: Sequence[RunRecord], common: set[str]) -> tuple[str, ...]:
    formulas = [r.result.data for r in records if has_formula(r)]
    shared = [r.result.data for r in records if has_formula(r) and r.run.instance in common]
    strategies = [r.result.data["strategy"] for r in records if has_strategy(r)]
    asked = any("strategy" in r.result.data for r in records)

    def shares(found: list[Mapping[str, Any]], *sizes: float | None) -> list[str]:
        return _shares(len(found), len(records), _mean(found, "seconds"), *sizes)

    first = shares(formulas, _mean(formulas, "size"), _mean(shared, "size"))
    second = shares(strategies, _mean(strategies, "size"))
    second = second if asked else [""] * len(second)
    return (f"{len(records):,}", *first, *second, limits_text(records))


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
        f"{PAPERS_LIMIT:,}",
    )


def _shares(solved: int, cases: int, seconds: float | None, *sizes: float | None) -> list[str]:
    return [
        f"{solved:,}",
        f"{100 * solved / cases:.1f} %",
        "" if seconds is None else seconds_text(seconds),
        *("" if size is None else f"{size:.1f}" for size in sizes),
    ]


def by_family(records: Sequence[RunRecord]) -> ResultTable:
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
    return ResultTable("By family", (*columns, *pairs), tuple(rows))


def by_technique(records: Sequence[RunRecord]) -> ResultTable:
    """A method a row: how many of its proved formulas came from each technique."""
    known = [record for record in latest(records) if has_formula(record)]
    techniques = sorted({_technique(record) for record in known})
    rows = []
    for config in configuration_names(known):
        own = [_technique(r) for r in known if r.run.configuration == config]
        rows.append((config, f"{len(own):,}", *(f"{own.count(name):,}" for name in techniques)))
    return ResultTable("Formulas by technique", ("method", "formulas", *techniques), tuple(rows))


def _technique(record: RunRecord) -> str:
    """The technique of a formula, where its result names one."""
    return record.result.data.get("technique") or "not recorded"


def unsolved(records: Sequence[RunRecord]) -> ResultTable:
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
    return ResultTable("Without a formula or a strategy", columns, tuple(rows), left=5)


TABLES: Final[Mapping[str, Tabulate]] = {
    "table4": beside_table4,
    "families": by_family,
    "techniques": by_technique,
    "unsolved": unsolved,
    **default_tables(),
}


NAME: Final = "impartial"
FILE: Final = "file"
FAMILY: Final = "family"
DEFECTIVE: Final = "defective"
"""The published variants of the games that have a repaired one."""

SUFFIXES: Final = (".pddl", ".ig")

_MAX_TEXT: Final = 2000


def _runs(selection: Selection) -> list[Run]:
    from qsage_validate.extensions.impartial.report import SynthesisMethod

    options = {name: _option(selection, name) for name in OPTIONS}
    methods = [method.value for method in SynthesisMethod]
    for solver in selection.solvers or ():
        if solver not in methods:
            raise UsageError(
                f"found the unknown method {quoted(solver)} for --solver, expected one of "
                f"{', '.join(methods)}"
            )
    for given in (selection.preprocessors, selection.encodings):
        if given:
            raise UsageError(f"found {given[0]!r} for {NAME}, which has methods alone (--solver)")
    configs = [Configuration(name, NO_ENCODING) for name in selection.solvers or methods[:1]]
    if selection.inputs:
        instances = list(_files(selection))
        if not instances:
            names = ", ".join(selection.inputs)
            raise UsageError(f"found no {' or '.join(SUFFIXES)} file in {names}")
    else:
        instances = list(_families(options["variant"]))
    strategy = (("strategy", options["strategy"]),)
    chosen = [
        replace(one, options=one.options + strategy) for one in instances[:: int(options["every"])]
    ]
    return selection.runs(NAME, chosen, configs)


def _option(selection: Selection, name: str) -> str:
    known = {"strategy": ("yes", "no"), "variant": ("repaired", "published", DEFECTIVE)}
    value = selection.options.get(name)
    if name == "every":
        if value is not None and not (value.isascii() and value.isdigit() and int(value)):
            raise UsageError(f"found {value!r} for every, expected a positive number")
        return value or "1"
    if value is not None and value not in known[name]:
        raise UsageError(f"found {value!r} for {name}, expected {' or '.join(known[name])}")
    return value or known[name][0]


def _files(selection: Selection) -> Iterator[Instance]:
    """The files among the inputs, and those of the language in folders, sorted in each folder.

    Names are relative to the folder that was given; the family is the file's folder.
    """
    for given in selection.inputs:
        for path in files_in([given], lambda path: path.endswith(SUFFIXES), selection.note):
            name = path if path == given else os.path.relpath(path, given)
            family = os.path.basename(os.path.dirname(os.path.abspath(path)))
            facts = (("sum", content_sum(path)),)
            yield Instance(family, name, (FILE, os.path.abspath(path)), facts)


def _families(variant: str) -> Iterator[Instance]:
    from qsage_validate.extensions.impartial.families import families

    for family in families():
        for game in family.games:
            made = "published" if variant == DEFECTIVE else variant
            if made == "published" and not game.published:
                continue  # what was published under this name is no game
            if variant == DEFECTIVE and not game.repaired:
                continue  # the two variants are one game
            source = (FAMILY, game.name, made)
            facts = (("variant", made),)
            yield Instance(f"{family.number} {family.title}", game.name, source, facts)


def game_of(source: Sequence[str]) -> ImpartialGame:
    """The game that an instance's source names; raises ``InputError`` for a malformed file."""
    if source[0] == FILE:
        from qsage_validate.extensions.impartial.parser import read_game

        return read_game(source[1])
    from qsage_validate.extensions.impartial.families import by_name

    return by_name()[source[1]].make(source[2])


def execute(run: Run) -> RunResult:
    """Synthesise, prove and cross-check; a run is decided by its formula, not by its strategy."""
    from qsage_validate.extensions.impartial.report import (
        SynthesisMethod,
        SynthesisOptions,
        Verdict,
        synthesise,
        to_dict,
    )

    watch = Stopwatch()
    try:
        game = game_of(run.source)
        options = SynthesisOptions(
            SynthesisMethod(run.solver),
            strategy=dict(run.options)["strategy"] == "yes",
            seconds=run.seconds,
            memory_mb=run.memory_mb,
            together=True,
        )
        synthesis = synthesise(game, options)
    except InputError as error:
        return RunResult(MALFORMED, decided=True, seconds=watch.seconds, why=str(error))
    data = _short(to_dict(synthesis))
    verdict = synthesis.verdict
    status, why = verdict.value, "" if verdict is Verdict.PROVED else data["reason"]
    if verdict is Verdict.CONTRADICTED:
        # A formula that z3 has proved and backward induction refutes: a fault of ours.
        status = WRONG
    elif verdict in (Verdict.IF_PLAYS_END, Verdict.ENDLESS):
        why = str(synthesis.termination)
    decided = verdict in (Verdict.PROVED, Verdict.IMPOSSIBLE, Verdict.ENDLESS)
    used = synthesis.formula_seconds + synthesis.strategy_seconds
    return RunResult(status, decided, used, why, data=data)


def _short(data: dict[str, Any]) -> dict[str, Any]:
    """The part of a report that is kept: numbers, and texts that are not too long."""
    strategy = data.get("strategy")
    if strategy is not None:
        data["strategy"] = {
            **{name: strategy[name] for name in ("outcome", "reason", "size", "seconds")},
            "rules": len(strategy["rules"]),
        }
    for name in ("formula", "formula_if_plays_end", "candidate"):
        if data[name] is not None and len(data[name]) > _MAX_TEXT:
            data[name] = f"{data[name][:_MAX_TEXT]} ..."
    data["warnings"] = data["warnings"][:5]
    del data["termination"]["reason"]
    return data


EXPERIMENT: Final = Experiment(
    name=NAME,
    runs=_runs,
    execute=execute,
    tables=TABLES,
    formulas=apart,
    inputs=f"files of impartial games ({', '.join(SUFFIXES)}) and folders with such; "
    "none: the families that come along",
    options=OPTIONS,
    processor_time=False,
)
