"""What questions and answers are made of, so that they can be said in other languages.

A question says of itself which of these words it is, and a language (Python, circuits) says what
each word means there.  A new word is one method here, and one in each language.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from qsage_validate.explaining.situation import Place
from qsage_validate.games.protocol import Player, Square

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
        """What stands so far from a last move; ``None`` is beyond the edge."""

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
