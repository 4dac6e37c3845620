"""The arguments that say which model a command is about: files, or a game by name.

The options are those of the library's games, so that a new game needs no change here.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qsage_validate.cli import completion
from qsage_validate.cli.common import narrate
from qsage_validate.cli.option_groups import Command, takes_options, with_parameters
from qsage_validate.errors import Exit
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.library.template import Flag, TemplateOption
from qsage_validate.system.reading import reading

if TYPE_CHECKING:
    from qsage_validate.games.model_text import GameModel

_MODEL_HELP = (
    "Two BDDL files, DOMAIN and PROBLEM; a PG, .hex or GDL file; or the name of a game (see "
    "'qsage games')."
)
_FORMULA_HELP = "A QCIR or QDIMACS file ('-' is standard input). Or a game: "


@dataclass(frozen=True, slots=True)
class ModelArguments:
    """The command line's words about the model."""

    words: tuple[str, ...]
    options: Mapping[str, object]

    @property
    def flags(self) -> tuple[str, ...]:
        """The options that were given, as they stand on a command line."""
        known, words = template_options(), list[str]()
        for name, value in self.options.items():
            if value not in (None, False):
                words += [known[name].flag, *([] if value is True else [str(value)])]
        return tuple(words)

    @property
    def files(self) -> tuple[str, ...]:
        """The files among the arguments: none for a game by name."""
        if len(self.words) == 1 and not os.path.exists(self.words[0]):
            return ()
        return self.words

    @reading()
    def resolve(self, encoding: str | None = None) -> GameModel:
        """The model; what the checks of its files warn of is told on standard error.

        A game by name is written in the language that ``encoding`` takes.

        Raises ``UsageError`` or ``InputError``.
        """
        from qsage_validate.games.languages import LANGUAGES
        from qsage_validate.games.registry import find_model

        language = None
        if encoding is not None:
            from qsage_validate.encodings.registry import language_of_encoding

            language = language_of_encoding(encoding)
        model = find_model(self.words, self.options, language)
        if self.files:
            for warning in LANGUAGES[model.language].warnings(model):
                narrate(warning)
        return model


def template_options() -> dict[str, TemplateOption]:
    """The options of all games by name; the first game says what an option means."""
    options: dict[str, TemplateOption] = {}
    for game in library_games():
        for option in game.options:
            options.setdefault(option.name, option)
    return options


def takes_model(
    command: Command,
    *,
    or_formula: bool = False,
    optional_words: str | None = None,
    file: str = "FORMULA",
) -> Command:
    """Give ``command`` the arguments of a model: it gets them as its ``ModelArguments``.

    Its groups of options are expanded, see ``takes_options``.
    With ``or_formula`` the help says that a formula's file may stand in its place;
    ``optional_words`` is the help of words that need not be there, ``file`` the name of a file
    that may stand in the place of a model.
    """
    grouped = takes_options(command)
    own = inspect.signature(grouped).parameters.values()
    (target,) = (p.name for p in own if p.annotation is ModelArguments)
    options = template_options()

    def run(words: list[str], **values: Any) -> Exit:
        given = {name: values.pop(name) for name in options}
        return grouped(**{target: ModelArguments(tuple(words), given)}, **values)

    words_help = _MODEL_HELP
    if or_formula:
        words_help = _FORMULA_HELP + _MODEL_HELP[0].lower() + _MODEL_HELP[1:]
    metavar = f"{file}|MODEL" if or_formula or optional_words else "MODEL"
    argument = typer.Argument(
        metavar=metavar, help=optional_words or words_help, autocompletion=completion.models
    )
    words = inspect.Parameter(
        "words",
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if optional_words is None else (),
        annotation=Annotated[list[str], argument],
    )
    parameters = [
        words,
        *(p for p in own if p.name != target),
        *(_parameter(option) for option in options.values()),
    ]
    return with_parameters(run, command.__doc__, parameters)


def _parameter(option: TemplateOption) -> inspect.Parameter:
    """The command-line option for a template's option, read by the template itself."""
    is_flag = isinstance(option.kind, Flag)
    users = [g.name for g in library_games() if any(o.name == option.name for o in g.options)]
    scope = "" if len(users) == len(library_games()) else f" ({', '.join(users)})"
    info = typer.Option(
        option.flag,
        metavar=None if is_flag else option.name.upper().replace("_", "-"),
        help=f"{option.help[0].upper()}{option.help[1:]}{scope}.",
        show_default=False,
        rich_help_panel="Game",
        autocompletion=completion.shapes if option.name == "shape" else None,
    )
    kind: Any = bool if is_flag else str | None
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if is_flag else None,
        annotation=Annotated[kind, info],
    )
