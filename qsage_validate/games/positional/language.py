"""Positional games among the languages of games: PG and ``.hex`` files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from qsage_validate.formats.pg import parse_pg
from qsage_validate.formats.source import Source, quoted
from qsage_validate.games.language import Language
from qsage_validate.games.library.template import MAX_DEPTH, Number, Option, option_values
from qsage_validate.games.model_text import ModelParts
from qsage_validate.games.positional.convert import is_positional_file, model_of_pg, read_positional
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player

if TYPE_CHECKING:
    from qsage_validate.games.positional.rules import PositionalGame

_OPTIONS: Final = (Option("depth", Number(1, MAX_DEPTH), "number of plies", 0),)
_WON: Final = re.compile(r"won (black|white) ([0-9]{1,9})")


class Positional(Language[PositionalModel]):
    """Games of claimed positions, in one file."""

    name: ClassVar[str] = "positional"
    games: ClassVar[str] = "positional game"
    model = PositionalModel

    def owns(self, path: str) -> bool:
        return is_positional_file(path)

    def read(self, files: Sequence[str], options: Mapping[str, object]) -> PositionalModel:
        (file,) = files
        depth = option_values(_OPTIONS, options, f"{file}, a positional game")["depth"]
        assert isinstance(depth, int), "read as a number"
        return read_positional(file, depth or None)

    def from_parts(self, parts: ModelParts) -> PositionalModel:
        source = Source(parts.in_place("notes") if "notes" in parts else "", parts.file_of("notes"))
        lines = [(offset, line) for _, offset, line in source.lines() if line.strip()]
        notes = [line.strip() for _, line in lines]
        pg = parse_pg(parts.text("pg"), parts.file_of("pg"))
        by_neighbours = "neighbours" in pg.present and not pg.black_goal
        if "short white" in notes and pg.source is None and not by_neighbours:
            offset, line = lines[notes.index("short white")]
            offset += len(line) - len(line.lstrip())
            raise source.error(offset, "'short white'", "it in games with a network only")
        short = Player.WHITE if "short white" in notes else Player.BLACK
        model = model_of_pg(pg, short=short, may_be_cut=True)
        wins = {Player.BLACK: list(model.black_wins), Player.WHITE: list(model.white_wins)}
        seen: set[str] = set()
        for (offset, line), note in zip(lines, notes, strict=True):
            offset += len(line) - len(line.lstrip())
            match = _WON.fullmatch(note)
            if note in seen:
                raise source.error(offset, f"{quoted(note)} once more", "each note once")
            seen.add(note)
            if match is not None:
                own = wins[Player(match[1])]
                if not 1 <= int(match[2]) <= len(own) + 1:
                    found, most = f"the winning set {match[2]}", len(own) + 1
                    raise source.error(offset, found, f"one of 1 to {most}")
                own.insert(int(match[2]) - 1, 0)
            elif note not in ("hexagons", "short white"):
                expected = "'hexagons', 'short white' or 'won PLAYER NUMBER'"
                raise source.error(offset, quoted(note), expected)
        return replace(
            model,
            name=parts.get("name", model.name),
            black_wins=tuple(wins[Player.BLACK]),
            white_wins=tuple(wins[Player.WHITE]),
            hexagons="hexagons" in notes,
        )

    def rules(self, model: PositionalModel) -> PositionalGame:
        from qsage_validate.games.positional.rules import PositionalGame

        return PositionalGame(model)


POSITIONAL: Final = Positional()
