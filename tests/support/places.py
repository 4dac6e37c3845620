"""Where the repository's own files lie."""

from __future__ import annotations

from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parent.parent.parent
SAMPLES: Final = REPOSITORY / "certificates"
GOLDEN: Final = REPOSITORY / "tests" / "golden"
