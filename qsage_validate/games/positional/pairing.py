"""Pairings: a player answers in the pair that the opponent plays in, and so hinders or completes.

A pairing is a set of disjoint pairs of open positions.  When every winning set of Black's without
a white position contains a pair, Black never completes one: whenever Black claims one position of
a pair, White claims the other one (Hales and Jewett 1963; Boucher and Villemaire 2021 for
polyominoes).  The player to move and White's own sets do not matter.

Pairings of the maker are Black's: Black answers in the pair that White plays in, and so completes a
set.  These pairs are good where each choice of one position of each pair, with Black's stones, has
a winning set: at the end Black has at least one of each.  In Hex two such pairs are a chain of
bridges.  Pairs and choices are looked for by turns (counterexample-guided): a choice without a
winning set leaves White a set of positions of which some pair has to lie within.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from qsage_validate.circuit.sat import Solver
from qsage_validate.errors import UsageError
from qsage_validate.games.masks import bits, mask_of, members
from qsage_validate.games.positional.model import Arrangement, PositionalModel

_SOLVER = "glucose4"
_LETTERS = 26


@dataclass(frozen=True, slots=True)
class Pairing:
    """Disjoint pairs of positions, by number."""

    pairs: tuple[tuple[int, int], ...]

    @property
    def mask(self) -> int:
        """All positions in pairs."""
        return mask_of(v for pair in self.pairs for v in pair)

    def partner(self, position: int) -> int | None:
        """The other position of the pair, ``None`` where there is none."""
        for one, other in self.pairs:
            if position in (one, other):
                return other if position == one else one
        return None

    def names(self, model: PositionalModel) -> tuple[tuple[str, str], ...]:
        return tuple((model.positions[v], model.positions[w]) for v, w in self.pairs)

    def text(self, model: PositionalModel, black: int, white: int) -> str:
        """The board with a letter for each pair, twice; stones are ``B`` and ``W``.

        The rows of hexagons are shifted by half a cell each.  Positions that are no cells of a
        grid are listed, a line for each pair.
        """
        arrangement = Arrangement.of(model.positions, hexagons=model.hexagons)
        if not arrangement.grid:
            return "\n".join(f"{one} - {other}" for one, other in self.names(model))
        signs = {v: _letter(k) for k, pair in enumerate(self.pairs) for v in pair}
        signs |= dict.fromkeys(members(black), "B") | dict.fromkeys(members(white), "W")
        width = max(map(len, signs.values()), default=1)
        rows = [["."] * arrangement.width for _ in range(arrangement.height)]
        for v, (x, y) in enumerate(arrangement.squares):
            rows[y - 1][x - 1] = signs.get(v, ".")
        shift = " " * ((width + 1) // 2 if model.hexagons else 0)
        return "\n".join(
            shift * y + " ".join(sign.rjust(width) for sign in row) for y, row in enumerate(rows)
        )


def _letter(number: int) -> str:
    """a, b, …, z, aa, ab, …."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, _LETTERS)
        text = chr(ord("a") + digit) + text
    return text


def open_sets(model: PositionalModel, pairing: Pairing, black: int, white: int) -> Iterator[int]:
    """The winning sets of Black's that neither a white position nor a pair hinders.

    None of them: Black never wins against the pairing.  Raises ``UsageError`` for pairs that are
    no pairing of open positions.
    """
    seen = black | white
    for pair in pairing.pairs:
        for v in pair:
            if not 0 <= v < len(model.positions) or seen >> v & 1:
                raise UsageError(f"found {pair}, expected disjoint pairs of open positions")
            seen |= 1 << v
    pairs = [mask_of(pair) for pair in pairing.pairs]
    for shape in model.black_wins:
        if not shape & white and not any(pair & ~shape == 0 for pair in pairs):
            yield shape


class PairingFinder:
    """Finds pairings for positions of a game of winning sets, by one SAT solver for all of them.

    Raises ``UsageError`` for a game with a network.
    """

    def __init__(self, model: PositionalModel) -> None:
        if model.network is not None:
            raise UsageError(f"{model.name}: found a network, expected winning sets of Black")
        self.model = model
        size = len(model.positions)
        self._size = size
        taken = model.black | model.white
        shapes = [w for w in model.black_wins if not w & model.white]
        pairs = sorted({p for w in shapes for p in combinations(members(w & ~taken), 2)})
        # For each position: it is open, it has a white stone, White's next stone comes there.
        self._open = range(1, size + 1)
        self._white = range(size + 1, 2 * size + 1)
        self._next = range(2 * size + 1, 3 * size + 1)
        self._any = 3 * size + 1
        self._pairs = {pair: self._any + 1 + k for k, pair in enumerate(pairs)}
        self._solver = Solver(_SOLVER, bootstrap_with=self._clauses(shapes))

    def _clauses(self, shapes: list[int]) -> Iterator[list[int]]:
        around: list[list[int]] = [[] for _ in range(self._size)]
        for pair, chosen in self._pairs.items():
            for v in pair:
                yield [-chosen, self._open[v]]
                yield [-chosen, -self._next[v]]
                around[v].append(chosen)
        for chosen_here in (*around, list(self._next)):
            for one, other in combinations(chosen_here, 2):
                yield [-one, -other]
        for v in range(self._size):
            yield [-self._next[v], self._open[v]]
            yield [-self._next[v], self._any]
        for shape in shapes:
            stones = [x for v in members(shape) for x in (self._white[v], self._next[v])]
            inside = (p for p in combinations(members(shape), 2) if p in self._pairs)
            yield [*stones, *(self._pairs[p] for p in inside)]

    def find(self, black: int, white: int, *, conflicts: int | None = None) -> Pairing | None:
        """A pairing for a position.

        With a limit of ``conflicts``, ``None`` may also say that none was found within it.
        """
        found = self._solve(black, white, stone=False, conflicts=conflicts)
        return None if found is None else found[1]

    def find_move(self, black: int, white: int) -> tuple[int, Pairing] | None:
        """An open position and a pairing for when White has claimed it."""
        found = self._solve(black, white, stone=True)
        if found is None:
            return None
        stone, pairing = found
        if stone is None:
            # Nothing has to be claimed: then anything may be.
            free = self.model.all & ~(black | white)
            if not free:
                return None
            outside = free & ~pairing.mask or free
            stone = (outside & -outside).bit_length() - 1
            pairing = Pairing(tuple(p for p in pairing.pairs if stone not in p))
        return stone, pairing

    def _solve(
        self, black: int, white: int, *, stone: bool, conflicts: int | None = None
    ) -> tuple[int | None, Pairing] | None:
        assumed = [] if stone else [-self._any]
        for v in range(self._size):
            free = not (black | white) >> v & 1
            assumed.append(self._open[v] if free else -self._open[v])
            assumed.append(self._white[v] if white >> v & 1 else -self._white[v])
        if conflicts is None:
            found = self._solver.solve(assumed)
        else:
            self._solver.conf_budget(conflicts)
            found = self._solver.solve_limited(assumed)
        if not found:
            return None
        model = self._solver.get_model()
        true = {x for x in model if x > 0}
        claimed = next((v for v in range(self._size) if self._next[v] in true), None)
        seen = white if claimed is None else white | 1 << claimed
        chosen = [pair for pair, x in self._pairs.items() if x in true]
        return claimed, Pairing(self._needed(chosen, seen))

    def _needed(self, pairs: list[tuple[int, int]], white: int) -> tuple[tuple[int, int], ...]:
        """Only the pairs that some winning set needs: fewer are easier to see."""
        masks = {pair: mask_of(pair) for pair in pairs}
        inside = [
            {pair for pair, mask in masks.items() if mask & ~shape == 0}
            for shape in self.model.black_wins
            if not shape & white
        ]
        kept = set(pairs)
        for pair in pairs:
            if all(own & kept != {pair} for own in inside):
                kept.discard(pair)
        return tuple(pair for pair in pairs if pair in kept)


_MAKER_PAIRING_SOLVER: Final = "glucose4"
_MOST_CELLS: Final = 25
_MOST_TRIES: Final = 400
_CONFLICTS: Final = 2_000


@dataclass(frozen=True, slots=True)
class MakerPairing:
    """Black's next stone, where one is needed, and the pairs by which Black wins behind it."""

    stone: int | None
    pairing: Pairing


def maker_pairing(
    model: PositionalModel, black: int, white: int, *, begins: bool, tries: int = _MOST_TRIES
) -> MakerPairing | None:
    """Black's pairs in a position of a game of winning sets; ``None`` where none are found soon.

    Where Black ``begins``, a stone comes first.  White's own sets do not matter.  ``tries`` are
    the pairings that are looked at, of all stones together.
    """
    free = model.all & ~(black | white)
    if free.bit_count() > _MOST_CELLS:
        return None
    shapes = [shape & ~black for shape in model.black_wins if not shape & white]
    worth = {bit: sum(1 for shape in shapes if shape & bit) for bit in bits(free)}
    stones = sorted(worth, key=lambda bit: -worth[bit]) if begins else [0]
    left = tries
    for stone in stones:
        search = _PairSearch([shape & ~stone for shape in shapes], free & ~stone)
        for _ in range(left):
            left -= 1
            pairing = search.pairing()
            if pairing is None:
                break
            missed = search.missed(pairing)
            if missed is None:
                needed = search.needed(pairing)
                return MakerPairing(stone.bit_length() - 1 if stone else None, needed)
            search.learn(missed)
        if left <= 0:
            return None
    return None


class _PairSearch:
    """Pairs of the positions ``free`` for what sets miss; some sets may miss nothing."""

    def __init__(self, shapes: Sequence[int], free: int) -> None:
        self._shapes = shapes
        self._free = free
        self._pairs = {
            pair: number for number, pair in enumerate(combinations(members(free), 2), 1)
        }
        self._solver = Solver(name=_MAKER_PAIRING_SOLVER, bootstrap_with=self._disjoint())

    def _disjoint(self) -> Iterator[list[int]]:
        at: dict[int, list[int]] = {}
        for pair, variable in self._pairs.items():
            for v in pair:
                at.setdefault(v, []).append(variable)
        for here in at.values():
            yield from ([-one, -other] for one, other in combinations(here, 2))

    def pairing(self) -> Pairing | None:
        """Disjoint pairs that answer all choices so far; ``None`` where none are found soon."""
        self._solver.conf_budget(_CONFLICTS)
        if not self._solver.solve_limited():
            return None
        true = set(self._solver.get_model())
        return Pairing(tuple(pair for pair, variable in self._pairs.items() if variable in true))

    def missed(self, pairing: Pairing) -> int | None:
        """Positions that White can have all of, and that all sets meet; ``None`` for none."""
        clauses = [
            [sign * (one + 1), sign * (two + 1)] for one, two in pairing.pairs for sign in (1, -1)
        ]
        for shape in self._shapes:
            if not shape & ~pairing.mask:
                clauses.append([-(v + 1) for v in members(shape)])
        if any(not clause for clause in clauses):
            return None
        with Solver(name=_MAKER_PAIRING_SOLVER, bootstrap_with=clauses) as solver:
            if not solver.solve():
                return None
            true = set(solver.get_model())
        left = self._free & ~mask_of(v for v in members(pairing.mask) if v + 1 in true)
        # The fewer positions White needs, the more pairings are refuted.
        for bit in bits(left):
            if all(shape & left & ~bit for shape in self._shapes):
                left &= ~bit
        return left

    def learn(self, missed: int) -> None:
        """Some pair lies within a set of White's positions."""
        self._solver.add_clause([self._pairs[pair] for pair in combinations(members(missed), 2)])

    def needed(self, pairing: Pairing) -> Pairing:
        """The pairs without those that Black wins without."""
        kept = pairing.pairs
        for pair in pairing.pairs:
            fewer = tuple(one for one in kept if one != pair)
            if self.missed(Pairing(fewer)) is None:
                kept = fewer
        return Pairing(kept)
