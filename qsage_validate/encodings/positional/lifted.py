"""The lifted encoding of positional games, with a symbolic position.

Sections 3.2 and 3.3 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023.  A position is a
binary number; the moves, the witness and the symbolic position are vectors of so many bits.

Sections 3.2 and 4.3 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023.  In each branch of
the symbolic position P two state variables a time step say whether P is occupied, and white.
Where these encoders depart from the letter of the paper:

* Open positions start without a white stone too; the paper leaves w of the first state free.
* The implications of Definitions 6 and 7 are written as disjunctions over the equality of P and
  the move, without gates between.
* A position without neighbours is its own neighbour in LN.  By the paper's formula no branch may
  be without one, so that a single position that is cut off would make the formula false.
* Winning sets of more positions than Black has stones, and ones that contain another, are left
  out, as section 4.1 allows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, pairwise
from typing import Final

from qsage_validate.circuit.aig import FALSE
from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.encoding import (
    ClaimsInMind,
    Completion,
    Encoding,
    PlayLiterals,
    constant_literals,
    equality_clauses,
    less_than,
    nothing_else,
    width_for,
)
from qsage_validate.encodings.layout.codings import Bits, Number
from qsage_validate.encodings.layout.layout import IllegalMoves, Layout, StateView, listed
from qsage_validate.encodings.layout.lines import is_clausal
from qsage_validate.encodings.positional.open_game import (
    OpenGame,
    are_related,
    assign,
    at,
    choose,
    is_one_of,
    ite_bits,
    literals_of,
    number,
    set_members,
    steps_of,
    way_positions,
    with_network,
    with_sets,
    witness_positions,
)
from qsage_validate.games.masks import members
from qsage_validate.games.positional.model import PositionalModel
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


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "la": lambda model: LiftedSets(with_sets(model)).encode(),
    "ln": lambda model: LiftedWay(with_network(model, "LN")).encode(),
}
