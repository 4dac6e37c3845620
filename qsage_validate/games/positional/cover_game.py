"""The games behind the encodings COVER and PAIRING.

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

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_
from typing import Final

from qsage_validate.games.masks import members
from qsage_validate.games.planning_game import PlanningGame
from qsage_validate.games.positional.model import Arrangement, PositionalModel
from qsage_validate.games.positional.pairing import Pairing, PairingFinder, open_sets
from qsage_validate.games.protocol import (
    BoardPicture,
    Illegality,
    Move,
    Outcome,
    Player,
    Position,
    Witness,
)

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
        assert own is not None, "White has won"
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
