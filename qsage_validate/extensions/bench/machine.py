"""The facts that times depend on: the machine, and the versions of programs."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

from qsage_validate import __version__
from qsage_validate.extensions.bench.run import Json

# Distributions that runs may rest on; those that are absent are left out.
_DISTRIBUTIONS: Final = ("python-sat", "numpy", "pyqbf", "clingo", "z3-solver", "distributed")


@cache
def machine_facts() -> Json:
    """Processor, cores, memory (MiB), system, Python, and versions of packages."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "memory_mb": _memory_mb(),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": {"qsage-validate": __version__} | _versions(),
    }


def machine_id(facts: Json) -> str:
    """A short identifier that is equal for equal facts."""
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def describe(facts: Json) -> str:
    versions = facts.get("versions")
    named = ", ".join(f"{n} {v}" for n, v in versions.items()) if isinstance(versions, dict) else ""
    memory = facts.get("memory_mb")
    gib = f"{memory / 1024:.0f} GiB, " if isinstance(memory, int) else ""
    return (
        f"{facts.get('cpu')}, {facts.get('cores')} cores, {gib}{facts.get('system')}, "
        f"{facts.get('python')}; {named}"
    )


def _versions() -> dict[str, str]:
    found = {}
    for name in _DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        # Not every system tells it so.
        pass
    return platform.processor() or platform.machine() or "unknown"


def _memory_mb() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    except (AttributeError, ValueError, OSError):
        return None
