"""The artifact for reviewers: what is in it, and that its scripts run what there is."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from qsage_validate.extensions.bench.campaign import experiments
from tests.support.places import REPOSITORY

pytestmark = pytest.mark.slow

FOLDER = REPOSITORY / "research" / "artifact"
# What measures the tests, or looks for faults and prints no table of a page.
NO_TABLE = {"mutants", "fuzz", "readers", "kill", "board", "screens"}


def sh(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", *words], cwd=folder, capture_output=True, text=True, check=False)


def listed() -> list[tuple[str, str, str]]:
    """Name, page and command of each table."""
    done = sh(FOLDER, "tables.sh", "--list")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [re.fullmatch(r"([\w-]+) \(source/(.+?)\): (.+)", x) for x in done.stdout.splitlines()]
    return [(row[1], row[2], row[3]) for row in rows if row is not None]


@pytest.mark.parametrize("name", ["install.sh", "smoke.sh", "tables.sh"])
def test_scripts_are_shell(name: str) -> None:
    assert sh(FOLDER, "-n", name).stderr == ""


def test_tables_are_of_pages_and_programs_that_there_are() -> None:
    rows = listed()
    assert len(rows) > 20
    assert len({name for name, _, _ in rows}) == len(rows)
    for name, page, command in rows:
        assert (REPOSITORY / page).is_file(), name
        for program in re.findall(r"research/benchmarks/\w+\.py", command):
            assert (REPOSITORY / program).is_file(), name
        for experiment in re.findall(r"qsage bench (\w+)", command):
            assert experiment in {*experiments(), "table"}, name


def test_every_benchmark_of_the_documents_has_its_table() -> None:
    page = (REPOSITORY / "docs/results/benchmarks.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\w+)\.py` \|", page, re.M))
    assert len(named) > 10
    made = {
        name
        for *_, command in listed()
        for name in re.findall(r"research/benchmarks/(\w+)\.py", command)
    }
    assert named - made == NO_TABLE


def test_what_the_tables_import_is_installed() -> None:
    """The programs of five tables needed a package that only the tests had."""
    own = importlib.metadata.requires("qsage-validate") or []
    wheels = {Requirement(line).name for line in own if "extra ==" not in line}
    install = (FOLDER / "install.sh").read_text(encoding="utf-8")
    words = re.search(r"^install qsage-validate (.+)$", install, re.M)
    assert words is not None
    assert all(f'"{name}"' in (FOLDER / "make.py").read_text("utf-8") for name in words[1].split())
    installed = {*wheels, *words[1].split(), "qsage-validate"}
    providers = importlib.metadata.packages_distributions()
    needed = set()
    for *_, command in listed():
        for program in re.findall(r"research/benchmarks/\w+\.py", command):
            tree = ast.parse((REPOSITORY / program).read_text(encoding="utf-8"))
            for node in tree.body:
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module or ""]
                needed |= {name.partition(".")[0] for name in names}
    missing = {
        name
        for name in needed - sys.stdlib_module_names
        if providers.get(name) and installed.isdisjoint(providers[name])
    }
    assert missing == set()


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """The artifact, installed, with a table that takes no time."""
    for name in ("install.sh", "tables.sh", "measure.py"):
        shutil.copy(FOLDER / name, tmp_path)
    binaries = tmp_path / "env" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").symlink_to(sys.executable)
    (tmp_path / "env" / "installed").touch()
    programs = tmp_path / "source" / "research" / "benchmarks"
    programs.mkdir(parents=True)
    (programs / "encodings.py").write_text("print('a table')")
    (programs / "certificates.py").write_text("print('half of'); raise SystemExit(1)")
    return tmp_path


def test_a_table_that_is_there_is_skipped_and_one_that_failed_is_not(unpacked: Path) -> None:
    done = sh(unpacked, "tables.sh", "encodings", "certificates")
    assert done.returncode == 1
    assert re.search(r"MB  encodings: ok\n.* certificates: FAILED with exit code 1", done.stdout)
    assert (unpacked / "tables" / "encodings.txt").read_text() == "a table\n"
    assert not (unpacked / "tables" / "certificates.txt").exists()
    programs = unpacked / "source" / "research" / "benchmarks"
    (programs / "certificates.py").write_text("print('all of it')")
    again = sh(unpacked, "tables.sh", "encodings", "certificates")
    assert again.returncode == 0
    assert again.stdout.startswith("encodings: is there\n")
    assert (unpacked / "tables" / "certificates.txt").read_text() == "all of it\n"


def test_tables_of_other_peoples_files_are_left_out_without_them(unpacked: Path) -> None:
    done = sh(unpacked, "tables.sh", "gdl")
    assert done.stdout == "gdl: left out, DATA is not set\nnothing failed\n"


def test_the_zip_has_sources_data_and_scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the wheels, which come from a network."""
    if not (REPOSITORY / ".git").exists() or shutil.which("git") is None:
        pytest.skip("the sources are those of a commit, and this is no checkout")
    spec = importlib.util.spec_from_file_location("make", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(make, "pip", lambda *words: asked.append(words))
    monkeypatch.setattr(sys, "argv", ["make.py", "-o", str(tmp_path / "a.zip"), "--extras", "gdl"])
    assert make.main() == 0
    ((*_, source),) = asked
    assert source.endswith("source[gdl]")
    asked_for_too_much = subprocess.CalledProcessError(1, ["pip"])

    def fails(*words: str) -> None:
        raise asked_for_too_much

    before = (tmp_path / "a.zip").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(make, "pip", fails)
        assert make.main() == 2
    assert (tmp_path / "a.zip").read_bytes() == before
    names = set(zipfile.ZipFile(tmp_path / "a.zip").namelist())
    for name in ("README.md", "LICENSE", "smoke.sh", "data/tic.aig", "source/setup.py"):
        assert f"{make.NAME}/{name}" in names
    assert any(name.endswith("data/httt-5x5.jsonl") for name in names)
