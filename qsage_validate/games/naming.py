"""Names of games for sentences: what a sentence says of a game follows from the game's rules.

A model carries a name, which is whatever its file says.  Only a game that has the very rules of
the library's game of this name is called so; any other is described, and the name is its label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from qsage_validate.errors import UsageError, one_line
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.library.template import BoardSize, Flag, Template, TemplateOption
from qsage_validate.games.model_text import GameModel

_LONGEST = 60


def name_of(model: GameModel) -> str:
    """The name of a game for a sentence: ``httt 3x3 tic``, ``hex 3x3 --second``.

    For a game that is none of the library ``the 3x3 grid game labelled "hex 4x4"``.
    """
    found = next(_as_in_library(model), None)
    named = f"the {model.in_words} {labelled(model.name)}" if found is None else found
    return " ".join([named, *(f"--{option} {value}" for option, value in model.question.items())])


def labelled(name: str) -> str:
    """``labelled "NAME"``: the quotes show where the label ends, whatever it contains."""
    shown = one_line(" ".join(name.split()), _LONGEST).replace("\\", "\\\\").replace('"', '\\"')
    return f'labelled "{shown}"'


def _as_in_library(model: GameModel) -> Iterator[str]:
    """The name with the flags that it does not tell, for each way to build the same model."""
    tokens = model.name.split()
    if " ".join(tokens) != model.name:
        return
    for game in library_games():
        if not set(game.names) & set(tokens):
            continue
        for template in game.templates:
            if template.language != model.language:
                continue
            for values in _values(template, model, [t for t in tokens if t not in game.names]):
                try:
                    built = template.build(values)
                except UsageError:
                    continue
                if built.name == model.name and _rules(built) == _rules(model):
                    untold = [
                        option.flag
                        for option in template.options
                        if values.get(option.name) is True and _word(option) not in tokens
                    ]
                    yield " ".join([model.name, *untold])


def _values(
    template: Template, model: GameModel, tokens: Sequence[str]
) -> Iterator[Mapping[str, object]]:
    """The options that the words of a name may mean; each flag that no word tells is tried."""
    told: dict[str, object] = {"depth": model.depth, **model.question}
    flags = [option for option in template.options if isinstance(option.kind, Flag)]
    words = {_word(option) for option in template.options}
    told |= {option.name: True for option in flags if _word(option) in tokens}
    for token in tokens:
        if token in words:
            continue
        fitting = (
            option
            for option in template.options
            if option.name not in told and option.kind.read(token) is not None
        )
        option = next(fitting, None)
        if option is None:
            return
        value = option.kind.read(token)
        size = value if isinstance(option.kind, BoardSize) and isinstance(value, tuple) else None
        if size is not None and size[0] * size[1] != model.squares:
            return  # spares the making of a large board
        told[option.name] = token
    untold = [option.name for option in flags if option.name not in told]
    for chosen in product((False, True), repeat=len(untold)):
        yield told | dict(zip(untold, chosen, strict=True))


def _word(option: TemplateOption) -> str:
    """The word that tells a flag, or that stands before a number, in a name."""
    return option.name.replace("_", "-")


def _rules(model: GameModel) -> Mapping[str, str]:
    """The text of a model without its name."""
    return {part: text for part, text in model.parts().items() if part != "name"}
