"""Is a trace a proof?  Each step that its empty clause or cube rests on is checked.

The rules are those of Q-resolution (Kleine Büning, Karpinski and Flögel 1995) and its dual for
cubes (Giunchiglia, Narizzano and Tacchella 2006), with long-distance resolution (Balabanov and
Jiang 2012), which Qute uses: clashing universals of clauses (existentials of cubes) right of the
pivot are merged, written as both literals.  For clauses, with *pivots* existential and *reduced*
universal; for cubes the other way round:

- A step without antecedents is a clause of the formula, less reduced variables right of all its
  pivots; or a cube that has a literal of each clause.
- Others are resolved in the order in which they are listed.  Two of them clash in exactly one
  pivot; reduced variables left of it must not clash.
- Reduced variables right of all pivots may be dropped, before and after each resolution.

Nothing here is shared with what extracts certificates but the reader and the sets of literals.

A set is two Python integers, its positive and its negative variables; bit ``k`` is the ``k``-th
variable of the prefix.  The variables right of a variable have the higher bits, so that resolution
and reduction are a few operations on integers for any number of literals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.errors import InputError, Proof, Refutation, Undecided
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form
from qsage_validate.formats.qrp import read_qrp
from qsage_validate.formats.qrp_steps import Numbers, Offsets, QrpProof, qrp_error
from qsage_validate.formats.source import Path
from qsage_validate.games.masks import members
from qsage_validate.registry import declared
from qsage_validate.registry import load as load_place
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody

# The literals of steps as sets of bits in the order of the prefix


Literals = tuple[int, int]
"""Positive and negative variables."""


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


# The steps that the empty clause or cube rests on, checked


# The bytes of a table of cubes and clauses that are computed at one time.
_TABLE = 1 << 24


@dataclass(frozen=True, slots=True)
class QrpProved(Proof):
    """The trace proves its formula ``true`` or false.

    ``needed`` of its ``steps`` are what the proof rests on, ``leaves`` of them clauses of the
    formula or initial cubes; ``merged`` have merged literals (long-distance resolution).
    """

    true: bool
    steps: int
    needed: int
    leaves: int
    merged: int
    generalised: int = 0
    """Of the ``leaves``, those that are generalised axioms."""

    @property
    def reason(self) -> str:
        what = "cubes prove the formula true" if self.true else "clauses prove the formula false"
        if not self.generalised:
            return f"{self.needed:,} {what}"
        # What such a step says is this program's work, and not the trace's.
        return f"{self.needed:,} {what}, {self.generalised:,} of them axioms that were decided here"


@dataclass(frozen=True, slots=True)
class QrpRefuted(Refutation):
    """The trace is no proof: its step ``id`` at ``place`` (a line or byte) does not follow."""

    id: int
    place: str
    what: str

    @property
    def reason(self) -> str:
        return f"step {self.id} ({self.place}) {self.what}"


@dataclass(frozen=True, slots=True)
class DeclaredAxioms:
    """Who knows other initial clauses and cubes; the place is loaded when they are asked for.

    It makes, of :class:`PrefixBits` and ``cubes``, what has ``check(literals, deadline)``: ``None``
    for an axiom, else why it is not known to be one.  Functions are made of its
    ``strategy(literals, deadline)`` (``AxiomStrategy`` in ``by_proof.py``).
    """

    place: str

    def made(self, bits: PrefixBits, *, cubes: bool) -> Any:
        return load_place(self.place)(bits, cubes=cubes)


QrpResult = QrpProved | QrpRefuted | Undecided


def check_qrp(
    formula: Qbf | ClausalForm,
    trace: QrpProof | Path,
    *,
    generalised: bool = False,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> QrpResult:
    """Check every step that the result rests on, in the order of the file.

    ``generalised`` takes axioms of other kinds, which an extension checks.

    A circuit stands for its clauses (:func:`~qsage_validate.formats.qdimacs.clausal_form`).
    Memory is that of the index and of the steps that are still needed.  At the
    deadline nothing is decided; ``tell`` hears now and then how many steps are done of how many.
    Raises :class:`InputError` for what is malformed.
    """
    read = trace if isinstance(trace, QrpProof) else read_qrp(trace)
    return _Checker(as_form(formula), read, generalised=generalised).run(deadline, tell)


class _Checker:
    def __init__(self, form: ClausalForm, trace: QrpProof, *, generalised: bool = False) -> None:
        self.trace = trace
        self.bits = PrefixBits(form)
        found = declared("axioms", DeclaredAxioms) if generalised else ()
        self.axioms = [one.made(self.bits, cubes=trace.true) for one in found]
        pivot = Quantifier.FORALL if trace.true else Quantifier.EXISTS
        self.pivots = self.bits.of[pivot]
        self.reduced = self.bits.of[pivot.dual]
        self.word = "cube" if trace.true else "clause"

    def run(self, deadline: Deadline, tell: Tell) -> QrpResult:
        trace = self.trace
        needed = trace.needed()
        left = uses(trace, needed)
        live: dict[int, Literals] = {}
        leaf = self._cube if trace.true else self._clause
        done = leaves = merged = others = 0
        self._prepare()
        for steps, table in self.bits.table(trace, needed):
            total = len(needed)
            if deadline.over:
                return Undecided(f"time was up after {done:,} of {total:,} steps")
            tell(Progress("trace", f"{done:,} of {total:,} steps", done, total))
            done += len(steps)
            satisfying = self._satisfying(table) if trace.true else None
            first = trace.first[steps].tolist()
            last = trace.first[steps + 1].tolist()
            for k, literals in enumerate(self.bits.unpack(table)):
                step = int(steps[k])
                below = trace.antecedents[first[k] : last[k]].tolist()
                reason = self._consistent(step, literals)
                if reason is None and below:
                    reason = self._derived([live[b] for b in below], literals)
                elif reason is None:
                    leaves += 1
                    reason = leaf(literals, satisfying is not None and bool(satisfying[k]))
                    if reason is not None and self.axioms:
                        why = self.axioms[0].check(literals, deadline)
                        if why is not None:
                            # A solver may have reasons for a step that nobody looks for here.
                            at = f"step {trace.ids[step]} ({trace.place(step)})"
                            return Undecided(f"{at} {why}")
                        reason, others = None, others + 1
                if reason is not None:
                    return QrpRefuted(int(trace.ids[step]), trace.place(step), reason)
                merged += bool(literals[0] & literals[1])
                if left[step]:
                    live[step] = literals
                for b in below:
                    left[b] -= 1
                    if not left[b]:
                        live.pop(b, None)
        return QrpProved(trace.true, trace.num_steps, len(needed), leaves, merged, others)

    def _consistent(self, step: int, literals: Literals) -> str | None:
        cubes = self.trace.cubes
        if cubes is not None and bool(cubes[step]) != self.trace.true:
            return f"is a {'clause' if self.trace.true else 'cube'} in a proof by {self.word}s"
        both = literals[0] & literals[1] & self.pivots
        return f"has {self._name(both)} in both signs" if both else None

    # -- Leaves -----------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Index the clauses: by what is left of them after reduction, or as columns."""
        clauses = self.bits.form.clauses
        if not self.trace.true:
            self._clauses: dict[Literals, list[Literals]] = {}
            for clause in clauses:
                literals = self.bits.literals(clause)
                self._clauses.setdefault(self._reduce(literals), []).append(literals)
            return
        width = self.bits.width
        columns = [
            self.bits.bit(abs(x)) + (width if x < 0 else 0) for clause in clauses for x in clause
        ]
        self._columns = np.array(columns, dtype=np.int64)
        lengths = np.array([len(clause) for clause in clauses], dtype=np.int64)
        self._starts = np.cumsum(lengths) - lengths
        self._no_clause_empty = bool((lengths > 0).all())

    def _clause(self, literals: Literals, satisfying: bool) -> str | None:
        del satisfying
        for positive, negative in self._clauses.get(self._reduce(literals), ()):
            if not (literals[0] & ~positive or literals[1] & ~negative):
                return None
        return "has no antecedents and is no clause of the formula"

    def _satisfying(self, table: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each row, true if it has a literal of every clause."""
        found = np.full(len(table), self._no_clause_empty, dtype=np.bool_)
        if not len(self._columns) or not self._no_clause_empty:
            return found
        # Eight rows a byte; what is reduced lies in the first axis, where that is quick.
        rows = max(8, 8 * _TABLE // len(self._columns))
        for low in range(0, len(table), rows):
            part = table[low : low + rows]
            packed = np.packbits(part.T, axis=1)
            per_clause = np.bitwise_or.reduceat(packed[self._columns], self._starts, axis=0)
            every = np.bitwise_and.reduce(per_clause, axis=0)
            found[low : low + rows] = np.unpackbits(every, count=len(part)).astype(np.bool_)
        return found

    def _cube(self, literals: Literals, satisfying: bool) -> str | None:
        both = literals[0] & literals[1]
        if both:
            return f"is an initial cube with {self._name(both)} in both signs"
        if satisfying:
            return None
        for clause in self.bits.form.clauses:
            positive, negative = self.bits.literals(clause)
            if not (literals[0] & positive or literals[1] & negative):
                text = " ".join(map(str, clause)) or "without literals"
                return f"is an initial cube that does not satisfy the clause {text}"
        raise AssertionError("the cube satisfies every clause")

    # -- Steps ------------------------------------------------------------------------------

    def _reduce(self, literals: Literals) -> Literals:
        """Without the reduced variables right of all pivots."""
        positive, negative = literals
        keep = (1 << ((positive | negative) & self.pivots).bit_length()) - 1
        return positive & keep, negative & keep

    def _derived(self, antecedents: Sequence[Literals], listed: Literals) -> str | None:
        """The reason why the antecedents' resolution does not give ``listed``, or ``None``."""
        positive, negative = self._reduce(antecedents[0])
        some = antecedents[0]
        for other in antecedents[1:]:
            some = some[0] | other[0], some[1] | other[1]
            p, n = self._reduce(other)
            clash = (positive & n) | (negative & p)
            pivot = clash & self.pivots
            if not pivot:
                return "resolves what has no variable to resolve on"
            if pivot & (pivot - 1):
                names = ", ".join(map(str, self.bits.names(pivot)))
                return f"resolves what clashes in several variables ({names})"
            wrong = clash & self.reduced & (pivot - 1)
            if wrong:
                return (
                    f"merges the literals of {self._name(wrong)}, which is left of"
                    f" its pivot {self._name(pivot)}"
                )
            positive, negative = self._reduce(((positive | p) & ~pivot, (negative | n) & ~pivot))
        for mine, theirs, given, sign in (
            (positive, listed[0], some[0], ""),
            (negative, listed[1], some[1], "-"),
        ):
            lost = mine & ~theirs
            if lost:
                rule = "must not be reduced" if lost & self.reduced else "is no pivot"
                return f"lacks the literal {sign}{self._name(lost)}, which {rule}"
            new = theirs & ~mine & (self.pivots | ~given)
            if new:
                return f"has the literal {sign}{self._name(new)}, which does not follow"
        return None

    def _name(self, bits: int) -> int:
        return self.bits.names(bits)[0]
