"""Two thousand damaged files, by reader and by command; a hundred thousand are made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from research.benchmarks import fuzz

CASES = 800


@pytest.mark.slow
def test_damaged_files_are_values_or_lines() -> None:
    told: list[str] = []
    assert fuzz.main(["--cases", str(CASES), "--seed", "2026"], told.append) == 0, told
    assert "| transcript |" in told[-1]


def test_a_campaign_is_continued_and_the_same_again(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    first, again, whole = list[str](), list[str](), list[str]()
    for cases, told in (("11", first), ("22", again)):
        fuzz.main(["--cases", cases, "--seed", "3", "--state", str(state)], told.append)
    fuzz.main(["--cases", "22", "--seed", "3"], whole.append)
    assert again[-1] == whole[-1]
    assert first[-1] != again[-1]
    with pytest.raises(SystemExit, match="is of the seed 3"):
        fuzz.main(["--cases", "22", "--seed", "4", "--state", str(state)])


def test_what_a_fault_is() -> None:
    assert fuzz.fault_of(0, "fine\n", "", 1.0) == ""
    assert fuzz.fault_of(2, "", "f:1:1: found x, expected y\n", 1.0) == ""
    for code, out, err, seconds in (
        (Exit.INTERNAL, "", "qsage: internal error: KeyError", 1.0),
        (1, "", "Traceback (most recent call last):", 1.0),
        (2, "", "", 1.0),
        (0, "a\x1b[2J", "", 1.0),
        (0, "", "", 99.0),
    ):
        assert fuzz.fault_of(code, out, err, seconds)
