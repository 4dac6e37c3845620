"""The lines of a layout, as they are written.

Texts that many lines mean, the moves of plies and the atoms of states, are written once, and runs
of literals in short, so that a game of 361 positions and plies takes some ten kilobytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields, replace
from typing import Final

from qsage_validate.circuit.qbf import Connective, Qbf
from qsage_validate.encodings.layout import (
    ANY_GAME,
    FIRST,
    OUTPUT,
    Bits,
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


# -- the comments of a formula -----------------------------------------------------------------


def layout_comments(layout: Layout, output: int | None = None) -> tuple[str, ...]:
    """The comment lines for ``layout``, without the format's comment sign.

    A verdict that is ``output`` is called that, and not by its number.
    """
    return tuple(f"@ {line}" for line in lines_of(layout, output))


def with_layout(qbf: Qbf, layout: Layout) -> Qbf:
    """``qbf`` with the layout as its only comments, and without names.

    The layout may name variables and, in a circuit, gates.  The gates of a conjunction of clauses
    get other numbers when it is written as QDIMACS: of these only the output can be named.
    Variables lose their names, if they had any: a layout goes by numbers, and says what they mean.
    Raises ``ValueError`` for a literal that the formula does not have.
    """
    clausal = is_clausal(qbf)
    known = set(qbf.levels()) | (set() if clausal else set(qbf.gates))
    literals = [*layout.gates.values(), *layout.state.position, *layout.state.literals]
    if layout.verdict is not None and layout.verdict != qbf.output:
        literals.append(layout.verdict)
    for ply in layout.moves:
        literals += [*ply.all_variables, *ply.says_legal]
    for literal in literals:
        if literal and abs(literal) not in known:
            what = "variable" if clausal else "variable or gate"
            raise ValueError(f"the layout names {literal}, which is no {what} of the formula")
    comments = layout_comments(layout, output=qbf.output if clausal else None)
    return replace(qbf, names={}, comments=tuple(enumerate(comments, start=1)))


def comments_in_clauses(qbf: Qbf, variables: Collection[int]) -> tuple[str, ...]:
    """The comments of ``qbf`` for a clausal form in which only ``variables`` mean what they did.

    A layout names only these then; other comments stay as they are, and stand first.
    """
    from qsage_validate.encodings.layout_reader import layout_from_comments, layout_lines

    layout = layout_from_comments(qbf)
    own = {number for number, _ in layout_lines(qbf)}
    others = tuple(text for number, text in qbf.comments if number not in own)
    if layout is None:
        return others
    return others + layout_comments(only_variables(layout, variables, qbf.output), qbf.output)


def only_variables(layout: Layout, variables: Collection[int], output: int) -> Layout:
    """The layout without the literals that are none of ``variables``, the ``output`` apart.

    Moves without a variable are left out: those that cannot be made.  A board or indicators that
    lose a literal are left out as a whole.
    """

    def kept(bits: Bits) -> Bits:
        found = tuple(x if abs(x) in variables else 0 for x in bits)
        return found if any(found) else ()

    def all_kept(bits: Iterable[int]) -> bool:
        return all(abs(x) in variables for x in bits)

    indicators = all(
        all_kept(ply.indicators.literals) for ply in layout.moves if ply.indicators is not None
    )

    def made(ply: Ply) -> Ply:
        legal = kept(ply.legal)
        ply = replace(ply, indicators=ply.indicators if indicators else None)
        if ply.coding.numbers or all_kept(ply.variables):
            return replace(ply, legal=legal)
        from qsage_validate.encodings.list_codings import OneHotCoding

        places = [k for k, x in enumerate(ply.variables) if abs(x) in variables]
        moves = tuple(ply.moves[k] for k in places)
        coding = OneHotCoding(moves, tuple(ply.variables[k] for k in places))
        return replace(ply, coding=coding, legal=tuple(legal[k] for k in places) if legal else ())

    def told() -> StateView:
        state = layout.state
        if state.is_board:
            return state if all_kept(state.literals) else StateView()
        return replace(state, states=tuple(map(kept, state.states)))

    verdict = layout.verdict
    known = verdict is None or verdict == output or abs(verdict) in variables
    return replace(
        layout,
        moves=tuple(map(made, layout.moves)),
        state=told(),
        verdict=verdict if known else None,
        gates={name: x for name, x in layout.gates.items() if abs(x) in variables},
    )


def is_clausal(qbf: Qbf) -> bool:
    """True if the matrix is a conjunction of clauses, which QDIMACS takes as it is.

    Then a layout cannot name gates.
    """
    top = qbf.gates.get(qbf.output)
    if top is None or top.connective is not Connective.AND:
        return False
    for literal in top.inputs:
        gate = qbf.gates.get(abs(literal))
        if gate is None:
            continue
        nested = any(abs(x) in qbf.gates for x in gate.inputs)
        if literal < 0 or nested or gate.connective is not Connective.OR:
            return False
    return True
