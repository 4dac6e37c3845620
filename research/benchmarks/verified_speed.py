"""The verified checker beside ``qsage verify`` on bundles that ``qsage validate --proof`` wrote.

    python research/benchmarks/verified_speed.py BUNDLE ...

Of each bundle with a level *formula*: gates of the certificate, size of the proof, and processor
seconds with peak memory of three runs, one after the other.  "qsage" is ``qsage verify --checker
qsage`` (the CNF is made again from the files, and the proof checked), "proof alone" the same
with ``--cnf-only``; "verified" is ``qsage-verified`` on the same formula, certificate and proof.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.errors import Exit
from qsage_validate.proving.bundle import read_manifest
from qsage_validate.proving.theorems import require_program


def measured(command: list[str]) -> tuple[float, float]:
    """Processor seconds (user and system) and MiB of a program that has to succeed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != Exit.FINE:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    unit = 1 << (20 if sys.platform == "darwin" else 10)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / unit


def main() -> int:
    """Print the table, a row as it is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundles", nargs="+")
    qsage = [sys.executable, "-m", "qsage_validate", "verify", "--checker", "qsage"]
    program = require_program()
    runs = "qsage s (MiB) | proof alone s (MiB) | verified s (MiB)"
    print(f"| certificate | gates | LRAT (MB) | {runs} |")
    print("|---|--:|--:|--:|--:|--:|")
    for bundle in parser.parse_args().bundles:
        play = read_manifest(bundle).play
        assert play.formula is not None
        assert play.certificate is not None
        with open(play.certificate, "rb") as file:
            gates = int(file.readline().split()[5])
        proof = f"{bundle}/formula.lrat"
        size = Path(proof).stat().st_size / 1e6
        commands = (
            [*qsage, bundle],
            [*qsage, "--cnf-only", bundle],
            [program, play.formula, play.certificate, proof],
        )
        cells = [f"{seconds:.2f} ({mib:.0f})" for seconds, mib in map(measured, commands)]
        name = Path(play.certificate).stem
        print(f"| {name} | {gates:,} | {size:.1f} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
