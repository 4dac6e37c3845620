"""What a key costs on the board: processor time, bytes for the terminal, and the first frame.

    python research/benchmarks/keys.py [--checkout FOLDER ...] [--size 80x24 ...] [--keys N] [--json]

The board of the sample for Tic runs in a pseudo-terminal.  Each key is sent when the one before has
had its effect.  A key's latency is the time on the clock until the first byte of its effect; bytes
and processor time are those until nothing has come for a tenth of a second.  The processor time is
all of the process, so it has the lessons in the background as well; they are waited for first.

``--checkout`` measures the package in another folder, such as an earlier version; with several of
them the rows stand side by side.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pexpect
from rich.console import Console
from rich.table import Table

from research.benchmarks.circuits import SAMPLE

REPOSITORY: Final = Path(__file__).resolve().parents[2]
KEYS: Final[Mapping[str, Sequence[str]]] = {
    "arrow": ("\x1b[C", "\x1b[D"),
    "help, Esc": ("?", "\x1b"),
    "a pane": ("2", "1"),
    "theme": ("t", "t"),
}
TICK: Final = os.sysconf("SC_CLK_TCK")
QUIET: Final = 0.1
LESSONS: Final = 6.0


def processor(pid: int) -> float:
    """The processor seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def effect(child: Any, patience: float) -> tuple[float | None, int]:
    """The seconds until the first byte that comes, and how many bytes do."""
    began, first, count = time.perf_counter(), None, 0
    wait = patience
    while True:
        try:
            data = child.read_nonblocking(1 << 16, timeout=wait)
        except pexpect.TIMEOUT:
            return first, count
        first = time.perf_counter() - began if first is None else first
        count, wait = count + len(data), QUIET


def measured(checkout: Path, size: str, times: int) -> dict[str, float]:
    """The figures of one board: seconds, milliseconds and bytes."""
    columns, lines = map(int, size.split("x"))
    words = ["-m", "qsage_validate", "play", f"{SAMPLE}.qcir", "--cert", f"{SAMPLE}.aig"]
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(checkout)}
    environment.pop("COLORTERM", None)
    child = pexpect.spawn(
        sys.executable, words, dimensions=(lines, columns), env=environment, cwd="/"
    )
    try:
        child.expect("Your move", timeout=60)
        found = {"first frame, processor s": processor(child.pid)}
        end = time.perf_counter() + LESSONS
        while time.perf_counter() < end:
            effect(child, 1.0)
        for name, keys in KEYS.items():
            firsts, sizes, before = [], [], processor(child.pid)
            for number in range(times):
                child.send(keys[number % len(keys)])
                first, count = effect(child, 5.0)
                if first is None:
                    raise SystemExit(f"the key {name!r} has no effect in {checkout}")
                firsts.append(first)
                sizes.append(count)
            found[f"{name}: ms"] = statistics.median(firsts) * 1000
            found[f"{name}: processor ms"] = (processor(child.pid) - before) / times * 1000
            found[f"{name}: bytes"] = statistics.median(sizes)
    finally:
        child.close(force=True)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--checkout", type=Path, action="append")
    parser.add_argument("--size", action="append")
    parser.add_argument("--keys", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    rows = {
        f"{checkout.resolve().name} {size}": measured(checkout.resolve(), size, options.keys)
        for size in options.size or ("80x24", "120x40", "200x60")
        for checkout in options.checkout or (REPOSITORY,)
    }
    if options.json:
        print(json.dumps(rows))
        return 0
    table = Table("board", *rows, title="What a key costs on the board")
    for name in next(iter(rows.values())):
        cells = (row[name] for row in rows.values())
        table.add_row(name, *(f"{v:.2f}" if name.endswith(" s") else f"{v:,.0f}" for v in cells))
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
