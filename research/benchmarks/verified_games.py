"""Games of the papers for which ``black_wins``, or its negation, is certified by the rules in Coq.

    python research/benchmarks/verified_games.py [--grid] [--positional FOLDER] [--timeout S] [--most N]

``--grid``: the cells of Table 2 of the BDDL paper at their printed depth, from the project's
templates.  ``--positional``: the PG files of a folder.  Each game is certified (``qsage
certify``), the winner's moves are taken from that certificate, a proof is written for the
clauses of the verified unrolling, and ``qsage-verified`` is asked.  Seconds are processor time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from time import process_time

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.extensions.bench.papers.table2 import table2
from qsage_validate.problems.load import Files
from qsage_validate.problems.validated import load_to_validate
from qsage_validate.proving.theorems import ask
from qsage_validate.proving.verified_games import CERTIFICATE, PROOF, write_game
from qsage_validate.system.limits import Deadline


def games(options: argparse.Namespace) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The name of each game and the words that ``qsage certify`` knows it by."""
    if options.grid:
        for cell in table2():
            words = (*cell.words, "--depth", str(cell.depth))
            yield " ".join(words), words
    for folder in options.positional or ():
        for path in sorted(Path(folder).glob("*.pg")):
            yield path.stem, (str(path),)


def row(words: tuple[str, ...], limit: float) -> str:
    """The rest of a row of the table: what was certified, sizes and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        formula, certificate = f"{folder}/f.qcir", f"{folder}/c.aig"
        command = [sys.executable, "-m", "qsage_validate", "certify", *words, "-o", certificate]
        command += ["--formula", formula, "--timeout", str(limit)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            return f"no certificate: {last[:80]}"
        problem = load_to_validate(Files(formula, certificate))
        started = process_time()
        entry = write_game(folder, problem, deadline=Deadline.after(limit))
        seconds = process_time() - started
        if "none" in entry:
            return f"no proof: {entry['none']}"
        names = [f"{folder}/{name}" for name in ("game.pg", "domain.bddl", "problem.bddl")]
        subject = [name for name in names if Path(name).exists()]
        flags = [] if entry["player"] == "black" else ["--herbrand"]
        proof = f"{folder}/{PROOF}"
        answer = ask([*subject, f"{folder}/{CERTIFICATE}", proof, *flags])
        said = f"black_wins = {str(entry['player'] == 'black').lower()}"
        size = Path(proof).stat().st_size / 1e6
        return (
            f"{said if answer.proved else answer.text} | {size:.1f} | {seconds:.1f} | "
            f"{answer.cpu_seconds:.2f} | {answer.peak_mb:.0f}"
        )


def main() -> int:
    """Print the table, a row as it is known."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--positional", action="append")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--most", type=int)
    options = parser.parse_args()
    print("| game | theorem | LRAT (MB) | proof written (s) | verified (s) | MiB |")
    print("|---|---|--:|--:|--:|--:|")
    for number, (name, words) in enumerate(games(options)):
        if options.most is not None and number >= options.most:
            break
        print(f"| {name} | {row(words, options.timeout)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
