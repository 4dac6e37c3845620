"""Small decision trees over features that have a price.

A tree agrees with every row that it was learnt from and says something of its own everywhere
else.  Features are columns of bits; what a column costs (in gates) is weighed against what it
tells (information gain, Quinlan, *Induction of decision trees*, Machine Learning 1, 1986).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder

Bits = NDArray[np.bool_]
Prices = NDArray[np.float64]

# The cost of a multiplexer, in gates.
_TEST: Final = 3.0


@dataclass(frozen=True, slots=True)
class Fork:
    """Look at feature ``feature`` and go on with ``high`` where it is true, else with ``low``."""

    feature: int
    high: Tree
    low: Tree


Tree = Fork | bool


def learn_tree(
    rows: Bits, values: Bits, prices: Prices, *, thrift: float = 1.0, tree: Tree | None = None
) -> Tree:
    """A tree that gives ``values[r]`` on ``rows[r]``; its features are column numbers.

    ``rows`` has shape ``(rows, features)``, ``prices`` the gates that each feature costs when it
    is first used; it is changed: features in use cost nothing more.  ``thrift`` is how many bits
    of information a gate has to be worth.  With ``tree``, which has features of the same numbers,
    only its leaves that are wrong are learnt, which is quicker and gives larger trees.  Raises
    ``ValueError`` when two equal rows differ in value.
    """
    learner = _Learner(rows, values, prices, thrift)
    every = np.arange(len(rows))
    return learner.tree(every) if tree is None else learner.mend(tree, every)


class _Learner:
    def __init__(self, rows: Bits, values: Bits, prices: Prices, thrift: float) -> None:
        self.rows = rows
        self.values = values
        self.prices = prices
        self.thrift = thrift
        self._table = np.ascontiguousarray(rows, dtype=np.float32)
        count = np.arange(len(rows) + 1, dtype=np.float64)
        # count[k] * log2(count[k]), of which all entropies are sums.
        self._logs = count * np.log2(np.maximum(count, 1.0))

    def tree(self, which: NDArray[np.intp]) -> Tree:
        values = self.values[which]
        if not values.any():
            return False
        if values.all():
            return True
        feature = self._best(self._table[which], values)
        self.prices[feature] = 0.0
        chosen = self.rows[which, feature]
        ones, zeros = which[chosen], which[~chosen]
        # The branch with fewer rows has fewer constraints: the other's tree may agree with it.
        if len(ones) >= len(zeros):
            high = self.tree(ones)
            low = high if self._agrees(high, zeros) else self.tree(zeros)
        else:
            low = self.tree(zeros)
            high = low if self._agrees(low, ones) else self.tree(ones)
        return high if high == low else Fork(feature, high, low)

    def mend(self, tree: Tree, which: NDArray[np.intp]) -> Tree:
        """``tree`` with other leaves where it is wrong."""
        if isinstance(tree, bool):
            return tree if (self.values[which] == tree).all() else self.tree(which)
        chosen = self.rows[which, tree.feature]
        high, low = self.mend(tree.high, which[chosen]), self.mend(tree.low, which[~chosen])
        return high if high == low else Fork(tree.feature, high, low)

    def _agrees(self, tree: Tree, which: NDArray[np.intp]) -> bool:
        said = say(tree, lambda feature: self.rows[which, feature], len(which))
        return bool((said == self.values[which]).all())

    def _best(self, table: NDArray[np.float32], values: Bits) -> int:
        """The column that tells most for its price."""
        total, true = len(values), int(values.sum())
        ones = table.sum(axis=0).astype(np.intp)
        true_ones = (values.astype(np.float32) @ table).astype(np.intp)
        splits = (ones > 0) & (ones < total)
        if not splits.any():
            raise ValueError("equal rows have different values")
        logs = self._logs
        zeros, true_zeros = total - ones, true - true_ones
        # Bits that are still missing when the column is known.
        missing = logs[ones] - logs[true_ones] - logs[ones - true_ones]
        missing += logs[zeros] - logs[true_zeros] - logs[zeros - true_zeros]
        score = -missing - self.thrift * (self.prices + _TEST)
        score[~splits] = -np.inf
        return int(np.argmax(score))


def say(tree: Tree, column: Callable[[int], Bits], count: int) -> Bits:
    """The values of ``tree`` for ``count`` rows; ``column(f)`` are the values of feature ``f``."""
    if isinstance(tree, bool):
        return np.full(count, tree, dtype=np.bool_)
    high, low = say(tree.high, column, count), say(tree.low, column, count)
    found: Bits = np.where(column(tree.feature), high, low)
    return found


def say_in_bits(tree: Tree, values: Sequence[int], mask: int) -> int:
    """The values of ``tree`` for many rows at once, one for each bit.

    ``values[f]`` are the values of feature ``f``; ``mask`` has a one for each row.
    """
    if isinstance(tree, bool):
        return mask if tree else 0
    test = values[tree.feature]
    high = say_in_bits(tree.high, values, mask) if test else 0
    low = say_in_bits(tree.low, values, mask) if test != mask else 0
    return test & high | (mask ^ test) & low


def features_of(tree: Tree) -> set[int]:
    """The features that ``tree`` looks at."""
    found: set[int] = set()
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, Fork):
            found.add(node.feature)
            pending += (node.high, node.low)
    return found


def build_tree(builder: AigBuilder, tree: Tree, literals: Mapping[int, int]) -> int:
    """The tree as a circuit; ``literals`` has the literal of each feature."""
    if isinstance(tree, bool):
        return TRUE if tree else FALSE
    return builder.ite(
        literals[tree.feature],
        build_tree(builder, tree.high, literals),
        build_tree(builder, tree.low, literals),
    )
