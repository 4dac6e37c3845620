"""The literals of a trace's steps as sets of bits in the order of the prefix.

A set is two Python integers, its positive and its negative variables; bit ``k`` is the ``k``-th
variable of the prefix.  The variables right of a variable have the higher bits, so that resolution
and reduction are a few operations on integers for any number of literals.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.errors import InputError
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form
from qsage_validate.formats.qrp_steps import Numbers, Offsets, QrpProof, qrp_error
from qsage_validate.games.masks import members

Literals = tuple[int, int]
"""Positive and negative variables."""

# The bytes of a table of literals that are unpacked at one time.
_TABLE = 1 << 24


class PrefixBits:
    """The numbering of variables by bits, and the sets of all existentials and universals."""

    def __init__(self, form: ClausalForm) -> None:
        self.form = form
        self.order: list[int] = [v for scope in form.scopes for v in scope.variables]
        self.size = len(self.order)
        self._bit_of = np.full(form.max_variable + 1, -1, dtype=np.int64)
        self._bit_of[self.order] = np.arange(self.size)
        self.levels: list[tuple[Quantifier, int, int]] = []
        """Quantifier, first bit and bit behind the last of each scope."""
        self.of = {Quantifier.EXISTS: 0, Quantifier.FORALL: 0}
        start = 0
        for scope in form.scopes:
            end = start + len(scope.variables)
            self.levels.append((scope.quantifier, start, end))
            self.of[scope.quantifier] |= (1 << end) - (1 << start)
            start = end

    def bit(self, variable: int) -> int:
        return int(self._bit_of[variable])

    def literals(self, clause: tuple[int, ...]) -> Literals:
        positive = negative = 0
        for literal in clause:
            if literal > 0:
                positive |= 1 << self.bit(literal)
            else:
                negative |= 1 << self.bit(-literal)
        return positive, negative

    def names(self, bits: int) -> list[int]:
        """The variables of a set of bits, in the order of the prefix."""
        return [self.order[bit] for bit in members(bits)]

    def table(self, trace: QrpProof, steps: Numbers) -> Iterator[tuple[Numbers, NDArray[np.bool_]]]:
        """Pieces of ascending ``steps`` with a row for each step, in order.

        A row has a column for each variable, true where it is positive, and then one for each
        where it is negative; both halves are padded to whole bytes.  Raises
        :class:`InputError` for a variable that the formula does not have.
        """
        width = self.width
        rows = max(1, _TABLE // (2 * width))
        for run in trace.runs(steps):
            flat, first = trace.literals(run)
            variables = np.abs(flat)
            known = variables < len(self._bit_of)
            bits = self._bit_of[np.where(known, variables, 0)]
            self._check(trace, run, flat, first, bits)
            columns = np.where(flat > 0, bits, bits + width)
            for low in range(0, len(run), rows):
                part = run[low : low + rows]
                bounds = first[low : low + len(part) + 1]
                table = np.zeros((len(part), 2 * width), dtype=np.bool_)
                owner = np.repeat(np.arange(len(part)), np.diff(bounds))
                table[owner, columns[bounds[0] : bounds[-1]]] = True
                yield part, table

    @property
    def width(self) -> int:
        """Columns of half a row of :meth:`table`."""
        return max(8, -(-self.size // 8) * 8)

    def unpack(self, table: NDArray[np.bool_]) -> Iterator[Literals]:
        half = self.width // 8
        packed = np.packbits(table, axis=1, bitorder="little")
        for row in packed:
            data = row.tobytes()
            yield int.from_bytes(data[:half], "little"), int.from_bytes(data[half:], "little")

    def _check(
        self,
        trace: QrpProof,
        steps: Numbers,
        flat: Numbers,
        first: Offsets,
        bits: NDArray[np.int64],
    ) -> None:
        unknown = np.flatnonzero(bits < 0)
        if not len(unknown):
            return
        k = int(unknown[0])
        step = int(steps[np.searchsorted(first, k, side="right") - 1])
        found = f"variable {abs(int(flat[k]))} in step {trace.ids[step]}"
        raise step_error(trace, step, found, "a variable of the formula")


def step_error(trace: QrpProof, step: int, found: str, expected: str) -> InputError:
    return qrp_error(trace.file, trace.dialect, int(trace.begin[step]), found, expected)


def uses(trace: QrpProof, steps: Numbers) -> list[int]:
    """For each of all steps, the number of times that it is an antecedent of one of ``steps``."""
    lengths = np.diff(trace.first)
    chosen = np.zeros(trace.num_steps, dtype=np.bool_)
    chosen[steps] = True
    owners = np.repeat(chosen, lengths)
    counts: list[int] = np.bincount(trace.antecedents[owners], minlength=trace.num_steps).tolist()
    return counts


def as_form(formula: Qbf | ClausalForm) -> ClausalForm:
    """The clauses that a trace of ``formula`` is about."""
    return formula if isinstance(formula, ClausalForm) else clausal_form(formula)
