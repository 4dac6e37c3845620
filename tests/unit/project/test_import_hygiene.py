"""The core starts quickly and never loads what only the interface or an extra needs."""

from __future__ import annotations

import ast
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import qsage_validate
from tests.support.package_trees import package_trees
from tests.support.places import NEEDS_AN_EXTRA

EXTRAS = {"numba", "clingo", "z3", "pyqbf", "dask", "distributed", "matplotlib"}
EXTRAS |= {"textual_serve", "aiohttp", "pygls", "lsprotocol", "mcp"}


def core_modules() -> list[str]:
    """Every module but the command line, the terminal interface and ``__main__``."""
    return [
        module.name
        for module in pkgutil.walk_packages(qsage_validate.__path__, "qsage_validate.")
        if ".cli" not in module.name
        and not module.name.startswith(
            (
                "qsage_validate.play.tui",
                "qsage_validate.extensions.teaching.board",
                "qsage_validate.__main__",
                *NEEDS_AN_EXTRA,
            )
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
    assert not top_level & {"textual", "click"}


# What commands load when they need it. PyQBF brings py-aiger, which PySAT would load.
HEAVY = EXTRAS | {"numpy", "pysat", "aiger", "textual", "prompt_toolkit", "rich"}
HEAVY |= {"multiprocessing", "asyncio", "pydantic"}
TIC = ["httt", "--size", "4x4", "--shape", "tic", "--depth", "5"]
GAMES = {"errors", "extensions", "formats", "games", "kernel", "registry", "system"}
ENCODING = {"circuit", "cli", "encodings", *GAMES}


@pytest.mark.parametrize(
    ("words", "heavy", "rooms", "most"),
    [
        (["--help"], set(), {"cli", "errors", "extensions", "formats", "registry"}, 19),
        (["play", "--help"], set(), {"cli", *GAMES} - {"kernel"}, 50),
        (["solve", "--help"], set(), {"cli", *GAMES} - {"kernel"}, 50),
        (["encode", *TIC, "-o", "f.qcir"], set(), ENCODING, 96),
        (
            ["certify", *TIC, "-o", "f.aag"],
            {"numpy", "pysat"},
            {*ENCODING, "certificates", "solvers"},
            140,
        ),
    ],
    ids=["help", "play", "solve", "encode", "certify"],
)
def test_a_command_loads_what_it_needs(
    words: list[str], heavy: set[str], rooms: set[str], most: int, tmp_path: Path
) -> None:
    """A start is quick because of what it leaves out: seconds would depend on the machine."""
    program = f"""
import os
from qsage_validate.cli import start
os.chdir({str(tmp_path)!r})
sys.argv[1:] = {words!r}
try:
    start.main()
except SystemExit as end:
    assert not end.code"""
    loaded = modules_after(program)
    own = sorted(name for name in loaded if name.startswith("qsage_validate"))
    assert {name.partition(".")[0] for name in loaded} & HEAVY == heavy
    assert {name.split(".")[1] for name in own if "." in name} == rooms
    # Each extension has one small module that says what it declares.
    told = [name for name in own if name.startswith("qsage_validate.extensions.")]
    heads = {name for name in told if name.count(".") == 2}
    assert len(own) - len(heads) <= most, own
    # Of games in GDL the names and their options alone, and the encodings' names.
    names = ("declared", "encodings", "library", "options")
    names_alone = {f"qsage_validate.extensions.gdl.{name}" for name in names}
    assert not {name for name in own if ".gdl." in name} - names_alone


def test_the_library_leaves_pyaiger_to_its_user() -> None:
    """Only the commands, whose process is their own, hide py-aiger-cnf from PySAT."""
    pytest.importorskip("aiger_cnf", reason="PyQBF, which brings it, is not installed")
    program = "import qsage_validate.circuit.sat, aiger_cnf"
    assert "aiger_cnf" in modules_after(program)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
@pytest.mark.parametrize("threads", [None, "2"])
def test_numpy_starts_no_threads_in_a_command(
    threads: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who wants threads of OpenBLAS sets its variable."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if threads is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", threads)
    program = f"""
import os, sys
from qsage_validate.cli import start
sys.argv[1:] = ["certify", *{TIC!r}, "-o", {str(tmp_path / "f.aag")!r}]
try:
    start.main()
except SystemExit as end:
    assert not end.code
assert "numpy" in sys.modules
print(len(os.listdir("/proc/self/task")), os.environ["OPENBLAS_NUM_THREADS"])"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    used, kept = run.stdout.split()[-2:]
    assert kept == (threads or "1")
    if threads is None:
        assert used == "1"


def test_the_package_alone_loads_nothing() -> None:
    extra = modules_after("import qsage_validate") - modules_after("")
    assert extra == {"qsage_validate"}


def imports(tree: ast.AST) -> Iterator[str]:
    """What a module imports: when it is loaded, for its types alone, inside of a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.module is not None
            for name in node.names:
                yield f"{node.module}.{name.name}"
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize(
    "text",
    [
        "import shop.counter",
        "from shop import counter",
        "from shop.counter import till",
        "if TYPE_CHECKING:\n    from shop.counter import till",
        "class Shelf:\n    def sell(self):\n        from shop.counter import till",
    ],
)
def test_an_import_is_seen_wherever_it_stands(text: str) -> None:
    assert "shop.counter" in set(imports(ast.parse(text)))


def test_no_modules_import_each_other_in_a_circle() -> None:
    """So each module imports on its own: what it imports is there, whole, before it is used.

    A name that some other module imported would be an attribute of a package, as in
    ``import qsage_validate.formats`` and then ``qsage_validate.circuit``: there are only names
    that are imported from where they are.
    """
    files = {
        f"qsage_validate.{path[:-3].replace('/', '.')}".removesuffix(".__init__"): tree
        for path, tree in package_trees().items()
    }
    assert len(files) > 200
    graph: dict[str, set[str]] = {}
    for name, tree in files.items():
        graph[name] = {found for found in imports(tree) if found in files} - {name}
        plain = [n for n in ast.walk(tree) if isinstance(n, ast.Import)]
        dotted = [a.name for n in plain for a in n.names if a.name.startswith("qsage_validate.")]
        assert not dotted, f"{name}: import {dotted}"
    assert list(TopologicalSorter(graph).static_order())  # a circle raises, with its modules


def test_modules_import_in_the_other_order_too() -> None:
    """No module needs what another one, imported before it above, did when it was imported."""
    names = sorted(core_modules(), reverse=True)
    assert set(names) <= modules_after("\n".join(f"import {name}" for name in names))


def test_the_core_names_no_extension() -> None:
    """Neither by an import, which import-linter finds, nor by a text that is loaded later."""
    found = [
        f"{module}:{node.lineno}: {node.value}"
        for module, tree in package_trees().items()
        if not module.startswith("extensions/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if "extensions." in node.value and "\n" not in node.value
    ]
    assert not found, "\n".join(found)


def private_names(text: str) -> list[str]:
    """The private modules and names of other packages that a module's text imports or reaches."""
    found: list[str] = []
    others: set[str] = set()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in filter(lambda alias: is_foreign(alias.name), node.names):
                others.add((alias.asname or alias.name).partition(".")[0])
                found += [alias.name] * is_private(alias.name)
        elif isinstance(node, ast.ImportFrom) and not node.level and is_foreign(node.module or ""):
            for alias in node.names:
                others.add(alias.asname or alias.name)
                found += [f"{node.module}.{alias.name}"] * is_private(f"{node.module}.{alias.name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            whole = f"{node.value.id}.{node.attr}"
            found += [whole] * (node.value.id in others and is_private(whole))
    return found


def is_foreign(module: str) -> bool:
    top_level = module.partition(".")[0]
    return top_level not in {*sys.stdlib_module_names, "qsage_validate"}


def is_private(name: str) -> bool:
    parts = name.split(".")
    return any(part.startswith("_") and not part.endswith("__") for part in parts)


# Textual has no public reader of a terminal's bytes, of which any may come.
NO_PUBLIC_DOOR = {
    "play/tui/terminal.py": ["textual._parser.ParseTimeout", "textual._xterm_parser.XTermParser"],
}


def test_nothing_private_of_a_library_is_used() -> None:
    root = Path(qsage_validate.__file__).parent
    found = {
        path.relative_to(root).as_posix(): names
        for path in root.rglob("*.py")
        if (names := private_names(path.read_text("utf-8")))
    }
    assert found == NO_PUBLIC_DOOR


def test_private_names_are_found_in_each_form() -> None:
    text = """
import click._compat
import textual as tx
from click import _utils, core
from textual.widgets._tabs import Tab
from . import _own
from qsage_validate._own import x
import _thread
tx._x, core._Y, core.__doc__, _own._x
"""
    assert private_names(text) == [
        "click._compat",
        "click._utils",
        "textual.widgets._tabs.Tab",
        "tx._x",
        "core._Y",
    ]
