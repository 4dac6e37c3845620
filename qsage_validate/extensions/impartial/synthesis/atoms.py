"""Enumerates atoms by size, one for each truth vector on a sample (SynMS paper, section 5.1).

Expressions are sums and differences of variables; constants and moduli come in levels, each of
which has those of the level before.  Moduli are the small numbers, those of the file with their
neighbours and sums, and the periods that the labels show along the axes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from qsage_validate.extensions.impartial.boxes import Column, linear_values
from qsage_validate.extensions.impartial.formula import (
    Congruence,
    ImpartialComparison,
    ImpartialFormula,
    Linear,
)
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.synthesis.checks.sample import StateSample

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
