"""The tree of a strategy: what the certificate answers to each of the opponent's moves.

A node is a play after the certificate's answer, its children are the opponent's legal moves
with what is answered to them.  Nodes are made when they are looked at, many at a time.  Plays
are told apart by their moves and not by their positions: a certificate may answer one position
differently, depending on how it came about.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from qsage_validate.arena.frame import PlayState
from qsage_validate.arena.open import open_play_engine
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.certificates.oracles.choose import OracleKind
from qsage_validate.games.protocol import Player
from qsage_validate.problems.load import BoardProblem
from qsage_validate.strategies.reader import LayoutMove
from qsage_validate.validation.finding import Finding

# Plays that are asked for at a time: enough to fill the words of a simulation.
_BATCH = 1024
# Nodes that are looked at for a size, unless told otherwise.
BUDGET = 2_000


class StrategyNode:
    """A play at which the opponent is to move, or which has ended.

    ``states`` are the states after the opponent's move and after each answer (at the root: the
    start first); ``move`` is ``None`` at the root.
    """

    __slots__ = ("_children", "kept", "move", "parent", "states")

    def __init__(
        self, parent: StrategyNode | None, move: LayoutMove | None, states: tuple[PlayState, ...]
    ) -> None:
        self.parent = parent
        self.move = move
        self.states = states
        self.kept: bool | None = None
        self._children: tuple[StrategyNode, ...] | None = None

    @property
    def state(self) -> PlayState:
        return self.states[-1]

    @property
    def answer(self) -> str | None:
        """The certificate's answer in its text form; ``None`` where there is none.

        ``"?"`` is an answer that is no move.
        """
        before = self.parent.state.plies + 1 if self.parent is not None else 0
        return self.state.moves[-1] if self.state.plies > before else None

    @property
    def ended(self) -> bool:
        return self.state.ending is not None

    @property
    def expanded(self) -> bool:
        """True if the children are known."""
        return self.ended or self._children is not None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of this move and its reply."""
        return tuple(finding for state in self.states for finding in state.findings)

    @property
    def label(self) -> str:
        """``occupy(1,1) → occupy(2,2), Black wins``."""
        shown = " → ".join(str(part) for part in (self.move, self.answer) if part is not None)
        shown = shown or "start"
        ending = self.state.ending
        if ending is None:
            return shown
        return f"{shown}, {ending.winner} wins" if ending.winner else f"{shown}, {ending.reason}"

    @property
    def path(self) -> tuple[StrategyNode, ...]:
        nodes: list[StrategyNode] = []
        node: StrategyNode | None = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return tuple(reversed(nodes))

    @property
    def play(self) -> tuple[PlayState, ...]:
        """The states of the whole play, the start first."""
        return tuple(state for node in self.path for state in node.states)


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a subtree.

    ``plays`` are different sequences of moves, ``positions`` the different positions after any
    ply (the subtree's own node included) as far as rules or formula describe them, ``depth``
    the plies of the longest play and ``shortest`` of the shortest finished one, both from ply
    1; ``early`` the plays that the certificate's side wins before the last ply, ``lost`` those
    that it does not win.  Unless ``exact``, a budget ended the count: all numbers are at least
    so large (``shortest`` at most).
    """

    plays: int
    positions: int
    depth: int
    shortest: int | None
    early: int
    lost: int
    exact: bool

    @property
    def text(self) -> str:
        """``12 plays, 40 positions, to ply 5, 3 won early``."""
        parts = [
            _count(self.plays, "play"),
            _count(self.positions, "position"),
            f"to ply {self.depth}",
        ]
        if self.early:
            parts.append(f"{self.early:,} won early")
        if self.lost:
            parts.append(f"{self.lost:,} not won")
        return ("" if self.exact else "at least ") + ", ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


@dataclass(frozen=True, slots=True)
class StrategyReach:
    """How the plays of a subtree end, as far as it was looked at.

    ``plies`` are those of the longest play, from ply 1; ``complete`` says that every play was
    looked at, and ``kept`` that each of them ended as was promised.
    """

    plies: int
    complete: bool
    kept: bool


class Exploration:
    """The nodes of a subtree that were looked at, the nearest first.

    ``frontier`` are those whose children a budget or a cancellation left out.
    """

    def __init__(
        self, nodes: Sequence[StrategyNode], frontier: frozenset[StrategyNode], plies: int
    ) -> None:
        self.nodes = nodes
        self.frontier = frontier
        self._plies = plies

    @property
    def exact(self) -> bool:
        """True if the subtree is complete."""
        return not self.frontier

    @cached_property
    def size(self) -> Size:
        ends = [node for node in self.nodes if node.ended]
        lengths = [node.state.plies for node in ends]
        return Size(
            plays=len(ends) + len(self.frontier),
            positions=len({position_key(state) for state in self.states()} - {None}),
            depth=max(node.state.plies for node in self.nodes),
            shortest=min(lengths, default=None),
            early=sum(1 for n in ends if n.kept and n.state.plies < self._plies),
            lost=sum(1 for n in ends if n.kept is False),
            exact=self.exact,
        )

    def states(self) -> Iterator[PlayState]:
        """The states of all nodes; of the first one only the last."""
        yield self.nodes[0].state
        for node in self.nodes[1:]:
            yield from node.states

    @cached_property
    def _measures(self) -> dict[StrategyNode, tuple[int, int]]:
        """The plays and the depth of each node's subtree, as far as it was looked at."""
        measures: dict[StrategyNode, tuple[int, int]] = {}
        known = set(self.nodes)
        # Children come after their parents: one pass from the end suffices.
        for node in reversed(self.nodes):
            own = [measures[child] for child in _known_children(node) if child in known]
            plays = sum(plays for plays, _ in own) if own else 1
            depth = max((depth for _, depth in own), default=node.state.plies)
            measures[node] = (plays, depth)
        return measures

    def reach(self, node: StrategyNode) -> StrategyReach | None:
        """How the plays after ``node`` end; ``None`` where it was not looked at."""
        return self._reaches.get(node)

    @cached_property
    def _reaches(self) -> dict[StrategyNode, StrategyReach]:
        reaches: dict[StrategyNode, StrategyReach] = {}
        for node in reversed(self.nodes):
            own = [reaches.get(child) for child in _known_children(node)]
            known = [reach for reach in own if reach is not None]
            reaches[node] = StrategyReach(
                max((reach.plies for reach in known), default=node.state.plies),
                node.ended or (node.expanded and all(reach and reach.complete for reach in own)),
                node.kept is True if node.ended else all(reach.kept for reach in known),
            )
        return reaches

    def main_line(self) -> StrategyNode:
        """The end of the play in which the opponent always leaves most plays open."""
        return self._line(lambda node: self._measures[node])

    def deepest_line(self) -> StrategyNode:
        """The end of the first longest play."""
        return self._line(lambda node: self._measures[node][1:])

    def _line(self, rank: Callable[[StrategyNode], tuple[int, ...]]) -> StrategyNode:
        node = self.nodes[0]
        while own := [child for child in _known_children(node) if child in self._measures]:
            node = max(own, key=rank)  # the first of equal ones
        return node


def _known_children(node: StrategyNode) -> Iterable[StrategyNode]:
    return node._children or ()


def position_key(state: PlayState) -> Hashable | None:
    """Equal for plays at one position: by the rules, else by the formula's board.

    ``None`` when neither tells, as in the last ply of some formulas.
    """
    if state.position is not None:
        return state.position
    return None if state.board is None else (state.plies, state.board)


class StrategyTree:
    """The tree of a certificate's answers; nodes are made on demand.

    With rules, the children are the moves that they allow and ends are theirs; without, those
    that the formula allows.
    """

    def __init__(self, play_engine: PlayEngine) -> None:
        self._play_engine = play_engine
        (self.root,) = self._expanded([(None, None, play_engine.start())])
        self._explored: dict[tuple[StrategyNode, int], Exploration] = {}

    @property
    def player(self) -> Player:
        """The side that answers."""
        return self._play_engine.player

    def mover(self, ply: int) -> Player:
        """The player of a ply (from 1)."""
        return self._play_engine.mover(ply)

    @property
    def plies(self) -> int:
        """The largest number of plies of a play."""
        plies, game = self._play_engine.plies, self._play_engine.game
        return plies if game is None else min(plies, game.plies)

    # -- looking ----------------------------------------------------------------------------

    def children(self, node: StrategyNode) -> tuple[StrategyNode, ...]:
        """The opponent's legal moves with the answers, in the order of the moves."""
        self._expand([node])
        return tuple(_known_children(node))

    def at(self, moves: Sequence[str]) -> StrategyNode | None:
        """The node after these moves of the opponent; ``None`` where one of them is illegal."""
        node = self.root
        for text in moves:
            found = next((c for c in self.children(node) if str(c.move) == text), None)
            if found is None:
                return None
            node = found
        return node

    def size(self, node: StrategyNode, budget: int = BUDGET) -> Size:
        """The counts of ``node``'s subtree, after a visit of at most ``budget`` nodes."""
        return self.explore(node, budget).size

    def explore(
        self,
        node: StrategyNode,
        budget: int = BUDGET,
        *,
        cancelled: Callable[[], bool] = lambda: False,
        progress: Callable[[int], None] = lambda nodes: None,
    ) -> Exploration:
        """Look at ``node``'s subtree, level by level, up to ``budget`` nodes (at least 1).

        ``cancelled`` is asked now and then and ends the search; ``progress`` is told how many
        nodes were seen.
        """
        kept = self._explored.get((node, budget))
        if kept is not None:
            return kept
        nodes, waiting, complete = [node], deque([node]), True
        while waiting and complete:
            batch = self._next_batch(waiting)
            if cancelled():
                waiting.extendleft(reversed(batch))
                complete = False
                break
            self._expand(batch)
            for number, parent in enumerate(batch):
                own = tuple(_known_children(parent))
                if len(nodes) + len(own) > budget:
                    # Whole families only: half of them would make a wrong main line.
                    waiting.extendleft(reversed(batch[number:]))
                    complete = False
                    break
                nodes += own
                waiting.extend(child for child in own if not child.ended)
            progress(len(nodes))
        frontier = frozenset(n for n in waiting if not n.ended)
        found = Exploration(nodes, frontier, self.plies)
        if not cancelled():
            self._explored[node, budget] = found
        return found

    def _next_batch(self, waiting: deque[StrategyNode]) -> list[StrategyNode]:
        plies = waiting[0].state.plies
        batch: list[StrategyNode] = []
        while waiting and len(batch) < _BATCH // 16 and waiting[0].state.plies == plies:
            batch.append(waiting.popleft())
        return batch

    def finished(self, states: Sequence[PlayState]) -> list[PlayState]:
        """Plays that have ended, with the formula's verdict on them."""
        return self._play_engine.finish_all(states)

    # -- making -----------------------------------------------------------------------------

    def _expand(self, nodes: Sequence[StrategyNode]) -> None:
        """Make the children of nodes of one depth."""
        todo = [node for node in nodes if not node.expanded]
        if not todo:
            return
        play_engine = self._play_engine
        children_of: dict[StrategyNode | None, list[StrategyNode]] = {node: [] for node in todo}
        made = play_engine.branches((k, node.state) for k, node in enumerate(todo))
        for first in range(0, len(made), _BATCH):
            part = made[first : first + _BATCH]
            for child in self._expanded([(todo[k], move, state) for k, move, state in part]):
                children_of[child.parent].append(child)
        play_engine.forget()
        for node in todo:
            node._children = tuple(children_of[node])

    def _expanded(
        self, asked: Sequence[tuple[StrategyNode | None, LayoutMove | None, PlayState]]
    ) -> list[StrategyNode]:
        """Nodes for plays after the opponent's move (or at the start), answers included."""
        play_engine = self._play_engine
        histories = [[state] for _, _, state in asked]
        while True:
            mine = [h for h in histories if play_engine.to_move(h[-1]) is play_engine.player]
            turn = [history for history in mine if not play_engine.is_open(history[-1])]
            if not turn:
                break
            answered = play_engine.answer_all([history[-1] for history in turn])
            for history, state in zip(turn, answered, strict=True):
                if state.plies == history[-1].plies:
                    history[-1] = state  # No answer at all.
                else:
                    history.append(state)
        # Without rules only the formula can say that the opponent has no move left.
        turn = [
            h
            for h in histories
            if (play_engine.game is None and play_engine.to_move(h[-1]) is not None)
            or play_engine.unsaid(h[-1])
        ]
        if turn:
            examined = play_engine.examine_all([history[-1] for history in turn])
            for history, state in zip(turn, examined, strict=True):
                history[-1] = state
        nodes = [
            StrategyNode(parent, move, tuple(history))
            for (parent, move, _), history in zip(asked, histories, strict=True)
        ]
        self._judge([node for node in nodes if node.ended])
        return nodes

    def _judge(self, ended: Sequence[StrategyNode]) -> None:
        """Store in each node if the promise was kept: by the end's winner, else by the verdict."""
        unclear = []
        for node in ended:
            ending = node.state.end
            if ending.winner is None:
                unclear.append(node)
            else:
                node.kept = ending.winner is self.player
        finals = self._play_engine.finish_all([node.state for node in unclear])
        for node, final in zip(unclear, finals, strict=True):
            node.kept = final.end.promised


def tree_of(problem: BoardProblem) -> StrategyTree:
    """The tree of a problem's certificate.

    Circuits are simulated, many plays at a time, unless the files ask for another engine.
    """
    # The tree of a large circuit is opened by a person, who asks for a part of it.
    preferred = OracleKind.SAT if problem.is_evaluated else OracleKind.SIMULATION
    return StrategyTree(open_play_engine(problem, problem.oracle(preferred)))


def replies(nodes: Iterable[StrategyNode]) -> Counter[str]:
    """The frequency of each reply in the plays of ``nodes``."""
    return Counter(node.answer for node in nodes if node.answer is not None)
