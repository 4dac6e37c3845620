"""A play between a person and whatever answers, with its history.

:class:`Match` is what every interface talks to: it holds the play so far, takes the person's
moves, has them answered by its engine, and can go back and forth.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from qsage_validate.arena.engines.engine import Engine, Facts, Step, answered
from qsage_validate.arena.frame import (
    Frame,
    Hint,
    MatchMove,
    MatchOutcome,
    NamedValue,
    Pairs,
    SquareXY,
    WhyNot,
)
from qsage_validate.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    InputError,
    MalformedMoveError,
    UsageError,
)
from qsage_validate.games.protocol import Board, Player
from qsage_validate.play.transcript import Transcript, TranscriptPly
from qsage_validate.system.task import Task
from qsage_validate.validation.finding import Finding


class RefusedMoveError(IllegalMoveError):
    """The move is illegal here; :attr:`why` says why.  ``push(move, force=True)`` plays it."""

    def __init__(self, why: WhyNot) -> None:
        self.why = why
        super().__init__(str(why))


class Match:
    """A play against what answers in ``engine``, with its history.

    The engine makes its own plies: after construction and after each :meth:`push`, either the
    person is to move or the play is over.  A *round* is what one push adds: the person's ply and
    the answer.  With a ``task`` answers may take long, and come apart: :meth:`answer` is called for
    them, and the task tells how far it is and calls it off.
    """

    def __init__(self, engine: Engine[Any], task: Task | None = None) -> None:
        self._engine = engine
        self.task = task
        self._rounds: list[tuple[Step, ...]] = [(engine.start(),)]
        self._undone: list[tuple[Step, ...]] = []
        self._waits = True
        self.shows_pairs = False
        if task is None:
            self.answer()

    @property
    def facts(self) -> Facts:
        """The facts that are the same at each moment of the play."""
        return self._engine.facts

    @property
    def person(self) -> Player:
        """The side that the person plays."""
        return self.facts.person

    @property
    def mover(self) -> Player:
        """Whose ply the person makes next.

        The certificate's, where it may make any legal move: the person chooses that then.
        """
        return self._engine.mover(self._step)

    def pairs(self, frame: Frame) -> Pairs | None:
        """The pairs by which White could block from a frame on; ``None`` where none are known."""
        return self._engine.pairs(frame)

    # The play so far

    @property
    def frames(self) -> tuple[Frame, ...]:
        """All frames up to now; the first is the start."""
        return tuple(step.frame for each in self._rounds for step in each)

    @property
    def _step(self) -> Step:
        return self._rounds[-1][-1]

    @property
    def _ready(self) -> Step:
        """The step that the person goes on from; raises ``UsageError`` before it is answered."""
        if self._waits:
            raise UsageError(f"{self.facts.certificate_player}'s answer is still to come")
        return self._step

    @property
    def waits(self) -> bool:
        """True if the answer to the last ply is still to come."""
        return self._waits

    @property
    def frame(self) -> Frame:
        """The current frame."""
        return self._step.frame

    @property
    def board(self) -> Board | None:
        """The board of the current frame, decoded from the formula's state variables."""
        return self.frame.board

    @property
    def outcome(self) -> MatchOutcome | None:
        """The result, or ``None`` while the play goes on."""
        return self.frame.outcome

    @property
    def over(self) -> bool:
        """True if the play has ended."""
        return self.outcome is not None

    @property
    def to_move(self) -> Player | None:
        """The person's side while the play goes on, ``None`` when it is over."""
        return None if self.over else self.person

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings of the play so far, in the order in which they were seen."""
        return tuple(finding for frame in self.frames for finding in frame.findings)

    @property
    def values(self) -> tuple[NamedValue, ...]:
        """The named variables and gates at the current step."""
        return self.frame.values

    # Moves

    def legal_moves(self) -> Sequence[MatchMove]:
        """The person's legal moves now, in a fixed order; empty when the play is over."""
        return () if self.over or self._waits else self._engine.legal(self._step)

    def parse_move(self, text: str) -> MatchMove:
        """The move that ``text`` names, legal or not.

        Raises ``MalformedMoveError`` (quotes the text and says what a move looks like),
        ``AmbiguousMoveError``.
        """
        return self._engine.parse(self._ready, text)

    def why_not(self, move: MatchMove) -> WhyNot | None:
        """The reasons why ``move`` is illegal now; ``None`` if formula and rules accept it."""
        return self._engine.why_not(self._ready, move)

    def touched(self, move: MatchMove) -> tuple[SquareXY, ...]:
        """The squares whose content a legal ``move`` changes; empty in the game of blocks."""
        return self._engine.touched(self._step, move)

    def moves_at(self, square: SquareXY) -> tuple[MatchMove, ...]:
        """The moves, legal or not, that a person may mean by ``square``: one for each action."""
        return self._engine.at(self._ready, square)

    def hint(self) -> Hint | None:
        """A suggestion for the person; ``None`` when the play is over or nothing is known."""
        return None if self.over else self._engine.hint(self._ready)

    def can_claim(self) -> bool:
        """True if ``push(…, claim=True)`` is possible now: the ply has a game-stop variable."""
        return not self._waits and self._engine.can_claim(self._step)

    @property
    def only_move(self) -> MatchMove | None:
        """The person's move where there is just one legal one, such as waiting; else ``None``."""
        moves = self.legal_moves()
        return moves[0] if len(moves) == 1 else None

    def random_move(self, generator: random.Random) -> MatchMove | None:
        """A legal move chosen by ``generator``; ``None`` when there is none."""
        return None if self.over else self._engine.random(self._ready, generator)

    # Playing

    def push(
        self, move: MatchMove | str, *, force: bool = False, claim: bool = False
    ) -> tuple[Frame, ...]:
        """Play the person's ``move`` and the answer, unless that comes apart; the new frames.

        An illegal move raises :class:`RefusedMoveError` and changes nothing, unless ``force``
        ("let it happen"): then it goes into the formula as it stands, its frame has
        ``illegal`` set, and the rules are no longer followed.  ``claim`` sets the person's
        game-stop variable: the play ends and the verdict says whether the goal is reached.
        Raises ``UsageError`` when the play is over, or there is no such variable.  Where the
        answer fails, nothing was played.
        """
        if self.over:
            raise UsageError("the play is over: undo or restart to go on")
        chosen = self.parse_move(move) if isinstance(move, str) else move
        why = self.why_not(chosen)
        if why is not None and not force:
            raise RefusedMoveError(why)
        self._rounds.append((self._engine.push(self._ready, chosen, why, claim=claim),))
        self._waits = True
        if self.task is None:
            try:
                self.answer()
            except BaseException:
                self.undo()
                raise
        return tuple(step.frame for step in self._rounds[-1])

    def answer(self) -> tuple[Frame, ...]:
        """The new frames of the answer to the last ply; none where it was answered before.

        Raises what the engine raises: the answer is then still to come, or :meth:`undo` takes the
        person's ply back.
        """
        if not self._waits:
            return ()
        last = self._step
        self._rounds[-1] = answered(self._engine, last)
        self._waits = False
        self._undone.clear()
        return tuple(step.frame for step in self._rounds[-1] if step is not last)

    @property
    def can_undo(self) -> bool:
        """True if there is a round to take back."""
        return len(self._rounds) > 1

    @property
    def can_redo(self) -> bool:
        """True if a round was taken back and can be played again."""
        return bool(self._undone) and not self._waits

    def undo(self) -> bool:
        """Take back the last round; whether there was one.

        Of a round that was not answered nothing is kept.
        """
        if not self.can_undo:
            return False
        taken = self._rounds.pop()
        if not self._waits:
            self._undone.append(taken)
        self._waits = False
        return True

    def redo(self) -> bool:
        """Play the round that was last taken back again; whether there was one."""
        if not self._undone or self._waits:
            return False
        self._rounds.append(self._undone.pop())
        return True

    def restart(self) -> None:
        """Go back to the start; what was played can be redone round by round."""
        while self.undo():
            pass

    # Transcripts

    def transcript(self) -> Transcript:
        """The play so far; ``str`` is its text, :meth:`Transcript.parse` reads it back."""
        plies = tuple(
            TranscriptPly(f.ply, f.player, _text(f.move), f.illegal is not None, f.stopped)
            for f in self.frames
            if f.player is not None
        )
        outcome = self.outcome
        return Transcript(
            title=self.facts.title,
            person=self.person,
            plies=plies,
            result=None if outcome is None else outcome.text,
        )

    def load(self, transcript: Transcript) -> None:
        """Replay ``transcript`` from the start.

        Raises ``InputError`` when it does not fit: another side, a move that cannot be read or
        is illegal (and not marked as let happen), or another answer of the certificate.  The
        play is then as it was before.
        """
        if transcript.person is not self.person:
            found = f"a play in which the person is {transcript.person}"
            expected = f"one in which the person is {self.person}"
            raise InputError(transcript.path, None, None, found, expected)
        kept = (list(self._rounds), list(self._undone), self._waits)
        try:
            self.restart()
            self.answer()
            self._replay(transcript)
        except Exception:
            self._rounds, self._undone, self._waits = kept
            raise
        self._undone.clear()

    def _replay(self, transcript: Transcript) -> None:
        for ply in transcript.plies:
            chosen = not self.over and self.mover is ply.player and self.frame.ply < ply.ply
            if ply.player is self.person or chosen:
                self._replay_person(transcript, ply)
            else:
                self._compare_answer(transcript, ply)

    def _replay_person(self, transcript: Transcript, ply: TranscriptPly) -> None:
        try:
            self.push(ply.move, force=ply.illegal, claim=ply.stopped)
            self.answer()
        except (AmbiguousMoveError, IllegalMoveError, MalformedMoveError, UsageError) as error:
            found = f"{ply.move!r} ({error})"
            raise InputError(transcript.path, ply.line, None, found, "a legal move") from error

    def _compare_answer(self, transcript: Transcript, ply: TranscriptPly) -> None:
        shown = next((f for f in self.frames if f.ply == ply.ply), None)
        if shown is None or _text(shown.move) != ply.move:
            answer = "no move" if shown is None else _text(shown.move)
            found = f"{ply.player} {ply.move} at ply {ply.ply}"
            expected = f"{answer}, which is how this {self.facts.answers} answers"
            raise InputError(transcript.path, ply.line, None, found, expected)


def _text(move: MatchMove | None) -> str:
    """The move as transcripts show it; a reply that is no move is a question mark."""
    return "?" if move is None else str(move)
