"""Whose turn it is in a play, and which moves there are: by the formula and by the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

from qsage_validate.arena.frame import PlayState
from qsage_validate.encodings.layout import Layout, UnspecifiedLegality
from qsage_validate.errors import UsageError
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.strategies.reader import CertificateReader, LayoutMove, Legality

if TYPE_CHECKING:
    from qsage_validate.validation.referee import Referee

# Plays of which the legality of every move is kept.
_KEPT_PLAYS = 100_000


class Turns:
    """The turns of a certificate's plays, and the moves of each.

    With rules the rules say who moves, what the moves are and when a play has ended; the layout
    says how they are coded.  Where it has no ply any more and the game goes on, each player makes
    any legal move: the certificate's side must win with all of them, so that its opponent may
    choose for it.

    ``name`` gives the file's name of a variable or gate.  Where ``sparing``, codes that name no
    move are left alone: each would cost an answer.
    """

    def __init__(
        self,
        reader: CertificateReader,
        game: TwoPlayerGame | None,
        name: Callable[[int], str],
        sparing: bool,
    ) -> None:
        self.reader = reader
        self.layout: Layout = reader.layout
        self.game = game
        self._name = name
        self._sparing = sparing
        self._legality: dict[tuple[str, ...], Mapping[LayoutMove, Legality] | None] = {}
        self._on_board: Callable[[int], list[LayoutMove]] = cache(self._moves_said)
        self._sayable: Callable[[int], frozenset[str]] = cache(self._texts_said)
        self._says_all: Callable[[int], bool] = cache(self._all_said)

    @cached_property
    def referee(self) -> Referee | None:
        """Holds each ply against the rules, where there are some."""
        if self.game is None:
            return None
        from qsage_validate.validation.referee import Referee

        return Referee(self.game, self.layout, self._name)

    def ruled(self, state: PlayState) -> tuple[Referee, Position] | None:
        """Who holds a play against the rules, and its position by them; ``None`` without rules.

        From an illegal move on there is no position either.
        """
        if state.position is None or self.referee is None:
            return None
        return self.referee, state.position

    @property
    def player(self) -> Player:
        return self.reader.player

    @property
    def promised_verdict(self) -> bool:
        """The value of the verdict that the certificate promises."""
        return self.player is Player.BLACK

    @property
    def knows_legality(self) -> bool:
        """True if the formula can say which of the opponent's moves are legal."""
        return self.reader.knows_legality

    def knows_illegal(self, state: PlayState | None = None) -> bool:
        """True if illegal moves are known (in ``state``), by the formula or by the rules.

        The layout tells the meaning of a formula's silence (``UnspecifiedLegality``).
        """
        if self.layout.silence is UnspecifiedLegality.FREE:
            known = self.knows_legality
            return known if state is None else known and self.legality(state) is not None
        by_rules = self.game is not None and (state is None or state.position is not None)
        return self.knows_legality or by_rules

    @property
    def plies(self) -> int:
        """The largest number of plies of a play."""
        return max(self.layout.plies, 0 if self.game is None else self.game.moves_made)

    def can_claim(self, ply: int) -> bool:
        """True if the opponent can claim a goal with a ply: the ply has a variable for it."""
        if ply > self.layout.plies or self.mover(ply) is self.player:
            return False
        stop = self.layout.moves[ply - 1].stop
        return stop is not None and abs(stop) in self.reader.opponent

    def forget(self) -> None:
        """Forget what was kept of plays so far, when it has become much."""
        if len(self._legality) > _KEPT_PLAYS:
            self._legality.clear()

    def has_won(self, state: PlayState, player: Player) -> bool:
        """True if ``player`` has won by the rules, as far as they are known."""
        outcome = None if state.position is None else state.position.outcome
        return outcome is not None and outcome.winner is player

    def mover(self, ply: int) -> Player:
        """The player of a ply (from 1)."""
        if ply <= self.layout.plies or self.game is None:
            return self.layout.moves[ply - 1].player
        return self.game.player_at(ply)

    def tells(self, state: PlayState) -> bool:
        """True if a play has ended by the rules, or if no rules are known."""
        if self.game is None:
            return True
        return state.position is not None and state.position.outcome is not None

    def to_move(self, state: PlayState) -> Player | None:
        """Whose turn it is; ``None`` when the play has ended.

        Raises ``UsageError`` where the layout gives the ply to the other player than the rules.
        """
        if state.ending is not None:
            return None
        if state.position is None:
            return None if state.plies >= self.layout.plies else self.mover(state.plies + 1)
        player, ply = state.position.to_move, state.plies + 1
        if ply <= self.layout.plies and self.mover(ply) is not player:
            raise UsageError(
                f"the layout ({self.layout.source}) gives ply {ply} after "
                f"{' '.join(state.moves) or 'no move'} to {player.other}, expected {player}"
            )
        return player

    def is_open(self, state: PlayState) -> bool:
        """True if it is the certificate's turn and any legal move will do.

        Its opponent chooses then.  Tell with :meth:`answer_all` first what the certificate says.
        """
        if state.ending is not None or self.to_move(state) is not self.player:
            return False
        return state.replaced is not None or state.plies >= self.layout.plies

    # -- legality ---------------------------------------------------------------------------

    def candidates(self, state: PlayState) -> list[LayoutMove]:
        """Every move that the bits of the next ply can say, those off the board last.

        Where there are no bits it is the legal moves.
        """
        ply = state.plies + 1
        if ply > self.layout.plies:
            return self.legal_moves(state)
        return [*self._on_board(ply), *(() if self._sparing else self.reader.code.no_moves(ply))]

    def legality_all(
        self, states: Sequence[PlayState]
    ) -> list[Mapping[LayoutMove, Legality] | None]:
        """The formula's legality of every move of the opponent, who is to move in all states."""
        if states and states[0].plies >= self.layout.plies:
            return [None] * len(states)
        missing = list({s.moves: s for s in states if s.moves not in self._legality}.values())
        if missing:
            mover = self.mover(missing[0].plies + 1)
            assert mover is self.player.other, "the opponent is to move"
            moves = self.candidates(missing[0])
            found = self.reader.legality([state.assignment for state in missing], moves)
            for k, state in enumerate(missing):
                own = found[k]
                pairs = () if own is None else zip(moves, own, strict=True)
                said = {move: verdict for move, verdict in pairs if verdict is not None}
                self._legality[state.moves] = None if own is None else said
        return [self._legality[state.moves] for state in states]

    def legality(self, state: PlayState) -> Mapping[LayoutMove, Legality] | None:
        """The formula's legality of every move of the opponent, who is to move."""
        return self.legality_all([state])[0]

    def is_legal(self, state: PlayState, move: LayoutMove) -> bool:
        """True if the opponent's ``move`` is legal: by the rules, else by the formula.

        Where neither can tell, every move counts as legal.
        """
        player, ruled = self.to_move(state), self.ruled(state)
        if player is None:
            return False
        if ruled is not None:
            referee, position = ruled
            known = referee.move(move, player)
            return known is not None and referee.is_legal(position, known)
        verdicts = self.legality(state)
        if verdicts is None:
            return True
        verdict = verdicts.get(move)
        return self.reader.code.can_say(state.plies + 1, move) if verdict is None else verdict.legal

    def legal_moves(self, state: PlayState) -> list[LayoutMove]:
        """The opponent's legal moves, in the order of the actions and squares.

        Where the opponent chooses for the certificate, they are the certificate's.  Moves that the
        layout cannot say are not among them: see :meth:`examine_all`.
        """
        player, ruled = self.to_move(state), self.ruled(state)
        if player is None:
            return []
        if self.is_open(state) or state.plies >= self.layout.plies:
            return [] if ruled is None else _moves_by_rules(*ruled)
        if player is self.player:
            return []
        if state.position is not None:
            names = {str(move) for move in state.position.legal_moves()}
            return [move for move in self._on_board(state.plies + 1) if str(move) in names]
        verdicts = self.legality(state)
        if verdicts is None:
            return list(self._on_board(state.plies + 1))
        return [
            move for move in self.candidates(state) if move not in verdicts or verdicts[move].legal
        ]

    def find(self, state: PlayState, text: str) -> LayoutMove | None:
        """The move of the next ply whose text this is; ``None`` where there is no such move."""
        if self.is_open(state) or state.plies >= self.layout.plies:
            return next((m for m in self.legal_moves(state) if str(m) == text), None)
        return self.reader.code.find(state.plies + 1, text)

    def unsaid(self, state: PlayState) -> list[str]:
        """The opponent's legal moves, by the rules, for which the layout has no code.

        Without those that stand for others by symmetry.
        """
        ply = state.plies + 1
        if state.position is None or self.referee is None or ply > self.layout.plies:
            return []
        if self.to_move(state) is not self.player.other or self._says_all(ply):
            return []
        return self.referee.unsaid(state.position, self._sayable(ply))

    def _moves_said(self, ply: int) -> list[LayoutMove]:
        """The moves of a ply that have a code, in a fixed order."""
        code = self.reader.code
        return [move for move in code.moves(ply) if code.can_say(ply, move)]

    def _texts_said(self, ply: int) -> frozenset[str]:
        return frozenset(map(str, self._on_board(ply)))

    def _all_said(self, ply: int) -> bool:
        """True if every move of the ply's player has a code."""
        if self.game is None or not self.game.lists_moves:
            return False
        return self._sayable(ply).issuperset(map(str, self.game.moves(self.mover(ply))))

    def is_stuck(self, state: PlayState) -> bool:
        """True if it is the opponent's turn in the formula, and the rules leave it no move."""
        if self.referee is None or state.position is None or state.plies >= self.layout.plies:
            return False
        outcome = state.position.outcome
        opponents = self.mover(state.plies + 1) is not self.player
        return outcome is not None and outcome.stuck and opponents


def _moves_by_rules(referee: Referee, position: Position) -> list[LayoutMove]:
    """The legal moves of the player to move, whether or not the layout can say them."""
    texts = [str(move) for move in position.legal_moves()]
    return [LayoutMove(text, referee.game.square_of(text)) for text in texts]
