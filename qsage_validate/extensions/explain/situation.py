"""Situations of a game as a player sees them, and the questions that are asked of them.

A rule for people speaks of the board and of what was just played, so a situation is a position
with these.  Its facts are worked out from the rules when they are asked for, and kept.

:class:`Words` are what questions and answers are made of, so that they can be said in other
languages.  A question says of itself which of these words it is, and a language (Python, circuits)
says what each word means there.  A new word is one method here, and one in each language.

A question has a text for people, which is also how the tests' reader of explanations knows it,
and a formal name, which the language of predicates reads (``language.py``).  Squares are named
as the board names them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

from qsage_validate.games.protocol import (
    BoardPicture,
    Move,
    Player,
    Position,
    Square,
    TwoPlayerGame,
)

# The situation of a player to move: the position, and the last moves of both players


Place = tuple[int, int]
"""A square, 1-based (x, y), y downwards."""


def places(board: BoardPicture) -> list[Place]:
    """The squares of a board in reading order."""
    return [(x, y) for y in range(1, board.height + 1) for x in range(1, board.width + 1)]


OWN: Final = {Player.BLACK: Square.BLACK, Player.WHITE: Square.WHITE}


@dataclass(frozen=True, slots=True)
class Made:
    """A move that was made: its text, the square that it came to, and the one that it left.

    ``to`` is the first square, in reading order, that has become the mover's; ``None`` where the
    board does not show one.
    """

    text: str
    to: Place | None
    off: Place | None

    @property
    def kind(self) -> str:
        """The name of the action: ``occupy`` of ``occupy(2,3)``."""
        return self.text.partition("(")[0]


def made(
    game: TwoPlayerGame, before: BoardPicture, move: Move, after: BoardPicture, mover: Player
) -> Made:
    own, text = OWN[mover], str(move)
    to = off = None
    if (before.width, before.height) == (after.width, after.height):
        for place in before.differences(after):
            if after[place] is own and to is None:
                to = place
            elif before[place] is own and off is None:
                off = place
    return Made(text, to or game.square_of(text), off)


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move with what it leads to."""

    move: Move
    made: Made
    after: Position
    captures: bool

    def won_by(self, player: Player) -> bool:
        """True if the move ends the play with a win of ``player``."""
        return self.after.outcome is not None and self.after.outcome.winner is player


@dataclass(frozen=True)
class Situation:
    """A position in which ``hero`` is to move, with the last moves of both.

    Two of them are equal where positions and last moves are.
    """

    game: TwoPlayerGame
    position: Position
    theirs: Made | None
    ours: Made | None

    def __hash__(self) -> int:
        return hash((self.position, self.theirs, self.ours))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Situation):
            return NotImplemented
        return (self.position, self.theirs, self.ours) == (
            other.position,
            other.theirs,
            other.ours,
        )

    @property
    def hero(self) -> Player:
        return self.position.to_move

    @cached_property
    def board(self) -> BoardPicture:
        return self.position.board

    def at(self, place: Place) -> Square | None:
        """What stands on a square; ``None`` beyond the edge."""
        board, (x, y) = self.board, place
        return board[x, y] if 1 <= x <= board.width and 1 <= y <= board.height else None

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The legal moves in reading order of the squares that they come to."""
        found, foe = list[Choice](), OWN[self.hero.other]
        stones = self.board.squares.count(foe)
        for move in self.position.legal_moves():
            after = self.position.after(move)
            board = after.board
            shown = made(self.game, self.board, move, board, self.hero)
            found.append(Choice(move, shown, after, board.squares.count(foe) < stones))
        return tuple(sorted(found, key=_reading_order))

    @cached_property
    def _by_text(self) -> dict[str, Choice]:
        return {choice.made.text: choice for choice in self.choices}

    def choice(self, text: str) -> Choice | None:
        """The legal move of this text."""
        return self._by_text.get(text)

    def choice_to(self, place: Place) -> Choice | None:
        """The first legal move to a square."""
        return self._to.get(place)

    @cached_property
    def _to(self) -> dict[Place, Choice]:
        found: dict[Place, Choice] = {}
        for choice in self.choices:
            if choice.made.to is not None:
                found.setdefault(choice.made.to, choice)
        return found

    # -- what the moves do ----------------------------------------------------------------------

    @cached_property
    def wins(self) -> tuple[Choice, ...]:
        """The moves that win at once."""
        return tuple(choice for choice in self.choices if choice.won_by(self.hero))

    @cached_property
    def safe(self) -> tuple[Choice, ...]:
        """The moves after which the opponent cannot win at once."""
        return tuple(choice for choice in self.choices if self._is_safe(choice))

    def _is_safe(self, choice: Choice) -> bool:
        foe, after = self.hero.other, choice.after
        if after.outcome is not None:
            return after.outcome.winner is self.hero
        if after.to_move is not foe:
            return True
        return not any(_won(after.after(move), foe) for move in after.legal_moves())

    @cached_property
    def decisive(self) -> tuple[Choice, ...]:
        """The moves that win at once, or at the next turn whatever is played."""
        return tuple(choice for choice in self.choices if self._is_decisive(choice))

    def _is_decisive(self, choice: Choice) -> bool:
        if choice.after.outcome is not None:
            return choice.after.outcome.winner is self.hero
        return all(
            _won(reply, self.hero) if reply.outcome is not None else _can_win(reply, self.hero)
            for reply in (choice.after.after(move) for move in choice.after.legal_moves())
        )

    # -- going on -------------------------------------------------------------------------------

    def after(self, choice: Choice) -> Iterator[Situation]:
        """The situations after a move and each answer to it, where the play goes on."""
        yield from _until(self.game, choice.after, self.theirs, choice.made, self.hero)


def _reading_order(choice: Choice) -> tuple[Place, Place, str]:
    to, off = choice.made.to or (0, 0), choice.made.off or (0, 0)
    return to[::-1], off[::-1], choice.made.text


def _won(position: Position, player: Player) -> bool:
    return position.outcome is not None and position.outcome.winner is player


def _can_win(position: Position, player: Player) -> bool:
    if position.to_move is not player:
        return False
    return any(_won(position.after(move), player) for move in position.legal_moves())


def _until(
    game: TwoPlayerGame, position: Position, theirs: Made | None, ours: Made | None, hero: Player
) -> Iterator[Situation]:
    """The situations of the hero's that come next."""
    if position.outcome is not None:
        return
    if position.to_move is hero:
        yield Situation(game, position, theirs, ours)
        return
    board = position.board
    for move in position.legal_moves():
        after = position.after(move)
        shown = made(game, board, move, after.board, hero.other)
        yield from _until(game, after, shown, ours, hero)


def first_situations(game: TwoPlayerGame, hero: Player) -> tuple[Situation, ...]:
    return tuple(_until(game, game.initial, None, None, hero))


Q = TypeVar("Q")
A = TypeVar("A")


class Words(ABC, Generic[Q, A]):
    """A language: ``Q`` is what a question is in it, and ``A`` an answer.

    ``theirs`` tells the opponent's last move from one's own.
    """

    @abstractmethod
    def stands(self, place: Place, what: Square) -> Q:
        """The content of a square."""

    @abstractmethod
    def went(self, theirs: bool, place: Place) -> Q:
        """The last move went to one square."""

    @abstractmethod
    def went_in(self, theirs: bool, region: str, number: int) -> Q:
        """The last move went to a region (see ``questions.in_region``)."""

    @abstractmethod
    def was(self, theirs: bool, kind: str) -> Q:
        """The last move was of a kind."""

    @abstractmethod
    def beside(self, theirs: bool, shift: Place, what: Square | None) -> Q:
        """The content of the square at an offset from a last move; ``None`` beyond the edge."""

    @abstractmethod
    def apart(self, shift: Place) -> Q:
        """The opponent's last move is so far from one's own."""

    @abstractmethod
    def related(self, relation: str) -> Q:
        """How the opponent's last move lies to one's own (see ``questions.is_related``)."""

    @abstractmethod
    def by_ply(self, ply: int) -> Q:
        """The number of the ply is so many or less."""

    @abstractmethod
    def threatened(self) -> Q:
        """Some move lets the opponent win at once."""

    @abstractmethod
    def odd(self) -> Q:
        """The number of open squares is odd."""

    @abstractmethod
    def ahead(self, player: Player, by: int) -> Q:
        """A player has so many stones more, or still more."""

    @abstractmethod
    def possible(self, answer: A) -> Q:
        """An answer can be followed."""

    @abstractmethod
    def joined(self, word: str, parts: Sequence[Q]) -> Q:
        """Questions joined by ``and`` or ``or``, or the one denied by ``not``."""

    @abstractmethod
    def exactly(self, text: str) -> A:
        """The move of this text."""

    @abstractmethod
    def shifted(self, theirs: bool, shift: Place) -> A:
        """The first move to the square so far from a last move."""

    @abstractmethod
    def first_of(self, cases: Sequence[tuple[Q, A]]) -> A:
        """The answer of the first case whose question holds."""

    @abstractmethod
    def mapped(self, squares: Mapping[Place, Place]) -> A:
        """The first move to the image of the square of the opponent's last move."""

    @abstractmethod
    def pick(self, quality: str, kind: str, last: bool) -> A:
        """The first or last move with a quality (see ``answers.QUALITIES``), of a kind or any."""


# Questions about a situation: the predicates of the decision trees


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
