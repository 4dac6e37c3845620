"""The script that makes the environments: what is made anew, what is kept, what is refused."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import REPOSITORY

pytestmark = pytest.mark.slow


class Bootstrap:
    """``dev.py`` in a directory of its own, with programs that are recorded and not run."""

    def __init__(self, module: ModuleType, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.module = module
        self.root = root
        self.commands: list[str] = []
        for name in ("pyproject.toml", "constraints.txt"):
            (root / name).write_text(f"{name} 1\n")
        replaced = {
            "ROOT": root,
            "VENV": root / ".venv",
            "BIN": root / ".venv" / "bin",
            "PYTHON": root / ".venv" / "bin" / "python",
            "STAMP": root / ".venv" / "qsage-stamp",
            "run": self.record,
        }
        for name, value in replaced.items():
            monkeypatch.setattr(module, name, value)

    def record(self, command: Sequence[str]) -> None:
        self.commands.append(" ".join(command))
        if "venv" in command:
            self.module.PYTHON.parent.mkdir(exist_ok=True)
            self.module.PYTHON.write_text("")

    def prepare(self, purpose: str) -> list[str]:
        """The commands that are run for ``purpose``."""
        self.commands.clear()
        self.module.prepare(purpose)
        return list(self.commands)


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bootstrap:
    spec = importlib.util.spec_from_file_location("dev", REPOSITORY / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Bootstrap(module, tmp_path, monkeypatch)


def test_an_environment_is_made_once(bootstrap: Bootstrap) -> None:
    made = bootstrap.prepare("play")
    assert "-m venv" in made[0]
    assert made[-1].endswith(f"--editable {bootstrap.root}")
    assert bootstrap.prepare("play") == []


def test_the_one_for_development_serves_for_playing_and_is_added_to_the_other(
    bootstrap: Bootstrap,
) -> None:
    bootstrap.prepare("play")
    kept = bootstrap.root / ".venv" / "kept"
    kept.write_text("")
    *_, dev, solvers = bootstrap.prepare("dev")
    assert f"--editable {bootstrap.root}[dev," in dev
    assert solvers.endswith(f"--editable {bootstrap.root}[solve]")
    assert kept.exists()
    assert bootstrap.prepare("play") == []


def test_solvers_that_cannot_be_built_are_done_without(
    bootstrap: Bootstrap, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def without_compiler(command: Sequence[str]) -> None:
        bootstrap.record(command)
        if command[-1].endswith("[solve]"):
            raise bootstrap.module.DevError("failed with exit code 1")

    with monkeypatch.context() as patch:
        patch.setattr(bootstrap.module, "run", without_compiler)
        bootstrap.prepare("dev")
    assert "no QBF solvers, so their tests will be skipped" in capsys.readouterr().err
    assert bootstrap.prepare("dev") == []


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_it_is_made_anew_when_the_requirements_change(bootstrap: Bootstrap, name: str) -> None:
    bootstrap.prepare("dev")
    old = bootstrap.root / ".venv" / "old"
    old.write_text("")
    (bootstrap.root / name).write_text("2")
    assert bootstrap.prepare("dev")
    assert not old.exists()
    assert bootstrap.prepare("dev") == []


def test_an_unfinished_one_is_made_anew(
    bootstrap: Bootstrap, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(command: Sequence[str]) -> None:
        bootstrap.record(command)
        if "setuptools" in command:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(bootstrap.module, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            bootstrap.prepare("play")
    assert "-m venv" in bootstrap.prepare("play")[0]


def test_one_that_somebody_else_made_is_left_alone(bootstrap: Bootstrap) -> None:
    other = bootstrap.root / ".venv" / "pyvenv.cfg"
    other.parent.mkdir()
    other.write_text("mine")
    with pytest.raises(bootstrap.module.DevError, match="was not made by this script"):
        bootstrap.prepare("play")
    assert other.read_text() == "mine"


def test_without_ensurepip_the_message_says_what_to_install(
    bootstrap: Bootstrap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap.module.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(bootstrap.module.shutil, "which", lambda name: None)
    failing: subprocess.CompletedProcess[bytes] = subprocess.CompletedProcess([], 1)
    monkeypatch.setattr(bootstrap.module.subprocess, "run", lambda *a, **k: failing)
    with pytest.raises(bootstrap.module.DevError, match=r"install python3\.\d+-venv"):
        bootstrap.prepare("play")


def test_extras_are_added_to_the_environment_that_is_there(bootstrap: Bootstrap) -> None:
    bootstrap.prepare("play")
    bootstrap.commands.clear()
    assert bootstrap.module.install(["gdl", "frame"]) == 0
    assert bootstrap.commands[-1].endswith(f"--editable {bootstrap.root}[gdl,frame]")
    assert bootstrap.prepare("play") == []
    with pytest.raises(bootstrap.module.DevError, match="found no extra"):
        bootstrap.module.install([])


def run_dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(REPOSITORY / "dev.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=os.path.dirname(REPOSITORY),
    )


def test_usage_is_told_and_wrong_usage_is_one_line() -> None:
    told = run_dev("--help")
    assert told.returncode == 0
    assert told.stdout == run_dev().stdout
    wrong = run_dev("dance")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    expected = (
        "expected one of play, check, install, artifact, pack, regenerate, docs, verified, run"
    )
    assert wrong.stderr == f"dev.py: found 'dance', {expected}\n"


def test_the_site_is_built_as_the_gate_builds_it(
    bootstrap: Bootstrap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap.module, "program", lambda name: name)
    assert bootstrap.module.docs(()) == 0
    (step,) = (command for name, command in bootstrap.module.GATE if name == "documents")
    assert bootstrap.commands[-1] == " ".join(step)
    assert "-W" in step[3], "a warning is an error"
    with pytest.raises(bootstrap.module.DevError, match="expected no arguments"):
        bootstrap.module.docs(("html",))


def test_all_steps_run_and_each_is_told_with_its_output(
    bootstrap: Bootstrap, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The first two steps wait for each other: they run side by side."""
    wait = "import pathlib as p, sys, time; p.Path(sys.argv[1]).touch()\nwhile not "
    wait += "p.Path(sys.argv[2]).exists(): time.sleep(0.01)\nprint('one', flush=True); exit(3)"
    steps = (
        ("first", ("python", "-c", wait, "a", "b")),
        ("second", ("python", "-c", wait.replace("one", "two").replace("exit(3)", ""), "b", "a")),
        ("tests", ("python", "-c", "import sys; print(sys.argv[1:])")),
    )
    monkeypatch.setattr(bootstrap.module, "GATE", steps)
    monkeypatch.setattr(bootstrap.module, "prepare", lambda purpose: None)
    monkeypatch.setattr(bootstrap.module, "program", lambda name: sys.executable)
    monkeypatch.setattr(bootstrap.module.os, "cpu_count", lambda: 2)
    assert bootstrap.module.check(["-k", "x"]) == 1
    told = capfdbinary.readouterr().out.decode()
    order = ["check: first: ", "\none\n", "check: first FAILED", "check: second: ", "\ntwo\n"]
    order += ["check: second passed", "check: tests: ", "'-k', 'x']", "check: tests passed"]
    places = [told.index(text) for text in (*order, "check: FAILED: first\n")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("arguments", "passed_on"),
    [
        ([], ["-m", "not full"]),
        (["-k", "x"], ["-m", "not full", "-k", "x"]),
        (["--full"], []),
        (["--full", "-k", "x"], ["-k", "x"]),
        (["named.py"], ["named.py"]),
        (["named.py::test_x", "-v"], ["named.py::test_x", "-v"]),
    ],
)
def test_the_quick_tests_run_unless_all_are_asked_for_or_some_are_named(
    bootstrap: Bootstrap,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    arguments: list[str],
    passed_on: list[str],
) -> None:
    (bootstrap.root / "named.py").touch()
    steps = (
        ("types", ("python", "-c", "import sys; print(sys.argv[1:])")),
        ("tests", ("python", "-c", "import sys; print(sys.argv[1:])")),
    )
    monkeypatch.setattr(bootstrap.module, "GATE", steps)
    monkeypatch.setattr(bootstrap.module, "prepare", lambda purpose: None)
    monkeypatch.setattr(bootstrap.module, "program", lambda name: sys.executable)
    assert bootstrap.module.check(arguments) == 0
    told = capfdbinary.readouterr().out.decode().splitlines()
    assert [line for line in told if line.startswith("[")] == ["[]", str(passed_on)]


@pytest.mark.parametrize(
    ("failing", "again", "code", "told"),
    [
        (1, "", 0, "check: passed alone, failed beside other tests: again1.py"),
        (2, "exit(1)", 1, "check: FAILED: tests"),
        (6, "", 1, "check: FAILED: tests"),
    ],
)
def test_a_few_tests_that_fail_run_once_more_alone(
    bootstrap: Bootstrap,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    failing: int,
    again: str,
    code: int,
    told: str,
) -> None:
    names = [f"again{number}.py" for number in range(1, failing + 1)]
    cache = bootstrap.root / bootstrap.module.CACHE / "v" / "cache"
    cache.mkdir(parents=True)
    fail = f"import pathlib as p; p.Path({str(cache)!r}, 'lastfailed').write_text(sys.argv[1]); "
    lines = f"import sys; {fail}exit(1)"
    steps = (
        ("types", ("python", "-c", "")),
        ("tests", ("python", "-c", lines, json.dumps(dict.fromkeys(names, True)))),
    )
    for name in names:
        (bootstrap.root / name).write_text(f"open('ran', 'a').write('once ')\n{again}\n")
    monkeypatch.setattr(bootstrap.module, "GATE", steps)
    monkeypatch.setattr(bootstrap.module, "prepare", lambda purpose: None)
    monkeypatch.setattr(bootstrap.module, "program", lambda name: sys.executable)
    assert bootstrap.module.check([]) == code
    assert told in capfdbinary.readouterr().out.decode()
    ran = bootstrap.root / "ran"
    assert ran.exists() is (failing <= bootstrap.module.MOST_ALONE)


def test_ci_runs_all_tests() -> None:
    lines = (REPOSITORY / ".ci" / "run").read_text().splitlines()
    assert lines[-1].endswith('dev.py" check --full "$@"')


def test_readme_and_ci_name_commands_that_there_are(bootstrap: Bootstrap) -> None:
    commands = set(bootstrap.module.COMMANDS)
    texts = [
        (REPOSITORY / name).read_text(encoding="utf-8")
        for name in ("README.md", "certificates/README.md", "dev.py")
    ]
    named = {name for text in texts for name in re.findall(r"python3 dev\.py (\w+)", text)}
    assert named <= commands
    assert {"play", "check"} <= named
    assert 'dev.py" check' in (REPOSITORY / ".ci" / "run").read_text()
    assert os.access(REPOSITORY / ".ci" / "run", os.X_OK)


def test_the_verified_checker_is_built_with_the_proofs_where_coq_is(
    bootstrap: Bootstrap, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {"ocamlfind", "coqc"}
    monkeypatch.setattr(
        bootstrap.module.shutil, "which", lambda name, path=None: name if name in there else None
    )
    assert bootstrap.module.verified(()) == 0
    assert bootstrap.commands[-1].endswith("verified/build.sh coq")
    there.remove("coqc")
    assert bootstrap.module.verified(()) == 0
    assert bootstrap.commands[-1].endswith("verified/build.sh")
    there.clear()
    with pytest.raises(bootstrap.module.DevError, match="found no ocamlfind: 'apt-get install"):
        bootstrap.module.verified(())
    with pytest.raises(bootstrap.module.DevError, match="expected no arguments"):
        bootstrap.module.verified(("all",))
