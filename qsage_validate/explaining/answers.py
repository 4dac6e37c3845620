"""Answers: what a leaf of a decision tree plays.

An answer names one legal move of a situation, or none where it cannot be followed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from qsage_validate.explaining.questions import (
    Last,
    Question,
    shift_formal,
    shift_text,
    shifted,
)
from qsage_validate.explaining.situation import OWN, Choice, Place, Situation, places
from qsage_validate.explaining.words import A, Q, Words
from qsage_validate.games.goals import NEIGHBOURS
from qsage_validate.games.protocol import Board, Player, Shape, Square, board_maps


class Answer(ABC):
    """A move in words; ``str`` is an instruction for people."""

    __slots__ = ()

    @abstractmethod
    def choose(self, at: Situation) -> Choice | None:
        """The legal move, or ``None`` where there is no such move."""

    @abstractmethod
    def said(self, words: Words[Any, A]) -> A:
        """The answer in another language."""

    @property
    @abstractmethod
    def formal(self) -> str:
        """The answer in the language of predicates."""


@dataclass(frozen=True, slots=True)
class Possible(Question):
    """An answer can be followed."""

    answer: Answer
    text: str

    def holds(self, at: Situation) -> bool:
        return self.answer.choose(at) is not None

    def said(self, words: Words[Q, Any]) -> Q:
        return words.possible(self.answer.said(words))

    @property
    def formal(self) -> str:
        return f"can {self.answer.formal}"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Exactly(Answer):
    """One move by its text."""

    text: str

    def choose(self, at: Situation) -> Choice | None:
        return at.choice(self.text)

    def said(self, words: Words[Any, A]) -> A:
        return words.exactly(self.text)

    @property
    def formal(self) -> str:
        return f"play {self.text}"

    def __str__(self) -> str:
        return f"play {self.text}"


@dataclass(frozen=True, slots=True)
class From(Answer):
    """The square so far from a last move."""

    last: Last
    shift: Place

    def choose(self, at: Situation) -> Choice | None:
        move = self.last.of(at)
        if move is None or move.to is None:
            return None
        return at.choice_to(shifted(move.to, self.shift))

    def said(self, words: Words[Any, A]) -> A:
        return words.shifted(self.last.theirs, self.shift)

    @property
    def formal(self) -> str:
        return f"play {shift_formal(self.shift)} of {self.last.formal}"

    def __str__(self) -> str:
        return f"play {shift_text(self.shift)} of {self.last}"


MIRRORS: Final = {
    "left-right": "the mirror image, left for right, of",
    "up-down": "the mirror image, top for bottom, of",
    "half turn": "the image under a half turn of",
    "diagonal": "the mirror image in the diagonal through (1,1) of",
    "antidiagonal": "the mirror image in the other diagonal of",
    "quarter turn": "the image under a quarter turn of",
    "three-quarter turn": "the image under a three-quarter turn of",
}


@dataclass(frozen=True)
class Mapped(Answer):
    """The square to which a map of squares takes the opponent's last move."""

    images: Mapping[Place, Place] = field(compare=False, repr=False)
    hero: Player

    def choose(self, at: Situation) -> Choice | None:
        if at.theirs is None or at.theirs.to is None:
            return None
        image = self.images.get(at.theirs.to)
        return None if image is None else at.choice_to(image)

    def said(self, words: Words[Any, A]) -> A:
        return words.mapped(self.images)


@dataclass(frozen=True)
class Mirrored(Mapped):
    """The image of the opponent's last move under a symmetry of the board."""

    symmetry: str

    @property
    def formal(self) -> str:
        return f"play mirror '{self.symmetry}'"

    def __str__(self) -> str:
        return f"play {MIRRORS[self.symmetry]} {self.hero.other}'s last move"


def mirrored(symmetry: str, hero: Player, board: Board) -> Mirrored:
    """The answer by a symmetry of a board, which has it (see ``board_maps``)."""
    image = dict(board_maps(board.width, board.height))[symmetry]
    return Mirrored({place: image(*place) for place in places(board)}, hero, symmetry)


@dataclass(frozen=True)
class Paired(Mapped):
    """The other square of the pair in which the opponent has just played."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def formal(self) -> str:
        return "play pair " + " ".join(f"{one}-{other}" for one, other in self.pairs)

    def __str__(self) -> str:
        pairs = ", ".join(f"{one}-{other}" for one, other in self.pairs)
        return f"play the other square of the pair of {self.hero.other}'s last move: {pairs}"


@dataclass(frozen=True, slots=True)
class Bridged(Answer):
    """The other square of the bridge in which the opponent has just played, in Hex.

    A bridge is two neighbours that touch the same two stones, or a stone and one's own side.
    ``rows`` says that the sides are the first and the last row.
    """

    hero: Player
    rows: bool

    def _ends(self, shift: Place) -> Iterator[tuple[Place, bool]]:
        """The two squares beside a last move and its neighbour, and which may be one's own side.

        A neighbour of the same row has one of these in the row before and one in the row behind.
        """
        beyond = shift[1] == 0 if self.rows else shift[0] == 0
        for near in NEIGHBOURS:
            if (near[0] - shift[0], near[1] - shift[1]) in NEIGHBOURS:
                yield near, beyond

    def choose(self, at: Situation) -> Choice | None:
        if at.theirs is None or at.theirs.to is None:
            return None
        to, own = at.theirs.to, OWN[self.hero]
        for shift in NEIGHBOURS:
            ends = [(at.at(shifted(to, near)), side) for near, side in self._ends(shift)]
            if at.at(shifted(to, shift)) is Square.OPEN and all(
                what is own or (what is None and side) for what, side in ends
            ):
                return at.choice_to(shifted(to, shift))
        return None

    def said(self, words: Words[Any, A]) -> A:
        cases = []
        for shift in NEIGHBOURS:
            asked = [words.beside(True, shift, Square.OPEN)]
            for near, side in self._ends(shift):
                stone = words.beside(True, near, OWN[self.hero])
                edge = [words.beside(True, near, None)] if side else []
                asked.append(words.joined("or", [stone, *edge]) if edge else stone)
            cases.append((words.joined("and", asked), words.shifted(True, shift)))
        return words.first_of(cases)

    @property
    def formal(self) -> str:
        return "play bridge"

    @property
    def question(self) -> Possible:
        """Has the opponent played into a bridge?"""
        return Possible(self, f"{self.hero.other}'s last move is in a bridge of {self.hero}'s")

    def __str__(self) -> str:
        foe, hero = self.hero.other, self.hero
        return (
            f"play the other square of the bridge of {foe}'s last move: an open neighbour that "
            f"touches the same two stones of {hero}'s, or the same stone and {hero}'s side"
        )


def bridged(hero: Player, board: Board) -> Bridged | None:
    """The answer in bridges, on a board of Hex with known sides."""
    if board.shape is not Shape.HEXAGONS or board.top is None:
        return None
    return Bridged(hero, board.top is hero)


def _all(at: Situation) -> tuple[Choice, ...]:
    return at.choices


def _captures(at: Situation) -> tuple[Choice, ...]:
    return tuple(choice for choice in at.choices if choice.captures)


def _safe_captures(at: Situation) -> tuple[Choice, ...]:
    return tuple(choice for choice in at.safe if choice.captures)


def _recaptures(at: Situation) -> tuple[Choice, ...]:
    if at.theirs is None:
        return ()
    return tuple(c for c in at.choices if c.captures and c.made.to == at.theirs.to)


def _same(at: Situation) -> tuple[Choice, ...]:
    if at.ours is None or at.ours.to is None:
        return ()
    return tuple(choice for choice in at.choices if choice.made.off == at.ours.to)


def _other(at: Situation) -> tuple[Choice, ...]:
    if at.ours is None or at.ours.to is None:
        return ()
    return tuple(c for c in at.choices if c.made.off not in (None, at.ours.to))


@dataclass(frozen=True, slots=True)
class Quality:
    """A property of moves: which moves have it, its words, and how many plies it looks ahead."""

    select: Callable[[Situation], tuple[Choice, ...]]
    words: str
    question: str
    lookahead: int = 0


QUALITIES: Final[Mapping[str, Quality]] = {
    "win": Quality(lambda at: at.wins, "that wins at once", "{hero} can win at once", 1),
    "decide": Quality(
        lambda at: at.decisive,
        "after which {hero} can win at the next turn, whatever {foe} plays",
        "{hero} has a move after which {hero} can win at the next turn, whatever {foe} plays",
        3,
    ),
    "safe": Quality(
        lambda at: at.safe,
        "after which {foe} cannot win at once",
        "{hero} has a move after which {foe} cannot win at once",
        2,
    ),
    "capture": Quality(_captures, "that captures", "{hero} can capture"),
    "safe capture": Quality(
        _safe_captures,
        "that captures, and after which {foe} cannot win at once",
        "{hero} has a move that captures, and after which {foe} cannot win at once",
        2,
    ),
    "recapture": Quality(
        _recaptures,
        "that captures the piece that {foe} has just moved",
        "{hero} can capture the piece that {foe} has just moved",
    ),
    "same": Quality(
        _same,
        "of the piece that {hero} moved last",
        "{hero} can move the piece of {hero}'s last move again",
    ),
    "other": Quality(
        _other,
        "of another piece than {hero} moved last",
        "{hero} can move another piece than that of {hero}'s last move",
    ),
    "any": Quality(_all, "", "{hero} can move"),
}


@dataclass(frozen=True, slots=True)
class Pick(Answer):
    """The first move with a property, in the order of the rules, or the last one.

    ``kind`` keeps to moves of one kind; it is empty for all of them.
    """

    quality: str
    kind: str
    hero: Player
    last: bool = False

    def choose(self, at: Situation) -> Choice | None:
        found = QUALITIES[self.quality].select(at)
        for choice in reversed(found) if self.last else found:
            if not self.kind or choice.made.kind == self.kind:
                return choice
        return None

    def said(self, words: Words[Any, A]) -> A:
        return words.pick(self.quality, self.kind, self.last)

    @property
    def formal(self) -> str:
        order = "last" if self.last else "first"
        kind = f" of {self.kind}" if self.kind else ""
        return f"play {order} {self.quality}{kind}"

    def _words(self, text: str) -> str:
        return text.format(hero=self.hero, foe=self.hero.other)

    @property
    def question(self) -> Possible:
        """Is there such a move?"""
        text = self._words(QUALITIES[self.quality].question)
        if self.kind:
            return Possible(self, f"{self.hero} has a move '{self.kind}'{self._clause}")
        return Possible(self, text)

    @property
    def _clause(self) -> str:
        words = self._words(QUALITIES[self.quality].words)
        return f" {words}" if words else ""

    def __str__(self) -> str:
        kind = f" '{self.kind}'" if self.kind else ""
        return f"play the {'last' if self.last else 'first'} move{kind}{self._clause}"
