"""All plays of a strategy, one state after the other; loaded where they are not on arrays."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np

from qsage_validate.arena.adversary import Draws
from qsage_validate.arena.frame import PlayState
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.arena.watch import broken_by
from qsage_validate.certificates.oracle import NoAnswerError
from qsage_validate.proving.vector_walk import Merging, PlayExpansion, Walker, replay_all
from qsage_validate.strategies.reader import Assignment, LayoutMove, VerdictReading, split_moves
from qsage_validate.validation.finding import Finding

_BATCH: Final = 256
# Assignments of which all goals are evaluated at a time.
_CLAIMS_AT_A_TIME: Final = 64


class StateWalker(Walker[list[PlayState]]):
    """Walks with the play engine: any certificate, with rules or without."""

    batch = _BATCH

    def __init__(
        self,
        play_engine: PlayEngine,
        merging: Merging | None,
        opponent: Sequence[int],
        *,
        samples: bool,
    ) -> None:
        self._play_engine = play_engine
        self.plies = play_engine.plies
        self.merges = merging is not None
        # Solvers take their time for all goals at all squares; Herbrand verdicts are exact.
        self.samples = samples
        self._merging = merging
        self._column = {variable: k for k, variable in enumerate(opponent)}

    @property
    def play_engine(self) -> PlayEngine:
        return self._play_engine

    def replies_at(self, ply: int) -> bool:
        return self._play_engine.mover(ply) is self._play_engine.player

    def start(self) -> PlayExpansion[list[PlayState]]:
        start = self.play_engine.start()
        return self._expansion([start], [0], [])

    def expand(self, nodes: list[PlayState]) -> PlayExpansion[list[PlayState]]:
        play_engine = self.play_engine
        if play_engine.to_move(nodes[0]) is play_engine.player:
            return self._answered(nodes)
        examined = play_engine.examine_all(nodes)
        findings = [f for state in examined for f in state.findings]
        ended = [k for k, state in enumerate(examined) if state.ending is not None]
        made = play_engine.branches(enumerate(examined))
        result = self._expansion(
            [*(examined[k] for k in ended), *(after for _, _, after in made)],
            [*ended, *(k for k, _, _ in made)],
            findings,
        )
        result.sampled = self.samples
        result.findings += self._claims([(examined[k], move, after) for k, move, after in made])
        play_engine.forget()
        return result

    def _answered(self, nodes: list[PlayState]) -> PlayExpansion[list[PlayState]]:
        """The certificate's plies; where any legal move will do, all of them."""
        play_engine = self.play_engine
        answered = play_engine.answer_all(nodes)
        is_open = [play_engine.is_open(state) for state in answered]
        closed = [k for k, more in enumerate(is_open) if not more]
        made = play_engine.branches((k, state) for k, state in enumerate(answered) if is_open[k])
        states = [*(answered[k] for k in closed), *(after for _, _, after in made)]
        return self._expansion(states, [*closed, *(k for k, _, _ in made)], [])

    def _claims(self, steps: list[tuple[PlayState, LayoutMove, PlayState]]) -> list[Finding]:
        play_engine, reader = self.play_engine, self.play_engine.reader
        if not steps or not play_engine.can_claim(steps[0][0].plies + 1):
            return []
        player = play_engine.player.other
        claims = [(s, move) for s, move, after in steps if not play_engine.has_won(after, player)]
        findings: list[Finding] = []
        for first in range(0, len(claims), _CLAIMS_AT_A_TIME):
            part = claims[first : first + _CLAIMS_AT_A_TIME]
            assignments = [
                reader.with_move(before.assignment, move, stop=True) for before, move in part
            ]
            for (before, move), reading in zip(part, self._readings(assignments), strict=True):
                if isinstance(reading, NoAnswerError):
                    findings.append(broken_by(play_engine, before, move, "!stop", str(reading)))
                elif reading.value is (not play_engine.promised_verdict):
                    findings.append(broken_by(play_engine, before, move, "!stop", reading.note))
        return findings

    def _readings(
        self, assignments: Sequence[Assignment]
    ) -> Sequence[VerdictReading | NoAnswerError]:
        """The verdicts of assignments that claim goals: of all goals, or of one that is drawn."""
        try:
            if not self.samples:
                return self.play_engine.reader.verdicts(assignments)
            # Drawn from the assignment itself, so that the results depend on nothing else.
            draws = [
                Draws(hash(tuple(sorted(assignment.choice.items()))), 0)
                for assignment in assignments
            ]
            return self.play_engine.reader.sample_verdicts(assignments, draws)
        except NoAnswerError as error:
            if len(assignments) == 1:
                return [error]
        return [reading for assignment in assignments for reading in self._readings([assignment])]

    def _expansion(
        self, states: list[PlayState], parent: list[int], findings: list[Finding]
    ) -> PlayExpansion[list[PlayState]]:
        known = {(f.kind, f.moves) for f in findings}
        over = [k for k, state in enumerate(states) if state.ending is not None]
        ended = self.play_engine.finish_all([states[k] for k in over])
        running = [k for k, state in enumerate(states) if state.ending is None]
        children = [states[k] for k in running]
        found = [f for s in children + ended for f in s.findings if (f.kind, f.moves) not in known]
        promised = [
            (parent[k], s.ending.promised if s.ending and self.play_engine.tells(s) else None)
            for k, s in zip(over, ended, strict=True)
        ]
        return PlayExpansion(
            children,
            [parent[k] for k in running],
            self.keys(children),
            [k for k, kept in promised if kept],
            [k for k, kept in promised if kept is None],
            findings + found,
        )

    def size(self, nodes: list[PlayState]) -> int:
        return len(nodes)

    def take(self, nodes: list[PlayState], numbers: Sequence[int]) -> list[PlayState]:
        return [nodes[k] for k in numbers]

    def join(self, parts: Sequence[list[PlayState]]) -> list[PlayState]:
        return [state for part in parts for state in part]

    def texts(self, nodes: list[PlayState]) -> list[str]:
        return [" ".join(state.moves) for state in nodes]

    def restore(self, texts: Sequence[str], plies: int) -> list[PlayState]:
        states = replay_all(self.play_engine, [split_moves(text) for text in texts])[-1]
        if any(state.illegal or state.ending is not None for state in states):
            raise ValueError("a play has an illegal move, or has ended")
        if any(state.plies != plies for state in states):
            raise ValueError(f"a play has not {plies} plies")
        return states

    def keys(self, nodes: list[PlayState]) -> Sequence[Hashable]:
        if self._merging is None or not nodes:
            return [state.moves for state in nodes]
        choice = np.zeros((len(nodes), len(self._column)), dtype=np.bool_)
        for row, state in zip(choice, nodes, strict=True):
            for variable, value in state.assignment.choice.items():
                row[self._column[variable]] = value
        found = self._merging.keys(nodes[0].plies, choice)
        # Without rules it depends on the moves made so far what is legal for the formula.
        return [
            (frozenset(s.moves) if s.position is None else s.position, key)
            for s, key in zip(nodes, found, strict=True)
        ]
