"""Faults that are drawn: one line each, by each rule of the grammar, the same for the same seed."""

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import islice
from pathlib import Path

import pytest

from research.benchmarks.mutation import CORE, Mutation, drawn, places
from research.benchmarks.tiers import (
    PACKAGE,
    Copy,
    Judged,
    Nearness,
    file_costs,
    judge,
    judged,
)
from tests.conftest import REPOSITORY

TEXT = '''\
"""No place is in here: 1 < 2 and 3."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Counted:
    """A class."""

    number: int = 7

    def below(self, most: int, *, closed: bool = False) -> bool:
        """Whether it is 3 < 4."""
        assert most > 0, "no place"
        if self.number < most and not closed:
            self.seen = [n for n in range(3) if n != most]
            return True
        while "é" in self.text and self.number >= most:
            print("x")
            self.number -= 1
            continue
        raise ValueError("no")
'''


def test_every_rule_has_its_places() -> None:
    found = {(m.rule, m.told(TEXT).partition("->  ")[2]) for m in places("a.py", TEXT)}
    assert found == {
        ("off by one", "number: int = 8"),
        ("constant", "def below(self, most: int, *, closed: bool = True) -> bool:"),
        ("negated", "if (not (self.number < most and not closed)):"),
        ("off by one", "if self.number <= most and not closed:"),
        ("swapped", "if self.number < most or not closed:"),
        ("dropped", "pass"),
        ("negated", "self.seen = [n for n in range(3) if (not (n != most))]"),
        ("off by one", "self.seen = [n for n in range(4) if n != most]"),
        ("constant", "self.seen = [n for n in range(3) if n == most]"),
        ("constant", "return False"),
        ("negated", 'while (not ("é" in self.text and self.number >= most)):'),
        ("constant", 'while "é" not in self.text and self.number >= most:'),
        ("swapped", 'while "é" in self.text or self.number >= most:'),
        ("off by one", 'while "é" in self.text and self.number > most:'),
        ("off by one", "self.number -= 2"),
    }
    dropped = [m.told(TEXT) for m in places("a.py", TEXT) if m.rule == "dropped"]
    assert [text.split(":")[1] for text in dropped] == ["16", "19", "20", "21", "22"]


def test_drawn_faults_are_one_line_each_in_every_part_and_of_every_rule() -> None:
    package = REPOSITORY / PACKAGE
    part = ("validation",)
    assert list(drawn(package, 1, part)) == list(drawn(package, 1, part))
    assert next(drawn(package, 1, part)) != next(drawn(package, 2, part))
    faults = list(islice(drawn(package, 1), 90))
    assert len(set(faults)) == 90
    assert [fault.file.split("/")[0] for fault in faults] == [*CORE] * 10
    rules = {"negated", "off by one", "swapped", "dropped", "constant"}
    assert {fault.rule for fault in faults} == rules
    for fault in faults:
        sound = (package / fault.file).read_text(encoding="utf-8")
        faulty = fault.apply(sound)
        pairs = list(zip(sound.split("\n"), faulty.split("\n"), strict=True))
        assert [a != b for a, b in pairs].index(True) == fault.line - 1
        assert sum(a != b for a, b in pairs) == 1
        compile(faulty, fault.file, "exec")


CONFTEST = """\
def pytest_collection_modifyitems(items):
    for item in items:
        if item.name.startswith("test_full"):
            item.add_marker("full")
"""
CONFIG = (
    '[tool.pytest.ini_options]\nmarkers = ["full: dear"]\naddopts = ["--import-mode=importlib"]'
)
QUICK = "from qsage_validate.kernel.sums import small\n\ndef test_sum():\n    assert small(1)\n"
FULL_NAMES = ("tests/unit/kernel/test_whole.py",)
FULL = "from qsage_validate.kernel.sums import equal\n\ndef test_full():\n    assert equal(2, 2)\n"
UNSOUND = "def test_aged():\n    assert False\n"
PROFILE = """\
from hypothesis import settings

settings.register_profile("unshrunk", settings())
"""


@pytest.fixture
def toy(tmp_path: Path) -> Copy:
    """A checkout with a module, two tests that look at it and one that always fails."""
    files = {
        "qsage_validate/__init__.py": "",
        "qsage_validate/kernel/__init__.py": "",
        "qsage_validate/kernel/sums.py": (
            "def small(a):\n    return a < 4\n\n\n"
            "def equal(a, b):\n    return a == b\n\n\n"
            "def idle(a):\n    return a + 0\n"
        ),
        "pyproject.toml": CONFIG,
        "tests/conftest.py": PROFILE + CONFTEST,
        "tests/unit/kernel/test_sums.py": QUICK,
        "tests/unit/kernel/test_whole.py": FULL,
        "tests/e2e/test_unsound.py": UNSOUND,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Copy(tmp_path)


def test_a_fault_is_noticed_by_a_tier_or_by_nobody(toy: Copy) -> None:
    module = toy.folder / PACKAGE / "kernel" / "sums.py"
    sound = module.read_text()
    nearness = Nearness(toy.folder, {}, FULL_NAMES)
    quick = [files for files, _ in nearness.portions("kernel/sums.py", "quick")]
    assert quick == [["tests/unit/kernel/test_sums.py"], ["tests/e2e/test_unsound.py"]]
    full = [files for files, _ in nearness.portions("kernel/sums.py", "full")]
    assert full == [["tests/unit/kernel/test_whole.py"]]
    by_line = {m.told(sound).partition("->  ")[2]: m for m in places("kernel/sums.py", sound)}

    def told(line: str) -> tuple[str, str]:
        found = judge(toy, nearness, by_line[line], 60.0)
        assert module.read_text() == sound
        return found.outcome, found.by

    assert told("return a < 5") == ("nobody", "")
    assert toy.deselected == ["tests/e2e/test_unsound.py::test_aged"]
    assert told("return a != b") == ("full", "tests/unit/kernel/test_whole.py::test_full")
    assert judge(toy, nearness, by_line["return a - 0"], -1.0).outcome == "open"


def test_a_fault_that_never_ends_is_noticed(toy: Copy) -> None:
    text = "def ended(a):\n    while a > 0:\n        a -= 1\n    return True\n"
    (toy.folder / PACKAGE / "kernel" / "loops.py").write_text(text)
    test = "from qsage_validate.kernel.loops import ended\n\ndef test_end():\n    assert ended(1)\n"
    (toy.folder / "tests/unit/kernel/test_loops.py").write_text(test)
    (fault,) = (m for m in places("kernel/loops.py", text) if m.rule == "dropped")
    toy.least = 3.0
    with toy.faulty(fault):
        ended = toy.run(["tests/unit/kernel/test_loops.py"], "", 0.0)
    assert ended.by.startswith("pytest ended with exit code -")


def test_what_is_known_is_not_asked_again(
    toy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state.jsonl"
    sound = (toy.folder / PACKAGE / "kernel" / "sums.py").read_text()
    faults = [m for m in places("kernel/sums.py", sound) if m.rule == "constant"][:2]
    answers: list[tuple[str, str]] = []

    def answered(_copy: Copy, _near: Nearness, mutation: Mutation, budget: float) -> Judged:
        return Judged(mutation.told(sound), mutation.rule, *answers.pop(0), 0.0, budget)

    monkeypatch.setattr("research.benchmarks.tiers.drawn", lambda package, seed: iter(faults))
    monkeypatch.setattr("research.benchmarks.tiers.judge", answered)

    def outcomes(full: Collection[str], budget: float = 60.0) -> list[str]:
        nearness = Nearness(toy.folder, {}, full)
        found = judged(toy, nearness, seed=1, noticed=1, budget=budget, state=state)
        return [one.outcome for one in found]

    answers += [("open", ""), ("quick", "a.py::test_b[x]")]
    assert outcomes(()) == ["open", "quick"]
    assert outcomes(("a.py::test_c",)) == ["open", "quick"]
    answers += [("full", "a.py::test_b[x]")]
    assert outcomes(("a.py::test_b",)) == ["open", "full"], "its test has left the quick ones"
    answers += [("nobody", "")]
    assert outcomes(("a.py::test_b",), 90.0) == ["nobody", "full"]
    assert not answers


def test_costs_are_summed_by_file(tmp_path: Path) -> None:
    path = tmp_path / "costs.jsonl"
    rows = [["tests/a.py::test_a", 1, 2, 0.5], ["tests/a.py::test_b[x]", 0, 1, 0]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert file_costs(path) == {"tests/a.py": 4.5}
