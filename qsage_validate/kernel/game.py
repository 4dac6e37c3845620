"""A game's rules as a circuit: what the proofs about plays ask for, and games as listed moves.

A *state* is a tuple of literals of one and-inverter graph, so that it stands for many positions
at once.  Time ``t`` is after ``t`` plies and before ply ``t + 1``; plies count from 1.

Grid games (section 3.3 of Shaik and van de Pol, *Concise QBF Encodings for Games on a Grid*) and
positional games (Definitions 1 to 4 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023)
have this form.  A :class:`GroundGame` is plain data that a person can print and read.  The
kernel's proofs are about a ``GroundGame``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.kernel.player import Player

# A game's rules as a circuit: what the proofs about plays ask for


State = tuple[int, ...]


class TooLargeError(Exception):
    """The rules do not fit into the limits of a circuit; the text says which."""


class Rules(ABC):
    """The rules of a game of at most ``plies`` plies; Black wins or does not.

    In a play, from the initial state on, the player to move makes one of the legal moves of the
    ply, until :meth:`won` is true of a player.  A play of ``plies`` plies that no player has won
    is White's.  ``builder`` is the graph in which everything is built.
    """

    builder: AigBuilder
    plies: int

    @abstractmethod
    def mover(self, ply: int) -> Player:
        """The player who makes a ply, 1 to ``plies``."""

    @abstractmethod
    def moves(self, ply: int) -> Sequence[str]:
        """The texts of all moves that may be legal at a ply, each once.

        Every move that is legal at this ply in some play is among them.
        """

    @property
    @abstractmethod
    def initial(self) -> State:
        """The state at time 0, as constants."""

    @abstractmethod
    def legal(self, state: State, ply: int) -> Sequence[int]:
        """The literals for the legality of each of ``moves(ply)`` in ``state``."""

    @abstractmethod
    def after(self, state: State, ply: int, made: Sequence[int]) -> State:
        """The state after a ply; ``made[k]`` says that move ``k`` is legal and was made.

        At most one of them is true; where none is, the result means nothing.
        """

    @abstractmethod
    def won(self, state: State, time: int) -> Mapping[Player, int]:
        """The literal, for each player, that the play has ended at ``time`` with this player's win.

        ``time`` is below or equal to ``plies``; never true of both.  A player to move without a
        legal move is covered here, where the rules say what that means.
        """

    @abstractmethod
    def atoms(self, state: State, time: int) -> Mapping[str, int]:
        """The atoms of a position, in the words of the game, each with its literal."""

    def undefined(self, state: State, ply: int) -> int:
        """A literal that is true if the rules are silent at ``ply``, though no player has won.

        In GDL a role must have a legal move as long as the play goes on, two roles must not both
        have a choice, and a goal at the end must be a number.
        """
        return FALSE

    def as_good(self, first: str) -> frozenset[str]:
        """First moves that are exactly as good as ``first``: a symmetry of the game exchanges them.

        The symmetry keeps the first position, the moves with what they do, and the goals.
        """
        return frozenset()

    def passed(self, state: State, ply: int) -> State | None:
        """The state after a ply without a move, where that is never better than any legal move.

        ``None`` in games of which this is not known.  This is a theorem about positional games: a
        claimed position more never hurts its owner.
        """
        return None


# Games whose moves are listed: what a move needs, what it changes, and which patterns win


Conjunction = tuple[int, ...]
"""Signed atoms, numbered from 1, that hold together: ``(3, -5)`` is atom 3 and not atom 5."""


@dataclass(frozen=True, slots=True)
class GroundMove:
    """A move: legal where ``needs`` holds; ``sets`` holds after it, all else stays as it was."""

    name: str
    needs: Conjunction
    sets: Conjunction


@dataclass(frozen=True, slots=True)
class Connection:
    """A goal of Black's about a network, in the place of winning patterns.

    ``cells`` are the atoms that say that Black has a position; ``neighbours`` has for each
    position the numbers, from 0, of its neighbours; ``start`` and ``end`` are the positions next
    to the two distinguished nodes, and ``joined`` says that these nodes are neighbours
    themselves.  Black wins by a connection of start and end through Black's positions, or, with
    ``cut``, when the positions that Black does not have connect them no more.
    """

    cells: tuple[int, ...]
    neighbours: tuple[tuple[int, ...], ...]
    start: tuple[int, ...]
    end: tuple[int, ...]
    joined: bool = False
    cut: bool = False


@dataclass(frozen=True)
class GroundGame:
    """A game of ``len(movers)`` plies.

    ``atoms`` are names of what can hold in a position, in the words of layouts where they have
    such; ``initial`` has one value for each.  ``movers[k]`` makes ply ``k + 1``.  A player has
    won when, after a ply of this player's, one of the player's ``goals`` holds; with ``from_start``
    a goal that the initial position reaches counts too, Black's before White's.  ``stuck_loses``
    says that a player to move without a legal move has lost.  ``passing`` says that a claim never
    hurts its owner, so that a pass is no better than any legal move.  ``also`` are further names
    of what can be said, each true when one of some conjunctions holds.  ``symmetries`` are
    permutations of the atoms that may keep the game (``symmetries[n][k]`` is the image of atom
    ``k + 1``); they are believed when :meth:`images` has shown it.
    """

    name: str
    atoms: tuple[str, ...]
    initial: tuple[bool, ...]
    movers: tuple[Player, ...]
    moves: Mapping[Player, tuple[GroundMove, ...]]
    goals: Mapping[Player, tuple[Conjunction, ...]]
    connection: Connection | None = None
    from_start: bool = False
    stuck_loses: bool = False
    passing: bool = False
    also: Mapping[str, tuple[Conjunction, ...]] = field(default_factory=dict)
    symmetries: tuple[tuple[int, ...], ...] = ()

    def images(self, symmetry: Sequence[int]) -> Mapping[str, str] | None:
        """The image of each first move under a permutation that keeps the game; else ``None``.

        It keeps the game when the first position, the moves of each player, the goals of each
        player and the network are their own images.
        """
        if sorted(symmetry) != list(range(1, len(self.atoms) + 1)):
            return None

        def image(conjunction: Conjunction) -> frozenset[int]:
            return frozenset(symmetry[abs(a) - 1] * (1 if a > 0 else -1) for a in conjunction)

        if any(value != self.initial[symmetry[k] - 1] for k, value in enumerate(self.initial)):
            return None
        if not self._keeps_connection(symmetry):
            return None
        found: dict[str, str] = {}
        for player in Player:
            goals = {frozenset(goal) for goal in self.goals[player]}
            if goals != {image(goal) for goal in self.goals[player]}:
                return None
            named = {(frozenset(m.needs), frozenset(m.sets)): m.name for m in self.moves[player]}
            for move in self.moves[player]:
                other = named.get((image(move.needs), image(move.sets)))
                if other is None:
                    return None
                if self.movers and player is self.movers[0]:
                    found[move.name] = other
        return found

    def _keeps_connection(self, symmetry: Sequence[int]) -> bool:
        """True if the network is its own image; start and end may change places."""
        network = self.connection
        if network is None:
            return True
        number = {atom: k for k, atom in enumerate(network.cells)}
        images = [number.get(symmetry[atom - 1]) for atom in network.cells]
        ends = [{images[k] for k in cells} for cells in (network.start, network.end)]
        return (
            ends in ([set(network.start), set(network.end)], [set(network.end), set(network.start)])
            and None not in images
            and all(
                image is not None
                and {images[j] for j in network.neighbours[k]} == set(network.neighbours[image])
                for k, image in enumerate(images)
            )
        )


class GroundRules(Rules):
    """The circuit of a ground game: a state has one literal for each atom."""

    def __init__(self, builder: AigBuilder, game: GroundGame) -> None:
        self.builder = builder
        self.game = game
        self.plies = len(game.movers)
        self._conjunctions: dict[tuple[State, Conjunction], int] = {}

    def mover(self, ply: int) -> Player:
        return self.game.movers[ply - 1]

    def moves(self, ply: int) -> Sequence[str]:
        return self._names[self.mover(ply)]

    @cached_property
    def _names(self) -> Mapping[Player, tuple[str, ...]]:
        return {p: tuple(move.name for move in moves) for p, moves in self.game.moves.items()}

    @property
    def initial(self) -> State:
        return tuple(TRUE if value else FALSE for value in self.game.initial)

    def holds(self, state: State, conjunction: Conjunction) -> int:
        """A literal that is true if all atoms of a conjunction are as it says."""
        key = (state, conjunction)
        if key not in self._conjunctions:
            self._conjunctions[key] = self.builder.and_all(
                state[abs(atom) - 1] ^ (atom < 0) for atom in conjunction
            )
        return self._conjunctions[key]

    def legal(self, state: State, ply: int) -> Sequence[int]:
        return [self.holds(state, move.needs) for move in self.game.moves[self.mover(ply)]]

    def after(self, state: State, ply: int, made: Sequence[int]) -> State:
        on: list[list[int]] = [[] for _ in state]
        touched: list[list[int]] = [[] for _ in state]
        for literal, move in zip(made, self.game.moves[self.mover(ply)], strict=True):
            if literal == FALSE:
                continue
            for atom in move.sets:
                touched[abs(atom) - 1].append(literal)
                if atom > 0:
                    on[atom - 1].append(literal)
        or_, and_, or_all = self.builder.or_, self.builder.and_, self.builder.or_all
        return tuple(
            or_(or_all(on[k]), and_(before, or_all(touched[k]) ^ 1)) if touched[k] else before
            for k, before in enumerate(state)
        )

    def won(self, state: State, time: int) -> Mapping[Player, int]:
        builder = self.builder
        if time == 0:
            won = dict.fromkeys(Player, FALSE)
            if self.game.from_start:
                won[Player.BLACK] = self.goal(state, Player.BLACK)
                white = self.goal(state, Player.WHITE)
                won[Player.WHITE] = builder.and_(white, won[Player.BLACK] ^ 1)
        else:
            last = self.mover(time)
            won = {last: self.goal(state, last), last.other: FALSE}
        if self.game.stuck_loses and time < self.plies:
            stuck = builder.or_all(self.legal(state, time + 1)) ^ 1
            over = builder.or_all(won.values())
            winner = self.mover(time + 1).other
            won[winner] = builder.or_(won[winner], builder.and_(stuck, over ^ 1))
        return won

    def goal(self, state: State, player: Player) -> int:
        """A literal that is true if a goal of a player holds, independent of the mover."""
        connection = self.game.connection
        if player is Player.BLACK and connection is not None:
            return self._connects(connection, state)
        return self.builder.or_all(self.holds(state, goal) for goal in self.game.goals[player])

    def _connects(self, connection: Connection, state: State) -> int:
        """A literal that is true if Black has reached the goal of a network.

        Positions that can be reached from the start are found step by step.  A shortest
        connection is no longer than the positions that may be on it are many.
        """
        own = [state[atom - 1] for atom in connection.cells]
        if connection.joined:
            return FALSE if connection.cut else TRUE
        through = [literal ^ connection.cut for literal in own]
        longest = len(through)
        if not connection.cut:
            first = sum(self.game.initial[atom - 1] for atom in connection.cells)
            longest = min(longest, first + self.game.movers.count(Player.BLACK))
        start = set(connection.start)
        reached = [literal if k in start else FALSE for k, literal in enumerate(through)]
        builder = self.builder
        for _ in range(longest - 1):
            near = [
                builder.or_all((reached[k], *(reached[j] for j in connection.neighbours[k])))
                for k in range(len(through))
            ]
            following = [builder.and_(a, b) for a, b in zip(through, near, strict=True)]
            if following == reached:
                break
            reached = following
        return builder.or_all(reached[k] for k in connection.end) ^ connection.cut

    def atoms(self, state: State, time: int) -> Mapping[str, int]:
        found = dict(zip(self.game.atoms, state, strict=True))
        for name, any_of in self.game.also.items():
            found[name] = self.builder.or_all(self.holds(state, all_of) for all_of in any_of)
        return found

    def as_good(self, first: str) -> frozenset[str]:
        return frozenset(
            name for images in self._images for name, image in images.items() if image == first
        )

    @cached_property
    def _images(self) -> tuple[Mapping[str, str], ...]:
        found = map(self.game.images, self.game.symmetries)
        return tuple(images for images in found if images is not None)

    def passed(self, state: State, ply: int) -> State | None:
        return state if self.game.passing else None
