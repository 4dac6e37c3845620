"""The kinds of models that there are, and what all of them have."""

from __future__ import annotations

from typing import TypeAlias

from qsage_validate.games.bddl.model import Model
from qsage_validate.games.gdl.task import GdlModel
from qsage_validate.games.positional.model import PositionalModel

GameModel: TypeAlias = Model | PositionalModel | GdlModel
"""What a game is loaded from and a formula is made of; each has a ``name`` for people."""


def depth_of(model: GameModel) -> int:
    """The number that ``--depth`` gives: BDDL's ``#depth``, plies, or rounds in GDL."""
    if isinstance(model, Model):
        return model.problem.depth
    return model.plies if isinstance(model, PositionalModel) else model.rounds
