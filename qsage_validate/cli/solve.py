"""``qsage solve``: who wins, by search on the rules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from qsage_validate.cli.common import JsonOption, emit, emit_json
from qsage_validate.cli.model_arguments import ModelArguments, takes_model
from qsage_validate.cli.search_progress import SearchLine
from qsage_validate.errors import Exit

if TYPE_CHECKING:
    from qsage_validate.solvers.search import Limits, SearchResult

# A position of the search's table with its bounds, as measured on CPython.
_BYTES_A_POSITION = 150

TimeoutOption = Annotated[
    float | None, typer.Option(min=0, metavar="SECONDS", help="Give up after so many seconds.")
]
MemoryOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="MB", help="Give up when the search's table is that large."),
]


@takes_model
def command(
    model: ModelArguments,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    json_output: JsonOption = False,
) -> Exit:
    """Say who wins MODEL within its depth and by which first move.

    The answer comes from a search on the rules. Exit code 10: Black wins (the formula is
    true), 20: White (false), 3: undecided within the limits.
    """
    from qsage_validate.games.protocol import Player
    from qsage_validate.games.registry import load_game
    from qsage_validate.solvers.search import Solver

    game = load_game(model.resolve())
    with SearchLine(sys.stderr) as line:
        limits = search_limits(timeout, memory)
        result = Solver(game, limits=limits, progress=line.progress).solve()
    if json_output:
        emit_json(_as_json(result) | {"game": game.name, "plies": game.plies})
    else:
        emit(_as_text(result))
    if result.winner is None:
        return Exit.UNDECIDED
    return Exit.TRUE if result.winner is Player.BLACK else Exit.FALSE


def search_limits(timeout: float | None, memory: int | None) -> Limits:
    """The limits of a search for ``timeout`` seconds and a table of ``memory`` megabytes."""
    from qsage_validate.solvers.search import Limits

    return Limits(timeout, None if memory is None else memory * 1_000_000 // _BYTES_A_POSITION)


def _as_text(result: SearchResult) -> str:
    if result.winner is None:
        return result.reason
    wins = f"{result.winner} wins"
    verdict = result.reason if result.reason.startswith(wins) else f"{wins}: {result.reason}"
    return verdict + (f"; first move {result.first_moves[0]}" if result.first_moves else "")


def _as_json(result: SearchResult) -> dict[str, object]:
    return {
        "winner": None if result.winner is None else result.winner.value,
        "reason": result.reason,
        "critical_plies": result.critical_plies,
        "first_moves": [str(move) for move in result.first_moves],
        "nodes": result.nodes,
        "positions": result.positions,
        "seconds": round(result.seconds, 3),
    }
