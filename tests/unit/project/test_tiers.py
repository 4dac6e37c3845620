"""The quick tests: what they leave out is marked, and the list of it names tests that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import COLLECTED, REPOSITORY
from tests.support.tiers import QUICK, dear, full_tests, listed, names_of


def test_marks_and_list_agree(request: pytest.FixtureRequest) -> None:
    """Of the files that were collected: the gate collects all of them in each process."""
    if any("::" in argument for argument in request.config.args):
        pytest.skip("files were collected in part")
    marked = request.config.stash[COLLECTED]
    files = {names_of(test)[0] for test in marked}
    names = {name: line for name, line in listed().items() if names_of(name)[0] in files}
    there = {name for test in marked for name in names_of(test)}
    assert [name for name in names if name not in there] == []
    full = {name for name, before in names.items() if before != QUICK}
    assert full == names.keys() & full_tests().keys()
    assert [t for t, is_marked in marked.items() if is_marked == full.isdisjoint(names_of(t))] == []


def test_files_of_the_list_are_there() -> None:
    assert full_tests()
    for name in listed():
        assert (REPOSITORY / names_of(name)[0]).is_file(), name


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
    path.write_text(
        "# seconds, name\n3.0 tests/a.py\n\nquick tests/c.py\n12.5 tests/b.py::b[x y]\n"
    )
    assert full_tests(path) == {"tests/a.py": 3.0, "tests/b.py::b[x y]": 12.5}
    path.write_text("3.0 tests/a.py\n2.0 tests/a.py\n")
    with pytest.raises(ValueError, match=r"full\.txt:2: found tests/a\.py a second time"):
        full_tests(path)


def test_the_list_is_made_of_what_is_dear() -> None:
    costs = {
        "a.py::one": 2.0,
        "a.py::two[x]": 0.1,
        "a.py::two[y]": 3.0,
        "a.py::many[x]": 1.0,
        "a.py::many[y]": 1.5,
        "b.py::one": 1.0,
        "b.py::two": 4.0,
        "c.py::kept": 9.0,
    }
    assert dict(dear(costs, ["c.py::kept"])) == {
        "a.py::many": 2.5,
        "a.py::one": 2.0,
        "a.py::two[y]": 3.0,
        "b.py": 5.0,
    }
    core = {f"tests/unit/kernel/test_a.py::{name}": s for name, s in costs.items()}
    assert len(dict(dear(core, []))) == 5, "what takes less than 1.5 s is quick"
