"""The board of the corrective encodings: COR and COR+.

Mayer-Eichberger and Saffidine, *Positional Games and QBF* (2020 the corrective encoding, 2023
the polished one), as Boucher and Villemaire ("COVER", sections 2.3 and 3) and Shaik et al.
(section 3.1) tell of them: moves are chosen by their own variables, the stones on the board are
existential, and clauses lay a stone only for a move that is legal.  White's moves are numbers.
Black may stop the play before any ply, and from then on nothing changes: what the board is in
the end decides, also in maker-maker games.  Turns may have several stones, and White may begin.

Stones to begin with are constants.  Here ``stop`` is the complement of the papers' ``time``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.arithmetic import width_for
from qsage_validate.encodings.completion import PlayLiterals, nothing_else
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import IllegalMoves, Layout, Ply, StateView, listed
from qsage_validate.encodings.positional.explicit_board import (
    ClauseSet,
    constant,
    differs,
    is_constant,
    until_last_black_ply,
)
from qsage_validate.encodings.positional.in_mind import ClaimsInMind, completed, held
from qsage_validate.games.masks import members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.paths import with_winning_sets
from qsage_validate.games.protocol import Player

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
        for ply in self.board.plies:
            player = turns[ply - 1]
            stop = self._stop(ply)
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
