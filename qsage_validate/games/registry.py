"""The games by name, and the models that words of the command line mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import path

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import STDIN, Source, quoted
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import file_kind, read_model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.library import (
    breakthrough,
    connect,
    domineering,
    evader_pursuer,
    harary,
    hex,
)
from qsage_validate.games.library.template import MAX_DEPTH, Flag, Number, Template

_TEMPLATES = (
    harary.TEMPLATE,
    connect.TEMPLATE,
    breakthrough.BREAKTHROUGH,
    breakthrough.KNIGHTTHROUGH,
    evader_pursuer.EVADER_PURSUER,
    evader_pursuer.EVADER_PURSUER_DUAL,
    domineering.TEMPLATE,
    hex.TEMPLATE,
)


def templates() -> tuple[Template, ...]:
    """All templates, in the order in which they are listed."""
    return _TEMPLATES


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


def resolve_model(words: Sequence[str], options: Mapping[str, object]) -> Model:
    """The model that ``words`` mean: two files, or a template's name with its options.

    Options that are ``None`` or ``False`` are not given.  Files take ``depth`` only.  Raises
    ``UsageError`` for words and options that do not fit, ``InputError`` for bad files.
    """
    match list(words):
        case [name]:
            if _is_file(name):
                raise UsageError(
                    f"found one file, {quoted(name)}, expected two: DOMAIN and PROBLEM"
                )
            return find_template(name).build(options)
        case [domain, problem]:
            return _model_of_files(domain, problem, options)
        case _:
            names = ", ".join(template.name for template in _TEMPLATES)
            found = "no game" if not words else f"{len(words)} words"
            raise UsageError(f"found {found}, expected DOMAIN and PROBLEM files or one of {names}")


def resolve_command(words: Sequence[str]) -> Model:
    """The model of words as they stand on a command line, options among them.

    ``["httt", "--size", "4x4", "--shape", "tic"]`` or ``["domain.ig", "problem.ig"]``; errors as
    in :func:`resolve_model`.
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
    return resolve_model(names, options)


def _is_file(name: str) -> bool:
    return name == STDIN or path.exists(name)


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


def load_game(model: Model) -> BddlGame:
    """The executable rules of a model."""
    return BddlGame(model)
