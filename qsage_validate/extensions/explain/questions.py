"""Questions about a situation: the predicates of the decision trees.

A question has a text for people, which is also how the tests' reader of explanations knows it,
and a formal name, which the language of predicates reads (``language.py``).  Squares are named
as the board names them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Final

from qsage_validate.extensions.explain.situation import (
    OWN,
    Made,
    Place,
    Q,
    Situation,
    Words,
    places,
)
from qsage_validate.games.protocol import BoardPicture, Player, Square, TwoPlayerGame

WORDS: Final = {Square.OPEN: "open", Square.BLACK: "black", Square.WHITE: "white"}


class Question(ABC):
    """A predicate of situations; ``str`` is its text for people, without a question mark."""

    __slots__ = ()

    @abstractmethod
    def holds(self, at: Situation) -> bool: ...

    @abstractmethod
    def said(self, words: Words[Q, Any]) -> Q: ...

    @property
    @abstractmethod
    def formal(self) -> str:
        """The predicate in the language of predicates."""


@dataclass(frozen=True, slots=True)
class Stands(Question):
    """The content of a square."""

    place: Place
    what: Square
    name: str

    def holds(self, at: Situation) -> bool:
        return at.at(self.place) is self.what

    def said(self, words: Words[Q, Any]) -> Q:
        return words.stands(self.place, self.what)

    @property
    def formal(self) -> str:
        return f"{WORDS[self.what]}({self.place[0]},{self.place[1]})"

    def __str__(self) -> str:
        return f"{self.name} is {WORDS[self.what]}"


@dataclass(frozen=True, slots=True)
class Last:
    """A last move to speak of: the opponent's, or one's own."""

    theirs: bool
    hero: Player

    def of(self, at: Situation) -> Made | None:
        """The move, if one was made."""
        return at.theirs if self.theirs else at.ours

    @property
    def formal(self) -> str:
        """``theirs`` or ``ours``."""
        return "theirs" if self.theirs else "ours"

    def __str__(self) -> str:
        return f"{(self.hero.other if self.theirs else self.hero)}'s last move"


@dataclass(frozen=True, slots=True)
class MovedTo(Question):
    """The last move of a player went to one square."""

    last: Last
    place: Place
    name: str

    def holds(self, at: Situation) -> bool:
        move = self.last.of(at)
        return move is not None and move.to == self.place

    def said(self, words: Words[Q, Any]) -> Q:
        return words.went(self.last.theirs, self.place)

    @property
    def formal(self) -> str:
        return f"{self.last.formal} at ({self.place[0]},{self.place[1]})"

    def __str__(self) -> str:
        return f"{self.last} was to {self.name}"


@dataclass(frozen=True, slots=True)
class WentIn(Question):
    """The last move of a player went to a region: a row, a column, a half, the edge."""

    last: Last
    region: str
    number: int = 0

    def holds(self, at: Situation) -> bool:
        move = self.last.of(at)
        if move is None or move.to is None:
            return False
        return in_region(self.region, self.number, move.to, at.board)

    def said(self, words: Words[Q, Any]) -> Q:
        return words.went_in(self.last.theirs, self.region, self.number)

    @property
    def formal(self) -> str:
        number = f"({self.number})" if self.number else ""
        return f"{self.last.formal} in {self.region}{number}"

    def __str__(self) -> str:
        return f"{self.last} was in {region_text(self.region, self.number)}"


@dataclass(frozen=True, slots=True)
class WentLike(Question):
    """The last move of a player went to one of the squares that symmetries of the game exchange."""

    last: Last
    alike: tuple[Place, ...]
    names: tuple[str, ...]

    def holds(self, at: Situation) -> bool:
        move = self.last.of(at)
        return move is not None and move.to in self.alike

    def said(self, words: Words[Q, Any]) -> Q:
        return words.joined("or", [words.went(self.last.theirs, place) for place in self.alike])

    @property
    def formal(self) -> str:
        x, y = self.alike[0]
        return f"{self.last.formal} like ({x},{y})"

    def __str__(self) -> str:
        *others, final = self.names
        return f"{self.last} was to {', '.join(others)}{' or ' if others else ''}{final}"


REGIONS: Final = ("left", "right", "top", "bottom", "edge", "corner", "dark")


def classes_of(game: TwoPlayerGame) -> list[tuple[Place, ...]]:
    """The squares that symmetries of the rules exchange, in reading order; each with itself."""
    found: list[tuple[Place, ...]] = []
    maps = [symmetry.squares for symmetry in game.symmetries()]
    for place in places(game.initial.board):
        if not any(place in known for known in found):
            orbit = {place}
            waiting = [place]
            while waiting:
                one = waiting.pop()
                new = {squares[one] for squares in maps} - orbit
                orbit |= new
                waiting += new
            found.append(tuple(sorted(orbit, key=lambda p: p[::-1])))
    return found


def in_region(region: str, number: int, place: Place, board: BoardPicture) -> bool:
    """True if a square lies in a region of a board; halves leave out the line in the middle."""
    (x, y), width, height = place, board.width, board.height
    sides = (x in (1, width)) + (y in (1, height))
    return {
        "row": y == number,
        "column": x == number,
        "left": 2 * x < width + 1,
        "right": 2 * x > width + 1,
        "top": 2 * y < height + 1,
        "bottom": 2 * y > height + 1,
        "edge": sides > 0,
        "corner": sides > 1,
        "dark": (x + y) % 2 == 0,
    }[region]


def region_text(region: str, number: int) -> str:
    if number:
        return f"{region} {number}"
    return {
        "edge": "a square of the edge",
        "corner": "a corner",
        "dark": "a square of the colour of (1,1)",
    }.get(region, f"the {region} half")


@dataclass(frozen=True, slots=True)
class MovedByKind(Question):
    """The last move of a player was of a kind."""

    last: Last
    kind: str

    def holds(self, at: Situation) -> bool:
        move = self.last.of(at)
        return move is not None and move.kind == self.kind

    def said(self, words: Words[Q, Any]) -> Q:
        return words.was(self.last.theirs, self.kind)

    @property
    def formal(self) -> str:
        return f"{self.last.formal} is {self.kind}"

    def __str__(self) -> str:
        return f"{self.last} was a '{self.kind}'"


def shift_text(shift: Place) -> str:
    """A shift in words: ``1 right and 2 down``."""
    dx, dy = shift
    parts = []
    if dx:
        parts.append(f"{abs(dx)} {'right' if dx > 0 else 'left'}")
    if dy:
        parts.append(f"{abs(dy)} {'down' if dy > 0 else 'up'}")
    return " and ".join(parts)


def shift_formal(shift: Place) -> str:
    """A shift in the language of predicates: ``(+1,-2)``."""
    return f"({shift[0]:+d},{shift[1]:+d})"


def shifted(place: Place, shift: Place) -> Place:
    """The square so far to the right and down."""
    return place[0] + shift[0], place[1] + shift[1]


@dataclass(frozen=True, slots=True)
class Beside(Question):
    """The content of the square at an offset from a last move; ``None`` asks for the edge."""

    last: Last
    shift: Place
    what: Square | None

    def holds(self, at: Situation) -> bool:
        move = self.last.of(at)
        if move is None or move.to is None:
            return False
        return at.at(shifted(move.to, self.shift)) is self.what

    def said(self, words: Words[Q, Any]) -> Q:
        return words.beside(self.last.theirs, self.shift, self.what)

    @property
    def formal(self) -> str:
        what = "off" if self.what is None else WORDS[self.what]
        return f"{what} {shift_formal(self.shift)} of {self.last.formal}"

    def __str__(self) -> str:
        what = "beyond the edge" if self.what is None else WORDS[self.what]
        return f"the square {shift_text(self.shift)} of {self.last} is {what}"


@dataclass(frozen=True, slots=True)
class Apart(Question):
    """The opponent's last move seen from one's own: a shift."""

    shift: Place
    hero: Player

    def holds(self, at: Situation) -> bool:
        move, own = at.theirs, at.ours
        if move is None or own is None or move.to is None or own.to is None:
            return False
        return shifted(own.to, self.shift) == move.to

    def said(self, words: Words[Q, Any]) -> Q:
        return words.apart(self.shift)

    @property
    def formal(self) -> str:
        return f"theirs {shift_formal(self.shift)} of ours"

    def __str__(self) -> str:
        foe, hero = self.hero.other, self.hero
        return f"{foe}'s last move was {shift_text(self.shift)} of {hero}'s last move"


RELATIONS: Final = {
    "row": "in the row of",
    "column": "in the column of",
    "diagonal": "on a diagonal of",
    "touching": "next to",
    "above": "above",
    "left": "to the left of",
}


def is_related(relation: str, place: Place, other: Place) -> bool:
    """True if a square lies to another one as a relation says."""
    dx, dy = place[0] - other[0], place[1] - other[1]
    return {
        "row": dy == 0,
        "column": dx == 0,
        "diagonal": abs(dx) == abs(dy),
        "touching": max(abs(dx), abs(dy)) == 1,
        "above": dy < 0,
        "left": dx < 0,
    }[relation]


@dataclass(frozen=True, slots=True)
class Related(Question):
    """How the opponent's last move lies to one's own."""

    relation: str
    hero: Player

    def holds(self, at: Situation) -> bool:
        move, own = at.theirs, at.ours
        if move is None or own is None or move.to is None or own.to is None:
            return False
        return is_related(self.relation, move.to, own.to)

    def said(self, words: Words[Q, Any]) -> Q:
        return words.related(self.relation)

    @property
    def formal(self) -> str:
        return f"theirs {self.relation} ours"

    def __str__(self) -> str:
        foe, hero = self.hero.other, self.hero
        return f"{foe}'s last move was {RELATIONS[self.relation]} {hero}'s last move"


@dataclass(frozen=True, slots=True)
class PlyAtMost(Question):
    """The number of the ply is so many or less."""

    ply: int
    turn: int
    hero: Player

    def holds(self, at: Situation) -> bool:
        return at.position.ply <= self.ply

    def said(self, words: Words[Q, Any]) -> Q:
        return words.by_ply(self.ply)

    @property
    def formal(self) -> str:
        return f"ply <= {self.ply}"

    def __str__(self) -> str:
        if self.turn == 1:
            return f"it is {self.hero}'s first move"
        return f"it is one of {self.hero}'s first {self.turn} moves"


@dataclass(frozen=True, slots=True)
class Threatened(Question):
    """Some move lets the opponent win at once."""

    hero: Player

    def holds(self, at: Situation) -> bool:
        return len(at.safe) < len(at.choices)

    def said(self, words: Words[Q, Any]) -> Q:
        return words.threatened()

    @property
    def formal(self) -> str:
        return "threatened"

    def __str__(self) -> str:
        return f"some move of {self.hero}'s lets {self.hero.other} win at once"


@dataclass(frozen=True, slots=True)
class Odd(Question):
    """The number of open squares is odd."""

    def holds(self, at: Situation) -> bool:
        return at.board.squares.count(Square.OPEN) % 2 == 1

    def said(self, words: Words[Q, Any]) -> Q:
        return words.odd()

    @property
    def formal(self) -> str:
        return "odd open"

    def __str__(self) -> str:
        return "the number of open squares is odd"


@dataclass(frozen=True, slots=True)
class Ahead(Question):
    """One side has more stones, by so many or more."""

    player: Player
    by: int

    def holds(self, at: Situation) -> bool:
        squares = at.board.squares
        own, foe = OWN[self.player], OWN[self.player.other]
        return squares.count(own) - squares.count(foe) >= self.by

    def said(self, words: Words[Q, Any]) -> Q:
        return words.ahead(self.player, self.by)

    @property
    def formal(self) -> str:
        return f"ahead({str(self.player).lower()},{self.by})"

    def __str__(self) -> str:
        return f"{self.player} has at least {self.by} stones more than {self.player.other}"
