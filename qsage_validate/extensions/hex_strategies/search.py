"""Finding a strategy of Hex by patterns: links from one stone, and must-play regions around them.

Links between two cells, and from a cell to a side, are found on the empty board by the rules of
H-search.  A position is won by a stone that completes a way of such links with disjoint
carriers; else each reply of White's in the must-play region is answered in turn, where the exact
search of the product says which stones win.  What is found is written as patterns, which the
structure and the walk prove as any others.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from qsage_validate.errors import UsageError
from qsage_validate.extensions.hex_strategies.strategy import (
    HERE,
    MAX_SIDE,
    SIDES,
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
from qsage_validate.games.masks import bits, flood, members, spread
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.rules import PositionalGame, PositionalPosition
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search import search_for
from qsage_validate.system.limits import Limits, Progress, Tell

# Carriers of one pair of ends that are kept: the smallest ones.
_KEPT = 6
# Cells of the largest carrier of a link that is looked for.
_LARGEST = 20
# Ways of links that are compared in one position.
_PATHS = 100


@dataclass(frozen=True)
class _Found:
    """A connection of two ends: its carrier, and how it is made.

    ``ways`` are the answers of its OR: a cell and the connections that hold then.
    """

    ends: tuple[int, int]
    carrier: int
    ways: tuple[tuple[int, tuple[_Found, ...]], ...] = ()


@dataclass(frozen=True)
class _Win:
    """An answer, and where it is right: black stones that it needs, cells that have to be free."""

    answer: PatternAnswer
    needed: int
    carrier: int

    def fits(self, black: int, white: int) -> bool:
        return not (self.needed & ~black or self.carrier & (black | white))


@dataclass
class _Finder:
    """The search on one board; positions are numbers, the sides come behind the cells."""

    width: int
    height: int
    limits: Limits
    tell: Tell
    known: dict[int, list[_Win]] = field(default_factory=dict)
    shapes: dict[object, tuple[HexLink, Placement]] = field(default_factory=dict)
    decided: int = 0

    def __post_init__(self) -> None:
        model = hex_network(self.width, self.height)
        game = load_game(model)
        assert isinstance(game, PositionalGame), "a network is a positional game"
        self.game, self.model = game, model
        self.cells: Sequence[Cell] = game.arrangement.squares
        self.number = {cell: k for k, cell in enumerate(self.cells)}
        self.solver = search_for(game, limits=self.limits)
        network, size = model.own_network, len(self.cells)
        self.top, self.bottom = size, size + 1
        self.near = [*network.neighbours, network.start, network.end]
        for side, row in ((self.top, network.start), (self.bottom, network.end)):
            for cell in members(row):
                self.near[cell] |= 1 << side

    # -- links on the empty board ---------------------------------------------------------------

    @cached_property
    def links(self) -> dict[tuple[int, int], list[_Found]]:
        """The connections of each pair of ends, touching ones with an empty carrier first."""
        found: dict[tuple[int, int], list[_Found]] = {}
        size = len(self.cells)
        for one in range(size):
            for other in range(one + 1, size + 2):
                if self.near[one] >> other & 1:
                    found[one, other] = [_Found((one, other), 0)]
        for one in range(size):
            for other in range(one + 1, size):
                both = self.near[one] & self.near[other] & ((1 << size) - 1)
                if (one, other) not in found and both.bit_count() == 2:
                    a, b = members(both)
                    found[one, other] = [_Found((one, other), both, ((a, ()), (b, ())))]
        for side, rows in ((self.top, 1), (self.bottom, self.height)):
            by_distance = sorted(range(size), key=lambda k: abs(self.cells[k][1] - rows))
            for _ in range(2):  # cells of one row help each other
                for one in by_distance:
                    self._to_side(found, one, side)
        return found

    def _to_side(self, found: dict[tuple[int, int], list[_Found]], one: int, side: int) -> None:
        self.limits.deadline.check("links were found")
        if self.near[one] >> side & 1:
            return
        semis: list[tuple[int, int, tuple[_Found, ...]]] = []
        for by in range(len(self.cells)):
            if by == one:
                continue
            for first in found.get((min(one, by), max(one, by)), ()):
                for second in found.get((by, side), ()):
                    taken = 1 << by | 1 << one
                    if first.carrier & second.carrier or (first.carrier | second.carrier) & taken:
                        continue
                    carrier = first.carrier | second.carrier | 1 << by
                    if carrier.bit_count() <= _LARGEST:
                        parts = tuple(own for own in (first, second) if own.carrier)
                        semis.append((carrier, by, parts))
        semis.sort(key=lambda semi: (semi[0].bit_count(), semi[0]))
        best = found.setdefault((one, side), [])
        for begin in range(min(len(semis), 12)):
            chosen = [semis[begin]]
            common, union = semis[begin][0], semis[begin][0]
            while common:
                fitting = [own for own in semis if common & ~own[0]]
                if not fitting:
                    break
                least = min(
                    fitting,
                    key=lambda own: ((own[0] & common).bit_count(), (own[0] | union).bit_count()),
                )
                chosen.append(least)
                common &= least[0]
                union |= least[0]
            if common or union.bit_count() > _LARGEST:
                continue
            if any(not own.carrier & ~union for own in best):
                continue
            ways = tuple((by, parts) for _, by, parts in chosen)
            best.append(_Found((one, side), union, ways))
        best.sort(key=lambda own: own.carrier.bit_count())
        del best[_KEPT:]

    # -- positions ------------------------------------------------------------------------------

    def ways(self, black: int, free: int) -> Iterator[tuple[_Found, ...]]:
        """Links that connect the sides by black stones, with disjoint free carriers."""

        def on(
            end: int, visited: int, taken: int, path: tuple[_Found, ...]
        ) -> Iterator[tuple[_Found, ...]]:
            if end == self.bottom:
                yield path
                return
            for other in (*members(black & ~visited), self.bottom):
                if other == self.bottom and end == self.top:
                    continue
                for own in self.links.get((min(end, other), max(end, other)), ()):
                    if own.carrier & ~free or own.carrier & taken:
                        continue
                    here = visited | (1 << other if other != self.bottom else 0)
                    yield from on(other, here, taken | own.carrier, (*path, own))

        yield from on(self.top, 0, 0, ())

    def held(self, black: int, free: int) -> tuple[_Found, ...] | None:
        """The connections with which Black holds the position although White moves."""
        paths = [path for _, path in zip(range(_PATHS), self.ways(black, free), strict=False)]
        return min(paths, key=_size, default=None)

    def wins(self, black: int, white: int) -> bool:
        """Whether Black wins with White to move."""
        ply = 2 * black.bit_count()
        position = PositionalPosition(self.game, black, white, ply)
        if position.outcome is not None:
            return position.outcome.winner is Player.BLACK
        return self.solver.winner(position) is Player.BLACK

    def answer(self, black: int, white: int, region: int) -> _Win:
        """An answer of Black's who moves and wins, which leaves little of White's ``region``.

        ``white`` are the cells that are not free.
        """
        fitting = [own for own in self.known.get(black.bit_count(), ()) if own.fits(black, white)]
        if fitting:
            return min(fitting, key=lambda own: (own.carrier & region).bit_count())
        self.limits.deadline.check("a strategy was found")
        self.decided += 1
        self.tell(Progress("find", f"{self.decided:,} positions", done=self.decided))
        free = self.model.all & ~(black | white)
        direct = [
            (((bit | _union(held)) & region).bit_count(), _size(held), bit, held)
            for bit in bits(free)
            if (held := self.held(black | bit, free & ~bit)) is not None
        ]
        links: tuple[HexLink, ...]
        if direct:
            _, _, bit, held = min(direct, key=lambda own: own[:3])
            links, needed = self.links_of(held), self.stones_of(held)
        else:
            tried = sorted((*self.promise(black | bit, white), bit) for bit in bits(free))
            bit = next((bit for *_, bit in tried if self.wins(black | bit, white)), 0)
            if not bit:
                raise UsageError("found a position that White wins, expected one that Black wins")
            links = (self.safe(black | bit, white),)
            needed = self._mask(links[0].stones)
        answer = PatternAnswer(0, self.cells[bit.bit_length() - 1], links)
        win = _Win(answer, needed & ~bit, self._mask(answer.carrier))
        self.known.setdefault(black.bit_count(), []).append(win)
        return win

    def links_of(self, held: Iterable[_Found]) -> tuple[HexLink, ...]:
        """The connections as links; stones that touch need none."""
        return tuple(self.link(own) for own in held if own.carrier)

    def stones_of(self, held: Iterable[_Found]) -> int:
        """The black stones that a way passes."""
        return self.model.all & sum({1 << end for own in held for end in own.ends})

    def promise(self, black: int, white: int) -> tuple[int, int]:
        """How far Black is from holding a position: the smaller, the nearer.

        The number of replies of White's that no single stone with links answers, then the number of
        stones that a way of links takes, less the stones with which White cuts it.
        """
        free = self.model.all & ~(black | white)
        region = free
        for bit in bits(free):
            held = self.held(black | bit, free & ~bit)
            if held is not None:
                region &= bit | _union(held)
                if not region:
                    break
        return region.bit_count(), self.distance(black, free) - self.cut(black, free)

    def distance(self, black: int, free: int) -> int:
        """The fewest stones with which links connect the sides, were their carriers apart."""
        seen, waiting = 0, deque([(self.top, 0)])
        while waiting:
            end, stones = waiting.popleft()
            if end == self.bottom:
                return stones
            if seen >> end & 1:
                continue
            seen |= 1 << end
            for other, carrier in self.beside[end]:
                if carrier & ~free or seen >> other & 1:
                    continue
                if black >> other & 1 or other >= self.top:
                    waiting.appendleft((other, stones))
                elif free >> other & 1:
                    waiting.append((other, stones + 1))
        return len(self.cells)

    def cut(self, black: int, free: int) -> int:
        """The fewest free cells with which White connects left and right, touching cell by cell."""
        white = self.model.all & ~(black | free)
        left, right = self.sides
        seen, stones = 0, 0
        held = flood(left & white, white, self.near)
        layer = (left | spread(held, self.near)) & free
        while not (held | seen) & right and layer:
            stones += 1
            seen |= layer
            near = spread(layer, self.near)
            held = flood(near & white, white, self.near)
            layer = (near | spread(held, self.near)) & free & ~seen
        return stones if (held | seen) & right else len(self.cells)

    @cached_property
    def sides(self) -> tuple[int, int]:
        """White's sides: the cells of the first and the last column."""
        left, right = (
            sum(1 << k for k, (x, _) in enumerate(self.cells) if x == side)
            for side in (1, self.width)
        )
        return left, right

    @cached_property
    def beside(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        """The other ends of each end's links, with the carriers."""
        found: dict[int, list[tuple[int, int]]] = {end: [] for end in range(self.bottom + 1)}
        for (one, other), all_of in self.links.items():
            for own in all_of:
                found[one].append((other, own.carrier))
                found[other].append((one, own.carrier))
        return found

    def safe(self, black: int, white: int) -> HexLink:
        """A link of the sides by an OR over White's replies, who moves."""
        wins = [self.answer(black, white, self.model.all)]
        region = wins[0].carrier
        while region:
            wins.append(self.answer(black, white | region & -region, region))
            region &= wins[-1].carrier
        needed = 0
        for win in wins:
            needed |= win.needed
        helpers = tuple(self.cells[k] for k in members(needed))
        return self._pattern(SIDES, helpers, tuple(_outside(win.answer) for win in wins))

    def _mask(self, cells: Iterable[Cell]) -> int:
        return sum({1 << self.number[cell] for cell in cells})

    # -- patterns -------------------------------------------------------------------------------

    def _end(self, end: int) -> End:
        return {self.top: "top", self.bottom: "bottom"}.get(end) or self.cells[end]

    def link(self, found: _Found) -> HexLink:
        """The pattern of a connection, where it lies; written once for all places."""
        ends = tuple(map(self._end, found.ends))
        answers = tuple(
            PatternAnswer(0, self.cells[by], tuple(map(self.link, parts)))
            for by, parts in found.ways
        )
        if len(answers) == 2 and not any(own.links for own in answers):
            one, other = (own.move for own in answers)
            answers = (
                PatternAnswer(0, one, (), frozenset((other,)), outside=False),
                PatternAnswer(0, other, (), frozenset((one,)), outside=False),
            )
        else:
            answers = tuple(map(_outside, answers))
        return self._pattern(ends, (), answers)

    def _pattern(
        self, ends: tuple[End, ...], helpers: tuple[Cell, ...], answers: tuple[PatternAnswer, ...]
    ) -> HexLink:
        """The link by a pattern with these answers, or by one that stands elsewhere already.

        Of two with the same ends, stones and carrier one will do.
        """
        link = HexLink(Pattern("", 0, ends, helpers, (), answers), HERE)
        key, there = min(self._shapes(link), key=lambda shape: shape[0])
        if key not in self.shapes:
            self.shapes[key] = link, there
            return link
        own, moved = self.shapes[key]
        return own.placed(there.inverse().after(moved))

    def _shapes(self, link: HexLink) -> Iterator[tuple[tuple[object, ...], Placement]]:
        """What a link is, wherever it is: for each symmetry a key, and the placement to that."""
        sides = [end for end in link.ends if isinstance(end, str)]
        for mirrored in (False, True):
            for turns in range(6):
                if sides and (
                    turns not in (0, 3) or (len(sides) == 1 and (turns == 0) != (sides == ["top"]))
                ):
                    continue
                dy = self.height + 1 if sides and turns else 0
                moved = link.placed(Placement(turns, mirrored, 0, dy))
                cells = (*moved.stones, *moved.carrier)
                dx = -min(x for x, _ in cells)
                dy -= 0 if sides else min(y for _, y in cells)
                there = Placement(turns, mirrored, dx, dy)
                moved = link.placed(there)
                ends = sorted((str(type(end)), end) for end in moved.ends)
                key = str(ends), tuple(sorted(moved.helpers)), tuple(sorted(moved.carrier))
                yield key, there


def _size(found: Iterable[_Found]) -> int:
    return sum(own.carrier.bit_count() for own in found)


def _union(found: Iterable[_Found]) -> int:
    return sum(own.carrier for own in found)  # they are disjoint


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
    finder = _Finder(width, height, limits, tell)
    bit = 1 << finder.number[cell]
    held = finder.held(bit, finder.model.all & ~bit)
    if held is not None:
        links = finder.links_of(held)
    else:
        tell(Progress("find", "whether the opening wins"))
        if not finder.wins(bit, 0):
            raise UsageError(f"found the opening {opening or centre}, with which White wins {size}")
        links = (finder.safe(bit, 0),)
    patterns, answer = _named(PatternAnswer(0, cell, links), height)
    found = HexStrategy(f"hex {size}", width, height, patterns, answer)
    remark = f"Black opens at {cell_name(*cell)} and connects top and bottom; found by a search."
    return strategy_text(found, (remark,))
