"""Plays against certificates: one at a time, side by side, and on arrays; all plays, merged or not.

    python research/benchmarks/plays.py [--play FORMULA CERT [DOMAIN PROBLEM]]... [--games N] [--json]

All ways play the same plays for a seed: the program fails (exit code 1) when they do not.
Figures are whole plays in a second on one core, without loading; ``ratio`` is to the first way.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from unittest.mock import patch

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.arena.adversary import BoardAdversary, open_adversary
from qsage_validate.problems.load import Files, Problem, load
from qsage_validate.proving.exhaustive import ArrayWalker, exhaust
from qsage_validate.proving.random_plays import VectorAdversary
from qsage_validate.proving.run import LevelResult
from qsage_validate.proving.vector_walk import vector_walk, walks
from qsage_validate.system.limits import Limits
from qsage_validate.validation.finding import Proved

CERTIFICATES = Path(__file__).resolve().parents[2] / "certificates"
SEED = 1
SAMPLES = ("tic", "connect3", "breakthrough")
# Plays of a batch on arrays, and the seconds that a way may take.
BATCH = 8192
SECONDS = 10.0
POSITIONS = 200_000

Play = Callable[[range], list[str]]


@dataclass(frozen=True)
class Measured:
    """Plays of one way; ``merged`` says that plays which begin alike are asked about once."""

    name: str
    way: str
    illegal: float
    merged: bool
    plays: int
    per_second: float
    ratio: float


@dataclass(frozen=True)
class All:
    """All plays of a certificate, with and without merging."""

    name: str
    plays: int
    positions: int
    seconds: float
    positions_apart: int
    seconds_apart: float


def ways(problem: Problem, illegal: float) -> dict[str, tuple[int, bool, Play]]:
    """How plays can be made: the size of a batch, whether plays are merged, the function."""
    adversary = open_adversary(problem, seed=SEED, illegal=illegal)
    assert isinstance(adversary, BoardAdversary)
    walk = vector_walk(problem.on_board)
    arrays = {
        merge: VectorAdversary(walk, lambda: adversary, seed=SEED, illegal=illegal, merge=merge)
        for merge in (False, True)
    }
    return {
        "one at a time": (1, False, lambda numbers: adversary.play(numbers).texts),
        "side by side": (4096, True, lambda numbers: adversary.play(numbers).texts),
        "on arrays, each": (BATCH, False, lambda numbers: arrays[False].play(numbers).texts),
        "on arrays": (BATCH, True, lambda numbers: arrays[True].play(numbers).texts),
    }


def measure(name: str, problem: Problem, games: int, illegal: float) -> tuple[list[Measured], bool]:
    """The figures of all ways, and whether they played the same plays."""
    measured: list[Measured] = []
    known: list[str] = []
    same = True
    for way, (batch, merged, play) in ways(problem, illegal).items():
        play(range(min(batch, 64)))  # simulators are made when they are first needed
        texts: list[str] = []
        began = time.perf_counter()
        while len(texts) < games and time.perf_counter() - began < SECONDS:
            texts += play(range(len(texts), min(len(texts) + batch, games)))
        rate = len(texts) / (time.perf_counter() - began)
        shared = min(len(texts), len(known))
        same &= texts[:shared] == known[:shared]
        known = max(known, texts, key=len)
        first = measured[0].per_second if measured else rate
        measured.append(Measured(name, way, illegal, merged, len(texts), rate, rate / first))
    return measured, same


def all_plays(name: str, problem: Problem) -> tuple[All, bool]:
    """All plays twice, and whether there were as many, all won."""
    limits = Limits(positions=POSITIONS)
    merged = exhaust(problem, limits=limits)
    with patch.object(ArrayWalker, "keys", ArrayWalker.texts):
        apart = exhaust(problem, limits=limits)
    proved = all(isinstance(result.verdict, Proved) for result in (merged, apart))
    fine = proved and merged.evidence["plays"] == apart.evidence["plays"]
    return (
        All(
            name,
            number(merged, "plays"),
            number(merged, "positions"),
            merged.seconds,
            number(apart, "positions"),
            apart.seconds,
        ),
        fine,
    )


def number(result: LevelResult, name: str) -> int:
    """A count among the evidence."""
    value = result.evidence[name]
    assert isinstance(value, int)
    return value


def show(measured: Sequence[Measured], totals: Sequence[All]) -> None:
    """Print two tables."""
    table = Table("certificate", "way", title="random plays")
    for heading in ("illegal", "plays", "plays a second", "ratio"):
        table.add_column(heading, justify="right")
    for row in measured:
        table.add_row(
            row.name,
            row.way,
            f"{row.illegal:.0%}",
            f"{row.plays:,}",
            f"{row.per_second:,.0f}",
            f"{row.ratio:,.1f}",
        )
    console = Console(width=110)
    console.print(table)
    table = Table("certificate", title="all plays")
    for heading in ("plays", "positions", "s", "positions, unmerged", "s, unmerged"):
        table.add_column(heading, justify="right")
    for total in totals:
        table.add_row(
            total.name,
            f"{total.plays:,}",
            f"{total.positions:,}",
            f"{total.seconds:.2f}",
            f"{total.positions_apart:,}",
            f"{total.seconds_apart:.2f}",
        )
    console.print(table)


def main() -> int:
    """Measure, print tables, and compare the plays."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--play", nargs="+", action="append", metavar="FILE", default=[])
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    setups: dict[str, Problem] = {}
    for files in options.play:
        if len(files) not in (2, 4):
            parser.error("--play takes FORMULA CERTIFICATE or FORMULA CERTIFICATE DOMAIN PROBLEM")
        formula, certificate, *game = files
        problem = load(Files(formula=formula, certificate=certificate, game=tuple(game)))
        setups["/".join(Path(certificate).parts[-2:])] = problem
    if not setups:
        for name in SAMPLES:
            stem = CERTIFICATES / name
            setups[name] = load(Files(formula=f"{stem}.qcir", certificate=f"{stem}.aig"))
    measured: list[Measured] = []
    totals: list[All] = []
    fine = True
    for name, problem in setups.items():
        if not walks(problem):
            parser.error(f"{name}: expected a Skolem circuit with a layout and rules")
        for illegal in (0.0, 0.1):
            rows, same = measure(name, problem, options.games, illegal)
            measured += rows
            fine &= same
        total, same = all_plays(name, problem)
        totals.append(total)
        fine &= same
    if options.json:
        print(json.dumps({"random": list(map(asdict, measured)), "all": list(map(asdict, totals))}))
    else:
        show(measured, totals)
    if not fine:
        print("the plays differ, or are not all won", file=sys.stderr)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
