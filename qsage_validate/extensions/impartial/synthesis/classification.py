"""Exact binary classification (SynMS paper, section 4): a formula for labelled states.

The atoms are chosen by partial MaxSAT, so that any positive and any negative state differ in one
of them; the pairs that ask for it are added one by one, where a choice does not tell states
apart yet.  A formula over the chosen atoms is then made small: both the disjunctive normal form
of the positive patterns and the negated one of the negative patterns are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import inf
from typing import Any, Final

from qsage_validate.circuit.sat import Solver
from qsage_validate.extensions.impartial.formula import (
    FALSE,
    ImpartialFormula,
    conjunction,
    disjunction,
)
from qsage_validate.extensions.impartial.synthesis.candidates import SampledLiteral
from qsage_validate.games.masks import members
from qsage_validate.system.limits import NEVER, Deadline

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
