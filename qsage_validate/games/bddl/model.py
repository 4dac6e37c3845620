"""The typed model of BDDL: domains, problems, conditions (paper, Definitions 1 to 3).

The model says what was written, not what it means: the rules (``rules.py``) and the encodings
each read it on their own, because one is what the other is checked against.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from qsage_validate.games.protocol import Player, Square


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a file; line and column count from 1."""

    file: str | None
    line: int
    column: int


class Anchor(Enum):
    """What a coordinate is measured from."""

    PARAMETER = "parameter"
    MINIMUM = "min"
    MAXIMUM = "max"
    ABSOLUTE = "absolute"


@dataclass(frozen=True, slots=True)
class Coordinate:
    """``?x + offset``, ``xmin``, ``xmax`` or the integer ``offset`` (1-based)."""

    anchor: Anchor
    offset: int = 0

    def at(self, parameter: int, size: int) -> int:
        """The value, 1-based and unchecked, for a parameter value on an axis of ``size``."""
        match self.anchor:
            case Anchor.PARAMETER:
                return parameter + self.offset
            case Anchor.MINIMUM:
                return 1
            case Anchor.MAXIMUM:
                return size
            case Anchor.ABSOLUTE:
                return self.offset

    def text(self, axis: str) -> str:
        """The source text, ``axis`` being ``"x"`` or ``"y"``."""
        match self.anchor:
            case Anchor.PARAMETER:
                return f"?{axis}{self.offset:+d}" if self.offset else f"?{axis}"
            case Anchor.MINIMUM:
                return f"{axis}min"
            case Anchor.MAXIMUM:
                return f"{axis}max"
            case Anchor.ABSOLUTE:
                return str(self.offset)


@dataclass(frozen=True, slots=True)
class SubCondition:
    """``predicate(x, y)`` or its negation; the predicate says what stands on the square."""

    predicate: Square
    x: Coordinate
    y: Coordinate
    negated: bool = False
    place: Place | None = field(default=None, compare=False)

    def __str__(self) -> str:
        atom = f"{self.predicate.name.lower()}({self.x.text('x')},{self.y.text('y')})"
        return f"NOT({atom})" if self.negated else atom


Condition = tuple[SubCondition, ...]


@dataclass(frozen=True, slots=True)
class Action:
    """A named action with its precondition and effect, both conjunctions."""

    name: str
    precondition: Condition
    effect: Condition
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Domain:
    """The actions of both players, in the order of the file."""

    black_actions: tuple[Action, ...]
    white_actions: tuple[Action, ...]

    def actions(self, player: Player) -> tuple[Action, ...]:
        """The actions of one player."""
        return self.black_actions if player is Player.BLACK else self.white_actions


@dataclass(frozen=True, slots=True)
class ProblemPlaces:
    """Where the parts of a problem stand in its file, for messages.

    ``initial`` and the goals have one place an entry, in the order of the problem's fields.
    """

    size: Place
    depth: Place
    initial: tuple[Place, ...]
    black_goals: tuple[Place, ...]
    white_goals: tuple[Place, ...]

    def goals(self, player: Player) -> tuple[Place, ...]:
        """The places of one player's goals."""
        return self.black_goals if player is Player.BLACK else self.white_goals


@dataclass(frozen=True, slots=True)
class Problem:
    """A game instance.

    ``initial`` maps nothing that is open; ``depth`` is the number behind ``#depth``: with
    ``#blackturn second`` Black's first move is dropped, so there are ``depth - 1`` plies and
    White makes the first.  ``False`` as a goal is the empty set of goals.
    """

    width: int
    height: int
    initial: tuple[tuple[Square, int, int], ...]
    depth: int
    black_goals: tuple[Condition, ...]
    white_goals: tuple[Condition, ...]
    first_player: Player = Player.BLACK
    places: ProblemPlaces | None = field(default=None, compare=False, repr=False)

    @property
    def plies(self) -> int:
        """The number of plies of a play."""
        return self.depth if self.first_player is Player.BLACK else self.depth - 1

    def goals(self, player: Player) -> tuple[Condition, ...]:
        """The goals of one player."""
        return self.black_goals if player is Player.BLACK else self.white_goals


@dataclass(frozen=True, slots=True)
class Model:
    """A domain with a problem, and a name for people."""

    domain: Domain
    problem: Problem
    name: str = "game"

    def player_at(self, ply: int) -> Player:
        """Who makes the ply ``ply`` (from 1)."""
        first = self.problem.first_player
        return first if ply % 2 else first.other
