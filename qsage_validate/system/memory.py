"""How much memory a running program has used, and how much this one may use."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path
from typing import Final

_LINE: Final = re.compile(r"^(VmPeak|VmHWM):\s*(\d+) kB$", re.MULTILINE)
_KILOBYTES: Final = 1024


def limit_memory(memory_mb: int) -> None:
    """Let this process, and those that it starts, have at most ``memory_mb`` MiB each."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = memory_mb << 20
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


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
