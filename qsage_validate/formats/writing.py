"""Writing of files: whole, or not at all, and never over an input that is guarded."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from os import fspath

from qsage_validate.errors import InputError
from qsage_validate.formats.policy import check_inside
from qsage_validate.formats.source import STDIN, Path, check_writable
from qsage_validate.system.signals import orderly_termination


def write_atomic(path: Path, data: str | bytes, *, continued: bool = False) -> None:
    """Write ``data`` (text as UTF-8) so that ``path`` holds all of it or what it held before.

    A temporary file in the same directory is written and renamed; a link is followed, the
    permissions of a file that is replaced are kept.  ``-`` is standard output; pipes and
    devices are written straight on.  Raises :class:`InputError` when that is impossible, and
    ``UsageError`` for an input that is guarded, unless the file is ``continued``: it was read in
    order to be written anew.
    """
    if not continued:
        check_writable(path)
    content = data.encode() if isinstance(data, str) else data
    name = fspath(path)
    if name == STDIN:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    check_inside(name, writing=True)
    try:
        target = os.path.realpath(name)
        mode = os.stat(target).st_mode if os.path.exists(target) else None
        if mode is not None and stat.S_ISDIR(mode):
            raise InputError(name, None, None, "a directory", "a file that can be written")
        if mode is not None and not stat.S_ISREG(mode):
            with open(target, "wb") as stream:
                stream.write(content)
            return
        _replace(target, content, _permissions(mode))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        found = f"an error: {reason}"
        raise InputError(name, None, None, found, "a file that can be written") from None


def _permissions(mode: int | None) -> int:
    if mode is not None:
        return stat.S_IMODE(mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _replace(target: str, content: bytes, permissions: int) -> None:
    with orderly_termination():
        handle, temporary = tempfile.mkstemp(
            dir=os.path.dirname(target) or ".", prefix=f".{os.path.basename(target)[:100]}."
        )
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(temporary, permissions)
            os.replace(temporary, target)
        except BaseException:
            # Also on Ctrl-C: no half file, no litter; it may come just after the renaming.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
