"""Assertions: what holds in every play of a strategy, and in every choice under functions.

**Theorem, positions.**  Let G, C, L, hero and the strategy be as in
:mod:`~qsage_validate.kernel.strategy`, and A an assertion about positions.  If all claims of
:class:`AssertionsProof` about A hold, and those that the rules are defined and that each legal
move can be said, then A holds in every play of G in which hero follows the strategy and the
opponent makes legal moves (of first moves that a symmetry exchanges, one that can be said): in each
position that A speaks of, up to the end of the play or to a reply that is no legal move.

**Theorem, formula.**  Let F be a formula, C functions of one player's variables, whatever they
read, and A an assertion about variables and gates of F.  If the claim of :func:`about_formula`
holds, then A is true under all values of the other player's variables; those that C should decide
and does not are false.

A is *vacuous* if it holds and its guard (:func:`~qsage_validate.formats.assertions.guard`) holds in
none of these positions (choices); without a guard, if there is no such position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from qsage_validate.circuit.aig import TRUE, AigBuilder
from qsage_validate.formats.assertions import GOAL, Assertion, Condition, Join, Name, Not, guard
from qsage_validate.kernel.claims import Claim, Counterexample, failures
from qsage_validate.kernel.composition import Composition
from qsage_validate.kernel.player import FindingKind, Player
from qsage_validate.kernel.reading import Walk, WalkPly
from qsage_validate.kernel.strategy import StrategyProof, played
from qsage_validate.system.limits import NEVER, Deadline, Tell, nobody

LiteralOf = Callable[[str], int]
"""The graph's literal of a name."""


def literal_of(builder: AigBuilder, condition: Condition, named: LiteralOf) -> int:
    match condition:
        case Name(text):
            return named(text)
        case Not(part):
            return literal_of(builder, part, named) ^ 1
        case Join(conjunction, parts):
            literals = [literal_of(builder, part, named) for part in parts]
            return builder.and_all(literals) if conjunction else builder.or_all(literals)


@dataclass(frozen=True, slots=True)
class _Asked(Claim):
    """About an assertion, by its number: that it holds, or else that nothing reaches it."""

    number: int
    holds: bool


class AssertionSubject:
    """The claims about assertions in one graph, and their answers.

    ``broken`` has the first counterexample of an assertion, by its number in ``asserted``;
    ``reached`` are the numbers of those that some play has shown not to be vacuous.
    """

    def __init__(self, builder: AigBuilder, asserted: Sequence[Assertion]) -> None:
        self.builder = builder
        self.asserted = asserted
        self.claims: list[_Asked] = []
        self.broken: dict[int, Counterexample] = {}
        self.reached: set[int] = set()

    def add(self, number: int, time: int, where: int, named: LiteralOf) -> None:
        """Claim that an assertion holds at a time in the plays in which ``where`` does."""
        condition, text = self.asserted[number].condition, self.asserted[number].text
        asked = guard(condition)
        wrong = literal_of(self.builder, condition, named) ^ 1
        speaks = TRUE if asked is None else literal_of(self.builder, asked, named)
        for literal, holds in ((wrong, True), (speaks, False)):
            both, kind = self.builder.and_(where, literal), FindingKind.ASSERTION_BROKEN
            self.claims.append(_Asked(kind, time, both, text, number, holds))

    @property
    def holding(self) -> list[Claim]:
        return [claim for claim in self.claims if claim.holds]

    def ask(
        self, first: Sequence[Claim] = (), *, deadline: Deadline = NEVER, tell: Tell = nobody
    ) -> Counterexample | None:
        """Ask for all claims, up to one of ``first`` that fails, which is returned.

        ``None``: what is not ``broken`` holds.  Raises ``ClaimsTimeoutError`` at the deadline.
        """
        for failure in failures(
            self.builder, [*first, *self.claims], deadline=deadline, tell=tell, skip=self._known
        ):
            claim = failure.claim
            if not isinstance(claim, _Asked):
                return failure
            if claim.holds:
                self.broken[claim.number] = failure
            else:
                self.reached.add(claim.number)
        return None

    def _known(self, claim: Claim) -> bool:
        if not isinstance(claim, _Asked):
            return False
        return claim.number in (self.broken if claim.holds else self.reached)


def about_formula(
    composition: Composition, asserted: Sequence[Assertion], names: Mapping[str, int]
) -> AssertionSubject:
    """The claims about variables and gates; ``names`` are signed numbers of the formula."""
    about, graph = AssertionSubject(composition.builder, asserted), composition.literals
    literals = {name: graph[abs(x)] ^ (x < 0) for name, x in names.items()}
    for number in range(len(asserted)):
        about.add(number, 0, TRUE, literals.__getitem__)
    return about


@dataclass
class AssertionsProof(StrategyProof):
    """The claims about positions; names are atoms of the rules, or the goal."""

    asserted: Sequence[Assertion] = ()

    def __post_init__(self) -> None:
        self.about = AssertionSubject(self.rules.builder, self.asserted)
        super().__post_init__()

    def _hero(self, step: WalkPly) -> None:
        self._rules_silent(step, self.rules.undefined(step.before, step.ply))

    def _position(self, walk: Walk) -> None:
        last = walk.time == self.rules.plies
        over = walk.reached if last else self.builder.and_(walk.reached, walk.playing ^ 1)
        atoms, goal = self.rules.atoms(walk.state, walk.time), walk.won[Player.BLACK]

        def named(text: str) -> int:
            return goal if text == GOAL else atoms[text]

        for number, one in enumerate(self.asserted):
            if one.ply in (None, walk.time):
                self.about.add(number, walk.time, over if one.end else walk.reached, named)

    def _last(self, walk: Walk) -> None:
        """Add no claim: the winner of a play is not asked for here."""

    def play(self, failure: Counterexample) -> tuple[str, ...]:
        """The moves of the play that breaks an assertion, up to where it does."""
        return played(self.builder, self._steps[: failure.claim.ply], failure.inputs)
