"""Makes a formula small that is known to be right: the weak point of classification.

First disjunctive normal forms of small terms are weighed by partial MaxSAT, then formulas are
enumerated over the atoms that the best one has.  Whatever is found must be equal to the given
formula on all legal states, as the SMT solver proves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.games.impartial.formula import Formula, atoms, without_not
from qsage_validate.synthesis.atoms import Literal, enumerate_atoms
from qsage_validate.synthesis.checks.formula import Verifier
from qsage_validate.synthesis.checks.sample import Sample
from qsage_validate.synthesis.checks.strategy import difference
from qsage_validate.synthesis.classification import best_cover
from qsage_validate.synthesis.enumeration import Enumerator, smallest_formulas
from qsage_validate.system.limits import Deadline

SMALL_ENOUGH: Final = 4
"""Formulas of this size are not worth a search."""

_WORTH_COVERING: Final = 15
"""Up to here the exhaustive search for three literals has said what there is to say."""

_EXAMPLE_SECONDS: Final = 4.0
_FIRST_EXAMPLES: Final = 16

_ENUMERATED: Final = 60_000


def minimise(
    verifier: Verifier,
    formula: Formula,
    sample: Sample,
    wanted_moduli: list[int],
    deadline: Deadline,
) -> Formula:
    """A formula equal to ``formula`` on all legal states, and no larger.

    ``sample`` has the values of the formula as its labels.
    """
    best = formula
    if best.size <= SMALL_ENOUGH:
        return best
    for candidate in _candidates(best, sample, wanted_moduli, deadline):
        if candidate.size < best.size and _equal(verifier, candidate, formula, deadline):
            best = candidate
    over_its_atoms = _enumerated(best, sample, deadline)
    if over_its_atoms is not None and _equal(verifier, over_its_atoms, formula, deadline):
        best = over_its_atoms
    if best.size >= _WORTH_COVERING:
        by_examples = _by_examples(best, sample, wanted_moduli, deadline.sooner(_EXAMPLE_SECONDS))
        if by_examples is not None and _equal(verifier, by_examples, formula, deadline):
            best = by_examples
    return best


def _equal(verifier: Verifier, one: Formula, other: Formula, deadline: Deadline) -> bool:
    try:
        return difference(verifier, one, other, deadline.sooner(3.0)) is None
    except UndecidedError:
        return False


def _candidates(
    formula: Formula, sample: Sample, wanted_moduli: list[int], deadline: Deadline
) -> Iterator[Formula]:
    target, mask = sample.target, sample.mask
    for level in (0, 1):
        if deadline.over:
            return
        literals = enumerate_atoms(sample, level, wanted_moduli, tuple(atoms(formula)))
        part = deadline.sooner(3.0)
        yield from smallest_formulas(target, mask, literals, part, below=formula.size)
        if formula.size < _WORTH_COVERING:
            continue
        for wanted in (target, mask & ~target):
            covered = best_cover(wanted, mask, literals, deadline.sooner(3.0))
            if covered is not None:
                yield covered if wanted == target else covered.negated()


def _enumerated(formula: Formula, sample: Sample, deadline: Deadline) -> Formula | None:
    """A smaller formula over the atoms of ``formula`` and their negations."""
    mask = sample.mask
    literals = []
    for atom in sorted(atoms(without_not(formula)), key=str):
        bits, negated = sample.values(atom), atom.negated()
        literals += [Literal(atom, bits, atom.size), Literal(negated, mask & ~bits, negated.size)]
    enumerator = Enumerator(literals, mask)
    return enumerator.find(sample.target, formula.size, deadline.sooner(3.0), most=_ENUMERATED)


def _by_examples(
    formula: Formula, sample: Sample, wanted_moduli: list[int], deadline: Deadline
) -> Formula | None:
    """A smaller formula, enumerated over all small atoms.

    On few states few truth vectors differ; a state that a formula gets wrong becomes one of them.
    """
    step = max(1, len(sample.states) // _FIRST_EXAMPLES)
    examples = list(range(0, len(sample.states), step))
    while not deadline.over:
        labels = [bool(sample.target >> place & 1) for place in examples]
        part = Sample.of(sample.variables, [sample.states[i] for i in examples], labels)
        literals = enumerate_atoms(part, 0, wanted_moduli)
        candidate = Enumerator(literals, part.mask).find(part.target, formula.size, deadline)
        if candidate is None:
            return None
        mistakes = sample.mistakes(candidate)
        if not mistakes:
            return candidate
        examples += [mistakes[0], mistakes[-1]] if len(mistakes) > 1 else mistakes
    return None
