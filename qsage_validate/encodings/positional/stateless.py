"""Encodings of positional games without states: plies over time, and by squaring.

Sections 3.3 and 4.4 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023.  Black's moves
differ from all earlier ones, and the witness consists of Black's moves; what White plays outside
of the board or on an occupied position is ignored.  The step of SN is one disjunction for each
position of the witness and each number, without a gate for the neighbours.

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Final

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.encodings.encoding import (
    Completion,
    Encoding,
    Goals,
    PlayLiterals,
    less_than,
    nothing_else,
    width_for,
)
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.positional.lifted import EXISTS, FORALL, LiftedBoard, SymbolicEncoder
from qsage_validate.encodings.positional.open_game import (
    Listing,
    OpenGame,
    assign,
    at,
    choose,
    ite_bits,
    literals_of,
    number,
    playable,
    set_members,
    steps_of,
    way_positions,
    with_network,
    with_sets,
    witness_positions,
)
from qsage_validate.errors import UsageError
from qsage_validate.games.masks import mask_of, members
from qsage_validate.games.positional.harary import PolyominoBoard, polyomino_of
from qsage_validate.games.positional.model import PositionalModel, sound_first_moves
from qsage_validate.games.positional.polyominoes import Cells
from qsage_validate.games.protocol import Player

# The stateless encodings SA and SN: everything is said about the moves themselves


class Stateless(SymbolicEncoder):
    """Black's moves differ from what was claimed before them."""

    def open_claims(self) -> Iterator[int]:
        """Black claims positions of the board that nobody has claimed."""
        yield from self.in_bounds()
        for ply, move in enumerate(self.moves):
            if ply % 2 == 0:
                yield from (-self.equal(move, earlier) for earlier in self.moves[:ply])


class StatelessWitness(Stateless):
    """A list of Black's moves that has to be a winning one (Definition 8)."""

    witness: tuple[Bits, ...]

    def allocate(self) -> None:
        self.witness = self.vectors(self.witness_size())
        self.scope(EXISTS, *self.witness)

    def witness_size(self) -> int:
        """The number of positions of the witness: as many as Black has stones."""
        return self.game.stones

    @abstractmethod
    def goal(self) -> Iterable[int]:
        """The conditions that make the witness a winning one."""

    @abstractmethod
    def listing(self) -> Listing:
        """The witness of a play that is won."""

    def conjuncts(self) -> Iterator[int]:
        goal = self.circuit.and_(*self.goal())
        self.gates["goal"] = goal
        yield goal
        black = self.circuit.and_(*map(self.in_one_of_blacks_moves, self.witness))
        self.gates["witness black"] = black
        yield black
        yield from self.open_claims()

    def completions(self) -> Mapping[Player, Completion]:
        return {Player.BLACK: self._black, Player.WHITE: nothing_else}

    def _black(self, play: PlayLiterals) -> Mapping[int, int]:
        witness = witness_positions(play, self.listing(), len(self.witness), self.moves[0])
        return assign({}, self.witness, witness)


class StatelessSets(StatelessWitness):
    """SA: all minimal winning sets; quadratic in the depth, linear in these sets."""

    name = "sa"

    def goal(self) -> Iterator[int]:
        yield self.circuit.or_(
            *(
                self.circuit.and_(
                    *(self.at(self.witness[i], v) for i, v in enumerate(members(wins)))
                )
                for wins in self.game.inner.black_wins
            )
        )

    def listing(self) -> Listing:
        return set_members(self.game)


class StatelessWay(StatelessWitness):
    """SN: a way of neighbours; quadratic in the depth, linear in depth times positions."""

    name = "sn"

    def __init__(self, game: OpenGame) -> None:
        self.network = game.inner.own_network
        super().__init__(game)

    def goal(self) -> Iterator[int]:
        if self.network.joined:
            return
        yield self.among(self.witness[0], self.network.start)
        yield self.among(self.witness[-1], self.network.end)
        steps = steps_of(self.network)
        for here, following in pairwise(self.witness):
            yield from self.follows(here, following, steps)

    def listing(self) -> Listing:
        return way_positions(self.game)


RIGHT, UP = (1, 0), (0, 1)


def encode_sn_httt(model: PositionalModel) -> Encoding:
    """SN with shapes: no board, the cells of a polyomino by their neighbours.

    Size: quadratic in the depth, linear in cells times positions.  Raises ``UsageError`` for a
    game that is not maker-breaker with an odd depth, or not about a polyomino.
    """
    model = playable(model)
    inner = _first_moves_first(model)
    board = polyomino_of(inner)
    if board is None:
        raise UsageError(
            f"{model.name}: found winning sets that are not all placements of one polyomino on "
            "a board or torus, expected such a game for the encoding sn-httt"
        )
    return StatelessShapes(OpenGame(model, inner), board).encode()


def _first_moves_first(model: PositionalModel) -> PositionalModel:
    """The model with other numbers: first moves before all others."""
    first = sound_first_moves(model)
    order = [*members(first), *members(model.all & ~first)]
    number = {old: new for new, old in enumerate(order)}

    def renumbered(mask: int) -> int:
        return mask_of(number[k] for k in members(mask))

    return replace(
        model,
        positions=tuple(model.positions[k] for k in order),
        black_wins=tuple(map(renumbered, model.black_wins)),
        black=renumbered(model.black),
        white=renumbered(model.white),
        first_moves=renumbered(first),
        network=None,
    )


class StatelessShapes(StatelessWitness):
    """SN with the relations "right" and "up"."""

    name = "sn-httt"

    def __init__(self, game: OpenGame, board: PolyominoBoard) -> None:
        self.board = board
        self.relations = {step: board.neighbours(*step) for step in (RIGHT, UP)}
        super().__init__(game)

    def witness_size(self) -> int:
        return len(self.board.cells)

    def related(self, first: Bits, second: Bits, relation: tuple[int, int]) -> int:
        """``second`` is the neighbour of ``first`` to the right, or upwards."""
        steps = [0 if to is None else 1 << to for to in self.relations[relation]]
        return self.circuit.and_(*self.follows(first, second, steps))

    def _form(self, form: Cells) -> int:
        parts = []
        for place, (x, y) in enumerate(form[1:], start=1):
            for earlier in reversed(range(place)):
                step = x - form[earlier][0], y - form[earlier][1]
                ends = self.witness[earlier], self.witness[place]
                if step in self.relations:
                    parts.append(self.related(*ends, step))
                    break
                back = -step[0], -step[1]
                if back in self.relations:
                    parts.append(self.related(*ends[::-1], back))
                    break
        return self.circuit.and_(*parts)

    def goal(self) -> Iterator[int]:
        yield self.circuit.or_(*map(self._form, self.board.forms()))

    def in_one_of_blacks_moves(self, bits: Bits) -> int:
        stone = self.among(bits, self.game.inner.black)
        return self.circuit.or_(stone, *(self.equal(bits, move) for move in self.moves[::2]))

    def moves_at(self, ply: int) -> tuple[str, ...]:
        count = self.game.inner.first_moves.bit_count() if ply == 1 else 0
        return self.game.names[: count or None]

    def open_claims(self) -> Iterator[int]:
        inner = self.game.inner
        yield from super().open_claims()
        if inner.first_moves:
            yield less_than(self.circuit, self.moves[0], inner.first_moves.bit_count())
        for move in self.moves[::2]:
            yield from (-self.at(move, k) for k in members(inner.black | inner.white))

    def listing(self) -> Listing:
        places = {
            mask_of(place): place
            for form in self.board.forms()
            for place in self.board.places(form)
        }

        def of(goals: Goals) -> tuple[int, ...]:
            owned = self.game.claimed(goals) | self.game.inner.black
            return next(place for mask, place in places.items() if mask & owned == mask)

        return of


# LI and SI: ways of logarithmic length, by iterative squaring


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
    "sa": lambda model: StatelessSets(with_sets(model)).encode(),
    "sn": lambda model: StatelessWay(with_network(model, "SN")).encode(),
    "sn-httt": encode_sn_httt,
    "li": lambda model: LiftedSquaring(with_network(model, "LI")).encode(),
    "si": lambda model: StatelessSquaring(with_network(model, "SI")).encode(),
}
