"""An event loop in a thread of its own, for clients that many tests share."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@contextmanager
def running_loop() -> Iterator[Run]:
    """While inside, what is handed on runs in one loop; its result is waited for."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield lambda work: asyncio.run_coroutine_threadsafe(work, loop).result(300)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
