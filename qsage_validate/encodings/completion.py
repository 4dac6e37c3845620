"""A strategy's play in the literals of a graph, handed to an encoding that completes it.

The compiler of certificates (``certificates/compile/table_compiler.py``) knows a winning plan: it
makes circuits for the hero's moves over the opponent's variables.  An encoding knows how everything
else that the hero decides follows from the moves.  This is what they say to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.games.protocol import Player, Witness


@dataclass(frozen=True, slots=True)
class PlyLiterals:
    """One ply in literals of the graph.

    ``made[i]`` is true when move ``i`` of the ply's table is made; ``stop`` is the game-stop
    variable's literal (FALSE where there is none).  ``variables`` maps the ply's QBF variables
    to literals, the stop variable among them.
    """

    player: Player
    made: Sequence[int]
    stop: int
    variables: Mapping[int, int]


class PlayLiterals(Protocol):
    """A whole play, ply by ply.

    ``literals`` maps every QBF variable that is known so far (the opponent's, and the moves of
    the hero) to a literal of ``builder``.
    """

    builder: AigBuilder
    plies: Sequence[PlyLiterals]
    hero: Player
    literals: Mapping[int, int]

    def witness(self, value: Callable[[Witness], int], width: int) -> Bits:
        """A number about the goal that the hero reaches, as ``width`` bits.

        ``value`` gives the number for a witness (a goal instance of the game's own kind, such
        as the mask of a winning set).  Zeros for a hero without goals.
        """
        ...


Definitions = Callable[[PlayLiterals], Mapping[int, int]]
"""How the variables that the hero decides besides the moves follow from a play.

Returns a literal of the play's graph for every one of them: for a Black hero the existentials
(Skolem), for a White hero the universals (Herbrand) that are not move variables.
"""
