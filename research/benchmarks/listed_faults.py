"""Faulty formulas of games whose moves are listed: is one proved that says the wrong winner?

    python -m benchmarks.listed_faults [--seconds S] [--seed N] [--only WORD] [--json]

A fault is drawn at random, of the matrix (a gate with an input less, a negated input or the other
connective) or of the prefix, in a random encoding of a random game of five to nine plies.  The
level *encoding* is asked about the faulty formula, and DepQBF for its value, within 20 and 10
seconds.  A formula that is proved, and whose value names the wrong winner, is a lie: the exit code
is 1 then.  Games are positional ones, by every encoding, and heaps in GDL.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Final
from unittest.mock import patch

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings import registry
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode, encoders
from qsage_validate.errors import UsageError
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.judging import encoding as level
from qsage_validate.judging.encoding import judge
from qsage_validate.solvers.backend import SolverStatus
from qsage_validate.solvers.backends import get_backend
from qsage_validate.solvers.search import search_for
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.programs import workspace
from qsage_validate.validation.proofs import rules_of
from research.benchmarks.prefix_faults import faulty_prefixes
from tests.support.formula_faults import gate_faults
from tests.support.gdl_heap import heap

PROOF_SECONDS: Final = 20.0
SOLVER_SECONDS: Final = 10.0
_OF_MATRIX: Final = 0.7
"""The share of faults in the matrix; the others are in the prefix."""


def games() -> dict[str, GameModel]:
    """The games by name; the number behind it is that of plies."""

    def httt(shape: str, size: int, plies: int, breaker: bool = True) -> GameModel:
        return harary_model(shape, size, size, maker_breaker=breaker, plies=plies)

    return {
        "hex 3x3, 7": hex_network(3, 3, plies=7),
        "hex 3x3, 9": hex_network(3, 3, plies=9),
        "hex 4x4, 7": hex_network(4, 4, plies=7),
        "tic 4x4, 5": httt("tic", 4, 5),
        "elly 4x4, 7": httt("elly", 4, 7),
        "knobby 4x4, 7": httt("knobby", 4, 7),
        "tic 3x3, both win, 7": httt("tic", 3, 7, breaker=False),
        "tic 4x4, both win, 7": httt("tic", 4, 7, breaker=False),
        "heap of 7, 6": heap(7, 6),
        "heap of 8, 8": heap(8, 8),
    }


@dataclass(frozen=True, slots=True)
class Case:
    """A sound formula, its game, and who wins that."""

    name: str
    encoded: Encoding
    game: TwoPlayerGame
    winner: Player


def cases(only: str = "") -> list[Case]:
    """Each game in each encoding that takes it; ``only`` is a part of "game: encoding"."""
    found = []
    for name, model in games().items():
        made = {}
        for encoding in encoders(model.language):
            # Of pairs there are too many to write out all values behind the moves.
            if only in f"{name}: {encoding}" and encoding != "pairing":
                with suppress(UsageError):  # an encoding does not take every game
                    made[encoding] = encode(model, encoding)
        if made:
            game = load_game(model)
            winner = search_for(game).solve().winner
            assert winner is not None, "these games are small"
            found += [Case(f"{name}: {e}", one, game, winner) for e, one in made.items()]
    return found


_rules: Final = cache(rules_of)


@dataclass(frozen=True, slots=True)
class Judged:
    """A faulty formula: the verdict on it, and whether its value names the winner.

    ``right`` is ``None`` where DepQBF has no answer; a value that says nothing is right.
    """

    case: str
    fault: str
    verdict: str
    right: bool | None

    @property
    def is_lie(self) -> bool:
        """Proved, and wrong."""
        return self.verdict == "Proved" and self.right is False


def judged(case: Case, fault: str, formula: Qbf) -> Judged:
    """Ask the level and the solver."""
    layout = case.encoded.layout
    deadline = Deadline.after(PROOF_SECONDS)
    verdict = judge(formula, layout, case.game, deadline=deadline).verdict
    with workspace() as folder:
        limits = Limits(Deadline.after(SOLVER_SECONDS))
        status = get_backend("depqbf").solve(formula, limits, workdir=folder, outer=False).status
    right = None
    if status in (SolverStatus.TRUE, SolverStatus.FALSE):
        value = status is SolverStatus.TRUE
        named = Player.BLACK if value else Player.WHITE
        right = value not in layout.conclusive or named is case.winner
    return Judged(case.name, fault, type(verdict).__name__, right)


def faults(chosen: Sequence[Case], rng: random.Random) -> Iterator[tuple[Case, str, Qbf]]:
    """Random faults of random cases, without end."""
    while True:
        case = rng.choice(chosen)
        formula = case.encoded.qbf
        if rng.random() < _OF_MATRIX:
            found = list(gate_faults(formula))
        else:
            found = list(faulty_prefixes(formula, rng, 20))
        if found:
            yield case, *rng.choice(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the counts; see the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    chosen = cases(options.only)
    if not chosen:
        parser.error(f"found no case with {options.only!r} in its name")
    counts: Counter[tuple[str, bool | None]] = Counter()
    lies = []
    end = monotonic() + options.seconds
    # All proofs of a case ask for the same encoding and the same rules.
    with (
        patch.object(registry, "encode", cache(encode)),
        patch.object(level, "rules_of", lambda game, **_: _rules(game)),
    ):
        for case, fault, formula in faults(chosen, random.Random(options.seed)):
            one = judged(case, fault, formula)
            counts[one.verdict, one.right] += 1
            if one.is_lie:
                lies.append(one)
            if monotonic() > end:
                break
    rows = {
        verdict: [counts[verdict, right] for right in (True, False, None)]
        for verdict in sorted({verdict for verdict, _ in counts})
    }
    if options.json:
        lines = [f"{lie.case}: {lie.fault}" for lie in lies]
        print(json.dumps({"cases": len(chosen), "verdicts": rows, "lies": lines}))
    else:
        _show(rows, len(chosen), lies)
    return 1 if lies else 0


def _show(rows: dict[str, list[int]], many: int, lies: Sequence[Judged]) -> None:
    table = Table("verdict", "value as the winner", "another value", "no value in time")
    for verdict, numbers in rows.items():
        table.add_row(verdict, *map(str, numbers))
    console = Console()
    console.print(table)
    for lie in lies:
        console.print(f"proved, and wrong: {lie.case}: {lie.fault}")
    total = sum(map(sum, rows.values()))
    console.print(f"{total} faulty formulas of {many} sound ones, {len(lies)} lies")


if __name__ == "__main__":
    sys.exit(main())
