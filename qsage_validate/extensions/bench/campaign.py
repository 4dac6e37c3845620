"""A campaign: the runs of an experiment that are still wanted, made and written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Final

from qsage_validate.extensions.bench.machine import machine_id
from qsage_validate.extensions.bench.results import ResultsFile
from qsage_validate.extensions.bench.run import Run, RunRecord
from qsage_validate.extensions.bench.scheduling import Scheduler

RETRY: Final = ("undecided", "all")
"""The choices of runs to repeat although they have results: undecided runs, or all runs."""


def remaining(
    runs: Iterable[Run], records: Sequence[RunRecord], retry: str | None = None
) -> list[Run]:
    """The runs that have no result yet.

    A question that was decided within some limits is decided within larger ones too.  With
    ``retry`` also those that were not decided (``"undecided"``), or every run (``"all"``).
    """
    if retry == "all":
        return list(runs)
    done = {r.run.key for r in records if retry != "undecided" or r.result.decided}
    decided: dict[object, list[Run]] = {}
    for record in records:
        if record.result.decided:
            decided.setdefault(record.run.question, []).append(record.run)
    return [
        run
        for run in runs
        if run.key not in done
        and not any(_within(earlier, run) for earlier in decided.get(run.question, ()))
    ]


def _within(one: Run, other: Run) -> bool:
    """True if the limits of ``one`` are no larger than those of ``other``.

    The processor time of a run is at most its wall-clock time, but not the reverse.
    """
    if one.processor_time and not other.processor_time:
        return False
    pairs = ((one.seconds, other.seconds), (one.memory_mb, other.memory_mb))
    return all(large is None or (small is not None and small <= large) for small, large in pairs)


@dataclass
class CampaignTally:
    """The progress of a campaign: results by status."""

    wanted: int
    finished: int = 0
    decided: int = 0
    by_status: Counter[str] = field(default_factory=Counter)

    def count(self, record: RunRecord) -> None:
        """Add a result."""
        self.finished += 1
        self.decided += record.result.decided
        self.by_status[record.result.status] += 1

    @property
    def statuses(self) -> str:
        """The number of results of each status, the largest first."""
        return ", ".join(f"{n} {status}" for status, n in self.by_status.most_common())

    def __str__(self) -> str:
        made = f"{self.finished} of {self.wanted} runs made"
        return f"{made}: {self.statuses}" if self.by_status else made


def run_campaign(
    reference: str,
    runs: Sequence[Run],
    file: ResultsFile,
    scheduler: Scheduler,
    tell: Callable[[RunRecord, CampaignTally], None],
) -> list[RunRecord]:
    """Make ``runs`` of the experiment at ``reference``; ``tell`` is called after each is written.

    The records are those made here.  Lines written before an exception stay written.
    """
    tally = CampaignTally(len(runs))
    records: list[RunRecord] = []
    if not runs:
        return records
    finished = scheduler.make(reference, runs)
    try:
        for run, result, facts in finished:
            when = datetime.now(timezone.utc).isoformat(timespec="seconds")
            record = RunRecord(run, result, machine_id(facts), when)
            file.add(record, facts)
            records.append(record)
            tally.count(record)
            tell(record, tally)
    finally:
        close = getattr(finished, "close", None)
        if close is not None:
            close()
    return records


def latest(records: Iterable[RunRecord]) -> list[RunRecord]:
    """One record for each question: a decided one if there is, else the one of largest limits.

    Among equals the last one counts.
    """
    chosen: dict[object, RunRecord] = {}
    for record in records:
        known = chosen.get(record.run.question)
        if known is None or _rank(record) >= _rank(known):
            chosen[record.run.question] = record
    return list(chosen.values())


def _rank(record: RunRecord) -> tuple[bool, float]:
    seconds = record.run.seconds
    return record.result.decided, float("inf") if seconds is None else seconds


def disagreements(records: Iterable[RunRecord]) -> list[str]:
    """The instances on which decided runs contradict each other, with the answer of each one."""
    said: dict[str, dict[bool, dict[str, None]]] = {}
    for record in records:
        if record.result.truth is not None:
            own = said.setdefault(record.run.instance, {True: {}, False: {}})
            own[record.result.truth][record.run.configuration] = None
    return [
        f"{instance}: true say {', '.join(own[True])}; false say {', '.join(own[False])}"
        for instance, own in said.items()
        if own[True] and own[False]
    ]
