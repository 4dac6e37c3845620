"""Positional games in which White pairs positions, and the games that covers make of them.

A pairing is a set of disjoint pairs of open positions.  When every winning set of Black's without
a white position contains a pair, Black never completes one: whenever Black claims one position of
a pair, White claims the other one (Hales and Jewett 1963; Boucher and Villemaire 2021 for
polyominoes).  The player to move and White's own sets do not matter.

Pairings of the maker are Black's: Black answers in the pair that White plays in, and so completes a
set.  These pairs are good where each choice of one position of each pair, with Black's stones, has
a winning set: at the end Black has at least one of each.  In Hex two such pairs are a chain of
bridges.  Pairs and choices are looked for by turns (counterexample-guided): a choice without a
winning set leaves White a set of positions of which some pair has to lie within.

In COVER Black keeps to the shapes around Black's first stone.  After the first stone only the cover
is played on, the positions of the shapes that have a stone of Black's then.  White may lay a stone
there, or move out of the cover, which is only counted: White has won when what is missing of a set
of White's are as many positions outside the cover as that was done, or fewer.  Black wins by
completing a set, and loses when the cover is full.

In PAIRING White wins with a pairing when all stones are laid, and as well by completing a set of
White's own before Black has completed one.  When Black lays the last stone, White has one more ply,
at which nothing is laid: White names the pairing, because it depends on that stone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import combinations
from operator import or_
from typing import Final

from pysat.card import CardEnc, EncType

from qsage_validate.circuit.sat import Solver
from qsage_validate.errors import UsageError
from qsage_validate.games.masks import bits, mask_of, members
from qsage_validate.games.positional.model import Arrangement, PositionalModel
from qsage_validate.games.protocol import (
    BoardPicture,
    Illegality,
    Move,
    Outcome,
    Player,
    Position,
    Witness,
)

# Pairings: a player answers in the pair that the opponent plays in, and so hinders or completes


_SOLVER = "cadical195"
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
        around: list[list[int]] = [[stone] for stone in self._next]
        for pair, chosen in self._pairs.items():
            for v in pair:
                yield [-chosen, self._open[v]]
                around[v].append(chosen)
        top = self._any + len(self._pairs)
        for chosen_here in (*around, list(self._next)):
            # A position is in many pairs: clauses for each two of them would be thousands.
            once = CardEnc.atmost(chosen_here, 1, top_id=top, encoding=EncType.seqcounter)
            top = max(top, once.nv)
            yield from once.clauses
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

    def find_move(
        self, black: int, white: int, *, conflicts: int | None = None
    ) -> tuple[int, Pairing] | None:
        """An open position and a pairing for when White has claimed it; limited as ``find``."""
        found = self._solve(black, white, stone=True, conflicts=conflicts)
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


# Games that strategies are planned on where a formula is not about the rules alone: some formulas
# have an answer for fewer strategies, as those that end with a pairing or keep to a cover.


class PlanningGame(ABC):
    """A game of bounded depth that a formula is about, for one player's strategies.

    Moves have the texts of the formula's tables of moves.  A play may have one ply more than
    the formula, at which the player of its strategies only says which goal is reached.
    """

    @property
    @abstractmethod
    def plies(self) -> int:
        """The largest number of plies of a play."""

    @property
    @abstractmethod
    def initial(self) -> Position: ...

    @abstractmethod
    def witnesses(self, position: Position, player: Player) -> frozenset[Witness]:
        """The goals of ``player`` that hold: what the formula asks for, besides moves."""

    def settled(self, position: Position) -> Player | None:
        """The winner from a position that goes on, where it is known without a search."""
        return None


# The games behind the encodings COVER and PAIRING


BLACK, WHITE = Player.BLACK, Player.WHITE

OUT_OF_COVER: Final = "out of cover"
"""The text of White's move behind the positions, where there is one."""


@dataclass(frozen=True, slots=True)
class Stone:
    """A move by its text; ``position`` is the number of the position that gets a stone, if any."""

    text: str
    position: int | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class StonesPosition(Position):
    """The stones of both players and the next ply; ``model`` says whose turn that is.

    For games with stones that encodings make: they share nothing with the rules of positional
    games, which the encodings are checked against.
    """

    model: PositionalModel = field(repr=False, compare=False)
    black: int
    white: int
    ply: int

    @property
    def to_move(self) -> Player:
        turns, number = self.model.turns, self.ply
        if number <= len(turns):
            return turns[number - 1]
        return turns[-1].other if turns else Player.BLACK

    @property
    def board(self) -> BoardPicture:
        arrangement = Arrangement.of(self.model.positions, hexagons=self.model.hexagons)
        return arrangement.board(self.black, self.white)

    @property
    def open(self) -> int:
        """The positions without a stone."""
        return self.model.all & ~(self.black | self.white)

    @abstractmethod
    def legal_moves(self) -> Sequence[Stone]: ...

    def illegality(self, move: Move) -> Illegality | None:
        if move in self.legal_moves():
            return None
        rule = "not a move of this position"
        return Illegality(rule, f"{move}: {rule}")


def shapes_of(model: PositionalModel) -> tuple[int, ...]:
    """The shapes that covers are made from: both players' winning sets."""
    return tuple(dict.fromkeys(model.black_wins + model.white_wins))


def in_the_cover(name: str) -> str:
    """The name of White's move on a position of the cover, in the formula of the paper."""
    return f"{name} in the cover"


class CoverGame(PlanningGame):
    """The game of a model with winning sets, turns of one stone, Black to begin.

    With ``played`` White's moves are called by positions, and the first position outside the
    cover stands for all of them; else they are called as in the formula of the paper.
    """

    def __init__(self, model: PositionalModel, *, played: bool) -> None:
        self.model = model
        self.played = played
        self.shapes = shapes_of(model)
        # More moves out of the cover than a set has positions make no difference.
        self.most = max(map(int.bit_count, model.white_wins), default=0)

    @property
    def plies(self) -> int:
        return len(self.model.turns)

    @property
    def initial(self) -> CoverPosition:
        model = self.model
        return CoverPosition(model, model.black, model.white, 1, self, self.around(model.black), 0)

    def around(self, black: int) -> int:
        return reduce(or_, (shape for shape in self.shapes if shape & black), 0)

    def witnesses(self, position: Position, player: Player) -> frozenset[Witness]:
        assert isinstance(position, CoverPosition), "a position of this game"
        outcome = position.outcome
        if player is WHITE or outcome is None or outcome.winner is WHITE:
            return frozenset()
        black = position.black
        return frozenset(win for win in self.model.black_wins if win & black == win)


@dataclass(frozen=True)
class CoverPosition(StonesPosition):
    """A position of a :class:`CoverGame`: its cover, and how often White moved out of it."""

    game: CoverGame = field(repr=False, compare=False)
    cover: int
    out: int

    @cached_property
    def outcome(self) -> Outcome | None:
        rests = (win & ~self.white for win in self.model.white_wins)
        if any(not rest & self.cover and rest.bit_count() <= self.out for rest in rests):
            return Outcome(WHITE, "may have completed a set")
        if self.model.won_by_black(self.black):
            return Outcome(BLACK, "completed a set")
        if self.ply > self.game.plies or not self._places:
            return Outcome(WHITE, "held out")
        return None

    @property
    def _places(self) -> int:
        """The positions where stones may be laid: in the cover, at first in some shape."""
        if self.ply > 1:
            return self.open & self.cover
        return self.open & self.game.around(self.model.all) & (self.model.first_moves or ~0)

    def legal_moves(self) -> Sequence[Stone]:
        if self.outcome is not None:
            return ()
        names, played = self.model.positions, self.game.played
        if self.to_move is BLACK:
            return tuple(Stone(names[v], v) for v in members(self._places))
        moves = [
            Stone(names[v] if played else in_the_cover(names[v]), v) for v in members(self._places)
        ]
        outside = self.model.open & ~self.cover
        if not played:
            moves.append(Stone(OUT_OF_COVER))
        elif outside:
            moves.append(Stone(names[next(members(outside))]))
        return tuple(moves)

    def after(self, move: Move) -> CoverPosition:
        assert isinstance(move, Stone), "the legal moves are stones"
        black, white, out = self.black, self.white, self.out
        if move.position is None:
            out = min(out + 1, self.game.most)
        elif self.to_move is BLACK:
            black |= 1 << move.position
        else:
            white |= 1 << move.position
        cover = self.game.around(black) if self.ply == 1 else self.cover
        return CoverPosition(self.model, black, white, self.ply + 1, self.game, cover, out)


SAYS: Final = Stone("the pairs")
"""White's move after the last stone."""

# Pairings that are tried for a position before one is looked for: shared ones make fewer nodes.
_KEPT: Final = 64


class PairingGame(PlanningGame):
    """The game of a model with winning sets, turns of one stone, Black to begin."""

    def __init__(self, model: PositionalModel) -> None:
        self.model = model
        self._finder = PairingFinder(model)
        self._found: list[Pairing] = []
        self._pairings: dict[tuple[int, int], Pairing | None] = {}

    @property
    def plies(self) -> int:
        return self.model.plies + self.model.plies % 2

    @property
    def initial(self) -> PairingPosition:
        return PairingPosition(self.model, self.model.black, self.model.white, 1, self)

    def pairing(self, black: int, white: int) -> Pairing | None:
        if (black, white) not in self._pairings:
            found = next((p for p in self._found if self.holds(p, black, white)), None)
            if found is None:
                found = self._finder.find(black, white)
                if found is not None:
                    self._found = [found, *self._found[: _KEPT - 1]]
            self._pairings[black, white] = found
        return self._pairings[black, white]

    def holds(self, pairing: Pairing, black: int, white: int) -> bool:
        """True if these are pairs of open positions, one in each of Black's sets that are left."""
        if pairing.mask & (black | white):
            return False
        return next(open_sets(self.model, pairing, black, white), None) is None

    def witnesses(self, position: Position, player: Player) -> frozenset[Witness]:
        assert isinstance(position, PairingPosition), "a position of this game"
        outcome = position.outcome
        if player is BLACK or outcome is None or outcome.winner is BLACK:
            return frozenset()
        if position.completed:
            return frozenset({Pairing(())})
        black, white = position.black, position.white
        own = self.pairing(black, white)
        if own is None:
            return frozenset()
        return frozenset({own, *(p for p in self._found if self.holds(p, black, white))})

    def settled(self, position: Position) -> Player | None:
        """White, where White lays the last stone and a pairing exists; else ``None``.

        White then answers every move of Black's in its pair.
        """
        assert isinstance(position, PairingPosition), "a position of this game"
        if self.model.plies % 2 or self.pairing(position.black, position.white) is None:
            return None
        return WHITE


@dataclass(frozen=True)
class PairingPosition(StonesPosition):
    game: PairingGame = field(repr=False, compare=False)

    @property
    def completed(self) -> bool:
        """True if White has just completed a set."""
        moved = self.ply > 1 and self.to_move is BLACK
        return moved and self.model.won_by_white(self.white)

    @cached_property
    def outcome(self) -> Outcome | None:
        game, plies = self.game, self.model.plies
        if self.model.won_by_black(self.black):
            return Outcome(BLACK, "completed a set")
        if self.completed:
            return Outcome(WHITE, "completed a set first")
        if self.ply <= plies:
            return None
        if game.pairing(self.black, self.white) is None:
            return Outcome(BLACK, "leaves no pairing")
        return None if self.ply <= game.plies else Outcome(WHITE, "has a pairing")

    def legal_moves(self) -> Sequence[Stone]:
        if self.outcome is not None:
            return ()
        if self.ply > self.model.plies:
            return (SAYS,)
        return tuple(Stone(self.model.positions[k], k) for k in members(self.open))

    def after(self, move: Move) -> PairingPosition:
        assert isinstance(move, Stone), "the legal moves are stones"
        bit = 0 if move.position is None else 1 << move.position
        black, white = self.black, self.white
        if self.to_move is BLACK:
            black |= bit
        else:
            white |= bit
        return PairingPosition(self.model, black, white, self.ply + 1, self.game)
