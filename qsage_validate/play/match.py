"""A play with its history: every interface works on one.

A *round* is what one move of the person adds: the person's ply and the answers.  What is played
after an earlier round branches off from it; nothing that was played is lost.

:class:`PlayMatch` is what every interface talks to: it holds the play so far, takes the person's
moves, has them answered by its engine, and can go back and forth.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn, TypeVar

from qsage_validate.arena.board_engine import Engine, Facts, answered
from qsage_validate.arena.frame import (
    Frame,
    FrameValue,
    Hint,
    MatchMove,
    MatchOutcome,
    Pairs,
    SquareXY,
    WhyNot,
)
from qsage_validate.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    UsageError,
    counted,
)
from qsage_validate.games.protocol import BoardPicture, Player

if TYPE_CHECKING:
    from qsage_validate.arena.lesson import Lesson, MoveComparison, Teacher
    from qsage_validate.arena.program import PlayedProgram
    from qsage_validate.play.picking import Picks
    from qsage_validate.system.limits import Deadline
    from qsage_validate.system.task import Task
    from qsage_validate.validation.finding import Finding


# The history of a play: the tree of all rounds that were played, and the place in it


class Round:
    """A round and those that were played after it; ``number`` counts the rounds of a history.

    ``frames`` are those of its plies (at the start: the start first).
    ``onward`` is the one of ``children`` that was visited last.  The first round of a history
    begins with the start.
    """

    __slots__ = ("children", "frames", "number", "onward", "parent")

    def __init__(self, number: int, parent: Round | None, frames: tuple[Frame, ...]) -> None:
        self.number = number
        self.parent = parent
        self.frames = frames
        self.children: list[Round] = []
        self.onward: Round | None = None

    @property
    def path(self) -> tuple[Round, ...]:
        rounds = [self]
        while (parent := rounds[-1].parent) is not None:
            rounds.append(parent)
        return tuple(reversed(rounds))

    @property
    def ahead(self) -> tuple[Round, ...]:
        """The rounds after this one that were visited last, up to an end."""
        rounds = [self]
        while (onward := rounds[-1].onward) is not None:
            rounds.append(onward)
        return tuple(rounds[1:])

    @property
    def others(self) -> tuple[Round, ...]:
        """The other rounds that were played instead of this one, in the order of their numbers."""
        if self.parent is None:
            return ()
        return tuple(each for each in self.parent.children if each is not self)


class History:
    """The rounds of a play, and ``here``, the one that the board shows."""

    def __init__(self, frames: tuple[Frame, ...]) -> None:
        self.root = self.here = Round(0, None, frames)
        self._rounds = {0: self.root}
        self._numbers = 1

    def copy(self) -> History:
        """The same tree with the same place in it; frames are frozen and shared."""
        copied = History(self.root.frames)
        rounds = {0: copied.root}
        for number, each in self._rounds.items():
            if each.parent is not None:
                rounds[number] = Round(number, rounds[each.parent.number], each.frames)
        for number, each in self._rounds.items():
            rounds[number].children = [rounds[child.number] for child in each.children]
            rounds[number].onward = None if each.onward is None else rounds[each.onward.number]
        copied._rounds, copied._numbers = rounds, self._numbers
        copied.here = rounds[self.here.number]
        return copied

    def add(self, frames: tuple[Frame, ...]) -> None:
        new = Round(self._numbers, self.here, frames)
        self._numbers += 1
        self._rounds[new.number] = new
        self.here.children.append(new)
        self.go(new)

    def drop(self) -> None:
        """Take the round that the board shows out of the tree, and go back; the start stays."""
        gone, parent = self.here, self.here.parent
        if parent is None:
            return
        parent.children.remove(gone)
        parent.onward = parent.children[-1] if parent.children else None
        del self._rounds[gone.number]
        self.go(parent)

    def go(self, there: Round) -> None:
        """Have the board show a round of the tree."""
        for parent, each in pairwise(there.path):
            parent.onward = each
        self.here = there

    def find(self, number: int) -> Round | None:
        """The round with a number; ``None`` where there is none."""
        return self._rounds.get(number)

    def tried(self, move: MatchMove, *, claim: bool) -> Round | None:
        """The round that began with ``move`` here before, claiming the goal or not."""
        for each in self.here.children:
            first = each.frames[0]
            if first.move == move and first.stopped is claim:
                return each
        return None

    @property
    def line(self) -> tuple[Round, ...]:
        """The rounds up to the board, and those after it that were visited last."""
        return (*self.here.path, *self.here.ahead)

    @property
    def branches(self) -> int:
        """The number of rounds beside the line on the board."""
        return len(self._rounds) - len(self.line)

    def __repr__(self) -> str:
        return f"<History of {counted(len(self._rounds), 'round')}>"


# A play between a person and whatever answers, with its history


_MOST_ASKED = 128

M = TypeVar("M", bound="PlayMatch")


class RefusedMoveError(IllegalMoveError):
    """The move is illegal here; :attr:`why` says why.  ``push(move, force=True)`` plays it."""

    def __init__(self, why: WhyNot) -> None:
        self.why = why
        super().__init__(str(why))


class PlayMatch:
    """A play against what answers in ``engine``, with its history.

    The engine makes its own plies: after construction and after each :meth:`push`, either the
    person is to move or the play is over.  A *round* is what one push adds: the person's ply and
    the answer.  A move after an earlier round branches: ``history`` has all rounds as a tree.
    With a ``task`` answers may take long, and come apart: :meth:`answer` is called for them, and
    the task tells how far it is and calls it off.
    """

    def __init__(
        self,
        engine: Engine,
        task: Task | None = None,
        *,
        teacher: Callable[[], Teacher | None] | None = None,
        program: PlayedProgram | None = None,
    ) -> None:
        """``teacher`` makes the teacher of these plays, when it is first asked.

        ``program`` is what the replies come from, where that is known.
        """
        self._engine = engine
        self._make_teacher = teacher
        self.program = program
        self.task = task
        self.history = History((engine.start(),))
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
        """The side whose moves :meth:`push` takes."""
        return self.facts.person

    @property
    def mover(self) -> Player:
        """Whose ply the person makes next.

        The certificate's, where it may make any legal move: the person chooses that then.
        """
        return self._engine.mover(self.frame)

    @cached_property
    def teacher(self) -> Teacher | None:
        """The teacher of these plays; ``None`` where there is none."""
        return None if self._make_teacher is None else self._make_teacher()

    @property
    def may_teach(self) -> bool:
        """True if a teacher can be asked for, which may take long."""
        return self._make_teacher is not None

    def lesson(self, deadline: Deadline | None = None) -> Lesson:
        """The lesson of this moment: how long each move lasts, what threatens, and why.

        Raises ``UsageError`` for plays without a teacher, as those of blocks.
        """
        return self._taught.lesson(self.frames, deadline)

    def compare(self, move: str, deadline: Deadline | None = None) -> MoveComparison:
        """Try another move in the place of the last reply, by a search on the rules.

        Raises ``UsageError`` where the rules are not known, or there is no such move.
        """
        return self._taught.compare(self.frames, move, deadline)

    @property
    def _taught(self) -> Teacher:
        if self.teacher is None:
            raise UsageError("found a play without a board or rules, expected one to learn from")
        return self.teacher

    def pairs(self, frame: Frame) -> Pairs | None:
        """The pairs by which White could block from a frame on; ``None`` where none are known."""
        return self._engine.pairs(frame)

    # The play so far

    def copy(self: M) -> M:
        """A play of its own that stands where this one does, with its history and no task."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.task, copied.history = None, self.history.copy()
        return copied

    def __copy__(self: M) -> M:
        return self.copy()

    def __deepcopy__(self: M, memo: object) -> M:
        return self.copy()

    def __reduce__(self) -> NoReturn:
        raise UsageError(
            "a play cannot be pickled: save(PATH) writes it, and replay(PATH) plays it again"
        )

    @property
    def frames(self) -> tuple[Frame, ...]:
        """All frames up to now; the first is the start."""
        return tuple(frame for each in self.history.here.path for frame in each.frames)

    @property
    def ahead(self) -> tuple[Frame, ...]:
        """The frames after these in the line that was visited last: what redo plays again."""
        return tuple(frame for each in self.history.here.ahead for frame in each.frames)

    @property
    def _ready(self) -> Frame:
        """The frame that the person goes on from; raises ``UsageError`` before it is answered."""
        if self._waits:
            raise UsageError(f"{self.facts.certificate_player}'s answer is still to come")
        return self.frame

    @property
    def waits(self) -> bool:
        """True if the answer to the last ply is still to come."""
        return self._waits

    @property
    def frame(self) -> Frame:
        """The frame of the play as it stands: of its last ply that was not taken back."""
        return self.history.here.frames[-1]

    @property
    def board(self) -> BoardPicture | None:
        """The board of the current frame, decoded from the formula's state variables."""
        return self.frame.board

    @property
    def outcome(self) -> MatchOutcome | None:
        """The result, or ``None`` while the play goes on."""
        return self.frame.outcome

    @property
    def over(self) -> bool:
        """True if the play has an :attr:`outcome`."""
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
    def values(self) -> tuple[FrameValue, ...]:
        """The named variables and gates at the current step."""
        return self.frame.values

    # Moves

    def legal_moves(self) -> Sequence[MatchMove]:
        """The person's legal moves now, in a fixed order; empty when the play is over."""
        return () if self.over or self._waits else self._engine.legal(self.frame)

    def parse_move(self, text: str) -> MatchMove:
        """The move that ``text`` names, legal or not.

        A legal move may be named by its squares too: ``b4``, ``b3-a2``, ``(2,3)-(1,2)``, and
        any may have a number before it: ``1.b4``.
        Raises ``MalformedMoveError`` (quotes the text and says what a move looks like),
        ``AmbiguousMoveError``.
        """
        try:
            return self._engine.parse(self._ready, text)
        except (MalformedMoveError, AmbiguousMoveError):
            from qsage_validate.problems.script_moves import unnumbered

            if (rest := unnumbered(text)) not in ("", text):
                return self.parse_move(rest)
            said = self.picks().said(text)
            if len(said) != 1:
                from qsage_validate.games.bddl.speech import check_squares

                check_squares(self._ready.board, text)
                raise
            return said[0]

    def picks(self) -> Picks:
        """The legal moves by the squares that they change."""
        from qsage_validate.play.picking import Picks, is_elsewhere

        legal = self.legal_moves()
        # Without rules the formula is asked about each move: too slow for very many.  They are
        # then picked by the square that they name.  A wait changes the answer to the move that
        # came before it.
        asked = self.facts.has_rules or len(legal) <= _MOST_ASKED
        asked = asked and not is_elsewhere(legal)
        touched = self.touched if asked else lambda move: ()
        return Picks.of(legal, touched, fall=self.facts.falls)

    def why_not(self, move: MatchMove) -> WhyNot | None:
        """The reasons why ``move`` is illegal now; ``None`` if formula and rules accept it."""
        return self._engine.why_not(self._ready, move)

    def touched(self, move: MatchMove) -> tuple[SquareXY, ...]:
        """The squares whose content a legal ``move`` changes; empty in the game of blocks."""
        return self._engine.touched(self.frame, move)

    def moves_at(self, square: SquareXY) -> tuple[MatchMove, ...]:
        """The moves, legal or not, that a person may mean by ``square``: one for each action."""
        return self._engine.at(self._ready, square)

    def hint(self) -> Hint | None:
        """A suggestion for the person; ``None`` when the play is over or nothing is known."""
        return None if self.over else self._engine.hint(self._ready)

    def can_claim(self) -> bool:
        """True if ``push(…, claim=True)`` is possible now: the ply has a game-stop variable."""
        return not self._waits and self._engine.can_claim(self.frame)

    @property
    def only_move(self) -> MatchMove | None:
        """The person's move where there is just one legal one, such as waiting; else ``None``."""
        moves = self.legal_moves()
        return moves[0] if len(moves) == 1 else None

    def random_move(self, generator: random.Random | None = None) -> MatchMove | None:
        """A legal move chosen by ``generator``, or anyhow; ``None`` when there is none."""
        return None if self.over else self._engine.random(self._ready, generator or random.Random())

    # Playing

    def push(
        self, move: MatchMove | str, *, force: bool = False, claim: bool = False
    ) -> tuple[Frame, ...]:
        """Play the person's ``move`` and the answer, unless that comes apart; the new frames.

        An illegal move raises :class:`RefusedMoveError` and changes nothing, unless ``force``
        ("let it happen"): then it goes into the formula as it stands, its frame has
        ``illegal`` set, and the rules are no longer followed.  ``claim`` sets the person's
        game-stop variable: the play ends and the verdict says whether the goal is reached.
        A move that was tried here before is not asked for again: the play goes on where it led.
        Raises ``UsageError`` when the play is over, or there is no such variable.  Where the
        answer fails, nothing was played.
        """
        if self.over:
            raise UsageError("the play is over: undo or restart to go on")
        chosen = self.parse_move(move) if isinstance(move, str) else move
        why = self.why_not(chosen)
        if why is not None and not force:
            raise RefusedMoveError(why)
        here = self._ready
        known = self.history.tried(chosen, claim=claim)
        if known is not None:
            self.history.go(known)
            return known.frames
        self.history.add((self._engine.push(here, chosen, why, claim=claim),))
        self._waits = True
        if self.task is None:
            try:
                self.answer()
            except BaseException:
                self.undo()
                raise
        return self.history.here.frames

    def answer(self) -> tuple[Frame, ...]:
        """The new frames of the answer to the last ply; none where it was answered before.

        Raises what the engine raises: the answer is then still to come, or :meth:`undo` takes the
        person's ply back.
        """
        if not self._waits:
            return ()
        last = self.frame
        self.history.here.frames = self._told(answered(self._engine, last))
        self._waits = False
        return tuple(frame for frame in self.history.here.frames if frame is not last)

    def _told(self, frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
        """The frames, the first of which goes on from now, with what the program says of them."""
        if self.program is None:
            return frames
        before, told = list(self.frames), list[Frame]()
        for frame in frames:
            if frame.ply <= before[-1].ply:
                before.pop()  # it is this frame, or takes its place
            elif frame.by_certificate:
                frame = self.program.told(before, frame)
            before.append(frame)
            told.append(frame)
        return tuple(told)

    @property
    def can_undo(self) -> bool:
        """True if there is a round to take back."""
        return self.history.here.parent is not None

    @property
    def can_redo(self) -> bool:
        """True if a round was taken back and can be played again."""
        return self.history.here.onward is not None and not self._waits

    def undo(self) -> bool:
        """Take back the last round; whether there was one.

        The move stays in the history; of a round that was not answered nothing is kept.
        """
        parent = self.history.here.parent
        if parent is None:
            return False
        if self._waits:
            self.history.drop()
        else:
            self.history.go(parent)
        self._waits = False
        return True

    def redo(self) -> bool:
        """Play the round again that was last visited from here; whether there was one."""
        onward = self.history.here.onward
        if onward is None or self._waits:
            return False
        self.history.go(onward)
        return True

    def restart(self) -> None:
        """Go back to the start; what was played can be redone round by round."""
        while self.undo():
            pass

    def go(self, number: int) -> None:
        """Go to the round with a number (:class:`~qsage_validate.play.match.Round`).

        A round that was not answered is taken back first.  Raises ``UsageError`` where there is no
        round with it.
        """
        there = self.history.find(number)
        if there is None:
            raise UsageError(f"found the round {number}, expected one of the history")
        if self._waits and there is not self.history.here:
            self.undo()
        self.history.go(there)

    @contextmanager
    def anew(self) -> Iterator[None]:
        """Inside, the play stands at its start, without a history; an error brings back both."""
        kept = (self.history, self._waits)
        waited = kept[1] and kept[0].here is kept[0].root
        self.history = History(kept[0].root.frames)
        try:
            self._waits = waited
            self.answer()
            yield
        except BaseException:  # an interrupt, too, leaves the play that was there
            self.history, self._waits = kept
            raise
