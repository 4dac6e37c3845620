"""Synthesises winning formulas: candidate, counterexample, next candidate.

This is the method ``hybrid``: the loop of Algorithm 1 of the SynMS paper with several techniques
for candidates, of which classification is the last.  ``synms`` has the paper's own.

States of a box are labelled by backward induction; candidates agree with all of them and with
the counterexamples that the verification has found so far.

*Labels that repeat along one or two unbounded variables* suggest a formula.  With two, for each
choice of the bounded variables the labels form a plane; where it repeats with one period in both
directions, its losing states are some residue classes of the one variable for each class of the
difference (or the sum) of both.  With one they form a column: its losing values are some single
ones, and from some value on whole residue classes.  The formula that says just that is large but
seldom wrong; it is made small once it is proved.  Slow Nim is the standard case: its losing states
with three heaps, one of them bounded, are those with residues whose bitwise sum is 0 (table of the
families, class 2.8).

*A formula that is known to be right is made small*, which is the weak point of classification.
First disjunctive normal forms of small terms are weighed by partial MaxSAT, then formulas are
enumerated over the atoms that the best one has.  Whatever is found must be equal to the given
formula on all legal states, as the SMT solver proves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import numpy as np
import numpy.typing as npt

from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.impartial.candidates import (
    LEVELS,
    Enumerator,
    SampledLiteral,
    StateSample,
    best_cover,
    classify,
    enumerate_atoms,
    moduli,
    periods,
    smallest_formulas,
)
from qsage_validate.extensions.impartial.model import (
    FALSE,
    TRUE,
    Congruence,
    ImpartialComparison,
    ImpartialFormula,
    ImpartialGame,
    Linear,
    atoms,
    conjunction,
    disjunction,
    without_not,
)
from qsage_validate.extensions.impartial.proofs import (
    ClaimStatus,
    ClaimVerification,
    Verifier,
    difference,
)
from qsage_validate.extensions.impartial.rules import (
    Flaw,
    ImpartialRules,
    State,
    box_states,
    intervals,
)
from qsage_validate.extensions.impartial.smt import SmtSolver
from qsage_validate.extensions.impartial.strategy import SemiGround
from qsage_validate.system.limits import Deadline, Progress, Tell, nobody

_MAX_PLANES: Final = 64
_MIN_SIDE: Final = 8
# The part of a second period that must be seen in each direction.
_SEEN: Final = 1.5
_UNKNOWN: Final = -1

_Plane = npt.NDArray[np.int8]
"""1 winning, 0 losing, -1 not labelled; from the lower bounds of both variables on."""


def lattice_formula(game: ImpartialGame, labels: Mapping[State, bool]) -> ImpartialFormula | None:
    """The winning formula that the labels suggest; ``None`` when they suggest none.

    That is so when not exactly two variables are unbounded, from below both bounded; when there
    are many planes, or when one does not repeat from its corner on.
    """
    bounds = intervals(game)
    free = [i for i, name in enumerate(game.variables) if bounds[name].upper is None]
    if len(free) != 2 or any(bounds[name].lower is None for name in game.variables):
        return None
    corner = tuple(bounds[game.variables[i]].lower or 0 for i in free)
    planes: dict[State, dict[tuple[int, int], bool]] = {}
    for state, label in labels.items():
        rest = tuple(value for i, value in enumerate(state) if i not in free)
        place = state[free[0]] - corner[0], state[free[1]] - corner[1]
        planes.setdefault(rest, {})[place] = label
    if len(planes) > _MAX_PLANES:
        return None
    others = [name for i, name in enumerate(game.variables) if i not in free]
    first, second = (game.variables[i] for i in free)
    terms = []
    for rest, plane in planes.items():
        repeated = _repeated(_array(plane))
        if repeated is None:
            return None
        where = conjunction(
            ImpartialComparison("=", Linear.variable(name), Linear((), value))
            for name, value in zip(others, rest, strict=True)
        )
        losing = _losing(np.roll(repeated, corner, (0, 1)), first, second)
        terms.append(conjunction((where, losing)))
    return disjunction(terms).negated()


def _array(plane: Mapping[tuple[int, int], bool]) -> _Plane:
    """The labels of a square from the corner, as large as the labels along an axis reach."""
    side = 0
    while (side, side) in plane or (0, side) in plane or (side, 0) in plane:
        side += 1
    found = np.full((side, side), _UNKNOWN, dtype=np.int8)
    for (x, y), label in plane.items():
        if 0 <= x < side and 0 <= y < side:
            found[x, y] = label
    return found


def _repeated(plane: _Plane) -> _Plane | None:
    """One period of the plane: the smallest square with which it is tiled, if there is one."""
    side = len(plane)
    if side < _MIN_SIDE:
        return None
    for period in range(1, int(side / _SEEN) + 1):
        if _agree(plane[period:], plane[:-period]) and _agree(
            plane[:, period:], plane[:, :-period]
        ):
            tile = np.full((period, period), _UNKNOWN, dtype=np.int8)
            for x in range(0, side, period):
                for y in range(0, side, period):
                    part = plane[x : x + period, y : y + period]
                    corner = tile[: part.shape[0], : part.shape[1]]
                    np.copyto(corner, part, where=part != _UNKNOWN)
            return tile
    return None


def _agree(one: _Plane, other: _Plane) -> bool:
    """True if two planes have the same labels where both have any."""
    known = (one != _UNKNOWN) & (other != _UNKNOWN)
    return bool(np.array_equal(one[known], other[known]))


def _losing(tile: _Plane, first: str, second: str) -> ImpartialFormula:
    """The losing classes of a tile: by differences or by sums, whichever is said more shortly."""
    return min(
        (_classes(tile, first, second, sign) for sign in (1, -1)), key=lambda formula: formula.size
    )


def _classes(tile: _Plane, first: str, second: str, sign: int) -> ImpartialFormula:
    period = len(tile)
    if period == 1:
        return TRUE if tile[0, 0] == 0 else FALSE
    x, y = Linear.variable(first), Linear.variable(second)
    shifted = x - y if sign == 1 else x + y
    terms = []
    for shift in range(period):
        column = [int(tile[r, sign * (r - shift) % period]) for r in range(period)]
        if 0 not in column:
            continue
        line = Congruence(shifted, period, Linear((), shift))
        terms.append(conjunction((line, _residues(x, column))))
    return disjunction(terms)


def _residues(variable: Linear, column: list[int]) -> ImpartialFormula:
    """The residues with 0 in ``column``; those with -1 may be among them."""
    period = len(column)
    losing = [r for r, value in enumerate(column) if value == 0]
    winning = [r for r, value in enumerate(column) if value == 1]
    if not winning:
        return TRUE
    if len(winning) < len(losing):
        return conjunction(
            Congruence(variable, period, Linear((), r), holds_equal=False) for r in winning
        )
    return disjunction(Congruence(variable, period, Linear((), r)) for r in losing)


# -- One free variable: ultimately periodic columns --------------------------------------------

_MAX_COLUMNS: Final = 64
_MIN_LENGTH: Final = 24


def column_formula(game: ImpartialGame, labels: dict[State, bool]) -> ImpartialFormula | None:
    """The winning formula that the columns suggest; ``None`` when they suggest none.

    That is so when not exactly one variable is free, when there are too many columns, or when
    one shows no period in its last two thirds.
    """
    bounds = intervals(game)
    free = [
        i
        for i, name in enumerate(game.variables)
        if bounds[name].lower is None or bounds[name].upper is None
    ]
    if len(free) != 1:
        return None
    axis = free[0]
    columns: dict[State, dict[int, bool]] = {}
    for state, label in labels.items():
        rest = state[:axis] + state[axis + 1 :]
        columns.setdefault(rest, {})[state[axis]] = label
    if len(columns) > _MAX_COLUMNS:
        return None
    losing = []
    for rest, column in columns.items():
        shape = _shape(column)
        if shape is None:
            return None
        losing.append((rest, shape))
    return _formula(game, axis, losing)


_Shape = tuple[frozenset[int], int, int, frozenset[int]]
"""Single losing values below a start; the start; a modulus; the losing residues from there on."""


def _shape(column: dict[int, bool]) -> _Shape | None:
    first = min(column)
    length = next((n for n in range(len(column) + 1) if first + n not in column), 0)
    if length < _MIN_LENGTH:
        return None
    values = [column[first + n] for n in range(length)]
    best: tuple[int, int] | None = None
    for period in range(1, length // 3 + 1):
        start = length - period
        while start > 0 and values[start - 1] == values[start - 1 + period]:
            start -= 1
        # The period must be seen on a good part of the column.
        if length - start >= max(2 * period, length // 3) and (
            best is None or start + period < sum(best)
        ):
            best = start, period
    if best is None:
        return None
    start, period = best
    single = frozenset(first + n for n in range(start) if not values[n])
    residues = frozenset(
        (first + n) % period for n in range(start, start + period) if not values[n]
    )
    return single, first + start, period, residues


def _formula(
    game: ImpartialGame, axis: int, losing: list[tuple[State, _Shape]]
) -> ImpartialFormula:
    variable = Linear.variable(game.variables[axis])
    others = game.variables[:axis] + game.variables[axis + 1 :]
    grouped: dict[_Shape, list[State]] = {}
    for rest, shape in losing:
        grouped.setdefault(shape, []).append(rest)
    terms = []
    for (single, start, period, residues), rests in grouped.items():
        where = disjunction(
            conjunction(
                ImpartialComparison("=", Linear.variable(name), Linear((), value))
                for name, value in zip(others, rest, strict=True)
            )
            for rest in rests
        )
        values: list[ImpartialFormula] = [
            ImpartialComparison("=", variable, Linear((), value)) for value in sorted(single)
        ]
        if residues:
            # Modulo 1 all values are one class.
            tail: ImpartialFormula = disjunction(
                Congruence(variable, period, Linear((), residue)) if period > 1 else TRUE
                for residue in sorted(residues)
            )
            later = ImpartialComparison(">=", variable, Linear((), start))
            values.append(conjunction((later, tail)))
        terms.append(conjunction((where, disjunction(values))))
    return disjunction(terms).negated()


SMALL_ENOUGH: Final = 4
"""Formulas of this size are not worth a search."""

_WORTH_COVERING: Final = 15
"""Up to here the exhaustive search for three literals has said what there is to say."""

_EXAMPLE_SECONDS: Final = 4.0
_FIRST_EXAMPLES: Final = 16

_ENUMERATED: Final = 60_000


def minimise(
    verifier: Verifier,
    formula: ImpartialFormula,
    sample: StateSample,
    wanted_moduli: list[int],
    deadline: Deadline,
) -> ImpartialFormula:
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


def _equal(
    verifier: Verifier, one: ImpartialFormula, other: ImpartialFormula, deadline: Deadline
) -> bool:
    try:
        return difference(verifier, one, other, deadline.sooner(3.0)) is None
    except UndecidedError:
        return False


def _candidates(
    formula: ImpartialFormula, sample: StateSample, wanted_moduli: list[int], deadline: Deadline
) -> Iterator[ImpartialFormula]:
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


def _enumerated(
    formula: ImpartialFormula, sample: StateSample, deadline: Deadline
) -> ImpartialFormula | None:
    """A smaller formula over the atoms of ``formula`` and their negations."""
    mask = sample.mask
    literals = []
    for atom in sorted(atoms(without_not(formula)), key=str):
        bits, negated = sample.values(atom), atom.negated()
        literals += [
            SampledLiteral(atom, bits, atom.size),
            SampledLiteral(negated, mask & ~bits, negated.size),
        ]
    enumerator = Enumerator(literals, mask)
    return enumerator.find(sample.target, formula.size, deadline.sooner(3.0), most=_ENUMERATED)


def _by_examples(
    formula: ImpartialFormula, sample: StateSample, wanted_moduli: list[int], deadline: Deadline
) -> ImpartialFormula | None:
    """A smaller formula, enumerated over all small atoms.

    On few states few truth vectors differ; a state that a formula gets wrong becomes one of them.
    """
    step = max(1, len(sample.states) // _FIRST_EXAMPLES)
    examples = list(range(0, len(sample.states), step))
    while not deadline.over:
        labels = [bool(sample.target >> place & 1) for place in examples]
        part = StateSample.of(sample.variables, [sample.states[i] for i in examples], labels)
        literals = enumerate_atoms(part, 0, wanted_moduli)
        candidate = Enumerator(literals, part.mask).find(part.target, formula.size, deadline)
        if candidate is None:
            return None
        mistakes = sample.mistakes(candidate)
        if not mistakes:
            return candidate
        examples += [mistakes[0], mistakes[-1]] if len(mistakes) > 1 else mistakes
    return None


_MAX_STATES: Final = 20_000
_MAX_VALUE: Final = 3000
_LABEL_SHARE: Final = 0.3
_SMALL_SECONDS: Final = 3.0
_CLASSIFY_SECONDS: Final = 8.0
_CLASSIFY_SHARE: Final = 0.3
_SHRINK_SECONDS: Final = 8.0
_VERIFY_SECONDS: Final = 5.0
_VERIFY_SHARE: Final = 0.5


class FormulaOutcome(Enum):
    """The outcome of the search for a formula.

    ``PROVED``: it is proved that the formula fulfils the three constraints, which makes it the
    winning formula of a game in which every play ends.
    """

    PROVED = "proved"
    IMPOSSIBLE = "impossible"
    UNDECIDED = "undecided"


class Technique(Enum):
    ENUMERATION = "enumeration"
    COVER = "cover"
    COLUMNS = "columns"
    LATTICE = "lattice"
    CLASSIFICATION = "classification"


@dataclass
class FormulaResult:
    """The winning formula, if there is one, and the facts known without one.

    ``candidate`` is the last formula that agreed with all labelled states but was not proved.
    """

    outcome: FormulaOutcome
    reason: str
    formula: ImpartialFormula | None = None
    verification: ClaimVerification | None = None
    flaw: Flaw | None = None
    candidate: ImpartialFormula | None = None
    labels: dict[State, bool] = field(default_factory=dict)
    rounds: int = 0
    technique: Technique | None = None
    """The technique that the proved formula came from, before it was made smaller."""

    def accept(
        self, formula: ImpartialFormula, verification: ClaimVerification, technique: Technique
    ) -> None:
        """``formula``, which ``technique`` found, has been proved by ``verification``."""
        self.technique = technique
        self.outcome, self.reason = FormulaOutcome.PROVED, verification.reason
        self.formula, self.verification = formula, verification

    @property
    def proved(self) -> ProvedFormula:
        """The proved formula; raises ``ValueError`` where there is none."""
        if self.formula is None or self.verification is None:
            raise ValueError(f"no formula was proved: {self.reason}")
        return ProvedFormula(self.formula, self.verification.witnesses)


@dataclass(frozen=True)
class ProvedFormula:
    """A proved winning formula, with the semi-ground actions of its proof."""

    formula: ImpartialFormula
    witnesses: tuple[SemiGround, ...]


def sample_size(game: ImpartialGame) -> int:
    """The number of states labelled first: enough to see twice what the file's numbers cause."""
    reach = max((c for c in game.constants() if c <= 60), default=1) + 1
    free = sum(1 for i in intervals(game).values() if i.lower is None or i.upper is None)
    narrow = 1
    for one in intervals(game).values():
        if one.lower is not None and one.upper is not None:
            narrow *= max(1, min(8, one.upper - one.lower + 1))
    side = {0: 1, 1: max(90, 5 * reach), 2: max(24, int(2.6 * reach)), 3: max(11, 2 * reach)}
    points = side.get(free, max(5, min(7, reach)))
    wanted: int = narrow * points**free
    return max(100, min(_MAX_STATES, wanted))


class FormulaSearch:
    """Keeps the labelled states of one game while candidates come and go."""

    def __init__(
        self, rules: ImpartialRules, solver: SmtSolver, deadline: Deadline, tell: Tell
    ) -> None:
        self.rules = rules
        self.deadline = deadline
        self.tell = tell
        self.labels: dict[State, bool] = {}
        self.flaw: Flaw | None = None
        self.verifier = Verifier(rules, solver)

    @property
    def game(self) -> ImpartialGame:
        return self.rules.game

    def run(self, method: Callable[[FormulaSearch, FormulaResult], None]) -> FormulaResult:
        """The result of a method of search, which is partial when the time is over."""
        result = FormulaResult(FormulaOutcome.UNDECIDED, "")
        try:
            method(self, result)
        except UndecidedError as error:
            result.reason = str(error)
        result.labels = self.labels
        return result

    def goes_on(self, result: FormulaResult, what: str) -> bool:
        """True if a formula can still be right; a round begins then.

        Raises ``UndecidedError`` when no time is left.
        """
        if self.flaw is not None:
            result.outcome, result.flaw = FormulaOutcome.IMPOSSIBLE, self.flaw
            result.reason = "no winning formula exists: " + self.flaw.text(self.game)
            return False
        self.deadline.check(what)
        result.rounds += 1
        return True

    def refuting(
        self, result: FormulaResult, candidate: ImpartialFormula, technique: Technique
    ) -> State | None:
        """A state that refutes a candidate; ``None`` if ``result`` has the last word on it."""
        self.tell(Progress(f"round {result.rounds}", str(candidate)))
        verification = self.verifier.winning_formula(candidate, self.deadline)
        if verification.status is ClaimStatus.PROVED:
            result.accept(candidate, verification, technique)
        elif verification.status is ClaimStatus.UNDECIDED:
            result.candidate, result.reason = candidate, verification.reason
        return verification.state if verification.status is ClaimStatus.REFUTED else None

    def label_box(self) -> None:
        """Label a box of states, or as much of it as there is time for."""
        states = box_states(self.game, sample_size(self.game))
        self.rules.deadline = self.deadline.or_after(120.0).share(_LABEL_SHARE)
        try:
            for state in states:
                self.label(state)
        except UndecidedError:
            if not self.labels:
                raise
        finally:
            self.rules.deadline = self.deadline
        self.verifier.sample = tuple(self.labels)

    def label(self, state: State) -> None:
        """Label one state, and see whether it rules out any winning formula."""
        self.labels[state] = self.rules.winning(state)
        if self.flaw is None:
            self.flaw = self.rules.flaw(state)

    def label_small(self, state: State) -> None:
        """Label a state of a counterexample, unless its values are too large for that."""
        if max(map(abs, state)) > _MAX_VALUE:
            raise UndecidedError(f"a counterexample has values above {_MAX_VALUE}")
        self.label(state)

    def add(self, state: State) -> None:
        """Label a counterexample with its successors, whose labels may be what was wrong."""
        self.label_small(state)
        for move in self.rules.applicable(state):
            if self.rules.is_legal(move.after):
                self.label(move.after)

    def sample(self) -> StateSample:
        return StateSample.of(
            self.game.variables, tuple(self.labels), [self.labels[s] for s in self.labels]
        )

    def literals(self, sample: StateSample, level: int) -> list[SampledLiteral]:
        found = periods(list(self.labels), self.labels)
        return enumerate_atoms(sample, level, moduli(self.game.constants(), found, level))


def synthesise_formula(
    rules: ImpartialRules, solver: SmtSolver, deadline: Deadline, tell: Tell = nobody
) -> FormulaResult:
    """The winning formula of a game, proved; or why there is none; or what is known so far.

    Raises :class:`~qsage_validate.extensions.impartial.rules.EndlessGameError` when the game need
    not end.
    """
    return FormulaSearch(rules, solver, deadline, tell).run(_synthesised)


def _synthesised(search: FormulaSearch, result: FormulaResult) -> None:
    search.label_box()
    level = 0
    while search.goes_on(result, "candidates were looked for"):
        sample = search.sample()
        found = False
        for technique, candidate in candidates(search, sample, level):
            found = True
            search.tell(Progress(f"round {result.rounds}", str(candidate)))
            # One candidate must leave time for others.
            part = search.deadline.sooner(
                max(_VERIFY_SECONDS, _VERIFY_SHARE * search.deadline.left(300))
            )
            verification = search.verifier.winning_formula(candidate, part)
            if verification.status is ClaimStatus.PROVED:
                result.accept(candidate, verification, technique)
                _shrink(search, result, candidate, sample, level)
                return
            if verification.status is ClaimStatus.REFUTED and verification.state is not None:
                search.add(verification.state)
                break
            result.candidate, result.reason = candidate, verification.reason
            search.deadline.check("candidates were verified")
        else:
            if found:
                result.reason = result.reason or "no candidate was proved"
                if level + 1 == LEVELS:
                    return
            level += 1
            if level == LEVELS:
                raise UndecidedError("no formula over the atoms that were tried fits all states")


def _shrink(
    search: FormulaSearch,
    result: FormulaResult,
    proved: ImpartialFormula,
    sample: StateSample,
    level: int,
) -> None:
    """Replace the proved formula by a smaller one, if a smaller one can be proved too."""
    found = periods(list(search.labels), search.labels)
    wanted = moduli(search.game.constants(), found, level)
    deadline = search.deadline.sooner(_SHRINK_SECONDS)
    small = minimise(search.verifier, proved, sample, wanted, deadline)
    if small.size >= proved.size:
        return
    verification = search.verifier.winning_formula(small, search.deadline)
    if verification.status is ClaimStatus.PROVED:
        result.formula, result.verification = small, verification


def candidates(
    search: FormulaSearch, sample: StateSample, level: int
) -> Iterator[tuple[Technique, ImpartialFormula]]:
    """Formulas that give every state of the sample its label, promising ones first."""
    literals = search.literals(sample, level)
    target, mask = sample.target, sample.mask
    part = search.deadline.sooner(_SMALL_SECONDS)
    small = smallest_formulas(target, mask, literals, part)
    yield from ((Technique.ENUMERATION, formula) for formula in small[:2])
    if small:
        return
    options = []
    for wanted in (target, mask & ~target):
        part = search.deadline.sooner(_SMALL_SECONDS)
        covered = best_cover(wanted, mask, literals, part)
        if covered is not None:
            formula = covered if wanted == target else covered.negated()
            options.append((Technique.COVER, formula))
    for technique, shaped in _SHAPES:
        periodic = shaped(search.game, search.labels)
        if periodic is not None and not sample.mistakes(periodic):
            options.append((technique, periodic))
    tried = sorted(options, key=lambda option: option[1].size)[:2]
    yield from tried
    if not tried or level > 0:
        classified = _classified(search, target, mask, literals)
        if classified is not None:
            yield Technique.CLASSIFICATION, classified


_SHAPES: Final = (
    (Technique.COLUMNS, column_formula),
    (Technique.LATTICE, lattice_formula),
)


def _classified(
    search: FormulaSearch, target: int, mask: int, literals: list[SampledLiteral]
) -> ImpartialFormula | None:
    """The formula that :func:`classify` finds in its part of the time; ``None``: none."""
    seconds = max(_CLASSIFY_SECONDS, _CLASSIFY_SHARE * search.deadline.left(300))
    try:
        return classify(target, mask, literals, search.deadline.sooner(seconds))
    except UndecidedError:
        search.deadline.check("atoms were chosen")
        return None
