"""``qsage count``: in how many ways a game or a formula is won."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import emit, emit_json
from qsage_validate.cli.encode import load_formula
from qsage_validate.cli.model_arguments import ModelArguments, formula_path, model_words
from qsage_validate.cli.options import FormulaOptions, JsonOption, TimeoutOption
from qsage_validate.cli.parameters import option
from qsage_validate.errors import Exit, MissingExtraError, UsageError
from qsage_validate.formats.source import label
from qsage_validate.system.limits import Deadline, Limits

if TYPE_CHECKING:
    from qsage_validate.extensions.count.counting import FormulaCount, GameCount


@subcommand("qsage count httt --size 3x3 --shape el --depth 5", "qsage count f.qcir")
def command(
    *,
    model: ModelArguments = model_words(or_formula=True),
    read: FormulaOptions,
    timeout: TimeoutOption = None,
    positions: int = option("The most positions of a game.", "N", min=1, default=1_000_000),
    nodes: int = option(
        "The most nodes of a formula's decision diagram.", "N", min=1, default=300_000
    ),
    json_output: JsonOption = False,
) -> Exit:
    """Count winning first moves, assignments, strategies.

    Of a game: how many first moves win for the player who makes them, and how many strategies the
    winner has. Of a formula: how many assignments of the outermost block win for its player, and
    how many tuples of Skolem functions (Herbrand functions, where it is false) there are. A
    strategy is a tree of replies, which may depend on the whole play.

    The numbers are exact, or bounds where they are too large to be written. Exit code 10: true
    (Black wins), 20: false (White wins), 3: undecided within the limits.
    """
    from qsage_validate.extensions.count.counting import count_formula, count_game

    limits = Limits(Deadline.after(timeout), positions=positions)
    path = formula_path(model)
    if path is None:
        from qsage_validate.games.languages import load_game

        if read.meta is not None:
            raise UsageError("found --meta with a game, which has its layout")
        game = load_game(model.resolve())
        return _show_game(game.name, count_game(game, limits), json_output)
    if find_spec("dd") is None:
        raise MissingExtraError("counting in a formula", "count")
    formula = load_formula(path, model, read).qbf
    return _show_formula(label(path), count_formula(formula, limits, nodes), json_output)


def _show_game(name: str, found: GameCount, json_output: bool) -> Exit:
    won = found.first_moves
    if json_output:
        emit_json(
            {
                "game": name,
                "winner": found.winner.value,
                "first_moves": list(won),
                "legal_first_moves": found.legal,
                "strategies": found.strategies.to_dict(),
            }
        )
    else:
        moves = f": {', '.join(won)}" if won else ""
        emit(f"{found.winner} wins {name}")
        emit(f"first moves that win: {len(won)} of {found.legal}{moves}")
        emit(f"strategies of {found.winner} that win: {found.strategies}")
    return Exit.TRUE if found.winner.value == "black" else Exit.FALSE


def _show_formula(name: str, found: FormulaCount, json_output: bool) -> Exit:
    word = {True: "true", False: "false", None: "undecided"}[found.truth]
    kind = {True: "Skolem ", False: "Herbrand ", None: ""}[found.truth]
    if json_output:
        emit_json(
            {
                "formula": name,
                "verdict": word,
                "outermost": found.outermost,
                "outermost_variables": found.variables,
                "quantifier": found.outer.value,
                "strategies": found.strategies.to_dict(),
                "reason": found.why,
            }
        )
    else:
        emit(f"{name}: {word}" + (f": {found.why}" if found.why else ""))
        if found.outermost is not None:
            block = f"assignments of the outermost block ({found.outer.value}) that win"
            emit(f"{block}: {found.outermost:,} of 2^{found.variables}")
        emit(f"tuples of {kind}functions: {found.strategies}")
    return {True: Exit.TRUE, False: Exit.FALSE, None: Exit.UNDECIDED}[found.truth]
