"""Smallest decision trees by SAT.

A tree of ``k`` questions is looked for that plays a winning move in each situation of a pool that
it comes to.  Variables say which question stands at which node, which node or answer is behind
each of its two sides, and which nodes a situation visits; a situation's clauses hold only where
the tree's own answers lead there (*links*).  So an unsatisfiable set of clauses is a proof that no
tree of ``k`` questions of the vocabulary wins, however few situations are in the pool: all of
them hold for every tree that wins.

The nodes are numbered breadth first, as in Narodytska et al., *Learning optimal decision trees
with SAT* (2018); the don't-cares of many right answers follow Jacobs and others on controllers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, takewhile
from typing import Final

from qsage_validate.circuit.sat_solver import Solver
from qsage_validate.explaining.answers import Answer
from qsage_validate.explaining.program import Fork, Leaf, Tree, chosen
from qsage_validate.explaining.questions import Question
from qsage_validate.explaining.situation import Situation
from qsage_validate.explaining.vocabulary import Vocabulary
from qsage_validate.system.limits import NEVER, Deadline

_SOLVER: Final = "cadical195"
_LOOK_EVERY: Final = 500


@dataclass
class Sample:
    """A situation of the pool: which moves win there, and which samples come after a move.

    ``moves`` has the text of the move of each answer, ``None`` where there is none; ``truths`` the
    value of each question.
    """

    situation: Situation
    winning: frozenset[str]
    truths: tuple[bool, ...]
    moves: tuple[str | None, ...]
    root: bool
    links: dict[str, list[int]] = field(default_factory=dict)


class Pool:
    """The situations that trees are learned from; it grows by counterexamples."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.samples: list[Sample] = []
        self._number: dict[Situation, int] = {}

    def add(self, situation: Situation, winning: frozenset[str], *, root: bool = False) -> int:
        """The number of a situation, which is taken in if it is new."""
        known = self._number.get(situation)
        if known is not None:
            self.samples[known].root |= root
            return known
        truths = tuple(q.holds(situation) for q in self.vocabulary.questions)
        moves = tuple(_text(a, situation) for a in self.vocabulary.answers)
        self.samples.append(Sample(situation, winning, truths, moves, root))
        self._number[situation] = len(self.samples) - 1
        return self._number[situation]

    def link(self, before: int, move: str, after: int) -> None:
        """Record that a winning move in one situation can lead to another situation."""
        found = self.samples[before].links.setdefault(move, [])
        if after not in found:
            found.append(after)

    def distinct_questions(self) -> list[int]:
        """One question, the first, of those that agree, or always disagree, in the pool."""
        seen: dict[tuple[bool, ...], int] = {}
        for number in range(len(self.vocabulary.questions)):
            column = tuple(sample.truths[number] for sample in self.samples)
            if len(set(column)) < 2:
                continue
            if column[0]:
                column = tuple(not value for value in column)
            seen.setdefault(column, number)
        return list(seen.values())

    def distinct_answers(self) -> list[int]:
        """One answer, the first, of those that play alike; none that never plays a winning move.

        Moves that lead to no other sample are alike where both win, or both do not.
        """
        seen: dict[tuple[Hashable, ...], int] = {}
        for number in range(len(self.vocabulary.answers)):
            key = tuple(self._effect(sample, number) for sample in self.samples)
            if any(effect is not None for effect in key):
                seen.setdefault(key, number)
        return list(seen.values())

    def won_by(self, tree: Tree) -> bool:
        """True if a tree plays a winning move in each sample that it comes to."""
        waiting = [k for k, sample in enumerate(self.samples) if sample.root]
        seen = set(waiting)
        while waiting:
            sample = self.samples[waiting.pop()]
            choice = chosen(tree, sample.situation)
            if choice is None or choice.made.text not in sample.winning:
                return False
            new = set(sample.links.get(choice.made.text, ())) - seen
            seen |= new
            waiting += new
        return True

    @staticmethod
    def _effect(sample: Sample, number: int) -> Hashable:
        move = sample.moves[number]
        if move is None or move not in sample.winning:
            return None
        return tuple(sample.links.get(move, ()))


def _text(answer: Answer, situation: Situation) -> str | None:
    choice = answer.choose(situation)
    return None if choice is None else choice.made.text


class _Names:
    """Numbers for the variables, made when they are asked for."""

    def __init__(self) -> None:
        self._of: dict[Hashable, int] = {}

    def __call__(self, *name: Hashable) -> int:
        return self._of.setdefault(name, len(self._of) + 1)


@dataclass(frozen=True, slots=True)
class Unknown:
    """The effort or the time was over before an answer was found."""


@dataclass
class Effort:
    """The work that may still be done, in conflicts of the SAT solver: the same on all machines."""

    left: int = 10**12

    def spend(self, conflicts: int) -> None:
        """Note that so much was done."""
        self.left -= conflicts


def smallest(
    pool: Pool, size: int, effort: Effort | None = None, deadline: Deadline = NEVER
) -> Tree | Unknown | None:
    """A tree of ``size`` questions that is right on the pool; ``None`` if there is none.

    What is done is taken from ``effort``.
    """
    return _Search(pool, size).run(effort or Effort(), deadline)


class _Search:
    """The clauses of one size."""

    def __init__(self, pool: Pool, size: int) -> None:
        self.pool = pool
        self.size = size
        self.name = _Names()
        self.questions = pool.distinct_questions()
        self.answers = pool.distinct_answers()
        self.slots = [(node, side) for node in range(size) for side in (True, False)]

    def run(self, effort: Effort, deadline: Deadline) -> Tree | Unknown | None:
        if not self.size:
            return self._leaf_alone()
        with Solver(name=_SOLVER, bootstrap_with=self._clauses()) as solver:
            while effort.left > 0 and not deadline.over:
                solver.conf_budget(_LOOK_EVERY)
                answer = solver.solve_limited()
                if answer is not None:
                    if not answer:
                        return None
                    true = frozenset(x for x in solver.get_model() if x > 0)
                    return self._tree(0, true)
                effort.spend(_LOOK_EVERY)
        return Unknown()

    def _leaf_alone(self) -> Tree | None:
        """The tree of one answer, where one is right everywhere it leads."""
        leaves = (Leaf(self.pool.vocabulary.answers[number]) for number in self.answers)
        return next((leaf for leaf in leaves if self.pool.won_by(leaf)), None)

    def _clauses(self) -> Iterator[list[int]]:
        yield from self._shape()
        for number, sample in enumerate(self.pool.samples):
            yield from self._run_of(number, sample)

    def _shape(self) -> Iterator[list[int]]:
        name = self.name
        for node in range(self.size):
            yield [name("question", node, q) for q in self.questions]
        for slot in self.slots:
            inner = [name("node", slot, child) for child in range(slot[0] + 1, self.size)]
            yield [*inner, *(name("answer", slot, a) for a in self.answers)]
        for child in range(1, self.size):
            parents = [name("node", slot, child) for slot in self.slots if slot[0] < child]
            yield parents
            for one, other in combinations(parents, 2):
                yield [-one, -other]
        # Breadth first: who comes from a later slot has the larger number.
        for slot in self.slots:
            for child in range(slot[0] + 1, self.size):
                for later in self.slots[2 * slot[0] + 1 + (not slot[1]) :]:
                    for smaller in range(later[0] + 1, child):
                        yield [-name("node", slot, child), -name("node", later, smaller)]

    def _run_of(self, number: int, sample: Sample) -> Iterator[list[int]]:
        """The clauses of one situation: where it goes, and what is played there."""
        name = self.name
        yield (
            [name("at", 0, number)]
            if sample.root
            else [-name("reached", number), name("at", 0, number)]
        )
        for node in range(self.size):
            at, value = name("at", node, number), name("value", node, number)
            for q in self.questions:
                yield [-name("question", node, q), value if sample.truths[q] else -value]
            for side in (True, False):
                slot, out = (node, side), name("out", node, side, number)
                yield [-at, -value if side else value, out]
                for child in range(node + 1, self.size):
                    yield [-out, -name("node", slot, child), name("at", child, number)]
                for a in self.answers:
                    move = sample.moves[a]
                    played = name("answer", slot, a)
                    if move is None or move not in sample.winning:
                        yield [-out, -played]
                        continue
                    for after in sample.links.get(move, ()):
                        if not self.pool.samples[after].root:
                            yield [-out, -played, name("reached", after)]

    def _tree(self, node: int, true: frozenset[int]) -> Tree:
        name, words = self.name, self.pool.vocabulary
        question: Question = next(
            words.questions[q] for q in self.questions if name("question", node, q) in true
        )
        sides = []
        for side in (True, False):
            slot = (node, side)
            child = next(
                (c for c in range(node + 1, self.size) if name("node", slot, c) in true), None
            )
            if child is not None:
                sides.append(self._tree(child, true))
                continue
            answer = next(a for a in self.answers if name("answer", slot, a) in true)
            sides.append(Leaf(words.answers[answer]))
        return Fork(question, sides[0], sides[1])


def plainer(tree: Tree, vocabulary: Vocabulary) -> Iterator[Tree]:
    """The trees that have an earlier word of the vocabulary in the place of one of a tree's own."""
    yield from tree.with_other_words(
        lambda question: takewhile(lambda other: other != question, vocabulary.questions),
        lambda answer: takewhile(lambda other: other != answer, vocabulary.answers),
    )
