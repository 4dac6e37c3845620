"""The knowledge of the interface about the match: a frozen copy, taken in the worker thread.

Widgets never touch the match itself: it may be busy in another thread.
"""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.arena.engines.engine import Facts
from qsage_validate.arena.frame import Frame, MatchMove, MatchOutcome, Pairs, SquareXY
from qsage_validate.games.protocol import BoardPicture, Square
from qsage_validate.play.history import HistoryRow
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.picking import Picks, is_elsewhere
from qsage_validate.validation.finding import Finding


@dataclass(frozen=True)
class MatchSituation:
    """A match at one moment, with the person's legal moves."""

    facts: Facts
    frames: tuple[Frame, ...]
    legal: tuple[MatchMove, ...]
    picks: Picks
    can_undo: bool
    can_redo: bool
    can_claim: bool
    waits: bool = False
    """True if the answer to the last ply is still to come."""
    ahead: tuple[Frame, ...] = ()
    """The frames after the current one in the line that was visited last."""
    rows: tuple[HistoryRow, ...] = ()
    """All that was tried, the line of ``frames`` and ``ahead`` among it."""
    pairs: tuple[Pairs | None, ...] = ()
    """The pairs in each frame, where they are shown; else none at all."""

    @classmethod
    def of(cls, match: PlayMatch) -> MatchSituation:
        """Ask ``match`` everything that is shown; may call the certificate."""
        legal = () if match.over else tuple(match.legal_moves())
        return cls(
            facts=match.facts,
            frames=match.frames,
            legal=legal,
            picks=match.picks(),
            can_undo=match.can_undo,
            can_redo=match.can_redo,
            can_claim=match.can_claim(),
            waits=match.waits,
            ahead=match.ahead,
            rows=match.history.rows(),
            pairs=tuple(map(match.pairs, match.frames + match.ahead)) if match.shows_pairs else (),
        )

    @property
    def last(self) -> int:
        return len(self.frames) - 1

    @property
    def line(self) -> tuple[Frame, ...]:
        """The frames up to now, and those ahead."""
        return self.frames + self.ahead

    def round_at(self, index: int) -> int | None:
        """The number of the round that ends with a frame of the line: the person goes on there.

        ``None`` where the certificate is to move after the frame.
        """
        ends = {row.index: row.number for row in self.rows if row.index is not None}
        number = ends.get(index)
        return None if number == ends.get(index + 1, -1) else number

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def outcome(self) -> MatchOutcome | None:
        """The result, or ``None`` while the play goes on."""
        return self.frame.outcome

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings of the play, what was taken back included."""
        return tuple(finding for frame in self.line for finding in frame.findings)

    @property
    def only_elsewhere(self) -> MatchMove | None:
        """The only legal move, where it is on no square of the board: waiting, for example."""
        return self.legal[0] if is_elsewhere(self.legal) else None

    def board(self, index: int) -> BoardPicture | None:
        return self.line[index].board

    def changed(self, index: int) -> frozenset[SquareXY]:
        """The squares that the ply of a frame changed; the move's own square if it changed none."""
        after = self.line[index]
        if index == 0 or after.board is None:
            return frozenset()
        before = self.line[index - 1].board
        changed = frozenset() if before is None else frozenset(before.differences(after.board))
        square = getattr(after.move, "square", None)
        return changed or (frozenset() if square is None else frozenset({square}))

    def joints(self, index: int) -> frozenset[tuple[SquareXY, SquareXY]]:
        """The neighbours that one ply filled together, such as dominoes; the lesser one first."""
        shown = self.board(index)
        found: set[tuple[SquareXY, SquareXY]] = set()
        for number in range(1, index + 1):
            before, after = self.board(number - 1), self.board(number)
            changed = sorted(self.changed(number))
            if before is None or after is None or shown is None or len(changed) != 2:
                continue
            first, second = changed
            near = abs(first[0] - second[0]) + abs(first[1] - second[1]) == 1
            placed = before[first] is before[second] is Square.OPEN
            alike = after[first] is after[second] is shown[first] is shown[second]
            if near and placed and alike:
                found.add((first, second))
        return frozenset(found)

    def earlier(self, index: int) -> frozenset[SquareXY]:
        """The squares changed by the ply before, where it belongs to the same round."""
        frame = self.line[index]
        return self.changed(index - 1) if index > 1 and frame.by_certificate else frozenset()
