"""The place of runs: some at a time on this machine, or on the machines of a Dask cluster."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, Protocol

from qsage_validate.extensions.bench.child import Child, run_in_child
from qsage_validate.extensions.bench.machine import machine_facts
from qsage_validate.extensions.bench.run import Json, Run, RunResult, result_from_json
from qsage_validate.formats.json_text import as_json
from qsage_validate.system.cluster import check_scheduler

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
