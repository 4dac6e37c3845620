"""Steps of all plays at once, on arrays or play by play, for the exhaustive adversary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

import numpy as np

from qsage_validate.arena.adversary import KEPT_FINDINGS, Draws
from qsage_validate.arena.open import open_play_engine
from qsage_validate.arena.play_engine import PlayEngine, broken_by
from qsage_validate.arena.play_state import PlayState
from qsage_validate.certificates.oracles.choose import OracleKind
from qsage_validate.certificates.oracles.oracle import NoAnswerError
from qsage_validate.certificates.oracles.simulation import SimulationOracle
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.problems.load import Problem
from qsage_validate.proving.plays.merging import Merging, merging_for
from qsage_validate.proving.plays.vector_walk import (
    LayerStep,
    PlayLayer,
    VectorWalk,
    vector_walk,
    walks,
)
from qsage_validate.strategies.readings import Assignment, LayoutMove, VerdictReading, split_moves
from qsage_validate.validation.finding import Finding

Nodes = TypeVar("Nodes")

_BATCH_ON_ARRAYS: Final = 2048
_BATCH: Final = 256
# Assignments of which all goals are evaluated at a time.
_CLAIMS_AT_A_TIME: Final = 64


@dataclass(slots=True)
class PlayExpansion(Generic[Nodes]):
    """Some beginnings of plays after one more ply.

    ``parent[k]`` is the number of the beginning from which child ``k`` comes, ``keys[k]`` what
    it has in common with those that may be merged with it.  ``ended`` and ``unknown`` have the
    parents of the plays that have ended, as promised or without a known winner, one entry each.
    ``sampled`` says that not every claim of a goal was tried.
    """

    children: Nodes
    parent: list[int]
    keys: Sequence[Hashable]
    ended: list[int] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    sampled: bool = False


class Walker(ABC, Generic[Nodes]):
    """Beginnings of plays (``Nodes``) and their continuations."""

    play_engine: PlayEngine
    batch: int
    merges: bool

    @abstractmethod
    def start(self) -> PlayExpansion[Nodes]:
        """The empty play, as the child of number 0."""

    @abstractmethod
    def expand(self, nodes: Nodes) -> PlayExpansion[Nodes]:
        """Everything that can happen in the next ply of plays with the same number of plies."""

    @abstractmethod
    def size(self, nodes: Nodes) -> int: ...

    @abstractmethod
    def take(self, nodes: Nodes, numbers: Sequence[int]) -> Nodes: ...

    @abstractmethod
    def join(self, parts: Sequence[Nodes]) -> Nodes:
        """All parts (at least one), one after the other."""

    @abstractmethod
    def texts(self, nodes: Nodes) -> list[str]:
        """The moves of each, joined by spaces."""

    @abstractmethod
    def restore(self, texts: Sequence[str], plies: int) -> Nodes:
        """The inverse of :meth:`texts`, of beginnings of so many plies.

        Raises ``ValueError`` for texts that are no such plays.
        """

    @abstractmethod
    def keys(self, nodes: Nodes) -> Sequence[Hashable]:
        """The keys of beginnings, as in an expansion."""


def walker(problem: Problem) -> ArrayWalker | StateWalker:
    """The quickest walker for a problem, which must have a layout."""
    if walks(problem):
        return ArrayWalker(vector_walk(problem))
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
        return [row.tobytes() + key for row, key in zip(nodes.position, found, strict=True)]


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
        self.play_engine = play_engine
        self.merges = merging is not None
        # Solvers take their time for all goals at all squares; Herbrand verdicts are exact.
        self.samples = samples
        self._merging = merging
        self._column = {variable: k for k, variable in enumerate(opponent)}

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
        tries = [
            (k, state, move)
            for k, state in enumerate(examined)
            if state.ending is None
            for move in play_engine.legal_moves(state)
        ]
        after = play_engine.play_all([(state, move) for _, state, move in tries])
        result = self._expansion(
            [*(examined[k] for k in ended), *after], [*ended, *(k for k, _, _ in tries)], findings
        )
        result.sampled = self.samples
        steps = zip(tries, after, strict=True)
        result.findings += self._claims([(s, m, a) for (_, s, m), a in steps])
        play_engine.forget()
        return result

    def _answered(self, nodes: list[PlayState]) -> PlayExpansion[list[PlayState]]:
        """The certificate's plies; where any legal move will do, all of them."""
        play_engine = self.play_engine
        answered = play_engine.answer_all(nodes)
        is_open = [play_engine.is_open(state) for state in answered]
        closed = [k for k, more in enumerate(is_open) if not more]
        tries = [
            (k, state, move)
            for k, state in enumerate(answered)
            if is_open[k]
            for move in play_engine.legal_moves(state)
        ]
        after = play_engine.play_all([(state, move) for _, state, move in tries])
        parent = [*closed, *(k for k, _, _ in tries)]
        return self._expansion([*(answered[k] for k in closed), *after], parent, [])

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
        found = [f for s in states for f in s.findings if (f.kind, f.moves) not in known]
        over = [k for k, state in enumerate(states) if state.ending is not None]
        finals = self.play_engine.finish_all([states[k] for k in over])
        found += [f for final in finals for f in final.findings]
        promised = [
            (parent[k], f.promised if self.play_engine.tells(states[k]) else None)
            for k, f in zip(over, finals, strict=True)
        ]
        running = [k for k, state in enumerate(states) if state.ending is None]
        children = [states[k] for k in running]
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


def explain(play_engine: PlayEngine, moves: Sequence[str], *, claim: bool) -> list[Finding]:
    """The findings of a play, step by step, and of the goal that its last move claims."""
    states = [column[0] for column in replay_all(play_engine, [moves])]
    findings: list[Finding] = []
    for state in states:
        findings += state.findings
    last = states[-1]
    if last.ending is not None:
        findings += play_engine.finish_all([last])[0].findings
    elif play_engine.to_move(last) is not play_engine.player:
        findings += play_engine.examine_all([last])[0].findings
    if claim and not play_engine.has_won(last, play_engine.player.other):
        before, move = states[-2], last.last
        assert move is not None, "the opponent has made a move"
        assignment = play_engine.reader.with_move(before.assignment, move, stop=True)
        reading = play_engine.reader.verdicts([assignment])[0]
        if reading.value is (not play_engine.promised_verdict):
            findings.append(broken_by(play_engine, before, move, "!stop", reading.note))
    return list({(f.kind, f.moves): f for f in findings}.values())


def replay_all(play_engine: PlayEngine, plays: Sequence[Sequence[str]]) -> list[list[PlayState]]:
    """The states of plays of one length: for each number of plies those of all plays.

    Raises ``ValueError`` when the moves are not those of plays with this certificate.
    """
    plies = len(plays[0])
    if any(len(moves) != plies for moves in plays):
        raise ValueError("the plays are not equally long")
    columns = [[play_engine.start()] * len(plays)]
    for number in range(plies):
        states, texts = columns[-1], [moves[number] for moves in plays]
        player = play_engine.to_move(states[0])
        if any(play_engine.to_move(state) is not player for state in states) or player is None:
            raise ValueError(f"a play has ended before ply {number + 1}")
        if player is play_engine.player:
            states = play_engine.answer_all(states)
        waiting = [k for k, s in enumerate(states) if s.plies == number and s.ending is None]
        pairs = []
        for k in waiting:
            move = play_engine.find(states[k], texts[k])
            if move is None:
                raise ValueError(f"{texts[k]} is no move at ply {number + 1}")
            pairs.append((states[k], move))
        played = dict(zip(waiting, play_engine.play_all(pairs), strict=True))
        states = [played.get(k, state) for k, state in enumerate(states)]
        # A reply off the board is told by its bits on arrays, and by "?" of the play engine.
        answers = [state.moves[-1:] for state in states]
        if any(a not in (("?",), (t,)) for a, t in zip(answers, texts, strict=True)):
            raise ValueError(f"the certificate's answers are others at ply {number + 1}")
        columns.append(states)
    return columns
