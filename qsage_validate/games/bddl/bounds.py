"""Bounds on the plies of a win, read off the grounded rules of a grid game.

Each kind of bound holds under conditions on the grounded actions and goals that are checked when
it is made; where they fail, there is no such bound.  The theorems and their proofs are in
``docs/explanation/search.md``:

* *Packing*, where players only fill open squares and there are no goals (Domineering): the moves
  that a player is sure of, against those that the opponent can have at most.
* *Goals*: the fewest moves after which Black can have reached one, by the pieces that its lines
  miss where pieces stay, by the distance of the pieces from it where they move.
* *Stuck*: the fewest plies before White can be without a move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from qsage_validate.circuit.sat import Solver
from qsage_validate.games.bddl.ground import GroundAction, GroundGoal, Grounding
from qsage_validate.games.kernel import ALWAYS
from qsage_validate.games.protocol import Player

BLACK, WHITE = Player.BLACK, Player.WHITE

# Contents of a square as (black, white, occupied), the planes of a state.
OPEN_SQUARE, BLACK_PIECE, WHITE_PIECE = (0, 0, 0), (1, 0, 1), (0, 1, 1)
_OWN = {BLACK: BLACK_PIECE, WHITE: WHITE_PIECE}


# -- what actions do -------------------------------------------------------------------------


def contents(grounding: Grounding, mask: int, square: int) -> tuple[int, int, int]:
    """The bits of a mask on the three planes of a square."""
    count = grounding.squares
    black, white, occupied = (mask >> (plane * count + square) & 1 for plane in range(3))
    return black, white, occupied


def changes(
    grounding: Grounding, action: GroundAction
) -> Iterator[tuple[int, list[tuple[int, int, int]], tuple[int, int, int]]]:
    """For each square that an action changes: its possible contents before, and those after."""
    for square in _squares(_any_plane(grounding, changed_by(grounding, action))):
        care = contents(grounding, action.care, square)
        value = contents(grounding, action.value, square)
        before = [
            content
            for content in (OPEN_SQUARE, BLACK_PIECE, WHITE_PIECE)
            if all(c == v for c, v, cared in zip(content, value, care, strict=True) if cared)
        ]
        yield square, before, contents(grounding, action.put, square)


def filled(grounding: Grounding, action: GroundAction) -> tuple[int, int]:
    """By how many squares, at least and at most, an action makes the board fuller."""
    least = most = 0
    for _, before, after in changes(grounding, action):
        least += after[2] - max(content[2] for content in before)
        most += after[2] - min(content[2] for content in before)
    return least, most


def changed_by(grounding: Grounding, action: GroundAction) -> int:
    """The bits of a state that an action sets."""
    return ~action.keep & ((1 << 3 * grounding.squares) - 1)


def stuck_without(
    grounding: Grounding, player: Player, clauses: Iterable[Sequence[int]] = ()
) -> bool:
    """True if ``player`` cannot move on some board on which a play goes on, reachable or not.

    Variable 1 + k says that bit k of the state is set; ``clauses`` are what holds besides.
    """
    count = grounding.squares
    with Solver("cadical153") as solver:
        for square in range(1, count + 1):
            b, w, o = square, square + count, square + 2 * count
            for consistent in ([-b, -w], [-b, o], [-w, o], [-o, b, w]):
                solver.add_clause(consistent)
        for clause in clauses:
            solver.add_clause(list(clause))
        conditions = {(a.care, a.value) for a in grounding.actions[player]}
        for own in filter(grounding.only_own_moves_win, Player):
            # Such a goal has ended the play when it came true.
            conditions |= {(goal.care, goal.value) for goal in grounding.goals[own]}
        for care, value in conditions:
            solver.add_clause([-(k + 1) if value >> k & 1 else k + 1 for k in _squares(care)])
        return bool(solver.solve())


def _squares(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _any_plane(grounding: Grounding, mask: int) -> int:
    count = grounding.squares
    return (mask | mask >> count | mask >> 2 * count) & grounding.plane


class _Unions:
    """The union of masks that belong to the bits of a set, a byte at a time."""

    def __init__(self, masks: Sequence[int]) -> None:
        self.tables: list[list[int]] = []
        for start in range(0, len(masks), 8):
            table = [0]
            for mask in masks[start : start + 8]:
                table += [entry | mask for entry in table]
            self.tables.append(table)

    def __call__(self, members: int) -> int:
        union = 0
        for table in self.tables:
            union |= table[members & 255]
            members >>= 8
        return union


# -- packing ---------------------------------------------------------------------------------


def _behind(number: int, actions: int) -> int:
    """How many of some actions have this number or a greater one."""
    return (actions >> number).bit_count()


class _Fillings:
    """One player's actions in a game of filling: each *needs* open squares and *takes* some.

    Actions are numbers, sets of them bits.
    """

    def __init__(self, needs: Sequence[int], takes: Sequence[int], squares: int) -> None:
        self.all = (1 << len(needs)) - 1
        self.dead = _Unions([_numbers(m >> s & 1 for m in needs) for s in range(squares)])
        self.taken = _Unions(takes)
        self.takes = takes
        self.most_taken = max((mask.bit_count() for mask in takes), default=0)
        self.least_taken = min((mask.bit_count() for mask in takes), default=0)
        self.apart = [_numbers(bool(a & b) for b in needs) for a in needs]
        """For each action those that need one of its squares."""
        # Of the actions that take one square only one is ever made.  For each action a square
        # of its own which many of those behind it take as well.
        taking = [_numbers(m >> s & 1 for m in takes) for s in range(squares)]
        self.hit = [
            max((taking[s] for s in _squares(mask)), key=partial(_behind, number))
            for number, mask in enumerate(takes)
        ]

    def live(self, taken: int) -> int:
        """The actions that need none of some squares."""
        return self.all & ~self.dead(taken)

    def most(self, live: int) -> int:
        """No play has more of some actions: they are hit by so many squares."""
        count = 0
        while live:
            live &= ~self.hit[(live & -live).bit_length() - 1]
            count += 1
        return count


def _numbers(chosen: Iterable[object]) -> int:
    return sum(1 << number for number, one in enumerate(chosen) if one)


class _Plan(NamedTuple):
    """Moves that one player is sure of, and what they leave of the opponent's."""

    moves: int
    most: int
    """So many moves at most for the opponent in a play that ends with the player stuck."""
    within: int
    """And so many before the opponent is stuck."""


class Packing:
    """Bounds for games without goals in which each move fills open squares for good."""

    def __init__(
        self, grounding: Grounding, needs: dict[Player, dict[tuple[int, int], int]]
    ) -> None:
        self._size = grounding.squares
        self.needs = needs
        """For each player what an action needs and takes, with its number."""
        self._of = {
            player: _Fillings([n for n, _ in pairs], [t for _, t in pairs], grounding.squares)
            for player, pairs in needs.items()
        }
        self.spoilers = {
            player: [
                _numbers(bool(need & take) for _, take in needs[player.other]) for need, _ in pairs
            ]
            for player, pairs in needs.items()
        }
        """For each action of a player those of the opponent that take a square that it needs."""

    def fillings(self, player: Player) -> _Fillings:
        """The tables of a player's actions, in the order of ``needs``."""
        return self._of[player]

    @classmethod
    def of(cls, grounding: Grounding) -> Packing | None:
        """The bounds of a game; ``None`` where a condition of theirs fails."""
        if any(grounding.goals[player] for player in Player):
            return None
        needs: dict[Player, dict[tuple[int, int], int]] = {}
        for player in Player:
            pairs: dict[tuple[int, int], int] = {}
            for action in grounding.actions[player]:
                need = _any_plane(grounding, action.care)
                take = _any_plane(grounding, changed_by(grounding, action))
                occupied = action.put >> 2 * grounding.squares
                planes = need | need << grounding.squares | need << 2 * grounding.squares
                if action.value or action.care != planes or take & ~need or occupied != take:
                    return None
                if not take:
                    return None
                pairs.setdefault((need, take), action.number)
            needs[player] = pairs
        return cls(grounding, needs)

    def bounds(self, state: int, player: Player) -> tuple[int, int]:
        """Black wins within the first number of plies, and not within the second."""
        taken = state >> 2 * self._size
        other = player.other
        live = {p: self._of[p].live(taken) for p in Player}
        own = self._plan(player, live, taken, begins=True)
        others = self._plan(other, live, taken, begins=False)
        own_most = self._of[player].most(live[player])
        other_most = self._of[other].most(live[other])
        own_wins = own.moves > min(other_most, own.most)
        other_wins = others.moves >= min(own_most, others.most)
        if player is BLACK:
            if own_wins:
                return 2 * min(other_most, own.within) + 2, 2 * others.moves + 1
            return ALWAYS, ALWAYS if other_wins else 2 * others.moves + 1
        if other_wins:
            return 2 * min(own_most, others.within) + 1, 2 * own.moves
        return ALWAYS, ALWAYS if own_wins else 2 * own.moves

    def _plan(self, player: Player, live: dict[Player, int], taken: int, *, begins: bool) -> _Plan:
        """The moves that a player is sure of."""
        own, other = self._of[player], self._of[player.other]
        spoilers, others = self.spoilers[player], live[player.other]
        reach = other.taken(others)
        left = live[player]
        safe = own.live(taken | reach)
        sure = 0
        while safe:
            apart = own.apart[(safe & -safe).bit_length() - 1]
            safe &= ~apart
            left &= ~apart
            sure += 1
        # The others apart, and by how many of the opponent's actions two of them are spoilt.
        chosen = []
        once = twice = few = none = 0
        while left:
            number = (left & -left).bit_length() - 1
            left &= ~own.apart[number]
            chosen.append(number)
            here = spoilers[number] & others
            twice |= once & here
            once |= here
            count = (own.takes[number] & reach).bit_count()
            none += count == 0
            few += count <= 1
        alone = sum(not spoilers[number] & twice for number in chosen)
        crowd = len(chosen) - alone
        rounds = 1 + other.most_taken
        worth = rounds * alone + 2 * crowd
        if not begins:
            worth -= max(rounds * (alone > 0), 2 * min(crowd, other.most_taken))
        moves = -(-worth // (2 * rounds))
        squares = max(0, moves - none) + max(0, moves - few)
        most = (reach.bit_count() - squares) // other.least_taken if others else 0
        return _Plan(sure + moves, most, max(most, moves))


# -- goals -----------------------------------------------------------------------------------


class Lines:
    """The fewest moves to a goal of Black's where pieces stay for good."""

    def __init__(self, grounding: Grounding, most: int) -> None:
        self._size = grounding.squares
        self._plane = grounding.plane
        self.most = most
        goals = grounding.goals[BLACK]
        self.wanted = [grounding.own(goal.value, BLACK) for goal in goals]
        self._all = (1 << len(goals)) - 1

        def spoilt(goal: GroundGoal, piece: tuple[int, int, int], square: int) -> bool:
            care = contents(grounding, goal.care, square)
            value = contents(grounding, goal.value, square)
            return any(c and p != v for c, v, p in zip(care, value, piece, strict=True))

        spoiling = [
            _numbers(spoilt(goal, piece, square) for goal in goals)
            for piece in (BLACK_PIECE, WHITE_PIECE)
            for square in range(self._size)
        ]
        self._dead = _Unions(spoiling)
        self.spoilt = [
            _numbers(goals_of >> number & 1 for goals_of in spoiling)
            for number in range(len(goals))
        ]
        """For each goal the pieces, on the first two planes, that contradict it."""

    @classmethod
    def of(cls, grounding: Grounding) -> Lines | None:
        most = 1
        for player in Player:
            for action in grounding.actions[player]:
                put = 0
                for _, before, after in changes(grounding, action):
                    if before != [OPEN_SQUARE] or after == OPEN_SQUARE:
                        return None
                    put += after == BLACK_PIECE
                if player is WHITE and put:
                    return None
                most = max(most, put)
        return cls(grounding, most)

    def moves(self, state: int) -> int:
        """At least so many of Black's moves are needed; ``ALWAYS`` where no goal is left."""
        dead = self._dead(state & ((1 << 2 * self._size) - 1))
        least = ALWAYS
        missing = ~state
        for number in _squares(self._all & ~dead):
            count = (self.wanted[number] & missing).bit_count()
            if count < least:
                least = count
                if count <= self.most:
                    return 1
        return least if least == ALWAYS else -(-least // self.most)


class _Distances:
    """The fewest moves to a goal of Black's where each has to be reached by a black piece."""

    def __init__(self, rings: Sequence[int]) -> None:
        self.rings = rings

    @classmethod
    def of(cls, grounding: Grounding) -> _Distances | None:
        if any(
            grounding.own(action.put, BLACK) & ~grounding.own(action.value, BLACK)
            for action in grounding.actions[WHITE]
        ):
            return None  # White places black pieces
        ring = 0
        for goal in grounding.goals[BLACK]:
            wanted = grounding.own(goal.value, BLACK)
            if not wanted:
                return None
            ring |= wanted & -wanted
        steps = []
        for action in grounding.actions[BLACK]:
            needed = grounding.own(action.value, BLACK)
            put = grounding.own(action.put, BLACK)
            if put and not needed:
                return None  # pieces come from nowhere
            steps.append((needed & -needed, put))
        rings = [ring]
        while True:
            grown = ring
            for source, put in steps:
                if put & ring:
                    grown |= source
            if grown == ring:
                return cls(rings)
            ring = grown
            rings.append(ring)

    def moves(self, state: int) -> int:
        """At least so many of Black's moves are needed; ``ALWAYS`` where no goal is in reach."""
        for moves, ring in enumerate(self.rings):
            if state & ring:
                return max(moves, 1)
        return ALWAYS


# -- White without a move --------------------------------------------------------------------


class _FullBoard:
    """White is without a move on a full board only."""

    def __init__(self, grounding: Grounding, most: int, *, exact: bool) -> None:
        self._size = grounding.squares
        self.most = most
        self.exact = exact

    @classmethod
    def of(cls, grounding: Grounding) -> _FullBoard | None:
        occupied = range(2 * grounding.squares + 1, 3 * grounding.squares + 1)
        if stuck_without(grounding, WHITE, [[-o for o in occupied]]):
            return None
        counts = [filled(grounding, a) for p in Player for a in grounding.actions[p]]
        most = max((most for _, most in counts), default=0)
        least = min((least for least, _ in counts), default=0)
        return cls(grounding, most, exact=least == most == 1)

    def plies(self, state: int, player: Player) -> int:
        """White has a move at each of so many plies, if it is White's."""
        free = self._size - (state >> 2 * self._size).bit_count()
        if self.exact:
            # Each move fills one square, so it is known who meets the full board.
            return free if (player is WHITE) == (free % 2 == 0) else ALWAYS
        return -(-free // self.most) if self.most > 0 else ALWAYS if free else 0


class _Captured:
    """White is without a move only where all white pieces are gone."""

    def __init__(self, grounding: Grounding, most: int) -> None:
        self._size = grounding.squares
        self._plane = grounding.plane
        self.most = most

    @classmethod
    def of(cls, grounding: Grounding) -> _Captured | None:
        count = grounding.squares
        if stuck_without(grounding, WHITE, [list(range(count + 1, 2 * count + 1))]):
            return None
        most = 0
        for player in Player:
            for action in grounding.actions[player]:
                lost = sum(
                    max(content == WHITE_PIECE for content in before) - (after == WHITE_PIECE)
                    for _, before, after in changes(grounding, action)
                )
                if player is WHITE and lost > 0:
                    return None
                most = max(most, lost)
        return cls(grounding, most)

    def plies(self, state: int, player: Player) -> int:
        """White has a move at each of so many plies, if it is White's."""
        pieces = (state >> self._size & self._plane).bit_count()
        if not self.most:
            return ALWAYS if pieces else 0
        moves = -(-pieces // self.most)
        return 2 * moves - (player is BLACK) if moves else 0


class RaceBound:
    """A bound from below: the moves to a goal of Black's, and the plies before White is stuck."""

    def __init__(
        self,
        lines: Lines | None,
        distances: _Distances | None,
        full: _FullBoard | None,
        captured: _Captured | None,
    ) -> None:
        self.lines = lines
        self.distances = distances
        self.full = full
        self.captured = captured
        self._goals = [goals for goals in (lines, distances) if goals is not None]
        self._stuck = [stuck for stuck in (full, captured) if stuck is not None]

    @classmethod
    def of(cls, grounding: Grounding) -> RaceBound | None:
        """The bounds of a game; ``None`` where a condition of theirs fails."""
        race = cls(
            Lines.of(grounding),
            _Distances.of(grounding),
            _FullBoard.of(grounding),
            _Captured.of(grounding),
        )
        return race if race._stuck and race._goals else None

    def bounds(self, state: int, player: Player) -> tuple[int, int]:
        """Black wins within the first number of plies, and not within the second."""
        moves = max(goals.moves(state) for goals in self._goals)
        before = ALWAYS if moves >= ALWAYS else 2 * moves - 1 - (player is BLACK)
        stuck = max(stuck.plies(state, player) for stuck in self._stuck)
        return ALWAYS, min(before, stuck)


GroundBounds = Packing | RaceBound
