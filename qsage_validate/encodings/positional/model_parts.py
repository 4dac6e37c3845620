"""The text of a positional model, part by part, for layouts."""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.formats.pg import pg_text
from qsage_validate.games.positional.convert import pg_of_model
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player


def model_parts(model: PositionalModel) -> dict[str, str]:
    """``name``, ``pg``, and ``short`` where White is the one who connects in a network."""
    parts = {"name": model.name}
    if model.network is not None and model.network.short is Player.WHITE:
        # PG has no word for it.
        parts["short"] = Player.WHITE.value
        model = replace(model, network=replace(model.network, short=Player.BLACK))
    return {**parts, "pg": pg_text(pg_of_model(model))}
