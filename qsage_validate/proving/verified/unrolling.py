"""The unrolling of a game, gate by gate as ``verified/theories/Unroll.v`` makes it.

Nothing rests on this: the verified checker makes the unrolling again from the game's text, and a
proof of other clauses is no proof there.  It is here so that proofs can be written where that
program is not.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.errors import UsageError
from qsage_validate.formats.pg import pg_text
from qsage_validate.games.bddl.model import Action, Condition, Model, SubCondition
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player, Square, TwoPlayerGame

Atom = Hashable
Literal = tuple[Atom, bool]

_TRUE: Final = 1 << 40
"""The constant true among signed literals."""


@dataclass(frozen=True, slots=True)
class VerifiedMove:
    """A move of ``Games.v``: its text, what it needs, and what it sets."""

    name: str
    needs: tuple[Literal, ...]
    effects: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class VerifiedNetwork:
    """A network of ``Games.v`` over atoms."""

    cells: tuple[tuple[Atom, tuple[Atom, ...]], ...]
    source: tuple[Atom, ...]
    target: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class VerifiedRules:
    """A game of ``Games.v``; ``files`` has the texts that say it, by file name."""

    files: Mapping[str, str]
    start: tuple[Atom, ...]
    turns: tuple[Player, ...]
    moves: Mapping[Player, tuple[VerifiedMove, ...]]
    goals: Mapping[Player, tuple[tuple[Literal, ...], ...]]
    network: VerifiedNetwork | None
    goals_at_start: bool
    stuck_loses: bool


def rules_in_coq(game: TwoPlayerGame) -> VerifiedRules | str:
    """The rules that Coq's definitions give to a game's text; else why they do not cover it."""
    if isinstance(game, BddlGame):
        return _grid(game.model)
    if isinstance(game, PositionalGame):
        return _positional(game.model)
    return f"the rules in Coq are of positional games and of BDDL, not of {game.name}"


# -- Positional games ------------------------------------------------------------------------


def _positional(model: PositionalModel) -> VerifiedRules | str:
    try:
        pg = model.pg()
    except UsageError as error:
        return str(error)
    if pg.edges:
        return "the two borders of the network touch, which the rules in Coq do not read from PG"
    if not all((*model.black_wins, *model.white_wins)):
        return "a winning set is empty, which PG cannot say"
    black: Callable[[str], Atom] = lambda name: ("black", name)  # noqa: E731
    white: Callable[[str], Atom] = lambda name: ("white", name)  # noqa: E731

    def claims(own: Callable[[str], Atom]) -> tuple[VerifiedMove, ...]:
        return tuple(
            VerifiedMove(c, ((black(c), False), (white(c), False)), ((own(c), True),))
            for c in pg.positions
        )

    def sets(
        own: Callable[[str], Atom], rows: Iterable[Sequence[str]]
    ) -> tuple[tuple[Literal, ...], ...]:
        return tuple(tuple((own(c), True) for c in row) for row in rows)

    network = None
    if pg.neighbours:
        network = VerifiedNetwork(
            tuple((black(row[0]), tuple(map(black, row[1:]))) for row in pg.neighbours),
            tuple(map(black, pg.start_border)),
            tuple(map(black, pg.end_border)),
        )
    return VerifiedRules(
        files={"game.pg": pg_text(pg)},
        start=(*map(black, pg.black_initials), *map(white, pg.white_initials)),
        turns=model.turns[: model.plies],
        moves={Player.BLACK: claims(black), Player.WHITE: claims(white)},
        goals={Player.BLACK: sets(black, pg.black_wins), Player.WHITE: sets(white, pg.white_wins)},
        network=network,
        goals_at_start=True,
        stuck_loses=False,
    )


# -- BDDL ------------------------------------------------------------------------------------

_CONTENTS: Final = (Square.OPEN, Square.BLACK, Square.WHITE)


def _grid(model: Model) -> VerifiedRules | str:
    problem = model.problem
    width, height = problem.width, problem.height

    def square(part: SubCondition, x: int, y: int) -> tuple[int, int]:
        return part.x.at(x, width), part.y.at(y, height)

    def positions(parts: Condition) -> list[tuple[int, int]]:
        return [
            (x, y)
            for x in range(1, width + 1)
            for y in range(1, height + 1)
            if all(
                1 <= a <= width and 1 <= b <= height
                for a, b in (square(part, x, y) for part in parts)
            )
        ]

    def literals(condition: Condition, x: int, y: int) -> tuple[Literal, ...]:
        return tuple(
            ((part.predicate, *square(part, x, y)), not part.negated) for part in condition
        )

    def effects(condition: Condition, x: int, y: int) -> tuple[Literal, ...]:
        return tuple(
            ((content, *square(part, x, y)), content is part.predicate)
            for part in condition
            for content in _CONTENTS
        )

    def moves(action: Action) -> list[VerifiedMove]:
        found = []
        for x, y in positions((*action.precondition, *action.effect)):
            sets = effects(action.effect, x, y)
            if not any((atom, not value) in sets for atom, value in sets):
                needs = literals(action.precondition, x, y)
                found.append(VerifiedMove(f"{action.name}({x},{y})", needs, sets))
        return found

    contents: dict[tuple[int, int], Square] = {}
    for content, x, y in problem.initial:
        contents.setdefault((x, y), content)
    first = problem.first_player
    return VerifiedRules(
        files={"domain.bddl": str(model.domain), "problem.bddl": str(problem)},
        start=tuple(
            (contents.get((x, y), Square.OPEN), x, y)
            for x in range(1, width + 1)
            for y in range(1, height + 1)
        ),
        turns=tuple(first.other if k % 2 else first for k in range(problem.plies)),
        moves={
            player: tuple(m for action in model.domain.actions(player) for m in moves(action))
            for player in Player
        },
        goals={
            player: tuple(
                literals(goal, x, y) for goal in problem.goals(player) for x, y in positions(goal)
            )
            for player in Player
        },
        network=None,
        goals_at_start=False,
        stuck_loses=True,
    )


# -- The formula -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VerifiedUnrolling:
    """The formula, and the variable of each move at each ply: ``blocks[ply - 1][k]``."""

    rules: VerifiedRules
    formula: Qbf
    blocks: tuple[tuple[int, ...], ...]


State = Mapping[Atom, int]


def unroll(rules: VerifiedRules) -> VerifiedUnrolling:
    """The unrolling with the numbers that ``Unroll.v`` gives to variables and gates."""
    return _Unroller(rules).result()


class _Unroller:
    def __init__(self, rules: VerifiedRules) -> None:
        self.rules = rules
        self.blocks: list[tuple[int, ...]] = []
        self.next = 1
        for player in rules.turns:
            count = len(rules.moves[player])
            self.blocks.append(tuple(range(self.next, self.next + count)))
            self.next += count
        self.gates: dict[int, Gate] = {}
        self.touched = {
            player: list(reversed(dict.fromkeys(a for m in moves for a, _ in m.effects)))
            for player, moves in rules.moves.items()
        }
        # For each atom that is touched, the moves that set it, and those that unset it.
        self.on: dict[Player, dict[Atom, list[int]]] = {}
        self.off: dict[Player, dict[Atom, list[int]]] = {}
        for player, moves in rules.moves.items():
            for table, wanted in ((self.on, True), (self.off, False)):
                own = table.setdefault(player, {})
                for k, move in enumerate(moves):
                    for atom in {a for a, value in move.effects if value is wanted}:
                        own.setdefault(atom, []).append(k)

    # -- gates

    def _junction(self, unit: int, literals: Iterable[int]) -> int:
        kept = []
        for literal in literals:
            if literal == -unit:
                return -unit
            if literal != unit:
                kept.append(literal)
        if not kept:
            return unit
        if len(kept) == 1:
            return kept[0]
        gate = self.next
        self.next += 1
        connective = Connective.AND if unit > 0 else Connective.OR
        self.gates[gate] = Gate(connective, tuple(kept))
        return gate

    def conj(self, *literals: int) -> int:
        return self._junction(_TRUE, literals)

    def disj(self, *literals: int) -> int:
        return self._junction(-_TRUE, literals)

    # -- the game

    def holds(self, state: State, condition: Iterable[Literal]) -> int:
        return self.conj(
            *(state.get(a, -_TRUE) if value else -state.get(a, -_TRUE) for a, value in condition)
        )

    def first(self, bits: Iterable[int]) -> list[int]:
        seen, chosen = -_TRUE, []
        for bit in bits:
            chosen.append(self.conj(bit, -seen))
            seen = self.disj(seen, bit)
        return chosen

    def after(self, player: Player, chosen: Sequence[int], state: State) -> State:
        new = dict(state)
        on, off = self.on[player], self.off[player]
        for atom in self.touched[player]:
            unset = self.disj(*(chosen[k] for k in off.get(atom, ())))
            kept = self.conj(state.get(atom, -_TRUE), -unset)
            new[atom] = self.disj(kept, *(chosen[k] for k in on.get(atom, ())))
        return new

    def reached(self, player: Player, state: State) -> int:
        network = self.rules.network
        if player is Player.BLACK and network is not None:
            return self._connected(network, state)
        return self.disj(*[self.holds(state, goal) for goal in self.rules.goals[player]])

    def _connected(self, network: VerifiedNetwork, state: State) -> int:
        source = set(network.source)
        neighbours: dict[Atom, tuple[Atom, ...]] = {}
        for cell, near in network.cells:
            neighbours.setdefault(cell, near)
        passable = {cell: state.get(cell, -_TRUE) for cell, _ in network.cells}
        reach = {c: passable[c] if c in source else -_TRUE for c, _ in network.cells}
        for _ in network.cells:
            following = {}
            for cell, _ in network.cells:
                beside = [reach.get(n, -_TRUE) for n in neighbours[cell]]
                following[cell] = self.conj(passable[cell], self.disj(reach[cell], *beside))
            reach = following
        return self.disj(-_TRUE, *(reach.get(c, -_TRUE) for c in network.target))

    def play(self, ply: int, state: State) -> int:
        if ply == len(self.rules.turns):
            return -_TRUE
        player = self.rules.turns[ply]
        chosen = self.first(self.blocks[ply])
        legal = [self.holds(state, move.needs) for move in self.rules.moves[player]]
        made = [self.conj(c, can) for c, can in zip(chosen, legal, strict=True)]
        moved = self.disj(*made)
        following = self.after(player, chosen, state)
        goal = self.reached(player, following)
        rest = self.play(ply + 1, following)
        if player is Player.BLACK:
            return self.conj(moved, self.disj(goal, rest))
        allowed = self.disj(-moved, self.conj(-goal, rest))
        stuck = _TRUE if self.rules.stuck_loses else -_TRUE
        return self.conj(self.disj(stuck, *legal), allowed)

    def result(self) -> VerifiedUnrolling:
        rules = self.rules
        start: State = dict.fromkeys(rules.start, _TRUE)
        at_start = rules.goals_at_start
        black = self.reached(Player.BLACK, start) if at_start else -_TRUE
        white = self.reached(Player.WHITE, start) if at_start else -_TRUE
        play = self.play(0, start)
        output = self.disj(black, self.conj(-white, play))
        if abs(output) == _TRUE:
            connective = Connective.AND if output > 0 else Connective.OR
            self.gates[self.next] = Gate(connective, ())
            output = self.next
        quantifiers = {Player.BLACK: Quantifier.EXISTS, Player.WHITE: Quantifier.FORALL}
        scopes = tuple(
            Scope(quantifiers[player], block)
            for player, block in zip(rules.turns, self.blocks, strict=True)
        )
        return VerifiedUnrolling(rules, Qbf(scopes, self.gates, output), tuple(self.blocks))
