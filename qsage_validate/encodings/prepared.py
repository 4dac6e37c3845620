"""Less of a positional game: what is left after the first moves, and plies before a pairing.

*What is left.*  Section 4.1 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023 takes an
empty board without loss of generality: positions that a player has already are contracted away.
All open positions stay, for each of them can be claimed.

*PAIRING.*  The idea is Boucher and Villemaire's ("Quantified Boolean Solving for Achievement
Games", KI 2021, as described in section 2.3 of their paper on COVER): White's last moves need no
alternation of quantifiers.  If after ``k`` plies every shape without a white stone contains a
*pair* of open positions, no two pairs with a position in common, White answers in each pair that
Black plays in, and Black never completes a shape.  A White player who has completed a shape
before Black did has held out as well; the moves behind that do not count.

The clauses say "White has such a strategy", with the players' parts changed over: Black's moves
are numbers, universal, and a number of an occupied position is ignored, in the corrective way of
Mayer-Eichberger and Saffidine.  Clauses bind from one side: a white stone is only where White
claimed an open position, a black one at least where Black did.

``encode_pairing`` is the negation, so that, as everywhere, "true" speaks for Black: false means
that White holds, true only that White has no pairing after so many plies.  Played out to a full
board it is exact, for then a shape without a white stone is Black's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Final

from qsage_validate.circuit import aig
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.encodings.encoding import (
    ClaimsInMind,
    Encoding,
    Goals,
    PlayLiterals,
    completed,
    constant_literals,
    held,
    nothing_else,
    one_of,
)
from qsage_validate.encodings.explicit import (
    ClauseSet,
    constant,
    differs,
    require_alternating,
    until_last_black_ply,
)
from qsage_validate.encodings.layout import Bits, Layout, StateView
from qsage_validate.encodings.list_codings import listed
from qsage_validate.errors import UsageError, counted
from qsage_validate.games.masks import members, width_for
from qsage_validate.games.positional.cover_game import Pairing, PairingGame
from qsage_validate.games.positional.hex import (
    after,
    contracted,
    last_of,
    preprocess,
    stages,
    transversal_of,
    with_all_winning_sets,
    with_useless_white,
    with_winning_sets,
    without_detours,
    without_larger_sets,
)
from qsage_validate.games.positional.model import (
    Network,
    PositionalModel,
    is_hex_board,
    with_first_moves,
    without_long_sets,
)
from qsage_validate.games.protocol import Player

# The game that the encodings with numbered positions speak of: its open positions alone


def playable(model: PositionalModel) -> PositionalModel:
    """The model as far as Black's last ply.

    Raises ``UsageError`` for a game that is not maker-breaker with one stone a turn and an odd
    depth.
    """
    require_alternating(model)
    if not model.maker_breaker:
        raise UsageError(
            f"{model.name}: found winning sets of White's, expected a maker-breaker game"
        )
    return until_last_black_ply(model)


@dataclass(frozen=True)
class OpenGame:
    """A maker-breaker game and what is left of it on its open positions.

    ``inner`` has the open positions alone, numbered in their order; for shapes, whose cells must
    stay where they are, it has all positions in an order of its own.
    """

    model: PositionalModel
    inner: PositionalModel

    @property
    def depth(self) -> int:
        """The number of plies: odd, or 0 where nothing can be claimed."""
        return len(self.model.turns)

    @property
    def names(self) -> tuple[str, ...]:
        return self.inner.positions

    @property
    def size(self) -> int:
        """The number of positions (the paper's eta)."""
        return len(self.inner.positions)

    @property
    def stones(self) -> int:
        """The number of Black's stones: the positions of the longest witness."""
        return (self.depth + 1) // 2

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {self.model.number[name]: new for new, name in enumerate(self.inner.positions)}

    def inner_mask(self, mask: int) -> int:
        """The positions of a set of the model's that ``inner`` has, in its numbers."""
        image = 0
        for old in members(mask):
            if old in self._numbers:
                image |= 1 << self._numbers[old]
        return image

    def claimed(self, goals: Goals) -> int:
        """The positions of one of the goals that were reached, in the numbers of ``inner``.

        A witness is the mask of a winning set or way in the numbers of the model.
        """
        witness = one_of(goals)
        assert isinstance(witness, int), "a witness of a positional game is a set of positions"
        return self.inner_mask(witness)


def with_sets(model: PositionalModel) -> OpenGame:
    """The game with Black's minimal winning sets for which there are enough stones.

    The ways of a network are listed; raises ``UsageError`` where there are too many, and as
    :func:`playable` does.
    """
    model = playable(model)
    inner = contracted(with_winning_sets(model))
    return OpenGame(model, without_larger_sets(without_long_sets(inner)))


def with_network(model: PositionalModel, encoding: str) -> OpenGame:
    """The game with its network; raises ``UsageError`` where Black connects nothing."""
    model = playable(model)
    if model.network is None or model.network.short is not Player.BLACK:
        found = "winning sets" if model.network is None else "a network of White's"
        raise UsageError(f"{model.name}: found {found}, expected Black's network for {encoding}")
    return OpenGame(model, contracted(model))


def steps_of(network: Network) -> tuple[int, ...]:
    """For each position the set of those that may follow it on the witness path.

    The neighbours; and the position itself where it is one of the end, so that short paths are
    as long as long ones (section 4.3).  A position without neighbours is followed by itself
    too: it is on no path, but in the lifted encoding each position must have a neighbour.
    """
    return tuple(
        row | 1 << k if network.end >> k & 1 or not row else row
        for k, row in enumerate(network.neighbours)
    )


def first_set(wins: Sequence[int], through: int) -> tuple[int, ...]:
    """The members of the first winning set within a set of positions; none where there is none."""
    return next((tuple(members(w)) for w in wins if w & through == w), ())


Listing = Callable[[Goals], tuple[int, ...]]
"""The positions that one of the goals which were reached consists of, by number."""


def set_members(game: OpenGame) -> Listing:
    """The members of a winning set that a witness contains."""
    return lambda goals: first_set(game.inner.black_wins, game.claimed(goals))


def way_positions(game: OpenGame) -> Listing:
    """The positions of a way through a witness, from start to end."""
    network = game.inner.own_network
    return lambda goals: network.shortest_way(game.claimed(goals))


def witness_positions(
    play: PlayLiterals, listing: Listing, number: int, first_move: Bits
) -> list[Bits]:
    """A number of positions of the goal that is reached, in literals of the play's graph.

    Where the goal needs no position at all, all of them are Black's first move, which is black.
    """
    width = len(first_move)

    def value(index: int) -> Callable[[Goals], int]:
        def of(goals: Goals) -> int:
            positions = listing(goals)
            return positions[min(index, len(positions) - 1)] if positions else 0

        return of

    empty = play.witness(lambda goals: int(not listing(goals)), 1)[0]
    at = tuple(play.literals[v] for v in first_move)
    return [
        ite_bits(play.builder, empty, at, play.witness(value(index), width))
        for index in range(number)
    ]


def ite_bits(builder: AigBuilder, condition: int, then: Bits, otherwise: Bits) -> Bits:
    return tuple(builder.ite(condition, a, b) for a, b in zip(then, otherwise, strict=True))


def literals_of(play: PlayLiterals, variables: Sequence[int]) -> Bits:
    return tuple(play.literals[v] for v in variables)


def at(builder: AigBuilder, bits: Bits, position: int) -> int:
    """The literal that ``bits`` are the number of a position."""
    width = len(bits)
    return builder.and_all(
        bit ^ 1 ^ (position >> place & 1)
        for place, bit in zip(range(width - 1, -1, -1), bits, strict=True)
    )


def is_one_of(builder: AigBuilder, bits: Bits, others: Sequence[Bits]) -> int:
    """The literal that ``bits`` are the same as one of ``others``."""
    return builder.or_all(builder.eq_all(bits, other) for other in others)


def are_related(builder: AigBuilder, first: Bits, second: Bits, steps: Sequence[int]) -> int:
    """The literal that ``second`` is one of the steps from ``first``."""
    return builder.or_all(
        builder.and_(
            at(builder, first, v), builder.or_all(at(builder, second, w) for w in members(row))
        )
        for v, row in enumerate(steps)
    )


def choose(builder: AigBuilder, cases: Sequence[tuple[int, Bits]], otherwise: Bits) -> Bits:
    """The vector of the first case whose condition holds."""
    result = otherwise
    for condition, bits in reversed(cases):
        result = ite_bits(builder, condition, bits, result)
    return result


def number(value: int, width: int) -> Bits:
    return tuple(TRUE if value >> place & 1 else FALSE for place in range(width - 1, -1, -1))


def assign(
    values: dict[int, int], vectors: Sequence[Bits], literals: Sequence[Bits]
) -> Mapping[int, int]:
    """Enter the literals of some vectors of variables into ``values``."""
    for variables, bits in zip(vectors, literals, strict=True):
        values.update(zip(variables, bits, strict=True))
    return values


# Encodings that list the winning sets.
_OF_SETS: Final = ("ea", "la", "sa", "cor", "cor+", "cor-lean", "cor-ladder")


def prepared(model: PositionalModel, encoding: str) -> PositionalModel:
    """The smaller game with the same winner that the paper's tools encode.

    For the encodings that list winning sets, a network's ways are listed first.  For
    ``et`` positions that are useless to Black are given to White on the Hex board with Black's
    network, and White's network is contracted (Figure 1(d)).  Raises ``UsageError`` for too many
    winning sets.
    """
    return last_of(preparing(model, encoding), model)


def preparing(model: PositionalModel, encoding: str) -> Iterator[PositionalModel]:
    network = model.network
    if encoding in _OF_SETS:
        yield from stages(with_winning_sets(model))
    elif encoding != "et" or network is None or network.short is Player.WHITE:
        yield from stages(model)
    elif is_hex_board(model):
        yield from after(model, (with_useless_white, without_detours, transversal_of, contracted))


# A positional game without what cannot matter, for whoever encodes or searches it


_WHOLE: Final = {
    "sn-httt": "shapes on a whole board",
    "cover": "shapes on a whole board",
    "cover-played": "shapes on a whole board",
    "pairing": "pairs of all positions",
}
"""The encodings whose subject is lost where positions are left out."""


def prepare(model: PositionalModel, encoding: str | None = None) -> PositionalModel:
    """What section 4.1 of Shaik et al. 2023 leaves of a game, with the same winner.

    Winning sets that are complete too late, or contain another one, go; positions that are in none
    any more are White's; positions that are claimed are contracted.  Of Black's first moves
    one of each class under the symmetries of the board is kept, for encodings that ask; first moves
    that the game has already stay as they are.  ``encoding`` is what the game is prepared
    for, ``None`` for a search.

    Raises ``UsageError`` for an encoding that needs the whole board, and for too many winning sets.
    """
    if encoding in _WHOLE:
        raise UsageError(
            f"found --prepare with the encoding {encoding}, which is about {_WHOLE[encoding]}, "
            "expected another encoding"
        )
    if not model.first_moves and model.turns[:1] == (Player.BLACK,):
        model = with_first_moves(model)
    return preprocess(model) if encoding is None else prepared(model, encoding)


def claims_in_time(model: PositionalModel, encoding: str) -> tuple[str, ...]:
    """The open positions of a game, those first that its preparation leaves longest.

    What is left out last may be so because there is time to claim it: White, who wins the
    prepared game, wins the whole one if White claims positions in this order behind it.
    """
    rounds = dict.fromkeys(model.names(model.open), 0)
    for number, left in enumerate(preparing(model, encoding), start=1):
        rounds.update(dict.fromkeys(left.names(left.open), number))
    return tuple(sorted(rounds, key=lambda name: -rounds[name]))


def said(whole: PositionalModel, left: PositionalModel) -> tuple[str, dict[str, object]]:
    """What preparation has left of a game, in a line for people and by keys."""
    parts = [f"{counted(whole.open.bit_count(), 'open position')}, {left.open.bit_count()} left"]
    if whole.black_wins or whole.white_wins:
        before, after = (len(m.black_wins) + len(m.white_wins) for m in (whole, left))
        parts.append(f"{counted(before, 'winning set')}, {after} left")
    if left.first_moves:
        parts.append(f"{counted(left.first_moves.bit_count(), 'first move')} left")
    facts = {"open_positions": whole.open.bit_count(), "positions_left": left.open.bit_count()}
    return f"{whole.name} prepared: {'; '.join(parts)}", dict(facts)


# PAIRING: White plays some plies and then has a pairing, which hinders Black for ever


BLACK, WHITE = Player.BLACK, Player.WHITE


def pairing_clauses(model: PositionalModel) -> Qbf:
    """The formula "White has a pairing after the plies", in clauses, for solvers.

    Black's first moves are only those of the model's hint, where it has one.
    """
    return _Pairing(model, first_moves=True).clauses.qbf()


def require_pairing_game(model: PositionalModel) -> None:
    """Raise ``UsageError`` for a game in which pairs say nothing."""
    turns = model.turns
    require_alternating(model if len(turns) % 2 else replace(model, turns=(*turns, BLACK)))


@dataclass(frozen=True, slots=True)
class _PairingPly:
    """The variables of a ply: the move, the mover's stones, whether White has won by then."""

    move: tuple[int, ...]
    numbers: tuple[int, ...]
    stones: tuple[int, ...]
    won: int | None = None


class _Pairing:
    """White's formula: Black's moves universal, all else existential.

    After an odd number of plies White is to move, which is no harm.  Certificates are compiled for
    Black, whose win makes the formula true, and for White where White has a pairing after the
    plies, planned on a :class:`PairingGame`.  All winning sets of a network are listed.  Raises
    ``UsageError`` for too many of them, for games of several stones, or in which White begins.
    """

    def __init__(self, model: PositionalModel, *, first_moves: bool) -> None:
        require_pairing_game(model)
        self.model = model = with_all_winning_sets(model)
        self.size = len(model.positions)
        self.end = model.plies
        # Shapes in which White has a stone from the start are no danger any more.
        self.shapes = tuple(w for w in model.black_wins if not w & model.white)
        self.white_shapes = tuple(w for w in model.white_wins if not w & model.black)
        # Stones that White needs to win.
        rest = [(w & ~model.white).bit_count() for w in self.white_shapes]
        self.needed = max(min(rest), 1) if rest else model.plies + 1
        self.clauses = ClauseSet()
        self.black: list[tuple[int, ...]] = [self._initial(model.black)]
        self.white: list[tuple[int, ...]] = [self._initial(model.white)]
        self.plies: list[_PairingPly] = []
        self.won: int | None = None
        every = tuple(range(self.size))
        hinted = first_moves and bool(model.first_moves)
        for ply in range(1, self.end + 1):
            if ply % 2:
                first = hinted and ply == 1
                self._black_ply(tuple(members(model.first_moves)) if first else every)
            else:
                self._white_ply(every)
        self._end()

    def _initial(self, mask: int) -> tuple[int, ...]:
        return tuple(constant(mask >> v & 1) for v in range(self.size))

    def _black_ply(self, numbers: tuple[int, ...]) -> None:
        """Black's number says where the black stone is, if nothing else is there."""
        add = self.clauses.add
        before, white = self.black[-1], self.white[-1]
        move = self.clauses.variables(Quantifier.FORALL, width_for(len(numbers)))
        now = self.clauses.exists(self.size)
        over = [] if self.won is None else [self.won]
        for v in range(self.size):
            add(-before[v], now[v])
        for number, v in enumerate(numbers):
            add(*differs(move, number), white[v], *over, now[v])
        self.black.append(now)
        self.white.append(white)
        self.plies.append(_PairingPly(move, numbers, now))

    def _white_ply(self, numbers: tuple[int, ...]) -> None:
        """White claims an open position, or has won before and claims none."""
        add = self.clauses.add
        before, black = self.white[-1], self.black[-1]
        over = [] if self.won is None else [self.won]
        move = self.clauses.exists(width_for(len(numbers)))
        now = self.clauses.exists(self.size)
        if len(self.plies) // 2 + 1 >= self.needed:
            (self.won,) = self.clauses.exists(1)
            for earlier in over:
                add(-earlier, self.won)
        for v in range(self.size):
            add(-before[v], now[v])
            for literal in constant_literals(move, v):
                add(before[v], -now[v], literal)
            # A claim is made, of an open position: certificates are played.
            add(*differs(move, v), *over, now[v])
            add(*differs(move, v), *over, -before[v])
            add(-black[v], -now[v])
            for literal in over:
                add(-literal, before[v], -now[v])
        for number in range(len(numbers), 1 << len(move)):
            add(*differs(move, number), *over)
        self.white.append(now)
        self.black.append(black)
        self.plies.append(_PairingPly(move, numbers, now, self.won))

    def _end(self) -> None:
        """Every shape has a white stone or a pair, or White has been the first to win."""
        add = self.clauses.add
        black, white = self.black[-1], self.white[-1]
        taken = self.model.black | self.model.white
        pairs = sorted(
            {p for shape in self.shapes for p in combinations(members(shape & ~taken), 2)}
        )
        self.pairs = dict(zip(pairs, self.clauses.exists(len(pairs)), strict=True))
        self.completed = self.clauses.exists(0 if self.won is None else len(self.white_shapes))
        won = [] if self.won is None else [self.won]
        around: dict[int, list[int]] = {v: [] for v in range(self.size)}
        for pair, chosen in self.pairs.items():
            for v in pair:
                add(-chosen, -black[v])
                around[v].append(chosen)
        for chosen_here in around.values():
            for one, other in combinations(chosen_here, 2):
                add(-one, -other)
        for shape in self.shapes:
            own = list(members(shape))
            inside = [self.pairs[p] for p in combinations(members(shape & ~taken), 2)]
            add(*won, *(white[v] for v in own), *inside)
            for claim in won:
                add(-claim, *(-black[v] for v in own))
        for claim in won:
            # A player who stops has to have won.
            add(-claim, *self.completed)
            for shape, complete in zip(self.white_shapes, self.completed, strict=True):
                for v in members(shape):
                    add(-complete, white[v])

    def encoding(self) -> Encoding:
        """Black's formula, the negation, with its layout."""
        ours = self.clauses.qbf()
        scopes = tuple(Scope(s.quantifier.dual, s.variables) for s in ours.scopes)
        qbf = replace(ours, scopes=scopes, output=-ours.output)
        names = self.model.positions
        tables = tuple(
            listed(
                ply=t,
                player=BLACK if t % 2 else WHITE,
                moves=tuple(names[v] for v in ply.numbers),
                code=ply.move,
            )
            for t, ply in enumerate(self.plies, start=1)
        )
        stones = zip(self.black, self.white, strict=True)
        # The constants that the game begins with are no variables.
        states = [(*black, *white) for black, white in stones]
        known = {v for scope in ours.scopes for v in scope.variables}
        state = StateView(
            kinds=tuple(f"{player.value} {name}" for player in Player for name in names),
            states=tuple(tuple(x if abs(x) in known else 0 for x in s) for s in states),
        )
        gates = {f"pair {names[v]} {names[w]}": x for (v, w), x in self.pairs.items()}
        gates |= {
            f"white has won at {t}": ply.won
            for t, ply in enumerate(self.plies, start=1)
            if ply.won is not None
        }
        layout = Layout(
            moves=tables,
            state=state,
            verdict=qbf.output,
            gates=gates,
            encoding="pairing",
            model=self.model.parts(),
            conclusive=(False,),
            black_passes=True,
        )
        return Encoding(
            qbf,
            layout,
            self.model,
            {BLACK: nothing_else, WHITE: self._define},
            partial(ClaimsInMind, self.model),
            planned_on={WHITE: partial(PairingGame, self.model)},
        )

    def _define(self, play: PlayLiterals) -> Mapping[int, int]:
        """White's variables: the board, who has won, and in the end the pairs."""
        builder, values = play.builder, dict[int, int]()
        black, white = held(self.model.black, self.size), held(self.model.white, self.size)
        over = aig.FALSE
        for t, ply in enumerate(self.plies, start=1):
            own, other = (black, white) if t % 2 else (white, black)
            for v, made in zip(ply.numbers, play.plies[t - 1].made, strict=True):
                laid = builder.and_(made, builder.or_(over, other[v]) ^ 1)
                own[v] = builder.or_(own[v], laid)
            values.update(zip(ply.stones, own, strict=True))
            if ply.won is not None:
                won = builder.or_all(completed(builder, self.white_shapes, white))
                values[ply.won] = over = builder.or_(over, won)
        shapes = self.white_shapes[: len(self.completed)]
        values.update(zip(self.completed, completed(builder, shapes, white), strict=True))
        chosen = play.witness(self._chosen, len(self.pairs))
        values.update(zip(self.pairs.values(), chosen, strict=True))
        return values

    def _chosen(self, goals: Goals) -> int:
        """The bits of the pairs' variables, the first one's first."""
        witness = one_of(goals)
        assert isinstance(witness, Pairing), "what the game says of a win of White's"
        own = {(min(pair), max(pair)) for pair in witness.pairs}
        number = 0
        for pair in self.pairs:
            number = number << 1 | (pair in own)
        return number


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "pairing": lambda model: _Pairing(model, first_moves=False).encoding()
}
