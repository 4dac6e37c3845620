"""What a person asks of a strategy: the tree of its answers, and the reason for a gate's value.

*The tree*: what the certificate answers to each of the opponent's moves.  A node is a play after
the certificate's answer, its children are the opponent's legal moves with what is answered to
them.  Nodes are made when they are looked at, many at a time.  Plays are told apart by their
moves and not by their positions: a certificate may answer one position differently, depending on
how it came about.

*The reason for a gate's value* is the gate's fan-in as a tree, with values in a given play.
A literal on the path of the symbolic position has a value for each square.  With a square
chosen there is one value; without, a literal on which the squares disagree has none and lists
the squares on which it is false.  Later variables of the opponent count as false, as for every
answer of a certificate.
"""

from __future__ import annotations

import difflib
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from qsage_validate.arena.frame import Frame, Names, PlayState, WhyNot
from qsage_validate.arena.open import open_play_engine
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.oracle import Oracle
from qsage_validate.circuit.qbf import Connective, Qbf
from qsage_validate.errors import UsageError, counted, one_line
from qsage_validate.games.protocol import Player, said_move
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.strategies.reader import (
    Assignment,
    CertificateReader,
    LayoutMove,
    NamedGroup,
    SquareXY,
)
from qsage_validate.validation.finding import Finding

# The tree of a strategy: what the certificate answers to each of the opponent's moves


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
    def said(self) -> tuple[str, ...]:
        """The plies of this node as people say them: the opponent's move and the answers."""
        before = () if self.parent is None else (self.parent.state,)
        made = pairwise((*before, *self.states))
        return tuple(
            new.moves[-1] if old.position is None else said_move(old.position, new.moves[-1])
            for old, new in made
            if new.plies > old.plies
        )

    @property
    def label(self) -> str:
        """``a1 → b2, Black wins``."""
        shown = " → ".join(self.said) or "start"
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
        plays, positions = counted(self.plays, "play"), counted(self.positions, "position")
        parts = [plays, positions, f"to ply {self.depth}"]
        if self.early:
            parts.append(f"{self.early:,} won early")
        if self.lost:
            parts.append(f"{self.lost:,} not won")
        return ("" if self.exact else "at least ") + ", ".join(parts)


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


# The reason for a gate's value in a given play: the gate's fan-in as a tree, with values


SquareValues = tuple[bool | None, ...]
Reading = Callable[[Sequence[int]], Mapping[int, SquareValues]]

DEPTH, WIDTH, ROWS = 3, 12, 400
# At most so many squares are listed behind a literal.
_LISTED = 6


@dataclass(frozen=True, slots=True)
class GateRow:
    """A literal in a fan-in tree, ``depth`` steps below the gate that was asked for.

    ``name`` is the file's with its sign, ``meaning`` the layout's ("" where it has none);
    ``connective`` is ``None`` for a variable.  ``value`` is the literal's, sign included;
    ``None`` when it is not determined or differs between squares: then ``false_at`` lists
    those with false.  ``decisive`` says that the parent has its value because of this input
    (and of the others that are decisive); ``repeated`` that the gate's inputs are shown at
    another place of the tree; ``hidden`` counts inputs that are not shown.
    """

    depth: int
    literal: int
    name: str
    meaning: str
    connective: Connective | None
    fan_in: int
    value: bool | None
    false_at: tuple[SquareXY, ...] = ()
    decisive: bool = False
    repeated: bool = False
    hidden: int = 0

    @property
    def text(self) -> str:
        """``white 2 legal [-g12] = false, and of 4``."""
        name = f"{self.meaning} [{self.name}]" if self.meaning else self.name
        shown = "?" if self.value is None else str(self.value).lower()
        if self.false_at:
            places = ", ".join(f"({x},{y})" for x, y in self.false_at[:_LISTED])
            more = len(self.false_at) - _LISTED
            shown = f"false at {places}" + (f" and {more} more squares" if more > 0 else "")
        line = f"{name} = {shown}"
        if self.connective is not None:
            sign = "not " if self.literal < 0 else ""
            line += f", {sign}{self.connective.value} of {self.fan_in}"
        if self.repeated:
            line += ", shown elsewhere"
        return one_line(line)


@dataclass(slots=True)
class _Branch:
    row: GateRow
    inputs: list[_Branch] = field(default_factory=list)
    repeated: bool = False
    hidden: int = 0


class GateInspector:
    """The gates of a formula in one play.

    ``read`` gives the values of variables (positive literals) on each of ``squares``; without a
    board there is one value and no square.
    """

    def __init__(
        self,
        formula: Qbf,
        read: Reading,
        squares: Sequence[SquareXY] = (),
        names: Names | None = None,
        ply: int | None = None,
    ) -> None:
        """``ply`` is the one just made: literals that several plies share get its names."""
        self._formula = formula
        self._read = read
        self.squares = tuple(squares)
        self._names = names
        self._ply = ply
        self._values: dict[int, SquareValues] = {}

    @classmethod
    def on_board(
        cls, formula: Qbf, names: Names, reader: CertificateReader, assignment: Assignment
    ) -> GateInspector:
        """The gates after the plies of ``assignment``, as its reader sees them."""

        def read(variables: Sequence[int]) -> Mapping[int, SquareValues]:
            return reader.boards([assignment], variables)[0].at

        return cls(formula, read, reader.places, names, assignment.plies)

    @classmethod
    def of_choice(cls, formula: Qbf, oracle: Oracle, choice: Mapping[int, bool]) -> GateInspector:
        """The gates under a choice of the opponent's variables, without a layout."""

        def read(variables: Sequence[int]) -> Mapping[int, SquareValues]:
            found = oracle.values(choice, variables)
            return {variable: (value,) for variable, value in found.items()}

        return cls(formula, read)

    # -- names --------------------------------------------------------------------------------

    @cached_property
    def _literals(self) -> dict[str, int]:
        """Names that a person may type, best first: meanings, names of the file, numbers."""
        known: dict[str, int] = {} if self._names is None else dict(self._names.literals)
        formula = self._formula
        known.setdefault("output", formula.output)
        known.setdefault("verdict", formula.output)
        variables = [v for scope in formula.scopes for v in scope.variables]
        for variable in (*variables, *formula.gates):
            known.setdefault(formula.name(variable), variable)
        return known

    @property
    def starting_points(self) -> tuple[str, ...]:
        """The names of the gates that mean something, the verdict first."""
        named = {} if self._names is None else self._names.literals
        own: dict[int, str] = {}
        for name, literal in named.items():
            if abs(literal) in self._formula.gates:
                own.setdefault(literal, name)
        return tuple(dict.fromkeys(["verdict", *own.values()]))

    def resolve(self, text: str) -> int:
        """The literal that ``text`` names: a meaning, the file's name; ``-`` complements it.

        Raises ``UsageError`` that names what is similar.
        """
        wanted = text.strip()
        for name, sign in ((wanted, 1), (wanted.removeprefix("-").strip(), -1)):
            if name in self._literals:
                return sign * self._literals[name]
        similar = difflib.get_close_matches(wanted, self._literals, n=3)
        hint = ", ".join(similar) if similar else "a name like 'verdict' or a gate of the formula"
        raise UsageError(one_line(f"found no gate {wanted!r}, expected {hint}"))

    def find(self, text: str) -> tuple[int, ...]:
        """The literal that ``text`` names; else those with a name that it is a part of.

        Raises ``UsageError`` as :meth:`resolve` where there is none.
        """
        part = text.strip().casefold()
        if text.strip().removeprefix("-").strip() not in self._literals:
            found = [literal for name, literal in self._literals.items() if part in name.casefold()]
            if part and found:
                return tuple(dict.fromkeys(found))
        return (self.resolve(text),)

    def _meaning(self, literal: int) -> str | None:
        if self._names is None:
            return "output" if literal == self._formula.output else None
        name, group = self._names.meaning(literal, self._ply)
        return None if (name, group) == ("gate", NamedGroup.GATE) else name

    # -- rows -------------------------------------------------------------------------------

    def row(self, text_or_literal: str | int, square: SquareXY | None = None) -> GateRow:
        """One literal, without its inputs (``hidden`` counts them)."""
        return self.tree(text_or_literal, depth=0, square=square)[0]

    def rows(
        self, names: Sequence[str | int], square: SquareXY | None = None
    ) -> tuple[GateRow, ...]:
        """Several literals as in :meth:`row`, with their values read all at once."""
        self._load([self._checked(name) for name in names])
        return tuple(self.row(name, square) for name in names)

    def inputs(self, literal: int, square: SquareXY | None = None) -> tuple[GateRow, ...]:
        """The inputs of a literal's gate, decisive ones first; none for a variable."""
        rows = self.tree(literal, depth=1, width=None, rows=None, square=square)
        return tuple(row for row in rows if row.depth == 1)

    def tree(
        self,
        text_or_literal: str | int,
        *,
        depth: int = DEPTH,
        width: int | None = WIDTH,
        rows: int | None = ROWS,
        square: SquareXY | None = None,
    ) -> tuple[GateRow, ...]:
        """The fan-in of a literal, parents before their inputs.

        At most ``depth`` steps, ``width`` inputs of a gate and ``rows`` rows; a gate's inputs
        are shown once.  ``square`` is the one to read on.  Raises ``UsageError`` for unknown
        names, literals and squares.
        """
        literal = self._checked(text_or_literal)
        place = self._place(square)
        self._load([literal])
        root = _Branch(self._row(0, literal, place))
        shown, level, count = {abs(literal)}, [root], 1
        for distance in range(depth + 1):
            gates = [(b, self._formula.gates.get(abs(b.row.literal))) for b in level]
            if distance < depth:
                self._load(x for _, gate in gates if gate is not None for x in gate.inputs)
            following: list[_Branch] = []
            for branch, gate in gates:
                if gate is None:
                    continue
                if distance == depth or branch.repeated:
                    branch.hidden = 0 if branch.repeated else len(gate.inputs)
                    continue
                own = self._ordered(branch.row, gate.connective, gate.inputs, place)
                room = len(own) if width is None else width
                room = room if rows is None else min(room, max(rows - count, 0))
                branch.hidden = max(len(own) - room, 0)
                count += len(own[:room])
                for row in own[:room]:
                    child = _Branch(row)
                    variable = abs(row.literal)
                    child.repeated = row.connective is not None and variable in shown
                    shown.add(variable)
                    branch.inputs.append(child)
                following += branch.inputs
            level = following
        return tuple(_preorder(root))

    def _checked(self, text_or_literal: str | int) -> int:
        if isinstance(text_or_literal, str):
            return self.resolve(text_or_literal)
        variable = abs(text_or_literal)
        if variable not in self._formula.gates and variable not in self._variables:
            raise UsageError(f"found no variable or gate {variable} in the formula")
        return text_or_literal

    @cached_property
    def _variables(self) -> frozenset[int]:
        return frozenset(v for scope in self._formula.scopes for v in scope.variables)

    def _place(self, square: SquareXY | None) -> int | None:
        """The index of a square among the values; ``None`` for all of them."""
        if square is None:
            return None
        if square not in self.squares:
            raise UsageError(f"found the square ({square[0]},{square[1]}), which is not there")
        return self.squares.index(square)

    def _load(self, literals: Iterable[int]) -> None:
        """Read the values of variables that are not known yet, all at once."""
        missing = [v for v in dict.fromkeys(map(abs, literals)) if v not in self._values]
        if missing:
            found = self._read(missing)
            self._values.update((v, tuple(found[v])) for v in missing)

    def _row(
        self, depth: int, literal: int, place: int | None, *, decisive: bool = False
    ) -> GateRow:
        gate = self._formula.gates.get(abs(literal))
        name = ("-" if literal < 0 else "") + self._formula.name(abs(literal))
        values = self._values[abs(literal)]
        signed = [None if value is None else value != (literal < 0) for value in values]
        if place is not None:
            signed = [signed[place]]
        agreed = signed[0] if len(set(signed)) == 1 else None
        false_at: tuple[SquareXY, ...] = ()
        if agreed is None and len(signed) == len(self.squares):
            false_at = tuple(
                s for s, value in zip(self.squares, signed, strict=True) if value is False
            )
        return GateRow(
            depth=depth,
            literal=literal,
            name=name,
            meaning=self._meaning(literal) or "",
            connective=None if gate is None else gate.connective,
            fan_in=0 if gate is None else len(gate.inputs),
            value=agreed,
            false_at=false_at,
            decisive=decisive,
        )

    def _ordered(
        self, parent: GateRow, connective: Connective, inputs: Sequence[int], place: int | None
    ) -> list[GateRow]:
        """The rows of a gate's inputs, decisive ones first, else in the file's order."""
        plain = [self._row(parent.depth + 1, x, place) for x in inputs]
        value = None if parent.value is None else parent.value != (parent.literal < 0)
        decisive = _decisive(connective, value, [row.value for row in plain])
        rows = [
            self._row(parent.depth + 1, x, place, decisive=own)
            for x, own in zip(inputs, decisive, strict=True)
        ]
        return sorted(rows, key=lambda row: not row.decisive)


def _decisive(
    connective: Connective, value: bool | None, inputs: Sequence[bool | None]
) -> list[bool]:
    """For each input of a gate, true if it decides the gate's value."""
    if value is None:
        return [False] * len(inputs)
    if connective in (Connective.AND, Connective.OR):
        return [x is value for x in inputs]
    if connective is Connective.ITE:
        condition = inputs[0]
        return [condition is not None, condition is not False, condition is not True]
    return [True] * len(inputs)


def _preorder(root: _Branch) -> Iterator[GateRow]:
    pending = [root]
    while pending:
        branch = pending.pop()
        yield replace(branch.row, repeated=branch.repeated, hidden=branch.hidden)
        pending += reversed(branch.inputs)


class GateReader:
    """Inspectors for the steps of plays of one problem; the oracle is made once."""

    def __init__(self, problem: Problem) -> None:
        """Raises ``UsageError`` when there is no formula: then there are no gates."""
        if problem.formula is None:
            raise UsageError("found no formula, expected one: gates are the formula's")
        self._formula = problem.formula
        self._oracle = problem.oracle(OracleKind.SAT)
        self._names: Names | None = None
        self._reader: CertificateReader | None = None
        if isinstance(problem, BoardProblem):
            self._names = Names(problem.layout, problem.formula)
            self._reader = open_play_engine(problem, self._oracle).reader

    def at(self, frame: Frame, attempt: WhyNot | None = None) -> GateInspector:
        """The gates after the plies of ``frame``, and after the move of ``attempt`` if given.

        A move of the certificate's own side has no variables to be tried with: it is left out.
        """
        if self._reader is None or self._names is None:
            return GateInspector.of_choice(self._formula, self._oracle, frame.choice)
        assignment = Assignment(frame.ply, frame.choice, frame.reply)
        if (
            attempt is not None
            and isinstance(attempt.move, LayoutMove)
            and attempt.player is not self._reader.player
        ):
            assignment = self._reader.with_move(assignment, attempt.move)
        return GateInspector.on_board(self._formula, self._names, self._reader, assignment)
