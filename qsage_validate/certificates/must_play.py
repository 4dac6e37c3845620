"""Winning plans of Black in maker-breaker games, by must-play regions.

A win of Black's needs few positions: stones that are there (*needed*) and open positions that
Black may come to claim (the *carrier*).  It stands wherever the former are black and the latter
open; stones of White's elsewhere change nothing.  So of all replies of White's only those count
that lie in the carriers of all the answers known so far (the must-play region of Hayward et al.,
*Solving 7x7 Hex with domination, fill-in, and virtual connections*, 2005), and positions that look
different share a decision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from qsage_validate.certificates.plan import NoWinError, Plan, PlanNode
from qsage_validate.errors import counted
from qsage_validate.games.positional.rules import ClaimMove, PositionalGame, PositionalPosition
from qsage_validate.games.protocol import Move, Player, Position
from qsage_validate.system.limits import NEVER, Deadline

BLACK = Player.BLACK


@dataclass(frozen=True, slots=True)
class _Win:
    """A decision and the positions for which it is right: masks of stones and of open ones."""

    node: PlanNode
    needed: int
    carrier: int

    def fits(self, black: int, white: int) -> bool:
        return not (self.needed & ~black or self.carrier & (black | white))


def must_play_plan(
    game: PositionalGame,
    wins: Callable[[Position], bool],
    best_move: Callable[[Position], Move | None],
    deadline: Deadline = NEVER,
) -> Plan | None:
    """A plan for Black, who wins; ``None`` unless White has no goal and turns are of one stone.

    ``wins`` says whether Black wins from a position that has not ended, ``best_move`` gives a
    winning move of Black's where it is Black's turn; both are asked about positions in which
    White has passed as well.  Raises ``UndecidedError`` at the deadline,
    ``NoWinError`` when Black does not win.
    """
    if not (game.model.maker_breaker and game.model.alternates):
        return None
    return _Planner(game, wins, best_move, deadline).plan()


@dataclass
class _Planner:
    game: PositionalGame
    wins: Callable[[Position], bool]
    best_move: Callable[[Position], Move | None]
    deadline: Deadline
    known: dict[int, list[_Win]] = field(default_factory=dict)

    def plan(self) -> Plan:
        initial = self.game.initial
        if initial.outcome is not None:
            if initial.outcome.winner is not BLACK:
                raise NoWinError(f"{BLACK} does not win: {initial.outcome.reason}")
            return Plan(BLACK, None, {})
        if not self.wins(initial):
            raise NoWinError(f"{BLACK} does not win within {counted(self.game.plies, 'ply')}")
        if initial.to_move is BLACK:
            return Plan(BLACK, self.win(initial.black, initial.white, 1).node, {})
        answers = self.answers(initial.black, initial.white, 1)
        return Plan(BLACK, None, self.table(answers, initial.black | initial.white))

    def win(self, black: int, white: int, ply: int) -> _Win:
        """Black's decision before ``ply``, where Black wins."""
        for known in reversed(self.known.get(ply, [])):
            if known.fits(black, white):
                return known
        self.deadline.check("the winning plan was made")
        position = PositionalPosition(self.game, black, white, ply)
        move, after = self.choose(position)
        bit = after.black & ~black
        if after.outcome is not None:
            goal = min(self.game.witnesses(after, BLACK))
            node = PlanNode(ply, move, True, frozenset({goal}))
            found = _Win(node, goal & ~bit & ~self.game.model.black, bit)
        else:
            answers = self.answers(after.black, white, ply + 1)
            node = PlanNode(ply, move, False, frozenset())
            node.table.update(
                self.table(answers, self.game.model.black | self.game.model.white | bit)
            )
            needed = carrier = 0
            for answer in answers:
                needed |= answer.needed
                carrier |= answer.carrier
            found = _Win(node, needed & ~bit, carrier | bit)
        self.known.setdefault(ply, []).append(found)
        return found

    def choose(self, position: PositionalPosition) -> tuple[ClaimMove, PositionalPosition]:
        """A winning move of Black's, with what it leads to."""
        best = self.best_move(position)
        moves = [c for c in position.legal_moves() if c == best]
        for move in [*moves, *position.legal_moves()]:
            after = position.play(move)
            outcome = after.outcome
            if outcome.winner is BLACK if outcome is not None else self.wins(after):
                return move, after
        raise NoWinError(f"{BLACK} has no winning move in {position.board}")

    def answers(self, black: int, white: int, ply: int) -> list[_Win]:
        """Decisions for the ply after ``ply``: for each move of White's one of them wins."""
        # A pass is no better for White than any move.
        answers = [self.win(black, white, ply + 1)]
        region = answers[0].carrier
        while region:
            bit = region & -region
            answers.append(self.win(black, white | bit, ply + 1))
            region &= answers[-1].carrier
        return answers

    def table(self, answers: Sequence[_Win], closed: int) -> dict[Move, PlanNode]:
        """For each move that White may make: the first decision that it does not disturb."""
        return {
            claim: next(a.node for a in answers if not a.carrier >> number & 1)
            for number, claim in enumerate(self.game.claims)
            if not closed >> number & 1
        }
