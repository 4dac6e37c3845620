"""The explicit encodings of positional games, and the board that others share with them.

All moves are numbers.  The board is kept after Black's moves only: ``b`` and ``w`` for each
position.  The clauses bind these variables from one side: a position can be black only if Black
claimed it while it was open, and is white at least where White claimed it while it was open.
Nothing forbids to leave a stone of Black's out or to put one of White's in, which only hurts
Black; :func:`ExplicitBoard.define` gives the board as it is.

Illegal moves, of either player, do nothing.  Stones to begin with, which the paper contracts away
(section 4.1), are constants in the place of the variables before the first ply.

A :class:`ClauseSet` makes the formula clause by clause, as QDIMACS has it: the matrix that comes
out is one conjunction of disjunctions, which ``formats.qdimacs`` writes as exactly these clauses,
without variables for gates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Final

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope, clause_gates
from qsage_validate.encodings.encoding import (
    ClaimsInMind,
    Encoding,
    PlayLiterals,
    completed,
    constant_literals,
    held,
    nothing_else,
    width_for,
)
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import IllegalMoves, Layout, StateView, listed
from qsage_validate.errors import UsageError
from qsage_validate.games.masks import members
from qsage_validate.games.positional.hex import is_hex_board, transversal_of, with_winning_sets
from qsage_validate.games.positional.model import Network, PositionalModel, require_alternating
from qsage_validate.games.protocol import Player

# The explicit board of EA, EN and ET (Shaik et al. 2023, section 3.1, equations 1 to 6)


TRUE: Final = 1 << 40
"""A literal that is true: no clause has it, it satisfies those that it is put into."""

FALSE_LITERAL: Final = -TRUE
"""Its complement, which drops out of clauses."""


def constant(value: object) -> int:
    return TRUE if value else FALSE_LITERAL


def is_constant(literal: int) -> bool:
    return abs(literal) == TRUE


def differs(bits: Sequence[int], number: int) -> list[int]:
    """The part of a clause that says that ``bits`` are another number."""
    return [-literal for literal in constant_literals(bits, number)]


class ClauseSet:
    """A prefix and clauses in the making.

    Variables are numbered in the order in which the prefix has them.  Clauses are kept in the
    order in which they are added, repeated ones too; no literal may stand twice in a clause.
    """

    def __init__(self) -> None:
        self.clauses: list[Bits] = []
        self._scopes: list[Scope] = []
        self._count = 0

    def variables(self, quantifier: Quantifier, count: int) -> Bits:
        """New variables in a scope of their own behind the others."""
        fresh = tuple(range(self._count + 1, self._count + count + 1))
        self._count += count
        self._scopes.append(Scope(quantifier, fresh))
        return fresh

    def exists(self, count: int) -> Bits:
        return self.variables(Quantifier.EXISTS, count)

    def add(self, *literals: int) -> None:
        """Add a clause; constants in it are simplified away."""
        if TRUE in literals:
            return
        if FALSE_LITERAL in literals:
            literals = tuple(x for x in literals if x != FALSE_LITERAL)
        self.clauses.append(literals)

    def qbf(self) -> Qbf:
        """The formula: a gate for each clause that is no unit, and one for all of them.

        Gates have the numbers that a reader of the formula's QDIMACS file gives them.
        """
        gates, output = clause_gates(self.clauses, self._count + 1)
        return Qbf(tuple(self._scopes), gates, output)


GoalDefinition = Callable[[AigBuilder, Sequence[int]], Mapping[int, int]]
"""The goal's variables, given a literal for each position that is true when it is black."""


def until_last_black_ply(model: PositionalModel) -> PositionalModel:
    """The model as far as Black's last ply: what White does behind it changes nothing.

    Turns for which no open position is left go too.
    """
    turns = list(model.turns[: model.plies])
    while turns and turns[-1] is not Player.BLACK:
        turns.pop()
    return model if tuple(turns) == model.turns else replace(model, turns=tuple(turns))


class ExplicitBoard:
    """The prefix of equation 1 and the clauses 2 to 6.

    ``black[t]`` and ``white[t]`` have for the odd plies ``t`` a literal for each position, at -1
    the constants of the initial board; ``code[t]`` are the bits of a move, most significant
    first.  Raises ``UsageError`` for games that do not alternate, or an even depth.
    """

    def __init__(self, model: PositionalModel) -> None:
        require_alternating(model)
        self.model = model = until_last_black_ply(model)
        self.depth = len(model.turns)
        self.positions = range(len(model.positions))
        self.clauses = ClauseSet()
        self.code: dict[int, Bits] = {}
        self.black = {-1: tuple(constant(model.black >> v & 1) for v in self.positions)}
        self.white = {-1: tuple(constant(model.white >> v & 1) for v in self.positions)}
        width = width_for(len(model.positions))
        for ply in range(1, self.depth + 1):
            if ply % 2 == 0:
                self.code[ply] = self.clauses.variables(Quantifier.FORALL, width)
                continue
            self.code[ply] = self.clauses.exists(width)
            self.black[ply] = self.clauses.exists(len(self.positions))
            self.white[ply] = self.clauses.exists(len(self.positions))
        for ply in range(1, self.depth + 1, 2):
            self._transitions(ply)

    @property
    def final(self) -> Bits:
        """The literals that say what is black in the end."""
        return self.black[self.depth or -1]

    def _transitions(self, ply: int) -> None:
        add = self.clauses.add
        for v in self.positions:
            b_before, w_before = self.black[ply - 2][v], self.white[ply - 2][v]
            b, w = self.black[ply][v], self.white[ply][v]
            add(-w_before, w)  # (2)
            if ply > 1:
                add(*differs(self.code[ply - 1], v), b_before, w)  # (3)
            add(-w, -b)  # (4)
            for bit in constant_literals(self.code[ply], v):
                add(bit, b_before, -b)  # (5), (6)

    def define(self, play: PlayLiterals) -> tuple[dict[int, int], Sequence[int]]:
        """The values of the board's variables in a play, and the final black positions."""
        builder = play.builder
        values: dict[int, int] = {}
        size = len(self.positions)
        black, white = held(self.model.black, size), held(self.model.white, size)
        for ply in range(1, self.depth + 1, 2):
            claimed = play.plies[ply - 1].made
            for v in self.positions:
                if ply > 1:
                    stone = builder.and_(play.plies[ply - 2].made[v], black[v] ^ 1)
                    white[v] = builder.or_(white[v], stone)
                black[v] = builder.and_(builder.or_(black[v], claimed[v]), white[v] ^ 1)
                values[self.black[ply][v]] = black[v]
                values[self.white[ply][v]] = white[v]
        return values, black

    def encoding(self, name: str, define_goal: GoalDefinition) -> Encoding:
        """The encoding, once the goal's clauses have been added."""

        def black(play: PlayLiterals) -> Mapping[int, int]:
            values, final = self.define(play)
            return {**values, **define_goal(play.builder, final)}

        qbf = self.clauses.qbf()
        layout = Layout(
            moves=tuple(
                listed(ply, self.model.turns[ply - 1], self.model.positions, self.code[ply])
                for ply in range(1, self.depth + 1)
            ),
            state=self._states(),
            verdict=qbf.output,
            encoding=name,
            illegal=IllegalMoves.IGNORED,
            black_passes=True,
        )
        return Encoding(
            qbf,
            layout,
            self.model,
            {Player.BLACK: black, Player.WHITE: nothing_else},
            partial(ClaimsInMind, self.model),
        )

    def _states(self) -> StateView:
        names = self.model.positions
        return StateView(
            kinds=tuple(f"{player.value} {name}" for player in Player for name in names),
            states=tuple(
                (*self.black[time], *self.white[time]) if time % 2 else ()
                for time in range(self.depth + 1)
            ),
            one_sided=True,
        )


# EA, EN and ET: the goals on an explicit board (Shaik et al. 2023, sections 3.1, 4.2 and 4.5)


def encode_ea(model: PositionalModel) -> Encoding:
    """The formula that is true if and only if Black, as maker, wins within the plies.

    A network's winning sets are listed first: minimal ways, or minimal cuts.  Raises
    ``UsageError`` when there are too many, for games that do not alternate, an even depth, and
    maker-maker games.
    """
    require_maker_breaker(model, "ea")
    board = ExplicitBoard(model)
    wins = with_winning_sets(board.model).black_wins
    goals = board.clauses.exists(len(wins))  # (7)
    board.clauses.add(*goals)  # (8)
    for goal, win in zip(goals, wins, strict=True):
        for v in members(win):
            board.clauses.add(-goal, board.final[v])  # (9)

    def define(builder: AigBuilder, black: Sequence[int]) -> dict[int, int]:
        return dict(zip(goals, completed(builder, wins, black), strict=True))

    return board.encoding("ea", define)


def encode_en(model: PositionalModel, *, backward: bool = True) -> Encoding:
    """The formula that is true if and only if Black connects the network within the plies.

    ``p[i][v]`` says that position ``v`` is the ``i``-th one of a way from start to end, with
    equations 10 to 14 of section 4.2.  With ``backward`` there are the clauses of the authors'
    generator (``sat2023/bule/level.bul``) besides: only positions of the start are first, a
    position behind them has a predecessor on the way, and a position of the end is last.  The
    formula has as many clauses as Table 2 says, then; without, it has those of Table 3.

    Raises ``UsageError`` without a network of Black's, for games that do not alternate, and an
    even depth.
    """
    name = "en" if backward else "en-forward"
    network = require_network(model, name, short=Player.BLACK)
    board = ExplicitBoard(model)
    model = board.model
    add, positions, final = board.clauses.add, board.positions, board.final
    if network.joined:
        return board.encoding(name, lambda builder, black: {})
    # A way of Black's has the positions that Black has and will claim at most.
    stones = model.black.bit_count() + model.moves_of(Player.BLACK)
    length = min(stones, len(model.positions))
    p = [board.clauses.exists(len(positions)) for _ in range(length)]  # (10)
    neighbours = [tuple(members(row)) for row in network.neighbours]
    not_start = tuple(members(model.all & ~network.start))
    not_end = tuple(members(model.all & ~network.end))
    for step in p:
        for v in positions:
            add(-step[v], final[v])  # (11)
    add(*(p[0][v] for v in members(network.start) if p))  # (12)
    for step, following in pairwise(p):
        for v in not_end:
            add(-step[v], *(following[w] for w in neighbours[v]))  # (13)
        for w in not_start if backward else ():
            add(-following[w], *(step[v] for v in neighbours[w]))
    if p:
        for v in not_end:
            add(-p[-1][v])  # (14)
    if p and backward:
        for v in not_start:
            add(-p[0][v])
        add(*(p[-1][v] for v in members(network.end)))

    def reached(
        builder: AigBuilder, border: int, steps: Sequence[Bits], black: Sequence[int]
    ) -> dict[int, int]:
        """For each step what is black and so many steps from a border, at most."""
        values: dict[int, int] = {}
        near = [black[v] if border >> v & 1 else FALSE for v in positions]
        for step in steps:
            values.update(zip(step, near, strict=True))
            near = [
                near[v]
                if border >> v & 1
                else builder.and_(black[v], builder.or_all(near[w] for w in neighbours[v]))
                for v in positions
            ]
        return values

    def define(builder: AigBuilder, black: Sequence[int]) -> dict[int, int]:
        to_end = reached(builder, network.end, p[::-1], black)
        if not backward:
            return to_end
        from_start = reached(builder, network.start, p, black)
        return {v: builder.and_(x, to_end[v]) for v, x in from_start.items()}

    return board.encoding(name, define)


def encode_et(model: PositionalModel) -> Encoding:
    """The formula that is true if and only if Black cuts White's network within the plies.

    A Hex board whose network is Black's stands for its transversal game, which has the same
    winner in as many plies.  ``r[v]`` holds at least for the positions that are connected with
    White's start by positions that are not black.  Raises ``UsageError`` without such a network,
    for games that do not alternate, and an even depth.
    """
    network = model.network
    if network is not None and network.short is Player.BLACK and is_hex_board(model):
        network = transversal_of(model).network
    network = require_network(model, "et", short=Player.WHITE, network=network)
    board = ExplicitBoard(model)
    add, positions, final = board.clauses.add, board.positions, board.final
    r = board.clauses.exists(len(positions))  # (15)
    neighbours = [tuple(members(row)) for row in network.neighbours]
    for v in members(network.start):
        add(final[v], r[v])  # (16)
    for v in positions:
        for w in neighbours[v]:
            add(-r[v], final[w], r[w])  # (17)
    for v in members(network.end):
        add(-r[v])  # (18)
    if network.joined:
        add()

    def define(builder: AigBuilder, black: Sequence[int]) -> dict[int, int]:
        reached = [black[v] ^ 1 if network.start >> v & 1 else FALSE for v in positions]
        # A way without a detour never comes to a position twice; sweeps back and forth find
        # most ways early, and then nothing changes any more.
        for sweep in range(len(positions)):
            before = list(reached)
            for v in reversed(positions) if sweep % 2 else positions:
                near = builder.or_all(reached[w] for w in neighbours[v])
                reached[v] = builder.or_(reached[v], builder.and_(black[v] ^ 1, near))
            if reached == before:
                break
        return dict(zip(r, reached, strict=True))

    return board.encoding("et", define)


def require_maker_breaker(model: PositionalModel, encoding: str) -> None:
    """Raise ``UsageError`` for a game in which White has winning sets."""
    if not model.maker_breaker:
        raise UsageError(
            f"{model.name}: found winning sets of White's, expected a maker-breaker game for "
            f"the encoding {encoding}"
        )


def require_network(
    model: PositionalModel, encoding: str, *, short: Player, network: Network | None = None
) -> Network:
    """The network of a maker-breaker game; ``UsageError`` when it is not ``short`` who connects.

    ``network`` takes the place of the model's.
    """
    require_maker_breaker(model, encoding)
    network = network or model.network
    expected = f"a network that {short} connects, for the encoding {encoding}"
    if network is None:
        raise UsageError(f"{model.name}: found no network, expected {expected}")
    if network.short is not short:
        raise UsageError(
            f"{model.name}: found one that {network.short} connects, expected {expected}"
        )
    return network


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "ea": encode_ea,
    "en": encode_en,
    "en-forward": partial(encode_en, backward=False),
    "et": encode_et,
}
