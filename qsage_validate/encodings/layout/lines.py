"""The lines of a layout, as they are written.

Texts that many lines mean, the moves of plies and the atoms of states, are written once, and runs
of literals in short, so that a game of 361 positions and plies takes some ten kilobytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Final

from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import (
    ANY_GAME,
    FIRST,
    OUTPUT,
    GoalVariables,
    IllegalMoves,
    Layout,
    Ply,
    StateView,
)

_BARE: Final = re.compile(r"[!#-Z\\^-~]+")


def lines_of(layout: Layout, output: int | None) -> Iterator[str]:
    """The lines of a layout; a verdict that is ``output`` is called that, and not by its number."""
    yield FIRST
    yield f"encoding {layout.encoding}"
    if layout.game != ANY_GAME:
        yield f"game {layout.game}"
    size = _size(layout)
    if size is not None:
        yield f"board {size[0]} {size[1]}"
        for player, names in layout.actions.items():
            yield " ".join(["actions", player.value, *names])
    lists = _NumberLists()
    for ply in layout.moves:
        yield from _move(ply, lists)
    for ply in layout.moves:
        if ply.indicators is not None:
            bounds = "" if ply.indicators.bounds is None else f" bounds {ply.indicators.bounds}"
            preconditions = written(ply.indicators.preconditions)
            yield f"indicators {ply.ply}{bounds} preconditions {preconditions}"
    for field in fields(GoalVariables):
        bits = getattr(layout.goals, field.name)
        if bits:
            yield f"goal {field.name.replace('_', '-')} {written(bits)}"
    yield from _state(layout.state, lists)
    if layout.verdict is not None:
        yield f"verdict {OUTPUT if layout.verdict == output else layout.verdict}"
    if len(layout.conclusive) == 1:
        yield f"conclusive {'true' if layout.conclusive[0] else 'false'}"
    if layout.illegal is not IllegalMoves.LOSES or layout.black_passes:
        yield f"illegal {layout.illegal.value}" + (" black-passes" if layout.black_passes else "")
    for name, literal in layout.gates.items():
        yield f"gate {literal} {name}"
    for part, text in layout.model.items():
        for line in text.split("\n"):
            yield f"model {part} | {line}".rstrip(" ")


def _size(layout: Layout) -> tuple[int, int] | None:
    """Width and height of the board, where moves or states have coordinates."""
    if layout.state.is_board:
        return layout.state.size
    grids = (ply.coding.numbers[1:] for ply in layout.moves if _has_coordinates(ply))
    return next(((x.size, y.size) for x, y in grids), None)


def _has_coordinates(ply: Ply) -> bool:
    """True if a move is three numbers: action, column and row."""
    return len(ply.coding.numbers) == 3


class _NumberLists:
    def __init__(self) -> None:
        self.numbers: dict[tuple[str, ...], int] = {}

    def line(self, texts: tuple[str, ...]) -> Iterator[str]:
        """The line of a list that was not written yet."""
        if texts not in self.numbers:
            self.numbers[texts] = len(self.numbers) + 1
            yield " ".join([f"list {self.numbers[texts]}", *map(_text, texts)])


def _move(ply: Ply, lists: _NumberLists) -> Iterator[str]:
    line = f"move {ply.ply} {ply.player.value}"
    pairs: list[tuple[str, Bits]]
    if _has_coordinates(ply):
        pairs = list(zip(("action", "x", "y"), ply.vectors, strict=True))
    else:
        yield from lists.line(ply.moves)
        line += f" list {lists.numbers[ply.moves]}"
        key = "code" if ply.coding.numbers else "literals"
        pairs = [(key, ply.variables)] if ply.variables else []
    if ply.legal:
        pairs.append(("legal", ply.legal))
    for key, bits in pairs:
        line += f" {key} {written(bits)}"
    yield line if ply.stop is None else f"{line} stop {ply.stop}"


def _state(state: StateView, lists: _NumberLists) -> Iterator[str]:
    if state.code is not None:
        code = state.code.value.replace(" ", "-")
        yield f"symbolic x {written(state.x)} y {written(state.y)} code {code}"
    else:
        if state.kinds:
            yield from lists.line(state.kinds)
            one_sided = " one-sided" if state.one_sided else ""
            yield f"atoms list {lists.numbers[state.kinds]}{one_sided}"
        if state.position or state.places:
            yield from lists.line(state.places)
            yield f"symbolic {written(state.position)} list {lists.numbers[state.places]}"
    for time, bits in enumerate(state.states):
        yield f"state {time} {' '.join(map(str, bits)) if state.is_board else written(bits)}"


def _text(text: str) -> str:
    """A text as one word: in quotation marks where it has blanks or other signs."""
    return text if _BARE.fullmatch(text) else json.dumps(text)


def written(bits: Bits) -> str:
    """``[1 2 5..9 10..14/2 0*3]``: literals, runs with a step, one literal so many times."""
    parts: list[str] = []
    at = 0
    while at < len(bits):
        step, end = _run(bits, at)
        if end - at < 3:
            parts.append(str(bits[at]))
            at += 1
            continue
        if step == 0:
            parts.append(f"{bits[at]}*{end - at}")
        else:
            suffix = "" if abs(step) == 1 else f"/{abs(step)}"
            parts.append(f"{bits[at]}..{bits[end - 1]}{suffix}")
        at = end
    return f"[{' '.join(parts)}]"


def _run(bits: Bits, start: int) -> tuple[int, int]:
    """The step of the longest arithmetic progression from ``start`` on, and its end."""
    if start + 1 == len(bits):
        return 0, start + 1
    step = bits[start + 1] - bits[start]
    end = start + 2
    while end < len(bits) and bits[end] - bits[end - 1] == step:
        end += 1
    return step, end
