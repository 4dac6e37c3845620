"""Tables that suit every experiment: counts by family and configuration, and each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

from qsage_validate.extensions.bench.campaign import latest
from qsage_validate.extensions.bench.run import RunRecord, RunResult
from qsage_validate.extensions.bench.table import ResultTable


def default_tables() -> dict[str, Callable[[Sequence[RunRecord]], ResultTable]]:
    """The tables of this module by name, for an experiment's ``tables``."""
    return {"summary": summary, "runs": all_runs, "times": times}


def by_processor(records: Sequence[RunRecord]) -> list[RunRecord]:
    """The records with processor time in the place of wall-clock time, where it is known.

    On a machine that has other work the first says more.
    """
    return [
        record
        if record.result.cpu_seconds is None
        else replace(record, result=replace(record.result, seconds=record.result.cpu_seconds))
        for record in records
    ]


def configuration_names(records: Sequence[RunRecord]) -> list[str]:
    """The configurations that occur, in the order in which they do."""
    return list(dict.fromkeys(record.run.configuration for record in records))


def counts(records: Sequence[RunRecord]) -> dict[tuple[str, str], int]:
    """Instances decided, by family and configuration; 0 where there were runs but none was."""
    found: dict[tuple[str, str], int] = {}
    for record in latest(records):
        place = record.run.family, record.run.configuration
        found[place] = found.get(place, 0) + record.result.decided
    return found


def summary(records: Sequence[RunRecord]) -> ResultTable:
    """By family: instances, and how many each configuration decided; below, totals and seconds."""
    known = latest(records)
    configs = configuration_names(records)
    families = list(dict.fromkeys(record.run.family for record in known))
    solved = counts(records)
    rows = []
    for family in families:
        instances = {r.run.instance for r in known if r.run.family == family}
        cells = (solved.get((family, config)) for config in configs)
        rows.append((family, str(len(instances)), *("" if n is None else str(n) for n in cells)))
    total = {r.run.instance for r in known}
    sums = [sum(n for (_, w), n in solved.items() if w == config) for config in configs]
    rows.append(("total", str(len(total)), *map(str, sums)))
    spent = [
        sum(r.result.seconds for r in known if r.run.configuration == config and r.result.decided)
        for config in configs
    ]
    rows.append(("seconds for these", "", *map(seconds_text, spent)))
    return ResultTable("Instances decided", ("family", "instances", *configs), tuple(rows))


def times(records: Sequence[RunRecord]) -> ResultTable:
    """An instance a row: the answer, and how long each configuration took (or why it has none)."""

    def time(result: RunResult) -> tuple[str]:
        return (seconds_text(result.seconds) if result.decided else result.status,)

    return by_instance("Seconds", records, [""], time)


def by_instance(
    title: str,
    records: Sequence[RunRecord],
    columns: Sequence[str],
    cells: Callable[[RunResult], Sequence[str]],
) -> ResultTable:
    """An instance a row: the answer, and for each configuration the cells of these columns."""
    known = latest(records)
    configs = configuration_names(records)
    places = {(r.run.instance, r.run.configuration): r.result for r in known}
    rows = []
    for instance in dict.fromkeys(r.run.instance for r in known):
        own = [places.get((instance, config)) for config in configs]
        answers = dict.fromkeys(result.status for result in own if result and result.decided)
        shown = [cells(result) if result else ("",) * len(columns) for result in own]
        rows.append((instance, " / ".join(answers) or "?", *chain(*shown)))
    names = [f"{config}: {what}" if what else config for config in configs for what in columns]
    return ResultTable(title, ("instance", "answer", *names), tuple(rows), left=2)


def all_runs(records: Sequence[RunRecord]) -> ResultTable:
    """Every record, in the order in which they were made."""
    rows = [
        (
            r.run.instance,
            r.run.configuration,
            r.result.status,
            seconds_text(r.result.seconds),
            "" if r.result.peak_mb is None else f"{r.result.peak_mb:,.0f}",
            "" if r.run.seconds is None else f"{r.run.seconds:g}",
            r.result.why,
        )
        for r in records
    ]
    columns = ("instance", "way", "result", "seconds", "peak MB", "limit s", "remark")
    return ResultTable("Runs", columns, tuple(rows), left=3)


def seconds_text(seconds: float) -> str:
    """Seconds with as many digits as they are worth."""
    return f"{seconds:.2f}" if seconds < 9.995 else f"{seconds:,.1f}"
