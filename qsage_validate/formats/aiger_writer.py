"""AIGER as it is written, ASCII and binary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import Aig, Literals

if TYPE_CHECKING:
    from qsage_validate.formats.numbers import Column

_WRITE_BLOCK: Final = 1 << 16


def aiger_bytes(
    aig: Aig,
    outputs: Sequence[int] | Literals,
    *,
    binary: bool,
    input_symbols: Mapping[int, str] | None = None,
    output_symbols: Mapping[int, str] | None = None,
    comments: Iterable[str] = (),
    variables: Sequence[int] | Literals | None = None,
) -> bytes:
    """The AIGER file of a graph; the same arguments give the same bytes.

    ``outputs`` are literals of ``aig``; symbols map positions from 0 to names.  ``variables``
    (ASCII only) gives the index to write for each variable of ``aig``, entry 0 being 0; the
    default is the graph's own numbering.  Raises ``ValueError`` for symbols or comments with
    line breaks, symbols without an input or output, and indices that are repeated.
    """
    ins, outs = dict(input_symbols or {}), dict(output_symbols or {})
    literals = np.asarray(outputs, dtype=np.int64).reshape(-1)
    if len(literals) and not 0 <= int(literals.min()) <= int(literals.max()) // 2 * 2 + 1:
        raise ValueError("negative output literals")
    if len(literals) and int(literals.max()) >> 1 > aig.num_variables:
        raise ValueError("an output beyond the graph")
    if any(not 0 <= k < aig.num_inputs for k in ins) or any(
        not 0 <= k < len(literals) for k in outs
    ):
        raise ValueError("a symbol for an input or output that is not there")
    lines = [f"i{k} {ins[k]}" for k in sorted(ins)] + [f"o{k} {outs[k]}" for k in sorted(outs)]
    remarks = list(comments)
    if remarks:
        lines += ["c", *remarks]
    if any("\n" in line or "\r" in line for line in lines):
        raise ValueError("a line break in a symbol or comment")
    tail = "".join(line + "\n" for line in lines).encode()
    if binary:
        if variables is not None:
            raise ValueError("binary AIGER has no indices of its own")
        return b"".join((*_binary_body(aig, literals), tail))
    return b"".join((*_ascii_body(aig, literals, variables), tail))


def _ascii_body(
    aig: Aig, outputs: Column, variables: Sequence[int] | Literals | None
) -> Iterable[bytes]:
    count = aig.num_variables
    if variables is None:
        written: NDArray[np.int64] = np.arange(count + 1, dtype=np.int64)
    else:
        written = np.asarray(variables, dtype=np.int64)
        if written.shape != (count + 1,) or written[0] != 0 or (written[1:] <= 0).any():
            raise ValueError("one positive index is needed for each variable")
        if (np.diff(np.sort(written)) == 0).any():
            raise ValueError("an index is repeated")
    first = aig.num_inputs + 1
    maximum = int(written.max())
    header = f"aag {maximum} {aig.num_inputs} 0 {len(outputs)} {aig.num_gates}\n"

    def literals(values: Column) -> Column:
        moved: Column = 2 * written[values >> 1] + (values & 1)
        return moved

    yield header.encode()
    yield b"".join(b"%d\n" % x for x in (2 * written[1:first]).tolist())
    yield b"".join(b"%d\n" % x for x in literals(outputs).tolist())
    for start in range(0, aig.num_gates, _WRITE_BLOCK):
        stop = min(start + _WRITE_BLOCK, aig.num_gates)
        rows = np.stack(
            (
                2 * written[first + start : first + stop],
                literals(aig.fanin0[start:stop].astype(np.int64)),
                literals(aig.fanin1[start:stop].astype(np.int64)),
            ),
            axis=1,
        )
        yield b"%d %d %d\n" * (stop - start) % tuple(rows.ravel().tolist())


def _binary_body(aig: Aig, outputs: Column) -> Iterable[bytes]:
    count = aig.num_variables
    yield f"aig {count} {aig.num_inputs} 0 {len(outputs)} {aig.num_gates}\n".encode()
    yield b"".join(b"%d\n" % x for x in outputs.tolist())
    larger = np.maximum(aig.fanin0, aig.fanin1).astype(np.int64)
    smaller = np.minimum(aig.fanin0, aig.fanin1).astype(np.int64)
    own = 2 * np.arange(aig.num_inputs + 1, count + 1, dtype=np.int64)
    deltas = np.stack((own - larger, larger - smaller), axis=1).ravel()
    if len(deltas) and (deltas[0::2] < 1).any():
        raise ValueError("the graph is not in topological order")
    for start in range(0, len(deltas), _WRITE_BLOCK):
        yield _varints(deltas[start : start + _WRITE_BLOCK])


def _varints(values: Column) -> bytes:
    """Numbers below 2**35, seven bits a byte, lowest first."""
    lengths = np.ones(len(values), dtype=np.int64)
    for place in range(1, 5):
        lengths += values >= 1 << 7 * place
    ends = np.cumsum(lengths)
    starts = ends - lengths
    raw = np.empty(int(ends[-1]), dtype=np.uint8)
    for place in range(5):
        having = np.flatnonzero(lengths > place)
        more = (lengths[having] > place + 1).astype(np.int64) << 7
        raw[starts[having] + place] = (values[having] >> 7 * place & 127) | more
    return raw.tobytes()
