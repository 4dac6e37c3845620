"""Whether White blocks a straight polyomino of n - 1 squares on the torus of n x n, by pairs.

    python -m research.experiments.torus_lines [--size N] [--stones MOST] [--compare | --json]

Such a polyomino lies in one row or column and leaves out one of its squares.  So a line without a
white stone needs two disjoint pairs, one with a white stone one pair, and one with two none; that
is a question of matching squares with lines.  Rows may be exchanged with rows, columns with
columns, and rows with columns: positions that differ by this share an entry of the table, whose key
is the least of all such images.  ``qsage solve --alternate`` knows the symmetries of the board
only, and does not come to an end on 6x6.  ``--compare`` holds the answers against it in random
positions with some stones.  Needs numba (the extra ``fast``).
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Any

import numba
import numpy as np
from numba import types
from numba.typed import Dict

from qsage_validate.games.positional.harary import harary_model
from qsage_validate.solvers.maker_maker import BlockingSearch
from qsage_validate.system.limits import worked

KEY = types.UniTuple(types.int64, 3)
POSITIONS = 300
STRAIGHT = {4: "tic", 5: "skinny", 6: "i"}


@numba.njit  # type: ignore[untyped-decorator]
def _ones(mask: int) -> int:
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@numba.njit  # type: ignore[untyped-decorator]
def _need(white: int, lines: Any) -> int:
    """The squares that the pairs of all lines need."""
    need = 0
    for line in lines:
        need += 2 * max(0, 2 - _ones(line & white))
    return need


@numba.njit  # type: ignore[untyped-decorator]
def _paired(free: int, white: int, lines: Any, squares: int) -> bool:
    """Whether each line has as many open squares of its own as its pairs need (augmenting ways)."""
    owner = np.full(squares, -1)
    for first in range(len(lines)):
        for _ in range(2 * max(0, 2 - _ones(lines[first] & white))):
            came = np.full(len(lines), -1)  # the square that the line gives up
            by = np.full(squares, -1)
            queue = np.zeros(len(lines), dtype=np.int64)
            queue[0], head, tail, seen, end = first, 0, 1, 1 << first, -1
            while head < tail and end < 0:
                line = queue[head]
                head += 1
                for square in range(squares):
                    if not (lines[line] & free) >> square & 1 or by[square] >= 0:
                        continue
                    if owner[square] == line:
                        continue
                    by[square] = line
                    if owner[square] < 0:
                        end = square
                        break
                    other = owner[square]
                    if not seen >> other & 1:
                        seen |= 1 << other
                        came[other] = square
                        queue[tail] = other
                        tail += 1
            if end < 0:
                return False
            while end >= 0:
                line = by[end]
                owner[end] = line
                end = came[line]
    return True


@numba.njit  # type: ignore[untyped-decorator]
def _least(black: int, white: int, size: int, orders: Any, stones: int) -> tuple[int, int, int]:
    """The key of a position: the least image under all orders of rows, with sorted columns."""
    signs = np.zeros((size, size), dtype=np.int64)
    rank = np.zeros(size, dtype=np.int64)
    columns = np.zeros(size, dtype=np.int64)
    best: Any = (np.int64(-1), np.int64(-1), np.int64(stones))
    for turned in range(2):
        rank[:] = 0
        for y in range(size):
            for x in range(size):
                square = x * size + y if turned else y * size + x
                signs[y, x] = (black >> square & 1) + 2 * (white >> square & 1)
                rank[y] += (0, 1, 8)[signs[y, x]]
        for k in range(len(orders)):
            order = orders[k]
            rising = True
            for y in range(size - 1):
                if rank[order[y]] > rank[order[y + 1]]:
                    rising = False
                    break
            if not rising:  # another order has the same rows with their ranks sorted
                continue
            for x in range(size):
                code = 0
                for y in range(size):
                    code = 3 * code + signs[order[y], x]
                place = x
                while place > 0 and columns[place - 1] > code:
                    columns[place] = columns[place - 1]
                    place -= 1
                columns[place] = code
            low = high = np.int64(0)
            for x in range(size):
                if 2 * x < size:
                    low = low << 10 | columns[x]
                else:
                    high = high << 10 | columns[x]
            if best[0] < 0 or low < best[0] or (low == best[0] and high < best[1]):
                best = (low, high, np.int64(stones))
    return best  # type: ignore[no-any-return]


@numba.njit  # type: ignore[untyped-decorator]
def _ordered(free: int, black: int, white: int, lines: Any, squares: int) -> Any:
    """The open squares, those first whose lines have few white and many black stones."""
    worth = np.zeros(squares, dtype=np.int64)
    for square in range(squares):
        if not free >> square & 1:
            worth[square] = 1 << 20
        for line in lines:
            whites = _ones(line & white)
            if line >> square & 1 and whites < 2:
                worth[square] -= 5 - whites + 3 * _ones(line & black)
    return np.argsort(worth, kind="mergesort")[: _ones(free)]


@numba.njit  # type: ignore[untyped-decorator]
def blocks(
    black: int, white: int, stones: int, size: int, lines: Any, orders: Any, known: Any
) -> bool:
    """Whether White, with Black to move, has a pairing after so many stones of White's."""
    squares = size * size
    free = ((1 << squares) - 1) & ~(black | white)
    # A stone of White's saves four squares at most.
    if _ones(free) - 2 * stones < _need(white, lines) - 4 * stones:
        return False
    key = _least(black, white, size, orders, stones)
    if key in known:
        return bool(known[key])
    answer: bool = _paired(free, white, lines, squares)
    if not answer and stones > 0:
        answer = True
        for square in _ordered(free, black, white, lines, squares):
            after = black | 1 << square
            forced, lost = 0, False
            for line in lines:
                blacks, whites = _ones(line & after), _ones(line & white)
                if whites == 0 and blacks >= size - 2:
                    lost = True  # two open squares, or one, each of which completes it
                elif whites == 1 and blacks == size - 1:
                    lost = True
                elif whites == 1 and blacks == size - 2:
                    forced |= line & free & ~after
            if lost or _ones(forced) > 1:
                answer = False
                break
            left = free & ~(1 << square)
            found = False
            for reply in _ordered(forced or left, after, white, lines, squares):
                with_reply = white | 1 << reply
                if blocks(after, with_reply, stones - 1, size, lines, orders, known):
                    found = True
                    break
            if not found:
                answer = False
                break
    known[key] = answer
    return answer


def _lines(size: int) -> Any:
    """The rows and the columns, as sets of squares."""
    rows = [sum(1 << y * size + x for x in range(size)) for y in range(size)]
    columns = [sum(1 << y * size + x for y in range(size)) for x in range(size)]
    return np.array(rows + columns, dtype=np.int64)


def _orders(size: int) -> Any:
    return np.array(list(permutations(range(size))), dtype=np.int64)


def fewest(size: int, most: int) -> tuple[int | None, int]:
    """With how many stones, at most so many, White blocks; and the number of positions."""
    lines, orders = _lines(size), _orders(size)
    known = Dict.empty(key_type=KEY, value_type=types.boolean)
    for stones in range(most + 1):
        if blocks(0, 0, stones, size, lines, orders, known):
            return stones, len(known)
    return None, len(known)


def compare(size: int) -> tuple[int, int]:
    """In random positions: how many answers are not those of the product, and how many blocks."""
    # White's own sets are left out: by them White may win in another way.
    model = replace(harary_model(STRAIGHT[size], size, size, torus=True), white_wins=())
    random, lines, orders = Random(1), _lines(size), _orders(size)
    search = BlockingSearch(model)
    wrong = blocked = 0
    for _ in range(POSITIONS):
        stones, more = random.randrange(size - 1, size + 3), random.randrange(3)
        squares = random.sample(range(size * size), 2 * stones)
        black, white = (sum(1 << v for v in squares[k::2]) for k in range(2))
        known = Dict.empty(key_type=KEY, value_type=types.boolean)
        ours = blocks(black, white, more, size, lines, orders, known)
        theirs = search.holds(black, white, more)
        blocked += theirs
        wrong += ours != theirs and not model.won_by_black(black)
    return wrong, blocked


def main() -> int:
    """Print the answer."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, choices=STRAIGHT, default=6)
    parser.add_argument("--stones", type=int, default=6)
    parser.add_argument("--compare", action="store_true", help="with the search of the product")
    parser.add_argument("--json", action="store_true", help="print a table of one row")
    arguments = parser.parse_args()
    size, most = arguments.size, arguments.stones
    started = worked()
    stones, positions = fewest(size, most)
    said = (
        f"no block with {most} stones"
        if stones is None
        else f"White blocks within {2 * stones} plies"
    )
    name = f"{STRAIGHT[size]} on the torus of {size}x{size}"
    seconds = round(worked() - started, 1)
    if arguments.json:
        row = {"board": name, "answer": said, "positions": positions, "seconds": seconds}
        sys.stdout.write(
            json.dumps([{"title": "Lines on a torus", "rows": [row]}], indent=1) + "\n"
        )
        return 0
    sys.stdout.write(f"{name}: {said}; {positions:,} positions, {seconds} s\n")
    if not arguments.compare:
        return 0
    wrong, blocked = compare(size)
    sys.stdout.write(f"{POSITIONS} positions: {blocked} blocked, {wrong} told otherwise by qsage\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
