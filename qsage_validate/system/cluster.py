"""The Dask scheduler at an address: whether there is one, before anything is begun."""

from __future__ import annotations

import asyncio
import socket
import threading
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import Any, Final

from qsage_validate.errors import MissingExtraError, UsageError

_CONNECT_SECONDS: Final = 1.5


def check_scheduler(address: str) -> None:
    """Raise ``UsageError`` where no Dask scheduler answers, within three seconds.

    Raises ``MissingExtraError`` where Dask is not installed.
    """
    # Dask takes a second to import, on a busy machine several: an address where nobody answers is
    # found without it.
    if find_spec("distributed") is None:
        raise MissingExtraError("--scheduler", "cluster")
    try:
        _dial(address)
        asyncio.run(_shake_hands(address))
    except Exception as error:  # noqa: BLE001 - whatever Dask makes of a stranger's answer
        reason = "who listens there does not speak its protocol"
        if isinstance(error, OSError | ValueError) and str(error):
            reason = str(error).partition("\n")[0]
        raise UsageError(f"no Dask scheduler answers at {address!r}: {reason}") from None


def _dial(address: str) -> None:
    """Raise ``OSError`` or ``ValueError`` where no program answers at a TCP address.

    A scheduler speaks first, unless the connection is encrypted.
    """
    scheme, _, listener = address.rpartition("://")
    host, _, port = listener.rpartition(":")
    if scheme not in ("", "tcp", "tls"):
        return
    if not host or not port.isdecimal():
        raise ValueError("expected an address such as tcp://HOST:8786")
    result: SimpleQueue[OSError | None] = SimpleQueue()

    def dial() -> None:
        try:
            place = (host.strip("[]"), int(port))
            with socket.create_connection(place, _CONNECT_SECONDS) as connection:
                if scheme != "tls" and not connection.recv(1):
                    raise ConnectionError("the connection was closed")
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
