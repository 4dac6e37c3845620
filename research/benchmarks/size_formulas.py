"""How large the clausal encodings get: appendix C of Shaik et al. 2023, and COR and its kin.

``eta`` positions, ``depth`` plies (odd; Black and White take turns), an empty board.  Table 3
counts clauses by length, and among the long ones all of a kind that mostly is long: at a position
with one or two neighbours clause 13 has two or three literals.  It leaves out the unit clauses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from qsage_validate.errors import UsageError
from qsage_validate.games.masks import width_for
from qsage_validate.games.positional.hex import with_winning_sets
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.protocol import Player
from research.benchmarks.clausal_size import ClausalSize


def explicit_board(eta: int, depth: int) -> ClausalSize:
    """The row "Explicit" of Table 3: equations 1 to 6."""
    bits, white = width_for(eta), (depth - 1) // 2
    return ClausalSize(
        variables=(depth + 1) * eta + depth * bits,
        binary=depth * eta + eta * bits,
        ternary=white * eta * bits,
        long=white * eta,
    )


def explicit_all(eta: int, depth: int, wins: Mapping[int, int]) -> ClausalSize:
    """EA; ``wins`` says how many winning sets there are of each size."""
    count = sum(wins.values())
    members = sum(size * number for size, number in wins.items())
    return explicit_board(eta, depth) + ClausalSize(count, binary=members, long=1)


def explicit_neighbours(eta: int, depth: int, end: int) -> ClausalSize:
    """EN by its equations; ``end`` positions are at the end border.

    Unit clauses (14) are added to Table 3.
    """
    steps, length = eta * (depth + 1) // 2, (depth - 1) // 2
    goal = ClausalSize(steps, eta - end, steps, long=1 + (eta - end) * length)
    return explicit_board(eta, depth) + goal


def backward_steps(eta: int, depth: int, start: int) -> ClausalSize:
    """The clauses of the published EN besides its equations: predecessors, and both ends."""
    return ClausalSize(0, eta - start, long=1 + (eta - start) * (depth - 1) // 2)


def explicit_transversal(eta: int, depth: int, start: int, end: int, edges: int) -> ClausalSize:
    """ET; ``edges`` counts each pair of neighbours in both directions, as clause 17 does.

    Unit clauses (18) are added to Table 3.
    """
    goal = ClausalSize(eta, units=end, binary=start, ternary=edges)
    return explicit_board(eta, depth) + goal


def corrective(eta: int, depth: int, black: Mapping[int, int], white: int) -> tuple[int, int]:
    """Variables and clauses of COR; ``black`` winning sets by size, ``white`` ones in all.

    Clauses by the numbers of ``cor.bul``: 1, 2 to 6, 7, 8 and 9, 10 to 13.
    """
    bits, sets = width_for(eta), sum(black.values())
    own, others = (depth + 1) // 2, (depth - 1) // 2
    variables = depth * (1 + bits) + 2 * (depth + 1) * eta + sets
    board = 2 * eta + depth * eta * (1 + 2 + 1 + 2)
    moves = others * eta + own * eta * bits
    return variables, depth - 1 + board + moves + _goal(black, white) + sets


def corrective_plus(eta: int, depth: int, black: Mapping[int, int], white: int) -> tuple[int, int]:
    """Those of COR+: a clause for the first move, and clause 5 at time 0 too."""
    variables, clauses = corrective(eta, depth, black, white)
    return variables, clauses + eta + 1


def corrective_ladder(
    eta: int, depth: int, black: Mapping[int, int], white: int
) -> tuple[int, int]:
    """Those of ``cor-ladder``, without a choice of first moves."""
    bits = width_for(eta)
    own, others = (depth + 1) // 2, (depth - 1) // 2
    variables = depth * (1 + 3 * eta) + own * (2 * eta - 1) + others * bits + sum(black.values())
    board = depth * eta * 6 + 2 * (depth - 1) * eta
    moves = own * (2 * (eta - 1) + max(eta - 2, 0) + 1) + (3 * own - 1) * eta
    moves += others * eta * (1 + bits)
    return variables, depth - 1 + board + moves + _goal(black, white)


def corrective_lean(eta: int, depth: int, black: Mapping[int, int], white: int) -> tuple[int, int]:
    """Those of ``cor-lean``, likewise."""
    bits = width_for(eta)
    own, others = (depth + 1) // 2, (depth - 1) // 2
    variables = depth * (1 + bits + eta) + sum(black.values())
    board = ((depth - 1) + (own - 1) + max(others - 1, 0) + depth) * eta
    moves = own * eta * bits + others * eta
    return variables, depth - 1 + board + moves + _goal(black, white)


def _goal(black: Mapping[int, int], white: int) -> int:
    return 1 + sum(size * number for size, number in black.items()) + white


def _by_size(model: PositionalModel) -> Counter[int]:
    return Counter(win.bit_count() for win in with_winning_sets(model).black_wins)


def _network(model: PositionalModel) -> Network:
    if model.network is None:
        raise UsageError(f"{model.name}: found no network, expected one")
    return model.network


def _ea(model: PositionalModel) -> tuple[int, int]:
    size = explicit_all(len(model.positions), model.plies, _by_size(model))
    return size.variables, size.clauses


def _en_forward(model: PositionalModel) -> tuple[int, int]:
    end = _network(model).end.bit_count()
    size = explicit_neighbours(len(model.positions), model.plies, end)
    return size.variables, size.clauses


def _en(model: PositionalModel) -> tuple[int, int]:
    variables, clauses = _en_forward(model)
    start = _network(model).start.bit_count()
    return variables, clauses + backward_steps(len(model.positions), model.plies, start).clauses


def _et(model: PositionalModel) -> tuple[int, int]:
    network = _network(model)
    edges = sum(row.bit_count() for row in network.neighbours)
    start, end = network.start.bit_count(), network.end.bit_count()
    size = explicit_transversal(len(model.positions), model.plies, start, end, edges)
    return size.variables, size.clauses


def _corrective(
    formula: Callable[[int, int, Mapping[int, int], int], tuple[int, int]],
) -> Callable[[PositionalModel], tuple[int, int]]:
    return lambda model: formula(
        len(model.positions), model.plies, _by_size(model), len(model.white_wins)
    )


_FORMULAS: Final[Mapping[str, Callable[[PositionalModel], tuple[int, int]]]] = {
    "ea": _ea,
    "en": _en,
    "en-forward": _en_forward,
    "et": _et,
    "cor": _corrective(corrective),
    "cor+": _corrective(corrective_plus),
    "cor-lean": _corrective(corrective_lean),
    "cor-ladder": _corrective(corrective_ladder),
}


def expected_size(model: PositionalModel, encoding: str) -> tuple[int, int]:
    """Variables and clauses of a model by the formulas, without encoding it.

    Of an empty board, an odd depth, plies in turns that Black begins and no choice of first
    moves; for EN a way may be as long as Black has moves.  Raises ``UsageError`` for other models
    and encodings.
    """
    formula = _FORMULAS.get(encoding)
    if formula is None:
        raise UsageError(f"found the encoding {encoding}, expected one of: {', '.join(_FORMULAS)}")
    plain = model.alternates and model.plies % 2 == 1 and model.turns[0] is Player.BLACK
    if not plain or model.black or model.white or model.first_moves:
        raise UsageError(
            f"found {model.name}, expected an empty board, an odd depth and turns of one stone "
            "that Black begins, without a choice of first moves"
        )
    return formula(model)
