"""An encoder as somebody else would write it: Hex on 3x3 with stones, 3 plies, as QCIR.

It imports nothing of the package, and its formulas have no layout: moves are numbers of positions
in four bits, the most significant one first, and the path that Black connects comes after them.
``encode(right=False)`` leaves Black's stone of the start out of the path.
"""

from __future__ import annotations

from itertools import count, pairwise

POSITIONS = [column + row for column in "abc" for row in "123"]
BLACK, WHITE = ["a1"], ["b1", "c2"]
PLIES = 3
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))
NEIGHBOURS = {
    p: [q for q in POSITIONS if (ord(q[0]) - ord(p[0]), int(q[1]) - int(p[1])) in STEPS]
    for p in POSITIONS
}


def game() -> str:
    """The game as a PG file: Black connects row 1 with row 3."""
    return "\n".join(
        [
            "#blackinitials", *BLACK, "#whiteinitials", *WHITE,
            "#times", " ".join(f"t{t}" for t in range(1, PLIES + 1)),
            "#blackturns", " ".join(f"t{t}" for t in range(1, PLIES + 1, 2)),
            "#positions", " ".join(POSITIONS), "#blackwins", "#neighbours",
            *(" ".join([p, *NEIGHBOURS[p]]) for p in POSITIONS),
            "#startboarder", "a1 b1 c1", "#endboarder", "a3 b3 c3", "",
        ]
    )  # fmt: skip


def encode(right: bool = True) -> str:
    """The formula in QCIR; the wrong one forgets that Black has a stone at the start."""
    number = count(1)
    moves = [[next(number) for _ in range(4)] for _ in range(PLIES)]
    path = [[next(number) for _ in range(4)] for _ in range(3)]
    gates: list[str] = []

    def gate(kind: str, inputs: list[int], comment: str = "") -> int:
        own = next(number)
        gates.extend([f"# {comment}"] if comment else [])
        gates.append(f"{own} = {kind}({', '.join(map(str, inputs))})")
        return own

    def at(bits: list[int], position: str) -> int:
        value = POSITIONS.index(position)
        return gate("and", [b if value >> (3 - k) & 1 else -b for k, b in enumerate(bits)])

    move = [{p: at(bits, p) for p in POSITIONS} for bits in moves]
    step = [{p: at(bits, p) for p in POSITIONS} for bits in path]
    legal = [
        gate(
            "or",
            [
                gate("and", [move[t][p], *(-move[s][p] for s in range(t))])
                for p in POSITIONS
                if p not in BLACK + WHITE
            ],
            f"move {t + 1} is on an open position",
        )
        for t in range(PLIES)
    ]
    stones = {p: [move[t][p] for t in range(0, PLIES, 2)] for p in POSITIONS}
    true = gate("and", [], "Black's stones of the start")
    for p in BLACK if right else []:
        stones[p].append(true)
    black = [
        gate(
            "or",
            [gate("and", [own[p], gate("or", stones[p])]) for p in POSITIONS],
            f"step {k + 1} of the path is a black stone",
        )
        for k, own in enumerate(step)
    ]
    linked = [
        gate(
            "or",
            [gate("and", [one[p], other[q]]) for p in POSITIONS for q in [p, *NEIGHBOURS[p]]],
            "steps are neighbours, or the same",
        )
        for one, other in pairwise(step)
    ]
    ends = [
        gate("or", [own[p] for p in POSITIONS if p[1] == row], f"the path has an end in row {row}")
        for own, row in ((step[0], "1"), (step[-1], "3"))
    ]
    won = gate("and", [*black, *linked, *ends], "Black has a path")
    after = gate("and", [legal[2], won])
    output = gate("and", [legal[0], gate("or", [-legal[1], after])], "White's illegal move loses")
    blocks = [("exists", moves[0]), ("forall", moves[1]), ("exists", moves[2])]
    prefix = [f"{kind}({', '.join(map(str, bits))})" for kind, bits in blocks]
    witness = ", ".join(str(bit) for bits in path for bit in bits)
    head = ["#QCIR-G14", "# moves:", *prefix, "# the path:", f"exists({witness})"]
    return "\n".join([*head, f"output({output})", *gates, ""])
