"""Candidates of the synthesis: sampled positions, atoms over them, formulas that tell them apart.

Expressions are sums and differences of variables; constants and moduli come in levels, each of
which has those of the level before.  Moduli are the small numbers, those of the file with their
neighbours and sums, and the periods that the labels show along the axes.

:class:`Enumerator` makes one for each truth vector (the method Enum of Wu et al.).

From literals of known sizes larger formulas are made by ``and`` and ``or``, all of one size
before any of the next, so that the first one with the wanted truth vector is a smallest one.

*Classification* (section 4).  The atoms are chosen by partial MaxSAT, so that any positive and
any negative state differ in one of them; the pairs that ask for it are added one by one, where a
choice does not tell states apart yet.  A formula over the chosen atoms is then made small: both
the disjunctive normal form of the positive patterns and the negated one of the negative patterns
are tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import inf
from typing import Any, Final

import numpy as np

from qsage_validate.circuit.sat import Solver
from qsage_validate.extensions.impartial.model import (
    FALSE,
    TRUE,
    Congruence,
    ImpartialComparison,
    ImpartialFormula,
    Linear,
    conjunction,
    disjunction,
)
from qsage_validate.extensions.impartial.rules import (
    Bits,
    Column,
    State,
    columns_of,
    formula_values,
    linear_values,
)
from qsage_validate.games.masks import members
from qsage_validate.system.limits import NEVER, Deadline

# States with the label that a formula is to give them, as sets of bits


def to_int(bits: Bits) -> int:
    """The set of the true places: bit ``i`` is place ``i``."""
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


@dataclass(frozen=True)
class StateSample:
    """Positive and negative states: bit ``i`` of ``target`` is the label of ``states[i]``."""

    variables: tuple[str, ...]
    states: tuple[State, ...]
    target: int

    @classmethod
    def of(
        cls, variables: Sequence[str], states: Sequence[State], labels: Sequence[bool]
    ) -> StateSample:
        return cls(tuple(variables), tuple(states), to_int(np.array(labels, dtype=np.bool_)))

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        return columns_of(self.variables, self.states)

    @property
    def mask(self) -> int:
        return (1 << len(self.states)) - 1

    def values(self, formula: ImpartialFormula) -> int:
        """The set of states in which ``formula`` holds."""
        return to_int(formula_values(formula, self.columns))

    def mistakes(self, formula: ImpartialFormula) -> list[int]:
        """The places of the states that ``formula`` labels wrongly."""
        return list(members(self.values(formula) ^ self.target))


class Remaining:
    """The states of a sample that are left when formulas take theirs away."""

    def __init__(self, variables: Sequence[str], states: Sequence[State]) -> None:
        self._variables = tuple(variables)
        self.states = list(states)

    def take(self, formula: ImpartialFormula) -> None:
        """Drop the states in which ``formula`` holds."""
        if self.states:
            bits = formula_values(formula, columns_of(self._variables, self.states))
            self.states = [
                s for s, gone in zip(self.states, bits.tolist(), strict=True) if not gone
            ]

    def some(self, most: int) -> list[State]:
        """At most so many of the states, from all over the sample."""
        return self.states[:: -(-len(self.states) // most)] if self.states else []


# Enumerates atoms by size, one for each truth vector on a sample (SynMS paper, section 5.1)


LEVELS: Final = 3
"""The number of levels of atoms."""

_CONSTANTS = (8, 24, 160)
_MODULI = (4, 7, 12)
_MAX_ATOMS = (1500, 4000, 8000)
_MAX_MODULUS: Final = 130
_MIN_LINE: Final = 8

_Line = list[tuple[int, bool]]
"""Values along a line of states, each with the label of its state."""


@dataclass(frozen=True)
class SampledLiteral:
    """An atom or its negation, with the states of a sample in which it holds."""

    formula: ImpartialFormula
    bits: int
    size: int


def expressions(variables: Sequence[str], level: int) -> list[Linear]:
    """The left sides of atoms, the small ones first; of ``e`` and ``-e`` there is one."""
    single = [Linear.variable(name) for name in variables]
    found = list(single)
    for a, b in combinations(single, 2):
        found += [a - b] if level == 0 and len(variables) > 1 else [a - b, a + b]
    if level >= 1 or len(variables) == 3:
        for a, b, c in combinations(single, 3):
            found += [a + b - c, a - b + c, a - b - c, a + b + c]
    if level >= 1 and len(variables) == 2:
        a, b = single
        found += [a.scaled(2) - b, a - b.scaled(2)]
    if level >= 2 and len(variables) == 4:
        a, b, c, d = single
        found += [a + b - c - d, a - b + c - d, a - b - c + d]
    if level >= 1 and len(variables) == 5:
        for a, b, c, d in combinations(single, 4):
            found += [a + b - c - d, a - b + c - d, a - b - c + d]
    return found


def moduli(constants: frozenset[int], periods: Sequence[int], level: int) -> list[int]:
    """The moduli of a level, ascending."""
    small = set(range(2, _MODULI[level] + 1))
    file = {c for c in constants if c <= _MAX_MODULUS}
    found = small | {c + 1 for c in file} | file | set(periods[: 2 + 2 * level])
    if level:
        found |= {a + b for a, b in combinations(sorted(file), 2)}
    for period in periods[:2]:
        found |= {d for d in range(2, period) if period % d == 0}
    return sorted(m for m in found if 2 <= m <= _MAX_MODULUS)


def periods(states: Sequence[State], labels: dict[State, bool]) -> list[int]:
    """Periods that the labels have along lines of states, the most frequent first.

    Lines along the axes come before diagonals, along which two variables keep their difference.
    A line that is constant behind a beginning has no period; a period must be seen twice.
    """
    axes: dict[tuple[int, State], _Line] = {}
    diagonals: dict[tuple[int, int, State], _Line] = {}
    for state in states:
        label = labels[state]
        for axis, value in enumerate(state):
            rest = state[:axis] + state[axis + 1 :]
            axes.setdefault((axis, rest), []).append((value, label))
            for other in range(axis):
                # The difference stands where the one was, and the other is left out.
                moved = (*rest[:other], state[other] - value, *rest[other + 1 :])
                diagonals.setdefault((axis, other, moved), []).append((value, label))
    found = [_common_periods(lines) for lines in (axes.values(), diagonals.values())]
    return list(dict.fromkeys(period for periods in found for period in periods))


def _common_periods(lines: Iterable[_Line]) -> list[int]:
    found: Counter[int] = Counter()
    for line in lines:
        if len(line) >= _MIN_LINE:
            period = _period([label for _, label in sorted(line)])
            if period > 1:
                found[period] += 1
    return [period for period, _ in found.most_common()]


def _period(labels: list[bool]) -> int:
    """The smallest period of the second two thirds; 0 when there is none."""
    tail = labels[len(labels) // 3 :]
    for period in range(1, len(tail) // 2 + 1):
        if tail[period:] == tail[:-period]:
            return period
    return 0


def enumerate_atoms(
    sample: StateSample,
    level: int,
    wanted_moduli: Sequence[int],
    known: Sequence[ImpartialFormula] = (),
) -> list[SampledLiteral]:
    """Literals of the level, by size; of each atom the one and its negation.

    ``known`` atoms come first.
    """
    candidates = [(atom.size, 0, atom) for atom in known]
    for order, expression in enumerate(expressions(sample.variables, level)):
        values = linear_values(expression, sample.columns)
        for atom in _atoms(expression, values, len(sample.variables), level, wanted_moduli):
            candidates.append((atom.size, 1 + order, atom))
    candidates.sort(key=lambda one: one[:2])
    return distinct_literals(sample, (atom for _, _, atom in candidates), _MAX_ATOMS[level])


def distinct_literals(
    sample: StateSample, atoms: Iterable[ImpartialFormula], most: int
) -> list[SampledLiteral]:
    """Each of the ``atoms`` and its negation, at most so many atoms.

    Atoms that are true everywhere or nowhere, or equal to or the opposite of an earlier one on
    the sample, are left out.
    """
    mask = sample.mask
    seen: set[int] = {0, mask}
    found: list[SampledLiteral] = []
    for atom in atoms:
        bits = sample.values(atom)
        if bits in seen:
            continue
        seen |= {bits, mask & ~bits}
        negated = atom.negated()
        found += [
            SampledLiteral(atom, bits, atom.size),
            SampledLiteral(negated, mask & ~bits, negated.size),
        ]
        if len(found) >= 2 * most:
            break
    return found


def _atoms(
    expression: Linear, values: Column, variables: int, level: int, wanted: Sequence[int]
) -> Iterator[ImpartialFormula]:
    limit = _limit(len(expression.terms), variables, level)
    low, high = max(int(values.min()), -limit), min(int(values.max()), limit)
    for constant in range(low, high + 1):
        yield comparison("=", expression, constant)
        if constant < high:
            yield comparison("<=", expression, constant)
    if all(abs(factor) == 1 for _, factor in expression.terms) or level > 1:
        for modulus in wanted:
            for residue in range(modulus):
                yield Congruence(expression, modulus, Linear((), residue))


def _limit(terms: int, variables: int, level: int) -> int:
    """The largest constant beside an expression of so many terms."""
    if variables == 1:
        return _CONSTANTS[-1]
    if terms == 1 and variables == 2:
        return max(40, _CONSTANTS[level])
    if terms < 3:
        return _CONSTANTS[level]
    return _CONSTANTS[level - 1] if level else 1


def comparison(relation: str, expression: Linear, constant: int) -> ImpartialComparison:
    """``expression relation constant``, with positive terms on both sides: ``v1 <= v2 + 3``."""
    if relation == "<=" and constant == -1 and len(expression.terms) > 1:
        relation, constant = "<", 0
    left = Linear.of({n: a for n, a in expression.terms if a > 0}, max(0, -constant))
    right = Linear.of({n: -a for n, a in expression.terms if a < 0}, max(0, constant))
    if not left.terms:
        flipped = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}
        return ImpartialComparison(flipped.get(relation, relation), right, left)
    if len(expression.terms) == 1:
        return ImpartialComparison(relation, expression, Linear((), constant))
    return ImpartialComparison(relation, left, right)


# Enumerates formulas by size: all of them, or those of up to three literals


MAX_FORMULAS: Final = 400_000
"""No more truth vectors than this are remembered."""

_CLOCK_EVERY: Final = 20_000


class Enumerator:
    """Formulas over some literals, enumerated by size up to a limit."""

    def __init__(self, literals: Sequence[SampledLiteral], mask: int) -> None:
        self.mask = mask
        self._built: dict[int, tuple[str, int, int] | ImpartialFormula] = {}
        self._by_size: dict[int, list[int]] = {}
        self._waiting: dict[int, list[SampledLiteral]] = {}
        for literal in literals:
            self._waiting.setdefault(literal.size, []).append(literal)
        for constant, bits in ((TRUE, mask), (FALSE, 0)):
            self._built[bits] = constant

    def find(
        self, target: int, below: int, deadline: Deadline, *, most: int = MAX_FORMULAS
    ) -> ImpartialFormula | None:
        """The smallest formula with the truth vector ``target`` and a size less than ``below``.

        ``None`` when there is none, or when the limit or the time ends it.
        """
        if target in (0, self.mask):
            return self._formula(target)
        for size in range(2, below):
            if size not in self._by_size and not self._grow(size, target, deadline, most):
                return None
            if target in self._built:
                return self._formula(target)
        return None

    def _grow(self, size: int, target: int, deadline: Deadline, most: int) -> bool:
        built, level = self._built, list[int]()
        for literal in self._waiting.get(size, ()):
            if literal.bits not in built:
                built[literal.bits] = literal.formula
                level.append(literal.bits)
        count = 0
        for left_size in range(2, (size - 1) // 2 + 1):
            lefts = self._by_size.get(left_size, ())
            rights = self._by_size.get(size - 1 - left_size, ())
            for left in lefts:
                for right in rights:
                    both = left & right
                    if both not in built:
                        built[both] = ("and", left, right)
                        level.append(both)
                    some = left | right
                    if some not in built:
                        built[some] = ("or", left, right)
                        level.append(some)
                count += len(rights)
                if count > _CLOCK_EVERY:
                    count = 0
                    if deadline.over or len(built) > most:
                        return False
                if target in built:
                    break
        self._by_size[size] = level
        return True

    def _formula(self, bits: int) -> ImpartialFormula:
        built = self._built[bits]
        if isinstance(built, ImpartialFormula):
            return built
        sign, left, right = built
        parts = (self._formula(left), self._formula(right))
        return conjunction(parts) if sign == "and" else disjunction(parts)


# -- Up to three literals ----------------------------------------------------------------------
#
# One literal, two under a connective, and three in every shape.  Sets of states are integers, and a
# literal is looked at only where it can be part of a solution: a thousand literals are no trouble.

_MAX_OUTER: Final = 400
_MAX_INNER: Final = 300


def smallest_formulas(
    target: int,
    mask: int,
    literals: Sequence[SampledLiteral],
    deadline: Deadline,
    *,
    below: int = 1 << 30,
) -> list[ImpartialFormula]:
    """Formulas of up to three literals that hold exactly in ``target``, the smallest first.

    ``literals`` are sorted by size and closed under negation; ``below`` bounds the size.
    """
    if target == mask:
        return [TRUE]
    if not target:
        return [FALSE]
    exact = [literal.formula for literal in literals if literal.bits == target]
    if exact:
        return [min(exact, key=lambda f: f.size)] if exact[0].size < below else []
    best = below
    found: list[ImpartialFormula] = []
    for wanted, flip in ((target, False), (mask & ~target, True)):
        for formula in _products(wanted, mask, literals, deadline, best):
            found.append(formula.negated() if flip else formula)
            best = min(best, found[-1].size + 1)
    return sorted(found, key=lambda f: f.size)[:4]


def _products(
    target: int, mask: int, literals: Sequence[SampledLiteral], deadline: Deadline, best: int
) -> list[ImpartialFormula]:
    """Solutions whose outermost connective is ``and``."""
    outside = mask & ~target
    above = [x for x in literals if not target & ~x.bits][:_MAX_OUTER]
    # The states that each one lets in and should not.
    excess = [x.bits & outside for x in above]
    found: list[ImpartialFormula] = []
    order = sorted(range(len(above)), key=lambda i: above[i].size)
    for position, i in enumerate(order):
        for j in order[position + 1 :]:
            size = above[i].size + above[j].size + 1
            if size >= best:
                break
            if not excess[i] & excess[j]:
                found.append(conjunction((above[i].formula, above[j].formula)))
                best = size
    smallest = above[order[0]].size if order else 0
    # Three under "and".
    for position, i in enumerate(order):
        if above[i].size + 2 * smallest + 2 >= best or deadline.over:
            break
        for second, j in enumerate(order[position + 1 :], start=position + 1):
            room = best - above[i].size - above[j].size - 2
            if room <= smallest:
                break
            both = excess[i] & excess[j]
            if both == excess[i] or both == excess[j]:
                continue
            for k in order[second + 1 :]:
                if above[k].size >= room:
                    break
                if not both & excess[k]:
                    parts = (above[i].formula, above[j].formula, above[k].formula)
                    found.append(conjunction(parts))
                    best = above[i].size + above[j].size + above[k].size + 2
                    break
    # One and a choice of two.
    for i in order:
        if deadline.over:
            break
        room = best - above[i].size - 2
        inner = [x for x in literals if not x.bits & excess[i] and x.bits & target][:_MAX_INNER]
        if not inner or above[i].size + 2 * inner[0].size + 2 >= best:
            continue
        union = 0
        for x in inner:
            union |= x.bits
        if target & ~union:
            continue
        for position, x in enumerate(inner):
            if x.size + inner[0].size >= room:
                break
            lacking = target & ~x.bits
            for y in inner[position + 1 :]:
                if x.size + y.size >= room:
                    break
                if not lacking & ~y.bits:
                    choice = disjunction((x.formula, y.formula))
                    found.append(conjunction((above[i].formula, choice)))
                    room = x.size + y.size
                    best = above[i].size + room + 2
                    break
    return found


# Exact binary classification (SynMS paper, section 4): a formula for labelled states


_SECONDS: Final = 1.5
_SELECT_SECONDS: Final = 4.0
_PAIRS_A_ROUND: Final = 24


def select_atoms(
    target: int, mask: int, literals: Sequence[SampledLiteral], deadline: Deadline
) -> list[SampledLiteral] | None:
    """Few atoms that tell ``target`` from the rest; ``None`` when all of them do not.

    ``literals`` holds each atom followed by its negation.
    """
    atoms = literals[::2]
    clauses: list[list[int]] = []
    # Greedy choices ask for most of the pairs quickly; MaxSAT has the last word.
    chosen = _grown(target, mask, atoms, clauses, deadline, exact=False)
    if chosen is None or len(chosen) <= 1:
        return chosen
    part = deadline.sooner(_SELECT_SECONDS)
    while not part.over:
        least = _chosen(atoms, clauses, part, exact=True)
        if not _ask(target, mask, least, atoms, clauses):
            return least
    return chosen


def _grown(
    target: int,
    mask: int,
    atoms: Sequence[SampledLiteral],
    clauses: list[list[int]],
    deadline: Deadline,
    *,
    exact: bool,
) -> list[SampledLiteral] | None:
    chosen: list[SampledLiteral] = []
    while _ask(target, mask, chosen, atoms, clauses):
        deadline.check("atoms were chosen")
        if not all(clauses):
            return None
        chosen = _chosen(atoms, clauses, deadline, exact=exact)
    return chosen


def _chosen(
    atoms: Sequence[SampledLiteral],
    clauses: Sequence[Sequence[int]],
    deadline: Deadline,
    *,
    exact: bool,
) -> list[SampledLiteral]:
    seconds = _SECONDS if exact else 0.0
    numbers, _ = hitting_set(clauses, [1] * len(atoms), deadline, seconds)
    return [atoms[i] for i in sorted(numbers)]


def _ask(
    target: int,
    mask: int,
    chosen: Sequence[SampledLiteral],
    atoms: Sequence[SampledLiteral],
    clauses: list[list[int]],
) -> bool:
    """Add the clauses of some pairs that ``chosen`` does not tell apart; true if there were any."""
    mixed = [b for b in blocks(chosen, mask) if b & target and b & ~target]
    for block in mixed[:_PAIRS_A_ROUND]:
        positive, negative = block & target, block & ~target
        for s, t in {
            ((positive & -positive).bit_length() - 1, (negative & -negative).bit_length() - 1),
            (positive.bit_length() - 1, negative.bit_length() - 1),
        }:
            clauses.append(
                [i for i, atom in enumerate(atoms) if (atom.bits >> s ^ atom.bits >> t) & 1]
            )
    return bool(mixed)


def blocks(atoms: Sequence[SampledLiteral], mask: int) -> list[int]:
    """The states that agree in all ``atoms``, together."""
    found = [mask]
    for atom in atoms:
        found = [part for b in found for part in (b & atom.bits, b & ~atom.bits) if part]
    return found


def classify(
    target: int, mask: int, literals: Sequence[SampledLiteral], deadline: Deadline
) -> ImpartialFormula | None:
    """A formula over ``literals`` that holds exactly in ``target``; ``None``: there is none."""
    chosen = select_atoms(target, mask, literals, deadline)
    if chosen is None:
        return None
    if not target:
        return FALSE
    positive = normal_form(target, mask, chosen, deadline)
    negative = normal_form(mask & ~target, mask, chosen, deadline).negated()
    return min(positive, negative, key=lambda f: f.size)


def normal_form(
    target: int, mask: int, atoms: Sequence[SampledLiteral], deadline: Deadline
) -> ImpartialFormula:
    """A small disjunctive normal form over ``atoms`` that holds exactly in ``target``.

    The atoms must tell ``target`` from the rest.  Patterns that no state has are free.
    """
    literals = [
        literal
        for atom in atoms
        for literal in (atom, SampledLiteral(atom.formula.negated(), mask & ~atom.bits, atom.size))
    ]
    patterns = [b & -b for b in blocks(atoms, mask)]
    inside = [b for b in patterns if b & target]
    outside = [b for b in patterns if not b & target]
    terms: dict[frozenset[int], None] = {}
    for state in inside:
        terms[_term(state, outside, literals, deadline)] = None
        for shift in range(0, len(atoms), max(1, len(atoms) // 4)):
            terms[_shortened(state, outside, literals, shift)] = None
    return cover([(tuple(literals[i] for i in sorted(term))) for term in terms], inside, deadline)


def _term(
    state: int, outside: Sequence[int], literals: Sequence[SampledLiteral], deadline: Deadline
) -> frozenset[int]:
    """The smallest conjunction that holds in ``state`` and nowhere in ``outside``."""
    holding = [i for i, literal in enumerate(literals) if literal.bits & state]
    clauses = [[i for i in holding if not literals[i].bits & other] for other in outside]
    numbers, _ = hitting_set(clauses, [x.size + 1 for x in literals], deadline, _SECONDS)
    return frozenset(numbers)


def _shortened(
    state: int, outside: Sequence[int], literals: Sequence[SampledLiteral], shift: int
) -> frozenset[int]:
    """A conjunction as in :func:`_term`, without redundant parts."""
    holding = [i for i, literal in enumerate(literals) if literal.bits & state]
    kept = holding[shift:] + holding[:shift]
    everything = 0
    for other in outside:
        everything |= other
    for i in list(kept):
        rest = everything
        for j in kept:
            if j != i:
                rest &= literals[j].bits
        if not rest:
            kept.remove(i)
    return frozenset(kept)


def cover(
    terms: Sequence[tuple[SampledLiteral, ...]], inside: Sequence[int], deadline: Deadline
) -> ImpartialFormula:
    """A disjunction of some of the ``terms`` that holds in all of the states ``inside``."""
    bits = []
    for term in terms:
        held = -1
        for literal in term:
            held &= literal.bits
        bits.append(held)
    clauses = [[i for i, held in enumerate(bits) if held & state] for state in inside]
    weights = [sum(x.size for x in term) + len(term) for term in terms]
    chosen, _ = hitting_set(clauses, [max(1, w) for w in weights], deadline, _SECONDS)
    return disjunction(conjunction(x.formula for x in terms[i]) for i in chosen)


def best_cover(
    target: int,
    mask: int,
    literals: Sequence[SampledLiteral],
    deadline: Deadline,
    *,
    most: int = 1000,
) -> ImpartialFormula | None:
    """A small disjunction of terms of one or two literals that holds exactly in ``target``.

    ``None`` when there is none; the first ``most`` literals are tried.
    """
    outside = mask & ~target
    found: dict[int, tuple[int, tuple[SampledLiteral, ...]]] = {}

    def offer(bits: int, size: int, *term: SampledLiteral) -> None:
        known = found.get(bits)
        if known is None or size < known[0]:
            found[bits] = size, term

    useful = [x for x in literals if x.bits & target][:most]
    rest = []
    for literal in useful:
        if not literal.bits & outside:
            offer(literal.bits, literal.size, literal)
        else:
            rest.append(literal)
    for position, x in enumerate(rest):
        for y in rest[position + 1 :]:
            both = x.bits & y.bits
            if both and not both & outside:
                offer(both, x.size + y.size + 1, x, y)
        if deadline.over:
            return None
    ordered = sorted(found, key=lambda b: -b.bit_count() / (found[b][0] + 1))
    kept = _undominated(ordered, found, deadline)
    union = 0
    for bits in kept:
        union |= bits
    if target & ~union:
        return None
    rows = _rows(target, kept)
    terms = [found[bits][1] for bits in kept]
    return cover(terms, rows, deadline)


def _undominated(
    ordered: Sequence[int],
    found: dict[int, tuple[int, tuple[SampledLiteral, ...]]],
    deadline: Deadline,
) -> list[int]:
    """Without the terms that hold in fewer states than another one that is no larger."""
    kept: list[int] = []
    for bits in ordered[:6000]:
        size = found[bits][0]
        if not any(not bits & ~other and found[other][0] <= size for other in kept):
            kept.append(bits)
            if len(kept) >= 700 or deadline.over:
                break
    return kept


def _rows(target: int, terms: Sequence[int]) -> list[int]:
    """One state of ``target`` for each way in which the terms hold there."""
    seen: dict[tuple[int, ...], int] = {}
    for place in members(target):
        key = tuple(i for i, bits in enumerate(terms) if bits >> place & 1)
        seen.setdefault(key, 1 << place)
    return list(seen.values())


# -- Minimum hitting sets as partial MaxSAT: exact with RC2, or as good as time allows ---------
#
# Every clause is a set of numbers of which one must be chosen; the chosen ones' weights are to be
# small together.  Where RC2 does not finish, a linear search that has an answer at all times goes
# on from unit weights, and a greedy choice is what there is at worst.


def hitting_set(
    clauses: Sequence[Sequence[int]],
    weights: Sequence[int],
    deadline: Deadline = NEVER,
    seconds: float = inf,
) -> tuple[list[int], bool]:
    """Numbers that meet every clause, and whether their weight is proved to be least.

    ``weights[i]`` is the positive weight of the number ``i``.  No clause may be empty.  Both ways
    to search may take so many ``seconds``.
    """
    greedy = _greedy(clauses, weights)
    if not greedy or deadline.sooner(seconds).over:
        return greedy, not greedy
    exact = _rc2(clauses, weights, deadline.share(1 / 2).sooner(seconds))
    if exact is not None:
        return exact, True
    better = None
    if len(set(weights)) == 1:
        better = _linear_search(clauses, deadline.sooner(seconds))
    if better is not None and len(better) < len(greedy):
        return better, False
    return greedy, False


def _formula(clauses: Sequence[Sequence[int]], weights: Sequence[int]) -> Any:
    from pysat.formula import WCNF

    formula = WCNF()
    used = sorted({number for clause in clauses for number in clause})
    for clause in clauses:
        formula.append([number + 1 for number in clause])
    for number in used:
        formula.append([-(number + 1)], weight=weights[number])
    return formula


class _OutOfTimeError(Exception):
    pass


class _Oracle(Solver):
    """A SAT solver that gives up when the time is over, in the middle of whatever it is for."""

    deadline: Deadline

    def between_slices(self) -> None:
        if self.deadline.over:
            raise _OutOfTimeError

    def solve_limited(self, assumptions: Sequence[int] = (), expect_interrupt: bool = False) -> Any:
        self.between_slices()
        return super().solve_limited(assumptions)

    @classmethod
    def take_over(cls, solver: Any, deadline: Deadline) -> None:
        """Make ``solver``'s own oracle one of these: what it may be, PySAT does not ask."""
        solver.oracle.__class__ = cls
        solver.oracle.deadline = deadline


def _rc2(
    clauses: Sequence[Sequence[int]], weights: Sequence[int], deadline: Deadline
) -> list[int] | None:
    from pysat.examples.rc2 import RC2, RC2Stratified

    kind = RC2 if len(set(weights)) == 1 else RC2Stratified
    with kind(_formula(clauses, weights), solver="g4", adapt=True, exhaust=True) as solver:
        _Oracle.take_over(solver, deadline)
        try:
            model = solver.compute()
        except _OutOfTimeError:
            return None
    return [value - 1 for value in model if value > 0]


def _linear_search(clauses: Sequence[Sequence[int]], deadline: Deadline) -> list[int] | None:
    from pysat.examples.lsu import LSU

    top = 1 + max(number for clause in clauses for number in clause)
    formula = _formula(clauses, [1] * top)
    with LSU(formula, solver="g4") as solver:
        _Oracle.take_over(solver, deadline)
        with suppress(_OutOfTimeError):  # and keep the best model up to then
            solver.solve()
        model = getattr(solver, "model", None)  # which it lacks when time was up before the first
    if not model:
        return None
    return [value - 1 for value in model if 0 < value <= top]


def _greedy(clauses: Sequence[Sequence[int]], weights: Sequence[int]) -> list[int]:
    """The most clauses for the weight, one after the other; then without what is not needed."""
    where: dict[int, int] = {}
    for place, clause in enumerate(clauses):
        for number in clause:
            where[number] = where.get(number, 0) | 1 << place
    left = (1 << len(clauses)) - 1
    chosen: list[int] = []
    while left:
        best = max(where, key=lambda n: ((where[n] & left).bit_count() / weights[n], -n))
        chosen.append(best)
        left &= ~where[best]
    for number in sorted(chosen, key=lambda n: -weights[n]):
        others = 0
        for other in chosen:
            if other != number:
                others |= where[other]
        if not ((1 << len(clauses)) - 1) & ~others:
            chosen.remove(number)
    return chosen
