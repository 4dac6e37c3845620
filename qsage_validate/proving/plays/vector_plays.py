"""The random adversary on arrays: the plays of the one on a board.

The same seed gives the same plays, results and findings as there.  Plays that have begun alike
are one until they part; a suspect play is given to the adversary that works play by play, which
says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np

from qsage_validate.arena.adversary import Adversary, ManyDraws, PlayResults
from qsage_validate.arena.board_adversary import BoardAdversary, LeastSeen
from qsage_validate.games.bddl.arrays import Flags, Indices
from qsage_validate.proving.plays.vector_walk import LayerStep, PlayLayer, VectorWalk
from qsage_validate.validation.finding import Finding

# Claims are told apart by one number where they have at most so many variables.
_CLAIM_BITS: Final = 30


class VectorAdversary(Adversary):
    """Plays batches of random plays: those of ``reference``, on the walk of its play engine.

    ``tick`` is called at every ply.  Without ``merge`` every play is asked about on its own,
    however alike they are: so much slower, for measurements.
    """

    def __init__(
        self,
        walk: VectorWalk,
        reference: BoardAdversary,
        *,
        merge: bool = True,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(reference.seed)
        self._walk = walk
        self._reference = reference
        self._merge = merge
        self._tick = tick

    def with_replays(self, findings: Iterable[Finding]) -> list[Finding]:
        return self._reference.with_replays(findings)

    def play(self, numbers: Sequence[int]) -> PlayResults:
        illegal, bias = self._reference.illegal, self._reference.bias
        batch = _Batch(self._walk, self.seed, illegal, bias, self._merge, numbers)
        batch.run(self._tick)
        # Where moves depend on what other plays did, all are played anew.
        doubtful = batch.suspect if not (bias and batch.suspect.any()) else ~batch.none
        rows = np.flatnonzero(doubtful).tolist()
        if not rows:
            return batch.results
        again = self._reference.play([numbers[row] for row in rows])
        if len(rows) == len(numbers):
            return again
        for row, text, promised in zip(rows, again.texts, again.promised, strict=True):
            batch.results.texts[row] = text
            batch.results.promised[row] = promised
        batch.results.tried += again.tried
        batch.results.flagged += again.flagged
        batch.results.findings.add(again.findings)
        return batch.results


class _Batch:
    """Plays side by side: ``at[k]`` is where in the layer the play ``running[k]`` is."""

    def __init__(
        self,
        walk: VectorWalk,
        seed: int,
        illegal: float,
        bias: bool,
        merge: bool,
        numbers: Sequence[int],
    ) -> None:
        count = len(numbers)
        self._walk = walk
        self._illegal = illegal
        self._merge = merge
        self._least = LeastSeen() if bias else None
        self._draws = ManyDraws(seed, numbers)
        self.none: Flags = np.zeros(count, dtype=np.bool_)
        self.suspect: Flags = self.none.copy()
        self._texts = np.empty(count, dtype=np.object_)
        self._tried = np.zeros(count, dtype=np.int64)
        self._flagged = np.zeros(count, dtype=np.int64)
        self._running: Indices = np.arange(count)
        self._at: Indices = np.zeros(count, dtype=np.intp)

    @property
    def results(self) -> PlayResults:
        """The results of the plays that are no suspects; the places of the others are empty."""
        return self._results

    def run(self, tick: Callable[[], None]) -> None:
        walk = self._walk
        step = walk.start()
        if not self._merge:
            rows = np.zeros(len(self._running), dtype=np.intp)
            step = LayerStep(step.layer.take(rows), step.suspect[rows], step.ended[rows])
            self._at = np.arange(len(rows))
        layer = self._settle(step)
        while len(layer):
            tick()
            if walk.to_move(layer.plies) is walk.play_engine.player:
                layer = self._settle(walk.answer(layer))
            else:
                layer = self._move(layer)
        clean = ~self.suspect
        texts: list[str] = self._texts.tolist()
        promised: list[bool | None] = [True] * len(texts)
        self._results = PlayResults(
            texts, promised, int(self._tried[clean].sum()), int(self._flagged[clean].sum())
        )

    def _settle(self, step: LayerStep) -> PlayLayer:
        """Record the plays that have ended or are suspects; returns the layer of the others."""
        ended = step.ended[self._at]
        self._texts[self._running[ended]] = step.layer.text[self._at[ended]]
        self.suspect[self._running[step.suspect[self._at]]] = True
        return self._keep(step.layer, step.running)

    def _keep(self, layer: PlayLayer, kept: Flags) -> PlayLayer:
        """Only the plays of the layer that are ``kept``."""
        if kept.all():
            return layer
        new = np.cumsum(kept) - 1
        own = kept[self._at]
        self._running, self._at = self._running[own], new[self._at[own]]
        return layer.take(kept)

    def _move(self, layer: PlayLayer) -> PlayLayer:
        walk = self._walk
        legal, agree = walk.legality(layer)
        self.suspect[self._running[~agree[self._at]]] = True
        legal = legal[agree]
        layer = self._keep(layer, agree)
        if not len(layer):
            return layer
        counts = legal.sum(axis=1)
        # The numbers of the legal moves first, then those of the illegal ones.
        order = np.argsort(~legal, axis=1, kind="stable")
        if self._illegal and walk.knows_legality:
            self._try_illegal(layer, order, counts)
        drawn = self._draws.below(self._running, counts[self._at])
        if self._least is not None:
            drawn = self._least_seen(self._least, layer, order, counts, drawn)
        chosen = order[self._at, drawn]
        if self._merge:
            keys, self._at = np.unique(self._at * legal.shape[1] + chosen, return_inverse=True)
            rows, moves = np.divmod(keys, legal.shape[1])
        else:
            rows, moves = self._at, chosen
            self._at = np.arange(len(rows))
        layer = self._settle(walk.move(layer, rows, moves))
        if len(layer) and walk.can_claim(layer.plies):
            self._claim(layer)
            # Claims concern single plays: their beginnings go on for the others.
            own = ~self.suspect[self._running]
            self._running, self._at = self._running[own], self._at[own]
            used = np.zeros(len(layer), dtype=np.bool_)
            used[self._at] = True
            layer = self._keep(layer, used)
        return layer

    def _least_seen(
        self, least: LeastSeen, layer: PlayLayer, order: Indices, counts: Indices, drawn: Indices
    ) -> Indices:
        moves = [row[:count] for row, count in zip(order.tolist(), counts.tolist(), strict=True)]
        histories = layer.text.tolist()
        chosen = [
            least.choose(histories[at], layer.plies, moves[at], start)
            for at, start in zip(self._at.tolist(), drawn.tolist(), strict=True)
        ]
        return np.asarray(chosen, dtype=np.intp)

    def _try_illegal(self, layer: PlayLayer, order: Indices, counts: Indices) -> None:
        size = order.shape[1]
        can = np.flatnonzero(counts[self._at] < size)
        wants = self._draws.random(self._running[can]) < self._illegal
        tries = can[wants]
        if not len(tries):
            return
        at, plays = self._at[tries], self._running[tries]
        drawn = self._draws.below(plays, size - counts[at])
        keys, which = np.unique(at * size + order[at, counts[at] + drawn], return_inverse=True)
        rows, moves = np.divmod(keys, size)
        kept = self._walk.illegal_keeps_promise(layer, rows, moves)
        self._tried[plays] += 1
        # Rules and formula agree here about what is legal, and these are illegal by the rules.
        self._flagged[plays] += 1
        self.suspect[plays[~kept[which]]] = True

    def _claim(self, layer: PlayLayer) -> None:
        columns = self._walk.claim_variables(layer)
        goals = np.empty((len(self._at), len(columns)), dtype=np.bool_)
        for k in range(len(columns)):
            goals[:, k] = self._draws.random(self._running) < 0.5
        if self._merge and len(columns) <= _CLAIM_BITS:
            weights = 1 << np.arange(len(columns), dtype=np.intp)
            keys = (self._at << len(columns)) + goals @ weights
            _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        else:
            first = which = np.arange(len(self._at))
        refuted = self._walk.sampled_claim_refuted(layer, self._at[first], goals[first])
        self.suspect[self._running[~refuted[which]]] = True
