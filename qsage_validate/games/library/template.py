"""Templates of models: a name, typed options, and a function that builds a model of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.games.model_text import kind_of

if TYPE_CHECKING:
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
        value = self[name]
        assert isinstance(value, int)
        return value

    def word(self, name: str) -> str:
        value = self[name]
        assert isinstance(value, str)
        return value

    def on(self, name: str) -> bool:
        return self[name] is True


class OptionKind(Protocol):
    """The type of an option: its parser, and the words for what it expects."""

    @property
    def expected(self) -> str:
        """The possible values, in words."""
        ...

    @property
    def words(self) -> tuple[str, ...]: ...

    def read(self, given: object) -> Value | None:
        """The value, or ``None`` when it is not one of this kind."""
        ...


@dataclass(frozen=True, slots=True)
class NumberKind:
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
        elif isinstance(given, int) and not isinstance(given, bool):
            width = height = given
        elif isinstance(given, (tuple, list)) and len(given) == 2:
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
class ChoiceKind:
    words: tuple[str, ...]

    @property
    def expected(self) -> str:
        return "one of " + ", ".join(self.words)

    def read(self, given: object) -> Value | None:
        word = str(given).strip().lower()
        return word if word in self.words else None


@dataclass(frozen=True, slots=True)
class WordKind:
    """Any word; ``expected`` says which make sense, the builder knows them; some are ``words``."""

    expected: str
    words: tuple[str, ...] = ()

    def read(self, given: object) -> Value | None:
        return given.strip() if isinstance(given, str) else None


@dataclass(frozen=True, slots=True)
class Flag:
    expected: str = "on or off"
    words: ClassVar[tuple[str, ...]] = ()

    def read(self, given: object) -> Value | None:
        return given if isinstance(given, bool) else None


@dataclass(frozen=True, slots=True)
class TemplateOption:
    """An option of a template; ``default`` may depend on the options before it."""

    name: str
    kind: OptionKind
    help: str
    default: Value | Callable[[Values], Value]

    @property
    def flag(self) -> str:
        """The option as it is written on the command line."""
        return _flag(self.name)


@dataclass(frozen=True)
class Template:
    """A family of models of one language.

    ``examples`` are option values, as text, that together show every option and every word of
    a choice; tests play each of them.  ``certified_by`` names the encoding that is quickest to
    certify, where that is not the usual one; ``not_certified_by`` are options that it cannot take.
    """

    name: str
    help: str
    options: tuple[TemplateOption, ...]
    construct: Callable[[Values], GameModel]
    examples: tuple[Mapping[str, str | bool], ...]
    language: str = "bddl"
    certified_by: str | None = None
    not_certified_by: frozenset[str] = frozenset()

    @property
    def counted_before(self) -> int:
        """The number of plies that ``--depth`` counts beyond those of a play that White begins."""
        return int(self.language == "bddl")

    def build(self, given: Mapping[str, object]) -> GameModel:
        """The model for some options, each as text or as a value.

        Raises ``UsageError`` for options that the template does not have, and for values that
        are bad or do not fit together.
        """
        model = self.construct(option_values(self.options, given, self.name))
        if model.plies < 1:
            raise UsageError(_NO_PLY)
        return model


_NO_PLY = "found --depth 1 with --second, expected 2 or more: no ply is left"


def plain(name: str) -> str:
    """The name of a game as lists write it."""
    return name.strip().lower().replace("_", "-")


class LibraryGame:
    """A game by name: its template in each language that it is written in, the usual one first.

    The names of all templates are names of the game.  The name says what the defaults are, and
    what ``--depth`` counts.
    """

    def __init__(self, *templates: Template) -> None:
        self.templates = templates
        self.name, self.help = templates[0].name, templates[0].help

    @property
    def names(self) -> tuple[str, ...]:
        """All names, the usual one first."""
        return tuple(template.name for template in self.templates)

    @cached_property
    def options(self) -> tuple[TemplateOption, ...]:
        """The options of all templates; what several have is as the first says."""
        found: dict[str, TemplateOption] = {}
        for template in self.templates:
            for option in template.options:
                found.setdefault(option.name, option)
        return tuple(found.values())

    def only_in(self, option: TemplateOption) -> str:
        """The kind of game that alone has an option; empty where all have it."""
        has = [t for t in self.templates if any(o.name == option.name for o in t.options)]
        return "" if len(has) == len(self.templates) else kind_of(has[0].language)

    def certified_by(self, given: Mapping[str, object]) -> str | None:
        """The encoding that is quickest to certify with some options; ``None``: the usual one."""
        asked = asked_options(given).keys()
        for template in self.templates:
            known = {option.name for option in template.options} - template.not_certified_by
            if template.certified_by is not None and asked <= known:
                return template.certified_by
        return None

    def build(
        self, name: str, given: Mapping[str, object], language: str | None = None
    ) -> GameModel:
        """The model for some options, as the game is called ``name``; see :meth:`choose`."""
        template, values = self.choose(name, given, language)
        return template.build(values)

    def choose(
        self, name: str, given: Mapping[str, object], language: str | None = None
    ) -> tuple[Template, Mapping[str, object]]:
        """The template that some options need, or ``language``, and the options for it.

        A language that the game is not written in is not heeded.  Raises ``UsageError`` for
        options that no template has, or not one has all of, or not the one of ``language``.
        """
        own = next(template for template in self.templates if template.name == name)
        asked = asked_options(given)
        _check_known(self.options, asked, name)
        chosen = next((t for t in self.templates if t.language == language), None)
        if chosen is None:
            chosen = self._for(own, asked)
        lacking = [n for n in asked if all(n != option.name for option in chosen.options)]
        if lacking:
            other = next(t for t in self.templates if t is not chosen)
            kind, kinds = kind_of(chosen.language), kind_of(other.language)
            raise UsageError(
                f"found {_flag(lacking[0])} for {name} with a {kind} encoding, expected a {kinds} "
                "one, or none"
            )
        return chosen, asked if chosen is own else _translated(own, chosen, asked)

    def _for(self, own: Template, asked: Mapping[str, object]) -> Template:
        """The template that reads what is asked for, the named one first."""
        ordered = sorted(self.templates, key=lambda template: template is not own)
        named = [t for t in ordered if asked.keys() <= {option.name for option in t.options}]
        if not named:
            first, second = (
                next(o for o in self.options if o.name in asked and self.only_in(o) == kind)
                for kind in (kind_of(template.language) for template in self.templates)
            )
            raise UsageError(
                f"found {first.flag} with {second.flag} for {own.name}, expected one of them"
            )
        return next((t for t in named if len(_readable(t, asked)) == len(asked)), named[0])


def _translated(
    own: Template, chosen: Template, asked: Mapping[str, object]
) -> Mapping[str, object]:
    """Options of ``own`` for another template of the game: the same defaults, the same plies."""
    usual = option_values(own.options, _readable(own, asked), own.name)
    shared = usual.keys() & {option.name for option in chosen.options}
    values: dict[str, object] = {name: usual[name] for name in shared} | dict(asked)
    if usual.get("second") and "depth" in _readable(own, {"depth": values["depth"]}):
        values["depth"] = usual.number("depth") + chosen.counted_before - own.counted_before
        if not values["depth"]:
            raise UsageError(_NO_PLY)
    return values


def _readable(template: Template, asked: Mapping[str, object]) -> Mapping[str, object]:
    """The options in ``asked`` that the template has and whose values it can read."""
    return {
        option.name: asked[option.name]
        for option in template.options
        if option.name in asked and option.kind.read(asked[option.name]) is not None
    }


def asked_options(given: Mapping[str, object]) -> dict[str, object]:
    """Options by the names that templates have for them; ``None`` and ``False`` are not given."""
    return {
        name.lstrip("-").replace("-", "_"): value
        for name, value in given.items()
        if value is not None and value is not False
    }


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _check_known(
    options: Sequence[TemplateOption], asked: Mapping[str, object], subject: str
) -> None:
    known = {option.name for option in options}
    for name in asked:
        if name not in known:
            choices = ", ".join(option.flag for option in options)
            raise UsageError(f"found {_flag(name)} for {subject}, expected one of {choices}")


def option_values(
    options: Sequence[TemplateOption], given: Mapping[str, object], subject: str
) -> Values:
    """The values of ``options`` for ``subject``; ``None`` and ``False`` are not given.

    Raises ``UsageError`` for an option that there is not or a bad value.
    """
    asked = asked_options(given)
    _check_known(options, asked, subject)
    values = Values()
    for option in options:
        if option.name in asked:
            value = option.kind.read(asked[option.name])
            if value is None:
                from qsage_validate.formats.source import quoted

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
