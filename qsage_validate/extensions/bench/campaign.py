"""A campaign: the experiment by name, its runs in processes, and the file of results.

The first line says what the file is.  A line is appended by one write to a descriptor that is
open for appending, and forced to the disk, so that a crash can tear the last line only.  A torn
line (one without its end) is no result: it is reported, cut off before the next line is written,
and its run is made again.  A file belongs to one experiment, and to one campaign at a time.

An experiment is added by a line here: ``name: ("module:attribute", "a line of help")``, where the
attribute is an :class:`~qsage_validate.extensions.bench.experiment.Experiment`.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final, Protocol

from qsage_validate.api.values import FileSource, RowTable, as_paths, shown
from qsage_validate.errors import InputError, UsageError, counted, did_you_mean
from qsage_validate.extensions.bench.child import Child, find_experiment, run_in_child
from qsage_validate.extensions.bench.experiment import (
    Json,
    Run,
    RunRecord,
    RunResult,
    machine_facts,
    machine_id,
    record_from_json,
    result_from_json,
)
from qsage_validate.formats.json_text import Json as JsonValue
from qsage_validate.formats.json_text import as_json, parse_json
from qsage_validate.formats.source import PACKED, Source, read_bytes
from qsage_validate.formats.unpacking import compression
from qsage_validate.system.pool import check_scheduler

if TYPE_CHECKING:
    from qsage_validate.extensions.bench.experiment import Experiment, RunRecord


# Files of results: one JSON line for each run, and one for each machine


_FORMAT: Final = "qsage bench results 1"
_EXPECTED: Final = "results of qsage bench"
# A compressed file can be read, but not be added to.
_PLAIN: Final = "a plain one, to which results are added"


@dataclass(frozen=True)
class Results:
    """The contents of a file of results.

    ``torn`` is the number of a last line that is not whole, ``whole_bytes`` what comes before it.
    """

    path: str
    experiment: str
    records: tuple[RunRecord, ...] = ()
    machines: dict[str, Json] = field(default_factory=dict)
    torn: int | None = None
    whole_bytes: int = 0

    @property
    def warning(self) -> str | None:
        """The warning about a torn last line; ``None`` when the last line is whole."""
        if self.torn is None:
            return None
        return f"{self.path}:{self.torn}: the last line is torn; its run does not count"


def read_runs(path: str) -> Results:
    """Read a file of results; raises ``InputError`` with the line of what is malformed."""
    data = read_bytes(path)
    *lines, tail = data.split(b"\n")
    torn = len(lines) + 1 if tail else None
    if not lines:
        found = "an empty file" if not tail else "a torn line"
        raise InputError(path, 1, 1, found, _EXPECTED)
    experiment = _header(path, lines[0])
    records: list[RunRecord] = []
    machines: dict[str, Json] = {}
    for number, line in enumerate(lines[1:], start=2):
        fields = _fields(path, number, line)
        if fields["kind"].one_of("run", "machine") == "machine":
            identifier = fields["id"].line()
            machines[identifier] = dict(fields["facts"].mapping())
            continue
        records.append(record_from_json(fields))
        if records[-1].run.experiment != experiment:
            found = f"a run of the experiment {records[-1].run.experiment!r}"
            raise fields["run"]["experiment"].error(found, f"runs of {experiment!r}")
    return Results(path, experiment, tuple(records), machines, torn, len(data) - len(tail))


def read_all(paths: Sequence[str]) -> Results:
    """The results of several files as one; raises ``UsageError`` for different experiments."""
    found = [read_runs(path) for path in paths]
    first = found[0]
    for other in found[1:]:
        if other.experiment != first.experiment:
            raise UsageError(
                f"{other.path} has results of {other.experiment!r}, {first.path} of "
                f"{first.experiment!r}: expected one experiment"
            )
    if len(found) == 1:
        return first
    records = tuple(record for results in found for record in results.records)
    machines = {name: facts for results in found for name, facts in results.machines.items()}
    return Results(", ".join(paths), first.experiment, records, machines)


def _header(path: str, line: bytes) -> str:
    try:
        fields = _fields(path, 1, line)
    except InputError:
        raise InputError(path, 1, 1, "another kind of file", _EXPECTED) from None
    given = fields.get("format")
    if given is None or given.value != _FORMAT:
        raise InputError(path, 1, 1, "another kind of file", _EXPECTED)
    return fields["experiment"].line()


def _fields(path: str, number: int, line: bytes) -> JsonValue:
    found = parse_json(Source.decode(line, path, first_line=number), "a JSON object")
    found.mapping()
    return found


class ResultsFile:
    """A file of results open for appending; a lock keeps other processes from appending."""

    def __init__(self, path: str, descriptor: int, results: Results) -> None:
        self.results = results
        self._path = path
        self._descriptor = descriptor
        self._machines = set(results.machines)

    def add(self, record: RunRecord, facts: Json) -> None:
        """Append a record, and the facts of its machine if they are new."""
        if record.machine not in self._machines:
            self._append({"kind": "machine", "id": machine_id(facts), "facts": facts})
            self._machines.add(record.machine)
        self._append(record.to_dict())

    def _append(self, fields: Json) -> None:
        line = json.dumps(fields, ensure_ascii=False).encode() + b"\n"
        try:
            written = os.write(self._descriptor, line)
            if written < len(line):
                # A disk that is full takes a part; what it took is a torn line.
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._descriptor)
        except OSError as error:
            raise _unwritable(self._path, error) from None


@contextlib.contextmanager
def open_results(path: str, experiment: str) -> Iterator[ResultsFile]:
    """The file at ``path``, made if it is not there, for adding results of ``experiment``.

    A torn last line is cut off (see ``results.warning``).  Raises ``InputError`` for a file that
    cannot be written or holds something else, ``UsageError`` for one of another experiment or
    one that another campaign adds to.
    """
    if path.endswith(PACKED):
        raise InputError(path, None, None, "the name of a compressed file", _PLAIN)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InputError(path, None, None, "a device or pipe", "a file of results")
        _lock(path, descriptor)
        fresh = _is_fresh(descriptor, experiment)
        if not fresh and os.pread(descriptor, 1, 0) != b"{":
            packed = compression(os.pread(descriptor, 16, 0)) is not None
            found = "a compressed file" if packed else "another kind of file"
            raise InputError(path, 1, 1, found, _PLAIN if packed else _EXPECTED)
        results = Results(path, experiment) if fresh else read_runs(path)
        if results.experiment != experiment:
            raise UsageError(
                f"{path} has results of {results.experiment!r}, expected {experiment!r}: "
                "choose another file"
            )
        file = ResultsFile(path, descriptor, results)
        if fresh:
            os.ftruncate(descriptor, 0)
            file._append(_first_line(experiment))
        elif results.torn is not None:
            os.ftruncate(descriptor, results.whole_bytes)
        yield file
    finally:
        os.close(descriptor)


def _first_line(experiment: str) -> Json:
    return {"format": _FORMAT, "experiment": experiment}


def _is_fresh(descriptor: int, experiment: str) -> bool:
    """True if a file is empty, or has no more than a part of its first line."""
    whole = json.dumps(_first_line(experiment), ensure_ascii=False).encode()
    return whole.startswith(os.pread(descriptor, len(whole) + 1, 0))


def _lock(path: str, descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:
        return  # a system other than Unix
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"{path} is in use by another run of qsage bench") from None
    except OSError as error:
        # Some network file systems have no locks; appending is safe without.
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP):
            raise _unwritable(path, error) from None


def _unwritable(path: str, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(path, None, None, f"an error: {reason}", "a file that can be written")


# The place of runs: some at a time on this machine, or on the machines of a Dask cluster


Made = tuple[Run, RunResult, Json]
"""A run, its result, and the facts of the machine that it was made on."""


class Scheduler(Protocol):
    """Makes runs, in whatever order."""

    def make(self, reference: str, runs: Sequence[Run]) -> Iterator[Made]:
        """The runs of the experiment at ``reference`` as they are finished.

        When the iterator is closed, or an exception passes through it, those that have not
        finished are ended.
        """
        ...


class LocalScheduler:
    """At most ``jobs`` runs at a time on this machine, each in a process."""

    def __init__(self, jobs: int = 1) -> None:
        self._jobs = jobs

    def make(self, reference: str, runs: Sequence[Run]) -> Iterator[Made]:
        lock, children, stopped = threading.Lock(), set[Child](), False

        def make_one(run: Run) -> Made | None:
            with lock:
                if stopped:
                    return None
                child = Child(reference, run)
                children.add(child)
            result, facts = child.wait()
            with lock:
                children.discard(child)
            return run, result, facts

        pool = ThreadPoolExecutor(self._jobs)
        try:
            for future in as_completed([pool.submit(make_one, run) for run in runs]):
                if (made := future.result()) is not None:
                    yield made
        finally:
            with lock:
                stopped = True
                for child in children:
                    child.kill()
            pool.shutdown(cancel_futures=True)


class DaskScheduler:
    """The workers of the Dask scheduler at an address, as many at a time as they have threads.

    Raises ``UsageError`` where no scheduler answers, when it is made and when it makes runs.
    """

    def __init__(self, address: str) -> None:
        check_scheduler(address)
        self._address = address

    def make(self, reference: str, runs: Sequence[Run]) -> Iterator[Made]:
        import distributed

        # Typed in part only, and its calls are not.
        connect: Any = distributed.Client
        with connect(self._address, set_as_default=False) as client:
            yield from _finished(client, reference, runs)


def _finished(client: Any, reference: str, runs: Sequence[Run]) -> Iterator[Made]:
    import distributed

    completed: Any = distributed.as_completed
    # Not pure: what was run before may be wanted anew.
    futures = {client.submit(run_in_child, reference, run, pure=False): run for run in runs}
    try:
        for future in completed(list(futures), loop=client.loop):
            run = futures[future]
            error = future.exception()
            if error is None:
                fields, facts = future.result()
                yield run, result_from_json(as_json(fields, "a result"), run.experiment), facts
            else:
                why = f"its worker failed: {type(error).__name__}: {error}".partition("\n")[0]
                yield run, RunResult("crashed", False, 0.0, why), machine_facts()
    finally:
        client.cancel(list(futures))


# A campaign: the runs of an experiment that are still wanted, made and written down


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


# The experiments by name; each is imported when it is asked for


_EXPERIMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "table2": (
        "qsage_validate.extensions.bench.papers.table2:EXPERIMENT",
        "the games of the paper's Table 2 at the printed depths, and their critical depths",
    ),
    "models": (
        "qsage_validate.extensions.bench.solving:MODELS",
        "games from folders of BDDL files: each problem with the domain beside it",
    ),
    "formulas": (
        "qsage_validate.extensions.bench.solving:FORMULAS",
        "formulas from QCIR and QDIMACS files",
    ),
    "encodings": (
        "qsage_validate.extensions.bench.solving:EXPERIMENT",
        "formulas by any encoder: which of them are those of a game (--game or --model)",
    ),
    "httt": (
        "qsage_validate.extensions.bench.papers.httt:EXPERIMENT",
        "polyominoes on 5x5 and 4x4, Black's win and White's block in turn (COR+, COVER, PAIRING)",
    ),
    "positional": (
        "qsage_validate.extensions.bench.papers.positional:EXPERIMENT",
        "positional games from PG and .hex files: eight encodings, and search on the rules",
    ),
    "gdl": (
        "qsage_validate.extensions.bench.papers.gdl:EXPERIMENT",
        "games in GDL at the depths of their paper's Table 2: four encodings, minimax, and BDDL",
    ),
    "impartial": (
        "qsage_validate.extensions.bench.papers.impartial:EXPERIMENT",
        "winning formulas and strategies of impartial games, from files or of the families",
    ),
}


def experiments() -> dict[str, str]:
    """The names of the experiments with a line of help each."""
    return {name: text for name, (_, text) in _EXPERIMENTS.items()}


def reference(name: str) -> str:
    """The place of an experiment as ``module:attribute``; ``UsageError`` lists the names."""
    try:
        return _EXPERIMENTS[name][0]
    except KeyError:
        names = ", ".join(_EXPERIMENTS)
        raise UsageError(
            f"found the unknown experiment {name!r}{did_you_mean(name, _EXPERIMENTS)}, "
            f"expected one of {names}"
        ) from None


def get_experiment(name: str) -> Experiment:
    """The experiment called ``name``; raises ``UsageError`` with the names that there are."""
    return find_experiment(reference(name))


# Results in notebooks


@dataclass(frozen=True)
class BenchResults(RowTable):
    """The runs of a file of results: ``experiment`` is their name, ``warning`` what is torn."""

    experiment: str
    warning: str | None = None

    def __repr__(self) -> str:
        return f"<BenchResults {self.experiment}, {counted(len(self), 'run')}>"


def read_results(path: FileSource) -> BenchResults:
    """The runs that ``qsage bench`` has written to a JSONL file, a row for each.

    The columns are those of the run (``instance``, ``configuration``, ``limit_seconds``, …), of
    its result (``status``, ``seconds``, …), the ``machine`` and the time (``when``, UTC).  Raises
    ``InputError`` with the line of what is malformed.
    """
    with as_paths(results=path) as files:
        found = read_runs(files["results"] or "")
    warning = found.warning
    if warning is not None and found.path != shown("results", path):
        warning = warning.replace(found.path, shown("results", path) or "", 1)
    return BenchResults(tuple(map(_row, found.records)), found.experiment, warning)


def _row(record: RunRecord) -> Mapping[str, object]:
    fields = record.to_dict()
    run, result = fields.pop("run"), fields.pop("result")
    del fields["kind"]
    assert isinstance(run, dict), "a record has its run"
    assert isinstance(result, dict), "a record has its result"
    limits = {"limit_seconds": run.pop("seconds"), "limit_mb": run.pop("memory_mb")}
    return {**run, "configuration": record.run.configuration, **limits, **result, **fields}
