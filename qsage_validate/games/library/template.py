"""What a template is: a name, typed options, and a function that builds a model of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.formats.source import quoted
from qsage_validate.games.model_text import GameModel

Size = tuple[int, int]
Value = int | str | bool | Size

MAX_SIDE = 1000
MAX_DEPTH = 9999


class Values(dict[str, Value]):
    """The values of a template's options by name, asked for by their types."""

    def size(self, name: str = "size") -> Size:
        """The value of an option that is a pair."""
        value = self[name]
        assert isinstance(value, tuple)
        return value

    @property
    def board(self) -> str:
        """The board in words: ``5x4``."""
        return "{}x{}".format(*self.size())

    def number(self, name: str) -> int:
        """The value of an option that is a number."""
        value = self[name]
        assert isinstance(value, int)
        return value

    def word(self, name: str) -> str:
        """The value of an option that is a word."""
        value = self[name]
        assert isinstance(value, str)
        return value

    def on(self, name: str) -> bool:
        """The value of a flag."""
        return self[name] is True


class Kind(Protocol):
    """The type of an option: its parser, and the words for what it expects."""

    @property
    def expected(self) -> str:
        """What values there are, in words."""
        ...

    @property
    def words(self) -> tuple[str, ...]:
        """The values that have names."""
        ...

    def read(self, given: object) -> Value | None:
        """The value, or ``None`` when it is not one of this kind."""
        ...


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number in a range."""

    low: int
    high: int
    words: ClassVar[tuple[str, ...]] = ()

    @property
    def expected(self) -> str:
        return f"a number from {self.low} to {self.high}"

    def read(self, given: object) -> Value | None:
        if isinstance(given, str) and re.fullmatch(r"[0-9]{1,9}", given.strip()):
            given = int(given)
        if isinstance(given, int) and not isinstance(given, bool):
            return given if self.low <= given <= self.high else None
        return None


@dataclass(frozen=True, slots=True)
class BoardSize:
    """Width and height of a board: ``5x4``, or ``4`` for ``4x4``."""

    min_width: int = 1
    min_height: int = 1
    words: ClassVar[tuple[str, ...]] = ()

    @property
    def expected(self) -> str:
        least = f"{self.min_width}x{self.min_height}"
        return f"WIDTHxHEIGHT from {least} to {MAX_SIDE}x{MAX_SIDE}"

    def read(self, given: object) -> Value | None:
        if isinstance(given, str):
            match = re.fullmatch(r"\s*([0-9]{1,4})(?:\s*[xX×]\s*([0-9]{1,4}))?\s*", given)
            if match is None:
                return None
            width = int(match[1])
            height = int(match[2] or width)
        elif isinstance(given, tuple) and len(given) == 2:
            width, height = given
        else:
            return None
        if not (self.min_width <= width <= MAX_SIDE and self.min_height <= height <= MAX_SIDE):
            return None
        return width, height


@dataclass(frozen=True, slots=True)
class SquareName:
    """A square: ``2,3``."""

    expected: str = "a square X,Y"
    words: ClassVar[tuple[str, ...]] = ()

    def read(self, given: object) -> Value | None:
        if isinstance(given, tuple) and len(given) == 2:
            return given
        match = re.fullmatch(r"\s*\(?\s*([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*\)?\s*", str(given))
        return None if match is None else (int(match[1]), int(match[2]))


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words."""

    words: tuple[str, ...]

    @property
    def expected(self) -> str:
        return "one of " + ", ".join(self.words)

    def read(self, given: object) -> Value | None:
        word = str(given).strip().lower()
        return word if word in self.words else None


@dataclass(frozen=True, slots=True)
class Word:
    """Any word; ``expected`` says which make sense, the builder knows them; some are ``words``."""

    expected: str
    words: tuple[str, ...] = ()

    def read(self, given: object) -> Value | None:
        return given.strip() if isinstance(given, str) else None


@dataclass(frozen=True, slots=True)
class Flag:
    """On or off."""

    expected: str = "on or off"
    words: ClassVar[tuple[str, ...]] = ()

    def read(self, given: object) -> Value | None:
        return given if isinstance(given, bool) else None


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a template; ``default`` may depend on the options before it."""

    name: str
    kind: Kind
    help: str
    default: Value | Callable[[Values], Value]

    @property
    def flag(self) -> str:
        """How it is written on the command line."""
        return "--" + self.name.replace("_", "-")


@dataclass(frozen=True)
class Template:
    """A family of models.

    ``examples`` are option values, as text, that together show every option and every word of
    a choice; tests play each of them.
    """

    name: str
    help: str
    options: tuple[Option, ...]
    construct: Callable[[Values], GameModel]
    examples: tuple[Mapping[str, str | bool], ...]

    def build(self, given: Mapping[str, object]) -> GameModel:
        """The model for some options, each as text or as a value.

        Raises ``UsageError`` for options that the template does not have, and for values that
        are bad or do not fit together.
        """
        model = self.construct(option_values(self.options, given, self.name))
        if model.plies < 1:
            raise UsageError("found --depth 1 with --second, expected 2 or more: no ply is left")
        return model


def option_values(options: Sequence[Option], given: Mapping[str, object], subject: str) -> Values:
    """The values of ``options`` for ``subject``; ``None`` and ``False`` are not given.

    Raises ``UsageError`` for an option that there is not or a bad value.
    """
    asked = {
        name.lstrip("-").replace("-", "_"): value
        for name, value in given.items()
        if value is not None and value is not False
    }
    known = {option.name: option for option in options}
    for name in asked:
        if name in known:
            continue
        choices = ", ".join(option.flag for option in options)
        raise UsageError(
            f"found --{name.replace('_', '-')} for {subject}, expected one of {choices}"
        )
    values = Values()
    for option in options:
        if option.name in asked:
            value = option.kind.read(asked[option.name])
            if value is None:
                shown = asked[option.name]
                shown = "x".join(map(str, shown)) if isinstance(shown, tuple) else str(shown)
                near = did_you_mean(shown, option.kind.words)
                raise UsageError(
                    f"found {quoted(shown)} for {option.flag}{near}, "
                    f"expected {option.kind.expected}"
                )
            values[option.name] = value
        else:
            default = option.default
            values[option.name] = default(values) if callable(default) else default
    return values
