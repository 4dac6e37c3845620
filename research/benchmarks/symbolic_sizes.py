"""How large the circuits LA, LN, LI, SA, SN and SI get: exactly here, and by the paper's Table 4.

For an empty board of ``eta`` positions and an odd depth ``d``.  A position takes ``b`` bits, Black
has ``s = (d + 1) / 2`` stones, and squaring has ``k = ceil(lg (s - 1))`` levels.  The equality of
two positions is ``2 b + 1`` gates.  Tseitin's transformation makes a variable of each gate, and as
many clauses as it has inputs, and one; and one for the output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from qsage_validate.encodings.prepared import (
    OpenGame,
    steps_of,
    with_network,
    with_sets,
)
from qsage_validate.errors import UsageError
from qsage_validate.games.masks import members, width_for
from qsage_validate.games.positional.model import Network, PositionalModel


@dataclass(frozen=True, slots=True)
class Gates:
    """Some gates and the inputs that they have together."""

    gates: int = 0
    inputs: int = 0

    def __add__(self, other: Gates) -> Gates:
        return Gates(self.gates + other.gates, self.inputs + other.inputs)

    def __mul__(self, times: int) -> Gates:
        return Gates(self.gates * times, self.inputs * times)


@dataclass(frozen=True, slots=True)
class CircuitSize:
    """Quantified variables and gates of a circuit; what QDIMACS makes of them."""

    variables: int
    gates: int
    inputs: int

    @property
    def clausal_variables(self) -> int:
        """Variables after Tseitin's transformation."""
        return self.variables + self.gates

    @property
    def clauses(self) -> int:
        """Clauses after Tseitin's transformation, the output's among them."""
        return self.inputs + self.gates + 1


def one(inputs: int) -> Gates:
    """A gate; none where there is one input only."""
    return Gates(1, inputs) if inputs > 1 else Gates()


class _Count:
    """The parts that the encodings share."""

    def __init__(self, game: OpenGame) -> None:
        self.game = game
        self.eta, self.depth, self.stones = game.size, game.depth, game.stones
        self.bits = width_for(self.eta)
        self.levels = width_for(self.stones - 1)
        self.equal = Gates(2 * self.bits + 1, 6 * self.bits)
        self.at = Gates(1, self.bits)

    @property
    def network(self) -> Network:
        assert self.game.inner.network is not None, "a game with a network"
        return self.game.inner.network

    def bounds(self) -> Gates:
        """BR: a comparison for each of Black's moves."""
        return self._less_than(self.bits, self.eta) * self.stones

    def _less_than(self, bits: int, bound: int) -> Gates:
        if bound >= 1 << bits:
            return Gates()
        text = f"{bound:0{bits}b}"
        run = bits - len(text.lstrip(text[0]))
        rest = int(text[run:] or "0", 2)
        return one(run + (rest > 0)) + (self._less_than(bits - run, rest) if rest else Gates())

    def bounded(self) -> int:
        """How many comparisons are among the conjuncts."""
        return self.stones if self.eta < 1 << self.bits else 0

    def transitions(self) -> Gates:
        """Seven disjunctions a ply besides the equality; and which state is black, a gate each.

        Of the seven three are of two inputs (White's conjunction is one of them), four of three.
        """
        black = Gates(1, 2) * (self.depth + 1)
        return (self.equal + Gates(7, 3 * 2 + 4 * 3)) * self.depth + black

    def transition_conjuncts(self) -> int:
        """Initial state, seven a ply of Black's, six a ply of White's, bounds."""
        return 2 + 7 * self.stones + 6 * (self.stones - 1) + self.bounded()

    def pointed(self, ends: int) -> Gates:
        """P is one of some positions, and is black then."""
        return self.equal * ends + one(ends) + Gates(1, 2)

    def differing(self) -> Gates:
        """Black's moves and all earlier ones."""
        return self.equal * self.pairs()

    def pairs(self) -> int:
        """How many pairs of moves differ because the later one is Black's."""
        return (self.depth**2 - 1) // 4

    def among_moves(self, positions: int) -> Gates:
        """Positions of the witness that are Black's moves, and the conjunction of these."""
        each = self.equal * self.stones + one(self.stones)
        return each * positions + one(positions)

    def sets(self) -> Gates:
        """G_win; numbers and conjunctions that sets have in common are counted once."""
        wins = self.game.inner.black_wins
        places = {(i, v) for mask in wins for i, v in enumerate(members(mask))}
        total = self.at * len(places) + one(len(wins))
        for mask in wins:
            total += one(mask.bit_count())
        return total

    def border(self, mask: int) -> Gates:
        """A position of a border, without the numbers."""
        return one(mask.bit_count())

    def steps(self) -> tuple[Gates, int]:
        """One step without the numbers, and the set of positions that are steps."""
        total, reached = Gates(), 0
        for row in steps_of(self.network):
            total += one(1 + row.bit_count())
            reached |= row
        return total, reached

    def borders(self) -> Gates:
        return self.border(self.network.start) + self.border(self.network.end)


def _la(model: PositionalModel) -> CircuitSize:
    n = _Count(with_sets(model))
    gates = n.transitions() + n.bounds() + n.pointed(n.stones) + n.sets()
    gates += one(n.transition_conjuncts() + 2)
    variables = (n.depth + n.stones + 1) * n.bits + 2 * (n.depth + 1)
    return CircuitSize(variables, gates.gates, gates.inputs)


def _ln(model: PositionalModel) -> CircuitSize:
    n = _Count(with_network(model, "LN"))
    step, reached = n.steps()
    ends = n.network.start.bit_count() + n.network.end.bit_count()
    goal = n.borders() + n.at * (ends + n.eta + reached.bit_count()) + step
    # That W_i is P is said already, where the witness is black.
    goal += (n.equal + Gates(1, 2)) * (n.stones - 1) + one(2 + n.eta + n.stones - 1)
    gates = n.transitions() + n.bounds() + n.pointed(n.stones) + goal
    gates += one(n.transition_conjuncts() + 2)
    variables = (n.depth + n.stones + 2) * n.bits + 2 * (n.depth + 1)
    return CircuitSize(variables, gates.gates, gates.inputs)


def _sa(model: PositionalModel) -> CircuitSize:
    n = _Count(with_sets(model))
    gates = n.differing() + n.bounds() + n.among_moves(n.stones) + n.sets()
    gates += one(n.pairs() + n.bounded() + 2)
    return CircuitSize((n.depth + n.stones) * n.bits, gates.gates, gates.inputs)


def _sn(model: PositionalModel) -> CircuitSize:
    n = _Count(with_network(model, "SN"))
    step, reached = n.steps()
    last = (reached | n.network.end).bit_count()
    goal = n.borders() + (n.at * n.eta + step) * (n.stones - 1) + n.at * last
    goal += one(2 + n.eta * (n.stones - 1))
    gates = n.differing() + n.bounds() + n.among_moves(n.stones) + goal
    gates += one(n.pairs() + n.bounded() + 2)
    return CircuitSize((n.depth + n.stones) * n.bits, gates.gates, gates.inputs)


def _squaring(n: _Count) -> Gates:
    step, reached = n.steps()
    ends = n.network.start.bit_count() + n.network.end.bit_count()
    numbers = n.eta + reached.bit_count()
    if n.levels:
        numbers += ends
    halves = (n.equal * 4 + Gates(4, 8)) * n.levels
    goal = n.borders() + n.at * numbers + step + halves
    return goal + one(2 + n.eta + 2 * n.levels)


def _li(model: PositionalModel) -> CircuitSize:
    n = _Count(with_network(model, "LI"))
    gates = n.transitions() + n.bounds() + n.pointed(2) + _squaring(n)
    gates += one(n.transition_conjuncts() + 2)
    variables = (n.depth + 2 + 3 * n.levels + 1) * n.bits + n.levels + 2 * (n.depth + 1)
    return CircuitSize(variables, gates.gates, gates.inputs)


def _si(model: PositionalModel) -> CircuitSize:
    n = _Count(with_network(model, "SI"))
    gates = n.differing() + n.bounds() + n.among_moves(2) + _squaring(n)
    gates += one(n.pairs() + n.bounded() + 2)
    variables = (n.depth + 2 + 3 * n.levels) * n.bits + n.levels
    return CircuitSize(variables, gates.gates, gates.inputs)


_FORMULAS: Final[Mapping[str, Callable[[PositionalModel], CircuitSize]]] = {
    "la": _la,
    "ln": _ln,
    "li": _li,
    "sa": _sa,
    "sn": _sn,
    "si": _si,
}


def circuit_size(model: PositionalModel, encoding: str) -> CircuitSize:
    """What the encoder writes for a game, counted without encoding it.

    Of an empty board of three positions at least, a depth of three at least, and a goal that is
    neither reached from the start nor out of reach of the stones.  Raises ``UsageError`` for
    other encodings and games.
    """
    formula = _FORMULAS.get(encoding)
    if formula is None:
        raise UsageError(f"found the encoding {encoding}, expected one of: {', '.join(_FORMULAS)}")
    joined = model.network is not None and model.network.joined
    if model.black or model.white or len(model.positions) < 3 or model.plies < 3 or joined:
        raise UsageError(
            f"found {model.name}, expected an empty board of three positions at least, and a "
            "depth of three at least"
        )
    return formula(model)


def paper_size(
    encoding: str, eta: int, depth: int, wins: int = 0, constant: int = 0
) -> tuple[int, int | None]:
    """Variables and gates by Table 4; no gates where it has none (LI, SI).

    Its length l is taken for the number of the witness's positions, ``(depth + 1) / 2``: the rows
    agree with the definitions then.  ``constant`` is its c, whose value it leaves open.
    """
    b, d, n = width_for(eta), depth, (depth + 1) // 2
    levels = width_for(n)
    lifted = (d + 1) * b + 2 * d, 2 * d * (b + constant)
    stateless = d * b, b * ((d - 1) * d + (d + 1) * n) + (d * d + 4 * d + 3) // 4
    squared = (3 * levels + 2) * b + levels
    rows: dict[str, tuple[int, int | None]] = {
        "la": (lifted[0] + n * b, lifted[1] + n * (eta + 2 * b + 1) + 2 * eta + 1 + wins),
        "ln": (lifted[0] + (n + 1) * b, lifted[1] + (4 * n - 2) * b + 4 * eta + 2 * n + 2),
        "li": (lifted[0] + squared, None),
        "sa": (stateless[0] + n * b, stateless[1] + n * eta + 1 + wins),
        "sn": (stateless[0] + n * b, stateless[1] + constant * b * (n - 1) + eta * n),
        "si": (stateless[0] + squared, None),
    }
    if encoding not in rows:
        raise UsageError(f"found the encoding {encoding}, expected one of: {', '.join(rows)}")
    return rows[encoding]
