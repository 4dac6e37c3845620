"""The places of gates in a formula's file, for people: line, and the comment above."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import InputError
from qsage_validate.formats.source import STDIN, read_bytes, sample_path

_DEFINED: Final = re.compile(rb"\s*([^\s=#]+)\s*=")


def gate_lines(formula: Qbf, gates: Collection[int]) -> Mapping[int, int]:
    """The lines of those ``gates`` that a line of the formula's QCIR file begins with.

    Nothing of a formula in clauses, one without a file, and where the file is gone.
    """
    path = formula.path
    if path is None or path == STDIN or formula.unwritten:
        return {}
    try:
        lines = read_bytes(sample_path(path)).splitlines()
    except InputError:
        return {}  # it was read from there, and is no more
    wanted = {formula.name(gate).encode(): gate for gate in gates}
    found: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        match = _DEFINED.match(line)
        if match is not None and match[1] in wanted:
            found[wanted[match[1]]] = number
    return found


def comment_above(formula: Qbf, line: int) -> str:
    """The last comment above a line, all lines of it; the layout's lines are none."""
    above: list[tuple[int, str]] = []
    for number, text in formula.comments:
        said = text.strip()
        if number >= line or not said or said.startswith("@"):
            continue
        if above and above[-1][0] != number - 1:
            above = []
        above.append((number, said))
    return " ".join(text for _, text in above).rstrip(":")
