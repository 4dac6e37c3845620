"""Files of answers, changed and sealed anew, as anyone can do it."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def resealed(content: dict[str, Any]) -> dict[str, Any]:
    """The content with the digest of its answers, behind all else."""
    text = json.dumps(content["answers"], sort_keys=True)
    rest = {name: value for name, value in content.items() if name != "sha256"}
    return rest | {"sha256": hashlib.sha256(text.encode()).hexdigest()}
