"""The declarations of the languages of games: what other rooms ask of a language, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from qsage_validate.registry import declared


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
    memory), where the general one is not the best; ``conversions`` has a ``Conversion`` for each
    language whose games can be written in this one.
    """

    name: str
    kind: str
    parts: tuple[str, ...]
    needs: frozenset[str]
    language: str
    depths: str
    circuit: str | None = None
    engine: str | None = None
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
