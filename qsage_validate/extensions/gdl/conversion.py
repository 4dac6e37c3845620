"""Games on grids, and positional games, in GDL.

The description is of one board and one depth: a ply is a round, in which the other role makes the
move ``noop``, and a fluent counts the rounds.  So it says what the rules of BDDL say of the last
ply, too: then White has held out, whether there would be another move or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from qsage_validate.extensions.gdl.model import GdlModel
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.games.bddl.model import Condition, Model
from qsage_validate.games.bddl.rules import BddlGame, BddlMove
from qsage_validate.games.conversion import TO_GRID, Conversion, as_grid
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Move, Player

NOOP: Final = "noop"

_TURNS: Final = """
(role black)
(role white)
(<= (legal black noop) (true (control white)))
(<= (legal white noop) (true (control black)))
(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))
(<= (next (cell ?x ?y ?content)) (true (cell ?x ?y ?content)) (not (changed ?x ?y)))
(<= black_won (true (control white)) (not (true (step 1))) black_goal)
(<= white_won (true (control black)) (not (true (step 1))) white_goal)
(<= can_move (true (control black)) (legal black ?move) (distinct ?move noop))
(<= can_move (true (control white)) (legal white ?move) (distinct ?move noop))
(<= black_wins black_won)
(<= black_wins (true (control white)) (not can_move) (not last))
(<= (goal black 100) black_wins)
(<= (goal black 0) (not black_wins))
(<= (goal white 100) (not black_wins))
(<= (goal white 0) black_wins)
(<= terminal black_won)
(<= terminal white_won)
(<= terminal (not can_move))
(<= terminal last)
"""


def grid_in_gdl(given: Model) -> GdlModel:
    """A game in BDDL as a game in GDL, with as many rounds as it has plies.

    Raises ``UsageError`` for a model whose rules cannot be executed.
    """
    text = "\n".join(_rules(BddlGame(given)))
    return GdlModel(parse_description(text, f"{given.name}.gdl"), given.plies, "black")


def _rules(game: BddlGame) -> Iterator[str]:
    yield _TURNS.strip()
    problem = game.model.problem
    yield f"(init (control {problem.first_player.value}))"
    yield "(init (step 1))"
    for ply in range(1, game.plies + 1):
        yield f"(<= (next (step {ply + 1})) (true (step {ply})))"
    yield f"(<= last (true (step {game.plies + 1})))"
    pieces = {(x, y): square.name.lower() for square, x, y in problem.initial}
    for y in range(1, problem.height + 1):
        for x in range(1, problem.width + 1):
            yield f"(init (cell {x} {y} {pieces.get((x, y), 'open')}))"
    for player in Player:
        yield from _moves(game, player)
        yield from _goals(game, player)


def _moves(game: BddlGame, player: Player) -> Iterator[str]:
    actions = {action.name: action for action in game.model.domain.actions(player)}
    role = player.value
    for ground in game.grounding.actions[player]:
        move = game.move_table[player][ground.number]
        action, term = actions[move.action], _term(move)
        body = _conjunction(game.model, action.precondition, move.x, move.y)
        yield f"(<= (legal {role} {term}) (true (control {role})){body})"
        for square, content in _put(game.model, action.effect, move.x, move.y).items():
            where = f"{square[0]} {square[1]}"
            yield f"(<= (next (cell {where} {content})) (does {role} {term}))"
            yield f"(<= (changed {where}) (does {role} {term}))"


def _put(model: Model, effect: Condition, x: int, y: int) -> dict[tuple[int, int], str]:
    """What stands on each square that a move changes."""
    width, height = model.problem.width, model.problem.height
    return {
        (part.x.at(x, width), part.y.at(y, height)): part.predicate.name.lower() for part in effect
    }


def _goals(game: BddlGame, player: Player) -> Iterator[str]:
    goals = game.model.problem.goals(player)
    found = (
        f"(<= {player.value}_goal{_conjunction(game.model, goals[ground.condition], *place)})"
        for ground in game.grounding.goals[player]
        for place in [(ground.x, ground.y)]
    )
    # A goal without parameters is the same at every place.
    yield from dict.fromkeys(found)


def _conjunction(model: Model, condition: Condition, x: int, y: int) -> str:
    width, height = model.problem.width, model.problem.height
    parts = []
    for part in condition:
        square = part.predicate.name.lower()
        atom = f"(true (cell {part.x.at(x, width)} {part.y.at(y, height)} {square}))"
        parts.append(f" (not {atom})" if part.negated else f" {atom}")
    return "".join(parts)


def _term(move: BddlMove) -> str:
    return f"({move.action} {move.x} {move.y})"


def _said(model: Model, move: Move, player: Player) -> tuple[str, ...]:
    assert isinstance(move, BddlMove)
    return _round(_term(move), player)


def _round(term: str, player: Player) -> tuple[str, str]:
    return (term, NOOP) if player is Player.BLACK else (NOOP, term)


FROM_GRID: Final = Conversion(grid_in_gdl, _said, plies=2)


def positional_in_gdl(model: PositionalModel) -> GdlModel:
    """A positional game as a game in GDL; raises as :func:`~.conversion.as_grid` does."""
    return grid_in_gdl(as_grid(model))


def _said_positional(model: PositionalModel, move: Move, player: Player) -> tuple[str, ...]:
    (text,) = TO_GRID.said(model, move, player)
    name, _, place = text.rstrip(")").partition("(")
    x, _, y = place.partition(",")
    return _round(f"({name} {x} {y})", player)


FROM_POSITIONAL: Final = Conversion(positional_in_gdl, _said_positional, plies=2)
