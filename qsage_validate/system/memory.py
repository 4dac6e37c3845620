"""Memory: the peak of a running program, and the limit of this one."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from qsage_validate.errors import UsageError

if TYPE_CHECKING:
    import resource
else:
    try:
        import resource
    except ImportError:  # a system other than Unix
        resource = None

_LINE: Final = re.compile(r"^(VmPeak|VmHWM):\s*(\d+) kB$", re.MULTILINE)
_KILOBYTES: Final = 1024


def limit_memory(memory_mb: int) -> None:
    """Limit this process and each of its children to ``memory_mb`` MiB.

    Raises ``UsageError`` where the system has no such limits.
    """
    check_limits("a limit of memory")
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = memory_mb << 20
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


@contextmanager
def more_memory_at_most(memory_mb: int | None) -> Iterator[None]:
    """While inside, this process gets ``memory_mb`` MiB beside what it has; ``None``: all it wants.

    Where the system does not tell what it has, or has no limits, nothing is limited.
    """
    used = None if memory_mb is None or resource is None else _address_space()
    if used is None or memory_mb is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = used + (memory_mb << 20)
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([wanted, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space() -> int | None:
    """The bytes of this process's address space, where the system tells."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    except OSError:
        return None
    return int(pages) * resource.getpagesize()


def physical_mb() -> int | None:
    """The megabytes of memory of this machine, where the system tells."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 1_000_000
    except (AttributeError, OSError, ValueError):
        return None


def lacks_memory(error: Exception) -> bool:
    """True if an error is ``MemoryError``, or another form of it: of the system, of an import."""
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, ImportError):
        return "map segment" in str(error) or "allocate memory" in str(error)
    return isinstance(error, RuntimeError) and "can't start new thread" in str(error)


def no_core_files() -> None:
    """Have the system write no core file when this process is aborted.

    Systems without limits of resources write none.
    """
    if resource is not None:
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


def check_limits(wanted: str) -> None:
    """Raise ``UsageError`` for what needs Unix's limits, where Python does not have them."""
    if resource is None:
        raise UsageError(f"{wanted} needs Unix: this Python has no module 'resource'")


def resources_used() -> tuple[float, float] | tuple[None, None]:
    """Processor seconds and peak memory (MiB) of this process and its finished children.

    ``None`` where the system does not count.
    """
    if resource is None:
        return None, None
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usages), max(map(_resident_mb, usages))


class MemoryUse:
    """The greatest use of memory that was seen, in megabytes.

    What the system tells of an ended child is never less than its parent had at the start, so
    that small programs would all look as large as we are; where ``/proc`` tells more, it is
    looked at while the program runs.  A program that ended before the first look (some
    milliseconds) has the system's figure: an upper bound.
    """

    def __init__(self) -> None:
        self.address_space_mb = 0.0
        self._resident_mb = 0.0
        self._ours_mb = _resident_mb(resource.getrusage(resource.RUSAGE_SELF))

    def look(self, pid: int) -> None:
        """Take note of what the process ``pid`` has used so far; nothing where that is unknown."""
        try:
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            return
        used = {name: int(kilobytes) / _KILOBYTES for name, kilobytes in _LINE.findall(status)}
        self.address_space_mb = max(self.address_space_mb, used.get("VmPeak", 0.0))
        self._resident_mb = max(self._resident_mb, used.get("VmHWM", 0.0))

    def peak_mb(self, usage: resource.struct_rusage) -> float:
        """The peak of resident memory; ``usage`` is what the system tells at the end."""
        told = _resident_mb(usage)
        if told <= self._ours_mb and self._resident_mb:
            return self._resident_mb
        return told


def _resident_mb(usage: resource.struct_rusage) -> float:
    scale = _KILOBYTES * _KILOBYTES if sys.platform == "darwin" else _KILOBYTES
    return usage.ru_maxrss / scale
