"""Do the quick tests notice what all tests notice?  Drawn faults, put in one at a time.

Called by ``mutants.py --drawn N``.  A fault of the grammar in ``mutation.py`` is put into a copy of
the checkout, and the quick tests run there, the nearest first, up to the first that fails; where
none does, those that are marked ``full`` run.  Nearest are test files that import the faulty module,
then those of its package, then those that import something of its package, then the rest.

What became of a fault is one of these:

quick    a quick test fails that passes without the fault
full     no quick test fails, but one that is marked ``full``: the quick tests miss it
nobody   all tests pass: the line does nothing that a test looks at, or the fault changes nothing
open     the budget of the fault was used up, and no test had failed

Faults are drawn until ``N`` of them were noticed.
"""

from __future__ import annotations

import ast
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

import pytest

from research.benchmarks.mutation import Mutation, drawn
from tests.support.tiers import names_of

PACKAGE: Final = "qsage_validate"
MEMORY: Final = 16 << 30  # numba reserves much more than it uses
"""Bytes of address space of a run: a loop without an end is not to fill the machine's memory."""
ALONE: Final = 20.0
"""Seconds of processor time of the files that one run of pytest is given, as far as known."""
UNKNOWN: Final = 3.0
"""Seconds that a test file is taken to need when nobody has measured it."""


Portion: TypeAlias = tuple[list[str], float]
"""Test files for one run of pytest, and the processor time that they are expected to take."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a drawn fault within ``budget``; ``by`` is the test that noticed it."""

    fault: str
    rule: str
    outcome: str
    by: str
    seconds: float
    budget: float


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run of pytest ended: ``by`` is the test that failed, or what happened instead."""

    by: str
    seconds: float


@dataclass
class Copy:
    """A copy of the checkout at ``folder``, into which faults are put."""

    folder: Path
    deselected: list[str] = field(default_factory=list)
    """Tests that fail without any fault."""
    least: float = 60.0
    """Seconds of processor time that a run may take, were its tests expected to take none."""
    _written: int = 0

    @classmethod
    def of(cls, root: Path, folder: Path) -> Copy:
        """Copy what git knows of the checkout at ``root``, and what is new in it."""
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=root, capture_output=True, check=True).stdout
        for name in filter(None, names.decode().split("\0")):
            if (root / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / name, folder / name)
        return cls(folder)

    @contextmanager
    def faulty(self, mutation: Mutation) -> Iterator[None]:
        """Have the fault in the copy."""
        path = self.folder / PACKAGE / mutation.file
        sound = path.read_text(encoding="utf-8")
        self._write(path, mutation.apply(sound))
        try:
            yield
        finally:
            self._write(path, sound)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        # Python takes a file for the same when its size and the second of its change are.
        self._written += 1
        second = 1_000_000_000 + self._written
        os.utime(path, (second, second))

    def run(self, selected: Sequence[str], expression: str, expected: float) -> Ended:
        """Run tests up to the first that fails, and look whether it passes without the fault."""
        # With CI the random tests ask the same questions each time.
        own = {"PYTHONPATH": str(self.folder), "CI": "1"}
        options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "--hypothesis-profile=unshrunk"]
        options += [f"--deselect={name}" for name in self.deselected]
        options += ["-m", expression] if expression else []
        most = int(self.least + 10 * expected)
        limits = f'ulimit -v {MEMORY >> 10} && ulimit -t {most} && exec "$@"'
        command = ["sh", "-c", limits, "sh", sys.executable, "-m", "pytest", *options, *selected]
        output = self.folder / ".output"
        with output.open("wb") as out:
            process = subprocess.Popen(
                command, cwd=self.folder, env={**os.environ, **own}, stdin=subprocess.DEVNULL,
                stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            process.returncode, seconds = _waited(process.pid, 20.0 * most)
        told = output.read_text(encoding="utf-8", errors="replace")
        return Ended(_said(process.returncode, told), seconds)

    def passes(self, test: str, expected: float) -> bool:
        """Whether a test passes without any fault."""
        by = self.run([test], "", expected).by
        if by == f"pytest ended with exit code {int(pytest.ExitCode.USAGE_ERROR)}":
            # A name in the report may be cut short; the function has it without its parameters.
            by = self.run([test.partition("[")[0]], "", expected).by
        return not by


def _waited(process: int, seconds: float) -> tuple[int, float]:
    """The exit code of a process, and the processor time of it and of those it has waited for."""
    last = time.monotonic() + seconds
    while True:
        ended, status, used = os.wait4(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
        if time.monotonic() > last:
            os.killpg(process, 9)
            _, status, used = os.wait4(process, 0)
            return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
        time.sleep(0.1)


def _said(code: int, output: str) -> str:
    """The test that failed; the empty text where none did."""
    if code in (0, 5):  # 5: no test was selected
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (tests/\S+?(?:::.*?)?)(?: - .*)?$", output, re.M)
    return failed[1] if failed else f"pytest ended with exit code {code}"


@dataclass(frozen=True)
class Nearness:
    """Which test files are near to a module; ``root`` is the checkout."""

    root: Path
    costs: Mapping[str, float]
    full: Collection[str]
    """What ``tests/full.txt`` names."""

    @cached_property
    def files(self) -> list[str]:
        """All test files."""
        found = (self.root / "tests").rglob("test_*.py")
        return sorted(path.relative_to(self.root).as_posix() for path in found)

    def cost(self, file: str) -> float:
        """The seconds of processor time of a test file, as far as they are known."""
        return self.costs.get(file, UNKNOWN)

    def is_full(self, test: str) -> bool:
        """Whether the quick tests leave a test out."""
        return any(name in self.full for name in names_of(test))

    def portions(self, file: str, tier: str) -> Iterator[Portion]:
        """The tier's test files in portions, those nearest to the package's ``file`` first.

        Beside each portion stands the processor time that it is expected to take.
        """
        with_full = {names_of(name)[0] for name in self.full}
        by_level = defaultdict(list)
        for test in self.files:
            if test not in with_full if tier == "full" else self.is_full(test):
                continue
            by_level[self._level(test, file)].append(test)
        for level in sorted(by_level):
            portion: list[str] = []
            seconds = 0.0
            for test in sorted(by_level[level], key=self.cost):
                if portion and seconds + self.cost(test) > ALONE:
                    yield portion, seconds
                    portion, seconds = [], 0.0
                portion.append(test)
                seconds += self.cost(test)
            yield portion, seconds

    def _level(self, test: str, file: str) -> int:
        path = PurePosixPath(PACKAGE, file).with_suffix("")
        module = ".".join(path.parts).removesuffix(".__init__")
        part = path.parts[1]
        names = _imported(self.root, test)
        if module in names:
            return 0
        if test.startswith(f"tests/unit/{part}/"):
            return 1
        if any(name.startswith(f"{PACKAGE}.{part}.") for name in names):
            return 2
        return 4 if test.startswith("tests/e2e/") else 3


@cache
def _imported(root: Path, file: str) -> frozenset[str]:
    """What a test file imports, itself or through ``tests.support``."""
    names: set[str] = set()
    for node in ast.walk(ast.parse((root / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    for name in sorted(names):
        support = name.replace(".", "/") + ".py"
        if name.startswith("tests.support.") and (root / support).is_file() and support != file:
            names |= _imported(root, support)
    return frozenset(names)


def file_costs(measured: Path) -> dict[str, float]:
    """Seconds of processor time by test file, from what ``tests.support.costs`` wrote."""
    found: dict[str, float] = defaultdict(float)
    for line in measured.read_text(encoding="utf-8").splitlines():
        name, *seconds = json.loads(line)
        found[name.partition("::")[0]] += sum(seconds)
    return dict(found)


@dataclass
class _Trial:
    """A fault in a copy, and the portions of each tier's tests that have not run yet."""

    copy: Copy
    mutation: Mutation
    seconds: float = 0.0

    def noticed(self, portions: Iterator[Portion], expression: str, budget: float) -> str:
        """The test that notices the fault within ``budget`` more seconds; else the empty text."""
        last = self.seconds + budget
        while self.seconds <= last and (portion := next(portions, None)) is not None:
            files, expected = portion
            while True:
                with self.copy.faulty(self.mutation):
                    ended = self.copy.run(files, expression, expected)
                self.seconds += ended.seconds
                if "::" not in ended.by or self.copy.passes(ended.by, expected):
                    break
                self.copy.deselected.append(ended.by)
            if ended.by:
                return ended.by
        return ""


def judge(copy: Copy, nearness: Nearness, mutation: Mutation, budget: float) -> Judged:
    """Say what became of a fault, within ``budget`` seconds of processor time for each tier.

    That the quick tests miss a fault is said only when all of them have run.
    """
    path = copy.folder / PACKAGE / mutation.file
    told = mutation.told(path.read_text(encoding="utf-8"))
    trial = _Trial(copy, mutation)
    quick, full = (nearness.portions(mutation.file, tier) for tier in ("quick", "full"))
    outcome, by = "quick", trial.noticed(quick, "not full", budget)
    if not by and (by := trial.noticed(full, "full", budget)):
        late = trial.noticed(quick, "not full", math.inf)
        outcome, by = ("quick", late) if late else ("full", by)
    if not by:
        outcome = "open" if any(next(rest, None) for rest in (quick, full)) else "nobody"
    return Judged(told, mutation.rule, outcome, by, round(trial.seconds, 1), budget)


def judged(
    copy: Copy,
    nearness: Nearness,
    *,
    seed: int,
    noticed: int,
    budget: float,
    state: Path,
) -> Iterator[Judged]:
    """Draw faults and judge them until ``noticed`` were noticed; ``state`` keeps what is known.

    A fault that a test noticed which is marked ``full`` by now is judged again, and so is an open one
    where the budget is larger than it was.
    """
    known: dict[str, Judged] = {}
    if state.is_file():
        for line in state.read_text(encoding="utf-8").splitlines():
            one = Judged(**json.loads(line))
            known[one.fault] = one
    package = copy.folder / PACKAGE
    for mutation in drawn(package, seed):
        told = mutation.told((package / mutation.file).read_text(encoding="utf-8"))
        found = known.get(told)
        if (
            found is None
            or (found.outcome == "quick" and nearness.is_full(found.by))
            or (found.outcome == "open" and found.budget < budget)
        ):
            found = judge(copy, nearness, mutation, budget)
            with state.open("a", encoding="utf-8") as out:
                out.write(json.dumps(asdict(found)) + "\n")
        yield found
        noticed -= found.outcome in ("quick", "full")
        if not noticed:
            return
