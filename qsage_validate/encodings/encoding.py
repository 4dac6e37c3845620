"""An encoding: a formula together with its layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.completion import Definitions
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.gdl.task import GdlModel
from qsage_validate.games.planning_game import PlanningGame
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player


@dataclass(frozen=True)
class Encoding:
    """A QBF that says "Black wins within the depth", and what its variables mean.

    Of the lifted encodings of grid games, whose layout has the symbolic square.
    """

    qbf: Qbf
    layout: Layout
    model: Model


@dataclass(frozen=True)
class TableEncoding:
    """The same for encodings that list the moves of a ply.

    ``definitions`` complete a strategy's moves to a certificate, by the player who has the
    strategy; a player who is missing there cannot have a certificate compiled.
    ``planned_on`` makes, for a player whose strategies the formula does not have all, the game
    on which those are planned that it has; the others are planned on the rules.
    """

    qbf: Qbf
    layout: Layout
    model: PositionalModel | GdlModel
    definitions: Mapping[Player, Definitions]
    planned_on: Mapping[Player, Callable[[], PlanningGame]] = field(default_factory=dict)


AnyEncoding: TypeAlias = Encoding | TableEncoding
