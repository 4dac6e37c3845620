"""Certificates compiled from search: gates and seconds, beside QuAbS's.

    python research/benchmarks/certificates.py [--timeout SECONDS] [--json]

Each model of ``research/benchmarks/models.py`` is searched, compiled and checked; the seconds are those
of this run, QuAbS's are figures measured elsewhere on Q-sage's encodings of the same models.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.errors import UndecidedError
from qsage_validate.system.limits import Deadline, Limits
from research.benchmarks.models import CASES, Case
from tests.support.certifying import certify_game


def measure(case: Case, timeout: float) -> dict[str, object]:
    """One model: who wins, how large the certificate is, how long each stage took."""
    row: dict[str, object] = {"model": case.name}
    try:
        done = certify_game(case.model(), limits=Limits(Deadline.after(timeout)))
    except UndecidedError as error:
        return {**row, "winner": f"undecided: {error}"}
    gates = done.certificate.aig.num_gates
    row |= {
        "winner": done.winner.value,
        "decisions": done.decisions,
        "gates": gates,
        "search s": round(done.search_seconds, 3),
        "compile s": round(done.compile_seconds, 3),
        "check s": round(done.check_seconds, 3),
        "QuAbS gates": case.quabs_ands,
        "QuAbS s": case.quabs_seconds,
    }
    if case.quabs_ands is not None:
        row["smaller"] = round(case.quabs_ands / gates)
    return row


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each model")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    rows = [measure(case, arguments.timeout) for case in CASES]
    smaller = [float(str(row["smaller"])) for row in rows if "smaller" in row]
    mean = math.exp(sum(map(math.log, smaller)) / len(smaller)) if smaller else math.nan
    if arguments.json:
        print(json.dumps({"certificates": rows, "mean_smaller": mean}))
        return
    columns = dict.fromkeys(column for row in rows for column in row)
    table = Table(title=f"Certificates: {mean:.0f} times smaller in the geometric mean")
    for column in columns:
        table.add_column(column, justify="left" if column == "model" else "right")
    for row in rows:
        cells = (row.get(column) for column in columns)
        table.add_row(*("" if cell is None else str(cell) for cell in cells))
    Console().print(table)


if __name__ == "__main__":
    main()
