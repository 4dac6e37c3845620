"""Sizes of the encodings, beside Q-sage's, and how they grow.

    python research/benchmarks/encodings.py [--json]

The first table has every model of ``research/benchmarks/models.py``; the second shows that gates grow
linearly in the depth and logarithmically in the board.
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

from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from research.benchmarks.models import CASES, Case


def measure(case: Case) -> dict[str, object]:
    """The sizes of one model's encoding."""
    qbf = encode(case.model()).qbf
    gates = len(qbf.gates)
    return {
        "model": case.name,
        "scopes": len(qbf.merged_scopes()),
        "universals": len(qbf.variables(Quantifier.FORALL)),
        "variables": qbf.num_variables,
        "gates": gates,
        "foreign_gates": case.foreign_gates,
        "ratio": None if case.foreign_gates is None else round(gates / case.foreign_gates, 3),
    }


def growth() -> list[dict[str, object]]:
    """Gates of Tic over depth and board."""

    def tic(side: int, depth: int) -> Encoding:
        words = f"httt --shape tic --size {side}x{side} --depth {depth}"
        return encode(Case("", words).model())

    rows: list[dict[str, object]] = []
    for side in (4, 8, 16, 32, 64):
        row: dict[str, object] = {"board": f"{side}x{side}"}
        row.update({f"depth {d}": len(tic(side, d).qbf.gates) for d in (5, 9, 13, 17)})
        rows.append(row)
    return rows


def main() -> None:
    """Print the tables, or everything as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    arguments = parser.parse_args()
    rows = [measure(case) for case in CASES]
    grown = growth()
    ratios = [float(str(row["ratio"])) for row in rows if row["ratio"] is not None]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    if arguments.json:
        print(json.dumps({"sizes": rows, "growth": grown, "mean_ratio": mean}))
        return
    console = Console()
    for title, table_rows in (
        (f"QCIR gates beside Q-sage's: {mean:.2f} in the geometric mean", rows),
        ("Tic: gates over depth (across) and board (down)", grown),
    ):
        table = Table(title=title)
        for column in table_rows[0]:
            table.add_column(column.replace("_", " "), justify="right")
        for row in table_rows:
            table.add_row(*("" if value is None else str(value) for value in row.values()))
        console.print(table)


if __name__ == "__main__":
    main()
