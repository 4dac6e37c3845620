"""Folders for a while, with a mark by which a later run knows those that nobody uses any more.

A process that is killed leaves its folders behind.  The mark is a file that is locked as long as
the process lives, and that nobody else's folder has.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import fcntl
else:
    try:
        import fcntl
    except ImportError:  # a system other than Unix
        fcntl = None

PREFIX: Final = "qsage-"
MARK: Final = ".qsage-folder"
_OLD_SECONDS: Final = 24 * 3600.0


@contextlib.contextmanager
def marked_folder(parent: Path | None = None) -> Iterator[str]:
    """A new folder, in ``parent`` or where the system wants such, removed at the end.

    Folders of ended processes there that are older than a day are removed first.
    """
    remove_left(parent)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent, ignore_cleanup_errors=True) as name:
        mark = mark_folder(name)
        try:
            yield name
        finally:
            os.close(mark)


def mark_folder(name: str) -> int:
    """Mark a new folder as ours; the descriptor that is returned keeps the lock until it ends."""
    mark = os.open(os.path.join(name, MARK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    _lock(mark)
    return mark


def remove_left(parent: Path | None = None) -> None:
    """Remove the marked folders of ended processes that are older than a day."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(parent or tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and _is_left(entry.path):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_left(path: str) -> bool:
    """Whether a folder is ours, old, and of a process that has ended."""
    try:
        status = os.lstat(path)
        own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
        if not own or time() - status.st_mtime < _OLD_SECONDS:
            return False
        mark = os.open(os.path.join(path, MARK), os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False  # it is gone, or not marked
    try:
        return _lock(mark)
    finally:
        os.close(mark)


def _lock(descriptor: int) -> bool:
    """Lock a file; false where another process has it locked."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks
    return True
