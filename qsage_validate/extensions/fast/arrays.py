"""The grounded rules of a grid game as arrays of words, and the arrays that a search works on.

A state is one to four words of 64 bits: the three planes of the grounding.  Where packing bounds
hold, the rules look at nothing but which squares are occupied, and so a state is this plane alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.bddl.kernel import BddlKernel, Entry
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.game import TooLargeError

if TYPE_CHECKING:
    from qsage_validate.games.bddl.bounds import Lines, Packing, RaceBound

Words = NDArray[np.int64]

WORD = 64
MAX_WORDS = 4
MAX_FILLINGS = WORD
"""Sets of actions are one word in the packing bounds."""

FAR = 0xFFFF
"""``ALWAYS`` in sixteen bits."""

# The fields of the control block.
DEPTH, MODE, RESULT, NODES, FILLED, PLIES, FIRST, ORDERED, SYMMETRIC = range(9)
CONTROLS = 9
# The next thing to do: look at a position, go on to the next move, take a result.
ENTER, NEXT, RETURN = range(3)
# Why the search came back.
SLICE_OVER, DONE, CROWDED = range(3)
# Kinds of bounds.
NO_BOUNDS, PACKING, RACE = range(3)


class RuleArrays(NamedTuple):
    """A game: for each action, threat and bound its masks, one after the other."""

    kind: int  # of the bounds
    key_words: int
    mark_word: int
    mark_bit: int
    starts: Words  # of the actions of Black, of White, and their end
    care: Words
    value: Words
    keep: Words
    put: Words
    number: Words
    groups: Words  # of the actions by player, word and bit of the needed piece
    group_ends: Words
    pieces: Words
    kept: Words  # the bits of a state that its key has
    symmetries: Words  # [symmetry, byte, value of the byte, word]
    threats: Words  # the starts of Black's and White's, and their end
    threat_care: Words
    threat_value: Words
    own_starts: Words  # for each action which own threats it may open
    own: Words
    opened_starts: Words  # and what of the opponent's is left to ask
    opened_care: Words
    opened_value: Words
    # Packing: the tables of ``_Fillings`` of Black and White.
    all: Words
    dead: Words
    taken_by: Words
    apart: Words
    hit: Words
    takes: Words
    spoilers: Words
    most_taken: Words
    least_taken: Words
    # Races.
    most_put: int  # so many pieces at most by a move of Black's
    longest: int  # so many pieces at most in a line
    wanted: Words
    spoilt: Words
    line_words: int
    kills: Words  # for each action the lines that it contradicts
    through: Words  # and those that it contradicts or helps
    rings: Words
    stuck: Words  # full board: 0, 1, 2 (exact), most; captured: 0, 1, most
    places: Words  # the three planes


class HashTable(NamedTuple):
    """A table of fixed size: rows of an entry, 0 in a free one, and the words of its key."""

    rows: Words
    slots: int
    full: bool  # it cannot grow


class Frames(NamedTuple):
    """The stack: for each depth a position, and its moves from ``nexts`` to ``ends``."""

    states: Words
    keys: Words
    image: Words
    wins: Words
    loses: Words
    bests: Words
    chosen: Words
    nexts: Words
    ends: Words
    last: Words
    standing: Words
    moves: Words
    near: Words
    ranks: Words
    lines: Words  # for each depth those that no piece contradicts


def words_of(mask: int, size: int) -> list[int]:
    """A mask as signed words, the lowest first."""
    found = []
    for _ in range(size):
        word = mask & (1 << WORD) - 1
        found.append(word - (1 << WORD) if word >> WORD - 1 else word)
        mask >>= WORD
    return found


def mask_of(words: Iterable[Any]) -> int:
    return sum((int(word) & (1 << WORD) - 1) << WORD * n for n, word in enumerate(words))


def _numbers(chosen: Iterable[object]) -> int:
    return sum(1 << number for number, one in enumerate(chosen) if one)


def _flat(masks: Iterable[int], size: int) -> Words:
    return np.array([w for mask in masks for w in words_of(mask, size)], dtype=np.int64)


def _starts(groups: Sequence[Sequence[object]]) -> Words:
    return np.array([0, *accumulate(map(len, groups))], dtype=np.int64)


def new_frames(rules: RuleArrays, size: int, plies: int) -> Frames:
    """The stack for a search of so many plies."""
    depth = plies + 2

    def zeros(count: int) -> Words:
        return np.zeros(count, dtype=np.int64)

    most = int(max(rules.starts[1], rules.starts[2] - rules.starts[1], 1))
    moves = depth * most
    threats = len(rules.own) + int(rules.threats[2]) + 1
    return Frames(
        states=zeros((depth + 1) * size),
        keys=zeros(depth * size),
        image=zeros(size),
        wins=zeros(depth),
        loses=zeros(depth),
        bests=zeros(depth),
        chosen=zeros(depth),
        nexts=zeros(depth),
        ends=zeros(depth),
        last=zeros(depth),
        standing=zeros(threats),
        moves=zeros(moves),
        near=zeros(moves),
        ranks=zeros(moves),
        lines=zeros((depth + 1) * rules.line_words),
    )


class Arrays:
    """A game's rules as arrays; raises ``TooLargeError``."""

    def __init__(self, kernel: BddlKernel, *, with_bounds: bool = True) -> None:
        grounding = kernel.grounding
        packing = kernel.packing if with_bounds else None
        race = kernel.race if with_bounds and packing is None else None
        squares = self._squares = grounding.squares
        self._shift = 0 if packing is None else 2 * squares
        kept = (1 << (2 * squares if packing is None else squares)) - 1
        bits = max(3 * squares if packing is None else squares + 2, kept.bit_length() + 2)
        self.size = size = -(-bits // WORD)
        if size > MAX_WORDS:
            raise TooLargeError(f"a board of {squares} squares")
        if packing is not None and (
            squares > WORD or any(len(packing.needs[p]) > MAX_FILLINGS for p in Player)
        ):
            raise TooLargeError(f"a board of {squares} squares")
        self.kept = kept
        self.symmetric = bool(kernel.square_maps)
        self._full = (1 << 3 * squares) - 1
        entries = (
            {player: list(kernel.entries(player)) for player in Player}
            if packing is None
            else {player: _filling_entries(packing, player, squares) for player in Player}
        )
        lines = None if race is None else race.lines
        self._spoilt = [] if lines is None else lines.spoilt
        self.rules = RuleArrays(
            kind=PACKING if packing is not None else NO_BOUNDS if race is None else RACE,
            **self._marks(),
            **self._actions(entries),
            kept=_flat([kept], size),
            symmetries=self._symmetries(kernel.square_maps, squares, planes=2 - bool(packing)),
            **self._threats(kernel, entries, packing is None),
            **self._packing(packing),
            **self._race(race, grounding, entries),
        )

    def state(self, state: int) -> list[int]:
        """A state of the kernel as words."""
        return words_of(state >> self._shift, self.size)

    def states(self, black: NDArray[np.uint64], white: NDArray[np.uint64]) -> Words:
        """The words of many positions, a row for each, of their black and white squares."""
        planes = (black | white,) if self._shift else (black, white, black | white)
        found = np.zeros((len(black), self.size), dtype=np.uint64)
        for number, plane in enumerate(planes):
            word, bit = divmod(number * self._squares, WORD)
            found[:, word] |= plane << np.uint64(bit)
            if bit and bit + self._squares > WORD:
                found[:, word + 1] |= plane >> np.uint64(WORD - bit)
        return found.view(np.int64)

    def lines(self, state: int) -> list[int]:
        """The lines that no piece of a state of the kernel contradicts, as words."""
        return words_of(_numbers(not state & mask for mask in self._spoilt), self.rules.line_words)

    def _marks(self) -> dict[str, Any]:
        bit = self.kept.bit_length()
        if bit % WORD == WORD - 1:
            bit += 1  # two bits of one word
        return {
            "key_words": bit // WORD + 1,
            "mark_word": bit // WORD,
            "mark_bit": bit % WORD,
        }

    def _actions(self, entries: dict[Player, list[tuple[int, Entry]]]) -> dict[str, Any]:
        size = self.size
        groups = np.zeros((2 * (size + 1)) * WORD, dtype=np.int64)
        group_ends = groups.copy()
        ordered: list[Entry] = []
        pieces = []
        for side, player in enumerate((Player.BLACK, Player.WHITE)):
            # Those that need no piece first.
            for piece, entry in entries[player]:
                at = piece.bit_length() - 1 + WORD if piece else 0
                group = side * (size + 1) * WORD + at
                if groups[group] == group_ends[group]:
                    groups[group] = len(ordered)
                ordered.append(entry)
                group_ends[group] = len(ordered)
            needed = 0
            for piece, _ in entries[player]:
                needed |= piece
            pieces.append(needed)
        return {
            "starts": _starts([entries[Player.BLACK], entries[Player.WHITE]]),
            "care": _flat((e[0] for e in ordered), size),
            "value": _flat((e[1] for e in ordered), size),
            "keep": _flat((e[2] for e in ordered), size),
            "put": _flat((e[3] for e in ordered), size),
            "number": np.array([e[4] for e in ordered], dtype=np.int64),
            "groups": groups,
            "group_ends": group_ends,
            "pieces": _flat(pieces, size),
        }

    def _symmetries(self, maps: Sequence[Sequence[int]], squares: int, planes: int) -> Words:
        size = self.size
        count = -(-planes * squares // 8)
        tables = np.zeros((len(maps), count, 256, size), dtype=np.int64)
        for number, places in enumerate(maps):
            images = [1 << plane * squares + to for plane in range(planes) for to in places]
            for byte in range(count):
                union = [0]
                for image in images[8 * byte : 8 * byte + 8]:
                    union += [entry | image for entry in union]
                union += union * (256 // len(union) - 1)
                tables[number, byte] = [words_of(mask, size) for mask in union]
        return tables

    def _threats(
        self, kernel: BddlKernel, entries: dict[Player, list[tuple[int, Entry]]], there: bool
    ) -> dict[str, Any]:
        """The threats of each action; a game of filling the board has none."""
        size = self.size
        threats = {p: list(kernel.threats(p)) if there else [] for p in Player}
        both = [*threats[Player.BLACK], *threats[Player.WHITE]]
        own: list[list[int]] = []
        opened: list[Sequence[tuple[int, int]]] = []
        for player in (Player.BLACK, Player.WHITE):
            first = 0 if player is Player.BLACK else len(threats[Player.BLACK])
            for _, entry in entries[player]:
                changed = self._full & ~entry[2]
                own.append(
                    [
                        first + number
                        for number, (asked, expected) in enumerate(threats[player])
                        if asked & changed and not (expected ^ entry[3]) & asked & changed
                    ]
                )
                opened.append(kernel.opened_by(player, entry) if there else ())
        conditions = [condition for one in opened for condition in one]
        return {
            "threats": _starts([threats[Player.BLACK], threats[Player.WHITE]]),
            "threat_care": _flat((care for care, _ in both), size),
            "threat_value": _flat((value for _, value in both), size),
            "own_starts": _starts(own),
            "own": np.array([n for one in own for n in one], dtype=np.int64),
            "opened_starts": _starts(opened),
            "opened_care": _flat((care for care, _ in conditions), size),
            "opened_value": _flat((value for _, value in conditions), size),
        }

    def _packing(self, packing: Packing | None) -> dict[str, Any]:
        most_taken = np.zeros(2, dtype=np.int64)
        least_taken = np.ones(2, dtype=np.int64)
        everything = np.zeros(2, dtype=np.int64)
        dead = np.zeros((2, 8, 256), dtype=np.int64)
        taken_by = dead.copy()
        apart = np.zeros((2, WORD), dtype=np.int64)
        hit, takes, spoilers = apart.copy(), apart.copy(), apart.copy()
        for side, player in enumerate((Player.BLACK, Player.WHITE)):
            if packing is None:
                break
            fillings = packing.fillings(player)
            most_taken[side] = fillings.most_taken
            least_taken[side] = max(1, fillings.least_taken)
            everything[side] = words_of(fillings.all, 1)[0]
            for tables, unions in ((dead, fillings.dead), (taken_by, fillings.taken)):
                for byte, union in enumerate(unions.tables):
                    more = union * (256 // len(union))
                    tables[side, byte] = [words_of(mask, 1)[0] for mask in more]
            for table, masks in (
                (apart, fillings.apart),
                (hit, fillings.hit),
                (takes, fillings.takes),
                (spoilers, packing.spoilers[player]),
            ):
                table[side, : len(masks)] = [words_of(mask, 1)[0] for mask in masks]
        return {
            "all": everything,
            "dead": dead,
            "taken_by": taken_by,
            "apart": apart,
            "hit": hit,
            "takes": takes,
            "spoilers": spoilers,
            "most_taken": most_taken,
            "least_taken": least_taken,
        }

    def _lines(
        self, lines: Lines | None, entries: dict[Player, list[tuple[int, Entry]]]
    ) -> dict[str, Any]:
        wanted = [] if lines is None else lines.wanted
        spoilt = [] if lines is None else lines.spoilt
        puts = [entry[3] for player in (Player.BLACK, Player.WHITE) for _, entry in entries[player]]
        kills = [_numbers(put & mask for mask in spoilt) for put in puts]
        helps = [_numbers(put & mask for mask in wanted) for put in puts]
        size = -(-len(wanted) // WORD)
        return {
            "longest": max((mask.bit_count() for mask in wanted), default=0),
            "wanted": _flat(wanted, self.size),
            "spoilt": _flat(spoilt, self.size),
            "line_words": size,
            "kills": _flat(kills, size),
            "through": _flat((a | b for a, b in zip(kills, helps, strict=True)), size),
        }

    def _race(
        self,
        race: RaceBound | None,
        grounding: Grounding,
        entries: dict[Player, list[tuple[int, Entry]]],
    ) -> dict[str, Any]:
        lines = None if race is None else race.lines
        distances = None if race is None else race.distances
        stuck = [0, 0, 0, 0]
        if race is not None and race.full is not None:
            stuck[:2] = [1 + race.full.exact, race.full.most]
        if race is not None and race.captured is not None:
            stuck[2:] = [1, race.captured.most]
        return {
            **self._lines(lines, entries),
            "rings": _flat([] if distances is None else distances.rings, self.size),
            "stuck": np.array(stuck, dtype=np.int64),
            "most_put": 1 if lines is None else lines.most,
            "places": _flat(
                (grounding.plane << grounding.squares * k for k in range(3)), self.size
            ),
        }


def _filling_entries(packing: Packing, player: Player, squares: int) -> list[tuple[int, Entry]]:
    board = (1 << squares) - 1
    return [
        (0, (need, 0, board & ~take, take, number, ()))
        for (need, take), number in packing.needs[player].items()
    ]
