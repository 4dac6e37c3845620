"""How many positions of a solution file of a game of filling fall apart, and into what.

    python research/experiments/splits.py FILE ... > research/experiments/splits.json

Two actions belong together if both are possible and need a common square.  What belongs together
is a part: no move in it changes another one.  Printed is, for each file, in how many positions of
the winner's replies there are two parts or more, the sizes of the largest parts there, and how
many entries a file would have that listed parts in the place of positions that fall apart: the
positions that do not, and each part once.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.games.bddl.bounds import Packing
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import load_game
from qsage_validate.solutions.walk import read_solution


def parts(free: int, needs: list[int]) -> list[int]:
    """The squares of each part of some open squares; squares that no action needs are left out."""
    found: list[int] = []
    for need in needs:
        if need & ~free:
            continue
        meeting = [part for part in found if part & need]
        found = [part for part in found if not part & need]
        for part in meeting:
            need |= part
        found.append(need)
    return found


def of_file(path: Path) -> dict[str, object]:
    """The figures of a file."""
    solution = read_solution(path)
    game = load_game(solution.model)
    assert isinstance(game, BddlGame), "a grid game"
    packing = Packing.of(game.grounding)
    assert packing is not None, "a game of filling"
    needs = list(dict.fromkeys(need for pairs in packing.needs.values() for need, _ in pairs))
    squares = [
        game.grounding.square(x, y)
        for y in range(1, game.grounding.height + 1)
        for x in range(1, game.grounding.width + 1)
    ]
    count: Counter[int] = Counter()
    largest: Counter[int] = Counter()
    whole: set[int] = set()
    apart: set[int] = set()
    for replies in solution.replies.values():
        for text in replies:
            board = text.replace("/", "")
            free = sum(
                1 << square for square, sign in zip(squares, board, strict=True) if sign == "."
            )
            found = parts(free, needs)
            count[len(found)] += 1
            if len(found) > 1:
                largest[max(part.bit_count() for part in found)] += 1
                apart.update(found)
            else:
                whole.update(found)
    positions, split = sum(count.values()), sum(n for k, n in count.items() if k > 1)
    half, seen = 0, 0
    for half in sorted(largest):
        seen += largest[half]
        if 2 * seen >= split:
            break
    return {
        "board": solution.model.name,
        "replies": positions,
        "fall apart": split,
        "median of the largest part": half,
        "entries by parts": len(whole | apart),
    }


if __name__ == "__main__":
    rows = [of_file(Path(name)) for name in sys.argv[1:]]
    sys.stdout.write(json.dumps([{"title": "Parts of positions", "rows": rows}], indent=1) + "\n")
