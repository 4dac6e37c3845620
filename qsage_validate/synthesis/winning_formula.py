"""Synthesises winning formulas: candidate, counterexample, next candidate.

This is the method ``hybrid``: the loop of Algorithm 1 of the SynMS paper with several techniques
for candidates, of which classification is the last.  ``synms`` has the paper's own.

States of a box are labelled by backward induction; candidates agree with all of them and with
the counterexamples that the verification has found so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.games.impartial.boxes import box_states, intervals
from qsage_validate.games.impartial.formula import Formula
from qsage_validate.games.impartial.model import ImpartialGame
from qsage_validate.games.impartial.moves import State
from qsage_validate.games.impartial.rules import Flaw, ImpartialRules
from qsage_validate.synthesis.atoms import LEVELS, Literal, enumerate_atoms, moduli, periods
from qsage_validate.synthesis.checks.formula import Status, Verification, Verifier
from qsage_validate.synthesis.checks.sample import Sample
from qsage_validate.synthesis.classification import best_cover, classify
from qsage_validate.synthesis.enumeration import smallest_formulas
from qsage_validate.synthesis.lattice import column_formula, lattice_formula
from qsage_validate.synthesis.minimise import minimise
from qsage_validate.synthesis.semi_ground import SemiGround
from qsage_validate.synthesis.smt.solver import SmtSolver
from qsage_validate.system.limits import Deadline
from qsage_validate.system.progress import Progress, Tell, nobody

_MAX_STATES: Final = 20_000
_MAX_VALUE: Final = 3000
_LABEL_SHARE: Final = 0.3
_SMALL_SECONDS: Final = 3.0
_CLASSIFY_SECONDS: Final = 8.0
_CLASSIFY_SHARE: Final = 0.3
_SHRINK_SECONDS: Final = 8.0
_VERIFY_SECONDS: Final = 5.0
_VERIFY_SHARE: Final = 0.5


class Outcome(Enum):
    """The outcome of the search for a formula.

    ``PROVED``: it is proved that the formula fulfils the three constraints, which makes it the
    winning formula of a game in which every play ends.
    """

    PROVED = "proved"
    IMPOSSIBLE = "impossible"
    UNDECIDED = "undecided"


class Technique(Enum):
    """The technique that a formula came from."""

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

    outcome: Outcome
    reason: str
    formula: Formula | None = None
    verification: Verification | None = None
    flaw: Flaw | None = None
    candidate: Formula | None = None
    labels: dict[State, bool] = field(default_factory=dict)
    rounds: int = 0
    technique: Technique | None = None
    """The technique that the proved formula came from, before it was made smaller."""

    def accept(self, formula: Formula, verification: Verification, technique: Technique) -> None:
        """``formula``, which ``technique`` found, has been proved by ``verification``."""
        self.technique = technique
        self.outcome, self.reason = Outcome.PROVED, verification.reason
        self.formula, self.verification = formula, verification

    @property
    def proved(self) -> Proved:
        """The proved formula; there must be one."""
        assert self.formula is not None
        assert self.verification is not None
        return Proved(self.formula, self.verification.witnesses)


@dataclass(frozen=True)
class Proved:
    """A proved winning formula, with the semi-ground actions of its proof."""

    formula: Formula
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
        result = FormulaResult(Outcome.UNDECIDED, "")
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
            result.outcome, result.flaw = Outcome.IMPOSSIBLE, self.flaw
            result.reason = "no winning formula exists: " + self.flaw.text(self.game)
            return False
        self.deadline.check(what)
        result.rounds += 1
        return True

    def refuting(
        self, result: FormulaResult, candidate: Formula, technique: Technique
    ) -> State | None:
        """A state that refutes a candidate; ``None`` if ``result`` has the last word on it."""
        self.tell(Progress(f"round {result.rounds}", str(candidate)))
        verification = self.verifier.winning_formula(candidate, self.deadline)
        if verification.status is Status.PROVED:
            result.accept(candidate, verification, technique)
        elif verification.status is Status.UNDECIDED:
            result.candidate, result.reason = candidate, verification.reason
        return verification.state if verification.status is Status.REFUTED else None

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

    def sample(self) -> Sample:
        """The labelled states."""
        return Sample.of(
            self.game.variables, tuple(self.labels), [self.labels[s] for s in self.labels]
        )

    def literals(self, sample: Sample, level: int) -> list[Literal]:
        """The literals of a level on the sample."""
        found = periods(list(self.labels), self.labels)
        return enumerate_atoms(sample, level, moduli(self.game.constants(), found, level))


def synthesise_formula(
    rules: ImpartialRules, solver: SmtSolver, deadline: Deadline, tell: Tell = nobody
) -> FormulaResult:
    """The winning formula of a game, proved; or why there is none; or what is known so far.

    Raises :class:`~qsage_validate.games.impartial.rules.EndlessGameError` when the game need
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
            if verification.status is Status.PROVED:
                result.accept(candidate, verification, technique)
                _shrink(search, result, sample, level)
                return
            if verification.status is Status.REFUTED:
                assert verification.state is not None
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


def _shrink(search: FormulaSearch, result: FormulaResult, sample: Sample, level: int) -> None:
    """Replace a proved formula by a smaller one, if a smaller one can be proved too."""
    assert result.formula is not None
    found = periods(list(search.labels), search.labels)
    wanted = moduli(search.game.constants(), found, level)
    deadline = search.deadline.sooner(_SHRINK_SECONDS)
    small = minimise(search.verifier, result.formula, sample, wanted, deadline)
    if small.size >= result.formula.size:
        return
    verification = search.verifier.winning_formula(small, search.deadline)
    if verification.status is Status.PROVED:
        result.formula, result.verification = small, verification


def candidates(
    search: FormulaSearch, sample: Sample, level: int
) -> Iterator[tuple[Technique, Formula]]:
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
    search: FormulaSearch, target: int, mask: int, literals: list[Literal]
) -> Formula | None:
    """The formula that :func:`classify` finds in its part of the time; ``None``: none."""
    seconds = max(_CLASSIFY_SECONDS, _CLASSIFY_SHARE * search.deadline.left(300))
    try:
        return classify(target, mask, literals, search.deadline.sooner(seconds))
    except UndecidedError:
        search.deadline.check("atoms were chosen")
        return None
