"""The quick tests: what they leave out is marked, and the list of it names tests that there are."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.support.tiers import full_tests, names_of


def collected(expression: str, files: Iterable[str]) -> list[str]:
    """The tests of some files that ``expression`` selects."""
    command = [sys.executable, "-m", "pytest", "-qq", "-n0", "--collect-only", "-p"]
    command += ["no:cacheprovider", "-m", expression, *files]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_marks_and_list_agree() -> None:
    listed = full_tests()
    assert listed
    files = sorted({names_of(name)[0] for name in listed})
    marked = collected("full", files)
    by_name = {name for test in marked for name in names_of(test)}
    assert [name for name in listed if name not in by_name] == []
    assert [test for test in marked if listed.keys().isdisjoint(names_of(test))] == []
    rest = collected("not full", files)
    assert [test for test in rest if not listed.keys().isdisjoint(names_of(test))] == []


def test_marks_are_made_from_the_list_alone() -> None:
    for path in (REPOSITORY / "tests").rglob("*.py"):
        assert "mark.full" not in path.read_text(encoding="utf-8").replace('"mark.full"', ""), path


def test_no_name_is_within_another() -> None:
    listed = full_tests()
    for name in listed:
        assert not listed.keys() & set(names_of(name)) - {name}, name


def test_each_package_of_the_core_has_quick_tests_of_its_own() -> None:
    left_out = full_tests()
    for package in (REPOSITORY / "tests" / "unit").iterdir():
        files = [path.relative_to(REPOSITORY).as_posix() for path in package.rglob("test_*.py")]
        assert not files or not left_out.keys() >= set(files), package


def test_a_name_stands_once_in_the_list(tmp_path: Path) -> None:
    path = tmp_path / "full.txt"
    path.write_text("# seconds, name\n3.0 tests/a.py\n\n12.5 tests/b.py::test_b[x y]\n")
    assert full_tests(path) == {"tests/a.py": 3.0, "tests/b.py::test_b[x y]": 12.5}
    path.write_text("3.0 tests/a.py\n2.0 tests/a.py\n")
    with pytest.raises(ValueError, match=r"full\.txt:2: found tests/a\.py a second time"):
        full_tests(path)
