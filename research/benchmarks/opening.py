"""How long until the board of a large certificate is there, and in how much memory.

    python research/benchmarks/opening.py [--gates N] [--shape NAME ...] [--checkout FOLDER] [--json]

The certificate is the sample for Tic, whose last functions are joined with a circuit of so many
gates that is always false, which no simple rule sees.  ``qsage-play`` runs in a pseudo-terminal of
100 columns; the first frame is there when anything is on the screen, the board when a move is.
Then a play of two moves goes to its end, and the teacher, who works in the background, is given
some seconds.  Memory is the most that the process had, as Linux counts it.

``--checkout`` measures the package in another folder, such as an earlier version.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pexpect
import pyte
from rich.console import Console
from rich.table import Table

from research.benchmarks.circuits import SAMPLE, SHAPES, padded

REPOSITORY: Final = Path(__file__).resolve().parents[2]
COLUMNS: Final = 100
LINES: Final = 40
PATIENCE: Final = 120.0
QUIET: Final = 8.0


def most_memory(pid: int) -> float:
    """The most memory that a process had, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(x.split()[1]) for x in status.splitlines() if x.startswith("VmHWM")) / 1000


def measured(certificate: Path, checkout: Path) -> dict[str, float]:
    """Seconds and megabytes of one start and one play."""
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    words = ["-m", "qsage_validate", "play", f"{SAMPLE}.qcir", "--cert", str(certificate)]
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(checkout)}
    began = time.perf_counter()
    child = pexpect.spawn(sys.executable, words, dimensions=(LINES, COLUMNS), env=environment)

    def look(text: str | None, seconds: float) -> float:
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            with contextlib.suppress(pexpect.TIMEOUT):
                stream.feed(child.read_nonblocking(1 << 16, timeout=0.05))
            shown = "\n".join(screen.display)
            if text is not None and shown.strip() and text in shown:
                break
        return time.perf_counter() - began

    found = {"first frame s": look("", PATIENCE), "board s": look("occupy(", PATIENCE)}
    found["board MB"] = most_memory(child.pid)
    look(None, QUIET)
    for move in ("occupy(1,1)", "occupy(3,3)"):
        child.send(f":{move}\r")
        look("Black wins" if move == "occupy(3,3)" else None, QUIET)
    found["play MB"] = most_memory(child.pid)
    child.send("\x03")
    child.expect(pexpect.EOF)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--gates", type=int, default=1_000_000)
    parser.add_argument("--shape", action="append", choices=list(SHAPES))
    parser.add_argument("--checkout", type=Path, default=REPOSITORY)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    rows: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for shape in options.shape or ("wide", "deep"):
            certificate = Path(folder) / f"{shape}.aig"
            certificate.write_bytes(padded(options.gates, shape))
            rows[shape] = measured(certificate, options.checkout)
    if options.json:
        print(json.dumps(rows))
        return 0
    table = Table(title=f"Opening a certificate of {options.gates:,} gates")
    table.add_column("shape")
    for heading in next(iter(rows.values())):
        table.add_column(heading, justify="right")
    for shape, row in rows.items():
        cells = (f"{v:.2f}" if name.endswith(" s") else f"{v:.0f}" for name, v in row.items())
        table.add_row(shape, *cells)
    Console(width=None if sys.stdout.isatty() else 100).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
