"""Plays at the prompt, word for word; see ``tests/support/table_playthrough.py``."""

from __future__ import annotations

import pytest

from tests.support.table_playthrough import COMMAND, EXAMPLES, GOLDEN, table_playthrough


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_play_is_as_committed(name: str) -> None:
    committed = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert table_playthrough(name) == committed, f"if this is meant: {COMMAND}"


def test_every_committed_play_is_one_of_the_examples() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(EXAMPLES)
