"""Keys of JSON objects as programs write them: ``dont_cares`` for ``don't-cares``."""

from __future__ import annotations

import re
from collections.abc import Mapping


def snake_key(key: str) -> str:
    """``key`` in lower case, its words joined by underscores."""
    return re.sub(r"[ -]+", "_", key.replace("'", "")).lower()


def snake_case(value: Mapping[str, object]) -> dict[str, object]:
    """``value`` with such keys, in the objects inside of it, too."""

    def inner(part: object) -> object:
        if isinstance(part, dict):
            return snake_case(part)
        return [inner(each) for each in part] if isinstance(part, list) else part

    return {snake_key(key): inner(part) for key, part in value.items()}
