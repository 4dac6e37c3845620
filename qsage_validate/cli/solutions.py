"""Solution files on the command line: ``solve --solution``, ``validate --solution``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from qsage_validate.cli.common import SearchLine, emit, emit_json, narrate
from qsage_validate.errors import Exit, Undecided, UndecidedError, UsageError
from qsage_validate.system.limits import Limits, Progress, Tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qsage_validate.games.model_text import GameModel
    from qsage_validate.games.protocol import Player
    from qsage_validate.solutions.check import CheckedSolution
    from qsage_validate.solutions.file import SolutionClaim
    from qsage_validate.solvers.deepening import Deepened
    from qsage_validate.solvers.search.solver import SearchSolver


def write_solution(
    path: str, model: GameModel, solver: SearchSolver, winner: Player | None
) -> None:
    """Write the solution that a search has found; without a ``winner`` there is none."""
    if winner is None:
        narrate(f"{path} is not written: nobody is known to win")
        return
    from qsage_validate.solvers.search.solution import solution_of

    with SearchLine(sys.stderr) as line:
        solver.tell = line.tell
        solution = solution_of(model, solver, winner)
    _save(solution, path)


def write_solution_at(
    path: str, found: Deepened, limits: Limits, solver: SearchSolver | None = None
) -> None:
    """Write the solution at the critical depth, or at the last depth where Black wins at none.

    ``solver`` has searched the game at another depth; without it the game is searched anew.
    """
    from qsage_validate.solvers.search.solution import find_solution

    black = found.within if found.critical is None else found.critical
    plies = black if found.truth else found.refuted
    if found.truth is None or plies is None:
        narrate(f"{path} is not written: nobody is known to win")
        return
    with SearchLine(sys.stderr) as line:
        solution = find_solution(found.depths.at(plies), limits, line.tell, known=solver)
    _save(solution, path)


def _save(solution: SolutionClaim, path: str) -> None:
    solution.save(path)
    narrate(f"{path}: {solution.winner}'s replies in {solution.positions:,} positions")


def validate_solution(path: str, model: Sequence[str], limits: Limits, json_output: bool) -> Exit:
    """Walk through all plays of a solution; ``model`` are words that mean the game it has to be.

    Raises ``InputError`` for a file that is none, ``UsageError`` for one of another game.
    """
    with SearchLine(sys.stderr) as line:
        if limits.memory_mb is None:
            checked = _check(line.tell, path, tuple(model), limits)
        else:
            from qsage_validate.system.pool import run_job

            def receive(sent: object) -> None:
                if isinstance(sent, Progress):
                    line.tell(sent)

            outcome = run_job(_check, path, tuple(model), limits, limits=limits, receive=receive)
            if isinstance(outcome, Undecided):
                raise UndecidedError(str(outcome))
            checked = outcome
    if json_output:
        emit_json({"solution": path} | checked.to_dict())
        return checked.exit_code
    if checked.proved:
        emit(f"{checked.text} ({checked.seconds:.2f} s)")
        emit(f"  checked: {checked.hypotheses}")
    else:
        emit(checked.text)
        emit(f"  play: {' '.join(checked.play) or 'no move'}")
    return checked.exit_code


def _check(tell: Tell, path: str, model: tuple[str, ...], limits: Limits) -> CheckedSolution:
    from qsage_validate.solutions.check import check
    from qsage_validate.solutions.file import read_solution

    solution = read_solution(path)
    if model:
        check_is_of(solution, model)
    return check(solution, deadline=limits.deadline, tell=tell)


def check_is_of(solution: SolutionClaim, words: Sequence[str]) -> None:
    """Raise ``UsageError`` where ``words`` mean another game, or the game with another depth."""
    from qsage_validate.games.registry import find_command

    wanted = find_command(words, solution.model.language)
    own = solution.model
    if wanted.language != own.language or wanted.fingerprint() != own.fingerprint():
        raise UsageError(
            f"found a solution of {solution.game.name} in {solution.path}, expected one of "
            f"{wanted.name}"
        )
    if wanted.depth != own.depth:
        raise UsageError(
            f"found a solution of {solution.game.name} at depth {own.depth} in {solution.path}, "
            f"expected depth {wanted.depth}"
        )
