"""Large and-inverter graphs to measure with, of known shape and the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.certificates.writer import aiger_bytes
from qsage_validate.circuit.aig import Aig
from qsage_validate.formats.aiger import parse_aiger

INPUTS: Final = 40
SAMPLE: Final = Path(__file__).resolve().parents[2] / "certificates" / "tic"
"""The sample for Tic, without the ends of its files' names."""
# Gates on the longest path of what the sample is padded with.
DEPTH: Final = 15_000
# The variables of Black's last ply in the sample, which may read everything.
LAST: Final = 43


# Conjuncts of the conjunctions in the wide shape: QuAbS's certificate for El on 3x3 has 13.
CONJUNCTS: Final = 13

Numbers = NDArray[np.int64]


def deep(gates: int, depth: int, seed: int) -> tuple[Aig, list[int]]:
    """Columns of gates, each gate over the one above it and any earlier literal.

    The longest path has at least ``depth`` gates, every gate is needed by the outputs (the
    feet of the columns), and signs are random, which leaves little to simplify: harder than a
    real certificate of the same size.
    """
    rng = np.random.default_rng(seed)
    above, row = _columns(gates, max(1, gates // depth))
    right = 1 + (rng.random(gates) * (_variables(gates) - 1)).astype(np.int64)
    return _graph(above, rng.random(gates) < 0.5, 2 * right + rng.integers(0, 2, gates), row)


def wide(gates: int, depth: int, seed: int) -> tuple[Aig, list[int]]:
    """Columns of long conjunctions, as in the certificates of QuAbS.

    There nine gates of ten are used once, positively, by another gate: a column goes on with
    the complement of its conjunction after each ``CONJUNCTS`` gates, and other gates use
    nothing but inputs and such ends.
    """
    rng = np.random.default_rng(seed)
    above, row = _columns(gates, max(1, gates // depth))
    columns = int(np.count_nonzero(row == 0))
    ends = np.flatnonzero(row % CONJUNCTS == CONJUNCTS - 1)
    before = np.searchsorted(ends, np.arange(gates))
    any_end = ends[(rng.random(gates) * before).astype(np.int64)] + INPUTS + 1
    # The inputs of one conjunction differ and ends are negated: no contradictions, which would
    # make everything constant.
    an_input = 1 + (np.arange(gates) % columns + 1 + row % CONJUNCTS) % INPUTS
    over_end = (before > columns) & (rng.random(gates) < 0.8)
    right = 2 * np.where(over_end, any_end, an_input)
    right += over_end | (rng.random(gates) < 0.5)
    return _graph(above, row % CONJUNCTS == 0, right, row)


def shallow(gates: int, depth: int, seed: int) -> tuple[Aig, list[int]]:
    """As :func:`deep`, but some fifty levels, whatever ``depth`` says; many outputs."""
    del depth
    return deep(gates, 50, seed)


def _variables(gates: int) -> Numbers:
    return np.arange(INPUTS + 1, INPUTS + 1 + gates)


def _columns(gates: int, columns: int) -> tuple[Numbers, Numbers]:
    """For each gate the variable above it in its column, and its row; the top row has inputs."""
    above = _variables(gates) - columns
    above[:columns] = 1 + np.arange(min(columns, gates)) % INPUTS
    return above, np.arange(gates) // columns


def _graph(
    left: Numbers, negated: NDArray[np.bool_], right: Numbers, row: Numbers
) -> tuple[Aig, list[int]]:
    """The graph of left variables and right literals; its outputs are the columns' feet."""
    columns = int(np.count_nonzero(row == 0))
    feet = [int(2 * v) for v in _variables(len(left))[-columns:]]
    return Aig(INPUTS, (2 * left + negated).astype(np.int32), right.astype(np.int32)), feet


SHAPES: Final[dict[str, Callable[[int, int, int], tuple[Aig, list[int]]]]] = {
    "deep": deep,
    "wide": wide,
    "shallow": shallow,
}


def depth_of(aig: Aig) -> int:
    """The number of gates on the longest path."""
    level = [0] * (aig.num_variables + 1)
    variable = aig.num_inputs
    for a, b in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
        variable += 1
        level[variable] = 1 + max(level[a >> 1], level[b >> 1])
    return max(level)


def padded(gates: int, shape: str) -> bytes:
    """The sample's certificate with about so many gates; it plays as before."""
    file = parse_aiger(SAMPLE.with_suffix(".aig").read_bytes())
    inputs, own = file.aig.num_inputs, file.aig.num_gates
    more, feet = SHAPES[shape](gates, DEPTH, 1)

    def moved(literals: NDArray[Any]) -> NDArray[np.int64]:
        variable = literals.astype(np.int64) >> 1
        an_input = (variable - 1) % inputs + 1
        behind = np.where(variable <= INPUTS, an_input, variable - INPUTS + inputs + own)
        found: NDArray[np.int64] = 2 * behind + (literals & 1)
        return found

    top = inputs + own + more.num_gates
    left: list[int] = []
    right: list[int] = []

    def both(a: int, b: int) -> int:
        left.append(a)
        right.append(b)
        return 2 * (top + len(left))

    layer: list[int] = moved(np.asarray(feet)).tolist()
    while len(layer) > 1:
        pairs = zip(layer[::2], layer[1::2], strict=False)
        layer = [*(both(a, b) for a, b in pairs), *layer[len(layer) // 2 * 2 :]]
    false = both(both(layer[0], 2), both(layer[0], 3))
    outputs = file.outputs.tolist()
    for k, name in file.output_symbols.items():
        if name.isdigit() and int(name) >= LAST:
            outputs[k] = both(outputs[k] ^ 1, false ^ 1) ^ 1
    fanins = [
        np.concatenate((first, moved(second), third)).astype(np.int32)
        for first, second, third in (
            (file.aig.fanin0, more.fanin0, left),
            (file.aig.fanin1, more.fanin1, right),
        )
    ]
    return aiger_bytes(
        Aig(inputs, *fanins),
        outputs,
        binary=True,
        input_symbols=file.input_symbols,
        output_symbols=file.output_symbols,
    )
