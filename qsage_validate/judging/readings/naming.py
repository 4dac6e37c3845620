"""The lines of a layout in the names of a formula's file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import Layout, Ply
from qsage_validate.encodings.layout.lines import layout_comments

_LIST: Final = re.compile(r"\[[^\]]*\]")


def lines_in_names(layout: Layout, formula: Qbf, *, rules: bool = False) -> tuple[str, ...]:
    """The comment lines of a layout that was found, in the file's names for variables and gates.

    Without ``rules`` the lines of the model are left out.
    """
    lines = (x for x in layout_comments(layout) if rules or not x.startswith("@ model"))
    return tuple(_named(lines, layout, formula) if formula.names else lines)


def _named(lines: Iterator[str], layout: Layout, formula: Qbf) -> Iterator[str]:
    bits = iter([*chain.from_iterable(map(_groups, layout.moves))])
    axes = iter(axis.bits for axis in layout.state.axes)
    states = iter(layout.state.states)
    for line in lines:
        _, keyword, *rest = line.split(maxsplit=3)
        if keyword == "move":
            line = _LIST.sub(lambda _: _names(next(bits), formula), line)
            line, stop, number = line.partition(" stop ")
            yield f"{line}{stop}{_name(int(number), formula)}" if stop else line
        elif keyword == "symbolic":
            yield _LIST.sub(lambda _: _names(next(axes), formula), line)
        elif keyword == "state":
            own = _names(next(states), formula)
            yield f"@ state {rest[0]} {own[1:-1] if layout.state.is_board else own}"
        elif keyword == "gate":
            yield f"@ gate {_name(int(rest[0]), formula)} {rest[1]}"
        else:
            yield line


def _groups(ply: Ply) -> Sequence[Bits]:
    """The bit lists of a line, in their order."""
    return ply.vectors or ((ply.variables,) if ply.variables else ())


def _names(bits: Bits, formula: Qbf) -> str:
    return f"[{' '.join(_name(x, formula) for x in bits)}]"


def _name(literal: int, formula: Qbf) -> str:
    if not literal:
        return "0"
    return ("-" if literal < 0 else "") + formula.name(abs(literal))
