"""An encoding: its formula, how other variables follow from the moves, and plays by the rules.

Vectors are tuples of signed literals, most significant bit first; values are modulo two to
the width.  Everything works for a vector of width 0, the coordinate of an axis of length 1.

The compiler of certificates (``certificates/compiler.py``) knows a winning plan: it makes
circuits for the hero's moves over the opponent's variables.  An encoding knows how everything else
that the hero decides follows from the moves.  This is what they say to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.decision import first_true
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Bits, Layout, Ply
from qsage_validate.games.masks import members
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Player, Witness

if TYPE_CHECKING:
    from qsage_validate.circuit.builder import CircuitBuilder
    from qsage_validate.games.positional.cover_game import PlanningGame
    from qsage_validate.games.positional.model import PositionalModel


# Arithmetic on short bit vectors as circuits (paper, section 4.3, auxiliary circuits)


def add_constant(circuit: CircuitBuilder, bits: Sequence[int], constant: int) -> Bits:
    """``bits + constant``, a ripple-carry adder (the paper's ADD; SUB for a negative constant)."""
    constant %= 1 << len(bits)
    result: list[int] = []
    carry: int | None = None
    for position, bit in enumerate(reversed(bits)):
        if constant >> position & 1:
            result.append(-bit if carry is None else circuit.iff(bit, carry))
            carry = bit if carry is None else circuit.or_(bit, carry)
        else:
            result.append(bit if carry is None else -circuit.iff(bit, carry))
            carry = None if carry is None else circuit.and_(bit, carry)
    return tuple(reversed(result))


def equality_clauses(circuit: CircuitBuilder, left: Sequence[int], right: Sequence[int]) -> Bits:
    """Literals whose conjunction says that two vectors are equal (the paper's EQ).

    Given as a list so that callers put them into one gate with whatever else must hold.
    """
    parts: list[int] = []
    for a, b in zip(left, right, strict=True):
        parts += [circuit.or_(-a, b), circuit.or_(a, -b)]
    return tuple(parts)


def constant_literals(bits: Sequence[int], value: int) -> Bits:
    """Literals whose conjunction says that ``bits`` have ``value`` (EQ with an integer)."""
    return tuple(
        bit if value >> position & 1 else -bit
        for position, bit in zip(range(len(bits) - 1, -1, -1), bits, strict=True)
    )


def less_than(circuit: CircuitBuilder, bits: Sequence[int], bound: int) -> int:
    """One literal: ``bits < bound`` (the paper's LT)."""
    if bound <= 0:
        return circuit.false
    if bound >= 1 << len(bits):
        return circuit.true
    return _less_than(circuit, tuple(bits), bound)


def _less_than(circuit: CircuitBuilder, bits: Bits, bound: int) -> int:
    # Leading bits of the bound alternate runs: a run of ones allows any zero among them to
    # decide, a run of zeros asks for all of them to be zero.
    if bound == 0:
        return circuit.false
    head = bound >> (len(bits) - 1) & 1
    run = 1
    while run < len(bits) and (bound >> (len(bits) - 1 - run) & 1) == head:
        run += 1
    rest = _less_than(circuit, bits[run:], bound & ((1 << (len(bits) - run)) - 1))
    zeros = tuple(-bit for bit in bits[:run])
    return circuit.or_(*zeros, rest) if head else circuit.and_(*zeros, rest)


def in_range(circuit: CircuitBuilder, bits: Sequence[int], low: int, high: int) -> Bits:
    """Literals whose conjunction says ``low <= bits <= high`` (the paper's BDCIR, one axis)."""
    if low > high:
        return (circuit.false,)
    parts = (-less_than(circuit, bits, low), less_than(circuit, bits, high + 1))
    return tuple(part for part in parts if part != circuit.true)


# A strategy's play in the literals of a graph, handed to an encoding that completes it


Goals = frozenset[Witness]
"""Goals that are reached together, at least one."""


def one_of(goals: Goals) -> Witness:
    """The same one of some goals whatever is asked about it."""
    return min(goals, key=str)


@dataclass(frozen=True)
class PlyLiterals:
    """One ply in literals of the graph.

    ``numbers`` are the bits of the numbers that make the move, as the ply's coding has them.
    ``stop`` is the game-stop variable's literal (FALSE where there is none).  ``variables`` maps
    the ply's QBF variables to literals, the stop variable among them.  ``moves`` makes
    :attr:`made`, once, when it is asked for: a grid has more moves than anybody wants to know of.
    """

    player: Player
    numbers: Sequence[Bits]
    stop: int
    variables: Mapping[int, int]
    moves: Callable[[], Sequence[int]]

    @cached_property
    def made(self) -> Sequence[int]:
        """For each move of the ply a literal that is true when it is made."""
        return self.moves()


class PlayLiterals(Protocol):
    """A whole play, ply by ply."""

    @property
    def builder(self) -> AigBuilder: ...

    @property
    def plies(self) -> Sequence[PlyLiterals]: ...

    @property
    def hero(self) -> Player:
        """The player whose strategy is completed."""
        ...

    @property
    def literals(self) -> Mapping[int, int]:
        """The literals of all variables known so far: the opponent's, and the hero's moves'."""
        ...

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """A number about the goals that the hero reaches, as ``width`` bits.

        ``value`` gives the number for witnesses (of the game's own kind, such as the masks of
        winning sets).  Zeros for a hero without goals.
        """
        ...


Completion = Callable[[PlayLiterals], Mapping[int, int]]
"""The functions, for a given play, of the variables that the hero decides besides the moves.

Returns a literal of the play's graph for every one of them: for a Black hero the existentials
(Skolem), for a White hero the universals (Herbrand) that are not move variables.
"""


def nothing_else(_: PlayLiterals) -> Mapping[int, int]:
    """The completion of a player who decides moves and nothing else."""
    return {}


class ReferencePlay:
    """The play that a hero has in mind while a certificate is compiled, one by the rules.

    Where a formula does something else than lose for White when White writes an illegal move,
    Black takes White to have made a legal one, and where it ignores Black's, White does so too.
    Here it is a game that stops where the hero claims to have won; literals are the graph's.
    """

    witnesses: Sequence[tuple[Callable[[Goals], int], int]] = ()
    """Numbers about goals, with their widths, that belong to the ply at which a goal is claimed."""

    def over(self, ply: Ply) -> int | None:
        """The literal that the play has ended before a ply; ``None`` if it never has."""
        return None

    def fallback(self, ply: Ply) -> Sequence[int]:
        """For each move whether it is made at a ply of the hero's when the play has ended."""
        return [FALSE] * len(ply.moves)

    def replaced(self, ply: Ply, made: Sequence[int]) -> Sequence[int]:
        """Replace the opponent's moves by legal ones where the formula lets the play go on."""
        return made

    def decides(self, variable: int) -> bool:
        """True if a variable of a move is a real variable; false if it stands for a constant."""
        return True

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        """Go on to the next ply; ``known`` are the values of all variables known by now."""


# An encoding: a formula together with its layout


@dataclass(frozen=True)
class Encoding:
    """A QBF that says "Black wins within the depth", and what its variables mean.

    ``completions`` complete a strategy's moves to a certificate, by the player who has the
    strategy; a player who is missing there cannot have a certificate compiled.  ``mind`` makes,
    in a graph and for such a player, the play that goes on by the rules where the formula does
    something else.  ``planned_on`` makes, for a player whose strategies the formula does not have
    all, the game on which those are planned that it has; the others are planned on the rules.
    """

    qbf: Qbf
    layout: Layout
    model: GameModel
    completions: Mapping[Player, Completion]
    mind: Callable[[AigBuilder, Player], ReferencePlay]
    planned_on: Mapping[Player, Callable[[], PlanningGame]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Encoding {self.layout.encoding} of {self.model.name}>"


# Positional games as a hero has them in mind where the formula ignores illegal moves


def held(mask: int, size: int) -> list[int]:
    """The literals of the graph that say which of ``size`` positions are in a mask."""
    return [TRUE if mask >> v & 1 else FALSE for v in range(size)]


def completed(builder: AigBuilder, sets: Iterable[int], stones: Sequence[int]) -> list[int]:
    """For each set of positions, whether all of it has a stone."""
    return [builder.and_all(stones[v] for v in members(own)) for own in sets]


class ClaimsInMind(ReferencePlay):
    """A positional game: who claims a position for the first time has it.

    For a move that does nothing, or one too many, the first open position of the list is made.
    The formula ignores such a move, so the opponent's stones in mind always contain those in the
    formula, and the hero's are the same: the hero's moves are legal in both, and a win in mind is
    one in the formula.
    """

    def __init__(self, model: PositionalModel, builder: AigBuilder, hero: Player) -> None:
        self.builder = builder
        self._taken = frozenset(model.names(model.black | model.white))
        self._claims: dict[str, list[int]] = {}

    def _open(self, ply: Ply) -> list[int]:
        return [
            FALSE if name in self._taken else self.builder.or_all(self._claims.get(name, ())) ^ 1
            for name in ply.moves
        ]

    def fallback(self, ply: Ply) -> Sequence[int]:
        return first_true(self.builder, self._open(ply))

    def replaced(self, ply: Ply, made: Sequence[int]) -> Sequence[int]:
        is_open = self._open(ply)
        right = [self.builder.and_(a, b) for a, b in zip(made, is_open, strict=True)]
        wrong = self.builder.or_all(right) ^ 1
        return [
            self.builder.or_(a, self.builder.and_(wrong, b))
            for a, b in zip(right, first_true(self.builder, is_open), strict=True)
        ]

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        for name, literal in zip(ply.moves, played.made, strict=True):
            if literal != FALSE:
                self._claims.setdefault(name, []).append(literal)
