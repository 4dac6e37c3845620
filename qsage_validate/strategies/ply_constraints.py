"""Which parts of a matrix speak about which ply: the constraints that make a play's state.

An encoding that names its gates says it itself (``initial state``, ``black 1 move``,
``white 2 indicators``, ``white 2 legal``, ``white 2 move``).  In other formulas the constraints
are found in the matrix: what must be true for the output to be true, given the moves so far.
Goals are left out, because a play that Black loses breaks them and is still to be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Final

from qsage_validate.circuit.partial import evaluate_partially, literal_value, requirements
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout.layout import Layout, Ply
from qsage_validate.games.protocol import Player

_NEVER: Final = 1 << 30


class PlyConstraints:
    """The constraints of a play, ply by ply; level 0 is the initial state."""

    def __init__(self, qbf: Qbf, layout: Layout) -> None:
        self.qbf = qbf
        self.layout = layout
        self._followers = _followers(qbf, layout)
        self._measure()

    def followers(self, ply: int) -> tuple[int, ...]:
        """The existentials that follow from ply ``ply`` (its indicators), in prefix order."""
        return self._followers.get(ply, ())

    def reads_state(self, literal: int, number: int) -> bool:
        """Whether a literal depends on state ``number``."""
        return bool(self._states[abs(literal)] >> number & 1)

    def after(self, known: Mapping[int, bool]) -> list[tuple[int, int]]:
        """The constraints when the plies in ``known`` were made, as (level, literal).

        Those of the plies to come are among them as far as they are already certain: the next
        ply's are.
        """
        if "initial state" in self.layout.gates:
            return list(self._named(known))
        values = evaluate_partially(self.qbf, known, constants=False)
        return [
            (self._level[abs(literal)], literal)
            for literal in requirements(self.qbf, values, self.qbf.output)
            if self._level[abs(literal)] == 0 or self._reads_move[abs(literal)]
        ]

    def parts(self, literal: int, known: Mapping[int, bool]) -> list[int]:
        """The smallest constraints that a constraint comes down to, given ``known``."""
        values = evaluate_partially(self.qbf, known, constants=False)
        return [
            part
            for part in requirements(self.qbf, values, literal)
            if literal_value(values, part) is not True
        ]

    def _named(self, known: Mapping[int, bool]) -> Iterator[tuple[int, int]]:
        gates = self.layout.gates
        values = evaluate_partially(self.qbf, known)
        yield 0, gates["initial state"]
        for move in self.layout.moves:
            prefix = f"{move.player.value} {move.ply}"
            legal = gates.get(f"{prefix} legal")
            if f"{prefix} indicators" in gates:
                yield move.ply, gates[f"{prefix} indicators"]
            # A White move has its effects only when it is legal.
            if f"{prefix} move" in gates and (legal is None or literal_value(values, legal)):
                yield move.ply, gates[f"{prefix} move"]

    def _measure(self) -> None:
        """For each variable and gate: its level, the states it reads, whether it reads moves.

        What speaks about goals belongs to no level (``_NEVER``).
        """
        level = dict.fromkeys(self.qbf.quantifiers(), _NEVER)
        states = dict.fromkeys(level, 0)
        moves: set[int] = set()
        for literal in (*self.layout.state.x, *self.layout.state.y):
            level[abs(literal)] = 0
        for number, state in enumerate(self.layout.state.states):
            for literal in state:
                level[abs(literal)] = number
                states[abs(literal)] = 1 << number
        for move in self.layout.moves:
            own = _variables(move) | set(self.followers(move.ply))
            level.update(dict.fromkeys(own, move.ply))
            moves |= own
        reads = {variable: variable in moves for variable in level}
        for variable, gate in self.qbf.gates.items():
            inputs = [abs(literal) for literal in gate.inputs]
            level[variable] = max((level[v] for v in inputs), default=0)
            reads[variable] = any(reads[v] for v in inputs)
            mask = 0
            for v in inputs:
                mask |= states[v]
            states[variable] = mask
        self._level, self._states, self._reads_move = level, states, reads


def _followers(qbf: Qbf, layout: Layout) -> dict[int, tuple[int, ...]]:
    """What belongs to each White ply and is not its move, in the order of the prefix.

    That is what the layout calls indicators, and all other existentials that stand between the
    variables of the ply before and those of the ply after it (action bits that mean nothing,
    game-stop variables that the layout does not know).
    """
    order = {v: k for k, v in enumerate(v for s in qbf.scopes for v in s.variables)}
    existentials = set(qbf.variables(Quantifier.EXISTS))
    # A layout may name gates where it should name variables: these stand nowhere.
    own = {m.ply: _variables(m) & order.keys() for m in layout.moves}
    rest = (_board_variables(layout) | _goal_variables(layout)) & order.keys()
    taken = frozenset().union(*own.values(), rest)
    named = {m.ply: frozenset(map(abs, m.says_legal)) - taken for m in layout.moves}
    result: dict[int, tuple[int, ...]] = {}
    for move in layout.moves:
        if move.player is not Player.WHITE:
            continue
        before = max((order[v] for v in own.get(move.ply - 1, ())), default=-1)
        after = own.get(move.ply + 1) or rest
        end = min((order[v] for v in after if order[v] > before), default=-1)
        result[move.ply] = tuple(
            v
            for v, k in order.items()
            if v in named.get(move.ply, ())
            or (before < k < end and v in existentials and v not in taken)
        )
    return result


def _variables(move: Ply) -> frozenset[int]:
    return frozenset(map(abs, move.all_variables))


def _board_variables(layout: Layout) -> frozenset[int]:
    return frozenset(map(abs, (*layout.state.position, *layout.state.literals)))


def _goal_variables(layout: Layout) -> frozenset[int]:
    goals = (getattr(layout.goals, field.name) for field in fields(layout.goals))
    return frozenset(abs(v) for bits in goals for v in bits)
