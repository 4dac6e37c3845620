"""The typed model of BDDL: domains, problems, conditions (paper, Definitions 1 to 3).

The model says what was written, not what it means: the rules (``rules.py``) and the encodings each
read it on their own, because one is what the other is checked against.  The printed form parses
back to the same model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from hashlib import sha256
from typing import ClassVar

from qsage_validate.formats.source import Place
from qsage_validate.games.protocol import Player, Square


class Anchor(Enum):
    """The reference point of a coordinate."""

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


def condition_text(condition: Condition) -> str:
    """The sub-conditions in parentheses, as in the grammar of Listings 1 to 3."""
    return f"({' '.join(map(str, condition))})"


@dataclass(frozen=True, slots=True)
class Action:
    """A named action with its precondition and effect, both conjunctions."""

    name: str
    precondition: Condition
    effect: Condition
    place: Place | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return (
            f":action {self.name}\n:parameters (?x,?y)\n"
            f":precondition {condition_text(self.precondition)}\n"
            f":effect {condition_text(self.effect)}\n"
        )


@dataclass(frozen=True, slots=True)
class Domain:
    """The actions of both players, in the order of the file."""

    black_actions: tuple[Action, ...]
    white_actions: tuple[Action, ...]

    def actions(self, player: Player) -> tuple[Action, ...]:
        return self.black_actions if player is Player.BLACK else self.white_actions

    def __str__(self) -> str:
        lines: list[str] = []
        for player in Player:
            lines += [f"#{player.value}actions\n", *map(str, self.actions(player))]
        return "".join(lines)

    def __repr__(self) -> str:
        return f"<Domain: {len(self.black_actions)} and {len(self.white_actions)} actions>"


@dataclass(frozen=True, slots=True)
class ProblemPlaces:
    """The places of a problem's parts in its file, for messages.

    ``initial`` and the goals have one place an entry, in the order of the problem's fields.
    """

    size: Place
    depth: Place
    initial: tuple[Place, ...]
    black_goals: tuple[Place, ...]
    white_goals: tuple[Place, ...]

    def goals(self, player: Player) -> tuple[Place, ...]:
        return self.black_goals if player is Player.BLACK else self.white_goals


@dataclass(frozen=True, slots=True)
class BddlProblem:
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
        return self.depth if self.first_player is Player.BLACK else self.depth - 1

    def goals(self, player: Player) -> tuple[Condition, ...]:
        return self.black_goals if player is Player.BLACK else self.white_goals

    def __str__(self) -> str:
        pieces = " ".join(f"{s.name.lower()}({x},{y})" for s, x, y in self.initial)
        lines = ["#boardsize", f"{self.width} {self.height}", "#init"]
        lines += [f"({pieces})"] if pieces else []
        lines += ["#depth", str(self.depth)]
        for player in Player:
            lines += [f"#{player.value}goals", *map(condition_text, self.goals(player))]
        if self.first_player is Player.WHITE:
            lines += ["#blackturn", "second"]
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        return f"<BddlProblem {self.width}x{self.height}, depth {self.depth}>"


@dataclass(frozen=True, slots=True)
class Model:
    """A domain with a problem, and a name for people."""

    language: ClassVar[str] = "bddl"

    domain: Domain
    problem: BddlProblem
    name: str = "game"

    def player_at(self, ply: int) -> Player:
        """The player who makes the ply ``ply`` (counted from 1)."""
        first = self.problem.first_player
        return first if ply % 2 else first.other

    @property
    def in_words(self) -> str:
        """The kind of the game and its size."""
        return f"{self.problem.width}x{self.problem.height} grid game"

    @property
    def squares(self) -> int:
        return self.problem.width * self.problem.height

    @property
    def question(self) -> Mapping[str, object]:
        """Nothing: Black's win is asked for."""
        return {}

    @property
    def depth(self) -> int:
        """The number behind ``#depth``."""
        return self.problem.depth

    @property
    def plies(self) -> int:
        return self.problem.plies

    def at_depth(self, depth: int) -> Model:
        return replace(self, problem=replace(self.problem, depth=depth))

    def at_plies(self, plies: int) -> Model:
        """The same game with so many plies (see ``BddlProblem.plies``)."""
        return self.at_depth(plies + self.depth - self.plies)

    def parts(self) -> dict[str, str]:
        """The name, and the texts of both files."""
        domain, problem = str(self.domain).rstrip("\n"), str(self.problem).rstrip("\n")
        return {"name": self.name, "domain": domain, "problem": problem}

    def fingerprint(self) -> str:
        """The digest of both files at depth 1."""
        text = f"{self.domain}{self.at_depth(1).problem}"
        return sha256(text.encode()).hexdigest()

    def __repr__(self) -> str:
        return f"<Model {self.name}, depth {self.depth}>"
