"""Certificates through preprocessing: seconds of each stage, and gates.

    python research/benchmarks/lifting.py [MODEL ...] [--timeout SECONDS] [--miniscoping] [--json]

Each model of ``research/benchmarks/models.py`` (or those whose names are given) is encoded, preprocessed
by Bloqqer with its trace, solved by DepQBF with its trace where something is left, and the
functions are extracted, lifted and checked on the circuit; "plain" is Bloqqer and DepQBF
without traces, all in one run.  Seconds are the processor's, of the programs and of our own, so
that other programs that run do not count.  A certificate that fails the check ends the program
with exit code 1.  ``--miniscoping`` leaves Bloqqer's option ``exp-mini`` on.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from time import process_time

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.certificates.by_proof import extract
from qsage_validate.certificates.check import check
from qsage_validate.certificates.parts import for_circuit
from qsage_validate.certificates.qrat import lift, read_qrat
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.registry import encode
from qsage_validate.formats.qdimacs import clausal_form
from qsage_validate.formats.qrp import read_qrp
from qsage_validate.solvers.backend import SolverStatus
from qsage_validate.solvers.backends import get_backend
from qsage_validate.solvers.bloqqer import preprocess
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.programs import workspace
from research.benchmarks.models import CASES, Case
from tests.support.readers import output_form

_SOLVER = "depqbf"
_TRACE_MB = 2_000
_WIDTH = 150
_COLUMNS = (
    "model",
    "answer",
    "plain",
    "preprocess",
    "solve",
    "extract",
    "extracted gates",
    "lift",
    "gates",
    "check",
    "all but check",
    "times plain",
    "smaller",
)


def plain(formula: Qbf, seconds: float, folder: Path) -> float | None:
    """Seconds of the preprocessor and the solver without traces; ``None`` without an answer."""
    done = preprocess(clausal_form(formula), Limits(Deadline.after(seconds)), workdir=folder)
    if done.form is None:
        return done.cpu_seconds if done.status.truth is not None else None
    outcome = get_backend(_SOLVER).solve(
        formula, Limits(Deadline.after(seconds)), workdir=folder, form=done.form
    )
    return done.cpu_seconds + outcome.cpu_seconds if outcome.truth is not None else None


def measure(case: Case, seconds: float, options: dict[str, int]) -> dict[str, object]:
    """One model: the seconds of each stage and the gates, as far as it comes."""
    row: dict[str, object] = {"model": case.name}
    formula = encode(case.model()).qbf
    form = clausal_form(formula)
    with workspace() as folder:
        without = row["plain"] = plain(formula, seconds, folder)
        qrat, qrp = folder / "b.qrat", folder / "d.qrp"
        done = preprocess(
            form, Limits(Deadline.after(seconds)), workdir=folder, trace=qrat, options=options
        )
        row |= {"preprocess": done.cpu_seconds, "answer": done.status.name.lower()}
        if done.status not in (SolverStatus.TRUE, SolverStatus.UNKNOWN):
            return row
        output, certificate = None, None
        start = process_time()
        trace = read_qrat(qrat)
        read = process_time() - start
        if done.form is not None:
            output = output_form(form, trace, done.form.clauses)
            outcome = get_backend(_SOLVER).solve(
                formula,
                Limits(Deadline.after(seconds)),
                workdir=folder,
                form=output,
                trace=qrp,
                trace_mb=_TRACE_MB,
                binary_trace=True,
            )
            row |= {"solve": outcome.cpu_seconds, "answer": outcome.status.name.lower()}
            if outcome.status is not SolverStatus.TRUE:
                return row
            start = process_time()
            certificate = extract(output, read_qrp(qrp))
            row |= {"extract": process_time() - start, "extracted gates": certificate.aig.num_gates}
    start = process_time()
    lifted = for_circuit(lift(form, trace, output, certificate), formula)
    row |= {"lift": read + process_time() - start, "gates": lifted.aig.num_gates}
    start = process_time()
    result = check(formula, lifted, deadline=Deadline.after(seconds))
    row["check"] = process_time() - start
    stages = ("preprocess", "solve", "extract", "lift")
    total = sum(float(str(row.get(stage, 0))) for stage in stages)
    row["all but check"] = total
    row["answer"] = str(result).partition(":")[0]
    if without is not None:
        row["times plain"] = total / without
    if case.quabs_ands is not None:
        row["smaller"] = case.quabs_ands / lifted.aig.num_gates
    return row


def mean(rows: list[dict[str, object]], column: str) -> float:
    """The geometric mean of a column, where it has figures."""
    logarithms = [math.log(float(str(row[column]))) for row in rows if column in row]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan


def main() -> int:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*", help="names of models (default: all)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each stage")
    parser.add_argument("--miniscoping", action="store_true", help="leave exp-mini on")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    cases = [c for c in CASES if not arguments.models or c.name in arguments.models]
    options = {"exp-mini": 1} if arguments.miniscoping else {}
    rows = []
    for case in cases:
        rows.append(measure(case, arguments.timeout, options))
        print(json.dumps(rows[-1]), file=sys.stderr)
    means = {column: mean(rows, column) for column in ("times plain", "smaller")}
    if arguments.json:
        print(json.dumps({"lifting": rows, "means": means}))
    else:
        show(rows, means)
    return 1 if any(row["answer"] == "refuted" for row in rows) else 0


def show(rows: list[dict[str, object]], means: dict[str, float]) -> None:
    """The table on standard output; seconds with two digits, gates as they are."""
    title = f"{means['times plain']:.1f} times plain solving, {means['smaller']:.0f} times smaller"
    table = Table(title=f"{title} than QuAbS's certificates, in the geometric mean")
    columns = [column for column in _COLUMNS if any(column in row for row in rows)]
    for column in columns:
        table.add_column(column, justify="left" if column == "model" else "right")
    for row in rows:
        cells = []
        for column in columns:
            cell = row.get(column)
            if isinstance(cell, int | float):
                cells.append(f"{cell:.2f}" if isinstance(cell, float) else f"{cell:,}")
            else:
                cells.append("" if cell is None else str(cell))
        table.add_row(*cells)
    Console(width=_WIDTH).print(table)


if __name__ == "__main__":
    sys.exit(main())
