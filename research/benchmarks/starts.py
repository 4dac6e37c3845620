"""How long commands take from the start of their process to the answer, or to the first frame.

    python research/benchmarks/starts.py [--runs N] [--json]

Each command runs once before it is timed, so that its bytecode is there: in a folder of its own,
since this program may have been told to write none.  The columns are medians of whole processes:
wall-clock time, and processor time of the process.  Python's own start is the first row.  The
first frame is there when Black's first move has come out of a pseudo-terminal of 100 columns.  On a
busy machine the processor time says more.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pexpect
from rich.console import Console
from rich.table import Table

REPOSITORY: Final = Path(__file__).resolve().parents[2]
TIC: Final = ("httt", "--size", "4x4", "--shape", "tic", "--depth", "5")
SAMPLE: Final = str(REPOSITORY / "certificates" / "tic")
FRAME: Final = "qsage play, first frame"
QSAGE: Final = ("-m", "qsage_validate")
COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "python": ("-c", "pass"),
    "import qsage_validate": ("-c", "import qsage_validate"),
    "qsage --help": (*QSAGE, "--help"),
    "qsage encode, Tic 4x4": (*QSAGE, "encode", *TIC, "-o", "tic.qcir"),
    "qsage certify, Tic 4x4": (*QSAGE, "certify", *TIC, "-o", "tic.aag"),
    FRAME: (*QSAGE, "play", f"{SAMPLE}.qcir", "--cert", f"{SAMPLE}.aig"),
}


def processor_seconds() -> float:
    """The processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ended(command: list[str], folder: str, environment: dict[str, str]) -> tuple[float, float]:
    """The wall-clock and processor seconds of a command that has to succeed."""
    began, used = time.perf_counter(), processor_seconds()
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - began, processor_seconds() - used


def drawn(command: list[str], folder: str, environment: dict[str, str]) -> tuple[float, float]:
    """The wall-clock and processor seconds until the interface has drawn its board."""
    began, used = time.perf_counter(), processor_seconds()
    child = pexpect.spawn(
        command[0], command[1:], cwd=folder, env={**environment, "TERM": "xterm-256color"},
        dimensions=(40, 100), timeout=60,
    )  # fmt: skip
    child.expect_exact("b2")
    seconds = time.perf_counter() - began
    child.close(force=True)
    return seconds, processor_seconds() - used


def measure(runs: int) -> list[dict[str, Any]]:
    """A row for each command: medians in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        python = [sys.executable, "-X", f"pycache_prefix={folder}"]
        rows: list[dict[str, Any]] = []
        for name, words in COMMANDS.items():
            timed = drawn if name == FRAME else ended
            times = [timed([*python, *words], folder, environment) for _ in range(runs + 1)][1:]
            rows.append(
                {
                    "command": name,
                    "seconds": median(wall for wall, _ in times),
                    "cpu_seconds": median(cpu for _, cpu in times),
                }
            )
        return rows


def main() -> int:
    """Measure and print; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="timed runs of each command")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = measure(options.runs)
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    table = Table("command", "seconds", "processor")
    for row in rows:
        table.add_row(row["command"], f"{row['seconds']:.3f}", f"{row['cpu_seconds']:.3f}")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
