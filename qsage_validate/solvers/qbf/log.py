"""What programs wrote, as text for logs."""

from __future__ import annotations

from typing import Final

from qsage_validate.system.programs import Finished

_CHARACTERS: Final = 20_000


def shortened(finished: Finished) -> str:
    """Standard output, and standard error behind it, shortened in the middle."""
    text = (finished.stdout + finished.stderr).decode("utf-8", "replace")
    if len(text) > _CHARACTERS:
        half = _CHARACTERS // 2
        text = f"{text[:half]}\n[...]\n{text[-half:]}"
    return text
