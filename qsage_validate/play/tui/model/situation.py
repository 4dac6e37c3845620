"""What the interface knows of a play: services, the situation, and notes on it.

A prover is given from above: this layer knows only how to call one.

Widgets never touch the match itself: it may be busy in another thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial

from qsage_validate.arena.board_engine import Facts
from qsage_validate.arena.frame import Frame, MatchMove, MatchOutcome, Pairs, SquareXY, WhyNot
from qsage_validate.arena.strategy_tree import GateInspector, GateReader, StrategyTree, tree_of
from qsage_validate.games.protocol import BoardPicture
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.picking import Picks, is_elsewhere
from qsage_validate.play.transcript import HistoryRow, rows_of
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.system.limits import Tell
from qsage_validate.validation.finding import Finding

# The services that the interface can use beside the match: gates, the strategy's tree, a proof


@dataclass(frozen=True, slots=True)
class LevelRow:
    """The result of one level of a proof: its name, the verdict in a word, and in full."""

    name: str
    word: str
    seconds: float
    text: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class ProofEnd:
    """The end of a proof: one line to quote, if it refutes something, if it was stopped."""

    text: str
    refuted: bool = False
    stopped: bool = False


Prove = Callable[[Tell, Callable[[LevelRow], None], Callable[[], bool]], ProofEnd]
"""A function that runs all levels, in a worker thread, until its last argument returns true.

Its first argument is called with a level's progress, the second one with each result.  Raises
``QsageError``.
"""


@dataclass(frozen=True)
class Services:
    """The services that are available; ``None`` stands for one that is not.

    ``gates`` reads the gates after a frame, and after an illegal move where one was tried;
    ``tree`` makes the strategy's tree.  Both are called in a worker thread.
    """

    gates: Callable[[Frame, WhyNot | None], GateInspector] | None = None
    tree: Callable[[], StrategyTree] | None = None
    prove: Prove | None = None

    @classmethod
    def of(cls, problem: Problem, prove: Prove | None = None) -> Services:
        """All that a problem has to offer; reader and tree are made once, when asked first."""

        @cache
        def reader() -> GateReader:
            return GateReader(problem)

        tree = cache(partial(tree_of, problem)) if isinstance(problem, BoardProblem) else None
        gates = None if problem.formula is None else lambda frame, why: reader().at(frame, why)
        return cls(gates, tree, prove)


# The knowledge of the interface about the match: a frozen copy, taken in the worker thread


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
            rows=rows_of(match.history),
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

    def earlier(self, index: int) -> frozenset[SquareXY]:
        """The squares changed by the ply before, where it belongs to the same round."""
        frame = self.line[index]
        return self.changed(index - 1) if index > 1 and frame.by_certificate else frozenset()


# The lines of the pane of messages: plain text, made from frames and findings


class Weight(Enum):
    """The importance of a message; the values are the signs before it."""

    SAID = " "
    DONE = "·"
    REFUSED = "×"
    ERROR = "!"
    FINDING = "‼"
    VERDICT = "="


@dataclass(frozen=True, slots=True)
class Note:
    weight: Weight
    text: str


Replay = Callable[[Sequence[str]], str]


def finding_note(finding: Finding, own: Sequence[str], replay: Replay | None = None) -> Note:
    """A finding with all that is known about it, and the command that replays the moves ``own``."""
    lines = [f"FINDING: {finding.text}"]
    if finding.rule is not None:
        lines.append(f"rule: {finding.rule}")
    command = finding.replay or ("" if replay is None else replay(own))
    lines.append(f"replay: {command}" if command else f"moves: {' '.join(finding.moves)}")
    return Note(Weight.FINDING, "\n".join(lines))


def frame_notes(
    situation: MatchSituation, frames: Iterable[Frame], replay: Replay | None = None
) -> Iterator[Note]:
    """The notes on ``frames`` of ``situation``: moves, findings, the end."""
    for frame in frames:
        if frame.player is not None:
            mark = " (illegal, let happen)" if frame.illegal is not None else ""
            slow = f" ({frame.seconds:.1f} s)" if frame.seconds >= 1 else ""
            yield Note(Weight.DONE, f"{frame.ply}. {frame.player} {frame.said}{mark}{slow}")
        for remark in frame.remarks:
            yield Note(Weight.SAID, remark)
        own = _own_moves(situation, frame.ply)
        for finding in frame.findings:
            yield finding_note(finding, own, replay)
        if frame.outcome is not None:
            yield Note(Weight.VERDICT, _end(frame.outcome, situation.facts.answers))


def _own_moves(situation: MatchSituation, ply: int) -> list[str]:
    """The person's moves up to ``ply``, as a script has them."""
    return [
        f"{frame.move}{'!stop' if frame.stopped else '!' if frame.illegal is not None else ''}"
        for frame in situation.frames
        if frame.player is situation.facts.person and frame.ply <= ply
    ]


def _end(outcome: MatchOutcome, answers: str) -> str:
    promise = {True: f"; as the {answers} promised", False: "; NOT as promised", None: ""}
    return outcome.text + promise[outcome.promised]
