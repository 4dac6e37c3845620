"""A game's certificate in one step, for tests and benchmarks."""

from __future__ import annotations

from qsage_validate.certificates.routes import Certified, certify_encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.games.model_text import GameModel
from qsage_validate.system.limits import Limits


def certify_game(
    model: GameModel,
    encoding: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
) -> Certified:
    """Who wins ``model``, certified for an encoding (the usual one of its kind)."""
    return certify_encoding(encode(model, encoding), limits=limits)
