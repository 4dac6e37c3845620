"""Walks through all plays: what a walker does, and positions that are met again.

A certificate answers the opponent's history, not the position, so that equal boards are not
enough.  Two beginnings are merged when the rules' positions are equal and what is left of the
certificate and the matrix is the same: of the replies, boards and indicators of the plies to
come and of the verdict, as functions of the variables that the opponent has still to choose.
The symbolic position is taken value by value, for then the boards are constants.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Final, Generic, TypeVar

import numpy as np

from qsage_validate.arena.frame import PlayState
from qsage_validate.arena.play_engine import PlayEngine, broken_by
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.circuit.simulate import Cofactors, pack
from qsage_validate.encodings.layout import Layout
from qsage_validate.games.bddl.arrays import Flags
from qsage_validate.games.protocol import Player
from qsage_validate.strategies.reader import LayoutMove
from qsage_validate.validation.finding import Finding

# Steps of all plays at once, on arrays or play by play, for the exhaustive adversary


Nodes = TypeVar("Nodes")


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
        """The one beginning without a ply, as the child of number 0."""

    @abstractmethod
    def expand(self, nodes: Nodes) -> PlayExpansion[Nodes]:
        """Everything that can happen in the next ply of plays with the same number of plies."""

    @abstractmethod
    def size(self, nodes: Nodes) -> int:
        """The number of beginnings."""

    @abstractmethod
    def take(self, nodes: Nodes, numbers: Sequence[int]) -> Nodes:
        """The beginnings of the given numbers."""

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
        assert isinstance(move, LayoutMove), "the opponent has made a move"
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


# The test if two beginnings of plays may be taken for one: nothing asked later can differ


# With more variables the symbolic position is left open: less is merged, and still rightly.
_POSITION_BITS: Final = 6
_ALL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


def merging_for(
    layout: Layout, oracle: SimulationOracle, also: Collection[int] = ()
) -> Merging | None:
    """The rule by which beginnings are merged; ``None`` if none may be.

    ``also`` are further variables and gates that are looked at where plays end.
    A variable that has two roles in the layout gets two values in a play, so that what is left
    under the first of them says nothing of what comes after the second.
    """
    symbolic = set(map(abs, layout.state.position))
    roles = Counter(symbolic)
    for move in layout.moves:
        roles.update(set(map(abs, move.all_variables)))
    shared = any(roles[variable] > 1 for variable in oracle.opponent)
    return None if shared else Merging(layout, oracle, also)


class Merging:
    """Keys of beginnings of plays against a Skolem certificate that is a circuit.

    The roles of the opponent's variables must be disjoint: see :func:`merging_for`.
    """

    def __init__(
        self, layout: Layout, oracle: SimulationOracle, also: Collection[int] = ()
    ) -> None:
        self._layout = layout
        self._also = also
        self._oracle = oracle
        self._column = {variable: k for k, variable in enumerate(oracle.opponent)}
        position = dict.fromkeys(map(abs, layout.state.position))
        columns = [self._column[v] for v in position if v in self._column]
        self._position = columns if len(columns) <= _POSITION_BITS else []
        self._remainders = cache(self._make)

    def keys(self, plies: int, choice: Flags) -> list[bytes]:
        """Equal keys for beginnings of ``plies`` plies after which nothing can differ.

        ``choice`` has the opponent's variables, shape ``(beginnings, variables)``.
        """
        plays = pack(choice)
        values = list(product((np.uint64(0), _ALL), repeat=len(self._position)))
        inputs = np.repeat(plays[:, None, :], len(values), axis=1)
        for k, column in enumerate(self._position):
            inputs[column] = np.asarray([own[k] for own in values], dtype=np.uint64)[:, None]
        return self._remainders(plies).digests(inputs, len(choice))

    def _make(self, plies: int) -> Cofactors:
        chosen_before = {abs(v) for ply in self._layout.moves[:plies] for v in ply.all_variables}
        fixed = {self._column[v] for v in chosen_before if v in self._column} | set(self._position)
        wanted = list(dict.fromkeys(abs(literal) for literal in self._to_come(plies)))
        return Cofactors(*self._oracle.graph(wanted), sorted(fixed))

    def _to_come(self, plies: int) -> Iterator[int]:
        """The literals that may be asked for after ``plies`` plies."""
        layout = self._layout
        yield from self._also
        for ply in layout.moves[plies:]:
            yield from ply.all_variables if ply.player is Player.BLACK else ply.says_legal
        # Where a board is told it was looked at; atoms may also say what is legal next.
        first = plies + 1 if layout.state.is_board else plies
        for state in layout.state.states[first:]:
            yield from filter(None, state)
        if layout.verdict is not None:
            yield layout.verdict
