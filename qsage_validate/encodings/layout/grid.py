"""The layout of an encoding: what its variables and gates mean in the game.

Bit vectors are tuples of signed literals, most significant bit first.  Coordinates and action
numbers are 0-based in the bits and 1-based in what a person reads.  Plies count from 1; state
``t`` is the board before ply ``t + 1``, so ``states[0]`` is the initial board.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from qsage_validate.games.protocol import Player, Square

Bits = tuple[int, ...]


class StateCode(Enum):
    """What the two state variables of a step mean."""

    OPEN_WHITE = "open white"
    OCCUPIED_WHITE = "occupied white"

    def decode(self, first: bool, second: bool) -> Square:
        """The content of the square that the two values stand for."""
        is_open = first if self is StateCode.OPEN_WHITE else not first
        if is_open:
            return Square.OPEN
        return Square.WHITE if second else Square.BLACK

    def encode(self, square: Square) -> tuple[bool, bool | None]:
        """The two values for ``square``; ``None`` where the second means nothing."""
        is_open = square is Square.OPEN
        second = None if is_open else square is Square.WHITE
        return is_open == (self is StateCode.OPEN_WHITE), second


@dataclass(frozen=True, slots=True)
class MoveVariables:
    """The variables of one ply.

    ``stop`` is the game-stop variable (``None`` where there is none, always at the last ply).
    """

    ply: int
    player: Player
    action: Bits
    x: Bits
    y: Bits
    stop: int | None = None

    @property
    def literals(self) -> Bits:
        """Action, x and y bits in a row, without the stop variable."""
        return self.action + self.x + self.y

    @property
    def variables(self) -> Bits:
        """The same, under the name that tables of moves have for it."""
        return self.literals


@dataclass(frozen=True, slots=True)
class Indicators:
    """The indicators of a White ply: the move is legal when all of these literals are true.

    ``bounds`` says that action and coordinates are legal (Table 1's *lb*; ``None`` where every
    value of the bits is); ``preconditions[k]`` that the k-th precondition of the chosen action
    holds (*P*).
    """

    ply: int
    bounds: int | None
    preconditions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SymbolicBoard:
    """A board that is read square by square: fix ``x`` and ``y``, read the state literals.

    ``states[t]`` are the two literals of state ``t``, read by ``code``.
    """

    x: Bits
    y: Bits
    states: tuple[tuple[int, int], ...]
    code: StateCode


@dataclass(frozen=True, slots=True)
class GoalVariables:
    """Where Black claims a goal and where White's is refuted (the paper's B and W variables)."""

    black_condition: Bits = ()
    black_x: Bits = ()
    black_y: Bits = ()
    white_condition: Bits = ()
    white_x: Bits = ()
    white_y: Bits = ()
    counterexample: Bits = ()


@dataclass(frozen=True)
class Layout:
    """What the variables of a formula mean.

    ``gates`` names intermediate literals (``"white 2 legal"``, ``"black 1 move"``, …) for
    people and for checks; ``verdict`` is the literal that is true when the certificate's side
    has won (usually the output); ``indicators`` may be empty when a foreign formula does not
    say.  ``model`` is the text of the game's model when the file carries it.
    """

    width: int
    height: int
    moves: tuple[MoveVariables, ...]
    board: SymbolicBoard
    black_actions: tuple[str, ...]
    white_actions: tuple[str, ...]
    indicators: tuple[Indicators, ...] = ()
    goals: GoalVariables = GoalVariables()
    verdict: int | None = None
    gates: Mapping[str, int] = field(default_factory=dict)
    encoding: str = "unknown"
    game: str = "bddl"
    model: Mapping[str, str] = field(default_factory=dict)
    source: str = "layout comments"

    @property
    def plies(self) -> int:
        """The number of plies."""
        return len(self.moves)

    def actions(self, player: Player) -> tuple[str, ...]:
        """The action names of a player, in the order of their numbers."""
        return self.black_actions if player is Player.BLACK else self.white_actions

    def indicator(self, ply: int) -> Indicators | None:
        """The indicators of a White ply."""
        return next((i for i in self.indicators if i.ply == ply), None)


def value_bits(value: int, width: int) -> tuple[bool, ...]:
    """``value`` as ``width`` bits, most significant first."""
    return tuple(bool(value >> k & 1) for k in range(width - 1, -1, -1))


def bits_value(bits: tuple[bool, ...]) -> int:
    """The number that ``bits`` stand for, most significant first."""
    value = 0
    for bit in bits:
        value = 2 * value + bit
    return value
