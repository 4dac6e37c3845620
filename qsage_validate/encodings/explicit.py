"""Encodings of positional games with an explicit board: EA, EN and ET; COVER.

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

*COVER.*  Boucher and Villemaire, "The QBF Cover encoding for Harary's Tic-Tac-Toe" (2025),
section 3; the numbers in brackets are the paper's.  After Black's first stone only the *cover* is
played on, the positions of the shapes that contain the stone: Black may claim nothing else, and
whatever White claims elsewhere is one move, "out of cover", that is only counted.  Black has to
win whatever White may have claimed with so many moves.  True means that Black wins; false says
nothing.

There are two ways of writing moves.  In ``cover``, as in the paper, each position has a number of
White's and "out of cover" has another one: the number of a position outside the cover does
nothing; and Black need not lay a stone.  In ``cover-played`` the number of any position outside
the cover counts in the place of that move, so that White can say every move of the rules, and
while the game is on Black claims an open position, so that a certificate can be played.  The one
is true exactly when the other is.  See ``docs/explanation/positional-encodings.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, pairwise
from typing import Final

from qsage_validate.circuit import aig
from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.decision import first_true
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.encodings.encoding import (
    ClaimsInMind,
    Encoding,
    PlayLiterals,
    PlyLiterals,
    ReferencePlay,
    completed,
    constant_literals,
    held,
    nothing_else,
)
from qsage_validate.encodings.layout import Bits, IllegalMoves, Layout, Ply, StateView
from qsage_validate.encodings.list_codings import listed
from qsage_validate.errors import UsageError
from qsage_validate.formats.qdimacs import clause_gates
from qsage_validate.games.masks import members, width_for
from qsage_validate.games.positional.cover_game import (
    OUT_OF_COVER,
    CoverGame,
    in_the_cover,
    shapes_of,
)
from qsage_validate.games.positional.hex import transversal_of, with_winning_sets
from qsage_validate.games.positional.model import (
    Network,
    PositionalModel,
    is_hex_board,
)
from qsage_validate.games.protocol import Player


def require_alternating(model: PositionalModel) -> None:
    """Raise ``UsageError`` unless Black begins, and ends, with one stone a turn.

    The encodings of the paper are of such games (section 3: the depth is odd).  A game without
    open positions has no plies.
    """
    turns = model.turns
    if turns and turns[0] is not Player.BLACK:
        raise UsageError(f"{model.name}: White begins, expected Black to begin")
    for ply, (player, following) in enumerate(pairwise(turns), start=2):
        if player is following:
            raise UsageError(f"{model.name}: {player} moves again at ply {ply}, expected one stone")
    if len(turns) % 2 == 0 and (turns or model.open):
        raise UsageError(f"{model.name}: found the depth {len(turns)}, expected an odd one")


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
        """New variables in a scope of their own behind the others; none has no scope."""
        fresh = tuple(range(self._count + 1, self._count + count + 1))
        self._count += count
        self._scopes += [Scope(quantifier, fresh)] if fresh else []
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


# COVER: Black's strategies that keep to the shapes around Black's first stone


BLACK, WHITE = Player.BLACK, Player.WHITE

MAX_SHAPE: Final = 12
"""Positions in a shape of White's: (3.47) has a clause for each subset of each shape."""


@dataclass(frozen=True, slots=True)
class _CoverTime:
    """The variables of a time point; stones by position, ``move`` and ``out`` where it has any."""

    time: int
    black: Sequence[int]
    white: Sequence[int]
    move: Sequence[int] = ()
    out: Sequence[int] = ()


class _Cover:
    """The variables (3.1) to (3.9) in the order of (3.10) to (3.25), and all clauses.

    Certificates are compiled for Black, planned on a :class:`CoverGame`; those of ``cover`` are
    not played by the rules, for there White cannot say the moves of the rules.  A network's
    winning sets are listed first.  Raises ``UsageError`` for too many of them, and for games of
    several stones.
    """

    def __init__(self, model: PositionalModel, *, played: bool) -> None:
        require_cover_game(model)
        self.model = model = with_winning_sets(until_last_black_ply(model))
        self.played = played
        self.size = len(model.positions)
        self.black_sets, self.white_sets = model.black_wins, model.white_wins
        self.shapes = shapes_of(model)
        # "No point in counting for more moves than there are cells in the target shape".
        self.most = max(map(int.bit_count, self.white_sets), default=0)
        self.end = len(model.turns)
        self.clauses = ClauseSet()
        self._quantify()
        self._write()

    def _quantify(self) -> None:
        clauses, size = self.clauses, self.size
        # Behind the positions comes the out-of-cover move.
        bits, white_bits = width_for(size), width_for(size + (0 if self.played else 1))
        (time,) = clauses.exists(1)
        self.turns = [_CoverTime(time, clauses.exists(size), clauses.exists(size))]
        for t in range(1, self.end + 1):
            (time,) = clauses.exists(1)
            white_moves = t % 2 == 0
            move = (
                clauses.variables(Quantifier.FORALL, white_bits)
                if white_moves
                else clauses.exists(bits)
            )
            if t == 1:
                self.shape_in_cover = clauses.exists(len(self.shapes))
                self.in_cover = clauses.exists(size)
            out = clauses.exists(self.most + 1) if white_moves else ()
            self.turns.append(
                _CoverTime(time, clauses.exists(size), clauses.exists(size), move, out)
            )
        self.win = clauses.exists(len(self.black_sets))

    def _write(self) -> None:
        self._board()
        self._cover()
        for t in range(1, self.end + 1):
            self._frame(t)
            if t % 2:
                self._black_moves(t)
            else:
                self._white_moves(t)
        if self.model.first_moves and self.end:  # (3.40)
            self.clauses.add(*(self.turns[1].black[v] for v in members(self.model.first_moves)))
        self._winning()

    def _board(self) -> None:
        model, start = self.model, self.turns[0]
        for v in range(self.size):
            # (3.27), with the stones that the game begins with.
            self.clauses.add(start.black[v] if model.black >> v & 1 else -start.black[v])
            self.clauses.add(start.white[v] if model.white >> v & 1 else -start.white[v])

    def _frame(self, t: int) -> None:
        add, now, before = self.clauses.add, self.turns[t], self.turns[t - 1]
        add(-now.time, before.time)  # (3.26)
        for v in range(self.size):
            add(-now.black[v], -now.white[v])  # (3.28)
            add(-before.black[v], now.black[v])  # (3.29)
            add(-before.white[v], now.white[v])
            add(now.time, before.black[v], -now.black[v])  # (3.30)
            add(now.time, before.white[v], -now.white[v])  # (3.31)
            if t % 2 == 0:
                add(before.black[v], -now.black[v])  # (3.32)
            else:
                add(before.white[v], -now.white[v])  # (3.33)

    def _cover(self) -> None:
        if self.end < 1:
            return
        first, last = self.turns[1], self.turns[-1]
        for shape, inside in zip(self.shapes, self.shape_in_cover, strict=True):
            self._iff_any(inside, [first.black[v] for v in members(shape)])  # (3.34)
        for v in range(self.size):
            around = [
                inside
                for shape, inside in zip(self.shapes, self.shape_in_cover, strict=True)
                if shape >> v & 1
            ]
            self._iff_any(self.in_cover[v], around)  # (3.35)
            if not self.model.black >> v & 1:
                self.clauses.add(self.in_cover[v], -last.black[v])  # (3.36)

    def _iff_any(self, literal: int, literals: Sequence[int]) -> None:
        """``literal`` is true exactly when one of ``literals`` is."""
        self.clauses.add(-literal, *literals)
        for other in literals:
            self.clauses.add(literal, -other)

    def _black_moves(self, t: int) -> None:
        now, before = self.turns[t], self.turns[t - 1]
        for v in range(self.size):
            for bit in constant_literals(now.move, v):
                self.clauses.add(before.black[v], -now.black[v], bit)  # (3.37), (3.38)
            if self.played:
                other = differs(now.move, v)
                self.clauses.add(-now.time, *other, now.black[v])
                self.clauses.add(-now.time, *other, -before.black[v])
        for number in range(self.size, 1 << len(now.move)) if self.played else ():
            self.clauses.add(-now.time, *differs(now.move, number))

    def _white_moves(self, t: int) -> None:
        now, before = self.turns[t], self.turns[t - 1]
        add = self.clauses.add
        for v in range(self.size):
            other = differs(now.move, v)
            add(-now.time, before.black[v], -self.in_cover[v], *other, now.white[v])  # (3.41)
        earlier = self.turns[t - 2].out
        for i in range(1, self.most + 1):
            # Nothing has been counted before White's first move, and "none" always has.
            if i > 1 and not earlier:
                continue
            counted = [-earlier[i - 1]] if earlier else []
            for other in self._not_out_of_cover(t):
                add(-now.time, *other, *counted, now.out[i])  # (3.42)
        add(now.out[0])  # (3.43)
        for old, new in zip(earlier, now.out, strict=False):
            add(-old, new)  # (3.44)

    def _not_out_of_cover(self, t: int) -> list[list[int]]:
        """Parts of clauses: each says that White's move is not out of the cover."""
        move = self.turns[t].move
        if not self.played:
            return [differs(move, self.size)]
        open_at_first = members(self.model.open)
        return [[*differs(move, v), self.in_cover[v]] for v in open_at_first]

    def _winning(self) -> None:
        last = self.turns[-1]
        for shape, win in zip(self.black_sets, self.win, strict=True):
            self._iff_any(-win, [-last.black[v] for v in members(shape)])  # (3.45)
        self.clauses.add(*self.win)  # (3.46)
        out = self.turns[-2].out if self.end > 1 else ()
        for shape in self.white_sets:
            positions = list(members(shape))
            for i in range(len(positions) + 1 if out else 1):
                counted = [-out[i]] if out else []
                for outside in combinations(positions, i):
                    inside = [v for v in positions if v not in outside]
                    self.clauses.add(  # (3.47)
                        *counted,
                        *(-last.white[v] for v in inside),
                        *(self.in_cover[v] for v in outside),
                    )

    def encoding(self) -> Encoding:
        names = self.model.positions
        # White's numbers mean "claim this position of the cover": no move of the rules, which
        # know nothing of a cover.
        white = names if self.played else (*map(in_the_cover, names), OUT_OF_COVER)
        tables = tuple(
            listed(
                ply=t,
                player=BLACK if t % 2 else WHITE,
                moves=names if t % 2 else white,
                code=tuple(self.turns[t].move),
            )
            for t in range(1, self.end + 1)
        )
        state = StateView(
            kinds=(*(f"black {n}" for n in names), *(f"white {n}" for n in names)),
            # White's stones outside the cover are only counted.
            states=tuple((*turn.black, *(0,) * self.size) for turn in self.turns),
        )
        gates = {f"time {t}": turn.time for t, turn in enumerate(self.turns)}
        if self.end:
            gates |= {f"in cover {n}": x for n, x in zip(names, self.in_cover, strict=True)}
        for t, turn in enumerate(self.turns):
            gates |= {f"out of cover {i} at {t}": x for i, x in enumerate(turn.out)}
        qbf = self.clauses.qbf()
        layout = Layout(
            moves=tables,
            state=state,
            verdict=qbf.output,
            gates=gates,
            encoding="cover-played" if self.played else "cover",
            model=self.model.parts(),
            conclusive=(True,),
            illegal=IllegalMoves.IGNORED,
        )
        return Encoding(
            qbf,
            layout,
            self.model,
            {BLACK: self._define},
            partial(CoverInMind, self.model, self.played),
            planned_on={BLACK: partial(CoverGame, self.model, played=self.played)},
        )

    def _define(self, play: PlayLiterals) -> Mapping[int, int]:
        """Black's variables: time while Black has not won, board, cover and counted moves."""
        builder, start, model = play.builder, self.turns[0], self.model
        black, white = held(model.black, self.size), held(model.white, self.size)
        values = {start.time: aig.TRUE}
        values.update(zip((*start.black, *start.white), (*black, *white), strict=True))
        counted = [aig.TRUE] + [aig.FALSE] * self.most
        cover: Sequence[int] = ()
        for t in range(1, self.end + 1):
            turn, made = self.turns[t], play.plies[t - 1].made
            going_on = builder.or_all(completed(builder, self.black_sets, black)) ^ 1
            values[turn.time] = going_on
            if t % 2:
                laid = [builder.and_(one, going_on) for one in made]
                black = [builder.or_(a, b) for a, b in zip(black, laid, strict=True)]
            else:
                for v in range(self.size):
                    laid_here = builder.and_all((made[v], going_on, black[v] ^ 1, cover[v]))
                    white[v] = builder.or_(white[v], laid_here)
                out = builder.and_(self._moves_out(builder, made, cover), going_on)
                counted = [
                    aig.TRUE,
                    *(
                        builder.or_(now, builder.and_(below, out))
                        for below, now in pairwise(counted)
                    ),
                ]
                values.update(zip(turn.out, counted, strict=True))
            values.update(zip((*turn.black, *turn.white), (*black, *white), strict=True))
            if t == 1:
                inside = [builder.or_all(black[v] for v in members(s)) for s in self.shapes]
                cover = covered(builder, self.model, black)
                values.update(zip(self.shape_in_cover, inside, strict=True))
                values.update(zip(self.in_cover, cover, strict=True))
        values.update(zip(self.win, completed(builder, self.black_sets, black), strict=True))
        return values

    def _moves_out(self, builder: AigBuilder, made: Sequence[int], cover: Sequence[int]) -> int:
        """The literal that a move of White's is counted."""
        if not self.played:
            return made[self.size]
        places = members(self.model.open)
        return builder.or_all(builder.and_(made[v], cover[v] ^ 1) for v in places)


def covered(builder: AigBuilder, model: PositionalModel, black: Sequence[int]) -> list[int]:
    """For each position the literal that it is in the cover of these stones of Black's."""
    inside = {s: builder.or_all(black[v] for v in members(s)) for s in shapes_of(model)}
    return [
        builder.or_all(x for shape, x in inside.items() if shape >> v & 1)
        for v in range(len(model.positions))
    ]


def require_cover_game(model: PositionalModel) -> None:
    """Raise ``UsageError`` for a game that COVER cannot express."""
    require_alternating(model)
    largest = max(map(int.bit_count, model.white_wins), default=0)
    if largest > MAX_SHAPE:
        raise UsageError(
            f"{model.name}: found a winning set of {largest} positions, expected at most "
            f"{MAX_SHAPE} (COVER has a clause for each subset)"
        )


class CoverInMind(ReferencePlay):
    """The game of a cover, for Black, who stops when Black has won.

    For a move of White's that does nothing the first open position of the cover is made, and for
    any outside the cover the first of these.
    """

    def __init__(
        self, model: PositionalModel, played: bool, builder: AigBuilder, hero: Player
    ) -> None:
        self.builder = builder
        self.model = model
        self.played = played
        size = len(model.positions)
        self._black, self._white = held(model.black, size), held(model.white, size)
        self._cover: Sequence[int] = ()

    def over(self, ply: Ply) -> int | None:
        wins = completed(self.builder, self.model.black_wins, self._black)
        return self.builder.or_all(wins)

    def replaced(self, ply: Ply, made: Sequence[int]) -> Sequence[int]:
        builder = self.builder
        stones = zip(self._cover, self._black, self._white, strict=True)
        places = [builder.and_all((c, b ^ 1, w ^ 1)) for c, b, w in stones]
        inside = [builder.and_(m, p) for m, p in zip(made, places, strict=False)]
        if self.played:
            outside = [
                c ^ 1 if self.model.open >> v & 1 else aig.FALSE for v, c in enumerate(self._cover)
            ]
            out = builder.or_all(builder.and_(m, o) for m, o in zip(made, outside, strict=True))
            counted = [builder.and_(out, first) for first in first_true(builder, outside)]
        else:
            out = made[-1]
            counted = [*(aig.FALSE for _ in places), out]
            inside.append(aig.FALSE)
            places.append(aig.FALSE)
        wrong = builder.or_(out, builder.or_all(inside)) ^ 1
        instead = (builder.and_(wrong, first) for first in first_true(builder, places))
        return [builder.or_all(some) for some in zip(inside, counted, instead, strict=True)]

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        builder, made = self.builder, played.made
        if ply.player is Player.BLACK:
            self._black = [builder.or_(b, m) for b, m in zip(self._black, made, strict=True)]
        else:
            stones = zip(self._white, made, self._cover, strict=False)
            self._white = [builder.or_(w, builder.and_(m, c)) for w, m, c in stones]
        if ply.ply == 1:
            self._cover = covered(builder, self.model, self._black)


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "ea": encode_ea,
    "en": encode_en,
    "en-forward": partial(encode_en, backward=False),
    "et": encode_et,
    "cover": lambda model: _Cover(model, played=False).encoding(),
    "cover-played": lambda model: _Cover(model, played=True).encoding(),
}
