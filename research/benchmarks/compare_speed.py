"""``qsage compare`` on pairs of positional encodings: how long does a transfer take?

    python research/benchmarks/compare_speed.py PUZZLE.hex [--depth N] [--pair FIRST,SECOND]... [--seconds N]

Both encodings of each pair are written in two ways: as clauses without a layout, where the moves'
variables are shared by number (SQval's question), and as circuits with one. The strategies are
DepQBF's: what its trace on the clauses gives where there is one within ``--seconds``, unchecked,
for the comparison checks what it makes of it; else behind Bloqqer. Each comparison is a process of
its own; its start counts. The last column is its processor time as a part of the 27 s that SQval
is published to need for a pair of Hein 12 whose strategy has 57,264 gates, on another machine.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.certificates.by_proof import by_trace
from qsage_validate.certificates.routes import RouteOptions, certify_formula
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UndecidedError
from qsage_validate.formats.qdimacs import parse_qdimacs, qbf_to_qdimacs
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.registry import find_command
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.system.limits import Deadline, Limits, nobody

SQVAL_SECONDS = 27.0


def strategy(encoding: Encoding, seconds: float) -> tuple[CircuitCertificate, str]:
    """What DepQBF finds for the clauses, and by which route."""
    clauses = parse_qdimacs(qbf_to_qdimacs(encoding.qbf))
    limits = Limits(Deadline.after(seconds))
    try:
        return by_trace(clauses, limits, solver="depqbf", tell=nobody).certificate, "trace"
    except UndecidedError as error:
        print(f"{encoding.layout.encoding}: {error}", file=sys.stderr)
    return certify_formula(clauses, RouteOptions("bloqqer", "depqbf")).certificate, "bloqqer"


def measured(*words: str) -> tuple[str, float, float]:
    """The first line of a comparison, its wall time and its processor time."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "qsage_validate", "compare", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (done.stdout or done.stderr).splitlines()[0], wall, cpu


def main() -> None:
    """Print a row for each puzzle, direction and kind of sharing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("puzzles", nargs="+")
    parser.add_argument("--depth", default="7")
    parser.add_argument("--pair", action="append", help="two encodings (ln,sn)")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each strategy")
    arguments = parser.parse_args()
    puzzles = [str(Path(puzzle).resolve()) for puzzle in arguments.puzzles]
    pairs = [pair.split(",") for pair in arguments.pair or ["ln,sn"]]
    print(
        "| strategy | gates | formula | shared | answer | seconds | processor | of SQval's 27 s |"
    )
    print("|---|--:|---|---|---|--:|--:|--:|")
    for puzzle, names in product(puzzles, pairs):
        model = find_command((puzzle, "--depth", arguments.depth))
        made = [encode(model, name) for name in names]
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for own, encoding in zip(names, made, strict=True):
                Path(f"{own}.qcir").write_text(qcir_text(encoding.qbf))
                clauses = qbf_to_qdimacs(encoding.qbf).splitlines(keepends=True)
                bare = "".join(line for line in clauses if not line.startswith("c"))
                Path(f"{own}.qdimacs").write_text(bare)
            moves = [[abs(v) for p in e.layout.moves for v in p.variables] for e in made]
            for k, (own, encoding) in enumerate(zip(names, made, strict=True)):
                other = names[1 - k]
                same = zip(moves[k], moves[1 - k], strict=True)
                Path("shared.txt").write_text(" ".join(f"{a}={b}" for a, b in same))
                certificate, route = strategy(encoding, arguments.seconds)
                Path("own.aig").write_bytes(certificate_bytes(certificate))
                for form, options, over in (
                    ("qdimacs", ("--shared", "shared.txt"), f"{len(moves[k])} variables"),
                    ("qcir", (), "moves"),
                ):
                    files = (f"{own}.{form}", f"{other}.{form}", "--cert", "own.aig")
                    line, wall, cpu = measured(*files, *options)
                    answer = line.partition(": ")[2].partition(":")[0]
                    gates = f"{certificate.aig.num_gates:,}"
                    cells = (f"{own}, {route}", gates, f"{other}.{form}", over, answer)
                    times = f"{wall:.1f} | {cpu:.1f} | {cpu / SQVAL_SECONDS:.2f}"
                    print(f"| {' | '.join(cells)} | {times} |", flush=True)


if __name__ == "__main__":
    main()
