"""The explicit board of EA, EN and ET (Shaik et al. 2023, section 3.1, equations 1 to 6).

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
from typing import Final

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope, clause_gates
from qsage_validate.encodings.arithmetic import constant_literals, width_for
from qsage_validate.encodings.completion import PlayLiterals, nothing_else
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import IllegalMoves, Layout, StateView, listed
from qsage_validate.encodings.positional.in_mind import ClaimsInMind, held
from qsage_validate.games.positional.model import PositionalModel, require_alternating
from qsage_validate.games.protocol import Player

TRUE: Final = 1 << 40
"""A literal that is true: no clause has it, it satisfies those that it is put into."""

FALSE: Final = -TRUE
"""Its complement, which drops out of clauses."""


def constant(value: object) -> int:
    return TRUE if value else FALSE


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
        if FALSE in literals:
            literals = tuple(x for x in literals if x != FALSE)
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
