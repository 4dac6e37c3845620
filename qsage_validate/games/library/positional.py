"""Positional games by name: Harary's Tic-Tac-Toe with any polyomino, and Hex by its network.

These are the games of ``httt`` and ``hex`` in another form: claims on named positions, with
winning sets or a network, as the encodings of Shaik, Mayer-Eichberger, van de Pol and Saffidine
2023 take them.
"""

from __future__ import annotations

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import quoted
from qsage_validate.games.library.grid import BREAKER, SECOND, first_player, size_option
from qsage_validate.games.library.template import (
    MAX_DEPTH,
    Flag,
    Number,
    Option,
    Template,
    Values,
    Word,
)
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import PositionalModel


def _odd_depth(values: Values) -> int:
    """All plies, without a last one of White's."""
    width, height = values.size()
    return max(width * height - (width * height + 1) % 2, 1)


def _harary(values: Values) -> PositionalModel:
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


def _hex(values: Values) -> PositionalModel:
    width, height = values.size()
    transversal = values.on("transversal")
    return hex_network(width, height, values.number("depth"), transversal=transversal)


_DEPTH = Option("depth", Number(1, MAX_DEPTH), "number of plies", _odd_depth)

HARARY = Template(
    name="harary",
    help="Harary's Tic-Tac-Toe as a positional game: any polyomino, on a board or a torus",
    options=(
        size_option(),
        Option(
            "shape",
            Word("a name such as tippy, snaky or 6-01, or a drawing like XX/X."),
            "the polyomino",
            "el",
        ),
        Option("torus", Flag(), "the board's edges meet", False),
        BREAKER,
        Option("stones", Number(1, 99), "stones a turn", 1),
        Option("first_stones", Number(0, 99), "stones in the first turn; 0: as many", 0),
        SECOND,
        _DEPTH,
    ),
    construct=_harary,
    examples=(
        {"size": "3x3", "shape": "el", "depth": "5"},
        {"size": "3x3", "shape": "tic", "torus": True},
        {"size": "3x3", "shape": "XX", "maker_breaker": True, "second": True},
        {"size": "3x3", "shape": "tic", "stones": "2", "first_stones": "1"},
    ),
)

HEX = Template(
    name="hex-network",
    help="Hex as a positional game: Black connects the top and the bottom row of a network",
    options=(
        size_option(default=(3, 3)),
        Option("transversal", Flag(), "White connects left and right; Black cuts", False),
        _DEPTH,
    ),
    construct=_hex,
    examples=({"size": "3x3"}, {"size": "2x3", "transversal": True, "depth": "5"}),
)
