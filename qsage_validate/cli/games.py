"""``qsage games``: the games that have a name, and their options."""

from __future__ import annotations

from qsage_validate.cli import completion
from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import emit, emit_json
from qsage_validate.cli.options import JsonOption
from qsage_validate.cli.parameters import argument, flag
from qsage_validate.errors import Exit, UsageError
from qsage_validate.games.declared import kind_of, languages
from qsage_validate.games.family import families
from qsage_validate.games.library.template import (
    Flag,
    LibraryGame,
    SquareName,
    TemplateOption,
    option_values,
)


@subcommand(
    "qsage games",
    "qsage games httt",
)
def command(
    name: str | None = argument(
        "One game; all of them if left out.", "GAME", default=None, complete=completion.games
    ),
    encodings: bool = flag("List instead the encodings of each kind of game."),
    json_output: JsonOption = False,
) -> Exit:
    """List the games by name with their options; or the encodings.

    Impartial games come last; they are for 'qsage synthesize' and 'qsage play'.
    """
    from qsage_validate.games.library.catalogue import library_games
    from qsage_validate.games.registry import find_game

    if encodings:
        if name is not None:
            raise UsageError(f"found {name} with --encodings, expected one of them")
        return _tell_encodings(json_output)
    chosen = library_games() if name is None else (find_game(name),)
    listed = {
        own: [] if name is not None else [(game.name, game.help) for game in own.family.listed()]
        for own in families()
    }
    if json_output:
        rows = {
            own.name: [{"name": each, "help": text} for each, text in games]
            for own, games in listed.items()
        }
        emit_json({"games": [_as_json(game) for game in chosen], **rows})
        return Exit.FINE
    texts = [_as_text(game) for game in chosen]
    for own, games in listed.items():
        if games:
            width = max(len(each) for each, _ in games)
            lines = [f"  {each:{width}}  {text}" for each, text in games]
            texts.append("\n".join([own.about, *lines, f"  {own.more}"]))
    emit("\n\n".join(texts))
    return Exit.FINE


def _tell_encodings(json_output: bool) -> Exit:
    from qsage_validate.encodings.registry import encoders

    known = {own.kind: encoders(language) for language, own in languages().items()}
    if json_output:
        emit_json({"encodings": known})
        return Exit.FINE
    texts = []
    for kind, names in known.items():
        width = max(map(len, names), default=0)
        lines = [f"  {name:{width}}  {text}" for name, text in names.items()]
        texts.append("\n".join([f"{kind} games (the first is the usual one)", *lines]))
    emit("\n\n".join(texts))
    return Exit.FINE


def default_text(game: LibraryGame, option: TemplateOption) -> str:
    """The default of an option, as it would be written on the command line."""
    template = next(t for t in game.templates if option in t.options)
    value = option_values(template.options, {}, game.name)[option.name]
    if isinstance(value, tuple):
        return (",".join if isinstance(option.kind, SquareName) else "x".join)(map(str, value))
    return str(value)


def _expected(game: LibraryGame, option: TemplateOption) -> str:
    """The values of an option, and the additional ones of templates that take more."""
    found = {
        o.kind.expected: kind_of(template.language)
        for template in game.templates
        for o in template.options
        if o.name == option.name
    }
    first, *others = found
    return "; ".join([first, *(f"with {found[other]} encodings {other}" for other in others)])


def _as_text(game: LibraryGame) -> str:
    name, *others = game.names
    lines = [name + (f" (or {', '.join(others)})" if others else ""), f"  {game.help}"]
    for option in game.options:
        kind = game.only_in(option)
        text = f"  {option.flag}: {option.help}" + (f" ({kind} encodings)" if kind else "")
        if not isinstance(option.kind, Flag):
            default = default_text(game, option)
            text += f", {_expected(game, option)}" + (f" (default {default})" if default else "")
        lines.append(text)
    return "\n".join(lines)


def _as_json(game: LibraryGame) -> dict[str, object]:
    return {
        "name": game.name,
        "other_names": list(game.names[1:]),
        "help": game.help,
        "options": [
            {
                "option": option.flag,
                "help": option.help,
                "expected": _expected(game, option),
                "default": None if isinstance(option.kind, Flag) else default_text(game, option),
                "encodings": game.only_in(option) or None,
            }
            for option in game.options
        ],
    }
