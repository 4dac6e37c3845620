"""A model as the paper's encodings presuppose it (Shaik et al. 2023, section 4.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from qsage_validate.games.positional.hex import is_hex_board, transversal_of
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.paths import with_winning_sets
from qsage_validate.games.positional.preprocessing import (
    contracted,
    preprocess,
    with_useless_white,
    without_detours,
)
from qsage_validate.games.protocol import Player

# Encodings that list the winning sets.
_OF_SETS: Final = ("ea", "la", "sa", "cor", "cor+")


def prepared(model: PositionalModel, encoding: str) -> PositionalModel:
    """The smaller game with the same winner that the paper's tools encode.

    For ``ea``, ``la``, ``sa``, ``cor`` and ``cor+`` a network's ways are listed first.  For
    ``et`` positions that are useless to Black are given to White on the Hex board with Black's
    network, and White's network is contracted (Figure 1(d)).  Raises ``UsageError`` for too many
    winning sets.
    """
    if encoding in _OF_SETS:
        return preprocess(with_winning_sets(model))
    network = model.network
    if encoding == "et" and network is not None and network.short is Player.BLACK:
        if is_hex_board(model):
            steps: tuple[Callable[[PositionalModel], PositionalModel], ...] = (
                with_useless_white,
                without_detours,
                transversal_of,
                contracted,
            )
            for step in steps:
                model = step(model)
        return model
    return preprocess(model)
