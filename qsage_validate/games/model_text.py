"""Languages of games as they are declared, and the text of models, part by part.

The text travels in a layout's lines ``model``.  Every kind has a part ``name``.  The others are

* of grid games ``domain`` and ``problem``, in BDDL;
* of positional games ``pg``, a PG file, and ``notes`` where there is something that PG has no
  words for: ``short white`` (White connects in the network), ``hexagons`` (how the board is
  drawn), ``won black 2`` and ``won white 1`` (the winning set of this number, from 1, is empty);
* of games in GDL ``gdl``, the description, ``rounds``, ``win``, and ``role`` where one was named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Final, Protocol

from qsage_validate.errors import InputError
from qsage_validate.formats.source import Source
from qsage_validate.registry import declared

# The languages of games, declared


@dataclass(frozen=True, slots=True)
class DeclaredLanguage:
    """A language of games.

    ``name`` is what layouts call it, ``kind`` the word for its games and their encodings.
    ``parts`` are those that the text of a model may have, ``needs`` those without which there are
    no rules.  ``formats`` are those of its files, where their content tells them.

    Places (``"package.module:attribute"``) are loaded when they are asked for: ``language`` is a
    ``Language``; ``depths`` makes the ``Depths`` of a model; ``circuit`` makes the kernel's rules
    of a game (a function of the game and a deadline, ``None`` where a game has none); ``engine``
    makes a search of its own (a function of the game, the choice of engine and the limit of
    memory), where the general one is not the best; ``planner`` makes plans of Black's wins (see
    ``certificates/must_play.py``), where the general ones are not the best; ``conversions`` has a
    ``Conversion`` for each language whose games can be written in this one.
    """

    name: str
    kind: str
    parts: tuple[str, ...]
    needs: frozenset[str]
    language: str
    depths: str
    circuit: str | None = None
    engine: str | None = None
    planner: str | None = None
    formats: tuple[str, ...] = ()
    conversions: Mapping[str, str] = field(default_factory=dict)


_LANGUAGES: Final = (
    DeclaredLanguage(
        name="bddl",
        kind="grid",
        parts=("name", "domain", "problem"),
        needs=frozenset({"domain", "problem"}),
        language="qsage_validate.games.bddl.language:BDDL",
        depths="qsage_validate.solvers.deepening:GridDepths",
        circuit="qsage_validate.validation.proofs:grid_rules",
        engine="qsage_validate.solvers.search:grid_engine",
        formats=("BDDL",),
        conversions={"positional": "qsage_validate.games.conversion:TO_GRID"},
    ),
    DeclaredLanguage(
        name="positional",
        kind="positional",
        parts=("name", "pg", "notes"),
        needs=frozenset({"pg"}),
        language="qsage_validate.games.positional.language:POSITIONAL",
        depths="qsage_validate.solvers.deepening:PositionalDepths",
        circuit="qsage_validate.validation.proofs:positional_rules",
        engine="qsage_validate.solvers.search:positional_engine",
        planner="qsage_validate.certificates.must_play:must_play_plan",
        formats=("positional game", "SGF"),
    ),
)


@lru_cache(maxsize=1)
def languages() -> Mapping[str, DeclaredLanguage]:
    """All languages by name: this package's, then those of extensions that have other names."""
    found: dict[str, DeclaredLanguage] = {}
    for language in (*_LANGUAGES, *declared("languages", DeclaredLanguage)):
        found.setdefault(language.name, language)
    return found


def kind_of(language: str) -> str:
    """The word for the games of a language, and for their encodings."""
    return languages()[language].kind


# The text of models, part by part


@dataclass(frozen=True, slots=True)
class PartLine:
    """A line of a part: its text, and how far down and to the right it stands in its file."""

    text: str
    line: int
    indent: int


class ModelParts(dict[str, str]):
    """The text of a model by part, with the file and the lines that it was read from.

    It equals the plain dictionary.  Messages about such a model name the place in its file.
    """

    def __init__(
        self,
        parts: Mapping[str, str],
        file: str | None = None,
        lines: Mapping[str, Sequence[PartLine]] | None = None,
    ) -> None:
        super().__init__(parts)
        self.file = file
        self.lines = {part: tuple(own) for part, own in (lines or {}).items()}

    @classmethod
    def at_lines(cls, lines: Mapping[str, Sequence[PartLine]], file: str | None) -> ModelParts:
        texts = {part: "\n".join(line.text for line in own) for part, own in lines.items()}
        return cls(texts, file, lines)

    def in_place(self, part: str) -> str:
        """The text of a part, moved to where it stands in its file by blank lines and blanks."""
        pieces: list[str] = []
        for line in self.lines.get(part, ()):
            pieces += [""] * (line.line - 1 - len(pieces))
            pieces.append(" " * line.indent + line.text if line.text else "")
        return "\n".join(pieces) if pieces else self[part]

    def text(self, part: str) -> str:
        """The text of a part in its place; raises ``InputError`` where there is none."""
        if part not in self:
            names = ", ".join(self) or "none"
            raise self.error(f"a model with the parts {names}", f"a part {part}")
        return self.in_place(part)

    def source(self, part: str, path: str | None = None) -> Source:
        """A part as a file called ``path``; its errors name the file that the part stands in."""
        return _PartSource(self.text(part), path, file=self.file_of(part))

    def file_of(self, part: str) -> str:
        """The name of a part in messages: the file that it stands in, else the part itself."""
        return self.file or f"the formula's model ({part})"

    def error(self, found: str, expected: str) -> InputError:
        """The error at the line in which the model begins."""
        line = self.first_line
        return InputError(self.file, line, None if line is None else 1, found, expected)

    @property
    def first_line(self) -> int | None:
        return min((line.line for own in self.lines.values() for line in own), default=None)


@dataclass(frozen=True)
class _PartSource(Source):
    """The text of a part in its place, under the model's name; errors name the formula's file."""

    file: str | None = None

    def error(self, offset: int, found: str, expected: str) -> InputError:
        """The error at the character ``offset``."""
        error = super().error(offset, found, expected)
        return InputError(
            self.file, error.line, error.column, found, expected, excerpt=error.excerpt
        )


def parts_of(kind: str) -> tuple[str, ...]:
    """The parts that models of a kind may have: a name alone where the rules are no text."""
    known = languages()
    return known[kind].parts if kind in known else ("name",)


def has_rules(kind: str, parts: Mapping[str, str]) -> bool:
    """True if ``parts`` has all parts that describe the rules of a game of that kind."""
    known = languages()
    return kind in known and known[kind].needs <= parts.keys()


@contextmanager
def errors_in(file: str) -> Iterator[None]:
    """Errors of what is read inside are errors of ``file``."""
    try:
        yield
    except InputError as error:
        error.file = file
        raise


class GameModel(Protocol):
    """The model from which a game is loaded and a formula is made.

    A model is text that has been read: it knows nothing of the rules that play it, which the
    language makes (``games/languages.py``).
    """

    language: ClassVar[str]
    """The language of the model, as layouts call it."""

    @property
    def name(self) -> str: ...

    @property
    def in_words(self) -> str:
        """The kind of the game and its size, by its content: ``3x3 grid game``."""
        ...

    @property
    def squares(self) -> int:
        """The number of squares or positions; 0 where a game has none."""
        ...

    @property
    def question(self) -> Mapping[str, object]:
        """The options of the question that is asked of the game, without those left out."""
        ...

    @property
    def depth(self) -> int:
        """The number that ``--depth`` gives: BDDL's ``#depth``, plies, or rounds in GDL."""
        ...

    @property
    def plies(self) -> int:
        """The largest number of plies of a play, as formulas count them."""
        ...

    def at_depth(self, depth: int) -> GameModel: ...

    def parts(self) -> dict[str, str]:
        """The text by part, as layouts carry it; no text ends with a line break."""
        ...

    def fingerprint(self) -> str:
        """Equal for two models exactly when they are the same game, whatever their depths."""
        ...
