"""Small circuits for partial functions given row by row, and the first true literal of some.

A row gives the outputs for one assignment of the inputs; assignments without a row are
don't-cares.  The circuits are multiplexer graphs built like reduced ordered decision diagrams,
in which a test is skipped whenever the don't-cares let both branches agree (sibling
substitution, Coudert and Madre's *restrict*).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder

# Up to so many inputs a function is a table of all values.
_DENSE = 18
# With more rows than this one order has to do.
_MANY_ROWS = 20_000

Rows = Mapping[int, int]


def synthesise(
    builder: AigBuilder,
    inputs: Sequence[int],
    rows: Mapping[int, int | None],
    groups: Sequence[int] = (),
) -> int:
    """A literal that agrees with every row.

    ``inputs`` are the literals of the input bits; a key of ``rows`` has one bit an input, the
    first input being the most significant.  A row's value is 0 or 1 (``None`` is a don't-care
    said explicitly).  ``groups`` are the lengths of runs of inputs that belong together
    (a class, an action, a coordinate): their orders are tried against each other and the
    smallest circuit is built.
    """
    cared = {key: value for key, value in rows.items() if value is not None}
    best: tuple[int, tuple[int, ...]] | None = None
    orders = list(_orders(len(inputs), groups))
    if len(cared) > _MANY_ROWS:
        orders = orders[:1]
    if len(orders) > 1:
        for order in orders:
            scratch = AigBuilder(len(inputs))
            _build(scratch, scratch.inputs, cared, order)
            if best is None or scratch.num_gates < best[0]:
                best = (scratch.num_gates, order)
    order = best[1] if best is not None else orders[0]
    return _build(builder, inputs, cared, order)


def _orders(count: int, groups: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Orders of the input positions to try: permutations of whole groups, each both ways."""
    runs: list[list[int]] = []
    start = 0
    for length in groups:
        runs.append(list(range(start, start + length)))
        start += length
    runs.append(list(range(start, count)))
    runs = [run for run in runs if run]
    seen: set[tuple[int, ...]] = set()
    for arrangement in islice(_arrangements(runs), 24):
        for reverse in (False, True):
            order = tuple(p for run in arrangement for p in (run[::-1] if reverse else run))
            if order not in seen:
                seen.add(order)
                yield order
    if not seen:
        yield ()


def _arrangements(runs: list[list[int]]) -> Iterator[list[list[int]]]:
    if len(runs) <= 1:
        yield runs
        return
    for index, run in enumerate(runs):
        for rest in _arrangements(runs[:index] + runs[index + 1 :]):
            yield [run, *rest]


def _build(builder: AigBuilder, inputs: Sequence[int], rows: Rows, order: Sequence[int]) -> int:
    if len(inputs) <= _DENSE:
        ones, zeros = _tables(rows, order, len(inputs))
        if ones & zeros:
            raise ValueError("a row is given twice with different values")
        return DenseTables(builder, [inputs[position] for position in order]).build(0, ones, zeros)
    return _build_sparse(builder, inputs, rows, order)


def _tables(rows: Rows, order: Sequence[int], width: int) -> tuple[int, int]:
    """Truth tables of the rows that are 1 and 0: bit k for the key k, its bits in ``order``."""
    import numpy as np

    keys = np.fromiter(rows.keys(), dtype=np.int64, count=len(rows))
    moved = np.zeros_like(keys)
    for position in order:
        moved = moved * 2 + (keys >> (width - 1 - position) & 1)
    values = np.fromiter(rows.values(), dtype=np.bool_, count=len(rows))
    tables = []
    for chosen in (moved[values], moved[~values]):
        table = np.zeros(1 << width, dtype=np.bool_)
        table[chosen] = True
        tables.append(int.from_bytes(np.packbits(table, bitorder="little").tobytes(), "little"))
    return tables[0], tables[1]


class DenseTables:
    """Builds from truth tables: integers with a bit for each value of the inputs left."""

    def __init__(self, builder: AigBuilder, inputs: Sequence[int]) -> None:
        self._builder = builder
        self._inputs = inputs
        self._memo: dict[tuple[int, int, int], int] = {}

    def build(self, level: int, ones: int, zeros: int) -> int:
        """The literal of a function of the inputs from ``level`` on."""
        if not ones:
            return FALSE
        if not zeros:
            return TRUE
        key = (level, ones, zeros)
        found = self._memo.get(key)
        if found is None:
            half = 1 << (len(self._inputs) - 1 - level)
            lower = (1 << half) - 1
            high_ones, low_ones = ones >> half, ones & lower
            high_zeros, low_zeros = zeros >> half, zeros & lower
            if not high_ones & low_zeros and not low_ones & high_zeros:
                found = self.build(level + 1, high_ones | low_ones, high_zeros | low_zeros)
            else:
                found = self._builder.ite(
                    self._inputs[level],
                    self.build(level + 1, high_ones, high_zeros),
                    self.build(level + 1, low_ones, low_zeros),
                )
            self._memo[key] = found
        return found


def _build_sparse(
    builder: AigBuilder, inputs: Sequence[int], rows: Rows, order: Sequence[int]
) -> int:
    width = len(inputs)

    def permute(key: int) -> int:
        result = 0
        for position in order:
            result = result * 2 + (key >> (width - 1 - position) & 1)
        return result

    ones = frozenset(permute(key) for key, value in rows.items() if value)
    zeros = frozenset(permute(key) for key, value in rows.items() if not value)
    if ones & zeros:
        raise ValueError("a row is given twice with different values")
    memo: dict[tuple[int, frozenset[int], frozenset[int]], int] = {}

    def build(level: int, ones: frozenset[int], zeros: frozenset[int]) -> int:
        if not ones:
            return FALSE
        if not zeros:
            return TRUE
        key = (level, ones, zeros)
        found = memo.get(key)
        if found is None:
            half = 1 << (width - 1 - level)
            high_ones = frozenset(k - half for k in ones if k & half)
            low_ones = frozenset(k for k in ones if not k & half)
            high_zeros = frozenset(k - half for k in zeros if k & half)
            low_zeros = frozenset(k for k in zeros if not k & half)
            if high_ones.isdisjoint(low_zeros) and low_ones.isdisjoint(high_zeros):
                found = build(level + 1, high_ones | low_ones, high_zeros | low_zeros)
            else:
                found = builder.ite(
                    inputs[order[level]],
                    build(level + 1, high_ones, high_zeros),
                    build(level + 1, low_ones, low_zeros),
                )
            memo[key] = found
        return found

    return build(0, ones, zeros)


def first_true(builder: AigBuilder, literals: Iterable[int]) -> list[int]:
    """For each literal, whether it is true and none before it is."""
    found = []
    none = TRUE
    for literal in literals:
        found.append(builder.and_(none, literal))
        none = builder.and_(none, literal ^ 1)
    return found
