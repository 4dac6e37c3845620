"""Steps of all plays at once, and when two beginnings of plays may be taken for one.

*On arrays* the walk of ``state_walker.py`` takes thousands of plays in a step.  This is
:mod:`qsage_validate.arena.play_engine` for Skolem certificates of grid games: the certificate is
asked by simulation, 64 plays a machine word, and the rules are masks over words.  The walk makes
the same comparisons and reports no findings: a beginning of a play with which something is not as
it should be is a *suspect*, and the play engine, asked about it, says what it is.

*Merging.*  A certificate answers the opponent's history, not the position, so that equal boards
are not enough.  Two beginnings are merged when the rules' positions are equal and what is left of
the certificate and the matrix is the same: of the replies, boards and indicators of the plies to
come and of the verdict, as functions of the variables that the opponent has still to choose.  The
symbolic position is taken value by value, for then the boards are constants.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from typing import TYPE_CHECKING, Final, Generic, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from qsage_validate.arena.open import open_play_engine, open_reader
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.oracle import Choice
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.circuit.simulate import Cofactors, pack, unpack
from qsage_validate.encodings.layout import Layout, Ply, StateCode
from qsage_validate.games.bddl.arrays import ArrayRules, Flags, Indices, Words
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.strategies.reader import (
    Assignment,
    CertificateReader,
    LayoutMove,
    mover_of,
    plies_of,
)
from qsage_validate.strategies.skolem import SkolemReader
from qsage_validate.validation.finding import Finding

if TYPE_CHECKING:
    from qsage_validate.arena.frame import PlayState
    from qsage_validate.arena.play_engine import PlayEngine

# The walk of ``state_walker.py`` on arrays, for its speed: thousands of plays in a step


# Words of one row that a question may have: it bounds the memory of a step.
_QUESTION_WORDS = 1 << 15
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)

Texts = NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class PlayLayer:
    """Beginnings of plays with the same number of plies.

    ``choice`` has the opponent's variables, shape ``(plays, variables)``; ``position`` the
    rules' positions, a column each; ``text`` the moves, joined by spaces.
    """

    plies: int
    choice: Flags
    position: Words
    text: Texts

    def __len__(self) -> int:
        return len(self.choice)

    def take(self, rows: Indices | Flags | slice) -> PlayLayer:
        return PlayLayer(self.plies, self.choice[rows], self.position[:, rows], self.text[rows])

    @staticmethod
    def join(layers: Sequence[PlayLayer]) -> PlayLayer:
        """Layers of the same number of plies one after the other."""
        return PlayLayer(
            layers[0].plies,
            np.concatenate([layer.choice for layer in layers]),
            np.concatenate([layer.position for layer in layers], axis=1),
            np.concatenate([layer.text for layer in layers]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class LayerStep:
    """A layer after a ply.

    ``suspect`` and ``ended`` (without a suspicion: as promised) mark its plays, shape
    ``(plays,)``.
    """

    layer: PlayLayer
    suspect: Flags
    ended: Flags

    @property
    def running(self) -> Flags:
        return ~(self.suspect | self.ended)


@dataclass(frozen=True, slots=True, eq=False)
class _Ply:
    """A ply's moves: text, bits and grounded action (-1: none) of each, in the order of trying.

    Of the opponent's those for which the layout has no bits are left out; ``unsaid`` are their
    grounded actions.
    """

    variables: Ply
    moves: tuple[LayoutMove, ...]
    names: Texts
    bits: Flags
    columns: Indices
    action: Indices
    unsaid: Indices


class VectorWalk:
    """Steps of plays against one certificate.

    ``reader`` and ``game`` must be those of a problem that :func:`walks` accepts; ``play_engine``
    makes what explains its suspects.
    """

    def __init__(
        self,
        reader: CertificateReader,
        game: TwoPlayerGame | None,
        oracle: SimulationOracle,
        play_engine: Callable[[], PlayEngine],
    ) -> None:
        assert isinstance(reader, SkolemReader), "a Skolem certificate"
        assert isinstance(game, BddlGame), "rules on masks"
        self._make_play_engine = play_engine
        self.layout = reader.layout
        self.player = reader.player
        self.plies = plies_of(reader.layout, game)
        self.knows_legality = reader.knows_legality
        self.rules = ArrayRules(game.grounding)
        self.game = game
        self.reader = reader
        self.oracle = oracle
        self._column = {variable: k for k, variable in enumerate(oracle.opponent)}
        self._places = [
            {v: value for v, value in at.items() if v in self._column} for at in reader.at_places
        ]
        self._ply = cache(self._make_ply)

    @cached_property
    def play_engine(self) -> PlayEngine:
        """The play engine, made when there is a suspect to ask it about."""
        return self._make_play_engine()

    def to_move(self, plies: int) -> Player:
        """Whose turn it is after ``plies`` plies of a play that goes on."""
        return mover_of(self.layout, self.game, plies + 1)

    # -- steps ------------------------------------------------------------------------------

    def start(self) -> LayerStep:
        """A layer with the empty play alone."""
        choice = np.zeros((1, len(self._column)), dtype=np.bool_)
        text = np.asarray([""], dtype=np.object_)
        layer = PlayLayer(0, choice, self.rules.initial, text)
        # A player to move without a legal move has lost.
        mover = self.to_move(0)
        stuck = ~self.rules.can_move(layer.position, mover)
        suspect = self.differs(layer)
        if not self.game.plies:
            suspect[:] = True  # White has held out.
        if mover is Player.BLACK:
            return LayerStep(layer, suspect | stuck, np.zeros(1, dtype=np.bool_))
        ended = stuck & ~suspect
        return LayerStep(layer, suspect, self._as_promised(layer, ended, suspect))

    def restore(self, texts: Sequence[str], plies: int) -> PlayLayer:
        """The beginnings with these moves, all of so many plies.

        Raises ``ValueError`` where a move is none, or is illegal by the rules.
        """
        plays = [text.split() for text in texts]
        if any(len(moves) != plies for moves in plays) or plies > self.game.plies:
            raise ValueError(f"a play has not {plies} plies")
        layer = self.start().layer.take(np.zeros(len(plays), dtype=np.intp))
        for number in range(plies):
            ply = self._ply(number)
            numbers = {name: k for k, name in enumerate(ply.names.tolist())}
            chosen = np.asarray([numbers.get(m[number], -1) for m in plays], dtype=np.intp)
            action = ply.action[chosen]
            legal = self.rules.legal(layer.position, ply.variables.player)
            fine = (chosen >= 0) & (action >= 0)
            fine[fine] = legal[fine, action[fine]]
            if not fine.all():
                row = int(np.flatnonzero(~fine)[0])
                raise ValueError(f"{plays[row][number]} is no legal move at ply {number + 1}")
            player = ply.variables.player
            choice = layer.choice
            if player is Player.WHITE:
                choice = self._with_moves(choice, ply, chosen)
            position = self.rules.after(layer.position, player, action)
            layer = PlayLayer(
                number + 1, choice, position, self._texts(layer.text, ply.names[chosen])
            )
        return layer

    def answer(self, layer: PlayLayer) -> LayerStep:
        """The layer after the certificate's ply."""
        ply = self._ply(layer.plies)
        variables = ply.variables
        stop = variables.stop is not None
        values = unpack(self._ask(layer.choice, [{}], variables.all_variables)[:, 0], len(layer))
        chosen, readable = self._decode(variables, values)
        action = np.where(readable, ply.action[chosen], -1)
        legal = self.rules.legal(layer.position, variables.player)
        possible = action >= 0
        fine = possible.copy()
        fine[possible] = legal[possible, action[possible]]
        # Where there is no legal move the rest of the row means nothing: it is a suspect.
        safe = np.where(fine, action, 0)
        position = layer.position
        if legal.shape[1]:
            position = self.rules.after(layer.position, variables.player, safe)
        after = PlayLayer(
            layer.plies + 1, layer.choice, position, self._texts(layer.text, ply.names[chosen])
        )
        won = self._black_has_won(after)
        suspect = ~fine | self.differs(after)
        if stop:
            suspect |= values[:, -1] & ~won
        if after.plies >= self.game.plies:
            suspect |= ~won
        ended = won & ~suspect
        return LayerStep(after, suspect, self._as_promised(after, ended, suspect))

    def move(self, layer: PlayLayer, rows: Indices, chosen: Indices) -> LayerStep:
        """The plays ``rows`` after the opponent's legal moves ``chosen`` (of :meth:`moves`)."""
        ply = self._ply(layer.plies)
        choice = self._with_moves(layer.choice[rows], ply, chosen)
        position = self.rules.after(
            layer.position[:, rows], ply.variables.player, ply.action[chosen]
        )
        text = self._texts(layer.text[rows], ply.names[chosen])
        after = PlayLayer(layer.plies + 1, choice, position, text)
        # Whatever ends a play here breaks the promise.
        suspect = self.differs(after) | self.rules.wins(position, Player.WHITE)
        if after.plies >= self.game.plies:
            suspect[:] = True
        else:
            suspect |= ~self.rules.can_move(position, Player.BLACK)
        return LayerStep(after, suspect, np.zeros(len(after), dtype=np.bool_))

    def moves(self, plies: int) -> tuple[LayoutMove, ...]:
        """All moves that the opponent can try at its ply."""
        return self._ply(plies).moves

    def legality(self, layer: PlayLayer) -> tuple[Flags, Flags]:
        """The legality of :meth:`moves` by the rules, and whether the formula says the same.

        Shapes ``(plays, moves)`` and ``(plays,)``.  If the formula's answer is unknown, it counts
        as the same, unless the formula has no bits for a legal move.
        """
        ply = self._ply(layer.plies)
        grounded = self.rules.legal(layer.position, ply.variables.player)
        by_rules = np.zeros((len(layer), len(ply.moves)), dtype=np.bool_)
        known = ply.action >= 0
        by_rules[:, known] = grounded[:, ply.action[known]]
        said: Flags = ~np.logical_or.reduce(grounded[:, ply.unsaid], axis=1)
        indicators = ply.variables.indicators
        if indicators is None:
            return by_rules, said
        patterns = [
            dict(zip((self.oracle.opponent[c] for c in ply.columns), row, strict=True))
            for row in ply.bits.tolist()
        ]
        words = np.bitwise_and.reduce(
            self._ask(layer.choice, patterns, indicators.literals), axis=0
        )
        by_formula = unpack(words, len(layer))
        agree: Flags = np.logical_and.reduce(by_formula == by_rules, axis=1) & said
        return by_rules, agree

    # -- the verdict ------------------------------------------------------------------------

    def keeps_promise(self, layer: PlayLayer) -> Flags:
        """True for plays whose verdict is Black's, whatever the symbolic position is."""
        return self._verdict(layer.choice, self.reader.patterns(self._assignment(layer, ())))

    def illegal_keeps_promise(self, layer: PlayLayer, rows: Indices, chosen: Indices) -> Flags:
        """True for plays whose verdict is Black's when illegal moves are let happen."""
        ply = self._ply(layer.plies)
        choice = self._with_moves(layer.choice[rows], ply, chosen)
        own = [self.oracle.opponent[column] for column in ply.columns]
        return self._verdict(choice, self.reader.patterns(self._assignment(layer, own)))

    def can_claim(self, plies: int) -> bool:
        """True if the ply that was made last can claim a goal, with a verdict on it."""
        return self._stop_column(plies) is not None and self.layout.verdict is not None

    def claim_variables(self, layer: PlayLayer) -> list[int]:
        """The columns of the variables by which White names the goal claimed with the last ply."""
        position = set(map(abs, self.layout.state.position))
        rest = self.reader.rest(self._claiming(layer))
        return [self._column[v] for v in rest if v not in position]

    def sampled_claim_refuted(self, layer: PlayLayer, rows: Indices, goals: Flags) -> Flags:
        """True for plays in which the claim with the last ply fails at every square.

        ``goals`` are the values of :meth:`claim_variables`, shape ``(len(rows), variables)``.
        """
        choice = self._claimed(layer)[rows]
        choice[:, self.claim_variables(layer)] = goals
        return self._verdict(choice, self._places)

    def claims_refuted(self, layer: PlayLayer) -> tuple[Flags, bool]:
        """The plays in which all claims with the last ply fail; true if all were tried."""
        assignment = self._claiming(layer)
        patterns = self.reader.patterns(assignment)
        complete = len(patterns) == 1 << len(self.reader.rest(assignment))
        return self._verdict(self._claimed(layer), patterns), complete

    def _stop_column(self, plies: int) -> int | None:
        stop = self.layout.moves[plies - 1].stop
        return None if stop is None else self._column.get(abs(stop))

    def _stop(self, layer: PlayLayer) -> int:
        """The literal by which the last ply claims a goal; there must be one."""
        stop = self.layout.moves[layer.plies - 1].stop
        if stop is None:
            raise ValueError(f"nothing claims a goal with ply {layer.plies}")
        return stop

    def _claimed(self, layer: PlayLayer) -> Flags:
        stop = self._stop(layer)
        choice = layer.choice.copy()
        choice[:, self._column[abs(stop)]] = stop > 0
        return choice

    def _claiming(self, layer: PlayLayer) -> Assignment:
        """An assignment of the layer's that claims a goal with its last ply."""
        stop = self._stop(layer)
        assignment = self._assignment(layer, ())
        return Assignment(assignment.plies, {**assignment.choice, abs(stop): stop > 0})

    def _assignment(self, layer: PlayLayer, more: Sequence[int]) -> Assignment:
        """An assignment that has set the variables that the layer's assignments have."""
        earlier = [abs(v) for ply in self.layout.moves[: layer.plies] for v in ply.all_variables]
        stops = {abs(m.stop): m.stop < 0 for m in self.layout.moves if m.stop is not None}
        own = {v: stops.get(v, False) for v in (*earlier, *more) if v in self._column}
        return Assignment(layer.plies, own)

    def _verdict(self, choice: Flags, patterns: Sequence[Choice]) -> Flags:
        literal = self.layout.verdict
        if literal is None:
            return np.ones(len(choice), dtype=np.bool_)
        words = self._ask(choice, patterns, (literal,), all_patterns=True)
        flags: Flags = unpack(words[0], len(choice))[:, 0]
        return flags

    # -- boards and ends --------------------------------------------------------------------

    def differs(self, layer: PlayLayer) -> Flags:
        """True for plays in which the formula's board is another one than the rules'."""
        board = self.layout.state
        if layer.plies >= len(board.states):
            return np.zeros(len(layer), dtype=np.bool_)
        first, second = self._ask(layer.choice, self._places, board.states[layer.plies])
        occupied = first if board.code is StateCode.OCCUPIED_WHITE else ~first
        by_rules = [pack(flags) for flags in self.rules.occupied_and_white(layer.position)]
        wrong = (occupied ^ by_rules[0]) | (by_rules[0] & (second ^ by_rules[1]))
        flags: Flags = unpack(np.bitwise_or.reduce(wrong, axis=0)[None, :], len(layer))[:, 0]
        return flags

    def _black_has_won(self, layer: PlayLayer) -> Flags:
        won = self.rules.wins(layer.position, Player.BLACK)
        if layer.plies < self.game.plies:
            won |= ~self.rules.can_move(layer.position, Player.WHITE)
        return won

    def _as_promised(self, layer: PlayLayer, ended: Flags, suspect: Flags) -> Flags:
        """True for plays that ended as promised; other ended plays become suspects."""
        if ended.any():
            kept = self.keeps_promise(layer.take(ended))
            suspect[np.flatnonzero(ended)[~kept]] = True
        return ended & ~suspect

    # -- bits -------------------------------------------------------------------------------

    def _make_ply(self, plies: int) -> _Ply:
        variables = self.layout.moves[plies]
        code, player = self.reader.code, variables.player
        on_board = code.moves(plies + 1)
        if player is not self.player:
            on_board = [move for move in on_board if code.can_say(plies + 1, move)]
        moves = (*on_board, *code.no_moves(plies + 1))
        encoded = [code.encode(plies + 1, move) for move in moves]
        own = [v for v in encoded[0] if v in self._column]
        if variables.stop is not None and abs(variables.stop) in self._column:
            own.append(abs(variables.stop))
            for values in encoded:
                values[abs(variables.stop)] = variables.stop < 0
        bits = [[values[v] for v in own] for values in encoded]
        grounded = {
            str(self.game.move_table[player][action.number]): k
            for k, action in enumerate(self.game.grounding.actions[player])
        }
        known = {str(move) for move in on_board}
        unsaid = [number for text, number in grounded.items() if text not in known]
        return _Ply(
            variables,
            moves,
            np.asarray([str(move) for move in moves], dtype=np.object_),
            np.asarray(bits, dtype=np.bool_).reshape(len(moves), len(own)),
            np.asarray([self._column[v] for v in own], dtype=np.intp),
            np.asarray([grounded.get(str(move), -1) for move in moves], dtype=np.intp),
            np.asarray(unsaid, dtype=np.intp),
        )

    def _decode(self, variables: Ply, values: Flags) -> tuple[Indices, Flags]:
        """The move of each row of move bits, as its number, and whether it is one."""
        actions, width, height = (own.size for own in variables.coding.numbers)
        at, numbers = 0, []
        for own in variables.coding.numbers:
            weights = 1 << np.arange(len(own.bits) - 1, -1, -1, dtype=np.intp)
            number = values[:, at : at + len(own.bits)] @ weights
            numbers.append(np.zeros_like(number) if own.size == 1 else number)
            at += len(own.bits)
        action, x, y = numbers
        readable: Flags = (action < actions) & (x < width) & (y < height)
        chosen: Indices = np.where(readable, (action * height + y) * width + x, 0)
        return chosen, readable

    def _with_moves(self, choice: Flags, ply: _Ply, chosen: Indices) -> Flags:
        choice = choice.copy()
        choice[:, ply.columns] = ply.bits[chosen]
        return choice

    @staticmethod
    def _texts(before: Texts, moves: Texts) -> Texts:
        joined: Texts = before + (moves if before[:1].tolist() == [""] else " " + moves)
        return joined

    def _ask(
        self,
        choice: Flags,
        patterns: Sequence[Mapping[int, bool]],
        literals: Sequence[int],
        *,
        all_patterns: bool = False,
    ) -> Words:
        """The values of signed literals, packed: shape ``(literals, patterns, words)``.

        Each play is asked about under each of ``patterns``, which set the same variables.  With
        ``all_patterns`` the result has one row for all of them: whether all are true.
        """
        plays = pack(choice)
        words = plays.shape[1]
        names = list(dict.fromkeys(abs(literal) for literal in literals))
        rows = [names.index(abs(literal)) for literal in literals]
        signs = np.asarray([_ALL if x < 0 else np.uint64(0) for x in literals], dtype=np.uint64)
        step = max(1, _QUESTION_WORDS // max(1, words))
        results = []
        for first in range(0, len(patterns), step):
            part = patterns[first : first + step]
            inputs = np.tile(plays, len(part)).reshape(len(plays), len(part), words)
            for variable in part[0]:
                column = np.asarray([pattern[variable] for pattern in part])
                inputs[self._column[variable]] = np.where(column, _ALL, np.uint64(0))[:, None]
            answers = self.oracle.run(inputs.reshape(len(plays), len(part) * words), names)
            found = answers.reshape(len(names), len(part), words)[rows] ^ signs[:, None, None]
            if all_patterns:
                found = np.bitwise_and.reduce(found, axis=1)[:, None, :]
            results.append(found)
        result: Words = np.concatenate(results, axis=1)
        if all_patterns:
            result = np.bitwise_and.reduce(result, axis=1)[:, None, :]
        return result


def walks(problem: Problem) -> TypeGuard[BoardProblem]:
    """True if plays of ``problem`` can go on arrays: boards, rules, a Skolem circuit.

    Assertions are looked at play by play.
    """
    return (
        isinstance(problem, BoardProblem)
        and not problem.assertions
        and isinstance(problem.game, BddlGame)
        and bool(problem.layout.moves)
        # A formula may leave out White's last plies.
        and problem.game.plies <= len(problem.layout.moves)
        and isinstance(problem.certificate, CircuitCertificate)
        and problem.certificate.kind is CertificateKind.SKOLEM
        and problem.files.engine is not OracleKind.SAT
    )


def vector_walk(problem: BoardProblem) -> VectorWalk:
    """The walk of a problem that :func:`walks` accepts."""
    oracle = problem.oracle(OracleKind.SIMULATION)
    assert isinstance(oracle, SimulationOracle), "a circuit is simulated"
    reader = open_reader(problem, oracle)
    return VectorWalk(reader, problem.game, oracle, lambda: open_play_engine(problem, oracle))


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

    plies: int
    batch: int
    merges: bool

    @property
    @abstractmethod
    def play_engine(self) -> PlayEngine:
        """The play engine of these plays; ``plies`` are the most that one of them has."""

    @abstractmethod
    def replies_at(self, ply: int) -> bool:
        """True if a ply (from 1) is one of the certificate's side."""

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
    from qsage_validate.arena.watch import broken_by

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
_ALL_ONES: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


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
        values = list(product((np.uint64(0), _ALL_ONES), repeat=len(self._position)))
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
