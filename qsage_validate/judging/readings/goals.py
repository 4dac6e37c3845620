"""Indicators and claimed goals in a formula of a grid game whose moves and board are known.

An indicator is an existential variable behind a ply of White's that is forced to say whether a
precondition holds.  Of claims, orders of the bits are tried: in plays that a goal ends, its number
and place have to decide the formula.  Like a board this is a claim, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations
from typing import Final

from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.layout import Bits, GoalVariables, Indicators, Layout, Ply, value_bits
from qsage_validate.games.bddl.model import Condition
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.masks import width_for
from qsage_validate.games.protocol import Player
from qsage_validate.judging.readings.codes import SketchedPlay
from qsage_validate.judging.readings.propagation import Matrix

_PLAYS: Final = 12
_MOVES: Final = 40
"""So many moves are looked at in a ply, of so many plays."""
_MOST_ORDERS: Final = 5040
_MOST_PARTS: Final = 6
"""So many bits may number the part of a goal that does not hold."""
_MOST_CLAIMS: Final = 24
_FEW: Final = 4

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
        plays = [play for play in self.plays if len(play.moves) >= ply.ply][:_FEW]
        for play in plays:
            before = play.moves[: ply.ply - 1]
            state = self._states(before)[-1]
            for text in ply.moves[:_MOVES]:
                found = self.matrix.copies({**self._values(before), **self._said(ply, text)})
                if found is None:
                    continue
                move = self.game.parse_move(text, ply.player)
                action = actions[move.action]
                places = self.game.grounding.positions(action.precondition, action.effect)
                within = (move.x, move.y) in places
                flags: list[bool | None] = [
                    self._holds((part,), move.x, move.y, state) if within else None
                    for part in action.precondition
                ]
                yield found[0], [*flags, *[None] * (count - len(flags)), within]

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
            if not play.black_wins or not play.moves or len(seen) >= _PLAYS:
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
