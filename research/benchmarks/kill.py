"""Signals at stages of the commands that write: nothing half-written, nothing left that has no mark.

``python -m benchmarks.kill`` starts each command, sends each signal after shares of the time that the
command takes alone, and looks at the exit code, standard error, the output, its folder and TMPDIR.
An output is to be absent, or whole: that it can be read again says so.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qsage_validate.system.programs import MARK

GAME = ["httt", "--size", "3x3", "--shape", "el", "--depth", "5"]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
# Earlier Python itself starts, and answers Ctrl-C by a traceback.
STAGES = (0.3, 0.5, 0.7, 0.85, 0.95, 1.0)


@dataclass(frozen=True)
class Writer:
    """A command that writes ``output``, and the command that reads it again."""

    words: Sequence[str]
    output: str
    reads: Sequence[str]


WRITERS = (
    Writer(["encode", *GAME, "-o", "out.qcir"], "out.qcir", ["info", "out.qcir"]),
    Writer(["certify", *GAME, "-o", "out.aig"], "out.aig", ["info", "out.aig"]),
    Writer(["validate", "f.qcir", "c.aig", "--level", "all", "--positions", "20", "--checkpoint", "out.json"],
           "out.json", ["validate", "f.qcir", "c.aig", "--level", "all", "--checkpoint", "out.json"]),
    Writer(["validate", "f.qcir", "c.aig", "--level", "rules", "--proof", "out"], "out", ["verify", "out", "--cnf-only"]),
    Writer(["solve", *GAME[:-1], "auto", "--resume", "out.json"], "out.json", ["solve", *GAME[:-1], "auto", "--resume", "out.json"]),
    Writer(["play", "f.qcir", "c.aig", "--white", "random", "--games", "1", "--export", "out.txt"], "out.txt",
           ["play", "f.qcir", "c.aig", "--moves-file", "out.txt"]),
)  # fmt: skip


def start(words: Sequence[str], folder: Path, temporary: Path) -> subprocess.Popen[str]:
    """``qsage`` in a process of its own."""
    paths = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(
        [sys.executable, "-m", "qsage_validate", *words], cwd=folder, text=True,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def faults_of(writer: Writer, number: signal.Signals, seconds: float, root: Path) -> list[str]:
    """What is wrong after one signal, ``seconds`` after the start."""
    with tempfile.TemporaryDirectory(dir=root) as name:
        folder, temporary = Path(name) / "here", Path(name) / "tmp"
        folder.mkdir()
        temporary.mkdir()
        for given in ("f.qcir", "c.aig"):
            (folder / given).write_bytes((root / given).read_bytes())
        process = start(writer.words, folder, temporary)
        time.sleep(seconds)
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
        faults = []
        expected = {0, 1, 3, 10, 20, -number, 128 + number, 130 if number is signal.SIGINT else 0}
        if process.returncode not in expected:
            faults.append(f"exit code {process.returncode}")
        if "Traceback" in err:
            faults.append("a traceback")
        left = {path.name for path in folder.iterdir()} - {"f.qcir", "c.aig", writer.output}
        if left and number is not signal.SIGKILL:
            faults.append(f"left behind: {', '.join(sorted(left))}")
        for path in temporary.iterdir():
            if number is not signal.SIGKILL or not (path / MARK).exists():
                faults.append(f"left in TMPDIR: {path.name}")
        if (folder / writer.output).exists():
            again = start(writer.reads, folder, temporary)
            _, err = again.communicate(timeout=120)
            if again.returncode not in (0, 3, 10, 20):
                faults.append(f"not whole: {err.strip()}")
        return faults


def main(words: Sequence[str] | None = None) -> int:
    """Run the matrix; 1 when there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stages", type=int, default=len(STAGES), help="only the first N")
    parser.add_argument("--commands", type=int, default=len(WRITERS), help="only the first N")
    options = parser.parse_args(words)
    total = 0
    print("| command | signal | stages | faults |\n|---|---|--:|---|")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        made = start(["certify", *GAME, "-o", "c.aig", "--formula", "f.qcir"], root, root)
        made.communicate()
        for writer in WRITERS[: options.commands]:
            with tempfile.TemporaryDirectory(dir=root) as alone:
                for given in ("f.qcir", "c.aig"):
                    (Path(alone) / given).write_bytes((root / given).read_bytes())
                began = time.monotonic()
                start(writer.words, Path(alone), Path(alone)).communicate()
                seconds = time.monotonic() - began
            for number in SIGNALS:
                found = [
                    f"{share:g}: {fault}"
                    for share in STAGES[: options.stages]
                    for fault in faults_of(writer, number, share * seconds, root)
                ]
                total += len(found)
                shown = "; ".join(found) or "none"
                print(
                    f"| {' '.join(writer.words)} | {number.name} | {options.stages} | {shown} |",
                    flush=True,
                )
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
