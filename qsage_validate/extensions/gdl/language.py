"""GDL among the languages of games, and what ``qsage info`` tells of its files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from qsage_validate.extensions.gdl.library import OPTIONS, load
from qsage_validate.extensions.gdl.model import Description, GdlModel, check_description, role_names
from qsage_validate.extensions.gdl.parser import parse_description, read_description
from qsage_validate.extensions.gdl.sequential import STEPS, RoundBound, in_turn
from qsage_validate.formats.source import PERCENT, SEMICOLON, Format, Source, quoted, sniff
from qsage_validate.games.languages import Language
from qsage_validate.games.library.template import Values, option_values
from qsage_validate.games.model_text import ModelParts, errors_in

if TYPE_CHECKING:
    from qsage_validate.extensions.gdl.rules import RoundsGame


# Games in GDL by name: those that come with the project


def with_options(description: Description, values: Values) -> GdlModel:
    """The model of a description with the options ``role``, ``depth``, ``win`` and ``at_once``."""
    role, rounds = values.word("role") or None, values.number("depth")
    if values.word("at_once") in {bound.value for bound in RoundBound}:
        description = in_turn(description, role, RoundBound(values.word("at_once")))
        rounds *= STEPS
    return GdlModel(description, rounds, role, values.number("win"))


def of_library(values: Values, name: str) -> GdlModel:
    """The game called ``name`` of those that come with the project."""
    return with_options(load(name), values)


# GDL among the languages of games


_NUMBER: Final = re.compile(r"[0-9]{1,9}")


class Gdl(Language[GdlModel]):
    """General games, in one file."""

    name: ClassVar[str] = "gdl"
    games: ClassVar[str] = "game in GDL"
    model = GdlModel

    def owns(self, path: str) -> bool:
        return sniff(path) is Format.GDL

    def read(self, files: Sequence[str], options: Mapping[str, object]) -> GdlModel:
        (file,) = files
        values = option_values(OPTIONS, options, f"{file}, a game in GDL")
        return with_options(read_description(file), values)

    def from_parts(self, parts: ModelParts) -> GdlModel:
        path = f"{parts.get('name', 'game')}.gdl"
        source = parts.source("gdl", path)
        with errors_in(parts.file_of("gdl")):
            description = parse_description(source.text, path)
        description = replace(description, source=source)
        win = _number(parts, "win") if "win" in parts else 100
        role = parts.get("role")
        role = None if role is None else role.strip()
        return GdlModel(description, _number(parts, "rounds"), role, win)

    def rules(self, model: GdlModel) -> RoundsGame:
        """Each round is two plies, Black's part and White's."""
        from qsage_validate.extensions.gdl.rules import rounds_game

        return rounds_game(model)


def _number(parts: ModelParts, part: str) -> int:
    text = parts.text(part)
    if not _NUMBER.fullmatch(text.strip()):
        source = Source(text, parts.file_of(part))
        at = len(text) - len(text.lstrip()) if text.strip() else len(text)
        raise source.error(at, quoted(text.strip()), "a number")
    return int(text)


GDL: Final = Gdl()


# What ``qsage info`` tells of games in GDL and of quantified logic programs


def description(data: bytes, name: str) -> dict[str, object]:
    """The facts of a game's description."""
    found = parse_description(Source.decode(data, name, SEMICOLON).text, name)
    check_description(found)
    return {
        "game": found.name,
        "roles": [str(role) for role in role_names(found)],
        "rules": len(found.rules),
    }


def program(data: bytes, name: str) -> dict[str, object]:
    """The facts of a quantified logic program, as the formula that it is."""
    from qsage_validate.cli.info import formula_facts
    from qsage_validate.extensions.gdl.qasp import parse_qasp

    qbf = parse_qasp(Source.decode(data, name, PERCENT))
    return formula_facts(qbf) | {"gates": len(qbf.gates)}
