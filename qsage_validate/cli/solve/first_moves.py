"""``qsage solve --first-moves all``: every first move that wins."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from qsage_validate.cli.common import SearchLine, narrate
from qsage_validate.cli.solve.method import SolveMethod

if TYPE_CHECKING:
    from qsage_validate.encodings.encoding import Encoding
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.problems.load import Problem


class HowMany(str, Enum):
    """How many winning first moves are named."""

    ONE = "one"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Named:
    """The first moves that are known to win; ``whole`` says that these are all."""

    moves: tuple[str, ...]
    whole: bool

    def text(self, within: str = "") -> str:
        """The end of a sentence about who wins, by moves that win ``within`` some plies."""
        if not self.moves:
            return "no first move wins" if self.whole else "no winning first move is known"
        which = "first move that wins" if len(self.moves) == 1 else "first moves that win"
        more = "" if self.whole else ", and perhaps more"
        return f"{which}{within}: {', '.join(self.moves)}{more}"

    @property
    def facts(self) -> dict[str, object]:
        """The keys of JSON."""
        return {"first_moves": list(self.moves), "all_first_moves": self.whole}


def by_solver(problem: Problem, truth: bool, method: SolveMethod) -> Named:
    """The first moves of a formula with that value, each asked of a solver."""
    from qsage_validate.certificates.routes.routes import RouteOptions
    from qsage_validate.comparing.compare import first_moves
    from qsage_validate.comparing.exact import value_by_solver

    value = value_by_solver(RouteOptions(solver=method.solver, limits=method.limits))
    with SearchLine(sys.stderr) as line:
        found = first_moves(problem, truth, value, line.tell)
    if found.why:
        left = sum(wins is None for wins in found.wins.values())
        narrate(f"{left} of {len(found.wins)} first moves are open: {found.why}")
    return Named(found.winning, not found.why)


def by_encoding(encoded: Encoding, truth: bool, method: SolveMethod) -> Named:
    """The first moves in the formula of a game."""
    from qsage_validate.games.languages import load_game
    from qsage_validate.problems.files import Files
    from qsage_validate.problems.load import BoardProblem

    game = load_game(encoded.model)
    problem = BoardProblem(Files(), encoded.qbf, None, encoded.layout, game)
    return by_solver(problem, truth, method)


def by_search(model: GameModel, method: SolveMethod) -> Named:
    """The first moves that win a game within its depth, by a search of it."""
    from qsage_validate.games.languages import load_game
    from qsage_validate.solvers.search.solver import EngineChoice, search_for

    with SearchLine(sys.stderr) as line:
        solver = search_for(
            load_game(model),
            limits=method.limits,
            tell=line.tell,
            engine=EngineChoice(method.engine.value),
        )
        found = solver.solve(all_first_moves=True)
    return Named(tuple(map(str, found.first_moves)), found.all_first_moves)
