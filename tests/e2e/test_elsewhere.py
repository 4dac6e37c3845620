"""Systems without Unix's modules, and installations without a library: the rest works all the same.

What is missing is hidden by a ``sitecustomize``, so that it is missing in every child, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from qsage_validate.cli.play import attacks
from qsage_validate.errors import Exit
from tests.support.places import NEEDS_AN_EXTRA, NEEDS_UNIX, REPOSITORY

from .conftest import Qsage

_UNIX = """
import os, signal, sys
for name in ("resource", "fcntl", "termios", "tty", "pty", "pwd", "grp", "readline"):
    sys.modules[name] = None
# SIGKILL and what else the standard library asks for on Unix has to stay.
for name in "fork killpg setpgid wait4 waitid pidfd_open getuid sysconf sched_getaffinity".split():
    if hasattr(os, name):
        delattr(os, name)
for name in "SIGHUP SIGBUS SIGALRM SIGXCPU SIGXFSZ setitimer alarm pthread_sigmask".split():
    if hasattr(signal, name):
        delattr(signal, name)
"""
_IMPORT_ALL = f"""
import importlib, pkgutil, qsage_validate
for module in pkgutil.walk_packages(qsage_validate.__path__, "qsage_validate."):
    if not module.name.endswith({("__main__", *NEEDS_AN_EXTRA, *NEEDS_UNIX)!r}):
        importlib.import_module(module.name)
"""
_COMMAND = "import sys; from qsage_validate.cli.start import main; main(sys.argv.pop(1))"
HEX = ("hex", "--size", "2x2", "--depth", "3")
TIC = ("sample:tic", "--cert", "sample:tic.aig")


def run(
    folder: Path, hiding: str, *words: str, program: str = _COMMAND
) -> subprocess.CompletedProcess[str]:
    """Run a command in ``folder``, in a Python in which ``hiding`` was executed first."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(hiding)
    path = os.pathsep.join((str(site), str(REPOSITORY)))
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def without(*modules: str) -> str:
    """What hides libraries."""
    return f"import sys\nsys.modules.update(dict.fromkeys({modules!r}))\n"


def test_without_the_modules_of_unix_everything_imports(tmp_path: Path) -> None:
    done = run(tmp_path, _UNIX, program=f"{_IMPORT_ALL}\nimport resource")
    assert done.stderr.splitlines()[-1].endswith("import of resource halted; None in sys.modules")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["qsage", "--help"], "Commands"),
        (["qsage-play", "--help"], "--moves"),
        (["qsage", "encode", *HEX, "-o", "-"], "#QCIR-G14"),
        (["qsage", "solve", *HEX], "Black wins within 3 plies"),
        (["qsage", "validate", *TIC], "tic.aig: valid: Black wins httt 4x4 tic within 5 plies"),
        (["qsage", "validate", *TIC, "--jobs", "2", "--level", "formula"], "proved"),
        (["qsage-play", "--moves", "occupy(1,1) occupy(4,4)"], "Black wins: reached its goal"),
        (["qsage", "bench", "table2", "--only", "httt size 3x3 shape el depth*"], "HTTT 3x3 el"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_without_the_modules_of_unix(tmp_path: Path, words: list[str], expected: str) -> None:
    done = run(tmp_path, _UNIX, *words)
    assert expected in done.stdout, done.stderr
    assert done.returncode in (Exit.FINE, Exit.TRUE)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["solve", "sample:tic", "--solver", "depqbf"], "running a solver, or any other program,"),
        (["validate", *TIC, "--memory", "1000"], "a limit of memory"),
    ],
    ids=["solver", "memory"],
)
def test_what_needs_unix_says_so_in_one_line(tmp_path: Path, words: list[str], what: str) -> None:
    if "--solver" in words:
        pytest.importorskip("pyqbf", reason="the extra 'solve' is not installed")
    done = run(tmp_path, _UNIX, "qsage", *words)
    line = f"qsage: error: {what} needs Unix: this Python has no module 'resource'\n"
    assert (done.returncode, done.stderr) == (Exit.BAD_INPUT, line)


def test_a_terminal_that_cannot_be_set_is_named(
    qsage: Qsage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attacks, "is_terminal", lambda: True)
    monkeypatch.setattr(attacks, "find_spec", lambda name: None)
    done = qsage("play", "sample:tic")
    assert (done.code, done.err.count("\n")) == (Exit.BAD_INPUT, 1)
    assert "found a Python without the module 'termios'" in done.err


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("numpy pysat rich textual prompt_toolkit jinja2", ["encode", *HEX, "-o", "f.qcir"]),
        ("numpy pysat textual prompt_toolkit jinja2", ["games"]),
        ("rich textual prompt_toolkit jinja2", ["solve", *HEX]),
        ("rich textual prompt_toolkit jinja2", ["certify", *HEX, "-o", "f.aig"]),
        ("textual prompt_toolkit jinja2", ["validate", *TIC]),
        ("textual prompt_toolkit jinja2", ["play", "--moves", "(1,1)"]),
        ("textual jinja2", ["play", "--white", "random", "--games", "9"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_needs_no_library_that_it_does_not_use(
    tmp_path: Path, missing: str, words: list[str]
) -> None:
    done = run(tmp_path, without(*missing.split()), "qsage", *words)
    assert done.returncode in (Exit.FINE, Exit.TRUE, Exit.UNDECIDED), done.stderr


def test_the_tour_needs_no_extra(tmp_path: Path) -> None:
    """A plain ``pip install`` has no QBF solver, and its user starts with the tour."""
    done = run(tmp_path, without("pyqbf"), "qsage", "demo", "--no-pause")
    assert done.returncode == Exit.FINE, done.stderr
    assert "the second formula is lost by it" in done.stdout
    assert "What next?" in done.stdout
