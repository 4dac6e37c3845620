"""Strategies as programs: decision trees with questions at the forks and answers at the leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from qsage_validate.explaining.answers import Answer
from qsage_validate.explaining.questions import Question
from qsage_validate.explaining.situation import Choice, Situation

Questions: TypeAlias = Callable[[Question], Iterable[Question]]
Answers: TypeAlias = Callable[[Answer], Iterable[Answer]]


@dataclass(frozen=True, slots=True)
class Leaf:
    """The move that is played."""

    answer: Answer

    def leaf(self, at: Situation) -> Leaf:
        """The leaf itself."""
        return self

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Tree]]:
        """The leaf with its depth."""
        yield depth, self

    def with_other_words(self, questions: Questions, answers: Answers) -> Iterator[Tree]:
        """The leaf with other answers."""
        yield from map(Leaf, answers(self.answer))


@dataclass(frozen=True, slots=True)
class Fork:
    """A question with a tree for each answer to it."""

    question: Question
    yes: Tree
    no: Tree

    def leaf(self, at: Situation) -> Leaf:
        """The leaf of a situation."""
        return (self.yes if self.question.holds(at) else self.no).leaf(at)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Tree]]:
        """All nodes with their depths: a fork, what is below its yes, what is below its no."""
        yield depth, self
        yield from self.yes.walk(depth + 1)
        yield from self.no.walk(depth + 1)

    def with_other_words(self, questions: Questions, answers: Answers) -> Iterator[Tree]:
        """The tree with another word in one place; a question may change its sides."""
        for question in questions(self.question):
            yield Fork(question, self.yes, self.no)
            yield Fork(question, self.no, self.yes)
        for yes in self.yes.with_other_words(questions, answers):
            yield Fork(self.question, yes, self.no)
        for no in self.no.with_other_words(questions, answers):
            yield Fork(self.question, self.yes, no)


Tree: TypeAlias = Leaf | Fork


def nodes_of(tree: Tree) -> int:
    """The number of nodes, questions and answers together."""
    return sum(1 for _ in tree.walk())


def depth_of(tree: Tree) -> int:
    """The largest number of questions that are asked on the way to an answer."""
    return max(depth for depth, _ in tree.walk())


def chosen(tree: Tree, at: Situation) -> Choice | None:
    """The move that a tree plays; ``None`` where its answer is no legal move."""
    return tree.leaf(at).answer.choose(at)
