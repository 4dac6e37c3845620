"""A game in GDL with each round as two plies, Black's part and then White's: for search.

This is Definition 5 of He, Saffidine and Thielscher 2024 to the letter: Black chooses, then
White, whoever of them has a choice.  Plies alternate, as search wants it, even where the turns of
the game do not.  One more ply is left at the end, at which Black claims a win that the last round
brought, so a game of N rounds has 2N + 1 plies; :func:`rounds_of` turns plies back into rounds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.errors import IllegalMoveError, MalformedMoveError, UsageError
from qsage_validate.games.gdl.machine import State
from qsage_validate.games.gdl.model import Ground
from qsage_validate.games.gdl.rules import GdlGame, GdlMove, GdlPosition, rounds_text
from qsage_validate.games.protocol import (
    Board,
    Game,
    Illegality,
    Kernel,
    Move,
    Outcome,
    Player,
    Position,
)
from qsage_validate.games.protocol import State as KernelState

BLACK, WHITE = Player.BLACK, Player.WHITE

_KEPT: Final = 200_000

_CHOSEN = re.compile(r"(.*\})(.*?)\s+after\s+(.+)", re.DOTALL)


def rounds_of(plies: int) -> int:
    """How many rounds so many plies of a :class:`RoundsGame` are."""
    return plies // 2


@dataclass(frozen=True)
class RoundsPosition(Position):
    """A state, and what Black does in this round once that is chosen."""

    game: RoundsGame = field(repr=False)
    state: State
    chosen: Ground | None
    ply_number: int

    def __str__(self) -> str:
        part = "" if self.chosen is None else f" after {GdlMove(self.chosen)}"
        inner = GdlPosition(self.game.inner, self.state, (self.ply_number + 1) // 2)
        return f"{inner}{part}"

    @property
    def to_move(self) -> Player:
        return BLACK if self.chosen is None else WHITE

    @property
    def ply(self) -> int:
        return self.ply_number

    @property
    def outcome(self) -> Outcome | None:
        if self.chosen is not None:
            return None
        inner = GdlPosition(self.game.inner, self.state, (self.ply_number + 1) // 2)
        return inner.outcome

    @property
    def board(self) -> Board:
        return self.game.inner.board(self.state)

    def legal_moves(self) -> Sequence[GdlMove]:
        if self.outcome is not None:
            return ()
        return [GdlMove(m) for m in self.game.inner.choices(self.state)[self.to_move]]

    def play(self, move: Move) -> RoundsPosition:
        illegality = self.illegality(move)
        if illegality is not None or not isinstance(move, GdlMove):
            raise IllegalMoveError(illegality.text if illegality else f"{move}: no move")
        if self.chosen is None:
            return RoundsPosition(self.game, self.state, move.term, self.ply_number + 1)
        after = self.game.after(self.state, self.chosen, move.term)
        return RoundsPosition(self.game, after, None, self.ply_number + 1)

    def illegality(self, move: Move) -> Illegality | None:
        if move in self.legal_moves():
            return None
        outcome = self.outcome
        if outcome is not None:
            return Illegality.after_end(move, outcome)
        if not isinstance(move, GdlMove):
            return Illegality("unknown move", f"{move}: no move of {self.game.name}")
        return self.game.inner.illegality(self.state, self.to_move, move)


class RoundsGame(Game):
    """The rounds of a game in GDL, two plies each."""

    language = "gdl"
    lists_moves = False

    def __init__(self, game: GdlGame) -> None:
        self.inner = game

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RoundsGame):
            return NotImplemented
        return self is other or self.inner == other.inner

    def __hash__(self) -> int:
        return hash(self.inner)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def identity(self) -> tuple[object, ...]:
        return self.inner.identity

    @property
    def plies(self) -> int:
        return 2 * self.inner.plies + 1

    @property
    def moves_made(self) -> int:
        return 2 * self.inner.plies

    def count(self, plies: int) -> int:
        return rounds_of(plies)

    def span(self, plies: int | None) -> str:
        return rounds_text(None if plies is None else rounds_of(plies))

    @property
    def first_player(self) -> Player:
        return BLACK

    @property
    def initial(self) -> RoundsPosition:
        return RoundsPosition(self, self.inner.machine.initial, None, 1)

    def position(self, position: GdlPosition) -> RoundsPosition:
        """A position of the game as one before Black's part, or White's if it is White's turn."""
        before = RoundsPosition(self, position.state, None, 2 * position.ply - 1)
        if position.outcome is not None or position.to_move is BLACK:
            return before
        return before.play(before.legal_moves()[0])

    def atoms(self, position: Position) -> frozenset[str]:
        """The fluents; what Black has chosen in this round is none."""
        assert isinstance(position, RoundsPosition), "a position of this game"
        return self.inner.atoms(GdlPosition(self.inner, position.state, 1))

    def board_of(self, atoms: Collection[str]) -> Board:
        return self.inner.board_of(atoms)

    def square_of(self, text: str) -> tuple[int, int] | None:
        return self.inner.square_of(text)

    def witnesses(self, position: Position, player: Player) -> frozenset[Player]:
        """As in the game, between rounds: none while White's part is missing."""
        assert isinstance(position, RoundsPosition), "a position of this game"
        if position.chosen is not None:
            return frozenset()
        return self.inner.witnesses(GdlPosition(self.inner, position.state, 1), player)

    def after(self, state: State, black: Ground, white: Ground) -> State:
        """The state after a round."""
        roles = self.inner.roles
        return self.inner.machine.successor(state, {roles[BLACK]: black, roles[WHITE]: white})

    def parse_move(self, text: str, player: Player) -> GdlMove:
        return self.inner.parse_move(text, player)

    def parse_position(self, text: str) -> RoundsPosition:
        """The position before Black's part of a round, in the game's own text form.

        With ``after`` and a move of Black's behind it, the one before White's part.
        """
        match = _CHOSEN.fullmatch(text)
        inner = self.inner.parse_position(text if match is None else match[1] + match[2])
        if match is None:
            return RoundsPosition(self, inner.state, None, 2 * inner.ply - 1)
        try:
            chosen = self.inner.parse_move(match[3], BLACK)
        except MalformedMoveError as error:
            raise UsageError(f"{error} behind 'after'") from None
        if inner.outcome is not None or inner.ply > self.inner.plies:
            raise UsageError(f"found {chosen} after the end of the play, expected no move")
        return RoundsPosition(self, inner.state, chosen.term, 2 * inner.ply)

    def moves(self, player: Player) -> Sequence[GdlMove]:
        return self.inner.moves(player)

    def kernel(self) -> Kernel:
        return RoundsKernel(self)


Successors = list[tuple[int, KernelState, bool]]


class RoundsKernel(Kernel):
    """States are those of the game; with Black's part of the round chosen, a pair.

    Black wins at once where the game has ended with Black's goal; White by a part of the round
    that ends it without.
    """

    def __init__(self, game: RoundsGame) -> None:
        self._game = game
        self._numbers: dict[Player, dict[Ground, int]] = {player: {} for player in Player}
        self._moves: dict[Player, list[GdlMove]] = {player: [] for player in Player}
        self._known: dict[KernelState, Successors] = {}

    @property
    def initial(self) -> KernelState:
        return self._game.inner.machine.initial

    def _number(self, player: Player, move: Ground) -> int:
        numbers = self._numbers[player]
        if move not in numbers:
            numbers[move] = len(numbers)
            self._moves[player].append(GdlMove(move))
        return numbers[move]

    def _end(self, state: State) -> Player | None:
        outcome = self._game.inner.end(state)
        return None if outcome is None else outcome.winner

    def successors(self, state: KernelState, player: Player) -> Successors:
        known = self._known.get(state)
        if known is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            known = self._known[state] = self._find(state)
        return known

    def _find(self, state: KernelState) -> Successors:
        inner = self._game.inner
        if isinstance(state, frozenset):
            if self._end(state) is not None:
                return []
            return [
                (self._number(BLACK, move), (state, move), False)
                for move in inner.choices(state)[BLACK]
            ]
        before, chosen = _pair(state)
        found: Successors = []
        for move in inner.choices(before)[WHITE]:
            after = self._game.after(before, chosen, move)
            found.append((self._number(WHITE, move), after, self._end(after) is WHITE))
        return found

    def wins_at_once(self, state: KernelState, player: Player) -> bool:
        if player is BLACK:
            assert isinstance(state, frozenset)
            return self._end(state) is BLACK
        return any(won for _, _, won in self.successors(state, player))

    def key(self, state: KernelState) -> Hashable:
        return state

    def move(self, number: int, player: Player) -> Move:
        return self._moves[player][number]

    def state(self, position: Position) -> KernelState:
        if not isinstance(position, RoundsPosition):
            raise UsageError(f"found {position}, expected a position by rounds")
        if position.chosen is None:
            return position.state
        return position.state, position.chosen


def _pair(state: KernelState) -> tuple[State, Ground]:
    assert isinstance(state, tuple)
    before, chosen = state
    assert isinstance(before, frozenset)
    return before, chosen
