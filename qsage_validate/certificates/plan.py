"""Winning plans: a strategy as a small graph of shared decisions.

A plan node says what its player (the *hero*) plays and, for each reply of the opponent, which
node comes next.  Where a turn has several plies, a reply is all of the opponent's plies until the
hero moves again, or none (:class:`Moves`).  One node may serve many positions: it need only name
a move that wins in all of them, and its successors likewise.  Few nodes make small certificates,
so a node is extended to a new position whenever the strategy that it stands for wins there too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from qsage_validate.errors import QsageError, counted
from qsage_validate.games.protocol import (
    Move,
    Player,
    Position,
    TwoPlayerGame,
    Witness,
)
from qsage_validate.system.limits import NEVER, Deadline

if TYPE_CHECKING:
    from qsage_validate.games.positional.cover_game import PlanningGame

Key = TypeVar("Key", bound=Hashable)

# How many existing nodes are tried for a position, and how many positions all trials of a run
# may visit, before new nodes are made without asking.
_CANDIDATES = 48
_BUDGET = 400_000


class NoWinError(QsageError):
    """A plan was asked for a player who does not win."""


@dataclass(frozen=True, slots=True)
class Moves:
    """The opponent's moves between two plies of the hero's, where they are not exactly one."""

    moves: tuple[Move, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.moves))


@dataclass(eq=False, slots=True)
class PlanNode:
    """A decision of the hero.

    ``stop`` says that the move reaches the hero's goal and ends the play; then ``witnesses``
    are the goal instances that hold in every position which the node serves.
    """

    ply: int
    move: Move
    stop: bool
    witnesses: frozenset[Witness]
    table: dict[Move, PlanNode] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Plan:
    """A winning plan: ``root`` when the hero begins, else ``replies`` to the first move."""

    hero: Player
    root: PlanNode | None
    replies: dict[Move, PlanNode]

    def nodes(self) -> Iterator[PlanNode]:
        """All nodes, each once, in the order of the plies."""
        layer = [self.root] if self.root is not None else list(self.replies.values())
        while layer:
            layer = list(dict.fromkeys(layer))
            yield from layer
            layer = [child for node in layer for child in node.table.values()]


class Planner:
    """Builds a plan for the player who wins a game.

    ``wins(position)`` says whether the hero wins from a position that has not ended.  At the
    deadline the attempt ends with ``UndecidedError``.
    """

    def __init__(
        self,
        game: TwoPlayerGame | PlanningGame,
        hero: Player,
        wins: Callable[[Position], bool],
        budget: int = _BUDGET,
        deadline: Deadline = NEVER,
    ) -> None:
        self.game = game
        self.hero = hero
        self.wins = wins
        self.budget = budget
        self.deadline = deadline
        # Half of the time may go into merging; then what is left is to be finished.
        self._merge_until = deadline.share(1 / 2)
        self.pools: dict[int, list[PlanNode]] = {}
        self.assigned: dict[tuple[int, Position], PlanNode] = {}
        self._done: set[tuple[int, Position]] = set()
        self._trail: list[Callable[[], object]] = []
        self._ticks = 0
        self._afters: dict[Position, dict[Move, Position]] = {}
        self._known: dict[Position, bool] = {}
        self._goals: dict[Position, frozenset[Witness]] = {}

    # -- the rules, asked once ------------------------------------------------------------------

    def _after(self, position: Position) -> dict[Move, Position]:
        """The legal moves of a position with what they lead to."""
        found = self._afters.get(position)
        if found is None:
            found = {move: position.play(move) for move in position.legal_moves()}
            self._afters[position] = found
        return found

    def _wins(self, position: Position) -> bool:
        """True if the hero wins from a position, ended or not."""
        if position.outcome is not None:
            return position.outcome.winner is self.hero
        found = self._known.get(position)
        if found is None:
            found = self._known[position] = self.wins(position)
        return found

    def _reached(self, position: Position) -> frozenset[Witness]:
        """The goals of the hero that hold."""
        found = self._goals.get(position)
        if found is None:
            found = self._goals[position] = self.game.witnesses(position, self.hero)
        return found

    def build(self) -> Plan:
        """The plan; raises ``NoWinError`` when the hero does not win."""
        initial = self.game.initial
        if initial.outcome is not None:
            if initial.outcome.winner is not self.hero:
                raise NoWinError(f"{self.hero} does not win: {initial.outcome.reason}")
            return Plan(self.hero, None, {})
        if not self.wins(initial):
            raise NoWinError(f"{self.hero} does not win within {counted(self.game.plies, 'ply')}")
        if initial.to_move is self.hero:
            return Plan(self.hero, self._cover({None: initial})[None], {})
        return Plan(self.hero, None, self._cover(self._replies(initial)))

    def _replies(self, after: Position) -> dict[Move, Position]:
        """The replies until the hero moves again; plays that have ended (won) are left out."""
        if after.to_move is self.hero:
            return {Moves(()): after}
        first = self._open(after)
        replies: list[tuple[tuple[Move, ...], Position]] = [((m,), p) for m, p in first.items()]
        if all(position.to_move is self.hero for _, position in replies):
            return first
        while any(position.to_move is not self.hero for _, position in replies):
            # The players of plies are given, so these positions are all of one ply.
            replies = [
                ((*moves_before, move), position)
                for moves_before, before in replies
                for move, position in self._open(before).items()
            ]
        return {Moves(moves_before): position for moves_before, position in replies}

    def _open(self, position: Position) -> dict[Move, Position]:
        """The moves after which the play goes on."""
        return {m: p for m, p in self._after(position).items() if p.outcome is None}

    def _cover(self, positions: dict[Key, Position]) -> dict[Key, PlanNode]:
        """A node for each of some positions of one ply, made for few nodes in all."""
        result: dict[Key, PlanNode] = {}
        pending: dict[Key, Position] = {}
        for key, position in positions.items():
            node = self._existing(position)
            if node is None:
                pending[key] = position
            else:
                result[key] = node
        while pending:
            node = self._new_node(list(pending.values()))
            for number, key in enumerate(list(pending)):
                # The first position is the one that the node was made for.
                if number and self.budget <= 0:
                    break
                if self._try(node, pending[key]):
                    result[key] = node
                    del pending[key]
        return {key: result[key] for key in positions}

    def _existing(self, position: Position) -> PlanNode | None:
        ply = position.ply
        node = self.assigned.get((ply, position))
        if node is not None:
            return node
        if self.budget <= 0:
            return None
        for candidate in self.pools.get(ply, [])[-_CANDIDATES:][::-1]:
            if self._try(candidate, position):
                return candidate
        return None

    def _new_node(self, positions: list[Position]) -> PlanNode:
        """A node for the first position, whose move serves as many of the others as possible."""
        first, *others = positions
        choices = list(self._winning_moves(first))
        best: tuple[tuple[bool, int], PlanNode] | None = None
        for move, after, stop in choices:
            node = PlanNode(first.ply, move, stop, self._reached(after) if stop else frozenset())
            score = (stop, sum(self._fits(node, other) for other in others))
            if best is None or score > best[0]:
                best = (score, node)
        if best is None:
            raise NoWinError(f"{self.hero} has no winning move in {first.board}")
        node = best[1]
        self.pools.setdefault(node.ply, []).append(node)
        return node

    def _winning_moves(self, position: Position) -> Iterator[tuple[Move, Position, bool]]:
        for move, after in self._after(position).items():
            if self._wins(after):
                yield move, after, after.outcome is not None and bool(self._reached(after))

    def _fits(self, node: PlanNode, position: Position) -> bool:
        """True if the node's move wins in a position; the node's table is not looked at."""
        after = self._after(position).get(node.move)
        if after is None or not self._wins(after):
            return False
        if after.outcome is None:
            return not node.stop
        found = self._reached(after)
        return bool(found & node.witnesses) if node.stop else not found

    # -- extending a node, undone when it fails -------------------------------------------------

    def _try(self, node: PlanNode, position: Position) -> bool:
        mark = len(self._trail)
        if self._extend(node, position):
            return True
        while len(self._trail) > mark:
            self._trail.pop()()
        return False

    def _tick(self) -> None:
        """One position more: spends the budget and looks at the clock now and then."""
        self.budget -= 1
        self._ticks += 1
        if self._ticks % 256:
            return
        self.deadline.check("the winning plan was made")
        if self._merge_until.over:
            self.budget = min(self.budget, 0)

    def _extend(self, node: PlanNode, position: Position) -> bool:
        key = (id(node), position)
        if key in self._done:
            return True
        self._tick()
        if not self._fits(node, position):
            return False
        after = self._after(position)[node.move]
        if node.stop:
            before = node.witnesses
            self._trail.append(lambda: setattr(node, "witnesses", before))
            node.witnesses &= self._reached(after)
        elif after.outcome is None:
            replies = self._replies(after)
            known = {move: p for move, p in replies.items() if move in node.table}
            for move, reply in known.items():
                if not self._extend(node.table[move], reply):
                    return False
            fresh = {move: p for move, p in replies.items() if move not in known}
            for move, child in self._cover(fresh).items():
                node.table[move] = child
                self._trail.append(partial(node.table.pop, move))
        self._done.add(key)
        self._trail.append(lambda: self._done.discard(key))
        place = (position.ply, position)
        if place not in self.assigned:
            self.assigned[place] = node
            self._trail.append(lambda: self.assigned.pop(place))
        return True
