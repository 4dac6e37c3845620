"""LI and SI: ways of logarithmic length, by iterative squaring.

Appendix C of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023 gives their sizes only (Table
4); the technique is the one of bounded model checking (Jussila and Biere 2007) and of planning
(Cashmore, Fox and Giunchiglia 2012).  There is a way from s to e of at most 2^k steps if there is a
position between them such that both halves are ways of at most 2^(k-1) steps.  A universal variable
chooses the half, and existential vectors hold its ends, so that the neighbours are said once, of
the ends of the last half, as is that these are black::

    exists moves, s, e, middle_1   forall y_1   exists first_1, last_1, middle_2   forall y_2 ...

With l steps at most (Black's stones but one) there are k = ceil(lg l) levels, each of one
universal variable and three vectors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.encodings.arithmetic import Bits, width_for
from qsage_validate.encodings.completion import Completion, PlayLiterals
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.positional.lifted import LiftedBoard
from qsage_validate.encodings.positional.open_game import (
    OpenGame,
    assign,
    at,
    choose,
    ite_bits,
    literals_of,
    number,
    steps_of,
    way_positions,
    with_network,
    witness_positions,
)
from qsage_validate.encodings.positional.stateless import Stateless
from qsage_validate.encodings.positional.symbolic import EXISTS, FORALL, SymbolicEncoder
from qsage_validate.games.masks import members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player


class Squaring(SymbolicEncoder):
    """The halves of the way, whatever the board is."""

    def __init__(self, game: OpenGame) -> None:
        self.network = game.inner.own_network
        self.steps = steps_of(self.network)
        self.levels = width_for(game.stones - 1)
        super().__init__(game)

    def allocate(self) -> None:
        self.halves: list[tuple[Bits, Bits]] = [(self.vector(), self.vector())]
        self.choices: list[int] = []
        self.middles: list[Bits] = []
        fresh = [*self.halves[0]]
        for _ in range(self.levels):
            self.middles.append(self.vector())
            self.scope(EXISTS, *fresh, self.middles[-1])
            (choice,) = self.vector(1)
            self.choices.append(choice)
            self.scope(FORALL, (choice,))
            self.halves.append((self.vector(), self.vector()))
            fresh = [*self.halves[-1]]
        self.scope(EXISTS, *fresh)

    def way(self) -> Iterator[int]:
        """The ends, the halves, and the one step of the last of them."""
        if self.network.joined:
            return
        either, both = self.circuit.or_, self.circuit.and_
        (start, end), (first, last) = self.halves[0], self.halves[-1]
        yield self.among(start, self.network.start)
        yield self.among(end, self.network.end)
        for level, (choice, middle) in enumerate(zip(self.choices, self.middles, strict=True)):
            (a, b), (c, d) = self.halves[level], self.halves[level + 1]
            yield either(choice, both(self.equal(c, a), self.equal(d, middle)))
            yield either(-choice, both(self.equal(c, middle), self.equal(d, b)))
        yield from self.follows(first, last, self.steps)

    @abstractmethod
    def ends_are_black(self) -> Iterator[int]: ...

    @abstractmethod
    def claims(self) -> Iterator[int]:
        """The conditions that the board puts on the moves."""

    def conjuncts(self) -> Iterator[int]:
        goal = self.circuit.and_(*self.way())
        self.gates["goal"] = goal
        yield goal
        black = self.circuit.and_(*self.ends_are_black())
        self.gates["witness black"] = black
        yield black
        yield from self.claims()

    def completions(self) -> Mapping[Player, Completion]:
        return {Player.BLACK: self.define_way, Player.WHITE: self.define_choices}

    def define_way(self, play: PlayLiterals) -> Mapping[int, int]:
        """The halves of the way that a play reaches, by what White has chosen."""
        count = (1 << self.levels) + 1
        way = witness_positions(play, way_positions(self.game), count, self.moves[0])
        values: dict[int, int] = {}
        for level, (first, last) in enumerate(self.halves):
            stride = 1 << (self.levels - level)
            chosen = literals_of(play, self.choices[:level])
            pick = partial(_select, play.builder, chosen)
            ends = [pick(way[:-1:stride]), pick(way[stride::stride])]
            assign(values, [first, last], ends)
            if level < self.levels:
                assign(values, [self.middles[level]], [pick(way[stride // 2 :: stride])])
        return values

    def define_choices(self, play: PlayLiterals) -> Mapping[int, int]:
        """The second half exactly where Black's stones connect the ends of the first one."""
        black = self._black_positions(play)
        values: dict[int, int] = {}
        for choice, (first, _), middle in zip(
            self.choices, self.halves[:-1], self.middles, strict=True
        ):
            ends = literals_of(play, first), literals_of(play, middle)
            values[choice] = self._connected(play.builder, black, *ends)
        return values

    def _black_positions(self, play: PlayLiterals) -> list[int]:
        return [
            play.builder.or_all(ply.made[v] for ply in play.plies[::2])
            for v in range(self.game.size)
        ]

    def _connected(self, builder: AigBuilder, black: Sequence[int], first: Bits, last: Bits) -> int:
        reached = [builder.and_(b, at(builder, first, v)) for v, b in enumerate(black)]
        for _ in range(self.game.stones - 1):
            reached = [
                builder.and_(b, builder.or_all([reached[v], *(reached[w] for w in members(row))]))
                for v, (b, row) in enumerate(zip(black, self.network.neighbours, strict=True))
            ]
        return builder.or_all(builder.and_(r, at(builder, last, v)) for v, r in enumerate(reached))


class LiftedSquaring(Squaring, LiftedBoard):
    """LI: linear in the depth and in the positions, with a logarithmic witness."""

    name = "li"

    def allocate(self) -> None:
        super().allocate()
        self.allocate_board()
        self.allocate_states()

    def ends_are_black(self) -> Iterator[int]:
        pointed = self.circuit.or_(*(self.equal(self.position, end) for end in self.halves[-1]))
        yield self.circuit.implies(pointed, self.black_after(self.game.depth))

    def claims(self) -> Iterator[int]:
        return self.board()

    def define_way(self, play: PlayLiterals) -> Mapping[int, int]:
        return {**super().define_way(play), **self.define_states(play)}

    def define_choices(self, play: PlayLiterals) -> Mapping[int, int]:
        """And P where Black's first illegal move is, or an end of the last half not black."""
        ends = [literals_of(play, end) for end in self.halves[-1]]
        cases = [*self.illegal_claims(play), *self.claims_not_black(play, ends)]
        wrong = choose(play.builder, cases, number(0, self.width))
        return assign({**super().define_choices(play)}, [self.position], [wrong])


class StatelessSquaring(Squaring, Stateless):
    """SI: quadratic in the depth, linear in the positions."""

    name = "si"

    def ends_are_black(self) -> Iterator[int]:
        yield from map(self.in_one_of_blacks_moves, self.halves[-1])

    def claims(self) -> Iterator[int]:
        return self.open_claims()


def _select(builder: AigBuilder, choices: Sequence[int], options: Sequence[Bits]) -> Bits:
    """The option whose number the choices are, the first one the most significant bit."""
    if not choices:
        return options[0]
    half = len(options) // 2
    return ite_bits(
        builder,
        choices[0],
        _select(builder, choices[1:], options[half:]),
        _select(builder, choices[1:], options[:half]),
    )


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "li": lambda model: LiftedSquaring(with_network(model, "LI")).encode(),
    "si": lambda model: StatelessSquaring(with_network(model, "SI")).encode(),
}
