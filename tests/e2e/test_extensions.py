"""A package of somebody else's adds a game, an encoding and a solver; a broken one hurts none."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from qsage_validate.registry import GROUP, KINDS, _entry_points

REPOSITORY = Path(__file__).resolve().parents[2]
PLUGIN = REPOSITORY / "demos" / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the demo's package is installed, as pip installs any."""
    pytest.importorskip("setuptools", reason="setuptools builds the demo's package")
    place = tmp_path_factory.mktemp("plugin")
    source = shutil.copytree(PLUGIN, place / "source")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--target", str(place / "site"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No module named pip" in done.stderr:
        pytest.skip("this environment has no pip")
    assert done.returncode == 0, done.stderr
    return place / "site"


def run(site: Path, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(site / "bin"), os.environ["PATH"]))
    search = os.pathsep.join((str(REPOSITORY), str(site)))
    return subprocess.run(
        [sys.executable, "-m", "qsage_validate", *words],
        cwd=folder, env={**os.environ, "PATH": path, "PYTHONPATH": search, "COLUMNS": "200"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_each_kind_of_declaration_is_asked_for_and_described() -> None:
    sources = (REPOSITORY / "qsage_validate").rglob("*.py")
    asked = {kind for f in sources for kind in re.findall(r'declared\("(\w+)"', f.read_text())}
    page = (REPOSITORY / "docs" / "how-to" / "extend.md").read_text()
    assert asked == set(KINDS) == set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))


def test_the_packages_of_extensions_are_those_with_an_entry_point() -> None:
    """Read from the metadata of the installation: one from before a change is made anew."""
    folders = (REPOSITORY / "qsage_validate" / "extensions").glob("*/__init__.py")
    told = (REPOSITORY / "pyproject.toml").read_text().partition(f'entry-points."{GROUP}"]')[2]
    declared = dict(re.findall(r'^(\w+) = "([\w.:]+)"$', told.partition("\n[")[0], re.MULTILINE))
    assert declared == {
        (name := folder.parent.name): f"qsage_validate.extensions.{name}:DECLARES"
        for folder in sorted(folders)
    }
    missing = declared.items() - set(_entry_points())
    assert not missing, "install the checkout again: python3 dev.py check, or pip install -e ."


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("validate sample:tic --cert sample:tic.aig --games 10", 0, "valid: Black wins"),
        ("play sample:tic --moves 'occupy(1,1)'", 3, "ply 3"),
        ("certify httt --size 3x3 --shape domino --depth 3 -o d.aag", 0, ""),
        ("games", 0, "breakthrough"),
        ("solve httt --size 3x3 --shape domino --depth 3 --engine fast", 2, ""),
        ("solve httt --size 3x3 --shape domino --depth 3 --jobs 2", 2, "that farms"),
        ("play sample:tic --teach --moves 'occupy(1,1)'", 2, "no teacher"),
        ("play sample:tic --drill black", 2, "that teaches"),
        ("play httt --explain --moves 'occupy(1,1)'", 2, "that explains"),
        ("explain httt", 2, "No such command"),
        ("encode trails -o f.qcir", 2, "unknown game 'trails'"),
    ],
)
def test_the_core_stands_alone(words: str, code: int, said: str, tmp_path: Path) -> None:
    program = (
        "import sys, qsage_validate.registry\n"
        "qsage_validate.registry._entry_points = lambda: iter(())\n"
        f"sys.argv = {['qsage', *shlex.split(words)]!r}\n"
        "from qsage_validate.cli import start; start.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout + done.stderr
    assert "internal error" not in done.stderr


def test_a_package_adds_a_game_an_encoding_and_a_solver(installed: Path, tmp_path: Path) -> None:
    games = json.loads(run(installed, "games", "--json", folder=tmp_path).stdout)["games"]
    assert "triangle" in [game["name"] for game in games]
    assert "ea-smallest" in run(installed, "games", "--encodings", folder=tmp_path).stdout
    assert "--vertices" in run(installed, "certify", "--help", folder=tmp_path).stdout
    words = ("certify", "triangle", "--vertices", "4", "--depth", "5", "--encoding", "ea-smallest")
    certified = run(installed, *words, "-o", "t.aag", "--formula", "t.qcir", folder=tmp_path)
    assert certified.returncode in (10, 20, 0), certified.stderr
    validated = run(installed, "validate", "t.qcir", "--cert", "t.aag", folder=tmp_path)
    assert validated.returncode == 0, validated.stdout + validated.stderr
    assert "triangle on 4 vertices" in validated.stdout
    solving = ("solve", "triangle", "--vertices", "3", "--depth", "3")
    solved = run(installed, *solving, "--solver", "triangle-brute", folder=tmp_path)
    assert solved.returncode == 20, solved.stdout + solved.stderr
    assert "false" in solved.stdout


def test_completion_knows_what_a_package_adds(installed: Path, tmp_path: Path) -> None:
    program = (
        "from qsage_validate.cli import completion as c; print(c.games('tri'), c.solvers('t'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(REPOSITORY), str(installed)))},
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "['triangle'] ['triangle-brute']\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("raise RuntimeError('of its own')", "RuntimeError: of its own"),
        ("DECLARES = {'games': 'broken_one:NOTHING'}", "no attribute 'NOTHING'"),
        ("DECLARES = {'games': 'broken_one:MINE'}\nMINE = (1,)", "found 1 among its games"),
        ("DECLARES = {'colours': 'broken_one:MINE'}", "found the kind 'colours'"),
    ],
)
def test_a_broken_package_is_one_line_of_warning(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "broken_one.py").write_text(text)
    metadata = tmp_path / "broken_one-1.0.dist-info"
    metadata.mkdir()
    entry = "[qsage_validate.extensions]\nbroken = broken_one:DECLARES\n"
    (metadata / "entry_points.txt").write_text(entry)
    done = run(tmp_path, "games", "hex", folder=tmp_path)
    assert done.returncode == 0
    assert "Hex" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("qsage: warning: the extension broken is left out: ")
    assert why in line
