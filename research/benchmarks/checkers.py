"""Proofs of the samples by our checker and by all others that are installed, with times.

    python research/benchmarks/checkers.py [--case FORMULA CERTIFICATE ...] [--level NAME ...]
                                  [--checker NAME ...] [--timeout SECONDS] [--json]

Without ``--case`` the six samples of this project are proved at every level, and QuAbS's
certificate for Tic 4x4, depth 5 (290,816 gates), at the level "formula", where
``$QSAGE_SHARED_DATA`` (or ``../shared/data``) has it.  Seconds are wall-clock time.  The program
fails (exit code 1) when a checker does not accept a proof.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.errors import QsageError
from qsage_validate.problems.load import Files
from qsage_validate.problems.validated import load_to_validate
from qsage_validate.proving.bundle import SAT_LEVELS, read_manifest, write_bundle
from qsage_validate.proving.bundle_check import Link, checker_names, installed, verify_bundle
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import validate
from qsage_validate.proving.run import ValidationOptions

REPOSITORY: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = ("tic", "hex", "evader", "domineering", "connect3", "breakthrough")
QUABS: Final = "certificates/quabs/httt-4x4_5_tic"


def measure(
    formula: str, certificate: str, levels: Sequence[Level], checkers: Sequence[str], limit: float
) -> list[dict[str, Any]]:
    """A row for each proved level: sizes, seconds of the proof and of each checker."""
    files = Files(formula, certificate)
    problem = load_to_validate(files)
    report = validate(problem, ValidationOptions(levels=tuple(levels), obligations=True))
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "proof")
        bundle = write_bundle(target, files, problem, report)
        if bundle is None:
            return []
        sizes = {proof.level: proof for proof in bundle.proofs}
        checked = verify_bundle(read_manifest(target), checkers, timeout=limit)
        return [
            {
                "case": Path(formula).stem,
                "level": (name := each.theorem.name),
                "clauses": sizes[name].clauses,
                "steps": sizes[name].steps,
                "bytes": os.path.getsize(os.path.join(target, each.theorem.proof)),
                "same CNF": each.link is Link.SAME,
                "written in": round(bundle.seconds, 2),
                "checkers": {
                    x.checker: (x.answer.value, round(x.seconds, 2)) for x in each.outcomes
                },
            }
            for each in checked.theorems
        ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", nargs=2, action="append", metavar=("FORMULA", "CERTIFICATE"))
    parser.add_argument("--level", action="append", choices=[x.value for x in SAT_LEVELS])
    parser.add_argument("--checker", action="append", choices=checker_names())
    parser.add_argument("--timeout", type=float, default=3600.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    levels = tuple(x for x in SAT_LEVELS if not options.level or x.value in options.level)
    cases = [(formula, certificate, levels) for formula, certificate in options.case or ()]
    if not cases:
        samples = REPOSITORY / "certificates"
        cases = [(f"{samples}/{name}.qcir", f"{samples}/{name}.aig", levels) for name in SAMPLES]
        shared = os.environ.get("QSAGE_SHARED_DATA") or f"{REPOSITORY.parent}/shared/data"
        stem = f"{shared}/{QUABS}"
        if os.path.isfile(f"{stem}.qcir"):
            cases.append((f"{stem}.qcir", f"{stem}.aig", (Level.FORMULA,)))
        else:
            print(f"left out, for it is not there: {stem}.qcir", file=sys.stderr)
    checkers = tuple(options.checker or installed())
    rows: list[dict[str, Any]] = []
    for formula, certificate, wanted in cases:
        try:
            rows += measure(formula, certificate, wanted, checkers, options.timeout)
        except QsageError as error:
            print(error, file=sys.stderr)
            return 1
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows, checkers)
    good = all(
        row["same CNF"] and all(answer == "verified" for answer, _ in row["checkers"].values())
        for row in rows
    )
    return 0 if rows and good else 1


def show(rows: Sequence[dict[str, Any]], checkers: Sequence[str]) -> None:
    """The table; seconds alone mean that the proof is accepted."""
    table = Table()
    for column in ("case", "level", "clauses", "steps", "KiB", "same CNF", *checkers):
        table.add_column(column, justify="left" if column in ("case", "level") else "right")
    for row in rows:
        said = (
            f"{seconds:.2f} s" if answer == "verified" else f"{answer} ({seconds:.2f} s)"
            for answer, seconds in row["checkers"].values()
        )
        sizes = (f"{row['clauses']:,}", f"{row['steps']:,}", f"{row['bytes'] // 1024:,}")
        same = "yes" if row["same CNF"] else "no"
        table.add_row(row["case"], row["level"], *sizes, same, *said)
    Console(width=160 if not sys.stdout.isatty() else None).print(table)


if __name__ == "__main__":
    sys.exit(main())
