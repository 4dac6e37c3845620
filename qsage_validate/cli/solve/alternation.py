"""``qsage solve --depth auto --alternate``: who wins a positional game, asked for both players."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsage_validate.cli.common import SearchLine, emit, emit_json, narrate
from qsage_validate.cli.solve.deepening import DeepeningOptions
from qsage_validate.cli.solve.method import SolveMethod, exit_of
from qsage_validate.errors import Exit, UndecidedError
from qsage_validate.system.limits import Deadline
from qsage_validate.system.progress import Progress

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.games.positional.model import PositionalModel
    from qsage_validate.solvers.alternation import Alternated
    from qsage_validate.solvers.qbf.solving import Solved
    from qsage_validate.solvers.search.maker_maker import BlockingSearch

ALTERNATES = "cor-lean"
"""The usual encoding of the question whether Black wins."""
_SECONDS = 60.0


def solve_alternating(
    model: GameModel,
    method: SolveMethod,
    encoding: str | None,
    options: DeepeningOptions,
    json_output: bool,
) -> Exit:
    """Ask for Black's win and White's pairing in turn, by formulas or by search."""
    from qsage_validate.games.positional.language import POSITIONAL
    from qsage_validate.games.positional.paths import with_all_winning_sets
    from qsage_validate.games.protocol import Player
    from qsage_validate.solvers.alternation import (
        AlternationFile,
        alternate,
        black_by_formulas,
        black_by_search,
        white_by_formulas,
        white_by_search,
    )
    from qsage_validate.solvers.deepening import SEARCH
    from qsage_validate.solvers.search.maker_maker import BlockingSearch

    model = with_all_winning_sets(POSITIONAL.own(model, "--alternate with "))
    asked_in = SEARCH if method.searches else encoding or ALTERNATES
    resume = options.resume
    file = None if resume is None else AlternationFile(resume, model, asked_in)
    with SearchLine(sys.stderr) as line:
        asked = ""

        def tell(progress: Progress) -> None:
            nonlocal asked
            asked = str(progress)
            line.tell(progress)

        def solve(formula: Qbf, deadline: Deadline) -> Solved:
            return method.until(deadline).solve(
                formula, lambda what: line.tell(Progress(f"{asked} {what}"))
            )

        pairs = BlockingSearch(model)
        if method.searches:
            black, white = black_by_search(), white_by_search(pairs)
        else:
            black = black_by_formulas(asked_in, solve)
            white = white_by_formulas(solve)
        deadline = method.limits.deadline
        found = alternate(
            model, black, white, last=options.max_depth, deadline=deadline, file=file, tell=tell
        )
    for turn in found.turns:
        what = "wins" if turn.player is Player.BLACK else "blocks"
        verdict = {True: "yes", False: "no", None: "undecided"}[turn.truth]
        by = f"{turn.said_by}, {turn.seconds:.2f} s"
        narrate(f"{turn.player} {what} within {turn.plies}: {verdict} ({by})")
    _tell(found, _replies(found, pairs, deadline.sooner(_SECONDS)), json_output)
    return exit_of(None if found.winner is None else found.winner is Player.BLACK)


def _tell(found: Alternated, replies: list[_Reply], json_output: bool) -> None:
    from qsage_validate.games.naming import name_of
    from qsage_validate.games.protocol import Player

    pairs = _first_pairs(found.model) if found.winner is Player.WHITE and found.plies == 0 else None
    if json_output:
        emit_json(
            {
                "game": name_of(found.model),
                "winner": None if found.winner is None else found.winner.value,
                "plies": found.plies,
                "reason": found.why,
                "first_moves": [found.first_move] if found.first_move else [],
                "pairs": None if pairs is None else [list(pair) for pair in pairs[0]],
                "replies": [
                    {"to": reply.to, "move": reply.move, "pairs": reply.pairs} for reply in replies
                ],
                "answers": [
                    {
                        "player": turn.player.value,
                        "plies": turn.plies,
                        "truth": turn.truth,
                        "by": turn.by,
                        "taken_from": turn.taken_from or None,
                        "seconds": round(turn.seconds, 3),
                    }
                    for turn in found.turns
                ],
            }
        )
        return
    emit(found.why + (f"; first move {found.first_move}" if found.first_move else ""))
    if pairs is not None:
        emit(f"White answers in the pair that Black plays in:\n{pairs[1]}")
    for reply in replies:
        emit(
            f"to {reply.to} White answers {reply.move}" + (f":\n{reply.text}" if reply.text else "")
        )


@dataclass(frozen=True, slots=True)
class _Reply:
    """White's answer to a first move, and the pairs that White has then, if it has, drawn."""

    to: str
    move: str
    pairs: list[list[str]] | None
    text: str


def _replies(found: Alternated, search: BlockingSearch, deadline: Deadline) -> list[_Reply]:
    """White's answers to Black's first moves, for a block that is no pairing at once."""
    from qsage_validate.games.protocol import Player
    from qsage_validate.strategies.pairing_strategy import PairingStrategy

    if found.winner is not Player.WHITE or not found.plies:
        return []
    # White is to hold out on the whole board, whatever number of plies the file gives.
    model = found.model.at_depth(found.model.open.bit_count())
    try:
        strategy = PairingStrategy(model, found.plies, search=search, deadline=deadline)
    except UndecidedError as error:
        narrate(f"White's moves are not shown: {error}")
        return []
    replies = []
    for first, answer, pairing in strategy.answers():
        names = text = None
        if pairing is not None:
            black, white = model.mask([first.name]), model.mask([answer.name])
            names = [list(pair) for pair in pairing.names(model)]
            text = pairing.text(model, model.black | black, model.white | white)
        replies.append(_Reply(first.name, answer.name, names, text or ""))
    return replies


def _first_pairs(model: PositionalModel) -> tuple[tuple[tuple[str, str], ...], str] | None:
    """White's pairs on the board as it begins, by name and drawn."""
    from qsage_validate.games.positional.pairing import PairingFinder

    pairing = PairingFinder(model).find(model.black, model.white)
    if pairing is None:
        return None
    return pairing.names(model), pairing.text(model, model.black, model.white)
