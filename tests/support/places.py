"""Where the repository's own files lie."""

from __future__ import annotations

from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parent.parent.parent
SAMPLES: Final = REPOSITORY / "certificates"
NEEDS_AN_EXTRA: Final = (
    "qsage_validate.extensions.fast.connections_machine",
    "qsage_validate.extensions.fast.machine",
    "qsage_validate.extensions.fast.replies",
    "qsage_validate.extensions.fast.rounds_machine",
    "qsage_validate.extensions.lsp.server",
    "qsage_validate.extensions.mcp.server",
    "qsage_validate.play.web",
)
"""The modules that need their extras: numba compiles some, others are servers."""

NEEDS_UNIX: Final = ("qsage_validate.play.tui.terminal",)
"""The modules that are loaded where there are terminals of Unix."""

GOLDEN: Final = REPOSITORY / "tests" / "golden"
