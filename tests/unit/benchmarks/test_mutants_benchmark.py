"""The list of faults fits the package as it is, and a fault is caught where a test fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from research.benchmarks.mutants import FAULTS, PACKAGE, UNIT, Fault, copied, examine
from tests.conftest import REPOSITORY


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.file}: {fault.what}")
def test_each_fault_is_one_line_of_the_package_and_its_tests_are_there(fault: Fault) -> None:
    sound = (REPOSITORY / PACKAGE / fault.file).read_text(encoding="utf-8")
    faulty = fault.apply(sound)
    pairs = zip(sound.splitlines(), faulty.splitlines(), strict=True)
    assert sum(before != after for before, after in pairs) == 1
    compile(faulty, fault.file, "exec")
    assert fault.tests
    assert [t for t in fault.tests if not (REPOSITORY / UNIT / t).is_file()] == []


def test_no_fault_stands_twice_in_the_list() -> None:
    assert len(FAULTS) >= 20
    assert len({(fault.file, fault.old) for fault in FAULTS}) == len(FAULTS)
    assert len({(fault.file, fault.what) for fault in FAULTS}) == len(FAULTS)


def test_a_text_that_is_not_there_once_is_no_fault() -> None:
    fault = Fault("a.py", "", "x", "y", ())
    for text in ("", "x x"):
        with pytest.raises(ValueError, match=r"a\.py: found 'x'"):
            fault.apply(text)


QUICK = """\
from qsage_validate.formats.numbers import __doc__ as text

def test_first() -> None:
    assert text is not None

def test_second() -> None:
    assert "faulty" not in text
"""


def test_a_fault_is_caught_missed_or_not_run_and_taken_out_again(tmp_path: Path) -> None:
    copied(tmp_path)
    (tmp_path / UNIT / "test_quick.py").write_text(QUICK, encoding="utf-8")
    path = tmp_path / PACKAGE / "formats" / "numbers.py"
    sound = path.read_text(encoding="utf-8")
    first = sound.splitlines()[0]

    def examined(new: str, seconds: float = 60.0) -> tuple[str, str]:
        fault = Fault("formats/numbers.py", "", first, new, ("test_quick.py",))
        found = examine(1, fault, tmp_path, seconds)
        assert path.read_text(encoding="utf-8") == sound
        return found.caught_by, found.why

    assert examined(first.replace('"""', '"""faulty ', 1)) == ("test_quick.py::test_second", "")
    assert examined(first.replace('"""', '"""harmless ', 1)) == ("", "all tests pass")
    assert examined("no python " + first) == ("", "pytest ended with exit code 2")
    assert examined(first, seconds=0.001) == ("", "no answer within 0.001 seconds")
