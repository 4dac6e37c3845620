"""The steps of a QRP trace, indexed: what the dialects of traces share.

Traces are far larger than memory should be.  An index is kept, some 30 bytes a step: where its
literals are, and its antecedents.  Literals are read from the file when they are asked for, for
as many steps at once as one likes, so that what no proof needs is never read again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.qbf import Scope
from qsage_validate.errors import InputError
from qsage_validate.formats.bytes_of import BytesOf

Numbers = NDArray[np.int32]
Offsets = NDArray[np.int64]

# Literals are asked for in runs of steps that lie in so many bytes of the file.
_SPAN: Final = 1 << 22


Decode = Callable[[BytesOf, bytes, int, Offsets, Offsets], tuple[Numbers, Offsets]]
"""The literals in segments of some bytes that lie at an offset of a file."""


class QrpDialect(Enum):
    """The conventions that a trace follows."""

    QRP = "qrp"
    BQRP = "bqrp"
    QUTE = "qute"


@dataclass(frozen=True, eq=False)
class QrpProof:
    """The steps of a trace, in the order of the file; literals stay there.

    Steps are called by their index from 0.  ``ids`` are the file's own numbers, shape
    ``(steps,)``; ``antecedents[first[k] : first[k + 1]]`` are the steps that step ``k`` is made
    of, all of them smaller than ``k``; ``begin`` and ``end`` say where the bytes of its literals
    are.  ``true`` is the result, ``final`` the empty clause or cube that it rests on, ``cubes``
    which steps are cubes, where the dialect says so.  ``scopes`` is the prefix as the solver
    wrote it.
    """

    dialect: QrpDialect
    scopes: tuple[Scope, ...]
    ids: Numbers
    antecedents: Numbers
    first: Offsets
    begin: Offsets
    end: Offsets
    cubes: NDArray[np.bool_] | None
    true: bool
    final: int
    file: BytesOf
    decode: Decode

    @property
    def path(self) -> str | None:
        """The name of the file in messages."""
        return self.file.path

    @property
    def num_steps(self) -> int:
        """All steps, needed or not."""
        return len(self.ids)

    def needed(self) -> Numbers:
        """The steps that the final one rests on, itself included, in ascending order."""
        return needed_steps(self.final, self.antecedents, self.first)

    def runs(self, steps: Numbers) -> list[Numbers]:
        """Ascending ``steps`` in pieces whose literals are read together."""
        pieces = (self.begin[steps] // _SPAN) if len(steps) else np.empty(0, dtype=np.int64)
        return np.split(steps, np.flatnonzero(np.diff(pieces)) + 1)

    def literals(self, steps: Numbers) -> tuple[Numbers, Offsets]:
        """The literals of ascending ``steps``, one after the other, and where each begins.

        The offsets have one entry more than there are steps.  Raises :class:`InputError` for
        what is no literal.
        """
        if not len(steps):
            return np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
        base = int(self.begin[steps[0]])
        data = self.file.read(base, int(self.end[steps[-1]]))
        segments = (self.begin[steps] - base, self.end[steps] - base)
        return self.decode(self.file, data, base, *segments)

    def place(self, step: int) -> str:
        """The place of a step, for messages: ``line 12`` or ``byte 345``."""
        if self.dialect is QrpDialect.BQRP:
            return f"byte {int(self.begin[step])}"
        return f"line {self.file.line_of(int(self.begin[step]))}"


def needed_steps(final: int, antecedents: Numbers, first: Offsets) -> Numbers:
    """The steps that ``final`` rests on, itself included, in ascending order."""
    needed = bytearray(final + 1)
    needed[final] = 1
    block = 1 << 16
    for start in range((final // block) * block, -1, -block):
        stop = min(start + block, final + 1)
        bounds = first[start : stop + 1].tolist()
        below = antecedents[bounds[0] : bounds[-1]].tolist()
        base = bounds[0]
        for step in range(stop - start - 1, -1, -1):
            if needed[start + step]:
                for k in range(bounds[step] - base, bounds[step + 1] - base):
                    needed[below[k]] = 1
    return np.flatnonzero(np.frombuffer(needed, dtype=np.uint8)).astype(np.int32)


def make_qrp(
    file: BytesOf,
    dialect: QrpDialect,
    scopes: tuple[Scope, ...],
    columns: Columns,
    true: bool | None,
    decode: Decode,
) -> QrpProof:
    """The trace of what an index pass found; ``true`` is the result where the file has one.

    Raises :class:`InputError` for an id that is given twice, an antecedent that no earlier step
    has, and when there is no empty clause or cube of the right kind.
    """
    antecedents = _resolve(file, dialect, columns)
    empty = columns.empty
    if columns.cubes is not None and true is not None:
        empty = empty & (columns.cubes == true)
    finals = np.flatnonzero(empty)
    if not len(finals):
        what = "clause or cube" if true is None else "cube" if true else "clause"
        raise qrp_error(
            file, dialect, file.size, "the end of the file", f"the empty {what} that ends a proof"
        )
    final = int(finals[-1])
    if true is None:
        assert columns.cubes is not None, "a file without a result says what its steps are"
        true = bool(columns.cubes[final])
    return QrpProof(
        dialect=dialect,
        scopes=scopes,
        ids=columns.ids,
        antecedents=antecedents,
        first=columns.first,
        begin=columns.begin,
        end=columns.end,
        cubes=columns.cubes,
        true=true,
        final=final,
        file=file,
        decode=decode,
    )


@dataclass(frozen=True, eq=False)
class Columns:
    """An index before antecedents are looked up: they are still the file's ids."""

    ids: Numbers
    antecedent_ids: Numbers
    first: Offsets
    begin: Offsets
    end: Offsets
    empty: NDArray[np.bool_]
    cubes: NDArray[np.bool_] | None


def join_columns(blocks: list[Columns], kinds: bool | None) -> Columns:
    """The columns of all blocks of a file; ``kinds`` says whether it tells cubes from clauses."""
    no: Numbers = np.empty(0, dtype=np.int32)
    nowhere: Offsets = np.empty(0, dtype=np.int64)
    counts = [len(b.antecedent_ids) for b in blocks]
    firsts = [b.first[:-1] + k for b, k in zip(blocks, accumulate(counts, initial=0), strict=False)]
    flags = np.empty(0, dtype=np.bool_)
    cubes: list[NDArray[np.bool_]] = [b.cubes for b in blocks if b.cubes is not None]
    return Columns(
        ids=np.concatenate([no, *(b.ids for b in blocks)]),
        antecedent_ids=np.concatenate([no, *(b.antecedent_ids for b in blocks)]),
        first=np.concatenate([nowhere, *firsts, np.array([sum(counts)], dtype=np.int64)]),
        begin=np.concatenate([nowhere, *(b.begin for b in blocks)]),
        end=np.concatenate([nowhere, *(b.end for b in blocks)]),
        empty=np.concatenate([flags, *(b.empty for b in blocks)]),
        cubes=np.concatenate([flags, *cubes]) if kinds else None,
    )


def _resolve(file: BytesOf, dialect: QrpDialect, columns: Columns) -> Numbers:
    """The steps that the ids of antecedents mean."""
    ids, wanted = columns.ids, columns.antecedent_ids
    owner = np.repeat(np.arange(len(ids), dtype=np.int32), np.diff(columns.first))
    if len(ids) and int(ids[-1]) - int(ids[0]) == len(ids) - 1 and bool((np.diff(ids) == 1).all()):
        found = wanted - ids[0]
    else:
        order = np.argsort(ids, kind="stable").astype(np.int32)
        ordered = ids[order]
        twice = np.flatnonzero(ordered[1:] == ordered[:-1])
        if len(twice):
            step = int(order[twice + 1].min())
            raise _step_error(file, dialect, columns, step, f"step {ids[step]} again", "a new one")
        at = np.minimum(np.searchsorted(ordered, wanted), max(len(ids) - 1, 0))
        found = np.where(ordered[at] == wanted, order[at], -1) if len(wanted) else wanted
    wrong = np.flatnonzero((found < 0) | (found >= owner))
    if len(wrong):
        k = int(wrong[0])
        what = f"antecedent {wanted[k]} of step {ids[owner[k]]}"
        raise _step_error(
            file, dialect, columns, int(owner[k]), what, "the number of an earlier step"
        )
    steps: Numbers = found.astype(np.int32)
    return steps


def _step_error(
    file: BytesOf, dialect: QrpDialect, columns: Columns, step: int, found: str, expected: str
) -> InputError:
    return qrp_error(file, dialect, int(columns.begin[step]), found, expected)


def qrp_error(
    file: BytesOf, dialect: QrpDialect, offset: int, found: str, expected: str
) -> InputError:
    """The error at a byte of a trace: with the line of a text, else with the byte."""
    if dialect is QrpDialect.BQRP:
        return InputError(file.path, None, None, f"{found} at byte {offset}", expected)
    return InputError(file.path, file.line_of(offset), None, found, expected)
