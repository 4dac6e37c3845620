"""What follows from a play in a GDL encoding: White's moves behind the codes, and all gates.

The general encoding lets a code name a move that is not legal, or none; Black's side then chooses
a legal move for White (rules (3), (4) and (7) of He, Saffidine and Thielscher 2024).  Here that
choice is fixed: the first move of the table that is legal.  What is legal in a round follows from
the rounds before, so it is read from the formula's own gates.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Final

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Connective, Gate
from qsage_validate.encodings.completion import Completion, PlayInMind, PlayLiterals, PlyLiterals
from qsage_validate.encodings.gdl.formula import GdlEncoding
from qsage_validate.encodings.layout.layout import Ply
from qsage_validate.games.protocol import Player


class GdlGates:
    """The gates of an encoding in a graph, round by round.

    ``literals`` maps the formula's variables to literals of the graph as far as they are known;
    :meth:`white` adds those of White's moves.
    """

    def __init__(
        self, encoding: GdlEncoding, builder: AigBuilder, literals: MutableMapping[int, int]
    ) -> None:
        self.encoding = encoding
        self.builder = builder
        self.literals = literals
        (self.role,) = encoding.rounds[0].others
        self._gates: Final[Mapping[int, Gate]] = encoding.qbf.gates

    def literal(self, formula: int) -> int:
        """The literal of a formula's literal all of whose variables are known."""
        self._build(abs(formula))
        return self.literals[abs(formula)] ^ (formula < 0)

    def _build(self, number: int) -> None:
        waiting = [number]
        while waiting:
            gate = waiting[-1]
            if gate in self.literals:
                waiting.pop()
                continue
            inputs = self._gates[gate].inputs
            missing = [abs(x) for x in inputs if abs(x) not in self.literals]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            known = [self.literals[abs(x)] ^ (x < 0) for x in inputs]
            conjunction = self._gates[gate].connective is Connective.AND
            build = self.builder.and_all if conjunction else self.builder.or_all
            self.literals[gate] = build(known)

    def white(self, time: int, named: Sequence[int]) -> list[int]:
        """What White does in round ``time`` (from 1): a literal for each move of the table.

        ``named`` says of each move that the code names it.  None is true once the play has
        ended.
        """
        builder, variables = self.builder, self.encoding.rounds[time - 1]
        legal = variables.legal[self.role]
        going = self.literal(-self.encoding.ended[time - 1])
        allowed = [builder.and_(going, self.literal(x)) for x in legal.values()]
        said = [builder.and_(a, b) for a, b in zip(named, allowed, strict=True)]
        free = builder.or_all(said) ^ 1
        made = []
        for literal, possible in zip(said, allowed, strict=True):
            made.append(builder.or_(literal, builder.and_(free, possible)))
            free = builder.and_(free, possible ^ 1)
        free_variables = variables.free[self.role]
        for move, value in zip(legal, made, strict=True):
            if move in free_variables:
                self.literals[free_variables[move]] = value
        return made


def black_completion(encoding: GdlEncoding, extra: Sequence[int]) -> Completion:
    """How everything that Black decides follows: White's moves, and the gates ``extra``."""

    def define(play: PlayLiterals) -> Mapping[int, int]:
        literals = dict(play.literals)
        completion = GdlGates(encoding, play.builder, literals)
        for time in range(1, len(encoding.rounds) + 1):
            completion.white(time, play.plies[2 * time - 1].made)
        return everything_else(completion, extra)

    return define


def everything_else(completion: GdlGates, extra: Sequence[int]) -> dict[int, int]:
    """White's moves and the gates ``extra``, after the last round."""
    encoding = completion.encoding
    moves = [v for one in encoding.rounds for v in one.free[completion.role].values()]
    found = {v: completion.literals[v] for v in moves}
    found.update((gate, completion.literal(gate)) for gate in extra)
    return found


class GdlInMind(PlayInMind):
    """A game in GDL: the formula's own gates say what is legal and when the play has ended."""

    def __init__(self, encoding: GdlEncoding, builder: AigBuilder, hero: Player) -> None:
        self._known: dict[int, int] = {}
        self._variables = frozenset(encoding.qbf.levels())
        self._inner = encoding
        self._gates = GdlGates(encoding, builder, self._known)

    def over(self, ply: Ply) -> int | None:
        return self._gates.literal(self._inner.ended[(ply.ply - 1) // 2])

    def replaced(self, ply: Ply, made: Sequence[int]) -> Sequence[int]:
        return self._gates.white(ply.ply // 2, made)

    def decides(self, variable: int) -> bool:
        return variable in self._variables

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        self._known.update((v, x) for v, x in known.items() if v in self._variables)
