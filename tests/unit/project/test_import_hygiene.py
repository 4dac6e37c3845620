"""The core starts quickly and never loads what only the interface or an extra needs."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys

import pytest

import qsage_validate

EXTRAS = {"clingo", "z3", "pyqbf", "dask", "distributed", "matplotlib"}


def core_modules() -> list[str]:
    """Every module but the command line, the terminal interface and ``__main__``."""
    return [
        module.name
        for module in pkgutil.walk_packages(qsage_validate.__path__, "qsage_validate.")
        if not module.name.startswith(
            ("qsage_validate.cli", "qsage_validate.play.tui", "qsage_validate.__main__")
        )
    ]


def modules_after(statements: str) -> set[str]:
    """The names of all modules that a fresh interpreter has loaded after ``statements``."""
    program = f"import json, sys\n{statements}\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_the_core_loads_neither_the_interface_nor_an_extra() -> None:
    loaded = modules_after("\n".join(f"import {name}" for name in core_modules()))
    top_level = {name.partition(".")[0] for name in loaded}
    assert {"qsage_validate", "numpy"} <= top_level
    assert not top_level & EXTRAS
    assert not top_level & {"textual", "typer"}


def test_help_is_quick_because_it_loads_no_heavy_library() -> None:
    program = "from qsage_validate.cli.app import app, run\nrun(app, ['play', '--help'], 'qsage')"
    loaded = modules_after(program)
    top_level = {name.partition(".")[0] for name in loaded}
    assert "typer" in top_level
    assert not top_level & (EXTRAS | {"textual", "prompt_toolkit", "rich", "numpy"})


def test_the_package_alone_loads_nothing() -> None:
    extra = modules_after("import qsage_validate") - modules_after("")
    assert extra == {"qsage_validate"}


_EACH_ALONE = """
import importlib, json, os, sys, traceback
import numpy, pysat.solvers, prompt_toolkit, rich.console
for name in json.loads(sys.argv[1]):
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(name)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_each_module_imports_on_its_own() -> None:
    """No module relies on another one having been imported before it.

    Each is imported in a process of its own, forked where only other people's libraries are.
    """
    names = core_modules()
    assert len(names) > 300
    run = subprocess.run(
        [sys.executable, "-c", _EACH_ALONE, json.dumps(names)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, ""), run.stderr
