"""How long a file of a million gates takes to read, and how much memory.

    python research/benchmarks/reading.py [--gates N] [--checkout FOLDER ...] [--json]

The same circuit of random conjunctions and disjunctions is a QCIR file with numbers, one with names
and one whose gates are in any order; its gates as conjunctions are an AIGER file, ASCII and binary.
Each file is read in a process of its own.  Memory is the most that the process had, as Linux counts
it, Python and numpy included.  The last rows are errors nine tenths down the QCIR file, the last of
them below a comment that is not ASCII, and a PG file of 7,757 lines whose last one has a shape in
pieces.

``--checkout`` measures the package in other folders too, such as an earlier version.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from rich.console import Console
from rich.table import Table

from qsage_validate.certificates.writer import aiger_bytes
from qsage_validate.circuit.aig import Aig

REPOSITORY: Final = Path(__file__).resolve().parents[2]
INPUTS: Final = 1_000
_CHILD: Final = """
import json, sys, time
import numpy
kind, path = sys.argv[1:]
if kind == "aiger":
    from qsage_validate.formats.aiger import parse_aiger
    from qsage_validate.formats.source import read_bytes
    read = lambda: parse_aiger(read_bytes(path)).aig.num_gates
elif kind == "qcir":
    from qsage_validate.formats.formula import read_formula
    read = lambda: len(read_formula(path).gates)
else:
    from qsage_validate.games.positional.language import read_positional
    read = lambda: read_positional(path)
began = time.process_time()
try:
    found = read()
except Exception as error:
    found = str(error).replace(path, "FILE")
seconds = time.process_time() - began
status = open("/proc/self/status").read()
peak = next(int(x.split()[1]) for x in status.splitlines() if x.startswith("VmHWM"))
print(json.dumps({"found": found, "s": seconds, "MB": peak * 1024 / 1e6}))
"""


def circuit(gates: int) -> Iterator[tuple[int, str, int, int]]:
    """Gates with their numbers, behind the variables: connective and two literals."""
    chosen = random.Random(1)
    for number in range(INPUTS + 1, INPUTS + gates + 1):
        first, second = (chosen.choice((1, -1)) * chosen.randrange(1, number) for _ in range(2))
        yield number, chosen.choice(("and", "or")), first, second


def qcir(gates: int, word: Callable[[int], str] = str, *, mixed: bool = False) -> bytes:
    """The circuit as QCIR."""

    def literal(x: int) -> str:
        return f"-{word(-x)}" if x < 0 else word(x)

    half = INPUTS // 2
    head = [
        "#QCIR-G14",
        f"exists({', '.join(map(word, range(1, half + 1)))})",
        f"forall({', '.join(map(word, range(half + 1, INPUTS + 1)))})",
        f"output({word(INPUTS + gates)})",
    ]
    lines = [f"{word(g)} = {c}({literal(a)}, {literal(b)})" for g, c, a, b in circuit(gates)]
    if mixed:
        random.Random(2).shuffle(lines)
    return ("\n".join((*head, *lines)) + "\n").encode()


def wrong(gates: int, statement: str, comment: str = "") -> bytes:
    """The circuit with another statement nine tenths down, where the gate ``{0}`` is defined."""
    lines = qcir(gates).split(b"\n")
    at = len(lines) * 9 // 10
    lines[at] = statement.format(lines[at].split(b" ")[0].decode()).encode()
    lines[0] += comment.encode()
    return b"\n".join(lines)


def aiger(gates: int, *, binary: bool) -> bytes:
    """The circuit with all gates as conjunctions, as AIGER."""
    fanins = np.array([(a, b) for _, _, a, b in circuit(gates)], dtype=np.int64)
    literals = (2 * np.abs(fanins) + (fanins < 0)).astype(np.int32)
    aig = Aig(INPUTS, literals[:, 0].copy(), literals[:, 1].copy())
    return aiger_bytes(aig, [2 * (INPUTS + gates)], binary=binary)


def shape_in_pieces() -> bytes:
    """A PG file with the error in line 7,757."""
    side = 14
    cells = {(x, y): f"{chr(96 + x)}{y}" for y in range(1, side + 1) for x in range(1, side + 1)}
    times = [f"t{k}" for k in range(1, len(cells) + 1)]
    lines = ["#times", " ".join(times), "#blackturns", " ".join(times[::2])]
    lines += ["#positions", " ".join(cells.values()), "#neighbours"]
    for (x, y), name in cells.items():
        lines.append(f"{name} {cells.get((x, y - 1), 'na')} {cells.get((x + 1, y), 'na')}")
    lines.append("#blackgoal")
    lines += ["up(p0,p1) side(p1,p2) up(p2,p3)"] * (7_756 - len(lines))
    return "\n".join((*lines, "up(p0,p1) side(p2,p3)")).encode() + b"\n"


def files(gates: int) -> dict[str, tuple[str, Callable[[], bytes]]]:
    """The rows: the reader and the file."""
    return {
        "QCIR, numbers": ("qcir", lambda: qcir(gates)),
        "QCIR, names": ("qcir", lambda: qcir(gates, lambda v: f"g{v}")),
        "QCIR, any order": ("qcir", lambda: qcir(gates, mixed=True)),
        "QCIR, names in any order": (
            "qcir",
            lambda: qcir(gates, lambda v: f"g{v}", mixed=True),
        ),
        "AIGER, ASCII": ("aiger", lambda: aiger(gates, binary=False)),
        "AIGER, binary": ("aiger", lambda: aiger(gates, binary=True)),
        "QCIR, a syntax error": ("qcir", lambda: wrong(gates, "{0} = and(1,, 2)")),
        "QCIR, an undefined variable": ("qcir", lambda: wrong(gates, "{0} = and(1, nothing)")),
        "QCIR, a cycle": ("qcir", lambda: wrong(gates, "{0} = and(1, {0})")),
        "QCIR, an unknown connective": ("qcir", lambda: wrong(gates, "{0} = nand(1, 2)")),
        "QCIR, a quantifier behind gates": ("qcir", lambda: wrong(gates, "exists({0})")),
        "QCIR, below a comment in UTF-8": (
            "qcir",
            lambda: wrong(gates, "{0} = and(1,, 2)", "\n# größer"),
        ),
        "PG, an error in line 7,757": ("pg", shape_in_pieces),
    }


@dataclass(frozen=True)
class Run:
    """What a reader found, its processor seconds and its megabytes."""

    found: object
    s: float
    MB: float


def measured(kind: str, path: Path, checkout: Path) -> Run:
    """The reader of a checkout, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve())}
    words = [sys.executable, "-c", _CHILD, kind, str(path)]
    done = subprocess.run(words, env=environment, cwd=checkout, capture_output=True, check=True)
    return Run(**json.loads(done.stdout))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--gates", type=int, default=1_000_000)
    parser.add_argument("--checkout", type=Path, action="append")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    checkouts = options.checkout or [REPOSITORY]
    rows: list[tuple[str, float, list[Run]]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for name, (kind, make) in files(options.gates).items():
            path.write_bytes(make())
            size = path.stat().st_size / 1e6
            found = [measured(kind, path, checkout) for checkout in checkouts]
            rows.append((name, size, found))
    if options.json:
        print(json.dumps([(name, size, list(map(asdict, runs))) for name, size, runs in rows]))
        return 0
    table = Table(title=f"Reading {options.gates:,} gates")
    table.add_column("file")
    table.add_column("MB", justify="right")
    for checkout in checkouts:
        for unit in ("s", "MB", "times its size"):
            table.add_column(f"{checkout.name}: {unit}", justify="right")
    for name, size, runs in rows:
        cells: list[str] = []
        for run in runs:
            cells += [f"{run.s:.2f}", f"{run.MB:.0f}", f"{run.MB / size:.1f}"]
        table.add_row(name, f"{size:.1f}", *cells)
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
