"""Positional games by name: Harary's Tic-Tac-Toe with any polyomino, and Hex by its network.

These are the games of ``httt`` and ``hex`` in another form: claims on named positions, with
winning sets or a network, as the encodings of Shaik, Mayer-Eichberger, van de Pol and Saffidine
2023 take them.
"""

from __future__ import annotations

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import quoted
from qsage_validate.games.library.grid import first_player
from qsage_validate.games.library.template import Values
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import PositionalModel


def harary(values: Values) -> PositionalModel:
    """Harary's game with any polyomino."""
    width, height = values.size()
    stones = values.number("stones")
    first = values.number("first_stones") or stones
    if first > stones:
        raise UsageError(
            f"found {quoted(str(first))} for --first-stones, expected at most {stones} (--stones)"
        )
    return harary_model(
        values.word("shape"),
        width,
        height,
        torus=values.on("torus"),
        maker_breaker=values.on("maker_breaker"),
        stones=stones,
        first_stones=first,
        first=first_player(values),
        plies=values.number("depth"),
    )


def hexagons(values: Values) -> PositionalModel:
    """Hex by its network of neighbours."""
    width, height = values.size()
    transversal = values.on("transversal")
    return hex_network(width, height, values.number("depth"), transversal=transversal)
