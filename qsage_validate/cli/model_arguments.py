"""The arguments that say which model a command is about: files, or a game by name.

The options are those of the library's games, so that a new game needs no change here.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qsage_validate.cli.common import narrate
from qsage_validate.cli.parameters import REQUIRED, Parameter, argument, option, parameter
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.library.template import Flag, TemplateOption
from qsage_validate.system.reading import reading

if TYPE_CHECKING:
    from qsage_validate.games.model_text import GameModel

_MODEL_HELP = (
    "Two BDDL files, DOMAIN and PROBLEM; a PG, .hex or GDL file; or the name of a game (see "
    "'qsage games')."
)
_EXPECTED = "a formula (QCIR, QDIMACS or QAIGER) or a game (BDDL, PG, .hex, SGF or GDL)"
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

    def certified_by(self) -> str | None:
        """The encoding that is quickest to certify; ``None``: the usual one.

        That is the one of files, and of games with a depth, whose formulas stay what they were.
        """
        from qsage_validate.games.registry import find_game

        if not self.lacks_depth:
            return None
        return find_game(self.words[0]).certified_by(self.options)

    @property
    def lacks_depth(self) -> bool:
        """True for a game by name without a depth."""
        return not self.files and len(self.words) == 1 and self.options.get("depth") is None

    def without_depth(self) -> tuple[ModelArguments, bool]:
        """The arguments without ``--depth auto``, and whether that was there."""
        depth = self.options.get("depth")
        if not (isinstance(depth, str) and depth.strip().lower() == "auto"):
            return self, False
        return ModelArguments(self.words, {**self.options, "depth": None}), True


def formula_path(model: ModelArguments) -> str | None:
    """The formula's file, where the words name one; ``None`` for a game.

    A single word is a formula when a file of that name is one.  Raises ``InputError`` when it
    looks like a file that is not there.
    """
    from qsage_validate.formats import source
    from qsage_validate.games.languages import language_of

    if len(model.words) != 1:
        return None
    (word,) = model.words
    if word != source.STDIN and not os.path.exists(word):
        if os.sep in word or "." in word:
            # What is wrong with the file is said before what is wrong with the options.
            source.open_input(word).close()
        return None
    if language_of(word) is not None:
        return None
    if word != source.STDIN and source.sniff(word) is source.Format.UNKNOWN:
        from qsage_validate.games.family import families

        for declared in families():
            if declared.has(word):
                in_shell = word if shlex.quote(word) == word else "FILE"
                raise declared.family.off_board(source.label(word), in_shell)
        raise source.unknown_format(source.read_bytes(word), source.label(word), _EXPECTED)
    return word


def template_options() -> dict[str, TemplateOption]:
    """The options of all games by name; the first game says what an option means."""
    options: dict[str, TemplateOption] = {}
    for game in library_games():
        for template in game.options:
            options.setdefault(template.name, template)
    return options


def model_words(
    *, or_formula: bool = False, optional_words: str | None = None, file: str = "FORMULA"
) -> Any:
    """The arguments and options of a model, which a command gets as its ``ModelArguments``.

    With ``or_formula`` the help says that a formula's file may stand in its place;
    ``optional_words`` is the help of words that need not be there, ``file`` the name of a file
    that may stand in the place of a model.
    """
    text = _MODEL_HELP
    if or_formula:
        text = _FORMULA_HELP + _MODEL_HELP[0].lower() + _MODEL_HELP[1:]
    return _ModelWords(
        argument(
            optional_words or text,
            f"{file}|MODEL" if or_formula or optional_words else "MODEL",
            default=REQUIRED if optional_words is None else (),
            complete="models",
        )
    )


@dataclass(frozen=True)
class _ModelWords:
    """The words of a model, and the options of all games."""

    words: Any

    def parameters(self) -> Sequence[Parameter]:
        games = [_parameter(option) for option in template_options().values()]
        return [parameter("words", tuple[str, ...], self.words), *games]

    def gather(self, values: dict[str, Any]) -> ModelArguments:
        words: Sequence[str] = values.pop("words")
        options: Mapping[str, object] = {name: values.pop(name) for name in template_options()}
        if any(" " in word for word in words):
            from qsage_validate.problems.searched import taken_apart

            words, options = taken_apart(words, options)
        return ModelArguments(tuple(words), options)


def _parameter(template: TemplateOption) -> Parameter:
    """The command-line option for a template's option, read by the template itself."""
    is_flag = isinstance(template.kind, Flag)
    users = [g.name for g in library_games() if any(o.name == template.name for o in g.options)]
    scope = "" if len(users) == len(library_games()) else f" ({', '.join(users)})"
    declared = option(
        f"{template.help[0].upper()}{template.help[1:]}{scope}.",
        None if is_flag else template.name.upper().replace("_", "-"),
        template.flag,
        default=False if is_flag else None,
        panel="Game",
        complete="shapes" if template.name == "shape" else None,
    )
    made = parameter(template.name, bool if is_flag else str | None, declared)
    made.comes_last = True
    return made
