"""Languages of games: a language reads models, and makes the rules that play them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from qsage_validate.errors import UsageError
from qsage_validate.games.model_text import GameModel, ModelParts
from qsage_validate.games.protocol import Game

M = TypeVar("M", bound=GameModel)


class Language(ABC, Generic[M]):
    """A language in which games are written.

    ``name`` is what layouts call it, ``games`` what people call a game of it, ``model`` the type
    of what is read.
    """

    name: ClassVar[str]
    games: ClassVar[str]
    model: type[M]

    @abstractmethod
    def owns(self, path: str) -> bool:
        """True if a file is a game of this language, or a part of one, by its content."""

    @abstractmethod
    def read(self, files: Sequence[str], options: Mapping[str, object]) -> M:
        """The model in some files, with what else is said of it.

        Options that are ``None`` or ``False`` are not given.  Raises ``UsageError`` for files and
        options that do not fit, ``InputError`` for what is wrong with a file.
        """

    @abstractmethod
    def from_parts(self, parts: ModelParts) -> M:
        """The model whose ``parts`` these are.

        Raises ``InputError`` for parts that are missing or not understood, at their place in the
        formula's file where ``parts`` know it, else naming the part.
        """

    @abstractmethod
    def rules(self, model: M) -> Game:
        """The executable rules of a model, which are imported when they are asked for."""

    def warnings(self, model: M) -> Sequence[str]:
        """The warnings about a model that was read from files, one line each."""
        return ()

    def own(self, model: GameModel, what: str = "") -> M:
        """A model that must be one of this language; raises ``UsageError`` for any other.

        ``what`` stands before its name in the message.
        """
        if not isinstance(model, self.model):
            raise UsageError(f"found {what}{model.name}, expected a {self.games}")
        return model
