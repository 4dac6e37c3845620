"""The rules of a BDDL game as a circuit: the explicit board over time, driven by move bits.

Built from the grounded rules alone (section 3.3 of the paper), with one literal for each
square and colour; it shares nothing with the encodings, whose symbolic board and indicators
are compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.encodings.layout.grid import Bits, Layout, MoveVariables
from qsage_validate.games.bddl.ground import GroundAction
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player, Square

State = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RulesPly:
    """One ply: what the rules say of the move that the bits stand for.

    ``in_bounds`` (the bits name an action and parameters within its bounds), ``legal`` and
    ``goal`` (the mover's goal holds after the move) are AIG literals; ``after`` is the next
    state, which is the state before where the move is illegal.
    """

    legal: int
    in_bounds: int
    goal: int
    after: State


class RulesCircuit:
    """Builds states and plies of a game inside a graph.

    A state is one literal for each bit of ``Grounding``'s states: black, white and occupied
    squares.  ``literals`` maps the formula's variables to AIG literals.
    """

    def __init__(
        self, builder: AigBuilder, game: BddlGame, layout: Layout, literals: Mapping[int, int]
    ) -> None:
        self.builder = builder
        self.game = game
        self.layout = layout
        self.literals = literals
        self._cache: dict[tuple[State, int, int], int] = {}

    @property
    def initial(self) -> State:
        """The initial state, as constants."""
        number = self.game.grounding.initial
        return tuple(number >> bit & 1 for bit in range(3 * self.game.grounding.squares))

    def bits(self, variables: Bits) -> Bits:
        """The AIG literals of signed formula literals."""
        return tuple(self.literals[abs(v)] ^ (v < 0) for v in variables)

    def equals(self, bits: Sequence[int], number: int) -> int:
        """Whether ``bits``, most significant first, stand for ``number``."""
        if number >> len(bits):
            return FALSE
        return self.builder.and_all(
            bit ^ 1 ^ (number >> place & 1)
            for place, bit in zip(range(len(bits) - 1, -1, -1), bits, strict=True)
        )

    def holds(self, state: State, care: int, value: int) -> int:
        """Whether ``state & care == value``."""
        key = (state, care, value)
        if key not in self._cache:
            self._cache[key] = self.builder.and_all(
                literal ^ 1 ^ (value >> bit & 1)
                for bit, literal in enumerate(state)
                if care >> bit & 1
            )
        return self._cache[key]

    def goal(self, state: State, player: Player) -> int:
        """Whether a goal of ``player`` holds (Definition 8)."""
        return self.builder.or_all(
            self.holds(state, goal.care, goal.value) for goal in self.game.grounding.goals[player]
        )

    def at(self, x: Bits, y: Bits, column: int, row: int) -> int:
        """Whether coordinate vectors name the square (column, row), 1-based.

        On an axis of length 1 the bits mean nothing.
        """
        here_x = TRUE if self.layout.width == 1 else self.equals(x, column - 1)
        here_y = TRUE if self.layout.height == 1 else self.equals(y, row - 1)
        return self.builder.and_(here_x, here_y)

    def ply(self, move: MoveVariables, state: State) -> RulesPly:
        """The ply whose variables are ``move``, from ``state`` (Definition 7)."""
        builder = self.builder
        action_bits, x, y = self.bits(move.action), self.bits(move.x), self.bits(move.y)
        names = [a.name for a in self.game.model.domain.actions(move.player)]
        order = {name: number for number, name in enumerate(self.layout.actions(move.player))}

        def chosen(action: int, column: int, row: int) -> int:
            number = order[names[action]]
            named = TRUE if len(order) == 1 else self.equals(action_bits, number)
            return builder.and_(named, self.at(x, y, column, row))

        grounding = self.game.grounding
        in_bounds = builder.or_all(
            chosen(index, column, row)
            for index, action in enumerate(self.game.model.domain.actions(move.player))
            for column, row in grounding.positions(action.precondition, action.effect)
        )
        made = [
            (
                builder.and_(
                    chosen(action.action, action.x, action.y),
                    self.holds(state, action.care, action.value),
                ),
                action,
            )
            for action in grounding.actions[move.player]
        ]
        after = self._after(state, made)
        return RulesPly(
            legal=builder.or_all(literal for literal, _ in made),
            in_bounds=in_bounds,
            goal=self.goal(after, move.player),
            after=after,
        )

    def _after(self, state: State, made: Sequence[tuple[int, GroundAction]]) -> State:
        touched: list[list[int]] = [[] for _ in state]
        put: list[list[int]] = [[] for _ in state]
        for literal, action in made:
            for bit in range(len(state)):
                if not action.keep >> bit & 1:
                    touched[bit].append(literal)
                    if action.put >> bit & 1:
                        put[bit].append(literal)
        or_all, and_ = self.builder.or_all, self.builder.and_
        return tuple(
            self.builder.or_(or_all(put[bit]), and_(before, or_all(touched[bit]) ^ 1))
            for bit, before in enumerate(state)
        )

    def square(self, state: State, column: int, row: int, content: Square) -> int:
        """Whether ``content`` stands on (column, row), 1-based."""
        number, squares = self.game.grounding.square(column, row), self.game.grounding.squares
        planes = {Square.BLACK: 0, Square.WHITE: 1, Square.OPEN: 2}
        return state[planes[content] * squares + number] ^ (content is Square.OPEN)

    def lookup(self, state: State, x: Bits, y: Bits, content: Square) -> int:
        """Whether ``content`` stands on the square that coordinate vectors name.

        False when they name no square of the board.
        """
        return self.builder.or_all(
            self.builder.and_(self.at(x, y, column, row), self.square(state, column, row, content))
            for column in range(1, self.layout.width + 1)
            for row in range(1, self.layout.height + 1)
        )

    def claimed_goal(self, state: State, player: Player, condition: Bits, x: Bits, y: Bits) -> int:
        """Whether the goal instance that claim vectors name holds.

        An axis without bits is one that the claim leaves open.
        """
        return self.builder.or_all(
            self.builder.and_(named, holds)
            for named, holds in self._instances(state, player, condition, x, y)
        )

    def claimable_goal(
        self, state: State, player: Player, condition: Bits, x: Bits, y: Bits
    ) -> int:
        """Whether some goal instance holds that the claim vectors can name at all."""
        return self.builder.or_all(
            holds
            for named, holds in self._instances(state, player, condition, x, y)
            if named != FALSE
        )

    def _instances(
        self, state: State, player: Player, condition: Bits, x: Bits, y: Bits
    ) -> Iterator[tuple[int, int]]:
        """For each goal instance of ``player``: it is the named one, and it holds."""
        goals = self.game.model.problem.goals(player)
        for number, goal in enumerate(goals):
            chosen = self.equals(condition, number)
            for column, row in self.game.grounding.positions(goal):
                contents = self.game.grounding.contents(goal, column, row)
                if contents is None:
                    continue
                care, value = self.game.grounding.pack(contents)
                named = self.builder.and_all(
                    (
                        chosen,
                        self.equals(x, column - 1) if x else TRUE,
                        self.equals(y, row - 1) if y else TRUE,
                    )
                )
                yield named, self.holds(state, care, value)
