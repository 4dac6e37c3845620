"""The fewest plies in which Black wins, for every position, by the definitions alone."""

from __future__ import annotations

from qsage_validate.games.bddl.model import Model
from qsage_validate.games.protocol import Player, Square
from tests.support import naive_rules as naive

Key = tuple[tuple[Square, ...], Player]


class TooManyError(Exception):
    """More positions than were to be looked at."""


def exact_plies(model: Model, most: int = 4000) -> dict[Key, int | None]:
    """For each position in which a play goes on the fewest plies, ``None`` where Black never wins.

    Squares are row by row.  Layer by layer as Definition 10 says, until nothing is added: what
    is in no layer then is in none.  Raises ``TooManyError``.
    """
    width, height = model.problem.width, model.problem.height
    places = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]

    def key_of(state: naive.State, player: Player) -> Key:
        return tuple(state[place] for place in places), player

    # For each position: whether the mover can win at once, and the positions that follow.
    graph: dict[Key, tuple[bool, list[Key]]] = {}
    start = naive.initial(model)
    waiting = [(start, model.problem.first_player)]
    while waiting:
        state, player = waiting.pop()
        key = key_of(state, player)
        if key in graph:
            continue
        if len(graph) >= most:
            raise TooManyError
        after = list(naive.transitions(model, state, player).values())
        open_ends = [s for s in after if not naive.won(model, s, player)]
        graph[key] = len(open_ends) < len(after), [key_of(s, player.other) for s in open_ends]
        waiting += [(s, player.other) for s in open_ends]
    found: dict[Key, int] = {}
    plies = 0
    while True:
        plies += 1
        layer = [
            key
            for key, (at_once, after) in graph.items()
            if key not in found
            and (
                at_once or any(k in found for k in after)
                if key[1] is Player.BLACK
                else not at_once and all(k in found for k in after)
            )
        ]
        if not layer:
            return {key: found.get(key) for key in graph}
        found.update(dict.fromkeys(layer, plies))


def wins_at_once(model: Model, squares: tuple[Square, ...], player: Player) -> bool:
    """True if a move of ``player`` reaches the player's goal."""
    width, height = model.problem.width, model.problem.height
    places = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    state = dict(zip(places, squares, strict=True))
    after = naive.transitions(model, state, player).values()
    return any(naive.won(model, s, player) for s in after)
