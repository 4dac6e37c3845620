"""The lines of a layout in the names of a formula's file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.comments import layout_comments
from qsage_validate.encodings.layout.layout import Layout, Ply

_LIST: Final = re.compile(r"\[[^\]]*\]")


def lines_in_names(layout: Layout, formula: Qbf, *, rules: bool = False) -> tuple[str, ...]:
    """The comment lines of a layout of moves alone, in the names that the file has for variables.

    Without ``rules`` the lines of the model are left out.
    """
    lines = (x for x in layout_comments(layout) if rules or not x.startswith("@ model"))
    return tuple(_named(lines, layout, formula) if formula.names else lines)


def _named(lines: Iterator[str], layout: Layout, formula: Qbf) -> Iterator[str]:
    plies = iter(layout.moves)
    for line in lines:
        if not line.startswith("@ move "):
            yield line
            continue
        groups = iter(_groups(next(plies)))
        yield _LIST.sub(lambda _, groups=groups: _names(next(groups), formula), line)  # type: ignore[misc]


def _groups(ply: Ply) -> Sequence[Bits]:
    """The bit lists of a line, in their order."""
    return ply.vectors or (ply.variables,)


def _names(bits: Bits, formula: Qbf) -> str:
    texts = (("-" if x < 0 else "") + formula.name(abs(x)) for x in bits)
    return f"[{' '.join(texts)}]"
