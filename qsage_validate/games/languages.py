"""Languages of games: a language reads models, and makes the rules that play them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar, overload

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import Format, quoted, sniff
from qsage_validate.games.model_text import GameModel, ModelParts, languages
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.registry import load

if TYPE_CHECKING:
    from qsage_validate.games.bddl.model import Model
    from qsage_validate.games.bddl.rules import BddlGame
    from qsage_validate.games.positional.model import PositionalModel
    from qsage_validate.games.positional.rules import PositionalGame


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
    def rules(self, model: M) -> TwoPlayerGame:
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


class _Languages(Mapping[str, Language[Any]]):
    """Languages by name; each is imported when it is first asked for."""

    def __getitem__(self, name: str) -> Language[Any]:
        language: Language[Any] = load(languages()[name].language)
        return language

    def __iter__(self) -> Iterator[str]:
        return iter(languages())

    def __len__(self) -> int:
        return len(languages())


LANGUAGES: Final[Mapping[str, Language[Any]]] = _Languages()
"""By the names that layouts call them."""


def language_of(path: str) -> Language[Any] | None:
    """The language of a file, by its content; ``None`` where it is no game."""
    found = sniff(path)
    if found is not Format.UNKNOWN:
        own = (name for name, one in languages().items() if found.value in one.formats)
        return next((LANGUAGES[name] for name in own), None)
    return next((language for language in LANGUAGES.values() if language.owns(path)), None)


def model_from_parts(language: str, parts: Mapping[str, str]) -> GameModel:
    """The model whose ``parts()`` are ``parts``; ``language`` is one of :data:`LANGUAGES`.

    Raises ``InputError`` as ``Language.from_parts`` does, and for an unknown language.
    """
    given = parts if isinstance(parts, ModelParts) else ModelParts(parts)
    if language not in LANGUAGES:
        raise given.error(f"the kind of game {quoted(language)}", f"one of {', '.join(LANGUAGES)}")
    model: GameModel = LANGUAGES[language].from_parts(given)
    return model


@overload
def load_game(model: Model) -> BddlGame: ...
@overload
def load_game(model: PositionalModel) -> PositionalGame: ...
@overload
def load_game(model: GameModel) -> TwoPlayerGame: ...
def load_game(model: GameModel) -> TwoPlayerGame:
    """The executable rules of a model; of a game in GDL each round is two plies."""
    game: TwoPlayerGame = LANGUAGES[model.language].rules(model)
    return game
