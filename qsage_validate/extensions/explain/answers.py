"""Strategies as programs: decision trees with questions at the forks and answers at the leaves.

An answer names one legal move of a situation, or none where it cannot be followed.  An
:class:`ExplainVocabulary` has the questions and answers that are tried for a game, the plainest
first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from qsage_validate.extensions.explain.situation import (
    OWN,
    REGIONS,
    RELATIONS,
    A,
    Ahead,
    Apart,
    Beside,
    Choice,
    Last,
    MovedByKind,
    MovedTo,
    Odd,
    Place,
    PlyAtMost,
    Q,
    Question,
    Related,
    Situation,
    Stands,
    Threatened,
    WentIn,
    WentLike,
    Words,
    classes_of,
    places,
    shift_formal,
    shift_text,
    shifted,
)
from qsage_validate.games.positional.polyominoes import NEIGHBOURS
from qsage_validate.games.protocol import (
    BoardPicture,
    Player,
    Shape,
    Square,
    TwoPlayerGame,
    board_maps,
)


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


def mirrored(symmetry: str, hero: Player, board: BoardPicture) -> Mirrored:
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


def bridged(hero: Player, board: BoardPicture) -> Bridged | None:
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


Questions: TypeAlias = Callable[[Question], Iterable[Question]]
Answers: TypeAlias = Callable[[Answer], Iterable[Answer]]


@dataclass(frozen=True, slots=True)
class Leaf:
    """The move that is played."""

    answer: Answer

    def leaf(self, at: Situation) -> Leaf:
        return self

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Tree]]:
        yield depth, self

    def with_other_words(self, questions: Questions, answers: Answers) -> Iterator[Tree]:
        yield from map(Leaf, answers(self.answer))


@dataclass(frozen=True, slots=True)
class AnswerFork:
    question: Question
    yes: Tree
    no: Tree

    def leaf(self, at: Situation) -> Leaf:
        return (self.yes if self.question.holds(at) else self.no).leaf(at)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Tree]]:
        """All nodes with their depths: a fork, what is below its yes, what is below its no."""
        yield depth, self
        yield from self.yes.walk(depth + 1)
        yield from self.no.walk(depth + 1)

    def with_other_words(self, questions: Questions, answers: Answers) -> Iterator[Tree]:
        """The tree with another word in one place; a question may change its sides."""
        for question in questions(self.question):
            yield AnswerFork(question, self.yes, self.no)
            yield AnswerFork(question, self.no, self.yes)
        for yes in self.yes.with_other_words(questions, answers):
            yield AnswerFork(self.question, yes, self.no)
        for no in self.no.with_other_words(questions, answers):
            yield AnswerFork(self.question, self.yes, no)


Tree: TypeAlias = Leaf | AnswerFork


def nodes_of(tree: Tree) -> int:
    """The number of nodes, questions and answers together."""
    return sum(1 for _ in tree.walk())


def depth_of(tree: Tree) -> int:
    """The largest number of questions that are asked on the way to an answer."""
    return max(depth for depth, _ in tree.walk())


def chosen(tree: Tree, at: Situation) -> Choice | None:
    """The move that a tree plays; ``None`` where its answer is no legal move."""
    return tree.leaf(at).answer.choose(at)


# How far from a last move questions look, and answers go.
_NEAR = 2
_FAR = 3
# A text lists no more squares that symmetries exchange; there are no more in a class of a grid.
_MOST_ALIKE = 8


@dataclass(frozen=True)
class ExplainVocabulary:
    """Questions and answers, in the order in which they are preferred."""

    questions: Sequence[Question]
    answers: Sequence[Answer]


def vocabulary_of(
    game: TwoPlayerGame,
    hero: Player,
    *,
    lookahead: int = 3,
    extra: Sequence[Question] = (),
    pairs: Paired | None = None,
) -> ExplainVocabulary:
    """The vocabulary of a game, with words that look no more than ``lookahead`` plies ahead.

    ``extra`` are questions of the user's, which come first.
    """
    kinds = {player: _kinds(game, player) for player in (hero, hero.other)}
    picks = tuple(_picks(hero, kinds[hero], lookahead))
    mirrors = tuple(_mirrors(game, hero))
    pairing = () if pairs is None else (pairs,)
    in_bridges = bridged(hero, game.initial.board)
    bridges = () if in_bridges is None else (in_bridges,)
    answers = (
        *(pick for pick in picks if pick.quality == "win" and not pick.last and not pick.kind),
        *pairing,
        *bridges,
        *mirrors,
        *(Exactly(str(move)) for move in game.moves(hero)),
        *_from(hero),
        *picks,
    )
    asked = (
        *extra,
        *(Possible(answer, f"{str(answer)[5:]} can be played") for answer in (*mirrors,)),
        *(
            Possible(
                answer, f"the other square of the pair of {hero.other}'s last move can be played"
            )
            for answer in pairing
        ),
        *(answer.question for answer in bridges),
        *_turns(game, hero),
        *(pick.question for pick in picks if pick.quality == "win" and not pick.last),
        *_questions(game, hero, kinds[hero.other], lookahead),
        *(pick.question for pick in picks if pick.quality != "win" and not pick.last),
    )
    return ExplainVocabulary(asked, tuple(dict.fromkeys(answers)))


def _kinds(game: TwoPlayerGame, player: Player) -> list[str]:
    return list(dict.fromkeys(str(move).partition("(")[0] for move in game.moves(player)))


def _picks(hero: Player, kinds: Sequence[str], lookahead: int) -> Iterator[Pick]:
    several = kinds if 1 < len(kinds) <= 12 else []
    for kind in ("", *several):
        for name, quality in QUALITIES.items():
            if quality.lookahead <= lookahead:
                yield Pick(name, kind, hero)
                yield Pick(name, kind, hero, last=True)


def _mirrors(game: TwoPlayerGame, hero: Player) -> Iterator[Mirrored]:
    board = game.initial.board
    for name, _ in board_maps(board.width, board.height)[1:]:
        yield mirrored(name, hero, board)


def _from(hero: Player) -> Iterator[From]:
    for theirs in (True, False):
        last = Last(theirs, hero)
        for shift in _shifts(_FAR):
            yield From(last, shift)


def _shifts(most: int) -> list[tuple[int, int]]:
    """The shifts up to so many lines, the nearest first."""
    span = range(-most, most + 1)
    found = [(dx, dy) for dx in span for dy in span if (dx, dy) != (0, 0)]
    return sorted(found, key=lambda s: (abs(s[0]) + abs(s[1]), s))


def _turns(game: TwoPlayerGame, hero: Player) -> Iterator[PlyAtMost]:
    own = [ply for ply in range(1, game.plies + 1) if game.player_at(ply) is hero]
    for turn, ply in enumerate(own, 1):
        yield PlyAtMost(ply, turn, hero)


def _questions(
    game: TwoPlayerGame, hero: Player, kinds: Sequence[str], lookahead: int
) -> Iterator[Question]:
    board = game.initial.board
    theirs, ours = Last(True, hero), Last(False, hero)
    squares = places(board)
    if lookahead > 1:
        yield Threatened(hero)
    for place in squares:
        for what in Square:
            yield Stands(place, what, board.square_name(place))
    for region in REGIONS:
        yield WentIn(theirs, region)
    for y in range(1, board.height + 1):
        yield WentIn(theirs, "row", y)
    for x in range(1, board.width + 1):
        yield WentIn(theirs, "column", x)
    for alike in classes_of(game):
        if 1 < len(alike) <= _MOST_ALIKE and len(alike) < len(squares):
            yield WentLike(theirs, alike, tuple(map(board.square_name, alike)))
    for place in squares:
        yield MovedTo(theirs, place, board.square_name(place))
    if len(kinds) > 1:
        yield from (MovedByKind(theirs, kind) for kind in kinds)
    yield from (Related(relation, hero) for relation in RELATIONS)
    yield from (Apart(shift, hero) for shift in _shifts(_NEAR))
    for last in (theirs, ours):
        for shift in _shifts(_NEAR):
            for what in (*Square, None):
                yield Beside(last, shift, what)
    yield Odd()
    for player in (hero, hero.other):
        for by in (1, 2):
            yield Ahead(player, by)
