"""The games by name, and the models that words of the command line mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import path
from typing import TYPE_CHECKING, overload

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import STDIN, Format, Source, quoted, sniff
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import file_kind, read_model
from qsage_validate.games.gdl.parser import read_description
from qsage_validate.games.gdl.task import GdlModel
from qsage_validate.games.library import (
    breakthrough,
    connect,
    domineering,
    evader_pursuer,
    gdl,
    harary,
    hex,
    positional,
)
from qsage_validate.games.library.template import (
    MAX_DEPTH,
    Flag,
    Number,
    Option,
    Template,
    option_values,
)
from qsage_validate.games.models import GameModel
from qsage_validate.games.positional.load import is_positional_file, read_positional
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Game

if TYPE_CHECKING:
    from qsage_validate.games.bddl.rules import BddlGame
    from qsage_validate.games.gdl.rounds import RoundsGame
    from qsage_validate.games.positional.rules import PositionalGame

_GRID = (
    harary.TEMPLATE,
    connect.TEMPLATE,
    breakthrough.BREAKTHROUGH,
    breakthrough.KNIGHTTHROUGH,
    evader_pursuer.EVADER_PURSUER,
    evader_pursuer.EVADER_PURSUER_DUAL,
    domineering.TEMPLATE,
    hex.TEMPLATE,
)
_TEMPLATES = (*_GRID, positional.HARARY, positional.HEX, *gdl.TEMPLATES)

# What may be said of a game that is read from a file, by what the file is.
_POSITIONAL_OPTIONS = (Option("depth", Number(1, MAX_DEPTH), "number of plies", 0),)


def templates() -> tuple[Template, ...]:
    """All templates, in the order in which they are listed."""
    return _TEMPLATES


def grid_templates() -> tuple[Template, ...]:
    """Those of grid games, whose models are BDDL."""
    return _GRID


def find_template(name: str) -> Template:
    """The template called ``name`` (case and ``_`` for ``-`` do not matter).

    Raises ``UsageError`` with the list of names.
    """
    wanted = name.strip().lower().replace("_", "-")
    for template in _TEMPLATES:
        if template.name == wanted:
            return template
    raise UsageError(
        f"found the unknown game {quoted(name)}, expected DOMAIN and PROBLEM files or one of "
        + ", ".join(template.name for template in _TEMPLATES)
    )


def find_model(words: Sequence[str], options: Mapping[str, object]) -> GameModel:
    """The model that ``words`` mean: files, or a template's name with its options.

    Two files are a domain and a problem of BDDL; one is a positional game (PG, ``.hex``) or a
    game in GDL.  Options that are ``None`` or ``False`` are not given.  Raises ``UsageError``
    for words and options that do not fit, ``InputError`` for bad files.
    """
    match list(words):
        case [name]:
            return _model_of_file(name, options) if _is_file(name) else _named(name, options)
        case [domain, problem]:
            return _model_of_files(domain, problem, options)
        case _:
            found = "no game" if not words else f"{len(words)} words"
            raise UsageError(f"found {found}, expected {_expected()}")


def resolve_model(words: Sequence[str], options: Mapping[str, object]) -> Model:
    """The same where a grid game is needed; raises ``UsageError`` for one of another kind."""
    return _grid(find_model(words, options))


def _grid(model: GameModel) -> Model:
    if not isinstance(model, Model):
        raise UsageError(f"found {model.name}, expected a grid game (BDDL)")
    return model


def _named(name: str, options: Mapping[str, object]) -> GameModel:
    return find_template(name).build(options)


def _expected() -> str:
    names = ", ".join(template.name for template in _TEMPLATES)
    return f"a file (PG, .hex, GDL), DOMAIN and PROBLEM files, or one of {names}"


def resolve_command(words: Sequence[str]) -> Model:
    """:func:`find_command` where a grid game is needed; errors as in :func:`resolve_model`."""
    return _grid(find_command(words))


def find_command(words: Sequence[str]) -> GameModel:
    """The model of words as they stand on a command line, options among them.

    ``["httt", "--size", "4x4", "--shape", "tic"]`` or ``["domain.ig", "problem.ig"]``; errors as
    in :func:`find_model`.
    """
    names: list[str] = []
    options: dict[str, object] = {}
    flags = {
        option.name for t in _TEMPLATES for option in t.options if isinstance(option.kind, Flag)
    }
    waiting: str | None = None
    for word in words:
        if waiting is not None:
            options[waiting] = word
            waiting = None
        elif word.startswith("--"):
            name, equals, value = word[2:].replace("-", "_").partition("=")
            options[name] = value if equals else True
            waiting = None if equals or name in flags else name
        else:
            names.append(word)
    if waiting is not None:
        raise UsageError(f"found --{waiting.replace('_', '-')} without a value, expected one")
    return find_model(names, options)


def is_model_file(path: str) -> bool:
    """Whether a file is a game, or a part of one, by its content."""
    return sniff(path) in (Format.BDDL, Format.GDL) or is_positional_file(path)


def _is_file(name: str) -> bool:
    return name == STDIN or path.exists(name)


def _model_of_file(name: str, options: Mapping[str, object]) -> GameModel:
    """The positional game or the game in GDL that a file has."""
    if is_positional_file(name):
        depth = option_values(_POSITIONAL_OPTIONS, options, f"{name}, a positional game")["depth"]
        assert isinstance(depth, int), "read as a number"
        return read_positional(name, depth or None)
    found = sniff(name)
    if found is Format.GDL:
        values = option_values(gdl.OPTIONS, options, f"{name}, a game in GDL")
        return gdl.with_options(read_description(name), values)
    if found is Format.BDDL:
        raise UsageError(f"found one file, {quoted(name)}, expected two: DOMAIN and PROBLEM")
    raise UsageError(f"found {quoted(name)} ({found.value}), expected {_expected()}")


def _model_of_files(domain: str, problem: str, options: Mapping[str, object]) -> Model:
    given = {
        name.lstrip("-").replace("-", "_"): value
        for name, value in options.items()
        if value is not None and value is not False
    }
    depth = given.pop("depth", None)
    if given:
        names = ", ".join("--" + name.replace("_", "-") for name in given)
        raise UsageError(f"found {names} with a game read from files, expected --depth only")
    number = None
    if depth is not None:
        kind = Number(1, MAX_DEPTH)
        value = kind.read(depth)
        if not isinstance(value, int):
            raise UsageError(f"found {quoted(str(depth))} for --depth, expected {kind.expected}")
        number = value
    for word in (domain, problem):
        if not _is_file(word) and any(t.name == word.lower() for t in _TEMPLATES):
            raise UsageError(
                f"found {quoted(domain)} and {quoted(problem)}, expected the name of one game "
                "(its parameters are options) or two files"
            )
    kinds = file_kind(Source.open(domain).text), file_kind(Source.open(problem).text)
    if kinds == ("problem", "domain"):
        raise UsageError(
            f"found the problem {quoted(domain)} before the domain {quoted(problem)}, "
            f"expected the domain first"
        )
    return read_model(domain, problem, number)


@overload
def load_game(model: Model) -> BddlGame: ...
@overload
def load_game(model: PositionalModel) -> PositionalGame: ...
@overload
def load_game(model: GdlModel) -> RoundsGame: ...
@overload
def load_game(model: GameModel) -> Game: ...
def load_game(model: GameModel) -> Game:
    """The executable rules of a model; of a game in GDL each round is two plies."""
    # Rules are imported when they are asked for: a list of names is quick.
    if isinstance(model, Model):
        from qsage_validate.games.bddl.rules import BddlGame

        return BddlGame(model)
    if isinstance(model, PositionalModel):
        from qsage_validate.games.positional.rules import PositionalGame

        return PositionalGame(model)
    from qsage_validate.games.gdl.loading import rounds_game

    return rounds_game(model)
