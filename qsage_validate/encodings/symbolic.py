"""Encodings of positional games with numbered positions: LA and LN, SA and SN, LI and SI.

Sections 3.2 and 3.3 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023.  A position is a
binary number; the moves, the witness and the symbolic position are vectors of so many bits.

*LA and LN* (sections 3.2 and 4.3).  In each branch of
the symbolic position P two state variables a time step say whether P is occupied, and white.
Where these encoders depart from the letter of the paper:

* Open positions start without a white stone too; the paper leaves w of the first state free.
* The implications of Definitions 6 and 7 are written as disjunctions over the equality of P and
  the move, without gates between.
* A position without neighbours is its own neighbour in LN.  By the paper's formula no branch may
  be without one, so that a single position that is cut off would make the formula false.
* Winning sets of more positions than Black has stones, and ones that contain another, are left
  out, as section 4.1 allows.

*SA and SN* (sections 3.3 and 4.4).  Black's moves
differ from all earlier ones, and the witness consists of Black's moves; what White plays outside
of the board or on an occupied position is ignored.  The step of SN is one disjunction for each
position of the witness and each number, without a gate for the neighbours.

*LI and SI.*  Appendix C gives their sizes only (Table
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

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, pairwise
from typing import Final

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.encoding import (
    ClaimsInMind,
    Completion,
    Encoding,
    Goals,
    PlayLiterals,
    constant_literals,
    equality_clauses,
    less_than,
    nothing_else,
)
from qsage_validate.encodings.layout import Bits, IllegalMoves, Layout, Number, StateView
from qsage_validate.encodings.layout_lines import is_clausal
from qsage_validate.encodings.list_codings import listed
from qsage_validate.encodings.prepared import (
    Listing,
    OpenGame,
    are_related,
    assign,
    at,
    choose,
    is_one_of,
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
from qsage_validate.games.masks import mask_of, members, width_for
from qsage_validate.games.positional.harary import PolyominoBoard, polyomino_of
from qsage_validate.games.positional.model import PositionalModel, sound_first_moves
from qsage_validate.games.positional.polyominoes import Cells
from qsage_validate.games.protocol import Player

# The common base of encodings with numbered positions: vectors, moves, prefix, matrix


EXISTS, FORALL = Quantifier.EXISTS, Quantifier.FORALL


class SymbolicEncoder(ABC):
    """Allocates the prefix, then builds the matrix and puts layout and completions to it.

    A subclass allocates its variables behind the moves' in :meth:`allocate` and gives the
    conjuncts of the matrix in :meth:`conjuncts`.
    """

    name = "symbolic"

    def __init__(self, game: OpenGame) -> None:
        self.game = game
        self.width = max(width_for(game.size), 1)  # so that each move has a variable
        self._variables = count(1)
        self._scopes: list[Scope] = []
        self.moves: list[Bits] = []
        for ply in range(1, game.depth + 1):
            self.moves.append(self.vector())
            self.scope(EXISTS if ply % 2 else FORALL, self.moves[-1])
        if self.moves:
            self.allocate()
        self.circuit = CircuitBuilder(next(self._variables))
        self.gates: dict[str, int] = {}
        self._at: dict[tuple[Bits, int], int] = {}

    # -- prefix -----------------------------------------------------------------------------

    def vector(self, width: int | None = None) -> Bits:
        """Fresh variables for a position, or as many as said."""
        return tuple(next(self._variables) for _ in range(self.width if width is None else width))

    def vectors(self, number: int) -> tuple[Bits, ...]:
        """A number of fresh positions."""
        return tuple(self.vector() for _ in range(number))

    def scope(self, quantifier: Quantifier, *vectors: Sequence[int]) -> None:
        """Append a block to the prefix; none without variables."""
        variables = tuple(v for vector in vectors for v in vector)
        if variables:
            self._scopes.append(Scope(quantifier, variables))

    @abstractmethod
    def allocate(self) -> None:
        """Allocate the variables that stand right of the moves in the prefix."""

    # -- circuits ---------------------------------------------------------------------------

    def at(self, bits: Bits, position: int) -> int:
        """The paper's bin: ``bits`` are the number of a position."""
        found = self._at.get((bits, position))
        if found is None:
            found = self.circuit.and_(*constant_literals(bits, position))
            self._at[bits, position] = found
        return found

    def among(self, bits: Bits, positions: int) -> int:
        """``bits`` are the number of a position of a set."""
        return self.circuit.or_(*(self.at(bits, k) for k in members(positions)))

    def equal(self, left: Bits, right: Bits) -> int:
        return self.circuit.and_(*equality_clauses(self.circuit, left, right))

    def in_bounds(self) -> list[int]:
        """The paper's BR: Black's moves are positions; nothing where all numbers are."""
        if self.game.size == 1 << self.width:
            return []
        return [less_than(self.circuit, move, self.game.size) for move in self.moves[::2]]

    def in_one_of_blacks_moves(self, bits: Bits) -> int:
        """``bits`` are the number of a position that Black has claimed (Definition 8)."""
        return self.circuit.or_(*(self.equal(bits, move) for move in self.moves[::2]))

    def follows(self, first: Bits, second: Bits, steps: Sequence[int]) -> list[int]:
        """For each position: where ``first`` is its number, ``second`` is one of its steps."""
        return [
            self.circuit.or_(-self.at(first, v), *(self.at(second, w) for w in members(following)))
            for v, following in enumerate(steps)
        ]

    # -- encoding ---------------------------------------------------------------------------

    @abstractmethod
    def conjuncts(self) -> Iterable[int]:
        """The conditions whose conjunction is the matrix."""

    @abstractmethod
    def completions(self) -> Mapping[Player, Completion]:
        """The completions by player: the functions of all variables that are no moves."""

    def state(self) -> StateView:
        """The view of the position that the formula keeps; empty unless a subclass has one."""
        return StateView()

    def moves_at(self, ply: int) -> tuple[str, ...]:
        """The moves at a ply: the names of the positions by number."""
        return self.game.names

    def encode(self) -> Encoding:
        game = self.game
        if self.moves:
            output = self.circuit.and_(*self.conjuncts())
            completions = self.completions()
        else:
            won = game.model.won_by_black(game.model.black)
            output = self.circuit.true if won else self.circuit.false
            completions = dict.fromkeys(Player, nothing_else)
        layout = Layout(
            moves=tuple(
                listed(
                    ply=ply,
                    player=Player.BLACK if ply % 2 else Player.WHITE,
                    moves=self.moves_at(ply),
                    code=bits,
                )
                for ply, bits in enumerate(self.moves, start=1)
            ),
            state=self.state() if self.moves else StateView(),
            verdict=output,
            gates=self.gates,
            encoding=self.name,
            model=game.model.parts(),
            illegal=IllegalMoves.IGNORED,
        )
        qbf = Qbf(tuple(self._scopes), self._needed(output, layout), output)
        if is_clausal(qbf):
            # A formula this small has no gates that a layout could name.
            variables = qbf.levels()
            states = tuple(
                tuple(x if abs(x) in variables else 0 for x in row) for row in layout.state.states
            )
            layout = replace(layout, gates={}, state=replace(layout.state, states=states))
            qbf = replace(qbf, gates=self._needed(output, layout))
        mind = partial(ClaimsInMind, game.model)
        return Encoding(qbf, layout, game.model, completions, mind)

    def _needed(self, output: int, layout: Layout) -> dict[int, Gate]:
        """The gates that the output or the layout needs: simplification leaves others behind."""
        wanted = {abs(output), *(abs(x) for x in layout.gates.values())}
        wanted |= {abs(x) for row in layout.state.states for x in row}
        kept: dict[int, Gate] = {}
        for gate in reversed(self.circuit.gates):
            if gate in wanted:
                kept[gate] = self.circuit.gates[gate]
                wanted |= {abs(x) for x in kept[gate].inputs}
        return dict(reversed(kept.items()))


# The lifted encodings LA and LN: one universal position in place of a board


State = tuple[int, int]
"""Occupied, white."""


class LiftedBoard(SymbolicEncoder):
    """The symbolic position, its states and the transitions (Definitions 6 and 7)."""

    def allocate_board(self) -> None:
        self.position = self.vector()
        self.scope(FORALL, self.position)

    def allocate_states(self, *others: Bits) -> None:
        """Allocate the state variables: the innermost block."""
        vectors = [self.vector(2) for _ in range(self.game.depth + 1)]
        self.states: list[State] = [(o, w) for o, w in vectors]
        self.scope(EXISTS, *others, *vectors)

    def black_after(self, time: int) -> int:
        """The symbolic position is black after ``plies`` plies."""
        occupied, white = self.states[time]
        return self.circuit.and_(occupied, -white)

    def board(self) -> Iterator[int]:
        """The initial state, the transitions and the bounds of Black's moves."""
        yield from (-literal for literal in self.states[0])
        for ply, move in enumerate(self.moves, start=1):
            yield from self._transition(ply, move)
        yield from self.in_bounds()

    def _transition(self, ply: int, move: Bits) -> Iterator[int]:
        either = self.circuit.or_
        (o, w), (o_next, w_next) = self.states[ply - 1], self.states[ply]
        chosen = self.equal(self.position, move)
        if ply % 2:
            yield from (either(-chosen, x) for x in (-o, -w_next, o_next))
        else:
            chosen = self.circuit.and_(chosen, -o)
            yield from (either(-chosen, x) for x in (w_next, o_next))
        for before, after in ((w, w_next), (o, o_next)):
            yield either(chosen, -before, after)
            yield either(chosen, before, -after)

    def state(self) -> StateView:
        return StateView(
            kinds=(Player.BLACK.value, Player.WHITE.value),
            states=tuple(
                (self.black_after(time), white) for time, (_, white) in enumerate(self.states)
            ),
            axes=(Number(self.position, len(self.game.names)),),
            names=self.game.names,
        )

    def define_states(self, play: PlayLiterals) -> dict[int, int]:
        """The states in the branch of P that a play is in; illegal moves of White's do nothing."""
        builder = play.builder
        position = literals_of(play, self.position)
        occupied = white = FALSE
        values = dict(zip(self.states[0], (occupied, white), strict=True))
        for ply, move in enumerate(self.moves, start=1):
            chosen = builder.eq_all(position, literals_of(play, move))
            if ply % 2:
                white = builder.and_(white, chosen ^ 1)
            else:
                white = builder.or_(white, builder.and_(chosen, occupied ^ 1))
            occupied = builder.or_(occupied, chosen)
            values.update(zip(self.states[ply], (occupied, white), strict=True))
        return values

    def illegal_claims(self, play: PlayLiterals) -> list[tuple[int, Bits]]:
        """For each ply of Black's behind the first: the position was claimed before; which."""
        plies = [literals_of(play, move) for move in self.moves]
        return [
            (is_one_of(play.builder, move, plies[:number]), move)
            for number, move in enumerate(plies)
            if number and number % 2 == 0
        ]

    def claims_not_black(
        self, play: PlayLiterals, positions: Sequence[Bits]
    ) -> list[tuple[int, Bits]]:
        """For each of some positions: Black has not claimed it; which."""
        moves = [literals_of(play, move) for move in self.moves[::2]]
        return [(is_one_of(play.builder, bits, moves) ^ 1, bits) for bits in positions]


class _LiftedWitness(LiftedBoard):
    """A witness of as many positions as Black has stones, which has to be black."""

    def allocate(self) -> None:
        self.witness = self.vectors(self.game.stones)
        self.scope(EXISTS, *self.witness)
        self.allocate_board()
        self.allocate_inner()

    @abstractmethod
    def allocate_inner(self) -> None:
        """Allocate the variables that stand right of the symbolic position in the prefix."""

    @abstractmethod
    def goal(self) -> Iterable[int]:
        """The conditions that make the witness a winning one."""

    def conjuncts(self) -> Iterator[int]:
        goal = self.circuit.and_(*self.goal())
        self.gates["goal"] = goal
        yield goal
        pointed = self.circuit.or_(*(self.equal(self.position, w) for w in self.witness))
        black = self.circuit.implies(pointed, self.black_after(self.game.depth))
        self.gates["witness black"] = black
        yield black
        yield from self.board()


class LiftedSets(_LiftedWitness):
    """LA (Definition 5): all minimal winning sets; linear in the depth and in these sets."""

    name = "la"

    def allocate_inner(self) -> None:
        self.allocate_states()

    def goal(self) -> Iterator[int]:
        yield self.circuit.or_(
            *(
                self.circuit.and_(
                    *(self.at(self.witness[i], v) for i, v in enumerate(members(wins)))
                )
                for wins in self.game.inner.black_wins
            )
        )

    def completions(self) -> Mapping[Player, Completion]:
        return {Player.BLACK: self._black, Player.WHITE: self._white}

    def _black(self, play: PlayLiterals) -> Mapping[int, int]:
        listing = set_members(self.game)
        witness = witness_positions(play, listing, len(self.witness), self.moves[0])
        return assign(self.define_states(play), self.witness, witness)

    def _white(self, play: PlayLiterals) -> Mapping[int, int]:
        """P is where Black's first illegal move is, or a position of the witness not black."""
        witness = [literals_of(play, bits) for bits in self.witness]
        cases = [*self.illegal_claims(play), *self.claims_not_black(play, witness)]
        wrong = choose(play.builder, cases, number(0, self.width))
        return assign({}, [self.position], [wrong])


class LiftedWay(_LiftedWitness):
    """LN (section 4.3): a way of neighbours; linear in the depth and in the positions."""

    name = "ln"

    def __init__(self, game: OpenGame) -> None:
        self.network = game.inner.own_network
        self.steps = steps_of(self.network)
        super().__init__(game)

    def allocate_inner(self) -> None:
        self.neighbour = self.vector()
        self.allocate_states(self.neighbour)

    def goal(self) -> Iterator[int]:
        if self.network.joined:
            return
        yield self.among(self.witness[0], self.network.start)
        yield self.among(self.witness[-1], self.network.end)
        yield from self.follows(self.position, self.neighbour, self.steps)
        for here, following in pairwise(self.witness):
            yield self.circuit.implies(
                self.equal(here, self.position), self.equal(following, self.neighbour)
            )

    def completions(self) -> Mapping[Player, Completion]:
        return {Player.BLACK: self._black, Player.WHITE: self._white}

    def _black(self, play: PlayLiterals) -> Mapping[int, int]:
        builder = play.builder
        listing = way_positions(self.game)
        witness = witness_positions(play, listing, len(self.witness), self.moves[0])
        position = literals_of(play, self.position)
        neighbour = number(0, self.width)
        for v, row in enumerate(self.steps):
            bits = number(next(members(row)), self.width)
            neighbour = ite_bits(builder, at(builder, position, v), bits, neighbour)
        cases = [
            (builder.eq_all(position, here), following) for here, following in pairwise(witness)
        ]
        neighbour = choose(builder, cases, neighbour)
        values = assign(self.define_states(play), self.witness, witness)
        return assign({**values}, [self.neighbour], [neighbour])

    def _white(self, play: PlayLiterals) -> Mapping[int, int]:
        """As in LA; else a position of the witness that no neighbour follows."""
        builder = play.builder
        witness = [literals_of(play, bits) for bits in self.witness]
        cases = [*self.illegal_claims(play), *self.claims_not_black(play, witness)]
        cases += [
            (are_related(builder, here, following, self.steps) ^ 1, here)
            for here, following in pairwise(witness)
        ]
        wrong = choose(builder, cases, number(0, self.width))
        return assign({}, [self.position], [wrong])


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
    "la": lambda model: LiftedSets(with_sets(model)).encode(),
    "ln": lambda model: LiftedWay(with_network(model, "LN")).encode(),
    "sa": lambda model: StatelessSets(with_sets(model)).encode(),
    "sn": lambda model: StatelessWay(with_network(model, "SN")).encode(),
    "sn-httt": encode_sn_httt,
    "li": lambda model: LiftedSquaring(with_network(model, "LI")).encode(),
    "si": lambda model: StatelessSquaring(with_network(model, "SI")).encode(),
}
