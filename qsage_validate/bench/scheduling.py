"""The place of runs: some at a time on this machine, or on the machines of a Dask cluster."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol

from qsage_validate.bench.child import Child, run_in_child
from qsage_validate.bench.machine import machine_facts
from qsage_validate.bench.run import Json, Run, RunResult, result_from_json
from qsage_validate.errors import MissingExtraError, UsageError
from qsage_validate.formats.json_text import as_json, parse_json
from qsage_validate.formats.source import Source

Made = tuple[Run, RunResult, Json]
"""A run, its result, and the facts of the machine that it was made on."""

_CONNECT_SECONDS: Final = 1.5


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


def address_in(path: str) -> str:
    """The address in the file that a Dask scheduler writes (``--scheduler-file``).

    Raises ``InputError`` for a file that is not there or is another one.
    """
    return parse_json(Source.open(path), "what 'dask scheduler' has written")["address"].line()


class DaskScheduler:
    """The workers of the Dask scheduler at an address, as many at a time as they have threads.

    Raises ``UsageError`` where no scheduler answers, when it is made and when it makes runs.
    """

    def __init__(self, address: str) -> None:
        # Whether it is there is known before anything starts; to import it takes a second.
        if find_spec("distributed") is None:
            raise MissingExtraError("--scheduler", "cluster")
        self._address = address
        try:
            _dial(address)
            asyncio.run(_shake_hands(address))
        except Exception as error:  # noqa: BLE001 - whatever Dask makes of a stranger's answer
            reason = "who listens there does not speak its protocol"
            if isinstance(error, OSError | ValueError) and str(error):
                reason = str(error).partition("\n")[0]
            raise UsageError(f"no Dask scheduler answers at {address!r}: {reason}") from None

    def make(self, reference: str, runs: Sequence[Run]) -> Iterator[Made]:
        import distributed

        # Typed in part only, and its calls are not.
        connect: Any = distributed.Client
        with connect(self._address, set_as_default=False) as client:
            yield from _finished(client, reference, runs)


def _dial(address: str) -> None:
    """Raise ``OSError`` or ``ValueError`` where no program listens at a TCP address."""
    scheme, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    if scheme not in ("", "tcp", "tls"):
        return
    if not host or not port.isdecimal():
        raise ValueError("expected an address such as tcp://HOST:8786")
    result: SimpleQueue[OSError | None] = SimpleQueue()

    def dial() -> None:
        try:
            socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
            result.put(None)
        except (OSError, OverflowError) as error:
            result.put(OSError(str(error)))

    # In a thread: to look up the name has no limit of its own.
    threading.Thread(target=dial, daemon=True).start()
    try:
        error = result.get(timeout=_CONNECT_SECONDS)
    except Empty:
        raise TimeoutError(f"no answer in {_CONNECT_SECONDS} s") from None
    if error is not None:
        raise error


async def _shake_hands(address: str) -> None:
    """Raise an exception where the program at the address does not speak Dask's protocol."""
    from distributed.comm.core import connect

    dial: Any = connect
    comm = await asyncio.wait_for(dial(address, timeout=_CONNECT_SECONDS), _CONNECT_SECONDS)
    comm.abort()


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
