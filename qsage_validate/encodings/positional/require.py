"""What an encoding of positional games asks of a model, in one line each when it is not so."""

from __future__ import annotations

from qsage_validate.errors import UsageError
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.protocol import Player


def require_maker_breaker(model: PositionalModel, encoding: str) -> None:
    """Raise ``UsageError`` for a game in which White has winning sets."""
    if not model.maker_breaker:
        raise UsageError(
            f"{model.name}: found winning sets of White's, expected a maker-breaker game for "
            f"the encoding {encoding}"
        )


def require_network(
    model: PositionalModel, encoding: str, *, short: Player, network: Network | None = None
) -> Network:
    """The network of a maker-breaker game; ``UsageError`` when it is not ``short`` who connects.

    ``network`` takes the place of the model's.
    """
    require_maker_breaker(model, encoding)
    network = network or model.network
    expected = f"a network that {short} connects, for the encoding {encoding}"
    if network is None:
        raise UsageError(f"{model.name}: found no network, expected {expected}")
    if network.short is not short:
        raise UsageError(
            f"{model.name}: found one that {network.short} connects, expected {expected}"
        )
    return network
