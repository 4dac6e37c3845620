"""The lines of the pane of messages: plain text, made from frames and findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from qsage_validate.arena.frame import Frame, MatchOutcome
from qsage_validate.play.tui.model.situation import MatchSituation
from qsage_validate.validation.finding import Finding


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
            move = "unreadable" if frame.move is None else str(frame.move)
            yield Note(Weight.DONE, f"{frame.ply}. {frame.player} {move}{mark}{slow}")
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
