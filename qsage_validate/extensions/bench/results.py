r"""Files of results: one JSON line for each run, and one for each machine.

The first line says what the file is.  A line is appended by one write to a descriptor that is
open for appending, and forced to the disk, so that a crash can tear the last line only.  A torn
line (one without its end) is no result: it is reported, cut off before the next line is written,
and its run is made again.  A file belongs to one experiment, and to one campaign at a time.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.errors import InputError, UsageError
from qsage_validate.extensions.bench.machine import machine_id
from qsage_validate.extensions.bench.run import Json, RunRecord, record_from_json
from qsage_validate.formats.json_text import Json as JsonValue
from qsage_validate.formats.json_text import parse_json
from qsage_validate.formats.source import Source, read_bytes

_FORMAT: Final = "qsage bench results 1"
_EXPECTED: Final = "results of qsage bench"


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


def read_results(path: str) -> Results:
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
    found = [read_results(path) for path in paths]
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
            # A compressed file can be read, but not be added to.
            raise InputError(path, 1, 1, "another kind of file", _EXPECTED)
        results = Results(path, experiment) if fresh else read_results(path)
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
