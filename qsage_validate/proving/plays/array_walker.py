"""All plays of a strategy: on arrays where the game has them, else one state after the other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from qsage_validate.arena.adversary import KEPT_FINDINGS
from qsage_validate.arena.open import open_play_engine
from qsage_validate.certificates.oracles.choose import OracleKind
from qsage_validate.certificates.oracles.simulation import SimulationOracle
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.problems.load import BoardProblem
from qsage_validate.proving.plays.merging import merging_for
from qsage_validate.proving.plays.vector_walk import (
    LayerStep,
    PlayLayer,
    VectorWalk,
    vector_walk,
    walks,
)
from qsage_validate.proving.plays.walkers import PlayExpansion, Walker, explain
from qsage_validate.validation.finding import Finding

if TYPE_CHECKING:
    from qsage_validate.proving.plays.state_walker import StateWalker

_BATCH_ON_ARRAYS: Final = 2048


def walker(problem: BoardProblem) -> ArrayWalker | StateWalker:
    """The quickest walker for a problem."""
    if walks(problem):
        return ArrayWalker(vector_walk(problem))
    from qsage_validate.proving.plays.state_walker import StateWalker

    oracle = problem.oracle(OracleKind.SIMULATION)
    play_engine, certificate = open_play_engine(problem, oracle), problem.answering
    skolem = certificate.kind is CertificateKind.SKOLEM
    samples = skolem and not isinstance(oracle, SimulationOracle)
    if not (skolem and isinstance(certificate, CircuitCertificate)):
        return StateWalker(play_engine, None, oracle.opponent, samples=samples)
    graph = SimulationOracle(certificate, problem.formula)
    named = {abs(x) for one in problem.assertions for x in (one.literals or {}).values()}
    merging = merging_for(play_engine.layout, graph, sorted(named))
    return StateWalker(play_engine, merging, graph.opponent, samples=samples)


class ArrayWalker(Walker[PlayLayer]):
    """Walks on arrays; what is suspect is explained by the play engine."""

    batch = _BATCH_ON_ARRAYS

    def __init__(self, walk: VectorWalk) -> None:
        self._walk = walk
        self.play_engine = walk.play_engine
        self._merging = merging_for(walk.layout, walk.oracle)
        self.merges = self._merging is not None

    def start(self) -> PlayExpansion[PlayLayer]:
        return self._expansion(self._walk.start(), np.zeros(1, dtype=np.intp).tolist())

    def expand(self, nodes: PlayLayer) -> PlayExpansion[PlayLayer]:
        walk = self._walk
        if walk.to_move(nodes.plies) is self.play_engine.player:
            return self._expansion(walk.answer(nodes), list(range(len(nodes))))
        legal, agree = walk.legality(nodes)
        findings = self._explain(nodes.take(~agree))
        legal &= agree[:, None]
        rows, moves = np.nonzero(legal)
        step = walk.move(nodes, rows, moves)
        claimed, sampled = [], False
        if walk.can_claim(step.layer.plies):
            refuted, complete = walk.claims_refuted(step.layer)
            claimed = self._explain(step.layer.take(~refuted), claim=True)
            sampled = not complete
        result = self._expansion(step, rows.tolist())
        result.findings = findings + result.findings + claimed
        result.sampled = sampled
        return result

    def _expansion(self, step: LayerStep, parent: list[int]) -> PlayExpansion[PlayLayer]:
        running = np.flatnonzero(step.running)
        children = step.layer.take(running)
        return PlayExpansion(
            children,
            [parent[k] for k in running.tolist()],
            self.keys(children),
            [parent[k] for k in np.flatnonzero(step.ended).tolist()],
            findings=self._explain(step.layer.take(step.suspect)),
        )

    def _explain(self, layer: PlayLayer, *, claim: bool = False) -> list[Finding]:
        findings: list[Finding] = []
        for text in layer.text[:KEPT_FINDINGS].tolist():
            found = explain(self.play_engine, text.split(), claim=claim)
            assert found, f"nothing is wrong with the suspect play {text}"
            findings += found
        return findings

    def size(self, nodes: PlayLayer) -> int:
        return len(nodes)

    def take(self, nodes: PlayLayer, numbers: Sequence[int]) -> PlayLayer:
        return nodes.take(np.asarray(numbers, dtype=np.intp))

    def join(self, parts: Sequence[PlayLayer]) -> PlayLayer:
        return PlayLayer.join(parts)

    def texts(self, nodes: PlayLayer) -> list[str]:
        texts: list[str] = nodes.text.tolist()
        return texts

    def restore(self, texts: Sequence[str], plies: int) -> PlayLayer:
        return self._walk.restore(texts, plies)

    def keys(self, nodes: PlayLayer) -> Sequence[Hashable]:
        if not len(nodes):
            return []
        if self._merging is None:
            return self.texts(nodes)
        found = self._merging.keys(nodes.plies, nodes.choice)
        return [row.tobytes() + key for row, key in zip(nodes.position.T, found, strict=True)]
