"""Random plays against solvers that have no certificate, beside plays against the certificate.

    python research/benchmarks/solver_plays.py DATA [--games N] [--seconds S]

DATA is a folder with the files of ``CASES``.  One row a formula: who played, how many games of a
random opponent were won, what was found, and how long replies took, ply by ply: the middle and the
longest of the different ones (a reply that was given before takes no time).  The last column has
the same for a certificate of the formula.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.arena.open import open_engine
from qsage_validate.errors import QsageError
from qsage_validate.play.match import PlayMatch
from qsage_validate.problems.load import Files, Problem, load

QUABS, FALSE, TRUE = (
    "certificates/quabs",
    "sqval/LN_hein_09_4x4_05_UNSAT",
    "sqval/LN_hein_04_3x3_05_SAT",
)
# The solver, the formula, and its certificate; clauses are played block by block.
CASES = (
    ("depqbf", f"{QUABS}/httt-4x4_5_tic.qcir", f"{QUABS}/httt-4x4_5_tic.aig"),
    ("caqe", f"{QUABS}/hex__hein_12_4x4-07.qcir", f"{QUABS}/hex__hein_12_4x4-07.aig"),
    ("auto", f"{QUABS}/httt-3x3_5_el.qcir", f"{QUABS}/httt-3x3_5_el.aig"),
    ("qute", f"{QUABS}/domineering__4x2_5.qcir", f"{QUABS}/domineering__4x2_5.aig"),
    ("caqe", f"{FALSE}/qbf.qdimacs", f"{FALSE}/certificate.aag"),
    ("depqbf", f"{TRUE}/qbf.qdimacs", f"{TRUE}/certificate.aag.xz"),
)


@dataclass
class Plays:
    """What came of some games: ``seconds`` of the different replies, by ply."""

    won: int = 0
    undecided: int = 0
    findings: int = 0
    seconds: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def times(self) -> str:
        """Ply by ply, how many replies, the middle and the longest."""
        return "; ".join(
            f"{ply}: {len(own)}, {statistics.median(own):.2f}, {max(own):.2f}"
            for ply, own in sorted(self.seconds.items())
        )


def play(problem: Problem, games: int) -> Plays:
    """Random games, one after the other; what was answered once is kept."""
    engine, plays, seen = open_engine(problem), Plays(), set[tuple[str, ...]]()
    for number in range(games):
        match, draw = PlayMatch(engine), random.Random(f"solver plays {number}")
        while not match.over:
            move = match.random_move(draw)
            assert move is not None, "a play that goes on has a legal move"
            match.push(move, force=True)
        moves = tuple(str(frame.move) for frame in match.frames)
        for index, frame in enumerate(match.frames):
            if frame.by_certificate and moves[: index + 1] not in seen:
                seen.add(moves[: index + 1])
                plays.seconds[frame.ply].append(frame.seconds)
        assert match.outcome is not None, "the play is over"
        plays.won += match.outcome.promised is True
        plays.undecided += match.outcome.promised is None
        plays.findings += len(match.findings)
    return plays


def row(data: Path, case: tuple[str, str, str], games: int, seconds: float) -> str:
    """One row of the table."""
    solver, formula, certificate = case
    shown = formula.replace("certificates/", "").replace("/qbf", "")
    files = Files(str(data / formula), as_blocks=formula.endswith(".qdimacs"))
    against = replace(files, solver=solver, seconds=seconds)
    try:
        problem = load(against)
        plays = play(problem, games)
        beside = play(load(replace(files, certificate=str(data / certificate))), games)
    except QsageError as error:
        return f"| {shown} | {solver} | {error} | | | |"
    value = str(problem.answering.kind.truth).lower()
    ended = f"{plays.won} of {games}"
    ended += f", {plays.undecided} undecided" if plays.undecided else ""
    cells = (shown, value, solver, ended, str(plays.findings), plays.times, beside.times)
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder with the formulas")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=120.0, help="for each reply")
    arguments = parser.parse_args()
    print("| formula | value | solver | won | findings | solver | certificate |")
    print("|---|---|---|---|---|---|---|")
    for case in CASES:
        print(row(arguments.data, case, arguments.games, arguments.seconds), flush=True)


if __name__ == "__main__":
    main()
