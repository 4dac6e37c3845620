"""Finding a strategy of Hex by patterns: H-search in each position, and proof numbers above it.

H-search (Anshelevich, *A hierarchical approach to computer Hex*, 2002) finds the virtual
connections of both players: an AND joins two at a stone, an OR takes semi-connections that have no
cell in common.  Where it does not decide a position, whoever moves has to play in a must-play
region, the cells that all of the other's semi-connections use, and depth-first proof-number search
(Nagai, 2002) goes through that.  A position that is won is kept as what it needs: stones, and
free cells; so it answers all others that have those.  What is found is written as patterns, which
the structure and the walk prove as any others.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qsage_validate.errors import UsageError
from qsage_validate.extensions.hex_strategies.strategy import (
    HERE,
    MAX_SIDE,
    End,
    HexLink,
    HexStrategy,
    Pattern,
    PatternAnswer,
    Placement,
    opening_cell,
    strategy_text,
)
from qsage_validate.formats.grid_names import Cell, cell_name
from qsage_validate.formats.source import quoted
from qsage_validate.games.languages import load_game
from qsage_validate.games.masks import members
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.system.limits import Limits, Progress, Tell

# Connections and semi-connections of one pair of ends that are kept: the smallest carriers.
_CONNECTIONS = 6
_SEMIS = 12
_SIDE_SEMIS = 60
# Semi-connections of one OR: of two cells, of the sides.
_OR = 3
_SIDE_OR = 6
# Tries of ORs in one position.
_TRIES = 400_000
# Replies that proof numbers look at: so many, and a share of the others.
_REPLIES = 4
_SHARE = 0.25
# Resistance of a stone, conductance of a bridge, against one of a free cell.
_STONE = 0.02
_BRIDGE = 0.8
_INFINITE = 1 << 60

Ends = tuple[int, int]


class _Way(NamedTuple):
    """A semi-connection: with ``stone`` the parts hold.  Of a position, what answers a reply."""

    carrier: int
    needed: int
    stone: int
    parts: tuple[_Held, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """What a player holds although the other one moves: two ends by cells and stones.

    An AND has ``parts``, an OR has ``ways``, ends that touch have neither.  ``needed`` are the
    player's stones, ``carrier`` the cells that have to be free.
    """

    ends: Ends
    carrier: int
    needed: int
    parts: tuple[_Held, ...] = ()
    ways: tuple[_Way, ...] = ()

    def leaves(self) -> Iterator[_Held]:
        """The parts that have cells: ANDs are taken apart."""
        if self.ways:
            yield self
        for part in self.parts:
            yield from part.leaves()


@dataclass(frozen=True)
class _Board:
    """Cells by number, and behind them the two sides of the player who is looked at."""

    cells: Sequence[Cell]
    near: Sequence[int]
    sides: tuple[Ends, Ends]
    """For Black and White the cells that touch each of their sides."""

    @property
    def size(self) -> int:
        return len(self.cells)

    @property
    def all(self) -> int:
        return (1 << self.size) - 1


class _HSearch:
    """The virtual connections of one player, with ``own`` stones and ``free`` cells."""

    def __init__(self, board: _Board, player: int, own: int, free: int) -> None:
        self._size = board.size
        self._free = free
        self._tries = 0
        self._around: list[dict[int, list[_Held]]] = [{} for _ in range(board.size + 2)]
        self._semis: dict[Ends, list[_Way]] = {}
        self._waiting: deque[_Held] = deque()
        self._goal = board.size, board.size + 1
        self._touching(board, player, own)
        while self._waiting and not self.held:
            held = self._waiting.popleft()
            if held in self._around[held.ends[0]][held.ends[1]]:
                self._join(held)

    @property
    def held(self) -> _Held | None:
        """A connection of the sides."""
        return next(iter(self._around[self._goal[0]].get(self._goal[1], ())), None)

    @property
    def semis(self) -> list[_Way]:
        """The semi-connections of the sides, those with few cells first."""
        return sorted(self._semis.get(self._goal, ()), key=lambda way: way.carrier.bit_count())

    def _touching(self, board: _Board, player: int, own: int) -> None:
        """Ends that touch; stones that touch are one end, which a side takes up."""
        sides = board.sides[player]
        group: dict[int, Ends] = {}  # of a stone: its end, and all stones of its group
        for stone in members(own):
            if stone in group:
                continue
            found = grown = 1 << stone
            while grown:
                beside = 0
                for k in members(grown):
                    beside |= board.near[k]
                grown = beside & own & ~found
                found |= grown
            end = next((board.size + k for k in (0, 1) if found & sides[k]), stone)
            if found & sides[0] and found & sides[1]:
                self._add(self._goal, 0, found)
            group |= dict.fromkeys(members(found), (end, found))
        for cell in members(self._free):
            for other in members(board.near[cell] & (own | self._free)):
                if other in group:
                    self._add((cell, group[other][0]), 0, group[other][1])
                elif cell < other:
                    self._add((cell, other), 0, 0)
            for k in (0, 1):
                if sides[k] >> cell & 1:
                    self._add((cell, board.size + k), 0, 0)

    def _join(self, held: _Held) -> None:
        """AND: with each connection from one of the ends."""
        carrier, size, free = held.carrier, self._size, self._free
        for one, middle in (held.ends, held.ends[::-1]):
            if middle >= size:
                continue
            barred = carrier | (1 << one & free)
            stone = 1 << middle & free
            for end, others in tuple(self._around[middle].items()):
                if end == one or carrier >> end & 1:
                    continue
                ends = (one, end) if one < end else (end, one)
                for other in tuple(others):
                    if other.carrier & barred:
                        continue
                    both = carrier | other.carrier | stone
                    needed = held.needed | other.needed
                    if stone:
                        self._semi(ends, _Way(both, needed, middle, (held, other)))
                    else:
                        self._add(ends, both, needed, parts=(held, other))

    def _add(
        self,
        ends: Ends,
        carrier: int,
        needed: int,
        *,
        parts: tuple[_Held, ...] = (),
        ways: tuple[_Way, ...] = (),
    ) -> None:
        one, other = ends if ends[0] < ends[1] else ends[::-1]
        there = self._around[one].setdefault(other, [])
        self._around[other][one] = there
        for own in there:
            if not own.carrier & ~carrier and (
                own.carrier != carrier or own.needed.bit_count() <= needed.bit_count()
            ):
                return
        there[:] = [own for own in there if carrier & ~own.carrier]
        if len(there) >= _CONNECTIONS:
            largest = max(there, key=lambda own: own.carrier.bit_count())
            if largest.carrier.bit_count() <= carrier.bit_count():
                return
            there.remove(largest)
        there.append(_Held((one, other), carrier, needed, parts, ways))
        self._waiting.append(there[-1])

    def _semi(self, ends: Ends, way: _Way) -> None:
        carrier = way.carrier
        for held in self._around[ends[0]].get(ends[1], ()):
            if not held.carrier & ~carrier:
                return
        there = self._semis.setdefault(ends, [])
        for own in there:
            if not own.carrier & ~carrier:
                return
        there[:] = [own for own in there if carrier & ~own.carrier]
        if len(there) >= (_SIDE_SEMIS if ends == self._goal else _SEMIS):
            largest = max(there, key=lambda own: own.carrier.bit_count())
            if largest.carrier.bit_count() <= carrier.bit_count():
                return
            there.remove(largest)
        self._or(ends, tuple(there), (way,), carrier, carrier)
        there.append(way)

    def _or(
        self,
        ends: Ends,
        others: tuple[_Way, ...],
        chosen: tuple[_Way, ...],
        common: int,
        union: int,
    ) -> None:
        """OR: semi-connections that have no cell in common."""
        if not common:
            needed = 0
            for way in chosen:
                needed |= way.needed
            self._add(ends, union, needed, ways=chosen)
            return
        if len(chosen) > (_SIDE_OR if ends == self._goal else _OR):
            return
        for k, way in enumerate(others):
            left = common & way.carrier
            if left == common:
                continue
            self._tries += 1
            if self._tries > _TRIES:
                return
            self._or(ends, others[k + 1 :], (*chosen, way), left, union | way.carrier)


@dataclass(slots=True)
class _Node:
    """A position in the search: proof numbers for who moves, and what is found of it.

    ``replies`` are the moves that are worth a look, ``region`` the cells that may still beat the
    other player, ``ways`` how he answers what is outside.  ``held``: who does not move wins.
    ``win``: who moves does.
    """

    proof: int = 1
    disproof: int = 1
    replies: tuple[int, ...] | None = None
    region: int = 0
    ways: list[_Way] = field(default_factory=list)
    held: _Held | None = None
    win: _Way | None = None

    @property
    def decided(self) -> bool:
        return self.held is not None or self.win is not None

    def wins(self, way: _Way) -> None:
        self.win, self.proof, self.disproof = way, 0, _INFINITE
        self.replies, self.ways = (), []

    def loses(self, held: _Held) -> None:
        self.held, self.proof, self.disproof = held, _INFINITE, 0
        self.replies, self.ways = (), []


class _Search:
    """Depth-first proof-number search; players are 0 and 1, stones by player are a position."""

    def __init__(self, board: _Board, limits: Limits, tell: Tell) -> None:
        self._board = board
        self._limits = limits
        self._tell = tell
        self._nodes: dict[Ends, _Node] = {}
        self._known: tuple[list[_Held], list[_Held]] = ([], [])
        self._goal = board.size, board.size + 1
        self._looked = 0
        self._touch = np.array([[n >> k & 1 for k in range(board.size)] for n in board.near], float)
        self._at = [
            [np.array([m >> k & 1 for k in range(board.size)], float) for m in sides]
            for sides in board.sides
        ]

    def held(self, black: int) -> _Held | None:
        """How Black holds the position in which White moves; ``None`` where White wins."""
        self._descend(1, (black, 0), _INFINITE - 1, _INFINITE - 1)
        return self._nodes[black, 0].held

    def _free(self, stones: Ends) -> int:
        return self._board.all & ~(stones[0] | stones[1])

    def _recall(self, node: _Node, mover: int, stones: Ends) -> bool:
        """Whether what was found elsewhere decides the position."""
        free, other = self._free(stones), 1 - mover
        for held in reversed(self._known[other]):
            if not (held.needed & ~stones[other] or held.carrier & ~free):
                node.loses(held)
                return True
        for held in reversed(self._known[mover]):
            missing = held.needed & ~stones[mover]
            if missing & (missing - 1) or held.carrier & ~free or missing & ~free:
                continue
            if missing:
                needed, carrier = held.needed & ~missing, held.carrier | missing
                node.wins(_Way(carrier, needed, missing.bit_length() - 1, (held,)))
                return True
        return False

    def _expand(self, node: _Node, mover: int, stones: Ends) -> None:
        self._limits.deadline.check("a strategy was found")
        self._looked += 1
        found = sum(map(len, self._known))
        self._tell(Progress("find", f"{self._looked:,} positions, {found:,} won", self._looked))
        if self._recall(node, mover, stones):
            return
        other, free = 1 - mover, self._free(stones)
        theirs = _HSearch(self._board, other, stones[other], free)
        if theirs.held is not None:
            self._known[other].append(theirs.held)
            node.loses(theirs.held)
            return
        ours = _HSearch(self._board, mover, stones[mover], free)
        way = next(iter(ours.semis), None)
        if ours.held is not None:
            way = self._begin(ours.held)
        if way is not None:
            needed, carrier = way.needed | 1 << way.stone, way.carrier & ~(1 << way.stone)
            after = _Held(self._goal, carrier, needed, way.parts)
            self._known[mover].append(after)
            node.wins(way._replace(parts=(after,)))
            return
        node.region = free
        for way in theirs.semis:
            if node.region & ~way.carrier:
                node.region &= way.carrier
                node.ways.append(way)
        node.replies = self._order(mover, stones, node.region)

    @staticmethod
    def _begin(held: _Held) -> _Way:
        """The first stone of a connection, by who holds it and moves."""
        leaves = list(held.leaves())
        first = max(leaves, key=lambda leaf: leaf.carrier.bit_count())
        way = min(first.ways, key=lambda way: way.carrier.bit_count())
        carrier = way.carrier
        others = tuple(leaf for leaf in leaves if leaf is not first)
        for leaf in others:
            carrier |= leaf.carrier
        return _Way(carrier, held.needed, way.stone, (*others, *way.parts))

    def _descend(self, mover: int, stones: Ends, most: int, most_against: int) -> None:
        """Look on until the proof numbers reach these limits, or the position is decided."""
        node = self._nodes.setdefault(stones, _Node())
        if node.decided:
            return
        if node.replies is None:
            self._expand(node, mover, stones)
        else:
            self._recall(node, mover, stones)
        while not node.decided:
            numbers = self._numbers(node, mover, stones)
            if numbers is None:
                continue
            best, second, against, child = numbers
            node.proof, node.disproof = best, against
            if best >= most or against >= most_against:
                return
            below = self._nodes.get(child)
            self._descend(
                1 - mover,
                child,
                min(most_against - against + (below.proof if below else 1), _INFINITE),
                min(most, second + max(1, second // 4)),
            )

    def _numbers(self, node: _Node, mover: int, stones: Ends) -> tuple[int, int, int, Ends] | None:
        """The least disproof number of the replies and the next one, the sum of proof numbers.

        With them the position that has the least.  ``None`` when a reply was decided since: it
        goes, or decides the position.
        """
        best = second = _INFINITE
        against = 0
        chosen: Ends | None = None
        left = [move for move in node.replies or () if node.region >> move & 1]
        look_at = _REPLIES + int(_SHARE * len(left))
        for place, move in enumerate(left):
            own = stones[mover] | 1 << move
            child = (own, stones[1]) if mover == 0 else (stones[0], own)
            below = self._nodes.get(child)
            proof, disproof = (below.proof, below.disproof) if below else (1, 1)
            if below is not None and below.win is not None:
                node.region &= below.win.carrier
                node.ways.append(below.win)
                return None
            if below is not None and below.held is not None:
                held = below.held
                needed, carrier = held.needed & ~(1 << move), held.carrier | 1 << move
                node.wins(_Way(carrier, needed, move, (held,)))
                return None
            if place >= look_at:
                continue
            against += proof
            if disproof < best:
                best, second, chosen = disproof, best, child
            elif disproof < second:
                second = disproof
        if not left:
            carrier = needed = 0
            for way in node.ways:
                carrier, needed = carrier | way.carrier, needed | way.needed
            held = _Held(self._goal, carrier, needed, ways=tuple(node.ways))
            self._known[1 - mover].append(held)
            node.loses(held)
        if chosen is None:
            return None
        return best, second, min(against, _INFINITE - 1), chosen

    def _order(self, mover: int, stones: Ends, region: int) -> tuple[int, ...]:
        """The moves of a region, by the resistance of the board for both players after them."""
        moves = list(members(region))
        own = self._resistance(mover, stones, moves, taken=True)
        others = self._resistance(1 - mover, stones, moves, taken=False)
        rank = np.argsort(others / np.maximum(own, 1e-9), kind="stable")
        return tuple(moves[k] for k in rank)

    def _resistance(
        self, player: int, stones: Ends, moves: list[int], *, taken: bool
    ) -> NDArray[np.float64]:
        """The conductance between a player's sides after each move, his own or the other's."""
        size = self._board.size
        resistance = np.ones((len(moves), size))
        resistance[:, list(members(stones[player]))] = _STONE
        resistance[:, list(members(stones[1 - player]))] = np.inf
        resistance[range(len(moves)), moves] = _STONE if taken else np.inf
        free = np.isclose(resistance, 1.0)
        common = np.einsum("ij,mj,jk->mik", self._touch, free, self._touch)
        bridges = (self._touch[None] == 0) & np.isclose(common, 2.0) & ~np.eye(size, dtype=bool)
        edges = (self._touch[None] + _BRIDGE * bridges) / (
            resistance[:, :, None] + resistance[:, None, :]
        )
        at: list[NDArray[np.float64]] = []
        for touching in self._at[player]:
            near = np.isclose((free * touching) @ self._touch, 2.0) & (touching == 0)
            at.append((touching + _BRIDGE * near) / resistance)
        matrix = -edges
        diagonal = edges.sum(2) + at[0] + at[1] + 1e-9
        matrix[:, range(size), range(size)] += diagonal
        volts = np.linalg.solve(matrix, at[0][:, :, None])[:, :, 0]
        return np.asarray((at[0] * (1 - volts)).sum(1), dtype=np.float64)


class _Writer:
    """What is held, as links and patterns; each pattern is written once for all places."""

    def __init__(self, board: _Board, height: int) -> None:
        self._board = board
        self._height = height
        self._links: dict[int, HexLink] = {}
        self._shapes: dict[object, tuple[HexLink, Placement]] = {}

    def links(self, parts: Iterable[_Held]) -> tuple[HexLink, ...]:
        """The links of some parts; stones that touch need none."""
        return tuple(self._link(leaf) for part in parts for leaf in part.leaves())

    def _end(self, end: int) -> End:
        size = self._board.size
        return self._board.cells[end] if end < size else ("top", "bottom")[end - size]

    def _link(self, held: _Held) -> HexLink:
        if id(held) not in self._links:
            cells = self._board.cells
            answers = tuple(
                PatternAnswer(0, cells[way.stone], self.links(way.parts)) for way in held.ways
            )
            if len(answers) == 2 and not any(own.links for own in answers):
                one, other = (own.move for own in answers)
                answers = (
                    PatternAnswer(0, one, (), frozenset((other,)), outside=False),
                    PatternAnswer(0, other, (), frozenset((one,)), outside=False),
                )
            else:
                answers = tuple(map(_outside, answers))
            ends = tuple(map(self._end, held.ends))
            helpers = tuple(cells[k] for k in members(held.needed) if cells[k] not in ends)
            self._links[id(held)] = self._pattern(ends, helpers, answers)
        return self._links[id(held)]

    def _pattern(
        self, ends: tuple[End, ...], helpers: tuple[Cell, ...], answers: tuple[PatternAnswer, ...]
    ) -> HexLink:
        """The link by a pattern with these answers, or by one that stands elsewhere already.

        Of two with the same ends, stones and carrier one will do.
        """
        link = HexLink(Pattern("", 0, ends, helpers, (), answers), HERE)
        key, there = min(self._placed(link), key=lambda shape: shape[0])
        if key not in self._shapes:
            self._shapes[key] = link, there
            return link
        own, moved = self._shapes[key]
        return own.placed(there.inverse().after(moved))

    def _placed(self, link: HexLink) -> Iterator[tuple[tuple[object, ...], Placement]]:
        """What a link is, wherever it is: for each symmetry a key, and the placement to that."""
        sides = [end for end in link.ends if isinstance(end, str)]
        for mirrored in (False, True):
            for turns in range(6):
                if sides and (
                    turns not in (0, 3) or (len(sides) == 1 and (turns == 0) != (sides == ["top"]))
                ):
                    continue
                dy = self._height + 1 if sides and turns else 0
                moved = link.placed(Placement(turns, mirrored, 0, dy))
                cells = (*moved.stones, *moved.carrier)
                dx = -min(x for x, _ in cells)
                dy -= 0 if sides else min(y for _, y in cells)
                there = Placement(turns, mirrored, dx, dy)
                moved = link.placed(there)
                ends = sorted((str(type(end)), end) for end in moved.ends)
                key = str(ends), tuple(sorted(moved.helpers)), tuple(sorted(moved.carrier))
                yield key, there


def _outside(answer: PatternAnswer) -> PatternAnswer:
    """The answer to all replies of White's outside of its carrier."""
    return replace(answer, cells=answer.carrier, outside=True)


def _named(answer: PatternAnswer, height: int) -> tuple[tuple[Pattern, ...], PatternAnswer]:
    """The patterns that an answer uses, with names, those that others use first; and the answer."""
    named: dict[Pattern, Pattern] = {}
    count: dict[str, int] = {}

    def written(own: PatternAnswer) -> PatternAnswer:
        return replace(own, links=tuple(map(link, own.links)))

    def link(own: HexLink) -> HexLink:
        return HexLink(name(own.pattern), own.placement)

    def name(pattern: Pattern) -> Pattern:
        if pattern not in named:
            answers = tuple(map(written, pattern.answers))
            kind = "bridge"
            side = next((end for end in pattern.ends if isinstance(end, str)), None)
            if side is not None:
                rows = [end[1] for end in pattern.ends if not isinstance(end, str)]
                kind = "region"
                if rows:
                    kind = f"edge{rows[0] if side == 'top' else height + 1 - rows[0]}"
            count[kind] = count.get(kind, 0) + 1
            called = kind if count[kind] == 1 else f"{kind}-{count[kind]}"
            named[pattern] = replace(pattern, name=called, answers=answers)
        return named[pattern]

    opening = written(answer)
    return tuple(named.values()), opening


def _board(width: int, height: int) -> _Board:
    model = hex_network(width, height)
    game = load_game(model)
    assert isinstance(game, PositionalGame), "a network is a positional game"
    cells, network = game.arrangement.squares, model.own_network
    columns = (sum(1 << k for k, (x, _) in enumerate(cells) if x == side) for side in (1, width))
    left, right = columns
    return _Board(cells, network.neighbours, ((network.start, network.end), (left, right)))


def find_strategy(size: str, opening: str | None, limits: Limits, tell: Tell) -> str:
    """A file with a strategy of Black's on a board, which is not proved here.

    Raises ``UsageError`` for a size or a cell that is none, and where the opening does not win;
    ``UndecidedError`` at the time limit.
    """
    match = re.fullmatch(r"([1-9][0-9]?)x([1-9][0-9]?)", size.strip())
    if match is None or max(int(match[1]), int(match[2])) > MAX_SIDE:
        raise UsageError(f"found {quoted(size)}, expected a size like 5x5, at most {MAX_SIDE}")
    width, height = int(match[1]), int(match[2])
    centre = cell_name((width + 1) // 2, height // 2 + 1)
    cell = opening_cell(opening or centre, width, height)
    board = _board(width, height)
    held = _Search(board, limits, tell).held(1 << board.cells.index(cell))
    if held is None and opening is None and width < height:
        raise UsageError(
            f"found the size {size}, where White's sides are nearer and White wins after every "
            "opening, expected one at least as wide as high"
        )
    if held is None:
        tried = opening or f"{centre} (the centre, without --opening)"
        raise UsageError(f"found the opening {tried}, with which White wins {size}")
    links = _Writer(board, height).links((held,))
    patterns, answer = _named(PatternAnswer(0, cell, links), height)
    found = HexStrategy(f"hex {size}", width, height, patterns, answer)
    remark = f"Black opens at {cell_name(*cell)} and connects top and bottom; found by a search."
    return strategy_text(found, (remark,))
