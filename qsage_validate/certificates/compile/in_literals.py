"""A play in the literals of a graph, from which a certificate is made.

Who makes a certificate goes through the plies of an encoding and says what the hero plays; what
else the certificate decides follows, as the encoding says (``completions``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Connective
from qsage_validate.encodings.completion import Goals, PlyLiterals
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.codings import Bits, MoveCoding
from qsage_validate.encodings.layout.layout import Ply
from qsage_validate.errors import QsageError
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate, Dialect, Kind


class NotCompiledError(QsageError):
    """A winning strategy is there, but the encoding is not one for which it can be compiled."""


def require_completion(encoding: Encoding, hero: Player) -> None:
    """Raise :class:`NotCompiledError` where an encoding says nothing of a player's certificates."""
    if hero not in encoding.completions:
        raise NotCompiledError(
            f"found the encoding {encoding.layout.encoding} for a win of {hero}'s, expected one "
            f"that has certificates for {hero}"
        )


class PlayInLiterals(ABC):
    """The literals of a play, ply by ply; what completions see is this.

    ``literals`` are of the variables that are known, ``functions`` of those of the hero's;
    ``inputs`` are the opponent's variables.  ``mind`` is the play by the rules.
    """

    def __init__(self, encoding: Encoding, hero: Player, builder: AigBuilder) -> None:
        self.encoding = encoding
        self.layout = encoding.layout
        self.qbf = encoding.qbf
        self.hero = hero
        self.kind = Kind.SKOLEM if hero is Player.BLACK else Kind.HERBRAND
        self.builder = builder
        self.inputs = self.qbf.variables(self.kind.decides.dual)
        self.literals: dict[int, int] = {}
        self.functions: dict[int, int] = {}
        self.plies: list[PlyLiterals] = []
        self.mind = encoding.mind(builder, hero)

    def make_inputs(self) -> None:
        """Make the opponent's variables the inputs of the graph."""
        self.literals.update((v, self.builder.input()) for v in self.inputs)

    @abstractmethod
    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """A number about the goals that the hero reaches, as ``width`` bits; zeros without one."""

    def value(self, literal: int) -> int:
        """The graph's literal of a variable, or of a gate that is a constant of the formula."""
        name = abs(literal)
        if name in self.literals:
            return self.literals[name] ^ (literal < 0)
        gate = self.qbf.gates[name]
        if gate.inputs:
            raise ValueError(f"found gate {name} among the moves, expected variables")
        return (TRUE if gate.connective is Connective.AND else FALSE) ^ (literal < 0)

    def define(self, variables: Sequence[int], literals: Sequence[int]) -> None:
        """Give the hero's variables their functions; a constant among them needs none."""
        for variable, literal in zip(variables, literals, strict=True):
            name, function = abs(variable), literal ^ (variable < 0)
            if name not in self.qbf.gates and self.mind.decides(name):
                self.functions[name] = self.literals[name] = function

    def decoded(self, coding: MoveCoding, numbers: Sequence[Bits]) -> list[int]:
        """For each move a literal that says that the numbers are its own."""
        sizes = [number.size for number in coding.numbers] or [len(coding.moves)]
        trees = []
        for bits, count in zip(numbers, sizes, strict=True):
            tree = [TRUE]
            for bit in bits:
                tree = [
                    self.builder.and_(node, bit ^ 1 ^ one) for node in tree for one in (FALSE, TRUE)
                ][: 2 * count]
            trees.append(tree)
        if len(trees) == 1:
            return trees[0][: sizes[0]]
        return [
            self.builder.and_all(tree[k] for tree, k in zip(trees, coding.place(move), strict=True))
            for move in coding.moves
        ]

    def encoded(self, made: Sequence[int]) -> Bits:
        """The index of the one literal that is true, as bits."""
        width = bits_for(len(made))
        return tuple(
            self.builder.or_all(one for k, one in enumerate(made) if k >> bit & 1)
            for bit in reversed(range(width))
        )

    def played(
        self, ply: Ply, numbers: Sequence[Bits], stop: int, moves: Callable[[], Sequence[int]]
    ) -> PlyLiterals:
        """A ply with the variables of it that are known."""
        named = map(abs, ply.all_variables)
        known = {v: self.literals[v] for v in named if v in self.literals}
        return PlyLiterals(ply.player, numbers, stop, known, moves)

    def written(self, ply: Ply) -> PlyLiterals:
        """The opponent's move as it is written: none where the opponent stops instead."""
        builder, coding = self.builder, ply.coding
        stop = FALSE if ply.stop is None else self.value(ply.stop)
        literals = tuple(map(self.value, coding.variables))
        numbers = [tuple(map(self.value, number.bits)) for number in coding.numbers]
        numbers = numbers or [self.encoded(literals)]

        def moves() -> Sequence[int]:
            made = self.decoded(coding, numbers) if coding.numbers else literals
            return [builder.and_(literal, stop ^ 1) for literal in made]

        return self.played(ply, numbers, stop, moves)

    def complete(self) -> None:
        """Define what the hero decides besides the moves, once these are known."""
        self.functions.update(self.encoding.completions[self.hero](self))
        missing = [
            self.qbf.name(v)
            for v in self.qbf.variables(self.kind.decides)
            if v not in self.functions
        ]
        if missing:
            raise ValueError(f"no definition of {', '.join(missing[:8])}")

    def certificate(self, also: Sequence[int] = ()) -> tuple[CircuitCertificate, list[int]]:
        """The certificate, in a graph that has the literals ``also``; with these."""
        decided = self.qbf.variables(self.kind.decides)
        aig, moved = self.builder.build([*(self.functions[v] for v in decided), *also])
        functions: Mapping[int, int] = dict(zip(decided, moved, strict=False))
        made = CircuitCertificate(self.kind, aig, self.inputs, functions, Dialect.CAQE)
        return made, moved[len(decided) :]


def bits_for(size: int) -> int:
    """The bits of the numbers below ``size``."""
    return max(size - 1, 0).bit_length()
