"""Compiles a winning plan into a certificate for the lifted encoding.

The plan's decisions become circuits over the opponent's move bits (``decisions.py``); all other
variables that the certificate decides follow from the moves (``encodings/lifted_definitions``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from qsage_validate.certificates.checker.check import Lemma, LemmaStep
from qsage_validate.certificates.compile.decisions import Decisions
from qsage_validate.certificates.compile.invariants import Invariants
from qsage_validate.certificates.compile.plan import Plan, PlanNode
from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.grid.completion import (
    Content,
    MoveTracker,
    Step,
    Vector,
)
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import Ply
from qsage_validate.games.bddl.model import Condition
from qsage_validate.games.bddl.rules import BddlMove, GoalInstance
from qsage_validate.games.protocol import Move, Player
from qsage_validate.kernel.certificate import CircuitCertificate, Dialect, Kind


def compile_plan(encoding: Encoding, plan: Plan) -> CircuitCertificate:
    """The certificate that plays ``plan``: Skolem when the hero is Black, else Herbrand.

    All variables that the certificate decides get a function.  The result is not checked here.
    """
    return _compiler(encoding, plan).certificate()


def compile_with_lemmas(
    encoding: Encoding, plan: Plan
) -> tuple[CircuitCertificate, CircuitCertificate, tuple[LemmaStep, ...]]:
    """What :func:`compile_plan` makes, the same in a larger graph, and lemmas about that one.

    The functions of both are the same gate by gate; the larger graph has more gates, which the
    lemmas speak of.
    """
    compiler = _compiler(encoding, plan, rewrite=False)
    certificate = compiler.certificate()
    larger, lemmas = compiler.certificate_with_lemmas()
    return certificate, larger, lemmas


def _compiler(encoding: Encoding, plan: Plan, *, rewrite: bool = True) -> _Compiler:
    compiler = _SkolemCompiler if plan.hero is Player.BLACK else _HerbrandCompiler
    return compiler(encoding, plan, AigBuilder(rewrite=rewrite))


class _Compiler:
    """What both kinds share: the opponent's variables as inputs, the plies one by one."""

    kind: Kind

    def __init__(self, encoding: Encoding, plan: Plan, builder: AigBuilder) -> None:
        self.layout = encoding.layout
        self.qbf = encoding.qbf
        self.model = encoding.model
        self.plan = plan
        self.builder = builder
        self.inputs = self.qbf.variables(self.kind.decides.dual)
        self.literals: dict[int, int] = {v: self.builder.input() for v in self.inputs}
        self.functions: dict[int, int] = {}
        self.tracker = MoveTracker(self.builder, self.model)
        opponent = plan.hero.other
        self.decisions = Decisions(self.builder, plan, lambda move: self._numbers(opponent, move))
        # The hero's claims: (stop literal, witness vectors) a ply.
        self.claims: list[tuple[int, tuple[Bits, Bits, Bits]]] = []
        # What says by ply that a move is legal: its preconditions, its bounds (None: unknown).
        self.flags: dict[int, tuple[Sequence[int], int | None]] = {}

    def _numbers(self, player: Player, move: Move) -> tuple[int, int, int]:
        if not isinstance(move, BddlMove):
            raise TypeError(f"{move!r} is no BDDL move")
        return self.layout.actions[player].index(move.action), move.x - 1, move.y - 1

    @property
    def _goal_variables(self) -> tuple[Bits, Bits, Bits]:
        """The variables in which the hero says which goal was reached, and where."""
        goals = self.layout.goals
        if self.plan.hero is Player.BLACK:
            return goals.black_condition, goals.black_x, goals.black_y
        return goals.white_condition, goals.white_x, goals.white_y

    def _input_bits(self, bits: Bits) -> Bits:
        return tuple(self.literals[v] for v in bits)

    def _opponent_ply(self, move: Ply) -> None:
        stop = FALSE if move.stop is None else self.literals[move.stop]
        action, x, y = map(self._input_bits, (move.action, move.x, move.y))
        self.tracker.add(move.player, action, x, y, stop)

    def _hero_ply(self, move: Ply) -> None:
        steps = self.tracker.steps
        before = (steps[-1].action, steps[-1].x.bits, steps[-1].y.bits) if steps else ()
        self.decisions.arrive(before)
        column = self.decisions.column

        def number(index: int) -> Callable[[PlanNode], int]:
            return lambda node: self._numbers(move.player, node.move)[index]

        vectors = [
            column(number(index), len(bits))
            for index, bits in enumerate((move.action, move.x, move.y))
        ]
        stop = column(lambda node: int(node.stop), 1)[0] if move.stop is not None else FALSE
        claim = [
            column(_witness_number(index), len(bits))
            for index, bits in enumerate(self._goal_variables)
        ]
        self.claims.append((stop, (claim[0], claim[1], claim[2])))
        self.decisions.leave()
        self._define(move.action + move.x + move.y, vectors[0] + vectors[1] + vectors[2])
        if move.stop is not None:
            self.functions[move.stop] = stop
        self.tracker.add(move.player, vectors[0], vectors[1], vectors[2], stop)

    def _define(self, variables: Bits, literals: Sequence[int]) -> None:
        self.functions.update(zip(variables, literals, strict=True))

    def _claimed_goal(self) -> tuple[Bits, Bits, Bits]:
        """The witness of the first ply at which the hero stops, else of the last.

        Zeros when the hero has no ply.
        """
        if not self.claims:
            condition, x, y = self._goal_variables
            return (FALSE,) * len(condition), (FALSE,) * len(x), (FALSE,) * len(y)
        _, goal = self.claims[-1]
        for stop, earlier in reversed(self.claims[:-1]):
            goal = (
                self.tracker.ite_bits(stop, earlier[0], goal[0]),
                self.tracker.ite_bits(stop, earlier[1], goal[1]),
                self.tracker.ite_bits(stop, earlier[2], goal[2]),
            )
        return goal

    def _define_claim(self) -> None:
        for variables, literals in zip(self._goal_variables, self._claimed_goal(), strict=True):
            self._define(variables, literals)

    def certificate(self) -> CircuitCertificate:
        self._build()
        return self._certificate()[0]

    def _certificate(self, also: Sequence[int] = ()) -> tuple[CircuitCertificate, list[int]]:
        decided = self.qbf.variables(self.kind.decides)
        outputs = [self.functions[v] for v in decided]
        aig, moved = self.builder.build([*outputs, *also])
        functions = dict(zip(decided, moved, strict=False))
        made = CircuitCertificate(self.kind, aig, self.inputs, functions, Dialect.CAQE)
        return made, moved[len(outputs) :]

    def certificate_with_lemmas(self) -> tuple[CircuitCertificate, tuple[LemmaStep, ...]]:
        """After :meth:`certificate`: a larger graph, and lemmas in its literals."""
        found = Invariants(
            self.builder, self.layout, self.tracker, self.plan, self.flags, self.decisions.left
        )
        self._prove_matrix(found)
        steps = found.steps
        used = sorted({x for step in steps for part in step.parts for x in part.graph})
        made, moved = self._certificate(used)
        place = dict(zip(used, moved, strict=True))

        def placed(part: Lemma) -> Lemma:
            return Lemma(tuple(place[x] for x in part.graph), part.formula)

        return made, tuple(
            LemmaStep(
                tuple(map(placed, step.lemmas)),
                tuple((placed(cuts), uses) for cuts, uses in step.attempts),
            )
            for step in steps
        )

    def _prove_matrix(self, found: Invariants) -> None:
        """Add the steps that lead from what holds in the plays to the formula's output."""
        raise AssertionError("a kind of certificate says what holds")

    def _build(self) -> None:
        raise AssertionError("a kind of certificate says how it is built")


def _witness_number(index: int) -> Callable[[PlanNode], int | None]:
    """The number of the goal (index 0) or a 0-based parameter (1, 2) of a node's witness."""

    def value(node: PlanNode) -> int | None:
        numbers = [
            (goal.condition, goal.x - 1, goal.y - 1)
            for goal in node.witnesses
            if isinstance(goal, GoalInstance)
        ]
        return min(numbers)[index] if numbers else None

    return value


class _SkolemCompiler(_Compiler):
    """Black's functions: moves, stops, indicators, goals, counter-examples and states."""

    kind = Kind.SKOLEM

    def _build(self) -> None:
        layout, goals = self.layout, self.layout.goals
        for move in layout.moves:
            if move.player is Player.BLACK:
                self._hero_ply(move)
                continue
            self._opponent_ply(move)
            indicators = move.indicators
            if indicators is not None:
                functions = self.tracker.indicator_functions(move.ply, indicators)
                self.functions.update(functions)
                self.flags[move.ply] = (
                    [functions[v] for v in indicators.preconditions],
                    None if indicators.bounds is None else functions[indicators.bounds],
                )
        self._define_claim()
        self._define(
            goals.counterexample,
            self.tracker.counterexample(
                self.model.problem.white_goals,
                self._input_bits(goals.white_condition),
                self._input_bits(goals.white_x),
                self._input_bits(goals.white_y),
                len(goals.counterexample),
            )
            if goals.counterexample
            else (),
        )
        x = Vector(self._input_bits(layout.state.x))
        y = Vector(self._input_bits(layout.state.y))
        last = len(layout.state.states) - 1
        for time, state in enumerate(layout.state.states):
            # The last state is the goal copy: it keeps the board at the stop.
            content = self.tracker.content(
                time if time < last else min(len(layout.moves), time), x, y, frozen=True
            )
            self._define(state, (content.is_open, content.is_white))

    def _prove_matrix(self, found: Invariants) -> None:
        plies, times = found.plies, range(len(found.boards))
        for ply in plies:
            number = ply.move.ply
            stop = FALSE
            if ply.move.stop is not None:
                stop = (self.literals | self.functions)[ply.move.stop]
            if ply.move.player is Player.BLACK:
                said = [
                    self._said(f"black {number} move", ply.before),
                    self._said(f"black {number} wins", ply.before, stop),
                ]
                if ply is plies[-1]:
                    said.append(self._said("black goal", ply.before))
                last = max(number - 2, 0)
            else:
                said = [
                    self._said(f"white {number} indicators", ply.before),
                    self._said(f"white {number} move", ply.after),
                    self._said(f"white {number} has not won", ply.after, stop),
                ]
                last = number - 1
            uses = [("read", last), ("read", number - 1), ("read", number)]
            uses += [("nodes", last), ("bounds", last + 1), ("unwon", number)]
            uses += [("frozen", time) for time in times if time > number]
            found.prove(("matrix", number), chain(*said), [((), uses)])
        for ply in reversed(plies):
            number = ply.move.ply
            said = [self._said(f"{ply.move.player.value} {number} ply", ply.before)]
            uses = [("nodes", number), ("matrix", number), ("ply", number + 1)]
            found.prove(("ply", number), chain(*said), [((), uses)])

    def _said(self, name: str, *conditions: int) -> list[Lemma]:
        """The gate of a name is true under conditions, where the formula has that gate."""
        gate = self.layout.gates.get(name)
        return [] if gate is None else [Lemma(tuple(x ^ 1 for x in conditions), (gate,))]


@dataclass(frozen=True)
class _Claim:
    """A literal that says that a claim of Black's is wrong here, and where that shows."""

    wrong: int
    square: Callable[[], Bits]


class _HerbrandCompiler(_Compiler):
    """White's functions: moves, stops, goals, and the square that shows Black's first mistake.

    The symbolic square points at the first claim of Black's that is wrong: a precondition that
    does not hold, an indicator with the wrong value, a goal that was not reached, a
    counter-example that is none.  Claims that are wrong whatever the square (bounds, numbers
    out of range) need no pointing at.
    """

    kind = Kind.HERBRAND

    def _build(self) -> None:
        layout = self.layout
        claims: list[_Claim] = []
        for move in layout.moves:
            if move.player is Player.WHITE:
                self._hero_ply(move)
                claims += self._wrong_indicators(move)
                if move.stop is not None:
                    claims.append(_Claim(self.claims[-1][0], self._counterexample_square))
            else:
                self._opponent_ply(move)
                claims += self._broken_preconditions(move)
                if move.stop is not None:
                    claims.append(_Claim(self.literals[move.stop], self._unreached_square))
        self._define_claim()
        square = self._unreached_square()
        for claim in reversed(claims):
            if claim.wrong != FALSE:
                square = self.tracker.ite_bits(claim.wrong, claim.square(), square)
        self._define(layout.state.x + layout.state.y, square)

    def _prove_matrix(self, found: Invariants) -> None:
        board, lost = self.layout.state, (-self.qbf.output,)
        x = tuple(self.functions[v] for v in board.x)
        y = tuple(self.functions[v] for v in board.y)
        lemmas: list[Lemma] = []
        cuts: set[int] = set()
        for time, ply in enumerate(found.plies):
            cuts |= found.cuts(time)
            move = ply.move
            if time < len(board.states):
                first, second = (self.literals[v] for v in board.states[time])
                said = Content(first, self.builder.and_(first ^ 1, second))
                for square, here in enumerate(found.squares(x, y)):
                    same = found.same(said, found.on(time, square))
                    lemmas.append(Lemma((ply.before ^ 1, here ^ 1, same), lost))
            indicators = move.indicators
            if move.player is Player.BLACK:
                lemmas += [
                    Lemma((ply.before ^ 1, literal), lost)
                    for literal in (ply.in_bounds, *ply.flags)
                ]
            elif indicators is not None:
                for flag, variable in zip(ply.flags, indicators.preconditions, strict=True):
                    same = self.builder.eq(flag, self.literals[variable])
                    lemmas.append(Lemma((ply.before ^ 1, same), lost))
                if indicators.bounds is not None:
                    lemmas.append(Lemma((ply.before ^ 1, self.literals[indicators.bounds]), lost))
            if move.stop is not None:
                stop = (self.literals | self.functions)[move.stop]
                lemmas.append(Lemma((ply.after ^ 1, stop ^ 1), lost))
        uses = [
            (name, time)
            for time in range(len(found.boards))
            for name in ("read", "frozen", "nodes", "unwon")
        ]
        found.prove(("matrix", 0), lemmas, [(cuts, uses), ((), uses)])

    def _part_squares(self, step: Step, conditions: Sequence[Condition], number: int) -> Bits:
        """The square of part ``number`` of the chosen action's precondition."""
        anywhere = step.x.bits + step.y.bits
        return self.tracker.select_bits(
            step.action,
            [
                self.tracker.square_bits(*self.tracker.place(step.x, step.y, c[number]))
                if number < len(c)
                else anywhere
                for c in conditions
            ],
        )

    def _broken_preconditions(self, move: Ply) -> list[_Claim]:
        step = self.tracker.steps[-1]
        conditions = [a.precondition for a in self.model.domain.actions(move.player)]
        holds = self.tracker.precondition_flags(move.ply, max(map(len, conditions)))
        self.flags[move.ply] = (holds, None)
        return [
            _Claim(flag ^ 1, partial(self._part_squares, step, conditions, number))
            for number, flag in enumerate(holds)
        ]

    def _wrong_indicators(self, move: Ply) -> list[_Claim]:
        indicators = move.indicators
        if indicators is None:
            return []
        step = self.tracker.steps[-1]
        conditions = [a.precondition for a in self.model.domain.actions(move.player)]
        holds = self.tracker.precondition_flags(move.ply, len(indicators.preconditions))
        self.flags[move.ply] = (holds, None)
        return [
            _Claim(
                self.builder.xor(flag, self.literals[variable]),
                partial(self._part_squares, step, conditions, number),
            )
            for number, (flag, variable) in enumerate(
                zip(holds, indicators.preconditions, strict=True)
            )
        ]

    def _unreached_square(self) -> Bits:
        """A square where the goal that Black claims is not reached."""
        goals = self.layout.goals
        if not self.model.problem.black_goals:
            return tuple(FALSE for _ in self.layout.state.x + self.layout.state.y)
        return self.tracker.broken_square(
            self.model.problem.black_goals,
            self._input_bits(goals.black_condition),
            self._input_bits(goals.black_x),
            self._input_bits(goals.black_y),
        )

    def _counterexample_square(self) -> Bits:
        """The square of the part of White's goal that Black says is not there."""
        condition, x, y = self._claimed_goal()
        number = self._input_bits(self.layout.goals.counterexample)
        options = []
        for goal in self.model.problem.white_goals:
            squares = [
                self.tracker.square_bits(*self.tracker.place(Vector(x), Vector(y), part))
                for part in goal
            ]
            options.append(self.tracker.select_bits(number, squares))
        return self.tracker.select_bits(condition, options)
