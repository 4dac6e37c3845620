"""Load a large AIGER file, hand it to PySAT, ask it: the project's way beside the plain way.

    python research/benchmarks/load.py [--gates N] [--depth N] [--solver NAME] [--file F ...] [--json]

Files are generated (or given).  Each way runs in a process of its own, so that peak memory is
its own; times are the processor's, which other load on the machine disturbs less.  All ways
answer the same questions, and the answers are compared with a simulation of the circuit: the
program fails (exit code 1) when one differs.

The plain way is a Python loop over lines or bytes, clauses as lists, one ``add_clause`` each.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from pysat.solvers import Solver
from rich.console import Console
from rich.table import Table

from qsage_validate.certificates.writer import aiger_bytes
from qsage_validate.circuit.aig import strash
from qsage_validate.circuit.sat import circuit_clauses, load
from qsage_validate.circuit.simulate import GraphSimulator, pack, unpack
from qsage_validate.errors import QsageError
from qsage_validate.formats.aiger import parse_aiger
from qsage_validate.formats.source import read_bytes
from research.benchmarks.circuits import SHAPES, depth_of

QUERIES: Final = 5
SEED: Final = 1

Answers = list[list[bool]]
Ask = Callable[[list[bool]], list[bool]]


def questions(inputs: int) -> list[list[bool]]:
    """Values of the inputs, the same in every process."""
    rng = random.Random(SEED)
    return [[rng.random() < 0.5 for _ in range(inputs)] for _ in range(QUERIES)]


# --- The ways ------------------------------------------------------------------------------


def _asker(solver: Any, inputs: Sequence[int], outputs: Sequence[int]) -> Ask:
    def ask(values: list[bool]) -> list[bool]:
        assumptions = [v if bit else -v for v, bit in zip(inputs, values, strict=True)]
        if not solver.solve(assumptions=assumptions):
            raise AssertionError("the clauses of a circuit have a model for all inputs")
        model = solver.get_model()
        return [(model[abs(x) - 1] > 0) == (x > 0) for x in outputs]

    return ask


def bulk(path: str, name: str, *, simplify: bool = False) -> tuple[dict[str, float], int, Ask]:
    """Numpy columns, wide conjunctions, clauses in pieces; optionally merging equal gates."""
    start = time.process_time()
    file = parse_aiger(read_bytes(path))
    aig, outputs = file.aig, file.outputs.tolist()
    read = time.process_time()
    if simplify:
        aig, outputs = strash(aig, outputs)
    clauses = circuit_clauses(aig, keep=outputs)
    solver = Solver(name=name)
    load(solver, clauses.literals)
    handed = time.process_time()
    literals = [clauses.literal(x) for x in outputs]
    times = {"read": read - start, "hand over": handed - read}
    return times, aig.num_inputs, _asker(solver, range(1, aig.num_inputs + 1), literals)


def reduced(path: str, name: str) -> tuple[dict[str, float], int, Ask]:
    """:func:`bulk` after merging equal gates, which pays where many are (QuAbS's)."""
    return bulk(path, name, simplify=True)


def plain(path: str, name: str) -> tuple[dict[str, float], int, Ask]:
    """What one writes first."""
    start = time.process_time()
    data = Path(path).read_bytes()
    parse = _plain_binary if data.startswith(b"aig") else _plain_ascii
    inputs, outputs, gates = parse(data)
    read = time.process_time()
    true = 1 + max((gate[0] >> 1 for gate in gates), default=len(inputs))

    def sat(literal: int) -> int:
        if literal < 2:
            return true if literal else -true
        return -(literal >> 1) if literal & 1 else literal >> 1

    clauses = [[true]]
    for gate, left, right in gates:
        g, a, b = sat(gate), sat(left), sat(right)
        clauses.append([-g, a])
        clauses.append([-g, b])
        clauses.append([g, -a, -b])
    solver = Solver(name=name)
    for clause in clauses:
        solver.add_clause(clause)
    handed = time.process_time()
    times = {"read": read - start, "hand over": handed - read}
    ask = _asker(solver, [x >> 1 for x in inputs], [sat(x) for x in outputs])
    return times, len(inputs), ask


Gates = list[tuple[int, int, int]]


def _plain_ascii(data: bytes) -> tuple[list[int], list[int], Gates]:
    lines = data.decode().splitlines()
    _, count, _, outs, ands = map(int, lines[0].split()[1:6])
    inputs = [int(line) for line in lines[1 : 1 + count]]
    outputs = [int(line) for line in lines[1 + count : 1 + count + outs]]
    gates: Gates = []
    for line in lines[1 + count + outs : 1 + count + outs + ands]:
        gate, left, right = line.split()
        gates.append((int(gate), int(left), int(right)))
    return inputs, outputs, gates


def _plain_binary(data: bytes) -> tuple[list[int], list[int], Gates]:
    at = data.index(b"\n") + 1
    _, count, _, outs, ands = map(int, data[:at].split()[1:6])
    outputs: list[int] = []
    for _ in range(outs):
        end = data.index(b"\n", at)
        outputs.append(int(data[at:end]))
        at = end + 1

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    gates: Gates = []
    for k in range(ands):
        gate = 2 * (count + 1 + k)
        left = gate - number()
        gates.append((gate, left, left - number()))
    return [2 * (k + 1) for k in range(count)], outputs, gates


WAYS: Final = {"plain": plain, "bulk": bulk, "bulk, merged": reduced}


# --- One measurement, in a process of its own ----------------------------------------------


def peak_memory() -> int:
    """The most memory that this process had, in bytes."""
    # The kernel's own figure for this program; the one of getrusage starts with the parent's.
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measure(way: str, path: str, solver: str) -> dict[str, Any]:
    """Load and ask; returns processor times in seconds, memory in bytes, and the answers."""
    times, inputs, ask = WAYS[way](path, solver)
    queries: list[float] = []
    answers: Answers = []
    for question in questions(inputs):
        start = time.process_time()
        answers.append(ask(question))
        queries.append(time.process_time() - start)
    return {**times, "queries": queries, "peak": peak_memory(), "answers": answers}


def simulated(path: str) -> dict[str, Any]:
    """The right answers, and what the file is."""
    file = parse_aiger(read_bytes(path))
    asked = np.array(questions(file.aig.num_inputs), dtype=np.bool_)
    words = GraphSimulator(file.aig, file.outputs.tolist()).run(pack(asked))
    return {
        "answers": unpack(words, QUERIES).tolist(),
        "gates": file.aig.num_gates,
        "depth": depth_of(file.aig),
        "bytes": Path(path).stat().st_size,
    }


def generate(shape: str, gates: int, depth: int, folder: str) -> list[str]:
    """Write the files of a shape; returns their paths."""
    aig, outputs = SHAPES[shape](gates, depth, SEED)
    binary, text = Path(folder) / f"{shape}.aig", Path(folder) / f"{shape}.aag"
    binary.write_bytes(aiger_bytes(aig, outputs, binary=True))
    ascii_form = aiger_bytes(aig, outputs, binary=False)
    text.write_bytes(ascii_form)
    paths = [str(binary), str(text)]
    if shape == "deep":
        lines = ascii_form.split(b"\n")
        first = 1 + aig.num_inputs + len(outputs)
        shuffled = lines[first:-1]
        random.Random(SEED).shuffle(shuffled)
        mixed = Path(folder) / f"{shape}-any-order.aag"
        mixed.write_bytes(b"\n".join([*lines[:first], *shuffled, b""]))
        paths.append(str(mixed))
    return paths


def child(function: str, *arguments: object) -> Any:
    """The result of one of the functions above, from a new process."""
    call = json.dumps([function, *arguments])
    command = [sys.executable, str(Path(__file__).resolve()), "--child", call]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(done.returncode)  # the child has said why
    return json.loads(done.stdout)


CHILDREN: Final[dict[str, Callable[..., Any]]] = {
    "measure": measure,
    "simulated": simulated,
    "generate": generate,
}


# --- Report --------------------------------------------------------------------------------


def report(rows: list[dict[str, Any]], solver: str) -> Table:
    """A line for each file and way; ratios are the plain way's figure over this one's."""
    table = Table(title=f"Loading AIGER and handing it to {solver} (processor time)")
    table.add_column("file")
    table.add_column("way")
    for heading in ("read s", "hand over s", "total s", "×", "first query ms", "later ms", "×"):
        table.add_column(heading, justify="right")
    for heading in ("peak MiB", "×"):
        table.add_column(heading, justify="right")
    for row in rows:
        base = row["plain"]
        for index, way in enumerate(w for w in WAYS if w in row):
            result = row[way]
            total = result["read"] + result["hand over"]
            later = sorted(result["queries"][1:])[len(result["queries"]) // 2 - 1]
            base_total = base["read"] + base["hand over"]
            base_later = sorted(base["queries"][1:])[len(base["queries"]) // 2 - 1]
            table.add_row(
                row["title"] if not index else "",
                way,
                f"{result['read']:.2f}",
                f"{result['hand over']:.2f}",
                f"{total:.2f}",
                f"{base_total / total:.1f}",
                f"{1000 * result['queries'][0]:.1f}",
                f"{1000 * later:.1f}",
                f"{base_later / later:.1f}",
                f"{result['peak'] / 2**20:.0f}",
                f"{base['peak'] / result['peak']:.1f}",
                end_section=index == len(WAYS) - 1,
            )
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--gates", type=int, default=1_000_000, help="gates of a generated file")
    parser.add_argument("--depth", type=int, default=15_000, help="gates on its longest path")
    parser.add_argument("--solver", default="minisat22", help="a solver of PySAT")
    parser.add_argument("--file", action="append", default=[], help="measure this file instead")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        function, *rest = json.loads(options.child)
        try:
            print(json.dumps(CHILDREN[function](*rest)))
        except QsageError as error:
            print(error, file=sys.stderr)
            return error.exit_code
        return 0
    narration = Console(stderr=True)
    rows: list[dict[str, Any]] = []
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        paths: list[str] = list(options.file)
        if not paths:
            for shape in SHAPES:
                narration.print(f"generating {shape} files of {options.gates:,} gates")
                paths += child("generate", shape, options.gates, options.depth, folder)
        for path in paths:
            truth = child("simulated", path)
            title = (
                f"{Path(path).name}\n{truth['gates']:,} gates, depth {truth['depth']:,}\n"
                f"{truth['bytes'] / 2**20:.1f} MiB"
            )
            row: dict[str, Any] = {"title": title, "file": path}
            for way in WAYS:
                narration.print(f"{Path(path).name}: {way}")
                row[way] = child("measure", way, path, options.solver)
                if row[way].pop("answers") != truth["answers"]:
                    narration.print(f"{path}: the {way} way gives a wrong answer", style="red")
                    wrong = 1
            rows.append(row)
            if path not in options.file:
                Path(path).unlink()
    if options.json:
        print(json.dumps(rows))
    else:
        Console(width=None if sys.stdout.isatty() else 150).print(report(rows, options.solver))
    return wrong


if __name__ == "__main__":
    sys.exit(main())
