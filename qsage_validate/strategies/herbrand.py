"""Plays of a Herbrand certificate, loaded for these alone: all existentials are the opponent's.

What else Black decides follows from the moves through the matrix.  Where the formula tells a
board, its states and indicators are found by SAT on the matrix unfolded over the squares; else
only that much is read as the moves and the certificate determine gate by gate, in three values.

Black owns every existential variable in these plays: not only the moves but also the state
variables and the indicators, which follow from the moves.  An :class:`Unfolding` computes them by a
SAT solver, on those constraints of the matrix that speak about the plies made so far: one copy for
each square of the symbolic position, with the variables left of it shared.

Many at once take two rails: for each literal a wire that says "is true", while that of its
negation says "is false".  Both are gates of one graph, which is simulated 64 assignments a word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from itertools import count
from typing import Final, Protocol

import numpy as np

from qsage_validate.certificates.oracle import Oracle, ask
from qsage_validate.certificates.parts import variables_read
from qsage_validate.certificates.sat_oracle import LazyCircuit
from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier
from qsage_validate.circuit.sat import Solver
from qsage_validate.circuit.simulate import GraphSimulator, pack, unpack
from qsage_validate.encodings.layout import Layout, Ply
from qsage_validate.formats.grid_names import named_cell
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.strategies.reader import (
    Assignment,
    BoardReading,
    CertificateReader,
    LayoutMove,
    Legality,
    RandomNumbers,
    SquareOf,
    SquareXY,
    StrategyAnswer,
    VerdictReading,
)

# Three-valued evaluation of a matrix (Kleene's logic): under one partial assignment, or many


_MAX_SIMULATORS: Final = 64


class PartialSimulator:
    """Evaluates literals of a formula, as ``evaluate_partially`` does one assignment.

    The graph is made once, and simulators are kept for what was asked lately.
    """

    def __init__(self, qbf: Qbf) -> None:
        self._rails = _Rails(qbf)
        self._simulators: dict[tuple[int, ...], GraphSimulator] = {}

    def run(
        self, assignments: Sequence[Mapping[int, bool]], literals: Sequence[int]
    ) -> list[tuple[bool | None, ...]]:
        """For each partial assignment the values of ``literals``, in their order.

        Literals of variables that the formula does not have are never determined; values of
        gates are not taken from assignments.
        """
        variables = self._rails.inputs
        given = np.zeros((len(assignments), 2 * len(variables)), dtype=np.bool_)
        for row, assignment in enumerate(assignments):
            for column, variable in enumerate(variables):
                value = assignment.get(variable)
                if value is not None:
                    given[row, 2 * column + (not value)] = True
        words = self._simulator(tuple(literals)).run(pack(given))
        found = unpack(words, len(assignments))
        true, false = found[:, ::2].tolist(), found[:, 1::2].tolist()
        return [
            tuple(True if t else False if f else None for t, f in zip(ts, fs, strict=True))
            for ts, fs in zip(true, false, strict=True)
        ]

    def _simulator(self, literals: tuple[int, ...]) -> GraphSimulator:
        simulator = self._simulators.get(literals)
        if simulator is None:
            rails = self._rails
            wires = [wire for x in literals for wire in (rails.true(x), rails.true(-x))]
            simulator = GraphSimulator(*rails.builder.build(wires))
            if len(self._simulators) >= _MAX_SIMULATORS:
                del self._simulators[next(iter(self._simulators))]
            self._simulators[literals] = simulator
        return simulator


class _Rails:
    """The graph; ``inputs`` are the formula's variables in the order of their pairs of wires."""

    def __init__(self, qbf: Qbf) -> None:
        self.builder = AigBuilder()
        self.inputs: dict[int, tuple[int, int]] = {}
        for variable in qbf.quantifiers():
            self.inputs[variable] = self.builder.input(), self.builder.input()
        self._wires = dict(self.inputs)
        for variable, gate in qbf.gates.items():
            self._wires[variable] = self._gate(gate)

    def true(self, literal: int) -> int:
        """The wire that says that a literal is true; constant false for an unknown variable."""
        wires = self._wires.get(abs(literal))
        return FALSE if wires is None else wires[literal < 0]

    def _gate(self, gate: Gate) -> tuple[int, int]:
        inputs = gate.inputs
        match gate.connective:
            case Connective.AND:
                return self._all(inputs), self._any(-x for x in inputs)
            case Connective.OR:
                return self._any(inputs), self._all(-x for x in inputs)
            case Connective.XOR:
                a, b = inputs
                same = self._either((a, b), (-a, -b))
                return self._either((a, -b), (-a, b)), same
            case Connective.ITE:
                c, a, b = inputs
                # Where the condition is not known, both branches may still agree.
                return (
                    self._either((c, a), (-c, b), (a, b)),
                    self._either((c, -a), (-c, -b), (-a, -b)),
                )

    def _all(self, literals: Iterable[int]) -> int:
        return self.builder.and_all([self.true(x) for x in literals])

    def _any(self, literals: Iterable[int]) -> int:
        return self.builder.or_all([self.true(x) for x in literals])

    def _either(self, *cubes: tuple[int, int]) -> int:
        return self.builder.or_all([self._all(cube) for cube in cubes])


Values = dict[int, bool | None]


def evaluate_partially(
    qbf: Qbf, assignment: Mapping[int, bool], *, constants: bool = True
) -> Values:
    """The values of all variables and gates under a partial assignment (Kleene's logic).

    A value that the assignment does not determine is ``None``; variables without a value are left
    out. Without ``constants`` the empty gates are not determined either: then nothing is false
    because of a goal that can never hold.
    """
    values: Values = dict(assignment)
    for variable, gate in qbf.gates.items():
        values[variable] = _gate_value(gate, values) if gate.inputs or constants else None
    return values


def literal_value(values: Mapping[int, bool | None], literal: int) -> bool | None:
    """The value of a signed literal; ``None`` when it is not determined."""
    value = values.get(abs(literal))
    return None if value is None else value != (literal < 0)


def _gate_value(gate: Gate, values: Mapping[int, bool | None]) -> bool | None:
    bits = [literal_value(values, literal) for literal in gate.inputs]
    match gate.connective:
        case Connective.AND:
            return False if False in bits else None if None in bits else True
        case Connective.OR:
            return True if True in bits else None if None in bits else False
        case Connective.XOR:
            a, b = bits
            return None if a is None or b is None else a != b
        case Connective.ITE:
            condition, then, otherwise = bits
            if condition is None:
                return then if then == otherwise else None
            return then if condition else otherwise


def requirements(qbf: Qbf, values: Mapping[int, bool | None], root: int) -> Iterator[int]:
    """The literals that must be true for ``root`` to be true, given partial ``values``.

    Conjunctions are taken apart, and so are disjunctions of which one part only can still be
    true; every other literal is yielded as it is, false ones too, each once.  Constants are
    left out.
    """
    pending, seen = [root], {root}
    while pending:
        literal = pending.pop()
        gate = qbf.gates.get(abs(literal))
        parts = None if gate is None else _parts(gate, literal, values)
        if parts is None:
            yield literal
            continue
        for part in reversed(parts):
            if part not in seen:
                seen.add(part)
                pending.append(part)


def _parts(gate: Gate, literal: int, values: Mapping[int, bool | None]) -> list[int] | None:
    """The inputs that a required gate needs to be true; ``None`` when it cannot be split."""
    inputs = list(gate.inputs)
    if literal < 0:
        if gate.connective not in (Connective.AND, Connective.OR):
            return None
        inputs = [-x for x in inputs]
    if not inputs:
        return []
    if (gate.connective is Connective.AND) == (literal > 0) and gate.connective in (
        Connective.AND,
        Connective.OR,
    ):
        return inputs
    if gate.connective is Connective.ITE:
        condition = literal_value(values, inputs[0])
        return None if condition is None else [inputs[1] if condition else inputs[2]]
    if gate.connective is Connective.XOR:
        return None
    known = [literal_value(values, x) for x in inputs]
    if True in known:
        return []
    open_inputs = [x for x, value in zip(inputs, known, strict=True) if value is None]
    return open_inputs if len(open_inputs) == 1 else None


# Reads plays of a Herbrand certificate: it plays White, all existentials are the opponent's


# Lines of which the constraints are kept.
_KEPT_LINES = 10_000


class Unfolding:
    """Computes what follows from the moves of a play: boards, indicators, legality."""

    def __init__(self, qbf: Qbf, layout: Layout) -> None:
        self.qbf = qbf
        self.layout = layout
        self._squares = layout.state.squares
        self._places = layout.state.at_places
        self._constraints = PlyConstraints(qbf, layout)
        self._shared = _left_of_board(qbf, layout)
        self._stride = qbf.max_variable + 1
        self._solver = Solver(name="glucose4", bootstrap_with=self._clauses())
        self._found: dict[frozenset[tuple[int, bool]], list[tuple[int, int]]] = {}

    # -- the clauses ------------------------------------------------------------------------

    def _literal(self, copy: int, literal: int) -> int:
        """A literal of the matrix as a literal of copy ``copy`` (from 0)."""
        variable = abs(literal)
        if variable not in self._shared:
            variable += (copy + 1) * self._stride
        return variable if literal > 0 else -variable

    def _clauses(self) -> list[list[int]]:
        plain = list(self.qbf.clauses())
        clauses = []
        for copy, place in enumerate(self._places):
            clauses += [[self._literal(copy, v) for v in clause] for clause in plain]
            for variable, value in place.items():
                if variable not in self._shared:
                    here = self._literal(copy, variable)
                    clauses.append([here if value else -here])
        return clauses

    def _constraints_after(self, known: Mapping[int, bool]) -> list[tuple[int, int]]:
        key = frozenset(known.items())
        found = self._found.get(key)
        if found is None:
            if len(self._found) > _KEPT_LINES:
                self._found.clear()
            found = self._found[key] = self._constraints.after(known)
        return found

    def _required(self, known: Mapping[int, bool], level: int) -> list[int]:
        """Assumptions: the constraints up to ``level`` on every square, under ``known``."""
        return [
            self._literal(copy, literal)
            for own, literal in self._constraints_after(known)
            if own <= level
            for copy in range(len(self._squares))
        ]

    def _assume(self, known: Mapping[int, bool]) -> list[int]:
        return [
            self._literal(0, v) if value else -self._literal(0, v) for v, value in known.items()
        ]

    # -- questions --------------------------------------------------------------------------

    def _determine(self, assumptions: list[int], wanted: Sequence[int]) -> dict[int, bool] | None:
        """Values of solver variables: the implied ones, else false where that is possible.

        Hence the same question always has the same answer.  ``None`` when the assumptions
        contradict each other.
        """
        if not self._solver.solve(assumptions=assumptions):
            return None
        _, implied = self._solver.propagate(assumptions=assumptions)
        fixed = {abs(literal): literal > 0 for literal in (*implied, *assumptions)}
        chosen: list[int] = []
        for variable in wanted:
            if variable not in fixed:
                possible = self._solver.solve(assumptions=[*assumptions, *chosen, -variable])
                chosen.append(-variable if possible else variable)
                fixed[variable] = not possible
        return {variable: fixed[variable] for variable in wanted}

    def follow(self, known: Mapping[int, bool], ply: int) -> dict[int, bool]:
        """The values of the indicators of ply ``ply``, which was just made.

        False for all of them when the play has broken the constraints before.
        """
        wanted = {self._literal(0, v): v for v in self._constraints.followers(ply)}
        if not wanted:
            return {}
        assumptions = self._assume(known) + self._required(known, ply)
        values = self._determine(assumptions, list(wanted)) or {}
        return {v: values.get(variable, False) for variable, v in wanted.items()}

    def states(self, known: Mapping[int, bool], plies: int) -> list[tuple[bool, bool]] | None:
        """The two state variables on every square, row by row, after ``plies`` plies.

        ``None`` when nothing is consistent with the moves (an illegal move was made), or when
        the formula says nothing about this state.
        """
        found = self._constraints_after(known)
        if not any(own <= plies and self._constraints.reads_state(v, plies) for own, v in found):
            return None
        state = self.layout.state.states[plies]
        copies = range(len(self._squares))
        wanted = [abs(self._literal(copy, v)) for copy in copies for v in state]
        assumptions = self._assume(known) + self._required(known, plies)
        values = self._determine(assumptions, wanted)
        if values is None:
            return None
        bits = [values[abs(self._literal(copy, v))] != (v < 0) for copy in copies for v in state]
        return list(zip(bits[::2], bits[1::2], strict=True))

    def constrains(self, known: Mapping[int, bool], ply: int) -> bool:
        """True if the formula says anything about ply ``ply`` after ``known``.

        A last move that cannot reach a goal any more is often left out of a formula.
        """
        return any(own == ply for own, _ in self._constraints_after(known))

    def objections(
        self, known: Mapping[int, bool], move: Mapping[int, bool], ply: int
    ) -> dict[int, tuple[SquareXY, ...]] | None:
        """The constraints that break if ``move`` is ply ``ply`` after ``known``.

        They are literals of the matrix, each with the symbolic squares at which it breaks;
        ``None`` when the move is legal.
        """
        assumed = self._assume(known) + self._assume(move)
        if self._solver.solve(assumptions=assumed + self._required(known, ply)):
            return None
        before = assumed + self._required(known, ply - 1)
        broken = self._broken(before, self._parts({**known, **move}, known, ply))
        result: dict[int, tuple[SquareXY, ...]] = {}
        for copy, literal in broken:
            here = () if abs(literal) in self._shared else (self._squares[copy],)
            result[literal] = (*result.get(literal, ()), *here)
        return result

    def _parts(
        self, values: Mapping[int, bool], known: Mapping[int, bool], ply: int
    ) -> list[tuple[int, int]]:
        """The constraints of one ply on every square, taken apart, as (copy, literal)."""
        whole = [literal for own, literal in self._constraints_after(known) if own == ply]
        parts = [part for literal in whole for part in self._constraints.parts(literal, values)]
        return [(copy, part) for part in parts for copy in range(len(self._squares))]

    def _broken(self, before: list[int], parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """One part that cannot hold, where one alone is to blame, else a core of them."""
        literals = {self._literal(*part): part for part in parts}
        if self._solver.solve(assumptions=[*before, *literals]):
            return parts
        core = set(self._solver.get_core() or ())
        blamed = [literal for literal in literals if literal in core]
        for literal in blamed:
            if not self._solver.solve(assumptions=[*before, literal]):
                return [literals[literal]]
        return [literals[literal] for literal in blamed]

    def literals_at(
        self, known: Mapping[int, bool], plies: int, wanted: Sequence[int]
    ) -> dict[int, tuple[bool | None, ...]]:
        """Literals of the matrix on every square, as far as ``plies`` plies determine them."""
        boards: list[Values] = []
        last = min(plies + 1, len(self.layout.state.states))
        states = [self.states(known, number) for number in range(last)]
        for copy, place in enumerate(self._places):
            values = {**known, **place}
            for literals, here in zip(self.layout.state.states, states, strict=False):
                if here is not None:
                    for literal, value in zip(literals, here[copy], strict=True):
                        values[abs(literal)] = value != (literal < 0)
            boards.append(evaluate_partially(self.qbf, values))
        return {v: tuple(literal_value(values, v) for values in boards) for v in wanted}


def _left_of_board(qbf: Qbf, layout: Layout) -> frozenset[int]:
    """The variables left of the symbolic position: they have one value for all squares."""
    levels, quantifiers = qbf.levels(), qbf.quantifiers()
    position = set(map(abs, layout.state.position))
    symbolic = {v for v in position if quantifiers[v] is Quantifier.FORALL}
    first = min((levels[v] for v in symbolic), default=len(levels))
    return frozenset(v for v, level in levels.items() if level <= first and v not in symbolic)


_NEVER: Final = 1 << 30


class PlyConstraints:
    """The constraints of a play, ply by ply; level 0 is the initial state.

    An encoding that names its gates says itself which they are (``initial state``, ``black 1
    move``, ``white 2 indicators``, ``white 2 legal``, ``white 2 move``).  In other formulas they
    are found in the matrix: what must be true for the output to be true, given the moves so far.
    Goals are left out, because a play that Black loses breaks them and is still to be shown.
    """

    def __init__(self, qbf: Qbf, layout: Layout) -> None:
        self.qbf = qbf
        self.layout = layout
        self._followers = _followers(qbf, layout)
        self._measure()

    def followers(self, ply: int) -> tuple[int, ...]:
        """The existentials that follow from ply ``ply`` (its indicators), in prefix order."""
        return self._followers.get(ply, ())

    def reads_state(self, literal: int, number: int) -> bool:
        """True if a literal depends on state ``number``."""
        return bool(self._states[abs(literal)] >> number & 1)

    def after(self, known: Mapping[int, bool]) -> list[tuple[int, int]]:
        """The constraints when the plies in ``known`` were made, as (level, literal).

        Those of the plies to come are among them as far as they are already certain: the next
        ply's are.
        """
        if "initial state" in self.layout.gates:
            return list(self._named(known))
        values = evaluate_partially(self.qbf, known, constants=False)
        return [
            (self._level[abs(literal)], literal)
            for literal in requirements(self.qbf, values, self.qbf.output)
            if self._level[abs(literal)] == 0 or self._reads_move[abs(literal)]
        ]

    def parts(self, literal: int, known: Mapping[int, bool]) -> list[int]:
        """The smallest constraints that a constraint comes down to, given ``known``."""
        values = evaluate_partially(self.qbf, known, constants=False)
        return [
            part
            for part in requirements(self.qbf, values, literal)
            if literal_value(values, part) is not True
        ]

    def _named(self, known: Mapping[int, bool]) -> Iterator[tuple[int, int]]:
        gates = self.layout.gates
        values = evaluate_partially(self.qbf, known)
        yield 0, gates["initial state"]
        for move in self.layout.moves:
            prefix = f"{move.player.value} {move.ply}"
            legal = gates.get(f"{prefix} legal")
            if f"{prefix} indicators" in gates:
                yield move.ply, gates[f"{prefix} indicators"]
            # A White move has its effects only when it is legal.
            if f"{prefix} move" in gates and (legal is None or literal_value(values, legal)):
                yield move.ply, gates[f"{prefix} move"]

    def _measure(self) -> None:
        """Store the level of each variable and gate, the states it reads, and if it reads moves.

        Variables and gates of goals belong to no level (``_NEVER``).
        """
        level = dict.fromkeys(self.qbf.quantifiers(), _NEVER)
        states = dict.fromkeys(level, 0)
        moves: set[int] = set()
        for literal in (*self.layout.state.x, *self.layout.state.y):
            level[abs(literal)] = 0
        for number, state in enumerate(self.layout.state.states):
            for literal in state:
                level[abs(literal)] = number
                states[abs(literal)] = 1 << number
        for move in self.layout.moves:
            own = _variables(move) | set(self.followers(move.ply))
            level.update(dict.fromkeys(own, move.ply))
            moves |= own
        reads = {variable: variable in moves for variable in level}
        for variable, gate in self.qbf.gates.items():
            inputs = [abs(literal) for literal in gate.inputs]
            level[variable] = max((level[v] for v in inputs), default=0)
            reads[variable] = any(reads[v] for v in inputs)
            mask = 0
            for v in inputs:
                mask |= states[v]
            states[variable] = mask
        self._level, self._states, self._reads_move = level, states, reads


def _followers(qbf: Qbf, layout: Layout) -> dict[int, tuple[int, ...]]:
    """The variables of each White ply beside its move, in the order of the prefix.

    They are those that the layout calls indicators, and all other existentials between the
    variables of the ply before and those of the ply after it (action bits that mean nothing,
    game-stop variables that the layout does not know).
    """
    order = {v: k for k, v in enumerate(v for s in qbf.scopes for v in s.variables)}
    existentials = set(qbf.variables(Quantifier.EXISTS))
    # A layout may name gates where it should name variables: these stand nowhere.
    own = {m.ply: _variables(m) & order.keys() for m in layout.moves}
    state, goals = layout.state, layout.goals
    claimed = (v for field in fields(goals) for v in getattr(goals, field.name))
    rest = order.keys() & map(abs, (*state.position, *state.literals, *claimed))
    taken = frozenset().union(*own.values(), rest)
    named = {m.ply: frozenset(map(abs, m.says_legal)) - taken for m in layout.moves}
    result: dict[int, tuple[int, ...]] = {}
    for move in layout.moves:
        if move.player is not Player.WHITE:
            continue
        before = max((order[v] for v in own.get(move.ply - 1, ())), default=-1)
        after = own.get(move.ply + 1) or rest
        end = min((order[v] for v in after if order[v] > before), default=-1)
        result[move.ply] = tuple(
            v
            for v, k in order.items()
            if v in named.get(move.ply, ())
            or (before < k < end and v in existentials and v not in taken)
        )
    return result


def _variables(move: Ply) -> frozenset[int]:
    return frozenset(map(abs, move.all_variables))


# So many values of Black's are named in a verdict where a layout does not know what they mean.
_NAMED = 8


class HerbrandReader(CertificateReader):
    """White's replies as the Herbrand functions give them; the rest follows from the moves.

    Where a solver's functions read a position of Black's, it is what the rules say.
    """

    def __init__(
        self,
        certificate: CircuitCertificate,
        qbf: Qbf,
        layout: Layout,
        oracle: Oracle,
        square_of: SquareOf = named_cell,
        *,
        refuter: Refutes | None = None,
    ) -> None:
        """``refuter`` gives verdicts; by default they follow from the certificate's functions."""
        super().__init__(layout, Player.WHITE, oracle, square_of)
        self.qbf = qbf
        self._certificate = certificate
        self._given = refuter
        self._following: _Following = (
            _Unfolded(self) if layout.state.is_board else _Determined(self)
        )
        read = variables_read(certificate)
        # By time: the literals of atoms that Black decides and White's functions read.
        state = layout.state
        self._told = [
            [(atom, x) for atom, x in zip(state.kinds, row, strict=False) if abs(x) in read]
            for row in (state.states if state.lists_atoms else ())
        ]

    @property
    def reads_atoms(self) -> bool:
        return any(self._told)

    def with_atoms(self, play: Assignment, true: Collection[str]) -> Assignment:
        told = self._told[play.plies] if play.plies < len(self._told) else ()
        values = {abs(x): (atom in true) == (x > 0) for atom, x in told}
        return replace(play, choice={**play.choice, **values}) if values else play

    def with_answer(self, play: Assignment, answer: StrategyAnswer) -> Assignment:
        """The play after White's ply, with the indicators that follow from it."""
        after = super().with_answer(play, answer)
        follow = self._following.indicators(after)
        return replace(after, choice={**after.choice, **follow}) if follow else after

    @property
    def knows_legality(self) -> bool:
        return self._following.knows_legality

    def boards(self, plays: Sequence[Assignment], wanted: Sequence[int] = ()) -> list[BoardReading]:
        return self._following.boards(plays, wanted) if plays else []

    def legality(
        self, plays: Sequence[Assignment], moves: Sequence[LayoutMove]
    ) -> list[list[Legality | None] | None]:
        return [self._following.legality(play, moves) for play in plays]

    # -- the verdict ------------------------------------------------------------------------

    @cached_property
    def _refuter(self) -> Refutes:
        return self._given or Refuter(self._certificate, self.qbf)

    def verdicts(self, plays: Sequence[Assignment]) -> list[VerdictReading]:
        """The verdicts, by one SAT call for each different play."""
        found = {play.key: play for play in plays}
        readings = {key: self._verdict(play) for key, play in found.items()}
        return [readings[play.key] for play in plays]

    def sample_verdicts(
        self, plays: Sequence[Assignment], generators: Sequence[RandomNumbers]
    ) -> list[VerdictReading]:
        """The exact verdicts, which are cheap here."""
        return self.verdicts(plays)

    def _verdict(self, play: Assignment) -> VerdictReading:
        """False is what the certificate promised: no values of Black's make the matrix true."""
        fixed = self._following.fixed(play)
        found = self._refuter.refutation(fixed, play.reply)
        if found is None:
            return VerdictReading(False, self._following.refuted(play))
        free = [v for v in found if v not in fixed and v not in self._following.shown]
        named = free if self.layout.state.is_board else free[:_NAMED]
        values = ", ".join(f"{self.qbf.name(v)} = {int(found[v])}" for v in named)
        more = ", …" if len(free) > len(named) else ""
        return VerdictReading(True, f"with {values}{more}" if values else "")


class _Following(ABC):
    """The consequences of the moves of a play; ``shown`` are variables that a board shows."""

    shown: frozenset[int] = frozenset()

    def __init__(self, reader: HerbrandReader) -> None:
        self.reader = reader
        self.layout = reader.layout

    @property
    @abstractmethod
    def knows_legality(self) -> bool:
        """True if it is known which moves of Black's are legal."""

    def indicators(self, play: Assignment) -> dict[int, bool]:
        """The variables of Black's that follow from White's ply, which was just made."""
        return {}

    @abstractmethod
    def legality(
        self, play: Assignment, moves: Sequence[LayoutMove]
    ) -> list[Legality | None] | None:
        """The formula's legality of moves of Black's, in the form of the reader's ``legality``."""

    @abstractmethod
    def boards(self, plays: Sequence[Assignment], wanted: Sequence[int]) -> list[BoardReading]:
        """The positions, and the literals ``wanted`` at every place."""

    @abstractmethod
    def fixed(self, play: Assignment) -> Mapping[int, bool]:
        """The values of Black's that a verdict takes as given."""

    @abstractmethod
    def refuted(self, play: Assignment) -> str:
        """The reason why the matrix is false."""


class _Unfolded(_Following):
    """Consequences by SAT: the constraints of the plies imply states, indicators, objections."""

    knows_legality = True

    def __init__(self, reader: HerbrandReader) -> None:
        super().__init__(reader)
        self._unfolding = Unfolding(reader.qbf, self.layout)
        self.shown = frozenset(map(abs, self.layout.state.literals))

    def indicators(self, play: Assignment) -> dict[int, bool]:
        return self._unfolding.follow(_known(play), play.plies)

    def boards(self, plays: Sequence[Assignment], wanted: Sequence[int]) -> list[BoardReading]:
        return [self._board(play, wanted) for play in plays]

    def _board(self, play: Assignment, wanted: Sequence[int]) -> BoardReading:
        states = self._unfolding.states(_known(play), play.plies)
        at = self._unfolding.literals_at(_known(play), play.plies, wanted) if wanted else {}
        kinds = () if states is None else self.layout.state.kinds
        return self.reader.reading(kinds, list(zip(*(states or ()), strict=True)), at)

    def legality(
        self, play: Assignment, moves: Sequence[LayoutMove]
    ) -> list[Legality | None] | None:
        if not self._unfolding.constrains(_known(play), play.plies + 1):
            return None
        return [self._legality(play, move) for move in moves]

    def _legality(self, play: Assignment, move: LayoutMove) -> Legality:
        after = self.reader.with_move(play, move)
        own = {v: value for v, value in after.choice.items() if v not in play.choice}
        objections = self._unfolding.objections(_known(play), own, after.plies)
        if objections is None:
            return Legality(True)
        return Legality(False, tuple(objections), objections)

    def fixed(self, play: Assignment) -> Mapping[int, bool]:
        """The moves and claims alone.

        Indicators, goals and state variables, and whatever a play that ended early left open,
        are looked for.
        """
        earlier = {abs(v) for ply in self.layout.moves[: play.plies] for v in ply.all_variables}
        return {v: value for v, value in play.choice.items() if v in earlier}

    def refuted(self, play: Assignment) -> str:
        state, reader = self.layout.state, self.reader
        universal = [abs(v) for v in state.position if abs(v) not in reader.opponent]
        row = ask(reader.oracle, [play.choice], universal)[0].tolist()
        x, y = (axis.read(dict(zip(universal, row, strict=True))) + 1 for axis in state.axes)
        return f"at the symbolic square ({x},{y}), whatever values Black's variables take"


class _Determined(_Following):
    """Consequences by simulation in three values; of legality nothing is known.

    The cause of a false matrix is unknown: a move of Black's, or a later choice.
    """

    knows_legality = False

    @cached_property
    def _matrix(self) -> PartialSimulator:
        return PartialSimulator(self.reader.qbf)

    def boards(self, plays: Sequence[Assignment], wanted: Sequence[int]) -> list[BoardReading]:
        kinds = self.reader.state(plays[0].plies)
        places = self.layout.state.at_places
        known = [{**_known(play), **at} for play in plays for at in places]
        rows = self._matrix.run(known, [*kinds.values(), *wanted])
        return self.reader.readings(list(kinds), wanted, rows)

    def legality(self, play: Assignment, moves: Sequence[LayoutMove]) -> None:
        return None

    def fixed(self, play: Assignment) -> Mapping[int, bool]:
        return play.choice

    def refuted(self, play: Assignment) -> str:
        return "whatever values Black's other variables take"


def _known(play: Assignment) -> dict[int, bool]:
    return {**play.choice, **play.reply}


# Refutation of a certificate in a play: one SAT call finds a win of the opponent's, or none


class Refutes(Protocol):
    """Says whether the opponent can still win."""

    def refutation(
        self, fixed: Mapping[int, bool], reply: Mapping[int, bool]
    ) -> dict[int, bool] | None:
        """Values of the opponent's variables, ``fixed`` among them, that win; ``None``: none do.

        ``reply`` are the answers that were given to what is fixed.
        """
        ...


class Refuter:
    """Looks for values of the opponent's variables that break the certificate's promise.

    Against a Skolem certificate these make the matrix false, against a Herbrand certificate
    they make it true.
    """

    def __init__(self, certificate: CircuitCertificate, formula: Qbf) -> None:
        """Compose certificate and matrix into one circuit and hand it to a SAT solver."""
        from qsage_validate.kernel.composition import compose

        composition = compose(certificate, formula)
        aig, (output,) = composition.builder.build([composition.matrix])
        self._solver = Solver(name="glucose4")
        fresh = count(1)
        self._number = {variable: next(fresh) for variable in composition.opponent}
        false = next(fresh)
        self._solver.add_clause([-false])
        circuit = LazyCircuit(aig, list(self._number.values()), false, self._solver, fresh)
        (matrix,) = circuit.load([output])
        self._broken = -matrix if certificate.kind is CertificateKind.SKOLEM else matrix

    def refutation(
        self, fixed: Mapping[int, bool], reply: Mapping[int, bool]
    ) -> dict[int, bool] | None:
        """Values of all of the opponent's variables, ``fixed`` among them, that win.

        ``None`` when there are none: the certificate wins every play that begins so.  Its
        functions give the replies, so that those in ``reply`` are not looked at.
        """
        number = self._number
        assumptions = [number[v] if value else -number[v] for v, value in fixed.items()]
        if not self._solver.solve(assumptions=[*assumptions, self._broken]):
            return None
        true = {literal for literal in self._solver.get_model() or () if literal > 0}
        return {variable: k in true for variable, k in number.items()}


def no_unfolding(formula: Qbf | None, layout: Layout) -> str | None:
    """The reason why no board can show the plays of a Herbrand certificate; ``None`` if it can.

    State variables and indicators are Black's there and follow from the matrix's circuit: in
    clausal form it is lost in Tseitin variables, existentials that no layout knows.
    """
    if formula is None:
        return "a Herbrand certificate needs the formula"
    if not layout.state.is_board:
        return None  # the board is the rules' there
    levels = formula.levels()
    position = map(abs, layout.state.position)
    first = max((levels[v] for v in position if v in levels), default=-1)
    states = set(map(abs, layout.state.literals))
    used = {abs(x) for gate in formula.gates.values() for x in gate.inputs}
    extra = [
        v
        for v in formula.variables(Quantifier.EXISTS)
        if levels[v] > first and v not in states and v in used
    ]
    return None if not extra else "a Herbrand certificate needs the formula as a circuit (QCIR)"
