"""Ctrl-C while a SAT solver searches."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
from itertools import combinations
from qsage_validate.circuit.sat_solver import Solver

holes = 13  # and one pigeon more: minutes of search
sits = lambda pigeon, hole: pigeon * holes + hole + 1
solver = Solver(name="{name}")
for pigeon in range(holes + 1):
    solver.add_clause([sits(pigeon, hole) for hole in range(holes)])
for hole in range(holes):
    for one, other in combinations(range(holes + 1), 2):
        solver.add_clause([-sits(one, hole), -sits(other, hole)])
print("searching", flush=True)
try:
    solver.{call}()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("call", ["solve", "solve_limited"])
@pytest.mark.parametrize("name", ["cadical195", "glucose4"])
def test_an_interrupted_search_raises_what_python_raises(name: str, call: str) -> None:
    program = PROGRAM.format(name=name, call=call)
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "searching\n"
            time.sleep(0.2)  # into the search, which takes minutes
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (output, errors) == ("interrupted\n", "")
