"""Maker-maker games by their maker-breaker games, and White's block.

White holds these games wherever White holds the maker-breaker game of Black's sets alone, which
is searched first: so moves of Black that lose there are not looked at further, and neither are
positions in which White can complete no set in time.  Positions of one's own never hurt here
either, so positions that are in no set alive need not be played; but a stone of White's outside
of the zone of a Black win may prepare a set, so only wins by threats, whose zones say so, make
White's moves fewer.

White blocks *within k plies* when White can play so that after at most ``k`` plies there is a
pairing (``games/positional/cover_game.py``), or White has won.  That is what the encoding PAIRING
says; here it is searched for, so that the formula's answer has an independent one beside it, and
so that there is a strategy to play.  White's last stone and the pairing are found together, by a
SAT solver; what is known of a position is kept for all symmetric ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.games.masks import bits, mask_of
from qsage_validate.games.positional.cover_game import Pairing, PairingFinder
from qsage_validate.games.positional.model import CanonicalKeys, PositionalModel
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.solvers.maker_breaker import (
    ALWAYS,
    Layers,
    MakerBreaker,
    PositionTable,
    TablePlace,
    ThreatSearch,
    WinningSets,
    alive,
    ordered,
    scores,
)
from qsage_validate.solvers.search_engine import NEVER, NOT_WITHIN
from qsage_validate.system.limits import NEVER as NO_LIMIT
from qsage_validate.system.limits import Deadline

# The search of maker-maker games: both players try to complete a set first


class MakerMaker:
    """The search for a set that Black completes with so many stones before White completes one.

    Results: positive for a win, ``NOT_WITHIN`` so many stones, or ``NEVER``.
    """

    def __init__(
        self, sets: WinningSets, whites: WinningSets, keys: CanonicalKeys, tick: Callable[[], None]
    ) -> None:
        self._sets = sets
        self._whites = whites
        self._size = sets.size
        self._all = (1 << sets.size) - 1
        self._tick = tick
        self.maker = MakerBreaker(sets, keys, tick)
        self._threats = ThreatSearch(sets, whites, tick)
        self.tables = PositionTable(keys), PositionTable(keys)

    def black(self, black: int, white: int, own: Layers, other: Layers, stones: int) -> int:
        """The result with Black to move; ``own`` and ``other`` are Black's layers and White's."""
        self._tick()
        if stones < 1:
            return NOT_WITHIN
        if own[1]:
            return 1
        if stones == 1:
            return NOT_WITHIN
        free = self._all & ~(black | white)
        threats = self._whites.missing(other[1], free)
        if threats & (threats - 1):
            return NEVER
        if self._threats.zone(black, white, own, other, stones):
            return 1
        if not threats:
            result = self.maker.black(black, white, own, stones)
            if result <= 0 or not alive(other, stones - 1):
                return result
        hopeful, whites = alive(own, stones), alive(other, stones - 1)
        if not hopeful:
            return NOT_WITHIN
        relevant = self._sets.cells(hopeful) | self._whites.cells(whites)
        table = self.tables[0]
        place = self._place(table, black, white, relevant)
        entry = table.entry(place)
        if stones >= entry.win:
            return 1
        if stones <= entry.lose:
            return NOT_WITHIN
        # Moves that are left out may help a Black who has more stones.
        every = hopeful == alive(own, len(own)) and whites == alive(other, len(other))
        result = NEVER if every else NOT_WITHIN
        cells = threats or relevant & free
        worth = self._worth(own, other, cells, stones)
        for v in ordered(worth, table.best(place, entry)):
            after = self._sets.claimed(own, v), self._whites.denied(other, v)
            won = self.white(black | 1 << v, white, *after, stones - 1)
            if won > 0:
                table.won(place, stones, 1 << v, v)
                return 1
            result = max(result, won)
        table.not_won(place, ALWAYS if result == NEVER else stones)
        return result

    def white(self, black: int, white: int, own: Layers, other: Layers, stones: int) -> int:
        """The result with White to move."""
        self._tick()
        if other[1]:
            return NEVER
        if stones < 1:
            return NOT_WITHIN
        free = self._all & ~(black | white)
        if own[1]:
            cells = self._sets.missing(own[1], free)
            if cells & (cells - 1):
                return 1
            v = cells.bit_length() - 1
            after = self._sets.denied(own, v), self._whites.claimed(other, v)
            return self.black(black, white | cells, *after, stones)
        if stones == 1:
            return NOT_WITHIN
        result = self.maker.white(black, white, own, stones)
        whites = alive(other, stones)
        if result <= 0 or not whites:
            return result
        maker_zone = result
        relevant = self._sets.cells(alive(own, stones)) | self._whites.cells(whites)
        table = self.tables[1]
        place = self._place(table, black, white, relevant)
        entry = table.entry(place)
        if stones >= entry.win:
            return 1
        if stones <= entry.lose:
            return NOT_WITHIN
        must = self._threats.zone(black, white, own, other, stones) & relevant or relevant
        worth = self._worth(own, other, must & free, stones)
        moves = ordered(worth, table.best(place, entry))
        # Stones that the maker's win does not need help White's own sets only.
        moves.sort(key=lambda v: not maker_zone >> v & 1)
        for v in moves:
            after = self._sets.denied(own, v), self._whites.claimed(other, v)
            won = self.black(black, white | 1 << v, *after, stones)
            if won <= 0:
                table.not_won(place, ALWAYS if won == NEVER else stones, v)
                return won
        table.won(place, stones, 1)
        return 1

    def _place(self, table: PositionTable, black: int, white: int, relevant: int) -> TablePlace:
        """The place of a board whose positions in no set alive are marked as both players'."""
        dead = self._all & ~relevant
        return table.place((black | dead) | (white | dead) << self._size)

    def _worth(self, own: Layers, other: Layers, cells: int, stones: int) -> dict[int, int]:
        """The scores of positions for both players together."""
        whites = scores(self._whites, other, cells, stones)
        blacks = scores(self._sets, own, cells, stones)
        return {v: score + whites[v] for v, score in blacks.items()}

    @property
    def positions(self) -> int:
        return sum(map(len, self.tables)) + self.maker.positions

    # -- What is known ----------------------------------------------------------------------

    def search(self, black: int, white: int, stones: int, *, blacks_turn: bool) -> int:
        """The result of a position that has not ended."""
        own = self._sets.layers(black, white)
        other = self._whites.layers(white, black)
        go = self.black if blacks_turn else self.white
        return go(black, white, own, other, stones)

    def known(self, black: int, white: int, stones: int, *, blacks_turn: bool) -> bool | None:
        """True if Black wins with so many stones; ``None`` if the tables do not tell."""
        if self.maker.known(black, white, stones, blacks_turn=blacks_turn) is False:
            return False
        table = self.tables[0 if blacks_turn else 1]
        entry = table.entry(self._known_place(table, black, white, stones, blacks_turn))
        if stones >= entry.win:
            return True
        return False if stones <= entry.lose else None

    def hint(self, black: int, white: int, stones: int, *, blacks_turn: bool) -> int:
        """A move that decided the position, as a bit; 0 when none is known."""
        own = self._sets.layers(black, white)
        other = self._whites.layers(white, black)
        free = self._all & ~(black | white)
        layers = ((self._sets, own), (self._whites, other))
        for sets, mine in layers if blacks_turn else layers[::-1]:
            if mine[1]:
                cells = sets.missing(mine[1], free)
                return cells & -cells
        if blacks_turn and self._threats.zone(black, white, own, other, stones):
            return self._threats.first
        table = self.tables[0 if blacks_turn else 1]
        place = self._known_place(table, black, white, stones, blacks_turn)
        found = table.best(place, table.entry(place))
        return found or self.maker.hint(black, white, stones, blacks_turn=blacks_turn)

    def _known_place(
        self, table: PositionTable, black: int, white: int, stones: int, blacks_turn: bool
    ) -> TablePlace:
        own = alive(self._sets.layers(black, white), stones)
        whites = stones - 1 if blacks_turn else stones
        other = alive(self._whites.layers(white, black), whites)
        relevant = self._sets.cells(own) | self._whites.cells(other)
        return self._place(table, black, white, relevant)


# White's block by moves and a pairing, found by search on the rules


_NARROW: Final = 8
"""So many moves of White's are looked at first."""

_CONFLICTS: Final = 40_000
_FEW_CONFLICTS: Final = 100
"""So many conflicts are spent on a pairing that is not needed yet, with Black to move few."""


@dataclass(frozen=True, slots=True)
class Block:
    """White's answer: a position to claim, and the pairing after it, if there is one."""

    position: int
    pairing: Pairing | None


class BlockingSearch:
    """The search for White's block, and its moves; results are kept.

    The game has to alternate, with Black to begin, and winning sets for goals; raises
    ``UsageError`` for a network.
    """

    def __init__(self, model: PositionalModel) -> None:
        self.model = model
        self._finder = PairingFinder(model)
        self._key = PositionalGame(model).kernel().key
        self._size = len(model.positions)
        # White's stones with which a position, with Black to move, is known to be blocked, and not
        # to be: with White's best moves alone, and with all of them.  Then the same with White to
        # move.
        self._blocked: dict[Hashable, int] = {}
        self._open: dict[int | None, dict[Hashable, int]] = {_NARROW: {}, None: {}}
        self._answered: dict[Hashable, int] = {}
        self._unanswered: dict[int | None, dict[Hashable, int]] = {_NARROW: {}, None: {}}
        self._width: int | None = None
        self._deadline = NO_LIMIT
        self._replies: dict[int, int] = {}
        # Black's moves that beat other stones of White's, the last one first.
        self._refuting: dict[int, list[int]] = {}

    def blocks(self, plies: int, deadline: Deadline = NO_LIMIT) -> bool:
        """True if White blocks within ``plies``; of an odd number White does not need the last.

        Raises ``UndecidedError`` at the deadline; what is known by then is kept.
        """
        return self.holds(self.model.black, self.model.white, plies // 2, deadline)

    def holds(self, black: int, white: int, stones: int, deadline: Deadline = NO_LIMIT) -> bool:
        """True if White, with Black to move, has a pairing after so many stones of White's."""
        self._deadline = deadline
        return any(self._black_to_move(black, white, stones) for _ in self._widths())

    def _widths(self) -> Iterator[None]:
        """Look at White's best moves alone first: to refute all others takes much longer."""
        for width in self._open:
            self._width = width
            yield

    def pairing(self, black: int, white: int) -> Pairing | None:
        return self._finder.find(black, white)

    def reply(
        self, black: int, white: int, stones: int, deadline: Deadline = NO_LIMIT
    ) -> Block | None:
        """White's move, with White to move, to a pairing after so many stones.

        ``None`` when there is no such move.  The position must not be Black's already.
        """
        self._deadline = deadline
        found = (self._reply(black, white, stones) for _ in self._widths())
        return next(filter(None, found), None)

    def _black_to_move(self, black: int, white: int, stones: int) -> bool:
        if self.model.won_by_black(black):
            return False
        if self.model.won_by_white(white):
            return True
        key = self._key(black | white << self._size)
        if self._blocked.get(key, stones + 1) <= stones:
            return True
        if self._open[self._width].get(key, -1) >= stones:
            return False
        if self._deadline.over:
            raise UndecidedError("the time for White's block is over")
        # That there are no pairs may take long to say; where White has stones left, the plays
        # behind the position tell.
        most = _FEW_CONFLICTS if stones else None
        if self._finder.find(black, white, conflicts=most) is not None:
            self._blocked[key] = 0
            return True
        held = stones > 0 and self._refutation(black, white, stones) is None
        known = self._blocked if held else self._open[self._width]
        known[key] = stones
        return held

    def _refutation(self, black: int, white: int, stones: int) -> int | None:
        """A move of Black's to which White has no reply; such moves are tried first elsewhere."""
        refuting = self._refuting.setdefault(black, [])
        free = self.model.all & ~(black | white)
        before = [move for move in refuting if move & free]
        for move in dict.fromkeys((*before, *self._moves(black, white, free))):
            if not self._answers(black | move, white, stones):
                if move in refuting:
                    refuting.remove(move)
                refuting.insert(0, move)
                return move
        return None

    def _answers(self, black: int, white: int, stones: int) -> bool:
        """Whether White, to move, has a reply; plays of other order come to the same positions."""
        if self.model.won_by_black(black):
            return False
        key = self._key(black | white << self._size)
        if self._answered.get(key, stones + 1) <= stones:
            return True
        if self._unanswered[self._width].get(key, -1) >= stones:
            return False
        found = self._reply(black, white, stones) is not None
        known = self._answered if found else self._unanswered[self._width]
        known[key] = stones
        return found

    def _moves(self, black: int, white: int, free: int) -> list[int]:
        """Black's moves, the most dangerous ones first; one of all irrelevant ones."""
        weights = self._weights(black, white, free)
        useful = sorted(weights, key=lambda bit: -weights[bit])
        idle = free & ~mask_of(bit.bit_length() - 1 for bit in useful)
        return [*useful, *([idle & -idle] if idle else [])]

    def _weights(self, black: int, white: int, free: int) -> dict[int, float]:
        """The positions of sets that can still be completed, by how near Black is to that."""
        weights: dict[int, float] = {}
        # Pairs hinder Black alone: White's own sets say where to look, and not how soon.
        for wins, own, other, base in (
            (self.model.black_wins, black, white, 4.0),
            (self.model.white_wins, white, black, inf),
        ):
            for shape in wins:
                if not shape & other:
                    rest = shape & ~own
                    worth = base ** -rest.bit_count()
                    for bit in bits(rest & free):
                        weights[bit] = weights.get(bit, 0.0) + worth
        return weights

    def _reply(self, black: int, white: int, stones: int) -> Block | None:
        free = self.model.all & ~(black | white)
        for bit in self._completing(self.model.white_wins, white, black):
            return Block(bit.bit_length() - 1, None)
        threats = list(self._completing(self.model.black_wins, black, white))
        if len(threats) > 1 or stones < 1 or not free:
            return None
        most = _CONFLICTS if stones > 1 else None
        found = self._finder.find_move(black, white, conflicts=most)
        if found is not None:
            return Block(*found)
        if stones == 1:
            return None
        weights = self._weights(black, white, free)
        known = self._replies.get(black)
        candidates = threats or sorted(weights, key=lambda bit: (bit != known, -weights[bit]))
        for bit in candidates[: self._width]:
            if self._black_to_move(black, white | bit, stones - 1):
                self._replies[black] = bit
                return Block(bit.bit_length() - 1, None)
        return None

    @staticmethod
    def _completing(wins: tuple[int, ...], own: int, other: int) -> Iterator[int]:
        """The open positions that complete a set at once, each once."""
        seen = 0
        for shape in wins:
            rest = shape & ~own
            if not shape & other and rest and not rest & (rest - 1) and not rest & seen:
                seen |= rest
                yield rest
