"""Games as the kernel has them: their rules as circuits.

This is where a model becomes the game of which something is proved: the grounding of a grid
game (``games/bddl/ground.py``), the sets and the network of a positional game, the clauses of a
game in GDL.  Nothing here is shared with the encodings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.declared import languages
from qsage_validate.games.masks import members
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.game import Rules
from qsage_validate.kernel.ground import (
    Conjunction,
    Connection,
    GroundGame,
    GroundMove,
    GroundRules,
)
from qsage_validate.registry import load
from qsage_validate.system.limits import NEVER, Deadline

if TYPE_CHECKING:
    from qsage_validate.games.positional.rules import PositionalGame

RulesIn = Callable[[AigBuilder], Rules]
"""Makes the circuit of one game inside a graph."""


def rules_of(game: TwoPlayerGame, *, deadline: Deadline = NEVER) -> RulesIn | None:
    """The rules of a game as a circuit; ``None`` for a kind of game that has none.

    Making it raises ``TooLargeError`` where the game is too large for that.
    """
    place = languages()[game.language].circuit if game.language in languages() else None
    found: RulesIn | None = None if place is None else load(place)(game, deadline)
    return found


def grid_rules(game: TwoPlayerGame, deadline: Deadline) -> RulesIn | None:
    if not isinstance(game, BddlGame):
        return None
    grid = ground_grid(game)
    return lambda builder: GroundRules(builder, grid)


def positional_rules(game: TwoPlayerGame, deadline: Deadline) -> RulesIn | None:
    """The rules of a positional game as a circuit; of COVER and PAIRING there are none."""
    from qsage_validate.games.positional.rules import PositionalGame

    if not isinstance(game, PositionalGame):
        return None
    claims = ground_positional(game)
    return lambda builder: GroundRules(builder, claims)


def conjunction(care: int, value: int) -> Conjunction:
    """The conjunction that holds in the states of a grid in which ``state & care == value``."""
    return tuple(
        k + 1 if value >> k & 1 else -k - 1 for k in range(care.bit_length()) if care >> k & 1
    )


def ground_grid(game: BddlGame) -> GroundGame:
    """A grid game; its atoms are ``black (2,3)``, ``white (2,3)`` and ``occupied (2,3)``."""
    grounding = game.grounding
    squares = [
        f"({x},{y})" for y in range(1, grounding.height + 1) for x in range(1, grounding.width + 1)
    ]
    bits = range(3 * grounding.squares)
    everything = (1 << 3 * grounding.squares) - 1
    return GroundGame(
        name=game.name,
        atoms=tuple(f"{kind} {s}" for kind in ("black", "white", "occupied") for s in squares),
        initial=tuple(bool(grounding.initial >> k & 1) for k in bits),
        movers=tuple(game.player_at(ply) for ply in range(1, game.plies + 1)),
        moves={
            player: tuple(
                GroundMove(
                    str(game.move_table[player][action.number]),
                    conjunction(action.care, action.value),
                    conjunction(everything & ~action.keep, action.put),
                )
                for action in grounding.actions[player]
            )
            for player in Player
        },
        goals={
            player: tuple(conjunction(g.care, g.value) for g in grounding.goals[player])
            for player in Player
        },
        stuck_loses=True,
    )


def ground_positional(game: PositionalGame) -> GroundGame:
    """A positional game; its atoms are ``black b2`` and ``white b2``, and what follows of them."""
    from qsage_validate.games.positional.symmetry import find_symmetries

    model = game.model
    size = len(model.positions)
    own = {Player.BLACK: 1, Player.WHITE: size + 1}
    wins = {Player.BLACK: model.black_wins, Player.WHITE: model.white_wins}
    network = model.network
    connection = None
    if network is not None:
        connection = Connection(
            cells=tuple(range(1, size + 1)),
            neighbours=tuple(tuple(members(row)) for row in network.neighbours),
            start=tuple(members(network.start)),
            end=tuple(members(network.end)),
            joined=network.joined,
            cut=network.short is Player.WHITE,
        )
    return GroundGame(
        name=game.name,
        atoms=tuple(f"{p.value} {name}" for p in Player for name in model.positions),
        initial=tuple(
            bool(mask >> k & 1) for mask in (model.black, model.white) for k in range(size)
        ),
        movers=tuple(model.turns[: model.plies]),
        moves={
            player: tuple(
                GroundMove(name, (-k - 1, -size - k - 1), (own[player] + k,))
                for k, name in enumerate(model.positions)
            )
            for player in Player
        },
        goals={
            player: tuple(tuple(own[player] + k for k in members(mask)) for mask in wins[player])
            for player in Player
        },
        connection=connection,
        from_start=True,
        passing=True,
        also={
            **{f"open {n}": ((-k - 1, -size - k - 1),) for k, n in enumerate(model.positions)},
            **{f"occupied {n}": ((k + 1,), (size + k + 1,)) for k, n in enumerate(model.positions)},
        },
        symmetries=tuple(
            (*(k + 1 for k in p.images), *(size + k + 1 for k in p.images))
            for p in find_symmetries(model, game.arrangement)
        ),
    )
