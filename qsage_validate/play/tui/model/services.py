"""The services that the interface can use beside the match: gates, the strategy's tree, a proof.

A prover is given from above: this layer knows only how to call one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from qsage_validate.arena.frame import Frame, WhyNot
from qsage_validate.arena.gate_inspector import GateInspector, GateReader
from qsage_validate.arena.strategy_tree import StrategyTree, tree_of
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.system.progress import Tell
from qsage_validate.validation.finding import Finding


@dataclass(frozen=True, slots=True)
class LevelRow:
    """The result of one level of a proof: its name, the verdict in a word, and in full."""

    name: str
    word: str
    seconds: float
    text: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class ProofEnd:
    """The end of a proof: one line to quote, if it refutes something, if it was stopped."""

    text: str
    refuted: bool = False
    stopped: bool = False


Prove = Callable[[Tell, Callable[[LevelRow], None], Callable[[], bool]], ProofEnd]
"""A function that runs all levels, in a worker thread, until its last argument returns true.

Its first argument is called with a level's progress, the second one with each result.  Raises
``QsageError``.
"""


@dataclass(frozen=True)
class Services:
    """The services that are available; ``None`` stands for one that is not.

    ``gates`` reads the gates after a frame, and after an illegal move where one was tried;
    ``tree`` makes the strategy's tree.  Both are called in a worker thread.
    """

    gates: Callable[[Frame, WhyNot | None], GateInspector] | None = None
    tree: Callable[[], StrategyTree] | None = None
    prove: Prove | None = None

    @classmethod
    def of(cls, problem: Problem, prove: Prove | None = None) -> Services:
        """All that a problem has to offer; reader and tree are made once, when asked first."""

        @cache
        def reader() -> GateReader:
            return GateReader(problem)

        tree = cache(partial(tree_of, problem)) if isinstance(problem, BoardProblem) else None
        gates = None if problem.formula is None else lambda frame, why: reader().at(frame, why)
        return cls(gates, tree, prove)
