"""Only ``system`` asks things of the machine; who else does is named here, with the reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from tests.support.package_trees import package_trees

MODULES: Final = {"concurrent", "multiprocessing", "resource", "subprocess"}
CLOCKS: Final = {"monotonic", "monotonic_ns", "time_ns"}

EXCEPTIONS: Final = {
    # A dialogue of many questions with one process, which is killed when it does not answer.
    "extensions/impartial/smt.py": {"subprocess"},
    # What a cluster's worker runs: its answer is JSON, and it is measured from outside.
    "extensions/bench/child.py": {"subprocess"},
    # Asked before anything else is loaded: is the address space limited?
    "cli/start.py": {"resource"},
    # Threads alone, each of which waits for the process of a run.
    "extensions/bench/campaign.py": {"concurrent"},
}


def asked(tree: ast.AST) -> Iterator[str]:
    """The modules that start or limit processes, and the clocks, that a module uses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module.partition(".")[0]
            if node.module == "time":
                yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "time":
            yield node.attr


def test_only_system_starts_processes_limits_them_and_reads_the_clock() -> None:
    found: dict[str, set[str]] = {}
    for name, tree in package_trees().items():
        used = set(asked(tree)) & (MODULES | CLOCKS)
        if used and not name.startswith("system/"):
            found[name] = used
    assert found == EXCEPTIONS


def test_who_uses_them_is_seen() -> None:
    text = (
        "import subprocess as s\nfrom multiprocessing import Pool\nimport time\n"
        "from concurrent.futures import Future\nfrom time import monotonic_ns\n"
        "def f():\n    import resource\n    return time.monotonic()\n"
    )
    assert (MODULES | CLOCKS - {"time_ns"}) <= set(asked(ast.parse(text)))
