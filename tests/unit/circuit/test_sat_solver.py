"""SAT solvers that search in slices, and Ctrl-C while they do."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from itertools import combinations

import pytest
from pysat import solvers

from qsage_validate.circuit.sat import Solver

pytestmark = pytest.mark.slow

NAMES = ["cadical195", "cadical153", "glucose4", "minisat22"]
INTERRUPTS = 10

PIGEONS = """
def pigeons(holes):
    sits = lambda pigeon, hole: pigeon * holes + hole + 1
    clauses = [[sits(pigeon, hole) for hole in range(holes)] for pigeon in range(holes + 1)]
    for hole in range(holes):
        for one, other in combinations(range(holes + 1), 2):
            clauses.append([-sits(one, hole), -sits(other, hole)])
    return clauses
"""

# With 13 holes and one pigeon more the search takes minutes.  What is allocated between two
# searches lies on the heap that an interruption may have broken.
PROGRAM = (
    """
from itertools import combinations
from qsage_validate.circuit.sat import Solver
"""
    + PIGEONS
    + """
clauses = pigeons(13)
for turn in range({turns}):
    solver = Solver(name="{name}", bootstrap_with=clauses)
    solver.conf_budget(10**9)
    try:
        print("searching", flush=True)
        solver.{call}()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    kept = [bytearray(length) for length in range(1, 3000, 7)]
"""
)


def pigeons(holes: int) -> list[list[int]]:
    space: dict[str, object] = {"combinations": combinations}
    exec(PIGEONS, space)
    made = space["pigeons"](holes)  # type: ignore[operator]
    assert isinstance(made, list)
    return made


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("call", ["solve", "solve_limited"])
@pytest.mark.parametrize("name", NAMES)
def test_interrupted_searches_raise_what_python_raises_and_break_nothing(
    name: str, call: str
) -> None:
    program = PROGRAM.format(name=name, call=call, turns=INTERRUPTS)
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            for turn in range(INTERRUPTS):
                assert process.stdout.readline() == "searching\n"
                time.sleep(0.02 + 0.006 * turn)  # into the search, each time elsewhere
                process.send_signal(signal.SIGINT)
                assert process.stdout.readline() == "interrupted\n"
            output, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (output, errors, process.returncode) == ("", "", 0)


@pytest.mark.parametrize("name", NAMES)
def test_the_budget_is_kept_over_the_slices_and_spent_with_one_search(name: str) -> None:
    with Solver(name=name, bootstrap_with=pigeons(7)) as solver:
        solver.conf_budget(2500)  # of thousands
        assert solver.solve_limited() is None
        conflicts = solver.accum_stats()["conflicts"]
        assert 2500 <= conflicts <= 4000  # Glucose looks at it when it restarts
        assert solver.solve_limited() is False
        assert solver.accum_stats()["conflicts"] > conflicts


@pytest.mark.parametrize("name", NAMES)
def test_a_search_of_many_slices_answers_under_assumptions(name: str) -> None:
    free = 1000
    clauses = [[free, *clause] for clause in pigeons(7)]
    with Solver(name=name, bootstrap_with=clauses) as solver:
        assert solver.solve([-free]) is False
        assert solver.get_core() == [-free]
        assert solver.accum_stats()["conflicts"] > 1000
        assert solver.solve([free]) is True
        assert free in solver.get_model()
        assert solver.propagate([free])[0] is True


def test_pysat_itself_keeps_its_handler() -> None:
    theirs = solvers.MainThread
    with Solver(name="minisat22", bootstrap_with=[[1]]) as solver:
        assert solver.solve([1]) is True
    assert solvers.MainThread is theirs
    assert theirs.check()
