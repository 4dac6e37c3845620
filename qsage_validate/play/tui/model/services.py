"""What the interface can ask beside the match: gates, the strategy's tree, a proof.

A prover is given from above: this layer knows only how to call one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from qsage_validate.arena.frame import Frame
from qsage_validate.arena.gate_inspector import GateInspector, GateReader
from qsage_validate.arena.strategy_tree import StrategyTree, tree_of
from qsage_validate.problems.load import Problem
from qsage_validate.system.progress import Tell
from qsage_validate.validation.finding import Finding


@dataclass(frozen=True, slots=True)
class LevelRow:
    """What one level of a proof came to: its name, the verdict in a word, and in full."""

    name: str
    word: str
    seconds: float
    text: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class ProofEnd:
    """How a proof ended: one line to quote, whether something is refuted, or it was stopped."""

    text: str
    refuted: bool = False
    stopped: bool = False


class Prove(Protocol):
    """Runs all levels, for as long as ``cancelled()`` is false; called in a worker thread."""

    def __call__(
        self, tell: Tell, done: Callable[[LevelRow], None], cancelled: Callable[[], bool]
    ) -> ProofEnd:
        """Prove.

        ``tell`` hears of a level how far it is, ``done`` each result.  Raises ``QsageError``.
        """
        ...


@dataclass(frozen=True)
class Services:
    """What can be asked; ``None`` where there is nothing to ask.

    ``gates`` reads the gates after a frame, ``tree`` makes the strategy's tree; both are called
    in a worker thread.
    """

    gates: Callable[[Frame], GateInspector] | None = None
    tree: Callable[[], StrategyTree] | None = None
    prove: Prove | None = None

    @classmethod
    def of(cls, problem: Problem, prove: Prove | None = None) -> Services:
        """All that a problem has to offer."""
        return cls(
            None if problem.formula is None else _Gates(problem),
            None if problem.layout is None else _Tree(problem),
            prove,
        )


class _Gates:
    """Makes the reader, with its solver, when it is asked first."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._reader: GateReader | None = None

    def __call__(self, frame: Frame) -> GateInspector:
        if self._reader is None:
            self._reader = GateReader(self._problem)
        return self._reader.at(frame)


class _Tree:
    """Keeps the tree, so that it is explored only once."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._tree: StrategyTree | None = None

    def __call__(self) -> StrategyTree:
        if self._tree is None:
            self._tree = tree_of(self._problem)
        assert self._tree is not None, "there is a layout"
        return self._tree
