"""The games by name, and the models that words of the command line mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import path

from qsage_validate.errors import UsageError, counted, did_you_mean
from qsage_validate.formats.source import STDIN, Format, label, quoted, sample_words, sniff
from qsage_validate.games.bddl.language import BDDL
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.languages import language_of
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.library.template import Flag, LibraryGame, plain
from qsage_validate.games.model_text import GameModel


def find_game(name: str) -> LibraryGame:
    """The game of the library called ``name`` (case and ``_`` for ``-`` do not matter).

    Raises ``UsageError`` with the list of names.
    """
    wanted = plain(name)
    for game in library_games():
        if wanted in game.names:
            return game
    from qsage_validate.games.family import families

    names = [name for game in library_games() for name in game.names]
    for declared in families():
        if wanted in declared.family.every_name():
            raise declared.family.off_board(name, wanted)
        names += declared.family.every_name()
    sample = f"sample:{wanted}"
    is_sample = sample in sample_words()
    near = did_you_mean(*((sample, sample_words()) if is_sample else (wanted, names)))
    raise UsageError(
        f"found the unknown game {quoted(name)}{near}, expected DOMAIN and "
        f"PROBLEM files or one of {_names()}"
    )


def is_game_name(name: str) -> bool:
    """True if the library has a game called ``name``."""
    return any(plain(name) in game.names for game in library_games())


def _names() -> str:
    return ", ".join(game.name for game in library_games())


def find_model(
    words: Sequence[str], options: Mapping[str, object], language: str | None = None
) -> GameModel:
    """The model that ``words`` mean: files, or a game's name with its options.

    Two files are a domain and a problem of BDDL; one is a positional game (PG, ``.hex``) or a game
    in GDL.  Options that are ``None`` or ``False`` are not given.  ``language`` chooses among the
    languages of a named game; else its options do.  Raises ``UsageError`` for words and options
    that do not fit, ``InputError`` for bad files.
    """
    if len(words) == 1:
        (word,) = words
        if _is_file(word):
            return _model_of_file(word, options)
        return find_game(word).build(plain(word), options, language)
    if len(words) != 2:
        found = "no game" if not words else counted(len(words), "word")
        raise UsageError(f"found {found}, expected {_expected()}")
    names = {name for game in library_games() for name in game.names}
    if any(not _is_file(word) and word.lower() in names for word in words):
        raise UsageError(
            f"found {' and '.join(map(quoted, words))}, expected the name of one game "
            "(its parameters are options) or two files"
        )
    return BDDL.read(words, options)


def _expected() -> str:
    return f"a file (PG, .hex, SGF, GDL), DOMAIN and PROBLEM files, or one of {_names()}"


def resolve_command(words: Sequence[str]) -> Model:
    """:func:`find_command` where a grid game is needed; ``UsageError`` for one of another kind."""
    return BDDL.own(find_command(words))


def find_command(words: Sequence[str], language: str | None = None) -> GameModel:
    """The model of words as they stand on a command line, options among them.

    ``["httt", "--size", "4x4", "--shape", "tic"]`` or ``["domain.ig", "problem.ig"]``; errors as
    in :func:`find_model`.
    """
    names, options = words_and_options(words)
    return find_model(names, options, language)


def words_and_options(words: Sequence[str]) -> tuple[list[str], dict[str, object]]:
    """The names among words, and the options by theirs; raises ``UsageError``."""
    names: list[str] = []
    options: dict[str, object] = {}
    flags = {
        option.name
        for game in library_games()
        for option in game.options
        if isinstance(option.kind, Flag)
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
    return names, options


def _is_file(name: str) -> bool:
    return name == STDIN or path.exists(name)


def _model_of_file(name: str, options: Mapping[str, object]) -> GameModel:
    language = language_of(name)
    if language is None:
        found = sniff(name)
        kind = "a file of no known format" if found is Format.UNKNOWN else found.value
        raise UsageError(f"found {quoted(label(name))} ({kind}), expected {_expected()}")
    model: GameModel = language.read([name], options)
    return model
