"""The subject of a command that takes a formula or a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qsage_validate.cli.common import narrate
from qsage_validate.cli.model_arguments import ModelArguments
from qsage_validate.cli.options import FormulaOptions, prenex_order
from qsage_validate.errors import InputError, UsageError

if TYPE_CHECKING:
    from qsage_validate.api.formulas import Formula
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.problems.load import Files, Problem

AUTO_DEPTH = "auto"


def game_formula(
    model: GameModel,
    words: Sequence[str],
    encoding: str | None,
    *,
    by_name: bool,
    files: Files | None = None,
) -> Formula:
    """The formula of a game that ``words`` mean; ``files`` say how it is played.

    ``by_name`` says that the words are the name of a game of the library and its options.  Raises
    ``UsageError`` for an encoding that is not one of the game's.
    """
    from qsage_validate.api.formulas import Formula
    from qsage_validate.api.games import Game
    from qsage_validate.encodings.registry import encode
    from qsage_validate.games.languages import load_game
    from qsage_validate.problems.load import BoardProblem, Files

    encoded = encode(model, encoding)
    named = (*words, *(() if encoding is None else ("--encoding", encoding)))
    played = replace(files or Files(), made_from=named)
    problem = BoardProblem(played, encoded.qbf, None, encoded.layout, load_game(encoded.model))
    return Formula(problem, Game(encoded.model, tuple(words), by_name=by_name), encoded)


def load_formula(path: str, model: ModelArguments, options: FormulaOptions) -> Problem:
    """Read a formula and, if there is one, its layout.

    Raises ``InputError``, and ``UsageError`` for options of games.  A meta file that only
    happens to lie beside the formula and does not fit is told of and not used.
    """
    from qsage_validate.formats.source import label
    from qsage_validate.problems.load import Files, load

    given = [k for k, v in model.options.items() if v is not None and v is not False]
    if given:
        names = ", ".join("--" + name.replace("_", "-") for name in given)
        raise UsageError(f"found {names} with the formula {label(path)}, which is no game")
    files = Files(formula=path, meta=options.meta, prenex=prenex_order(options.prenex))
    try:
        problem = load(files)
    except InputError as error:
        # A layout in the formula itself, or one that was named, is an error.
        if options.meta is not None or error.file is None or not error.file.endswith(".meta"):
            raise
        narrate(f"{error}; the formula is taken without a layout")
        problem = load(replace(files, as_blocks=True))
    if problem.formula is not None and problem.formula.prenexed is not None:
        narrate(f"{label(path)}: {problem.formula.prenexed}")
    return problem


def without_depth(model: ModelArguments) -> tuple[ModelArguments, bool]:
    """The arguments without ``--depth auto``, and whether that was there."""
    depth = model.options.get("depth")
    if not (isinstance(depth, str) and depth.strip().lower() == AUTO_DEPTH):
        return model, False
    options: Mapping[str, object] = {**model.options, "depth": None}
    return ModelArguments(model.words, options), True
