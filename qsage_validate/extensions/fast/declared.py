"""Which games are searched more quickly, and by what; whether numba is there, and its folder.

Nothing of numba is loaded.  The folder's name depends on the sources, for numba looks at one file
of a compiled function only.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from functools import cache
from importlib import metadata, util
from pathlib import Path
from typing import Final

from qsage_validate.errors import UsageError
from qsage_validate.solvers.search_engine import DeclaredEngine

# Which games are searched more quickly, and by what; nothing else is loaded


ENGINES: Final = (
    DeclaredEngine(
        languages=("bddl", "gdl"),
        general=f"{__package__}.engines:general",
        stage=f"{__package__}.engines:stage",
        check=f"{__package__}.declared:check_compiled",
        farm=f"{__package__}.farm:farmed",
    ),
)


# Whether numba is there, and where its machine code is kept: in the user's cache folder


LEAST_NUMBA = (0, 61)
"""The first release for NumPy 2.2."""


@cache
def why_not_compiled() -> str:
    """Why there is no compiled engine, in words; empty where there is one."""
    if util.find_spec("numba") is None:
        return "numba is not installed (the extra 'fast' has it)"
    try:
        version = metadata.version("numba")
    except metadata.PackageNotFoundError:
        version = "of an unknown version"
    least = ".".join(map(str, LEAST_NUMBA))
    parts = version.split(".")[:2]
    if not all(part.isdigit() for part in parts) or tuple(map(int, parts)) < LEAST_NUMBA:
        return f"numba {version} is installed, expected {least} or later"
    return ""


def check_compiled() -> None:
    """Raises ``UsageError`` where there is no compiled engine."""
    why = why_not_compiled()
    if why:
        raise UsageError(f"found the engine fast, but {why}")


@cache
def is_kept(function: str) -> bool:
    """True if machine code of a function, as ``machine.run``, is in the user's cache folder."""
    if why_not_compiled() or "NUMBA_CACHE_DIR" in os.environ:
        return False
    folder = cache_folder(Path(__file__).parent, metadata.version("numba"))
    return folder is not None and any(folder.glob(f"*/{function}-*.nbc"))


def cache_folder(sources: Path, version: str) -> Path | None:
    """The user's folder for the machine code of some sources; ``None`` where it is not writable."""
    home = os.environ.get("XDG_CACHE_HOME")
    if sys.platform == "darwin":
        base = Path("~/Library/Caches").expanduser()
    else:
        base = Path(home) if home else Path("~/.cache").expanduser()
    digest = hashlib.sha256(version.encode())
    for source in sorted(sources.glob("*.py")):
        digest.update(source.read_bytes())
    folder = base / "qsage-validate" / f"compiled-{digest.hexdigest()[:16]}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    return None
