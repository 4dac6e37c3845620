"""QAIGER, loaded for such files alone: AIGER whose symbols of inputs are quantifier levels.

Format: https://github.com/ltentrup/QAIGER, as QuAbS (``qcir2qaiger``) and CADET have it.  The
symbol of an input is a level, ``i0 1`` or ``i0 1 name``: variables of even levels are existential,
those of odd levels universal, and smaller levels are further out.  The one output is the matrix.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from qsage_validate.circuit.gate_table import CONNECTIVES, GateTable
from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.formats.aiger import parse_aiger
from qsage_validate.formats.aiger_parts import AigerFile
from qsage_validate.formats.source import quoted

_SYMBOL: Final = re.compile(r"([0-9]{1,10})(?: (.*))?")
_MAX_LEVEL: Final = 2**31 - 1
_NAME: Final = re.compile(r"[^\s#(),;=-][^\s#(),;=]*")
_EXPECTED: Final = "QAIGER: one output, and a quantifier level in the symbol of each input"


def parse_qaiger(data: bytes, path: str | None = None) -> Qbf:
    """The formula in ``data``, which is binary or ASCII.

    Variables and gates keep the indices of the file; constants are a gate behind them.  Names are
    kept where QCIR can have them.  Raises :class:`InputError` as ``parse_aiger`` does, and for
    inputs without a level and for other than one output.
    """
    return formula_of(parse_aiger(data, path))


def formula_of(file: AigerFile) -> Qbf:
    """The formula that a circuit is; raises :class:`InputError` for a circuit that is none."""
    levels: dict[int, list[int]] = {}
    texts: dict[int, str] = {}
    for place, variable in enumerate(file.inputs.tolist()):
        symbol = file.input_symbols.get(place)
        match = None if symbol is None else _SYMBOL.fullmatch(symbol)
        if match is None or int(match[1]) > _MAX_LEVEL:
            what = "without a symbol" if symbol is None else f"with the symbol {quoted(symbol)}"
            raise InputError(
                file.path, None, None, f"an AIGER file, input {place} {what}", _EXPECTED
            )
        levels.setdefault(int(match[1]), []).append(variable)
        if match[2]:
            texts[variable] = match[2].strip()
    if len(file.outputs) != 1:
        found = f"an AIGER file of {len(file.outputs)} outputs"
        raise InputError(file.path, None, None, found, _EXPECTED)
    scopes = tuple(
        Scope(Quantifier.FORALL if level % 2 else Quantifier.EXISTS, tuple(variables))
        for level, variables in sorted(levels.items())
    )
    gates, output = _gates(file)
    comments = tuple(enumerate(file.comments, start=2))
    return Qbf(scopes, gates, output, _names(texts, file.max_variable), comments, file.path)


def _names(texts: dict[int, str], largest: int) -> dict[int, str]:
    """The texts that can be identifiers: no two alike, none that could be another's number."""
    seen: dict[str, int] = {}
    for text in texts.values():
        seen[text] = seen.get(text, 0) + 1
    return {
        variable: text
        for variable, text in texts.items()
        if seen[text] == 1 and _NAME.fullmatch(text) and not text.isdigit()
    }


def _gates(file: AigerFile) -> tuple[GateTable, int]:
    """The gates by the indices of the file, and the output."""
    aig, largest = file.aig, file.max_variable
    defined = np.flatnonzero(file.literal_of >= 0)
    number = np.zeros(aig.num_variables + 1, dtype=np.int32)
    number[file.literal_of[defined] >> 1] = defined
    # Literal 0 is false, literal 1 true: the constant is a gate of its own.
    fanins = np.stack((aig.fanin0, aig.fanin1), axis=1).ravel()
    output = int(file.outputs[0])
    constant = bool((fanins <= 1).any() or output <= 1)
    number[0] = -(largest + 1) if constant else 0
    signs = 1 - 2 * (fanins & 1)
    inputs = (number[fanins >> 1] * signs).astype(np.int32)
    numbers = number[aig.num_inputs + 1 :]
    counts = np.full(len(numbers), 2, dtype=np.int64)
    if constant:
        numbers = np.concatenate((np.array([largest + 1], dtype=np.int32), numbers))
        counts = np.concatenate((np.zeros(1, dtype=np.int64), counts))
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))
    rows = np.full(largest + 2, -1, dtype=np.int32)
    rows[numbers] = np.arange(len(numbers), dtype=np.int32)
    kinds = np.full(len(numbers), CONNECTIVES.index(Connective.AND), dtype=np.uint8)
    sign = -1 if output & 1 else 1
    return GateTable(numbers, kinds, starts, inputs, rows), int(number[output >> 1]) * sign
