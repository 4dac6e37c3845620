"""Positional games among the languages: PG files, and Hex boards in ``.hex`` and SGF."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from qsage_validate.errors import InputError, UsageError, visible
from qsage_validate.formats.pg import (
    NOWHERE,
    CellRelation,
    HexFile,
    PgFile,
    growing,
    parse_hex,
    parse_hex_sgf,
    parse_pg,
)
from qsage_validate.formats.source import (
    PERCENT,
    Format,
    Path,
    Source,
    label,
    quoted,
    read_bytes,
    sniff_bytes,
    unpacked_name,
)
from qsage_validate.games.languages import Language
from qsage_validate.games.library.template import (
    MAX_DEPTH,
    NumberKind,
    TemplateOption,
    option_values,
)
from qsage_validate.games.masks import mask_of
from qsage_validate.games.model_text import ModelParts
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import (
    Network,
    PositionalModel,
    alternating,
    is_hex_board,
    sound_first_moves,
)
from qsage_validate.games.protocol import Player

if TYPE_CHECKING:
    from qsage_validate.games.positional.rules import PositionalGame


BLACK, WHITE = Player.BLACK, Player.WHITE


def model_of_pg(
    pg: PgFile, *, short: Player = Player.BLACK, may_be_cut: bool = False
) -> PositionalModel:
    """The game of a PG file.

    With ``short`` White, its network is that of White's connections, which Black cuts: nothing
    in a file tells.  Raises ``InputError`` for borders that no way connects, unless
    ``may_be_cut`` says that this is meant.
    """
    number = {name: k for k, name in enumerate(pg.positions)}
    black_turns = frozenset(pg.black_turns)
    network = _network(pg, number, short, may_be_cut)
    wins = tuple(mask_of(number[name] for name in row) for row in pg.black_wins)
    if pg.black_goal:
        wins = tuple(dict.fromkeys(_shape_sets(pg, number)))
        if not wins:
            raise pg.error(
                "blackgoal", "shapes that fit nowhere", "a board that is not too small for them"
            )
    if short is WHITE and network is None:
        raise UsageError(f"found {pg.path}, which has no network, expected one for White as Short")
    model = PositionalModel(
        name=_name(pg.path),
        positions=pg.positions,
        turns=tuple(BLACK if time in black_turns else WHITE for time in pg.times),
        black_wins=tuple(dict.fromkeys(wins)),
        white_wins=tuple(
            dict.fromkeys(mask_of(number[name] for name in row) for row in pg.white_wins)
        ),
        black=mask_of(number[name] for name in pg.black_initials),
        white=mask_of(number[name] for name in pg.white_initials),
        network=network,
        first_moves=mask_of(number[name] for name in pg.first_moves),
    )
    return replace(model, hexagons=is_hex_board(model), first_moves=sound_first_moves(model))


def _name(path: str | None) -> str:
    if path is None:
        return "positional game"
    base = visible(unpacked_name(os.path.basename(path)))
    return base.removesuffix(".pg").removesuffix(".hex").removesuffix(".sgf") or base


def _network(pg: PgFile, number: dict[str, int], short: Player, may_be_cut: bool) -> Network | None:
    rows = [0] * len(number)
    start = end = 0
    joined = False
    if pg.source is not None and pg.target is not None:
        ends = {pg.source: 0, pg.target: 0}
        for first, second in pg.edges:
            if first in ends and second in ends:
                joined = True
            elif first in ends:
                ends[first] |= 1 << number[second]
            elif second in ends:
                ends[second] |= 1 << number[first]
            else:
                rows[number[first]] |= 1 << number[second]
                rows[number[second]] |= 1 << number[first]
        start, end = ends[pg.source], ends[pg.target]
    elif "neighbours" in pg.present and not pg.black_goal:
        for name, *others in pg.neighbours:
            rows[number[name]] = mask_of(number[other] for other in others)
        start = mask_of(number[name] for name in pg.start_border)
        end = mask_of(number[name] for name in pg.end_border)
    else:
        return None
    network = Network(tuple(rows), start, end, joined, short)
    section = "target" if pg.source is not None else "endboarder"
    # Reduced games may have nothing left: then Black cannot win, which is no mistake.
    if start and end and not may_be_cut and not network.connects((1 << len(number)) - 1):
        raise pg.error(
            section, "borders that no way connects", "a way of neighbours from start to end"
        )
    return network


def _shape_sets(pg: PgFile, number: dict[str, int]) -> Iterator[int]:
    """The sets of different positions whose cells are related as a shape says, shape by shape."""
    above = {row[0]: row[1] for row in pg.neighbours}
    right = {row[0]: row[2] for row in pg.neighbours}
    steps = {"up": above, "side": right}
    backwards = {
        name: {to: at for at, to in step.items() if to != NOWHERE} for name, step in steps.items()
    }
    for shape in map(growing, dict.fromkeys(pg.black_goal)):
        for anchor in pg.positions:
            placed = {shape[0].first: anchor}
            if not all(_place(relation, placed, steps, backwards) for relation in shape):
                continue
            cells = set(placed.values())
            if len(cells) == len(placed):
                yield mask_of(number[name] for name in cells)


def _place(
    relation: CellRelation,
    placed: dict[str, str],
    steps: Mapping[str, Mapping[str, str]],
    backwards: Mapping[str, Mapping[str, str]],
) -> bool:
    """Place what a relation adds to the cells that are ``placed``; false if it does not fit."""
    if relation.first in placed:
        target = steps[relation.name].get(placed[relation.first], NOWHERE)
        return target != NOWHERE and placed.setdefault(relation.second, target) == target
    origin = backwards[relation.name].get(placed[relation.second], NOWHERE)
    placed[relation.first] = origin
    return origin != NOWHERE


def model_of_hex(board: HexFile, plies: int | None = None) -> PositionalModel:
    """The game of a Hex board: Black connects the first row with the last.

    With as many plies as there are open cells, unless ``plies`` says how many.
    """
    model = hex_network(board.columns, board.rows)
    open_cells = board.columns * board.rows - len(board.black) - len(board.white)
    return replace(
        model,
        name=_name(board.path) if board.path else f"hex {board.columns}x{board.rows}",
        turns=alternating(
            open_cells if plies is None else plies, WHITE if board.white_moves else BLACK
        ),
        black=model.mask(board.black),
        white=model.mask(board.white),
    )


_HEX = re.compile(r"(?:\s|%[^\n]*\n)*[0-9]+\s*(?:%[^\n]*\n\s*)*(?:(?:black|white)\b|[bw]\[|\Z)")


def is_positional_file(path: Path) -> bool:
    """True if a file is a PG file, a ``.hex`` file or an SGF file, by its content."""
    data = read_bytes(path)
    return sniff_bytes(data) in (Format.PG, Format.SGF) or _looks_like_hex(data)


def _looks_like_hex(data: bytes) -> bool:
    return _HEX.match(data[: 1 << 16].decode("utf-8-sig", "replace")) is not None


def read_positional(
    path: Path, plies: int | None = None, *, short: Player = Player.BLACK
) -> PositionalModel:
    """The model of a PG, ``.hex`` or SGF file, with so many plies where that is said.

    ``short`` is who connects in a network.  Raises ``InputError`` for what is wrong with it.
    """
    data = read_bytes(path)
    found = sniff_bytes(data)
    source = Source.decode(data, label(path), None if found is Format.SGF else PERCENT)
    if found is Format.PG:
        model = model_of_pg(parse_pg(source.text, source.path), short=short)
    elif found is Format.SGF:
        model = model_of_hex(parse_hex_sgf(source))
    elif _looks_like_hex(data):
        model = model_of_hex(parse_hex(source.text, source.path))
    else:
        raise InputError(
            source.path,
            1,
            1,
            "no positional game",
            "a PG file with '#positions', a .hex file, or Hex as SGF",
        )
    return model if plies is None else model.at_depth(plies)


_OPTIONS: Final = (TemplateOption("depth", NumberKind(1, MAX_DEPTH), "number of plies", 0),)
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
