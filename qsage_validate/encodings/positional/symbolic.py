"""The common base of encodings with numbered positions: vectors, moves, prefix, matrix.

Sections 3.2 and 3.3 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023.  A position is a
binary number; the moves, the witness and the symbolic position are vectors of so many bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

from qsage_validate.circuit.qbf import CircuitBuilder, Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.arithmetic import (
    Bits,
    constant_literals,
    equality_clauses,
    less_than,
    width_for,
)
from qsage_validate.encodings.completion import Completion, nothing_else
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.layout import IllegalMoves, Layout, StateView, listed
from qsage_validate.encodings.layout.lines import is_clausal
from qsage_validate.encodings.positional.in_mind import ClaimsInMind
from qsage_validate.encodings.positional.open_game import OpenGame
from qsage_validate.games.masks import members
from qsage_validate.games.protocol import Player

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
        for number in reversed(self.circuit.gates):
            if number in wanted:
                kept[number] = self.circuit.gates[number]
                wanted |= {abs(x) for x in kept[number].inputs}
        return dict(reversed(kept.items()))
