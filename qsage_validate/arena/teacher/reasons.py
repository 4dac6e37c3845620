"""Why a reply was played, as far as the rules can tell: one sentence, true by the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from qsage_validate.arena.frame import Pairs
from qsage_validate.arena.teacher.threats import Threats, and_list, or_list
from qsage_validate.games.protocol import Player, Position


class Purpose(Enum):
    """The purpose of a reply; ``moves`` of a :class:`Reason` are named behind each."""

    COMPLETES = "reaches the goal"
    STUCK = "leaves the opponent without a legal move"
    ENDS = "ends the play in another way"
    BLOCKS = "takes away the opponent's moves that would win at once"
    FORKS = "makes threats of which each answer leaves one"
    TWO_THREATS = "makes two threats or more"
    THREATENS = "makes a threat"
    PREPARES = "threatens to win in two moves"
    PAIRS = "answers in the pair of the opponent's move"
    ONLY = "is the only legal move"
    WAITS = "changes nothing on the board"


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that a reply of ``player`` does; ``moves`` are what it is about."""

    purpose: Purpose
    player: Player
    moves: tuple[str, ...] = ()

    @property
    def clause(self) -> str:
        """The end of a sentence that begins with the move."""
        player, other = self.player, self.player.other
        moves, both = or_list(self.moves), and_list(self.moves)
        return {
            Purpose.COMPLETES: f"reaches {player}'s goal",
            Purpose.STUCK: f"leaves {other} without a legal move",
            Purpose.ENDS: f"ends the play: {player} {moves}",
            Purpose.BLOCKS: f"blocks {both}, where {other} would have won",
            Purpose.FORKS: f"threatens to win by {moves}, and {other} cannot stop it",
            Purpose.TWO_THREATS: f"makes {len(self.moves)} threats: {both}",
            Purpose.THREATENS: f"threatens to win by {moves}",
            Purpose.PREPARES: f"threatens to win in two moves, beginning with {moves}",
            Purpose.PAIRS: f"answers {' with '.join(self.moves)}, the other one of a pair",
            Purpose.ONLY: "is the only legal move",
            Purpose.WAITS: "waits: nothing changes on the board",
        }[self.purpose]


def reasons(
    threats: Threats,
    before: Position,
    after: Position,
    *,
    last: str | None = None,
    pairs: Pairs | None = None,
) -> tuple[Reason, ...]:
    """The purposes of the ply from ``before`` to ``after``; the most important first.

    ``last`` is the opponent's move before it, and ``pairs`` those of the position before that.
    """
    player = before.to_move
    return tuple(Reason(p, player, m) for p, m in _purposes(threats, before, after, last, pairs))


def sentence(move: str, found: tuple[Reason, ...]) -> str:
    """``occupy(2,3) blocks occupy(1,1), where White would have won, and makes 2 threats: …``.

    Empty without a reason.
    """
    if not found:
        return ""
    return f"{move} {', and '.join(reason.clause for reason in found[:2])}"


def _purposes(
    threats: Threats, before: Position, after: Position, last: str | None, pairs: Pairs | None
) -> Iterator[tuple[Purpose, tuple[str, ...]]]:
    player, other = before.to_move, before.to_move.other
    outcome = after.outcome
    if outcome is not None:
        if outcome.winner is player and outcome.stuck:
            yield Purpose.STUCK, ()
        elif outcome.winner is player:
            reached = threats.game.witnesses(after, player)
            yield (Purpose.COMPLETES, ()) if reached else (Purpose.ENDS, (outcome.reason,))
        return
    was = {threat.move for threat in threats.wins(before, other)}
    still = {threat.move for threat in threats.wins(after, other)}
    blocked = tuple(sorted(was - still))
    if blocked:
        yield Purpose.BLOCKS, blocked
    own = threats.of(after, player)
    at_once = tuple(threat.move for threat in own if threat.moves == 1)
    if at_once and threats.cannot_stop(after):
        yield Purpose.FORKS, at_once
    elif len(at_once) > 1:
        yield Purpose.TWO_THREATS, at_once
    elif at_once:
        yield Purpose.THREATENS, at_once
    elif own:
        yield Purpose.PREPARES, tuple(threat.move for threat in own)
    pair = _kept(before, after, last, pairs)
    if pair:
        yield Purpose.PAIRS, pair
    if len(before.legal_moves()) == 1:
        yield Purpose.ONLY, ()
    if before.board == after.board:
        yield Purpose.WAITS, ()


def _kept(
    before: Position, after: Position, last: str | None, pairs: Pairs | None
) -> tuple[str, str] | None:
    """The opponent's move and the reply, where they are the two of a pair."""
    taken = before.board.differences(after.board)
    for one, other in pairs or ():
        for first, second in ((one, other), (other, one)):
            if str(first) == last and taken == [second.square]:
                return str(first), str(second)
    return None
