"""An experiment whose runs do what their solver's name says, for tests of the harness."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.bench.experiment import (
    Configuration,
    Experiment,
    Instance,
    Run,
    RunResult,
    Selection,
)
from qsage_validate.extensions.bench.plots import default_tables

REFERENCE = "tests.support.toy_bench:TOY"
SOLVERS = (
    "true",
    "false",
    "sleep",
    "abort",
    "kill",
    "exit",
    "raise",
    "refuse",
    "undecided",
    "memory",
    "greedy",
    "chatty",
    "family",
)


def runs(selection: Selection) -> list[Run]:
    configs = [Configuration(name, "-") for name in selection.solvers or ("true", "false")]
    for config in configs:
        if config.solver not in SOLVERS:
            raise UsageError(f"unknown solver {config.solver!r}")
    count = int(selection.options.get("count", "3"))
    folder = selection.options.get("folder", "")
    instances = [
        Instance("even" if k % 2 == 0 else "odd", f"toy {k}", (str(k), folder))
        for k in range(count)
    ]
    return selection.runs("toy", instances, configs)


def execute(run: Run) -> RunResult:
    number, folder = run.source
    # What a run leaves behind that is ended before it can clear up.
    Path(tempfile.gettempdir(), f"left-by-{run.solver}").touch()
    if folder:
        # Says that the run was begun, and by which process.
        (Path(folder) / f"{number}-{run.solver}-{os.getpid()}").touch()
    match run.solver:
        case "true" | "false":
            return RunResult(run.solver, decided=True, seconds=0.001 * (int(number) + 1))
        case "sleep":
            time.sleep(600)
        case "abort":
            os.abort()
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            print("the last words", file=sys.stderr)
            os._exit(7)
        case "raise":
            raise ZeroDivisionError("division by\nzero")
        case "refuse":
            raise UsageError("no such board")
        case "undecided":
            raise UndecidedError("3 positions are in the table")
        case "memory":
            raise MemoryError
        case "greedy":
            kept = [bytearray(1 << 24) for _ in range(1000)]
            return RunResult("true", decided=True, seconds=float(len(kept)))
        case "chatty":
            print('{"result": "rubbish"}', flush=True)
            os.write(1, b"more rubbish\n")
            return RunResult("true", decided=True, seconds=0.5, data={"said": ["ä", 1]})
        case "family":
            # A grandchild that outlives us, if nobody ends it.
            if os.fork() == 0:
                if folder:
                    (Path(folder) / f"grandchild-{os.getpid()}").touch()
                time.sleep(600)
                os._exit(0)
            while folder and not list(Path(folder).glob("grandchild-*")):
                time.sleep(0.01)
            return RunResult("true", decided=True, seconds=0.1)
    raise AssertionError(run.solver)


TOY = Experiment(
    name="toy",
    runs=runs,
    execute=execute,
    tables=default_tables(),
    options={"count": "how many instances", "folder": "where runs leave their marks"},
)
