"""The lifted encoding of BDDL games (Shaik and van de Pol 2023, section 4).

One universal position (S_x, S_y) stands for every square; two state variables a time step say
what is on it.  Where this encoder departs from the letter of the paper:

* Coordinates are 0-based in the bits, and a single action, or an axis of length 1, needs none.
* ``RI`` compares a move's parameters with ``S`` shifted the other way, modulo the width of the
  vector, instead of shifting the parameters: the shifted ``S`` is shared by all plies.
  The bounds exclude the cases in which the two differ.
* Constraints that all actions share are not repeated for each of them.
* Indicators and goal variables that could have one value only are left out: no ``lb`` where
  every move is in bounds, no stop variables and no goal variables for a player without goals.
* A play may end with a White ply (even depth): then Black must have won before, or White has no
  legal move.  The goal copy is the last state that Black's moves lead to.

Black decides indicators, states and the counter-example to White's goal; White decides the
symbolic square, which shows Black's first mistake.  Both claim a goal.  See :mod:`.grid_state` for
the contents of the squares.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from operator import attrgetter
from typing import Any, Final

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.encoding import (
    Completion,
    Encoding,
    Goals,
    PlayLiterals,
    PlyLiterals,
    ReferencePlay,
    add_constant,
    constant_literals,
    equality_clauses,
    in_range,
    less_than,
)
from qsage_validate.encodings.grid_state import GridPly, MoveTracker, Vector
from qsage_validate.encodings.layout import (
    Bits,
    GoalVariables,
    GridCoding,
    Indicators,
    Layout,
    Number,
    Ply,
    StateCode,
    UnspecifiedLegality,
    board_view,
    on_grid,
)
from qsage_validate.encodings.layout_lines import layout_comments
from qsage_validate.errors import UsageError, counted
from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    Condition,
    Coordinate,
    Model,
    SubCondition,
)
from qsage_validate.games.library.catalogue import name_of
from qsage_validate.games.masks import width_for
from qsage_validate.games.protocol import Player, Square

# Functions of the variables of a lifted encoding that are no moves, computed from the moves


# The parts of a goal of a grid game: its number among the player's, and its parameters from 1.
_PLACE: Final[Callable[[Any], tuple[int, int, int]]] = attrgetter("condition", "x", "y")


class GridPlay(ABC):
    """A play, ply by ply: the contents of the squares, and the literals that moves are legal.

    ``flags`` say by ply that a move is legal: its preconditions, its bounds (``None``: unknown).
    """

    def __init__(self, layout: Layout, model: Model, builder: AigBuilder) -> None:
        self.layout = layout
        self.model = model
        self.builder = builder
        self.tracker = MoveTracker(builder, model)
        self.flags: dict[int, tuple[Sequence[int], int | None]] = {}

    def add(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        """Go on to the next ply; ``known`` are literals of the variables known by now."""
        action, x, y = played.numbers
        self.tracker.add(ply.player, action, x, y, played.stop)

    def completed(self, play: PlayLiterals) -> Mapping[int, int]:
        """The functions of all variables of the hero's that are no moves, of the whole play."""
        for ply, played in zip(self.layout.moves, play.plies, strict=True):
            self.add(ply, played, play.literals)
        variables = self.layout.goals.claim(play.hero)
        claim = play.witness(*claimed_number(self.layout, play.hero))
        functions = dict(zip(sum(variables, ()), claim, strict=True))
        functions.update(self._others(play.literals, functions))
        return functions

    @abstractmethod
    def _others(self, known: Mapping[int, int], claim: Mapping[int, int]) -> Mapping[int, int]:
        """Functions of the player's other variables: the position and what follows from it."""


def claimed_number(layout: Layout, player: Player) -> tuple[Callable[[Goals], int], int]:
    """Goal and parameters that are claimed of some goals, as one number of so many bits."""
    condition, x, y = map(len, layout.goals.claim(player))

    def number(goals: Goals) -> int:
        goal, column, row = min(map(_PLACE, goals))
        return (goal << x | column - 1) << y | row - 1

    return number, condition + x + y


class BlackPlay(GridPlay):
    """Black's functions: indicators, goals, counter-examples and states."""

    def __init__(self, layout: Layout, model: Model, builder: AigBuilder) -> None:
        super().__init__(layout, model, builder)
        self._indicators: dict[int, int] = {}

    def add(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        super().add(ply, played, known)
        said = ply.indicators
        if ply.player is Player.WHITE and said is not None:
            functions = self.tracker.indicator_functions(ply.ply, said)
            self._indicators.update(functions)
            self.flags[ply.ply] = (
                [functions[v] for v in said.preconditions],
                None if said.bounds is None else functions[said.bounds],
            )

    def _others(self, known: Mapping[int, int], claim: Mapping[int, int]) -> Mapping[int, int]:
        functions, goals, state = dict(self._indicators), self.layout.goals, self.layout.state
        if goals.counterexample:
            numbers = self.tracker.counterexample(
                self.model.problem.white_goals,
                read(known, goals.white_condition),
                read(known, goals.white_x),
                read(known, goals.white_y),
                len(goals.counterexample),
            )
            functions.update(zip(goals.counterexample, numbers, strict=True))
        x, y = Vector(read(known, state.x)), Vector(read(known, state.y))
        last = len(state.states) - 1
        for time, literals in enumerate(state.states):
            # The last state is the goal copy: it keeps the board at the stop.
            at = time if time < last else min(self.layout.plies, time)
            content = self.tracker.content(at, x, y, frozen=True)
            functions.update(zip(literals, (content.is_open, content.is_white), strict=True))
        return functions


def read(known: Mapping[int, int], bits: Bits) -> Bits:
    """The literals of some bits; what is left open is false."""
    return tuple(known.get(abs(v), FALSE) ^ (v < 0) for v in bits)


@dataclass(frozen=True)
class _WrongClaim:
    """A literal that says that a claim of Black's is wrong here, and where that shows."""

    wrong: int
    square: Callable[[Mapping[int, int], Mapping[int, int]], Bits]


class WhitePlay(GridPlay):
    """White's functions: goals, and the square that shows Black's first mistake.

    The symbolic square points at the first claim of Black's that is wrong: a precondition that
    does not hold, an indicator with the wrong value, a goal that was not reached, a
    counter-example that is none.  Claims that are wrong whatever the square (bounds, numbers
    out of range) need no pointing at.
    """

    def __init__(self, layout: Layout, model: Model, builder: AigBuilder) -> None:
        super().__init__(layout, model, builder)
        self._claims: list[_WrongClaim] = []

    def add(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        super().add(ply, played, known)
        step = self.tracker.steps[-1]
        conditions = [a.precondition for a in self.model.domain.actions(ply.player)]
        white = ply.player is Player.WHITE
        if not white or ply.indicators is not None:
            said = ply.indicators.preconditions if ply.indicators is not None else ()
            count = len(said) if white else max(map(len, conditions))
            holds = self.tracker.precondition_flags(ply.ply, count)
            self.flags[ply.ply] = (holds, None)
            for number, flag in enumerate(holds):
                wrong = self.builder.xor(flag, known[said[number]]) if white else flag ^ 1
                square = partial(self._part_square, step, conditions, number)
                self._claims.append(_WrongClaim(wrong, square))
        if ply.stop is not None:
            show = self._counterexample_square if white else self._unreached_square
            self._claims.append(_WrongClaim(played.stop, show))

    def _others(self, known: Mapping[int, int], claim: Mapping[int, int]) -> Mapping[int, int]:
        square = self._unreached_square(known, claim)
        for one in reversed(self._claims):
            if one.wrong != FALSE:
                square = self.tracker.ite_bits(one.wrong, one.square(known, claim), square)
        return dict(zip(self.layout.state.position, square, strict=True))

    def _part_square(
        self,
        step: GridPly,
        conditions: Sequence[Condition],
        number: int,
        known: Mapping[int, int],
        claim: Mapping[int, int],
    ) -> Bits:
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

    def _unreached_square(self, known: Mapping[int, int], claim: Mapping[int, int]) -> Bits:
        """A square where the goal that Black claims is not reached."""
        if not self.model.problem.black_goals:
            return tuple(FALSE for _ in self.layout.state.position)
        vectors = self.layout.goals.claim(Player.BLACK)
        return self.tracker.broken_square(
            self.model.problem.black_goals, *(read(known, bits) for bits in vectors)
        )

    def _counterexample_square(self, known: Mapping[int, int], claim: Mapping[int, int]) -> Bits:
        """The square of the part of White's goal that Black says is not there."""
        vectors = self.layout.goals.claim(Player.WHITE)
        condition, x, y = (read(claim, bits) for bits in vectors)
        number = read(known, self.layout.goals.counterexample)
        options = []
        for goal in self.model.problem.white_goals:
            squares = [
                self.tracker.square_bits(*self.tracker.place(Vector(x), Vector(y), part))
                for part in goal
            ]
            options.append(self.tracker.select_bits(number, squares))
        return self.tracker.select_bits(condition, options)


_PLAYS = {Player.BLACK: BlackPlay, Player.WHITE: WhitePlay}


def grid_play(layout: Layout, model: Model, hero: Player, builder: AigBuilder) -> GridPlay:
    return _PLAYS[hero](layout, model, builder)


def grid_completions(layout: Layout, model: Model) -> Mapping[Player, Completion]:
    """The completions for both players: the functions of all variables that are no moves."""

    def complete(play: PlayLiterals) -> Mapping[int, int]:
        return grid_play(layout, model, play.hero, play.builder).completed(play)

    return dict.fromkeys(Player, complete)


class GridInMind(ReferencePlay):
    """Builds what follows with each ply, so that a graph has its gates in the order of plies."""

    def __init__(self, layout: Layout, model: Model, builder: AigBuilder, hero: Player) -> None:
        self._play = grid_play(layout, model, hero, builder)
        self.witnesses = (claimed_number(layout, hero),)

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        self._play.add(ply, played, known)


# The lifted encoding of BDDL games (Shaik and van de Pol 2023, section 4)


State = tuple[int, int]


def encode_lifted(model: Model) -> Encoding:
    """The QBF that is true if and only if Black wins ``model`` within its plies.

    Size: linear in model and depth; each coordinate costs the logarithm of the board's side.
    Raises ``UsageError`` where a player has a ply and no action.
    """
    return LiftedEncoder(model).encode()


def bounds(condition: Iterable[SubCondition], size: int, axis: str) -> tuple[int, int]:
    """The implicit bounds of a condition on one axis, 0-based and inclusive (Definition 4)."""
    low, high = 0, size - 1
    for part in condition:
        coordinate = part.x if axis == "x" else part.y
        if coordinate.anchor is Anchor.PARAMETER:
            low = max(low, -coordinate.offset)
            high = min(high, size - 1 - coordinate.offset)
    return low, high


class LiftedEncoder:
    """Allocates the prefix, then builds the matrix from the last ply to the first.

    Variants of the encoding are subclasses: the prefix and the circuits of the plies are the
    same, what differs is how :meth:`matrix` puts them together.
    """

    name = "lifted"

    def __init__(self, model: Model) -> None:
        self.model = model
        self.problem = model.problem
        self.domain = model.domain
        self.plies = model.problem.plies
        movers = {model.player_at(ply) for ply in range(1, self.plies + 1)}
        for player in Player:
            if player in movers and not self.domain.actions(player):
                raise UsageError(
                    f"{model.name}: found no actions of {player}, who has to move, expected at "
                    f"least one in a formula: {player} loses by not moving (qsage solve says so)"
                )
        self._variables = count(1)
        self._scopes: list[Scope] = []
        self._allocate()
        self.circuit = CircuitBuilder(next(self._variables))
        self.gates: dict[str, int] = {}
        self._shifted: dict[tuple[str, int], Bits] = {}

    # -- prefix (section 4.1) ---------------------------------------------------------------

    def _fresh(self, width: int) -> Bits:
        return tuple(next(self._variables) for _ in range(width))

    def _scope(self, quantifier: Quantifier, *vectors: Sequence[int]) -> None:
        variables = tuple(v for vector in vectors for v in vector)
        if variables:
            self._scopes.append(Scope(quantifier, variables))

    def _ply(self, ply: int, player: Player, action: Bits, x: Bits, y: Bits, stops: Bits) -> Ply:
        names = tuple(action.name for action in self.domain.actions(player))
        coding = GridCoding(names, action, *self._square(x, y))
        return on_grid(ply, player, coding, stops[0] if stops else None)

    def _square(self, x: Bits, y: Bits) -> tuple[Number, Number]:
        return Number(x, self.problem.width), Number(y, self.problem.height)

    def _allocate(self) -> None:
        problem, domain = self.problem, self.domain
        x_width, y_width = width_for(problem.width), width_for(problem.height)
        has_black, has_white = bool(problem.black_goals), bool(problem.white_goals)
        self.moves: list[Ply] = []
        for ply in range(1, self.plies + 1):
            player = self.model.player_at(ply)
            mine = has_black if player is Player.BLACK else has_white
            stop = mine and ply < self.plies
            action = self._fresh(width_for(len(domain.actions(player))))
            x, y = self._fresh(x_width), self._fresh(y_width)
            stops = self._fresh(1 if stop else 0)
            self.moves.append(self._ply(ply, player, action, x, y, stops))
            if player is Player.BLACK:
                self._scope(Quantifier.EXISTS, action, x, y, stops)
                continue
            self._scope(Quantifier.FORALL, action, x, y, stops)
            bound = self._fresh(1 if self._white_bounds_matter() else 0)
            conditions = self._fresh(max(len(a.precondition) for a in domain.white_actions))
            self._scope(Quantifier.EXISTS, bound, conditions)
            indicators = Indicators(bound[0] if bound else None, conditions)
            self.moves[-1] = replace(self.moves[-1], indicators=indicators)

        def goal(goals: Sequence[Condition]) -> tuple[Bits, Bits, Bits]:
            x, y = self._goal_axes(goals)
            return (
                self._fresh(width_for(len(goals))),
                self._fresh(x_width if x else 0),
                self._fresh(y_width if y else 0),
            )

        black = goal(problem.black_goals)
        self._scope(Quantifier.EXISTS, *black)
        # White's goal is looked at only when White may stop.
        stopping = any(m.stop is not None and m.player is Player.WHITE for m in self.moves)
        white_goals = problem.white_goals if stopping else ()
        white = goal(white_goals)
        self._scope(Quantifier.FORALL, *white)
        witness = self._fresh(width_for(max((len(g) for g in white_goals), default=0)))
        self._scope(Quantifier.EXISTS, witness)
        self.goals = GoalVariables(*black, *white, counterexample=witness)
        self.symbolic_x, self.symbolic_y = self._fresh(x_width), self._fresh(y_width)
        self._scope(Quantifier.FORALL, self.symbolic_x, self.symbolic_y)
        ends_with_black = self.plies > 0 and self.moves[-1].player is Player.BLACK
        self.states: list[State] = []
        for _ in range(self.plies + 1 if ends_with_black else max(self.plies, 1)):
            state = self._fresh(2)
            self._scope(Quantifier.EXISTS, state)
            self.states.append((state[0], state[1]))

    @staticmethod
    def _goal_axes(goals: Sequence[Condition]) -> tuple[bool, bool]:
        """For x and y, true if a goal has a parameter there; absolute squares have none."""
        parts = [part for goal in goals for part in goal]
        return (
            any(part.x.anchor is Anchor.PARAMETER for part in parts),
            any(part.y.anchor is Anchor.PARAMETER for part in parts),
        )

    def _white_bounds_matter(self) -> bool:
        """True if some value of the bits of a White move is out of bounds."""
        problem, actions = self.problem, self.domain.white_actions
        if len(actions) != 1 << width_for(len(actions)):
            return True
        for action in actions:
            everything = action.precondition + action.effect
            for size, axis in ((problem.width, "x"), (problem.height, "y")):
                if bounds(everything, size, axis) != (0, (1 << width_for(size)) - 1):
                    return True
        return False

    # -- auxiliary circuits (section 4.3) ---------------------------------------------------

    def _symbolic(self, axis: str, offset: int) -> Bits:
        """S on one axis plus ``offset``, built once."""
        key = (axis, offset)
        if key not in self._shifted:
            bits = self.symbolic_x if axis == "x" else self.symbolic_y
            self._shifted[key] = add_constant(self.circuit, bits, offset)
        return self._shifted[key]

    def _axis_index(self, bits: Bits, coordinate: Coordinate, axis: str) -> Bits:
        if coordinate.anchor is Anchor.PARAMETER:
            return equality_clauses(self.circuit, bits, self._symbolic(axis, -coordinate.offset))
        size = self.problem.width if axis == "x" else self.problem.height
        return constant_literals(self._symbolic(axis, 0), coordinate.at(0, size) - 1)

    def _relative_index(self, x: Bits, y: Bits, part: SubCondition) -> int:
        """RI: the square of ``part``, relative to (x, y), is the symbolic one (Definition 11)."""
        return self.circuit.and_(
            *self._axis_index(x, part.x, "x"), *self._axis_index(y, part.y, "y")
        )

    def _content(self, part: SubCondition, state: State) -> int:
        """SC: what ``part`` says of the symbolic square in ``state`` (Definition 12)."""
        is_open, is_white = state
        literal = {
            Square.OPEN: lambda: is_open,
            Square.WHITE: lambda: self.circuit.and_(-is_open, is_white),
            Square.BLACK: lambda: self.circuit.and_(-is_open, -is_white),
        }[part.predicate]()
        return -literal if part.negated else literal

    def _bounds(self, x: Bits, y: Bits, condition: Condition) -> Bits:
        """BDCIR: literals that hold when (x, y) is within the bounds (Definition 13)."""
        parts: Bits = ()
        for bits, size, axis in ((x, self.problem.width, "x"), (y, self.problem.height, "y")):
            parts += in_range(self.circuit, bits, *bounds(condition, size, axis))
        return parts

    def _same(self, left: State, right: State) -> int:
        """Both state variables are equal in two states."""
        if left == right:
            return self.circuit.true
        return self.circuit.and_(*equality_clauses(self.circuit, left, right))

    def _choose(self, selector: Bits, bodies: Sequence[Sequence[int]], *, valid: bool) -> list[int]:
        """Literals that say: if ``selector`` is the number j, then ``bodies[j]`` holds.

        The common part of all bodies is stated once.  ``valid`` asks that the number is one of a
        body, too.
        """
        shared = set(bodies[0]).intersection(*bodies[1:])
        parts = sorted(shared, key=abs)
        if valid:
            parts.append(less_than(self.circuit, selector, len(bodies)))
        for number, body in enumerate(bodies):
            own = [literal for literal in body if literal not in shared]
            if own:
                chosen = constant_literals(selector, number)
                parts.append(self.circuit.or_(*(-c for c in chosen), self.circuit.and_(*own)))
        return parts

    # -- matrix (section 4.2) ---------------------------------------------------------------

    def encode(self) -> Encoding:
        """Build the matrix, and the layout that goes with it."""
        output = self.matrix()
        qbf = Qbf(tuple(self._scopes), self._live_gates(output), output)
        layout = self._layout(qbf)
        comments = (self._title(), *layout_comments(layout))
        return Encoding(
            replace(qbf, comments=tuple(enumerate(comments, 2))),
            layout,
            self.model,
            grid_completions(layout, self.model),
            partial(GridInMind, layout, self.model),
        )

    def matrix(self) -> int:
        """The output: the initial state and ply 1, in which the later plies are nested."""
        self._note_goals()
        following: int | None = None
        for move in reversed(self.moves):
            build = self._black_ply if move.player is Player.BLACK else self._white_ply
            following = build(move, following)
            self.gates[f"{move.player.value} {move.ply} ply"] = following
        initial = self._initial_state()
        self.gates["initial state"] = initial
        # Without a single ply Black cannot have won.
        return self.circuit.and_(initial, self.circuit.false if following is None else following)

    def _title(self) -> str:
        plies = counted(self.plies, "ply")
        return f" {name_of(self.model)}: Black wins within {plies} ({self.name} encoding)"

    def _note_goals(self) -> None:
        last = self.states[-1]
        self.black_goal = self._black_goal(last)
        self.white_refuted = self._white_goal_refuted(last)
        self.gates["black goal"] = self.black_goal
        self.gates["white goal refuted"] = self.white_refuted

    def _black_ply(self, move: Ply, following: int | None) -> int:
        """B^i: the move is legal, and Black stops in a goal or White's ply follows."""
        legal = self._black_move(move)
        self.gates[f"black {move.ply} move"] = legal
        if following is None:
            return self.circuit.and_(legal, self.black_goal)
        if move.stop is None:
            return self.circuit.and_(legal, following)
        reached = self.circuit.and_(
            self._same(self.states[move.ply], self.states[-1]), self.black_goal
        )
        self.gates[f"black {move.ply} wins"] = reached
        return self.circuit.and_(
            legal, self.circuit.or_(-move.stop, reached), self.circuit.or_(move.stop, following)
        )

    def _white_ply(self, move: Ply, following: int | None) -> int:
        """W^i: the indicators are right, and a legal move keeps Black winning.

        At a last ply any legal move is one too many for Black.
        """
        definitions, legal = self._white_indicators(move)
        self.gates[f"white {move.ply} indicators"] = definitions
        self.gates[f"white {move.ply} legal"] = legal
        if following is None:
            return self.circuit.and_(definitions, -legal)
        effects = self._white_effects(move)
        self.gates[f"white {move.ply} move"] = effects
        if move.stop is None:
            after = [following]
        else:
            refuted = self.circuit.and_(
                self._same(self.states[move.ply], self.states[-1]), self.white_refuted
            )
            self.gates[f"white {move.ply} has not won"] = refuted
            after = [self.circuit.or_(-move.stop, refuted), self.circuit.or_(move.stop, following)]
        return self.circuit.and_(
            definitions, self.circuit.or_(-legal, self.circuit.and_(effects, *after))
        )

    def _transition(self, move: Ply, action: Action) -> list[int]:
        """Effects hold in the next state, and every other square keeps its content."""
        before, after = self.states[move.ply - 1], self.states[move.ply]
        touched = [self._relative_index(move.x, move.y, part) for part in action.effect]
        parts = [
            self.circuit.or_(-here, self._content(part, after))
            for here, part in zip(touched, action.effect, strict=True)
        ]
        return [*parts, self.circuit.or_(*touched, self._same(before, after))]

    def _black_move(self, move: Ply) -> int:
        """M_b: the move is legal and leads from one state to the next."""
        before = self.states[move.ply - 1]
        bodies = []
        for action in self.domain.black_actions:
            body = list(self._bounds(move.x, move.y, action.precondition + action.effect))
            for part in action.precondition:
                here = self._relative_index(move.x, move.y, part)
                body.append(self.circuit.or_(-here, self._content(part, before)))
            bodies.append(body + self._transition(move, action))
        return self.circuit.and_(*self._choose(move.action, bodies, valid=True))

    def _white_indicators(self, move: Ply) -> tuple[int, int]:
        """The constraint that defines lb and P, and the literal "the move is legal"."""
        assert move.indicators is not None, "every ply of White's has them"
        bound, flags = move.indicators.bounds, move.indicators.preconditions
        before = self.states[move.ply - 1]
        definitions: list[int] = []
        if bound is not None:
            ranges = [
                self._bounds(move.x, move.y, action.precondition + action.effect)
                for action in self.domain.white_actions
            ]
            within = self.circuit.and_(*self._choose(move.action, ranges, valid=True))
            definitions += equality_clauses(self.circuit, (bound,), (within,))
        bodies = []
        for action in self.domain.white_actions:
            body = []
            for number, flag in enumerate(flags):
                if number >= len(action.precondition):
                    body.append(flag)
                    continue
                part = action.precondition[number]
                here = self._relative_index(move.x, move.y, part)
                holds = self._content(part, before)
                body += [
                    self.circuit.or_(-here, -holds, flag),
                    self.circuit.or_(-here, holds, -flag),
                ]
            bodies.append(body)
        definitions += self._choose(move.action, bodies, valid=False)
        legal = self.circuit.and_(*flags, *([] if bound is None else [bound]))
        return self.circuit.and_(*definitions), legal

    def _white_effects(self, move: Ply) -> int:
        """The effects of White's move, as they are when it is legal."""
        bodies = [self._transition(move, action) for action in self.domain.white_actions]
        return self.circuit.and_(*self._choose(move.action, bodies, valid=False))

    def _black_goal(self, state: State) -> int:
        """G_b without the propagation: the claimed condition holds around (B_x, B_y)."""
        goals = self.problem.black_goals
        if not goals:
            return self.circuit.false
        x, y = self.goals.black_x, self.goals.black_y
        bodies = []
        for goal in goals:
            body = list(self._bounds(x, y, goal))
            for part in goal:
                here = self._relative_index(x, y, part)
                body.append(self.circuit.or_(-here, self._content(part, state)))
            bodies.append(body)
        return self.circuit.and_(*self._choose(self.goals.black_condition, bodies, valid=True))

    def _white_goal_refuted(self, state: State) -> int:
        """G_w without the propagation: W_ce names a part of the goal that does not hold."""
        if not any(m.stop is not None and m.player is Player.WHITE for m in self.moves):
            return self.circuit.true
        x, y = self.goals.white_x, self.goals.white_y
        witness = self.goals.counterexample
        bodies = []
        for goal in self.problem.white_goals:
            parts = []
            parts.append(less_than(self.circuit, witness, len(goal)))
            for number, part in enumerate(goal):
                here = self._relative_index(x, y, part)
                chosen = constant_literals(witness, number)
                broken = -self._content(part, state)
                parts.append(self.circuit.or_(-here, *(-c for c in chosen), broken))
            outside = [-literal for literal in self._bounds(x, y, goal)]
            bodies.append([self.circuit.or_(*outside, self.circuit.and_(*parts))])
        return self.circuit.and_(*self._choose(self.goals.white_condition, bodies, valid=False))

    def _initial_state(self) -> int:
        """I: the content of the symbolic square in state 0."""
        is_open, is_white = self.states[0]

        def among(square: Square) -> int:
            return self.circuit.or_(
                *(
                    self.circuit.and_(
                        *constant_literals(self.symbolic_x, x - 1),
                        *constant_literals(self.symbolic_y, y - 1),
                    )
                    for content, x, y in self.problem.initial
                    if content is square
                )
            )

        black, white = among(Square.BLACK), among(Square.WHITE)
        return self.circuit.and_(
            self.circuit.or_(-black, self.circuit.and_(-is_open, -is_white)),
            self.circuit.or_(-white, self.circuit.and_(-is_open, is_white)),
            self.circuit.or_(black, white, is_open),
        )

    # -- result ---------------------------------------------------------------------------

    def _live_gates(self, output: int) -> dict[int, Gate]:
        """The gates that the output needs, in their order of creation."""
        needed = {abs(output)}
        for variable in sorted(self.circuit.gates, reverse=True):
            if variable in needed:
                needed.update(abs(x) for x in self.circuit.gates[variable].inputs)
        return {v: g for v, g in self.circuit.gates.items() if v in needed}

    def _layout(self, qbf: Qbf) -> Layout:
        known = set(qbf.levels()) | set(qbf.gates)
        return Layout(
            moves=tuple(self.moves),
            state=board_view(
                *self._square(self.symbolic_x, self.symbolic_y),
                tuple(self.states),
                StateCode.OPEN_WHITE,
            ),
            actions={
                player: tuple(action.name for action in self.domain.actions(player))
                for player in Player
            },
            goals=self.goals,
            verdict=qbf.output,
            gates={name: x for name, x in sorted(self.gates.items()) if abs(x) in known},
            encoding=self.name,
            game=self.model.language,
            model=self.model.parts(),
            silence=UnspecifiedLegality.FREE,
        )


class _GuardedEncoder(LiftedEncoder):
    """A flat matrix: each constraint behind a guard, in place of nesting.

    In the paper ply k is nested in ply k - 1 (section 4.2), so that in clausal form the gate "ply
    k holds" depends on the symbolic square and the states, which are innermost.  Here the matrix
    is one conjunction.  The constraints of ply k hold unless the play is over before it, which
    depends on earlier stops and indicators alone: a solver knows that as soon as those are
    decided, if the clausal form leaves the gates where their inputs are (``placement="early"`` of
    :func:`formats.qdimacs.clausal_form`).  Black's goal, and that White's is refuted, occur once
    instead of at every ply at which a play may end.
    """

    name = "lifted-guarded"

    def matrix(self) -> int:
        """The output: the initial state, and what each ply asks for behind its guard."""
        initial = self._initial_state()
        self.gates["initial state"] = initial
        if not self.moves:
            # Without a single ply Black cannot have won.
            return self.circuit.false
        self._note_goals()
        self._parts = [initial]
        self._claims: dict[Player, list[int]] = {player: [] for player in Player}
        running = self.circuit.true
        for move in self.moves:
            build = self._black if move.player is Player.BLACK else self._white
            running = build(move, running)
        for player, goal in ((Player.BLACK, self.black_goal), (Player.WHITE, self.white_refuted)):
            if self._claims[player]:
                self._demand(self.circuit.or_(*self._claims[player]), goal)
        return self.circuit.and_(*self._parts)

    def _demand(self, condition: int, *alternatives: int) -> None:
        """Ask for one of ``alternatives`` under ``condition``."""
        self._parts.append(self.circuit.or_(-condition, *alternatives))

    def _stopped(self, move: Ply, running: int) -> int:
        """Close the plays that are stopped after ``move``; the literal that a play goes on.

        The state that was reached is then the last state, in which the goals are evaluated.
        """
        if move.stop is None:
            return running
        ended = self.circuit.and_(running, move.stop)
        self._claims[move.player].append(ended)
        self._demand(ended, self._same(self.states[move.ply], self.states[-1]))
        return self.circuit.and_(running, -move.stop)

    def _black(self, move: Ply, running: int) -> int:
        legal = self._black_move(move)
        self.gates[f"black {move.ply} move"] = legal
        self._demand(running, legal)
        if move.ply == len(self.moves):
            self._claims[Player.BLACK].append(running)
        return self._stopped(move, running)

    def _white(self, move: Ply, running: int) -> int:
        definitions, legal = self._white_indicators(move)
        self.gates[f"white {move.ply} indicators"] = definitions
        self.gates[f"white {move.ply} legal"] = legal
        self._demand(running, definitions)
        if move.ply == len(self.moves):
            self._demand(running, -legal)
            return self.circuit.false
        effects = self._white_effects(move)
        self.gates[f"white {move.ply} move"] = effects
        going = self.circuit.and_(running, legal)
        self._demand(going, effects)
        return self._stopped(move, going)


ENCODERS: Final[Mapping[str, Callable[[Model], Encoding]]] = {
    "lifted": encode_lifted,
    "lifted-guarded": lambda model: _GuardedEncoder(model).encode(),
}
