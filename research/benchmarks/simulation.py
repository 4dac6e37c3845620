"""Evaluate a circuit for many plays: numpy by levels beside Python's big integers gate by gate.

    python research/benchmarks/simulation.py [--gates N] [--depth N] [--file F ...] [--plays N ...]

Graphs are generated in every shape, or given as AIGER files; each is evaluated as it is and
after ``strash``.  All ways must give the same values: the program fails (exit code 1) when
they do not.  Times are the best of three in one process.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from rich.console import Console
from rich.table import Table

from qsage_validate.circuit.aig import Aig, strash
from qsage_validate.circuit.simulate import PLAYS_PER_WORD, GraphSimulator, Words
from qsage_validate.formats.aiger import parse_aiger
from qsage_validate.formats.source import read_bytes
from research.benchmarks.circuits import SHAPES

SEED = 1


def big_integers(aig: Aig, outputs: Sequence[int], inputs: Sequence[int], mask: int) -> list[int]:
    """A gate at a time; an integer holds the values of all plays."""
    values = [0, mask]
    for word in inputs:
        values += (word, word ^ mask)
    for left, right in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
        value = values[left] & values[right]
        values += (value, value ^ mask)
    return [values[output] for output in outputs]


def best_of_three(work: Callable[[], object]) -> float:
    """Seconds of the quickest of three runs."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def as_integers(words: Words) -> list[int]:
    """Each row as one integer."""
    return [int.from_bytes(row.astype("<u8").tobytes(), "little") for row in words]


def measure(
    table: Table, name: str, aig: Aig, outputs: Sequence[int], plays: Sequence[int]
) -> bool:
    """Add a row for each number of plays; whether all values are the same."""
    start = time.perf_counter()
    simulator = GraphSimulator(aig, outputs)
    prepared = time.perf_counter() - start
    same = True
    for count in plays:
        words = -(-count // PLAYS_PER_WORD)
        rng = np.random.default_rng(SEED)
        inputs = rng.integers(0, 1 << 63, (aig.num_inputs, words), dtype=np.uint64)
        integers = as_integers(inputs)
        mask = (1 << words * PLAYS_PER_WORD) - 1
        same &= as_integers(simulator.run(inputs)) == big_integers(aig, outputs, integers, mask)
        levels = best_of_three(lambda inputs=inputs: simulator.run(inputs))  # type: ignore[misc]
        gatewise = best_of_three(
            lambda integers=integers, mask=mask: big_integers(aig, outputs, integers, mask)  # type: ignore[misc]
        )
        table.add_row(
            name,
            f"{simulator.num_gates:,}",
            f"{simulator.depth:,}",
            f"{1000 * prepared:,.0f}",
            f"{count:,}",
            f"{1000 * levels:,.1f}",
            f"{1000 * gatewise:,.1f}",
            f"{gatewise / levels:.1f}",
        )
    return same


def main() -> int:
    """Measure, print a table, and compare the values."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--gates", type=int, default=300_000)
    parser.add_argument("--depth", type=int, default=10_000)
    parser.add_argument("--file", type=Path, nargs="+", default=[])
    parser.add_argument("--plays", type=int, nargs="+", default=[64, 1024, 4096])
    options = parser.parse_args()
    table = Table("circuit", title="milliseconds for one evaluation of all plays")
    for heading in ("gates", "levels", "prepare", "plays", "by levels", "big integers", "ratio"):
        table.add_column(heading, justify="right")
    circuits: list[tuple[str, Aig, list[int]]] = []
    for path in options.file:
        file = parse_aiger(read_bytes(path))
        circuits.append((path.name, file.aig, file.outputs.tolist()))
    if not circuits:
        for shape, make in SHAPES.items():
            circuits.append((shape, *make(options.gates, options.depth, SEED)))
    same = True
    for name, aig, outputs in circuits:
        same &= measure(table, name, aig, outputs, options.plays)
        same &= measure(table, f"{name}, reduced", *strash(aig, outputs), options.plays)
    Console(width=110).print(table)
    if not same:
        print("the values differ", file=sys.stderr)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
