"""A private folder for the files of runs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qsage_validate.system.signals import orderly_termination


@contextmanager
def workspace(parent: Path | None = None) -> Iterator[Path]:
    """A new folder (in ``parent``, else where the system wants such), removed whatever happens.

    That includes SIGTERM and SIGHUP, when entered in the main thread.
    """
    with (
        orderly_termination(),
        tempfile.TemporaryDirectory(
            prefix="qsage-", dir=parent, ignore_cleanup_errors=True
        ) as name,
    ):
        yield Path(name)
