"""Boards, legality, indicators and goals in a formula whose moves are known.

What the matrix forces its literals to be, by unit propagation, is held against what is true by the
rules: in plays that Black wins, at each place of a symbolic position.  What agrees with the rules
at all of these is taken for the board.  Like a reading it is a claim, and proves nothing.

An indicator is an existential variable behind a ply of White's that is forced to say whether a
precondition holds.  Of claims, orders of the bits are tried: in plays that a goal ends, its number
and place have to decide the formula.  Like a board this is a claim, and proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, permutations, product
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout import (
    Bits,
    GoalVariables,
    Indicators,
    Layout,
    Number,
    Ply,
    StateCode,
    StateView,
    board_view,
    value_bits,
)
from qsage_validate.encodings.layout_lines import is_clausal
from qsage_validate.games.bddl.model import Condition
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.masks import width_for
from qsage_validate.games.protocol import Player, Position, Square, TwoPlayerGame
from qsage_validate.judging.move_codes import Copy, Matrix, Sketch, SketchedPlay
from qsage_validate.judging.residuals import trimmed
from qsage_validate.system.limits import NEVER, Deadline

# Indicators and claimed goals, where moves and board are known


_GOAL_PLAYS: Final = 12
_GOAL_MOVES: Final = 40
"""So many moves are looked at in a ply, of so many plays."""
_ALIKE: Final = 8
"""So many moves are looked at in a ply of which the same holds."""
_MOST_ORDERS: Final = 5040
_MOST_PARTS: Final = 6
"""So many bits may number the part of a goal that does not hold."""
_MOST_CLAIMS: Final = 24

Values = dict[int, bool]
Claim = tuple[int, int, int]
"""The number of a goal, and where it is claimed, from 0."""


def with_goals(
    layout: Layout, matrix: Matrix, plays: Sequence[SketchedPlay], game: BddlGame
) -> Layout:
    """The layout with the indicators and the variables of goals that are found."""
    place = [abs(x) for axis in layout.state.axes for x in axis.bits]
    search = _GoalSearch(layout, matrix.over(place), plays, game)
    moves = tuple(map(search.with_indicators, layout.moves))
    return replace(layout, moves=moves, goals=search.goals())


@dataclass(frozen=True)
class _Axes:
    """The bits of a claim: of the goal's number, of the column and of the row."""

    condition: Bits
    x: Bits
    y: Bits

    def values(self, claim: Claim) -> Values:
        said: Values = {}
        for bits, number in zip((self.condition, self.x, self.y), claim, strict=True):
            for variable, bit in zip(bits, value_bits(number, len(bits)), strict=True):
                said[variable] = bool(bit)
        return said


@dataclass(frozen=True)
class _Ended:
    """The values of a play that Black has won, a claim of it, and the goals that hold or do not."""

    values: Values
    claim: Claim
    reached: Collection[Claim]
    others: Collection[Claim]


@dataclass
class _GoalSearch:
    layout: Layout
    matrix: Matrix
    plays: Sequence[SketchedPlay]
    game: BddlGame

    def __post_init__(self) -> None:
        formula = self.matrix.formula
        self.levels = formula.levels()
        self.used = {abs(x) for ply in self.layout.moves for x in ply.all_variables}
        always = set(map(abs, self.matrix.forced({}, asserted=True) or ()))
        quantifiers = formula.quantifiers()
        free = [v for v in self.levels if v not in self.used and v not in always]
        self.existential = [
            v for v in free if quantifiers[v] is Quantifier.EXISTS and v in self.matrix.outer
        ]
        self.universal = [
            v for v in free if quantifiers[v] is Quantifier.FORALL and v not in self.matrix.pool
        ]
        own = [self.levels[abs(x)] for x in self._last_bits() if abs(x) in self.levels]
        self.last = max(own, default=-1)

    def _last_bits(self) -> Iterator[int]:
        for ply in self.layout.moves:
            yield from ply.variables

    # -- indicators -------------------------------------------------------------------------

    def with_indicators(self, ply: Ply) -> Ply:
        """The ply with the variables that say of its move whether it is legal."""
        own = [self.levels[abs(x)] for x in ply.variables if abs(x) in self.levels]
        if ply.player is not Player.WHITE or not own:
            return ply
        behind = min((at for v in self.existential if (at := self.levels[v]) > max(own)), default=0)
        free = [v for v in self.existential if self.levels[v] == behind and v not in self.used]
        actions = self.game.model.domain.actions(ply.player)
        count = max(len(action.precondition) for action in actions)
        rows: list[tuple[Values, list[bool | None]]] = []
        if free and behind < self._claims_from():
            rows = [*self._flags(ply, count)]
        found: list[int] = []
        for k in range(count + 1):
            wanted = [(values, flags[k]) for values, flags in rows if flags[k] is not None]
            least = 1 if k == count else 2
            if len({flag for _, flag in wanted}) < least:
                return ply
            left = [v for v in free if v not in map(abs, found)]
            found.append(_literal(left, wanted))
        *preconditions, bounds = found
        if not all(preconditions):
            return ply
        self.used.update(map(abs, found))
        return replace(ply, indicators=Indicators(bounds or None, tuple(preconditions)))

    def _claims_from(self) -> int:
        """The block of the innermost symbolic variables, left of which everything stands."""
        return min((self.levels[v] for v in self.matrix.pool), default=0)

    def _flags(self, ply: Ply, count: int) -> Iterator[tuple[Values, list[bool | None]]]:
        """What is forced after each move, and which preconditions hold; at last, its bounds.

        Nothing is said of preconditions that an action has not, or that are not on the board.
        """
        actions = {a.name: a for a in self.game.model.domain.actions(ply.player)}
        plays = [play for play in self.plays if len(play.moves) >= ply.ply - 1][:_FEW]
        seen = Counter[tuple[bool | None, ...]]()
        for play in plays:
            before = play.moves[: ply.ply - 1]
            state = self._states(before)[-1]
            for text in ply.moves[:_GOAL_MOVES]:
                move = self.game.parse_move(text, ply.player)
                action = actions[move.action]
                places = self.game.grounding.positions(action.precondition, action.effect)
                within = (move.x, move.y) in places
                flags: list[bool | None] = [
                    self._holds((part,), move.x, move.y, state) if within else None
                    for part in action.precondition
                ]
                flags += [*[None] * (count - len(flags)), within]
                seen[tuple(flags)] += 1
                if seen[tuple(flags)] > _ALIKE:
                    continue
                found = self.matrix.copies({**self._values(before), **self._said(ply, text)})
                if found is not None:
                    yield found[0], flags

    # -- claims -----------------------------------------------------------------------------

    def goals(self) -> GoalVariables:
        """The variables in which goals are claimed, and a broken part is named."""
        behind = [v for v in self.universal if self.levels[v] > self.last]
        border = min((self.levels[v] for v in behind), default=self._claims_from())
        parts = [v for v in self.existential if self.levels[v] > border and v not in self.used]
        own = [
            v
            for v in self.existential
            if self.last <= self.levels[v] < border and v not in self.used
        ]
        found = GoalVariables()
        black = self._black(own)
        if black is not None:
            found = replace(
                found, black_condition=black.condition, black_x=black.x, black_y=black.y
            )
        white = self._white(behind, parts)
        if white is not None:
            axes, named = white
            found = replace(
                found,
                white_condition=axes.condition,
                white_x=axes.x,
                white_y=axes.y,
                counterexample=named,
            )
        return found

    def _black(self, among: Sequence[int]) -> _Axes | None:
        """The variables of Black's claim, which makes the matrix true where a goal ends a play.

        Those with which claims of goals that do not hold make it false are taken first: other
        variables of the block may be free, or say the same in these plays by chance.
        """
        ended = [*self._ended()]
        first: _Axes | None = None
        for axes in self._axes(Player.BLACK, among) if ended else ():
            if all(self._claims_win(one.values, axes.values(one.claim)) for one in ended):
                if not any(self._wins_falsely(axes, one) for one in ended):
                    return axes
                first = first or axes
        return first

    def _wins_falsely(self, axes: _Axes, ended: _Ended) -> bool:
        """True if a claim of a goal that does not hold makes the matrix true."""
        reached = [axes.values(claim) for claim in ended.reached]
        others = (axes.values(claim) for claim in ended.others)
        return any(self._claims_win(ended.values, x) for x in others if x not in reached)

    def _white(self, among: Sequence[int], parts: Sequence[int]) -> tuple[_Axes, Bits] | None:
        """The variables of White's claim, and those that name a part of the goal.

        Where White stops and claims a goal, the matrix can be true exactly if the part that is
        named does not hold.
        """
        claims = self._claims()
        if len(parts) > _MOST_PARTS or not claims:
            return None
        for axes in self._axes(Player.WHITE, among):
            for bits in _chosen(parts, len(parts)):
                if all(self._refuses(axes, bits, *claim) for claim in claims):
                    return axes, bits
        return None

    def _axes(self, player: Player, among: Sequence[int]) -> Iterator[_Axes]:
        """The orders of some variables as a player's claim, until the deadline."""
        goals, problem = self.game.model.problem.goals(player), self.game.model.problem
        condition, *place = (
            width_for(n) if n > 1 else 0 for n in (len(goals), problem.width, problem.height)
        )
        for x, y in ((1, 1), (1, 0), (0, 1)) if goals else ():
            widths = condition, place[0] * x, place[1] * y
            for axes in islice(_orders(among, widths), _MOST_ORDERS):
                if self.matrix.deadline.over:
                    return
                yield axes

    def _ended(self) -> Iterator[_Ended]:
        """Plays that a goal of Black's ends, each with a claim of it.

        Of each goal there are at most two: one in the middle of a play, and one at its last ply.
        """
        seen: set[tuple[Claim, bool]] = set()
        for play in self.plays:
            if not play.black_wins or not play.moves or len(seen) >= _GOAL_PLAYS:
                continue
            ply = self.layout.moves[len(play.moves) - 1]
            over = len(play.moves) == self.layout.plies
            if ply.player is not Player.BLACK or (ply.stop is None and not over):
                continue
            state = self._states(play.moves)[-1]
            reached: set[Claim] = set()
            others: set[Claim] = set()
            for g in self.game.grounding.goals[Player.BLACK]:
                holds = state & g.care == g.value
                (reached if holds else others).add((g.condition, g.x - 1, g.y - 1))
            found = self.matrix.copies(self._values(play.moves, stopping=True))
            new = {claim for claim in reached if (claim, over) not in seen}
            if found is not None:
                yield from (_Ended(found[0], x, reached, others) for x in sorted(new))
                seen |= {(claim, over) for claim in new}

    def _claims_win(self, values: Values, claimed: Values) -> bool:
        """True if a claim makes the matrix true at all places, with nothing forced against it."""
        return (
            all(values.get(v, value) is value for v, value in claimed.items())
            and self.matrix.impossible({**values, **claimed}) is None
        )

    def _refuses(
        self, axes: _Axes, bits: Bits, values: Values, claim: Claim, holds: Sequence[bool]
    ) -> bool:
        """True if a claim is refused by the parts that do not hold, and by no other ones."""
        claimed = {**values, **axes.values(claim)}
        named = ({**claimed, **_number(bits, part)} for part in range(len(holds)))
        return all(
            (self.matrix.impossible(one) is not None) is part
            for one, part in zip(named, holds, strict=True)
        )

    def _claims(self) -> list[tuple[Values, Claim, tuple[bool, ...]]]:
        """Plays in which White stops, each with a claim, and which parts of the goal hold.

        Those of which some part holds tell the orders of bits apart.
        """
        found: dict[Claim, tuple[Values, Claim, tuple[bool, ...]]] = {}
        goals = self.game.model.problem.goals(Player.WHITE)
        for moves in self._stopped() if goals else ():
            state = self._states(moves)[-1]
            copies = self.matrix.copies(self._values(moves, stopping=True))
            for index, goal in enumerate(goals if copies is not None else ()):
                for x, y in self.game.grounding.positions(goal):
                    holds = tuple(self._holds((part,), x, y, state) for part in goal)
                    claim = index, x - 1, y - 1
                    if copies is not None and (any(holds) or len(goal) == 1) and claim not in found:
                        found[claim] = copies[0], claim, holds
            if len(found) >= _MOST_CLAIMS:
                break
        return [*found.values()]

    def _stopped(self) -> Iterator[tuple[str, ...]]:
        """Plays up to a ply of White's at which White may stop."""
        for play in self.plays:
            for ply in self.layout.moves[: len(play.moves)]:
                if ply.player is Player.WHITE and ply.stop is not None:
                    yield play.moves[: ply.ply]

    # -- plays ------------------------------------------------------------------------------

    def _holds(self, condition: Condition, x: int, y: int, state: int) -> bool:
        contents = self.game.grounding.contents(condition, x, y)
        if contents is None:
            return False
        care, value = self.game.grounding.pack(contents)
        return state & care == value

    def _states(self, moves: Sequence[str]) -> list[int]:
        position = self.game.initial
        states = [self.game.grounding.state_of(position.board)]
        for move in moves:
            position = position.after(self.game.parse_move(move, position.to_move))
            states.append(self.game.grounding.state_of(position.board))
        return states

    def _values(self, moves: Sequence[str], *, stopping: bool = False) -> Values:
        """The values of a play in which nobody stops, or at its end the one who moves last."""
        values: Values = {}
        for ply, move in zip(self.layout.moves, moves, strict=False):
            values |= self._said(ply, move)
        last = self.layout.moves[len(moves) - 1] if moves else None
        if stopping and last is not None and last.stop is not None:
            values[abs(last.stop)] = last.stop > 0
        return values

    def _said(self, ply: Ply, move: str) -> Values:
        stop = {} if ply.stop is None else {abs(ply.stop): ply.stop < 0}
        return {**ply.coding.encode(move), **stop}


def _literal(among: Sequence[int], wanted: Sequence[tuple[Values, bool | None]]) -> int:
    """A literal that has the wanted value wherever one is wanted; else 0."""
    for v in among:
        for same in (True, False):
            if all(v in values and values[v] is (flag is same) for values, flag in wanted):
                return v if same else -v
    return 0


def _chosen(among: Sequence[int], width: int) -> Iterator[Bits]:
    """So many of some variables in all orders: those that stand together first."""
    together = [tuple(among[k : k + width]) for k in range(len(among) - width + 1)]
    orders = (*together, *(bits[::-1] for bits in together))
    yield from orders
    yield from permutations(among, width)


def _orders(among: Sequence[int], widths: tuple[int, int, int]) -> Iterator[_Axes]:
    """The bits of claims with numbers of these widths, the likely orders first."""
    for bits in islice(_chosen(among, sum(widths)), _MOST_ORDERS):
        for order in permutations(range(3)):
            axes: dict[int, Bits] = {}
            start = 0
            for axis in order:
                axes[axis] = bits[start : start + widths[axis]]
                start += widths[axis]
            yield _Axes(axes[0], axes[1], axes[2])


def _number(bits: Bits, value: int) -> Values:
    return {v: bool(bit) for v, bit in zip(bits, value_bits(value, len(bits)), strict=True)}


# Plays that are looked at: fewer where each is looked at in many places.
_PLAYS: Final = 20
_FEW: Final = 4
_POINTS: Final = 640
_MOST_POOL: Final = 8
_MOST_PERMUTED: Final = 6
_MOST_CODES: Final = 64


def with_board(
    layout: Layout, formula: Qbf, sketch: Sketch, game: TwoPlayerGame, deadline: Deadline = NEVER
) -> Layout:
    """The layout of moves with the board that the formula has.

    The layout stays as it is where none is found, and where a game has no atoms.
    """
    search = _search(layout, formula, sketch, game, deadline)
    with search.matrix.solver:
        state = search.board()
        moves = search.with_stops() if state.is_board else layout.moves
        if moves is None:
            return layout
        found = replace(layout, moves=moves, state=state)
        if state.is_board and isinstance(game, BddlGame):
            return with_goals(found, search.matrix, search.sketch.plays, game)
        return found


def with_legality(
    layout: Layout, formula: Qbf, sketch: Sketch, game: TwoPlayerGame, deadline: Deadline = NEVER
) -> Layout:
    """The layout of moves with the gates of legality that the formula has."""
    search = _search(layout, formula, sketch, game, deadline)
    with search.matrix.solver:
        return replace(layout, gates={**layout.gates, **search.legality()})


def _search(
    layout: Layout, formula: Qbf, sketch: Sketch, game: TwoPlayerGame, deadline: Deadline
) -> _Search:
    sayable = tuple(play for play in sketch.plays if _is_said(layout, play.moves))
    known = replace(sketch, plays=sayable)
    return _Search(layout, trimmed(formula), known, game, deadline)


@dataclass
class _Seen:
    """Values of literals at many points: bit k of a mask is point k."""

    points: int = 0
    known: dict[int, int] = field(default_factory=dict)
    true: dict[int, int] = field(default_factory=dict)

    def add(self, forced: Sequence[int]) -> int:
        """Note a point; the result is its mask."""
        mask = 1 << self.points
        self.points += 1
        for literal in forced:
            v = abs(literal)
            self.known[v] = self.known.get(v, 0) | mask
            if literal > 0:
                self.true[v] = self.true.get(v, 0) | mask
        return mask

    def literal(self, where: int, wanted: int, among: Collection[int]) -> int:
        """The first literal of ``among`` that is ``wanted`` at all points ``where``; else 0.

        There is none for what is the same everywhere: any constant would do.
        """
        wanted &= where
        if wanted in (0, where):
            return 0
        for v in among:
            if self.known.get(v, 0) & where == where:
                true = self.true.get(v, 0) & where
                if true == wanted:
                    return v
                if true == where ^ wanted:
                    return -v
        return 0

    def is_always(self, literal: int, where: int) -> bool:
        """True if the literal is true at all points ``where``."""
        v = abs(literal)
        true = self.true.get(v, 0) if literal > 0 else ~self.true.get(v, 0)
        return self.known.get(v, 0) & true & where == where


@dataclass(frozen=True)
class _Point:
    """A mask of :class:`_Seen`, the values of the symbolic variables, and the positions there."""

    mask: int
    pool: tuple[bool, ...]
    positions: tuple[Position, ...]


@dataclass
class _Search:
    layout: Layout
    formula: Qbf
    sketch: Sketch
    game: TwoPlayerGame
    deadline: Deadline

    def __post_init__(self) -> None:
        self.moves = {abs(x) for ply in self.layout.moves for x in ply.all_variables}
        self.gates = () if is_clausal(self.formula) else tuple(self.formula.gates)
        variables = [v for scope in self.formula.scopes for v in scope.variables]
        quantifiers = self.formula.quantifiers()
        self.helpers = [
            v for v in variables if v not in self.moves and quantifiers[v] is Quantifier.EXISTS
        ]
        # A symbolic position stands in the innermost universal block.
        scopes = self.formula.merged_scopes()
        universal = [s.variables for s in scopes if s.quantifier is Quantifier.FORALL]
        self.pool = [v for v in universal[-1] if v not in self.moves] if universal else []
        first = variables.index(self.pool[0]) if self.pool else 0
        self.outer = set(variables[:first]).intersection(self.helpers)
        self.inner = [v for v in self.helpers if v not in self.outer]
        self.matrix = Matrix(self.formula, self.pool, self.outer, self.deadline)
        self.flags = [*self._flags()] if self.game.language == "bddl" else []
        self.stops: set[int] = set()

    def _flags(self) -> Iterator[int]:
        """Variables that stand with a move and are none: White may stop with one, and Black."""
        for scope in self.formula.scopes:
            if self.moves.intersection(scope.variables):
                yield from (v for v in scope.variables if v not in self.moves)

    # -- Legality ---------------------------------------------------------------------------

    def legality(self) -> dict[str, int]:
        """For each ply a gate of moves alone that is true exactly at legal ones."""
        found: dict[str, int] = {}
        if not self.gates:
            return found
        for ply in self.layout.moves:
            left: set[int] | None = None
            legal = {True: False, False: False}
            patterns: list[Mapping[int, bool]] = [
                dict(self._bits(ply.variables, bits)) for bits in _codes(len(ply.variables))
            ]
            patterns = patterns or [self._fixed(ply.ply - 1, m) for m in ply.moves]
            for play in self.sketch.plays[:_PLAYS]:
                if len(play.moves) < ply.ply or self.deadline.over:
                    continue
                before = self._values(play.moves[: ply.ply - 1])
                state = self._positions(play.moves[: ply.ply - 1])[-1]
                allowed = [
                    ply.coding.encode(str(m))
                    for m in state.legal_moves()
                    if ply.coding.can_say(str(m))
                ]
                for pattern in patterns:
                    forced = self.matrix.forced({**before, **pattern}, asserted=False) or ()
                    may = pattern in allowed
                    legal[may] = True
                    if left is None:
                        left = {x if may else -x for x in forced}
                    elif may:
                        left.intersection_update(forced)
                    else:
                        known = frozenset(forced)
                        left = {x for x in left if -x in known}
            # There is none for what is the same everywhere: any constant would do.
            own = (x for v in self.gates for x in (v, -v) if left is not None and x in left)
            literal = next(own, 0) if all(legal.values()) else 0
            if literal:
                found[f"{ply.player.value} {ply.ply} legal"] = literal
        return found

    def _bits(self, variables: Bits, bits: Sequence[bool]) -> Iterator[tuple[int, bool]]:
        for x, bit in zip(variables, bits, strict=True):
            yield abs(x), bit is (x > 0)

    # -- Boards -----------------------------------------------------------------------------

    def board(self) -> StateView:
        """The view of the position, with a symbolic place or with a literal for each atom."""
        if len(self.pool) > _MOST_POOL or not self.game.words:
            return StateView()
        seen = _Seen()
        points = [*self._points(seen)]
        if not points:
            return StateView()
        among = (*self.helpers, *self.gates)
        if not self.pool:
            return self._atoms(seen, points, among)
        if self.game.language == "bddl":
            return self._grid(seen, points, among)
        return self._listed(seen, points, among)

    def with_stops(self) -> tuple[Ply, ...] | None:
        """The plies with the flags that are free as stops; ``None`` where these are too many.

        The board is as the rules have it where nobody stops.
        """
        plies: list[Ply] = []
        for ply in self.layout.moves:
            own = {abs(x) for x in ply.variables}
            scopes = [s.variables for s in self.formula.scopes if own.intersection(s.variables)]
            free = [v for v in self.stops if any(v in scope for scope in scopes)]
            if len(free) > 1:
                return None
            last = ply is self.layout.moves[-1]
            plies.append(
                replace(ply, stop=free[0], stop_instead=False) if free and not last else ply
            )
        return tuple(plies)

    def _points(self, seen: _Seen) -> Iterator[_Point]:
        if not self.pool:
            # Gates have values in all plays; many are needed, for no place tells plays apart.
            yield from self._plain_points(seen)
            return
        won = [play for play in self.sketch.plays if play.black_wins]
        for play in won[: min(_PLAYS, max(_FEW, _POINTS >> len(self.pool)))]:
            positions = self._positions(play.moves)
            for values, forced in self._copies(self._going_on(self._values(play.moves))):
                yield _Point(seen.add(forced), values, positions)

    def _plain_points(self, seen: _Seen) -> Iterator[_Point]:
        for play in self.sketch.plays:
            if self.deadline.over:
                return
            fixed = self._going_on(self._values(play.moves)) if play.black_wins else {}
            forced = self.matrix.forced(fixed or self._values(play.moves), asserted=play.black_wins)
            if forced is not None:
                yield _Point(seen.add(forced), (), self._positions(play.moves))

    def _going_on(self, fixed: dict[int, bool]) -> dict[int, bool]:
        """The values of a play in which nobody stops: flags are false where they may be."""
        for v in self.flags:
            may = [self.matrix.may_be(fixed, [x]) for x in (-v, v)]
            if all(may):
                self.stops.add(v)
            fixed = {**fixed, v: not may[0]}
        return fixed

    def _copies(self, fixed: dict[int, bool]) -> list[Copy]:
        """What is forced for each value of the symbolic variables, by a search where that helps."""
        found = self.matrix.copies(fixed)
        if found is None:
            return []
        shared, copies = found
        return [(values, self._more(shared, values, forced)) for values, forced in copies]

    def _more(
        self, shared: Mapping[int, bool], values: Sequence[bool], forced: Sequence[int]
    ) -> list[int]:
        """What is forced at a point, with inner variables of which that takes a search."""
        point = {**shared, **dict(zip(self.pool, values, strict=True))}
        known = set(map(abs, forced))
        found = list(forced)
        for v in self.inner:
            if v in known or self.deadline.over:
                continue
            for literal in (v, -v):
                if not self.matrix.may_be(point, [literal]):
                    found.append(-literal)
                    break
        return found

    def _atoms(self, seen: _Seen, points: Sequence[_Point], among: Sequence[int]) -> StateView:
        """A literal for each atom that changes at some time; nothing where one is missing."""
        kinds = tuple(self.game.words)
        states: list[Bits] = []
        for time in range(self.layout.plies + 1):
            there = [point for point in points if time < len(point.positions)]
            where = sum(point.mask for point in there)
            true = dict.fromkeys(kinds, 0)
            for point in there:
                for atom in self.game.atoms(point.positions[time]):
                    if atom in true:
                        true[atom] |= point.mask
            bits = tuple(seen.literal(where, true[atom], among) for atom in kinds)
            told = [x for x in bits if x]
            changing = sum(true[atom] not in (0, where) for atom in kinds)
            if len(set(map(abs, told))) < changing:
                return StateView()
            states.append(bits if told else ())
        return StateView(kinds, tuple(states)) if any(states) else StateView()

    def _listed(self, seen: _Seen, points: Sequence[_Point], among: Sequence[int]) -> StateView:
        """Literals of kinds at a symbolic position whose values number the places of a list."""
        best = StateView()
        for names in self._lists():
            for bits in self._arrangements(width_for(len(names))):
                view = self._kinds(seen, points, among, names, bits)
                if len([*view.literals]) > len([*best.literals]):
                    best = view
            if best.kinds:
                break
        return best

    def _lists(self) -> list[tuple[str, ...]]:
        """What the numbers of a place may stand for, the longest lists first."""
        lists = [ply.moves for ply in self.layout.moves]
        lists += [tuple(map(str, self.game.moves(player))) for player in Player]
        return sorted(dict.fromkeys(lists), key=len, reverse=True)

    def _kinds(
        self,
        seen: _Seen,
        points: Sequence[_Point],
        among: Sequence[int],
        names: tuple[str, ...],
        bits: Sequence[int],
    ) -> StateView:
        places = self._places(points, bits)
        kinds = ("black", "white", "occupied")
        used: set[int] = set()
        states: list[Bits] = []
        for time in range(self.layout.plies + 1):
            where, true = 0, dict.fromkeys(kinds, 0)
            for point, number in zip(points, places, strict=True):
                if time < len(point.positions) and number < len(names):
                    where |= point.mask
                    atoms = self.game.atoms(point.positions[time])
                    for kind in kinds:
                        if f"{kind} {names[number]}" in atoms:
                            true[kind] |= point.mask
            row: list[int] = []
            for kind in kinds:
                row.append(seen.literal(where, true[kind], self._unused(among, used)))
                used.add(row[-1])
            states.append(tuple(row))
        told = [k for k in range(len(kinds)) if any(state[k] for state in states[1:])]
        if not told:
            return StateView()
        return StateView(
            tuple(kinds[k] for k in told),
            tuple(tuple(state[k] for k in told) for state in states),
            (Number(tuple(bits), len(names)),),
            names,
        )

    def _grid(self, seen: _Seen, points: Sequence[_Point], among: Sequence[int]) -> StateView:
        """Two literals a position: what is on the square that the symbolic variables name."""
        size = self.game.initial.board
        widths = tuple(0 if n == 1 else width_for(n) for n in (size.width, size.height))
        for bits in self._arrangements(sum(widths)):
            for order in (0, 1):
                cut = widths[order]
                first, second = tuple(bits[:cut]), tuple(bits[cut:])
                x, y = (first, second) if order == 0 else (second, first)
                view = self._squares(
                    seen, points, among, Number(x, size.width), Number(y, size.height)
                )
                if view.states:
                    return view
        return StateView()

    def _squares(
        self, seen: _Seen, points: Sequence[_Point], among: Sequence[int], x: Number, y: Number
    ) -> StateView:
        columns, rows = (self._places(points, axis.bits) for axis in (x, y))
        wanted: list[tuple[int, int, int]] = []
        for time in range(self.layout.plies + 1):
            where = taken = white = 0
            for point, column, row in zip(points, columns, rows, strict=True):
                if time < len(point.positions) and column < x.size and row < y.size:
                    content = point.positions[time].board[column + 1, row + 1]
                    where |= point.mask
                    taken |= 0 if content is Square.OPEN else point.mask
                    white |= point.mask if content is Square.WHITE else 0
            wanted.append((where, taken, white))
        occupied = self._row(seen, [(where, taken) for where, taken, _ in wanted], among)
        others = self._unused(among, occupied)
        color = self._row(seen, [(taken, white) for _, taken, white in wanted], others)
        states = tuple(zip(occupied, color, strict=False))
        if len(states) < max(1, self.layout.plies):
            return StateView()
        if states[-1][0] > 0:
            return board_view(x, y, states, StateCode.OCCUPIED_WHITE)
        opened = tuple((-first, second) for first, second in states)
        return board_view(x, y, opened, StateCode.OPEN_WHITE)

    def _row(
        self, seen: _Seen, wanted: Sequence[tuple[int, int]], among: Sequence[int]
    ) -> list[int]:
        """The literals that are wanted at the times from 0 on, as far as there are any.

        ``wanted`` has for each time the points that count, and those at which it is true.  What is
        the same at all of them, as on an empty board, is no mark of a literal: the one that stands
        in line with those of other times is taken first, if it has these values.
        """
        found: dict[int, int] = {}
        for time, pair in enumerate(wanted):
            found[time] = seen.literal(*pair, self._unused(among, found.values()))
        row: list[int] = []
        for time, (where, true) in enumerate(wanted):
            near = self._in_line(found, time)
            if (
                near
                and near not in row
                and seen.is_always(near, true)
                and seen.is_always(-near, where & ~true)
            ):
                row.append(near)
            elif found[time] and found[time] not in row:
                row.append(found[time])
            else:
                break
        return row

    def _unused(self, among: Sequence[int], used: Iterable[int]) -> list[int]:
        """Those of ``among`` that are no variables with another place already."""
        taken = set(map(abs, used)).intersection(self.helpers)
        return [v for v in among if v not in taken]

    def _in_line(self, found: Mapping[int, int], time: int) -> int:
        """The helper that stands at ``time`` in the line of most of those that were found."""
        at = {v: k for k, v in enumerate(self.helpers)}
        known = [(t, at[abs(x)], x > 0) for t, x in found.items() if abs(x) in at]
        lines = Counter[tuple[int, int, bool]]()
        for (t, k, sign), (u, other, same) in combinations(known, 2):
            step, rest = divmod(other - k, u - t)
            if not rest and sign is same:
                lines[k - t * step, step, sign] += 1
        if not lines:
            return 0
        (first, step, sign), _ = lines.most_common(1)[0]
        k = first + time * step
        if not 0 <= k < len(self.helpers):
            return 0
        return self.helpers[k] if sign else -self.helpers[k]

    def _places(self, points: Sequence[_Point], bits: Sequence[int]) -> list[int]:
        """The number that the symbolic variables ``bits`` say at each point."""
        at = [self.pool.index(v) for v in bits]
        found: list[int] = []
        for point in points:
            number = 0
            for k in at:
                number = 2 * number + point.pool[k]
            found.append(number)
        return found

    def _arrangements(self, width: int) -> Iterator[tuple[int, ...]]:
        """Variables that may name a place: those that stand together first."""
        pool = self.pool
        given: set[tuple[int, ...]] = set()
        together = [tuple(pool[k : k + width]) for k in range(len(pool) - width + 1)]
        together += [bits[::-1] for bits in together]
        others = permutations(pool, width) if len(pool) <= _MOST_PERMUTED else iter(())
        for bits in (*together, *others):
            if bits not in given and not self.deadline.over:
                given.add(bits)
                yield bits

    # -- Plays ------------------------------------------------------------------------------

    def _positions(self, moves: Sequence[str]) -> tuple[Position, ...]:
        positions = [self.game.initial]
        for move in moves:
            last = positions[-1]
            positions.append(last.after(self.game.parse_move(move, last.to_move)))
        return tuple(positions)

    def _values(self, moves: Sequence[str]) -> dict[int, bool]:
        values: dict[int, bool] = {}
        for ply, move in enumerate(moves):
            values |= self._fixed(ply, move)
        return values

    def _fixed(self, ply: int, move: str) -> dict[int, bool]:
        return dict(self.layout.moves[ply].coding.encode(move))


def _codes(width: int) -> list[tuple[bool, ...]]:
    """All values of so many variables; none where there are too many."""
    return list(product((False, True), repeat=width)) if 1 << width <= _MOST_CODES else []


def _is_said(layout: Layout, moves: Sequence[str]) -> bool:
    """True if each move of a play has a code."""
    return len(moves) <= layout.plies and all(
        ply.coding.can_say(move) for ply, move in zip(layout.moves, moves, strict=False)
    )
