"""The requests of a person to the match: plain functions that run in the worker thread.

Each takes the match first, and returns an answer for the interface; a failure that the user can
mend (:class:`~qsage_validate.errors.QsageError`) is raised, and shown by the caller.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from qsage_validate.arena.frame import Frame, Hint, MatchMove, SquareXY, WhyNot
from qsage_validate.arena.program import pairs_text
from qsage_validate.errors import CancelledError, QsageError, UsageError
from qsage_validate.formats.policy import check_inside
from qsage_validate.formats.source import Source
from qsage_validate.formats.writing import write_atomic
from qsage_validate.play.match import PlayMatch, RefusedMoveError
from qsage_validate.play.transcript import Transcript, play_transcript, transcript_of
from qsage_validate.problems.script_moves import scripted


@dataclass(frozen=True, slots=True)
class Played:
    """The move was played, with the certificate's answer."""

    move: MatchMove
    frames: tuple[Frame, ...]
    at_random: bool = False


@dataclass(frozen=True, slots=True)
class Replied:
    """The answer to the person's move, where it comes apart."""

    frames: tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was played: ``attempt`` is illegal for these reasons.

    ``alternatives`` are legal moves with the same parameters.
    """

    attempt: str
    whys: tuple[WhyNot, ...]
    alternatives: tuple[MatchMove, ...] = ()


@dataclass(frozen=True, slots=True)
class Explained:
    """An answer to "why not?": the reasons, and the moves that are legal."""

    attempt: str
    whys: tuple[WhyNot, ...]
    legal: tuple[MatchMove, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several illegal moves could be meant; a person has to say which is let happen."""

    question: str
    moves: tuple[MatchMove, ...]


@dataclass(frozen=True, slots=True)
class Travelled:
    """The match went back or forth; ``text`` says how."""

    text: str


@dataclass(frozen=True, slots=True)
class HistoryMoved:
    """The match went to another round of its history, which ends with ``ply``."""

    ply: int


@dataclass(frozen=True, slots=True)
class NoOp:
    """There was nothing to do; ``text`` says why."""

    text: str


@dataclass(frozen=True, slots=True)
class Hinted:
    """The suggestion of the match, if any."""

    hint: Hint | None


@dataclass(frozen=True, slots=True)
class Saved:
    """The transcript was written."""

    path: str


@dataclass(frozen=True, slots=True)
class WouldOverwrite:
    """Nothing was written, because the file exists; ``again`` replaces it."""

    path: str
    again: Request


@dataclass(frozen=True, slots=True)
class Loaded:
    """A play was replayed: that of the file ``path``, or what ``path`` describes.

    ``ply`` is the ply to look at; ``None`` for the last one.
    """

    path: str
    ply: int | None = None


Answer = (
    Played
    | Replied
    | Refused
    | Explained
    | Ambiguous
    | Travelled
    | HistoryMoved
    | NoOp
    | Hinted
    | Saved
    | WouldOverwrite
    | Loaded
)
Request = Callable[[PlayMatch], Answer]


def play(match: PlayMatch, move: MatchMove | str, *, force: bool, claim: bool = False) -> Answer:
    """Play ``move``; with ``force`` also when it is illegal, with ``claim`` claiming the goal."""
    chosen = match.parse_move(move) if isinstance(move, str) else move
    try:
        return Played(chosen, match.push(chosen, force=force, claim=claim))
    except RefusedMoveError as refusal:
        return Refused(chosen.words, (refusal.why,))


def answer(match: PlayMatch) -> Answer:
    """Answer the person's move, or the start; a move whose answer is cancelled is taken back."""
    move = match.frame.said
    try:
        return Replied(match.answer())
    except CancelledError:
        if match.undo():
            return Travelled(f"Cancelled: {move} was taken back.")
        return NoOp("Cancelled: Enter asks for the reply again.")


def try_square(match: PlayMatch, origin: SquareXY, target: SquareXY, *, force: bool) -> Answer:
    """Try what picking squares without a legal move may have meant.

    The reasons of all actions with these parameters are given; with ``force`` the illegal move
    is played when there is only one.
    """
    named = f"at {_name(match, origin)}"
    if origin != target:
        named = f"from {_name(match, origin)} to {_name(match, target)}"
    if match.over:
        raise UsageError("the play is over: undo or restart to go on")
    whys, legal = _reasons(match, (origin, target) if origin != target else (origin,))
    if not whys:
        return NoOp(f"No move {named}.")
    if not force:
        return Refused(whys[0].move.words if len(whys) == 1 else f"No move {named}", whys, legal)
    if len(whys) > 1:
        return Ambiguous(f"Which illegal move {named}?", tuple(why.move for why in whys))
    return Played(whys[0].move, match.push(whys[0].move, force=True))


def explain_square(match: PlayMatch, square: SquareXY) -> Answer:
    """The reasons for or against each action with these parameters."""
    if match.over:
        return NoOp("The play is over: no move is legal.")
    whys, legal = _reasons(match, (square,))
    return Explained(_name(match, square), whys, legal)


def _name(match: PlayMatch, square: SquareXY) -> str:
    """The name of a square on the board."""
    board = match.board
    return f"({square[0]},{square[1]})" if board is None else board.square_name(square)


def explain(match: PlayMatch, text: str) -> Answer:
    """The reasons for or against the move that ``text`` names."""
    move = match.parse_move(text)
    if match.over:
        return NoOp("The play is over: no move is legal.")
    why = match.why_not(move)
    return Explained(move.words, () if why is None else (why,), (move,) if why is None else ())


def _reasons(
    match: PlayMatch, squares: Sequence[SquareXY]
) -> tuple[tuple[WhyNot, ...], tuple[MatchMove, ...]]:
    """The reasons against the person's actions at ``squares``, and the legal ones at the first."""
    whys: list[WhyNot] = []
    legal: list[MatchMove] = []
    for square in squares:
        for move in match.moves_at(square):
            why = match.why_not(move)
            if why is not None:
                whys.append(why)
            elif square == squares[0]:
                legal.append(move)
    return tuple(whys), tuple(legal)


def undo(match: PlayMatch) -> Answer:
    """Take the last round back."""
    return Travelled("Took the last round back.") if match.undo() else NoOp("Nothing to undo.")


def redo(match: PlayMatch) -> Answer:
    """Play a round again that was taken back."""
    return Travelled("Played the round again.") if match.redo() else NoOp("Nothing to redo.")


def restart(match: PlayMatch) -> Answer:
    """Back to the start; redo plays it again."""
    if not match.can_undo:
        return NoOp("This is the start.")
    match.restart()
    return Travelled("Back at the start; redo plays the rounds again.")


def go(match: PlayMatch, number: int) -> Answer:
    match.go(number)
    return HistoryMoved(match.frame.ply)


def hint(match: PlayMatch) -> Answer:
    return Hinted(match.hint())


def show_pairs(match: PlayMatch, on: bool) -> Answer:
    """Look for the pairs in each frame from now on, or leave it."""
    match.shows_pairs = on
    if not on:
        return NoOp("Pairs are hidden.")
    return NoOp(pairs_text(match.pairs(match.frame)))


def play_at_random(match: PlayMatch, generator: random.Random) -> Answer:
    """Let a random player make the person's move."""
    if match.over:
        return NoOp("The play is over: undo or restart to go on.")
    move = match.random_move(generator)
    if move is None:
        return NoOp(f"{match.person} has no legal move.")
    try:
        return Played(move, match.push(move), at_random=True)
    except RefusedMoveError as refusal:
        # Rules and formula disagree about the move: one lists it, the other forbids it.
        return Refused(move.words, (refusal.why,))


def save(match: PlayMatch, path: str, *, overwrite: bool) -> Answer:
    """Write the transcript, as JSON when ``path`` ends in ``.json``."""
    target = os.path.expanduser(path)
    check_inside(target, writing=True)
    if not overwrite and os.path.lexists(target):
        return WouldOverwrite(path, partial(save, path=path, overwrite=True))
    transcript = transcript_of(match)
    to_dict = target.endswith(".json")
    text = json.dumps(transcript.to_dict(), indent=2) + "\n" if to_dict else str(transcript)
    write_atomic(target, text, continued=overwrite)
    return Saved(path)


def load(match: PlayMatch, path: str) -> Answer:
    """Replay the transcript in ``path``."""
    source = Source.open(os.path.expanduser(path))
    play_transcript(match, Transcript.parse(source.text, source.path))
    return Loaded(path)


def follow(match: PlayMatch, moves: Sequence[str], name: str, *, ply: int | None = None) -> Answer:
    """Play ``moves`` (of both players, from ply 1) from the start; look at ``ply`` then.

    Illegal moves are let happen, as they were when they were found.  When it cannot be done
    the play stays what it was.  ``name`` tells the person what was replayed.
    """
    kept = match.history.here
    if match.waits and kept.parent is not None:
        kept = kept.parent  # what is not answered is taken back
    try:
        match.restart()
        match.answer()
        _play(match, moves)
    except QsageError:
        match.go(kept.number)
        raise
    return Loaded(name, ply)


def _play(match: PlayMatch, moves: Sequence[str]) -> None:
    for number, text in enumerate(moves, start=1):
        frame = next((f for f in match.frames if f.ply == number), None)
        if frame is None:
            said = scripted(text)
            match.push(said.text, force=True, claim=said.claim)
            match.answer()
        elif frame.player is match.person:
            raise UsageError(f"found {text} at ply {number}, which {match.person} has made")
        elif frame.move is not None and scripted(text).text not in ("?", str(frame.move)):
            # (A reply that is no move has no text of its own: nothing to compare.)
            raise UsageError(
                f"found the reply {text} at ply {number}, expected {frame.move}, which is how "
                "this certificate answers"
            )
