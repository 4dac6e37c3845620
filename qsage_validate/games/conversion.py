"""Games written in another language: the same plays, by other rules.

A language declares from which other ones it has models (``DeclaredLanguage.conversions``), and
:func:`converted` makes such a model.  ``comparing/compare.py`` holds both games against each other.

A positional game becomes a grid game whose goals are its winning sets, as section 5 of Shaik and
van de Pol 2023 has Hex.  The squares are those that the board is drawn with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import quoted
from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    BddlProblem,
    Condition,
    Coordinate,
    Domain,
    Model,
    SubCondition,
)
from qsage_validate.games.masks import members
from qsage_validate.games.model_text import GameModel, kind_of, languages
from qsage_validate.games.positional.hex import with_winning_sets
from qsage_validate.games.positional.model import Arrangement, PositionalModel
from qsage_validate.games.protocol import Move, Player, Square
from qsage_validate.registry import load


@dataclass(frozen=True)
class Conversion:
    """How models of one language become models of another one.

    ``make`` makes the model, of a model of the first language; ``said`` gives the moves that a move
    of the first game is in the second one, in their order: ``plies`` of them (a round of GDL is
    two plies).
    """

    make: Callable[[Any], GameModel]
    said: Callable[[Any, Move, Player], tuple[str, ...]]
    plies: int = 1


def conversion(source: str, target: str) -> Conversion | None:
    """The conversion from one language to another, if there is one."""
    known = languages().get(target)
    place = None if known is None else known.conversions.get(source)
    found: Conversion | None = None if place is None else load(place)
    return found


def converted(model: GameModel, target: str) -> GameModel:
    """The game in another language; raises ``UsageError`` where it cannot be written in that."""
    found = conversion(model.language, target)
    if found is None:
        names = [name for name in languages() if conversion(model.language, name)]
        expected = f"one of: {', '.join(names)}" if names else "a grid game or a positional game"
        raise UsageError(
            f"found {model.name}, a {kind_of(model.language)} game, to be written in "
            f"{quoted(target)}, expected {expected}"
        )
    return found.make(model)


# Positional games as grid games


OCCUPY: Final = "occupy"


def as_grid(given: PositionalModel) -> Model:
    """A positional game in BDDL: a board, one action, and a goal for each winning set.

    Networks have Black's minimal winning sets listed, of which there are so many only on small
    boards.  Sets that are larger than the stones that a player has, and sets with an opponent's
    stone, are left out; so are own stones within sets.  Raises ``UsageError`` for turns of several
    stones, for a goal that is reached at the beginning, and for too many winning sets.
    """
    turns = given.turns[: given.plies]
    if not turns or not _alternate(turns):
        raise UsageError(
            f"found turns of several stones, or none, in {given.name}, expected one stone a turn: "
            "BDDL has no others"
        )
    listed = with_winning_sets(given)
    arrangement = Arrangement.of(given.positions)
    goals = {
        player: tuple(
            _goal(player, arrangement, wins)
            for wins in _reachable(listed, player, listed.black_wins, listed.white_wins)
        )
        for player in Player
    }
    action = _occupy(Square.BLACK), _occupy(Square.WHITE)
    first = turns[0]
    problem = BddlProblem(
        arrangement.width,
        arrangement.height,
        tuple(
            (square, *arrangement.squares[k])
            for square, mask in ((Square.BLACK, given.black), (Square.WHITE, given.white))
            for k in members(mask)
        ),
        given.plies + (first is Player.WHITE),
        goals[Player.BLACK],
        goals[Player.WHITE],
        first,
    )
    return Model(Domain((action[0],), (action[1],)), problem, given.name)


def _alternate(turns: tuple[Player, ...]) -> bool:
    return all(one is not two for one, two in pairwise(turns))


def _reachable(
    model: PositionalModel, player: Player, black: tuple[int, ...], white: tuple[int, ...]
) -> list[int]:
    """The open positions of the winning sets that a player can still complete in time."""
    is_black = player is Player.BLACK
    wins, own = (black, model.black) if is_black else (white, model.white)
    other, stones = (model.white if is_black else model.black), model.moves_of(player)
    found = [win & ~own for win in wins if not win & other]
    if 0 in found:
        raise UsageError(
            f"found a goal of {player}'s that is reached at the beginning of {model.name}, "
            "expected a game that is open"
        )
    return [win for win in dict.fromkeys(found) if win.bit_count() <= stones]


def _occupy(square: Square) -> Action:
    here = Coordinate(Anchor.PARAMETER)
    return Action(
        OCCUPY, (SubCondition(Square.OPEN, here, here),), (SubCondition(square, here, here),)
    )


def _goal(player: Player, arrangement: Arrangement, wins: int) -> Condition:
    square = Square.BLACK if player is Player.BLACK else Square.WHITE
    cells = (arrangement.squares[k] for k in members(wins))
    return tuple(
        SubCondition(square, Coordinate(Anchor.ABSOLUTE, x), Coordinate(Anchor.ABSOLUTE, y))
        for x, y in cells
    )


def _said_as_grid(given: PositionalModel, move: Move, player: Player) -> tuple[str, ...]:
    x, y = Arrangement.of(given.positions).squares[given.number[str(move)]]
    return (f"{OCCUPY}({x},{y})",)


TO_GRID: Final = Conversion(as_grid, _said_as_grid)
