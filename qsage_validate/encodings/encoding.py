"""An encoding: a formula together with its layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.completion import Completion, ReferencePlay
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.planning_game import PlanningGame
from qsage_validate.games.protocol import Player


@dataclass(frozen=True)
class Encoding:
    """A QBF that says "Black wins within the depth", and what its variables mean.

    ``completions`` complete a strategy's moves to a certificate, by the player who has the
    strategy; a player who is missing there cannot have a certificate compiled.  ``mind`` makes,
    in a graph and for such a player, the play that goes on by the rules where the formula does
    something else.  ``planned_on`` makes, for a player whose strategies the formula does not have
    all, the game on which those are planned that it has; the others are planned on the rules.
    """

    qbf: Qbf
    layout: Layout
    model: GameModel
    completions: Mapping[Player, Completion]
    mind: Callable[[AigBuilder, Player], ReferencePlay]
    planned_on: Mapping[Player, Callable[[], PlanningGame]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Encoding {self.layout.encoding} of {self.model.name}>"
