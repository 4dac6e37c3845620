"""Positional games from files, whatever their format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qsage_validate.errors import InputError
from qsage_validate.formats.hex_board import parse_hex
from qsage_validate.formats.pg import parse_pg
from qsage_validate.formats.source import Format, Path, Source, read_bytes, sniff_bytes
from qsage_validate.games.positional.convert import model_of_hex, model_of_pg
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player

if TYPE_CHECKING:
    pass

_HEX = re.compile(r"(?:\s|%[^\n]*\n)*[0-9]+\s*(?:%[^\n]*\n\s*)*(?:[bw]\[|\Z)")


def is_positional_file(path: Path) -> bool:
    """Whether a file is a PG or a ``.hex`` file, by its content."""
    data = read_bytes(path)
    return sniff_bytes(data) is Format.PG or _looks_like_hex(data)


def _looks_like_hex(data: bytes) -> bool:
    return _HEX.match(data[: 1 << 16].decode("utf-8-sig", "replace")) is not None


def read_positional(
    path: Path, plies: int | None = None, *, short: Player = Player.BLACK
) -> PositionalModel:
    """The model of a PG or ``.hex`` file, with so many plies where that is said.

    ``short`` is who connects in a network.  Raises ``InputError`` for what is wrong with it.
    """
    data = read_bytes(path)
    source = Source.open(path)
    if sniff_bytes(data) is Format.PG:
        model = model_of_pg(parse_pg(source.text, source.path), short=short)
    elif _looks_like_hex(data):
        model = model_of_hex(parse_hex(source.text, source.path))
    else:
        raise InputError(
            source.path, 1, 1, "no positional game", "a PG file with '#positions', or a .hex file"
        )
    return model if plies is None else model.at_depth(plies)
