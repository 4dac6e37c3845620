"""The situation of a player to move: the position, and the last moves of both players.

A rule for people speaks of the board and of what was just played, so a situation is a position
with these.  Its facts are worked out from the rules when they are asked for, and kept.

:class:`Words` are what questions and answers are made of, so that they can be said in other
languages.  A question says of itself which of these words it is, and a language (Python, circuits)
says what each word means there.  A new word is one method here, and one in each language.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Generic, TypeVar

from qsage_validate.games.protocol import (
    BoardPicture,
    Move,
    Player,
    Position,
    Square,
    TwoPlayerGame,
)

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
    """The move as the boards show it."""
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
        """The player to move."""
        return self.position.to_move

    @cached_property
    def board(self) -> BoardPicture:
        """The board."""
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
    """The situations of the hero's first move."""
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
