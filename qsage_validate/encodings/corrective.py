"""The corrective encodings (COR) of positional games, and their variants.

Mayer-Eichberger and Saffidine, *Positional Games and QBF* (2020 the corrective encoding, 2023
the polished one), as Boucher and Villemaire ("COVER", sections 2.3 and 3) and Shaik et al.
(section 3.1) tell of them: moves are chosen by their own variables, the stones on the board are
existential, and clauses lay a stone only for a move that is legal.  White's moves are numbers.
Black may stop the play before any ply, and from then on nothing changes: what the board is in
the end decides, also in maker-maker games.  Turns may have several stones, and White may begin.

Stones to begin with are constants.  Here ``stop`` is the complement of the papers' ``time``.

Mayer-Eichberger and Saffidine, *Positional Games and QBF* (2020, polished 2023).  The clauses are
those of the authors' generators (https://github.com/vale1410/positional-games-qbf-encoding):
``cor`` has the clauses 1 to 13 of ``sat2023/bule/cor.bul``, ``cor+`` those of ``bule/pg143.bul``,
which Boucher and Villemaire ("COVER", section 3.3) build on and compare with.  The numbers of
variables and clauses are theirs on the games that they encode.

Moves of both players are numbers.  The board has variables before the first ply and after every
ply.  Black's stones are laid only where the number says so; nothing forbids to leave a stone of
Black's out, or to put one of White's in at White's plies, which only hurts Black.  Illegal moves,
of either player, do nothing.

``cor+`` has symmetry breaking: Black's first stone is on one of the model's first moves.

The authors take the stones to begin with out of the game before they encode it.  Here such
positions are constants and have no variables, which gives the same clauses.  The authors also
take out positions of no winning set; here they stay, for they can be claimed, unless the game is
prepared first (``encodings/prepared.py``).

In COR the board is kept after every ply, with a variable for "occupied" too; Black's moves have a
variable each, of which at most one is true (a ladder), White's are numbers.  See
``corrective_board`` for what this is made from: the papers at hand name these features and give
the clauses of COVER, which is built on them, but not the clauses of COR itself.

An illegal move of White's does nothing; Black may not make one, and has to move as long as the
play goes on.  Stones are laid for moves only, also White's, so that the formula's board is the
play's in every strategy that makes it true.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from qsage_validate.circuit import aig
from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.encoding import (
    ClaimsInMind,
    Encoding,
    PlayLiterals,
    completed,
    constant_literals,
    held,
    nothing_else,
)
from qsage_validate.encodings.explicit import (
    FALSE_LITERAL,
    ClauseSet,
    constant,
    differs,
    is_constant,
    until_last_black_ply,
)
from qsage_validate.encodings.layout import Bits, IllegalMoves, Layout, Ply, StateView
from qsage_validate.encodings.list_codings import listed
from qsage_validate.games.masks import mask_of, members, width_for
from qsage_validate.games.positional.hex import contracted, with_winning_sets
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player

# The board of the corrective encodings: COR and COR+


BLACK, WHITE = Player.BLACK, Player.WHITE


@dataclass
class Stones:
    """The literals of a time: what is black, what is white, for each position."""

    black: Bits
    white: Bits


class CorrectiveBoard(ABC):
    """The common base of COR and COR+: moves in numbers, stops, the winning condition.

    The encoding is for all positional games; a network's winning sets are listed first; raises
    ``UsageError`` when there are too many.

    ``stones[t]`` is the board after ply ``t``, ``stop[t]`` the literal that says that Black
    stopped before ply ``t``.  ``choice`` are the variables of moves that are no
    numbers, by ply; ``wins`` are the winning sets by player.  ``one_sided`` is as in ``StateView``:
    then illegal moves of Black's do nothing.
    """

    name: ClassVar[str]
    one_sided: ClassVar[bool]

    def __init__(self, model: PositionalModel) -> None:
        self.model = model = until_last_black_ply(model)
        self.plies = range(1, len(model.turns) + 1)
        self.positions = range(len(model.positions))
        self.clauses = ClauseSet()
        self.stop: dict[int, int] = {}
        self.code: dict[int, Bits] = {}
        self.choice: dict[int, Bits] = {}
        self.stones = {
            0: Stones(
                tuple(constant(model.black >> v & 1) for v in self.positions),
                tuple(constant(model.white >> v & 1) for v in self.positions),
            )
        }
        self.listed = with_winning_sets(model)
        self.wins = {BLACK: self.listed.black_wins, WHITE: model.white_wins}
        # A set that is complete before the first ply wins; Black's sets are examined first.
        self.won = any(win & model.black == win for win in self.wins[BLACK])

    def own(self, ply: int, player: Player) -> Bits:
        """The literals of a player's stones after a ply."""
        stones = self.stones[ply]
        return stones.black if player is BLACK else stones.white

    def choices(self, ply: int) -> Sequence[int]:
        """The positions that a ply may claim, as they are numbered at it.

        All of them, but for Black's first stone: that is one of the model's first moves, as good
        as any other by symmetry (COVER's 3.39, 3.40).
        """
        first = self.model.first_moves & self.model.open
        if ply == 1 and first and self.model.turns[0] is BLACK:
            return tuple(members(first))
        return self.positions

    def number(self, ply: int) -> Bits:
        """The variables of a move that is a number."""
        return self.number_among(ply, len(self.choices(ply)))

    def number_among(self, ply: int, count: int) -> Bits:
        """The variables of a move that is one of so many numbers."""
        player = self.model.turns[ply - 1]
        quantifier = Quantifier.EXISTS if player is BLACK else Quantifier.FORALL
        self.code[ply] = self.clauses.variables(quantifier, width_for(count))
        return self.code[ply]

    def may_stop(self, ply: int) -> None:
        """The variable that stops the play before a ply."""
        (self.stop[ply],) = self.clauses.exists(1)

    def stops_stay(self, ply: int) -> None:
        """Once Black has stopped, Black stays stopped (COVER's 3.26)."""
        if ply > 1:
            self.clauses.add(-self.stop[ply - 1], self.stop[ply])

    def white_claims(self, ply: int, v: int, *barriers: int) -> None:
        """White's stone is laid if the move is ``v`` and none of the barriers holds (3.41)."""
        others = differs(self.code[ply], v)
        self.clauses.add(self.stop[ply], *barriers, *others, self.stones[ply].white[v])

    def goals(self) -> dict[int, int]:
        """The winning condition (3.45 to 3.47 without a cover): sets by their variables."""
        end = self.stones[len(self.model.turns)]
        if self.won:
            return {}
        wins = self.wins[BLACK]
        goals = self.clauses.exists(len(wins))
        self.clauses.add(*goals)
        for goal, win in zip(goals, wins, strict=True):
            for v in members(win):
                self.clauses.add(-goal, end.black[v])
        for win in self.wins[WHITE]:
            self.clauses.add(*(-end.white[v] for v in members(win)))
        return dict(zip(goals, wins, strict=True))

    @abstractmethod
    def define(self, play: PlayLiterals) -> Mapping[int, int]:
        """Black's existential variables other than the moves."""

    def legal(self, ply: int) -> Bits:
        """The literals that say that a ply's moves are legal; none unless a subclass has some."""
        return ()

    def encoding(self) -> Encoding:
        qbf = self.clauses.qbf()
        model = self.model
        moves: list[Ply] = []
        gates: dict[str, int] = {}
        for ply in self.plies:
            player = model.turns[ply - 1]
            stop = self.stop[ply]
            if player is WHITE:
                gates[f"black stopped before ply {ply}"] = stop
            moves.append(
                listed(
                    ply,
                    player,
                    tuple(model.positions[v] for v in self.choices(ply)),
                    code=self.code.get(ply, ()),
                    literals=self.choice.get(ply, ()),
                    legal=self.legal(ply),
                    stop=stop if player is BLACK else None,
                )
            )
        states: list[Bits] = []
        for time in (0, *self.plies):
            stones = (*self.stones[time].black, *self.stones[time].white)
            known = not all(map(is_constant, stones))
            states.append(tuple(0 if is_constant(x) else x for x in stones) if known else ())
        atoms = tuple(f"{player.value} {place}" for player in Player for place in model.positions)
        layout = Layout(
            moves=tuple(moves),
            state=StateView(atoms, tuple(states), one_sided=self.one_sided),
            verdict=qbf.output,
            gates=gates,
            encoding=self.name,
            illegal=IllegalMoves.IGNORED,
            black_passes=self.one_sided,
        )
        completions = {BLACK: self.define, WHITE: nothing_else}
        return Encoding(qbf, layout, model, completions, partial(ClaimsInMind, model))


class CorrectivePlay:
    """The functions of the board's variables in a play, ply by ply."""

    def __init__(self, board: CorrectiveBoard, play: PlayLiterals) -> None:
        self.board = board
        self.play = play
        self.builder: AigBuilder = play.builder
        self.values: dict[int, int] = {}
        model = board.model
        size = len(board.positions)
        self.own = {BLACK: held(model.black, size), WHITE: held(model.white, size)}

    def plies(self) -> Iterable[int]:
        """Go through the plies: at each one ``own`` and ``values`` are as after it."""
        builder, turns = self.builder, self.board.model.turns
        stop = FALSE
        for ply in self.board.plies:
            player = turns[ply - 1]
            # A decision that serves many positions may not know that Black has won in this one.
            stop = builder.or_(stop, self._stop(ply))
            literal = self.board.stop[ply]
            self.values[abs(literal)] = stop ^ (literal < 0)
            made = self.play.plies[ply - 1].made
            for v, claimed in zip(self.board.choices(ply), made, strict=True):
                taken = builder.or_(self.own[BLACK][v], self.own[WHITE][v])
                laid = builder.and_(claimed, builder.or_(stop, taken) ^ 1)
                self.own[player][v] = builder.or_(self.own[player][v], laid)
            yield ply

    def _stop(self, ply: int) -> int:
        """Black stops as the play says; before White's plies when Black has won.

        A layout names the variables of Black's own plies alone, for a ply's variables are all of
        its player's.
        """
        if self.board.model.turns[ply - 1] is BLACK:
            return self.play.plies[ply - 1].stop
        wins = self.board.wins[BLACK]
        return self.builder.or_all(completed(self.builder, wins, self.own[BLACK]))

    def goals(self, goals: Mapping[int, int]) -> dict[int, int]:
        """For each winning set the literal that it is Black's in the end."""
        wins = completed(self.builder, goals.values(), self.own[BLACK])
        return dict(zip(goals, wins, strict=True))


# COR and COR+ as their authors publish them


class _Cor(CorrectiveBoard):
    """The clauses of ``cor.bul``, whose numbers are in the comments."""

    name = "cor"
    one_sided = True

    def __init__(self, model: PositionalModel) -> None:
        super().__init__(model)
        self.open = tuple(members(self.model.open))
        self.numbered = self.numbering()
        self.wins = self._wins_on_open_positions()
        self._may_run(1)
        self._lay(0)
        for ply in self.plies:
            if ply > 1:
                self._may_run(ply)
            self.number(ply)
            self._lay(ply)
        self._initial_board()
        for ply in self.plies:
            self._board(ply)
            if self.model.turns[ply - 1] is BLACK:
                self._black(ply)
            else:
                self._white(ply)
        self.won_by = self._goals()

    # -- variables --------------------------------------------------------------------------

    def numbering(self) -> tuple[int, ...]:
        """The open positions in the order of the numbers that stand for them."""
        return self.open

    def choices(self, ply: int) -> Sequence[int]:
        """The positions that a ply may claim, as they are numbered."""
        return self.numbered

    def number(self, ply: int) -> Bits:
        """The variables of a move: enough for all open positions at every ply."""
        return self.number_among(ply, len(self.open))

    def _may_run(self, ply: int) -> None:
        """``time``: the play goes on at a ply; ``stop`` is its complement."""
        if ply in self.plies:
            (time,) = self.clauses.exists(1)
            self.stop[ply] = -time

    def _lay(self, ply: int) -> None:
        """The variables of the board after a ply, for the open positions."""
        start = self.stones[0]
        black, white = list(start.black), list(start.white)
        for laid in (black, white):
            for v, stone in zip(self.open, self.clauses.exists(len(self.open)), strict=True):
                laid[v] = stone
        self.stones[ply] = Stones(tuple(black), tuple(white))

    def _wins_on_open_positions(self) -> dict[Player, tuple[int, ...]]:
        """Winning sets without what their owner has; none with a stone of the opponent's."""
        inner = contracted(self.listed)

        def placed(mask: int) -> int:
            return mask_of(self.open[k] for k in members(mask))

        return {
            BLACK: tuple(map(placed, inner.black_wins)),
            WHITE: tuple(map(placed, inner.white_wins)),
        }

    # -- clauses ----------------------------------------------------------------------------

    def _initial_board(self) -> None:
        for v in self.open:
            self.clauses.add(-self.stones[0].black[v])  # (2)
            self.clauses.add(-self.stones[0].white[v])

    def _board(self, ply: int) -> None:
        add = self.clauses.add
        self.stops_stay(ply)  # (1)
        other = self.model.turns[ply - 1].other
        for v in self.open:
            add(-self.stones[ply].black[v], -self.stones[ply].white[v])  # (3)
            for player in Player:
                before, after = self.own(ply - 1, player)[v], self.own(ply, player)[v]
                add(-before, after)  # (4)
                add(-self.stop[ply], before, -after)  # (6)
                if player is other:
                    add(before, -after)  # (5)

    def _white(self, ply: int) -> None:
        before, after = self.stones[ply - 1], self.stones[ply]
        for number, v in enumerate(self.numbered):
            others = differs(self.code[ply], number)
            self.clauses.add(*others, self.stop[ply], before.black[v], after.white[v])  # (7)

    def _black(self, ply: int) -> None:
        for number, v in enumerate(self.numbered):
            before, after = self.stones[ply - 1].black[v], self.stones[ply].black[v]
            for digit in constant_literals(self.code[ply], number):
                self.clauses.add(before, -after, digit)  # (8), (9)

    def _goals(self) -> dict[int, int]:
        goals = self.goals()  # (10) to (12)
        end = self.stones[len(self.model.turns)].black
        for goal, win in goals.items():
            self.clauses.add(goal, *(-end[v] for v in members(win)))  # (13)
        return goals

    # -- strategies -------------------------------------------------------------------------

    def define(self, play: PlayLiterals) -> Mapping[int, int]:
        track = CorrectivePlay(self, play)
        self._enter(track, 0)
        for ply in track.plies():
            self._enter(track, ply)
        return {**track.values, **track.goals(self.won_by)}

    def _enter(self, track: CorrectivePlay, ply: int) -> None:
        for player in Player:
            own = self.own(ply, player)
            track.values.update((own[v], track.own[player][v]) for v in self.open)


class _CorPlus(_Cor):
    """The clauses of ``pg143.bul``: those of COR, and symmetry breaking.

    First moves have the lowest numbers, so that the layout's first ply has them alone.  In games
    that White begins, and where Black has won before the first ply, there is nothing to break.
    """

    name = "cor+"

    def numbering(self) -> tuple[int, ...]:
        first = self._first()
        return (*first, *(v for v in self.open if v not in first))

    def choices(self, ply: int) -> Sequence[int]:
        return self._first() if ply == 1 else self.numbered

    def _first(self) -> tuple[int, ...]:
        """The positions that Black may begin with; all of them in other games."""
        first = self.model.first_moves & self.model.open
        return tuple(members(first)) if first and self._breaks_symmetry() else self.open

    def _breaks_symmetry(self) -> bool:
        return self.model.turns[:1] == (BLACK,) and not self.won

    def _initial_board(self) -> None:
        super()._initial_board()
        start = self.stones[0]
        for v in self.open:
            self.clauses.add(-start.black[v], -start.white[v])  # 5, at time 0 too
        if self._breaks_symmetry():
            self.clauses.add(*(self.stones[1].black[v] for v in self._first()))


# Variants of COR: with a ladder of turns, and with a lean board


class _CorLadder(CorrectiveBoard):
    name = "cor-ladder"
    one_sided = False

    def __init__(self, model: PositionalModel) -> None:
        super().__init__(model)
        self.ladder: dict[int, Bits] = {}
        taken = model.black | model.white
        self.occupied = {0: tuple(constant(taken >> v & 1) for v in self.positions)}
        for ply in self.plies:
            self._variables(ply)
        for ply in self.plies:
            self._board(ply)
            if model.turns[ply - 1] is BLACK:
                self._black(ply)
            else:
                self._white(ply)
        self.won_by = self.goals()

    def _variables(self, ply: int) -> None:
        size = len(self.positions)
        self.may_stop(ply)
        if self.model.turns[ply - 1] is BLACK:
            self.choice[ply] = self.clauses.exists(len(self.choices(ply)))
            self.ladder[ply] = self.clauses.exists(max(len(self.choices(ply)) - 1, 0))
        else:
            self.number(ply)
        self.stones[ply] = Stones(self.clauses.exists(size), self.clauses.exists(size))
        self.occupied[ply] = self.clauses.exists(size)

    def _board(self, ply: int) -> None:
        add = self.clauses.add
        self.stops_stay(ply)
        mover = self.model.turns[ply - 1]
        for v in self.positions:
            b, w = self.stones[ply].black[v], self.stones[ply].white[v]
            add(-b, -w)  # (3.28)
            occupied = self.occupied[ply][v]
            add(-b, occupied)
            add(-w, occupied)
            add(-occupied, b, w)
            for player in (BLACK, WHITE):
                before, after = self.own(ply - 1, player)[v], self.own(ply, player)[v]
                add(-before, after)  # (3.29)
                if player is mover:
                    add(-self.stop[ply], before, -after)  # (3.30), (3.31)
                else:
                    add(before, -after)  # (3.32), (3.33)

    def _black(self, ply: int) -> None:
        add = self.clauses.add
        choice, stop = self.choice[ply], self.stop[ply]
        # Rung k is true when the move's number is above k: then it is no rung's below.
        rungs = self.ladder[ply]
        for k, rung in enumerate(rungs):
            add(-choice[k], -rung)
            add(-choice[k + 1], rung)
        for low, high in pairwise(rungs):
            add(-high, low)
        add(stop, *choice)
        chosen = dict(zip(self.choices(ply), choice, strict=True))
        for v in self.positions:
            before, after = self.stones[ply - 1].black[v], self.stones[ply].black[v]
            claim = chosen.get(v, FALSE_LITERAL)
            add(-claim, -self.occupied[ply - 1][v])
            add(before, -after, claim)
            add(stop, -claim, after)

    def _white(self, ply: int) -> None:
        for v in self.positions:
            self.white_claims(ply, v, self.occupied[ply - 1][v])
            before, after = self.stones[ply - 1].white[v], self.stones[ply].white[v]
            for digit in constant_literals(self.code[ply], v):
                self.clauses.add(before, -after, digit)

    def define(self, play: PlayLiterals) -> Mapping[int, int]:
        track = CorrectivePlay(self, play)
        values, builder = track.values, track.builder
        for ply in track.plies():
            black, white = track.own[BLACK], track.own[WHITE]
            stones = self.stones[ply]
            values.update(zip((*stones.black, *stones.white), (*black, *white), strict=True))
            taken = [builder.or_(b, w) for b, w in zip(black, white, strict=True)]
            values.update(zip(self.occupied[ply], taken, strict=True))
            above = aig.FALSE
            made = play.plies[ply - 1].made
            for k in reversed(range(len(self.ladder.get(ply, ())))):
                above = builder.or_(above, made[k + 1])
                values[self.ladder[ply][k]] = above
        return {**values, **track.goals(self.won_by)}

    def legal(self, ply: int) -> Bits:
        """The literals that the ply's positions are open; none at the first ply."""
        before = self.occupied[ply - 1]
        return () if ply == 1 else tuple(-before[v] for v in self.choices(ply))


class _CorLean(CorrectiveBoard):
    """COR+: both players' moves are numbers.

    Its clauses are those of COVER (Boucher and Villemaire, section 3.3), which is COR+ with a
    cover, without what speaks of the cover: a stone that was not there before is Black's only
    where the digits of the move say so, which keeps Black from laying two.  A player's stones
    have variables after the player's own plies only, so that the frame conditions of the other
    plies (3.32, 3.33) need no clauses.

    Illegal moves, of either player, do nothing.  As on the explicit board of EA, nothing forbids
    to leave a stone of Black's out or to put one of White's in at White's plies: it only hurts
    Black.
    """

    name = "cor-lean"
    one_sided = True

    def __init__(self, model: PositionalModel) -> None:
        super().__init__(model)
        for ply in self.plies:
            self._variables(ply)
        for ply in self.plies:
            self._board(ply)
        self.won_by = self.goals()

    def _variables(self, ply: int) -> None:
        self.may_stop(ply)
        self.number(ply)
        before = self.stones[ply - 1]
        laid = list(self.own(ply - 1, self.model.turns[ply - 1]))
        choices = self.choices(ply)
        for v, stone in zip(choices, self.clauses.exists(len(choices)), strict=True):
            laid[v] = stone
        if self.model.turns[ply - 1] is BLACK:
            self.stones[ply] = replace(before, black=tuple(laid))
        else:
            self.stones[ply] = replace(before, white=tuple(laid))

    def _board(self, ply: int) -> None:
        add = self.clauses.add
        self.stops_stay(ply)
        mover = self.model.turns[ply - 1]
        stop, stones = self.stop[ply], self.stones[ply]
        for number, v in enumerate(self.choices(ply)):
            before, after = self.own(ply - 1, mover)[v], self.own(ply, mover)[v]
            add(-stones.black[v], -stones.white[v])  # (3.28)
            add(-before, after)  # (3.29)
            add(-stop, before, -after)  # (3.30), (3.31)
            if mover is WHITE:
                self.white_claims(ply, v, stones.black[v])
                continue
            for digit in constant_literals(self.code[ply], number):
                add(before, -after, digit)  # (3.37), (3.38)

    def define(self, play: PlayLiterals) -> Mapping[int, int]:
        track = CorrectivePlay(self, play)
        for ply in track.plies():
            mover = self.model.turns[ply - 1]
            for v in self.choices(ply):
                track.values[self.own(ply, mover)[v]] = track.own[mover][v]
        return {**track.values, **track.goals(self.won_by)}


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "cor": lambda model: _Cor(model).encoding(),
    "cor+": lambda model: _CorPlus(model).encoding(),
    "cor-ladder": lambda model: _CorLadder(model).encoding(),
    "cor-lean": lambda model: _CorLean(model).encoding(),
}
