"""Functions of helpers of which nothing is known: two ways to find them, two to check them.

A formula of somebody else's is proved on whole scripts by functions of its helpers
(``judging/sandwich.py``).  They are found by eliminating the helpers, one by one or in blocks by
the values that are enough, and checked by SAT, claim by claim or all claims at once.  Each way
has the same formula, one behind the other in one process; a dash is a way that took too long.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from math import inf
from pathlib import Path
from time import process_time
from unittest.mock import patch

from qsage_validate.certificates import by_expansion
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import UNKNOWN, Layout
from qsage_validate.encodings.registry import encode
from qsage_validate.formats.formula import read_formula
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.registry import find_command
from qsage_validate.judging.codes import Codes
from qsage_validate.judging.readings import find_layout
from qsage_validate.judging.sandwich import Lower
from qsage_validate.judging.suggestions import NoSuggestions
from qsage_validate.kernel.claims import ClaimsTimeoutError, first_failure
from qsage_validate.system.limits import NEVER
from qsage_validate.validation.proofs import rules_of

OWN = ("hex-network --size 2x2 --depth 3", "hex-network --size 3x3 --depth 5")
PUZZLES = ("hein_10_5x5-13", "hein_15_5x5-13")


@dataclass(frozen=True)
class Row:
    """Seconds of a processor; ``None`` where the time was up or the graph too large."""

    formula: str
    gates: int
    one_by_one: float | None
    by_values: float | None
    in_order: float | None
    together: float | None


def timed(formula: Qbf, layout: Layout, model: GameModel, name: str, limit: float) -> Row:
    """Both ways to find functions of Black's helpers, and both to check them."""
    game = load_game(model)
    rules_in = rules_of(game)
    assert rules_in is not None, "the kernel has the rules of these games"

    def found(*, by_values: bool) -> tuple[Lower, float | None]:
        script = Lower(Codes(formula, layout, game.plies), rules_in, NoSuggestions(""))
        with ExitStack() as stack:
            if not by_values:
                stack.enter_context(patch.object(by_expansion, "_BLOCK_GROWTH", inf))
            begin = process_time()
            done = script.complete(NEVER.or_after_work(limit))
        return script, process_time() - begin if done else None

    def checked(script: Lower, *, together: bool) -> float | None:
        in_order = script.builder, script.claims, script.assumed
        begin, deadline = process_time(), NEVER.or_after_work(limit)
        try:
            failure = (
                script.failure(deadline)
                if together
                else first_failure(*in_order, deadline=deadline)
            )
        except ClaimsTimeoutError:
            return None
        assert failure is None, "these functions are right"
        return process_time() - begin

    one_by_one = found(by_values=False)[1]
    script, by_values = found(by_values=True)
    known = by_values is not None
    return Row(
        name,
        len(script.builder.build([claim.wrong for claim in script.claims])[0].fanin0),
        one_by_one,
        by_values,
        checked(script, together=False) if known else None,
        checked(script, together=True) if known else None,
    )


def rows(data: Path | None, limit: float) -> Iterator[Row]:
    """A row for each formula."""
    for words in OWN:
        model = find_command(words.split())
        made = encode(model, "en")
        layout = replace(made.layout, encoding=UNKNOWN)
        yield timed(made.qbf, layout, model, f"{words} by en", limit)
    for puzzle in PUZZLES if data is not None else ():
        assert data is not None, "there are puzzles"
        model = find_command([str(data / "B-Hex" / f"{puzzle}.pg")])
        for encoding in ("pg", "cp", "ibign"):
            path = data / encoding / f"{puzzle}_{encoding}.qcir"
            formula = read_formula(path)
            layout = find_layout(formula, load_game(model)).moves_alone
            yield timed(formula, layout, model, path.name, limit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", help="Q-sage's formulas, unpacked")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for each way")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if not asked.json:
        print("| formula | gates | one by one | by values | in order | together |")
        print("|---|--:|--:|--:|--:|--:|")
    for row in rows(asked.data, asked.limit):
        if asked.json:
            print(json.dumps(asdict(row)), flush=True)
            continue
        times = (row.one_by_one, row.by_values, row.in_order, row.together)
        shown = " | ".join("-" if t is None else f"{t:.1f}" for t in times)
        print(f"| {row.formula} | {row.gates:,} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
