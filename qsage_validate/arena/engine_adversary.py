"""A random adversary of anything that answers: plays one after the other, legal moves only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from qsage_validate.arena.adversary import Adversary, Results
from qsage_validate.arena.draws import Draws
from qsage_validate.arena.engines.engine import Engine, answered
from qsage_validate.arena.frame import Frame


class EngineAdversary(Adversary):
    """Plays random legal moves against ``engine``; ``replay`` makes commands for findings."""

    batch = 64

    def __init__(
        self, engine: Engine[Any], replay: Callable[[Sequence[str]], str], *, seed: int
    ) -> None:
        super().__init__(seed)
        self._engine = engine
        self._replay = replay

    def play(self, numbers: Sequence[int]) -> Results:
        results = Results()
        for number in numbers:
            frames = self._play(Draws(self.seed, number))
            outcome = frames[-1].outcome
            assert outcome is not None, "the play has ended"
            results.texts.append(" ".join(str(frame.move) for frame in frames if frame.changed))
            if outcome.winner is not None and outcome.promised is None:
                results.given += 1
            else:
                results.promised.append(outcome.promised)
            own = [str(f.move) for f in frames if f.changed and not f.by_certificate]
            found = [finding for frame in frames for finding in frame.findings]
            results.findings.add(replace(f, replay=self._replay(own)) for f in found)
        return results

    def _play(self, draws: Draws) -> list[Frame]:
        steps = answered(self._engine, self._engine.start())
        frames = [step.frame for step in steps]
        while not steps[-1].over:
            move = draws.choice(self._engine.legal(steps[-1]))
            steps = answered(self._engine, self._engine.push(steps[-1], move, None, claim=False))
            frames += [step.frame for step in steps]
        return frames
