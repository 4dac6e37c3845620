"""What proofs rest on stays small enough to be read, and is described as it is."""

from __future__ import annotations

import re

from tests.support.places import REPOSITORY

KERNEL = REPOSITORY / "qsage_validate" / "kernel"
LIMIT = 2600


def sizes() -> dict[str, int]:
    return {path.name: len(path.read_text().splitlines()) for path in KERNEL.glob("*.py")}


def test_the_kernel_is_small_enough_to_be_read() -> None:
    assert sum(sizes().values()) < LIMIT


def test_the_walk_names_every_file() -> None:
    named = set(re.findall(r"`([a-z_]+\.py)`", (KERNEL / "README.md").read_text()))
    assert sizes().keys() - {"__init__.py"} <= named
