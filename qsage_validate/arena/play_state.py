"""Plays as formula and rules see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from qsage_validate.arena.frame import MatchOutcome
from qsage_validate.certificates.oracles.oracle import NoAnswerError
from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import BoardPicture, Position
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.strategies.readings import Assignment, BoardReading, LayoutMove, StrategyAnswer

if TYPE_CHECKING:
    from qsage_validate.validation.finding import Finding


@dataclass(frozen=True, slots=True)
class PlayState:
    """A play after some plies, as formula and rules see it.

    ``position`` is ``None`` without rules and from an illegal move on; ``illegal`` says that
    one was let happen; ``findings`` are those first seen in this state; ``stopped`` that the
    last ply claimed the goal; ``remark`` is a sentence about a reply that the formula lets be.
    ``replaced`` is such a reply while the legal move in its place is still to be chosen, and
    ``chosen`` says that the last ply was chosen so.  ``guessed`` are variables that the replies
    so far may depend on, and to which the play gives a value without knowing it.  ``broken`` are
    the numbers of assertions that some position so far has broken.
    """

    assignment: Assignment
    moves: tuple[str, ...] = ()
    position: Position | None = None
    reading: BoardReading = field(default_factory=lambda: BoardReading(None, {}))
    ending: MatchOutcome | None = None
    findings: tuple[Finding, ...] = ()
    illegal: bool = False
    stopped: bool = False
    last: LayoutMove | None = None
    known_differences: frozenset[object] = frozenset()
    remark: str = ""
    replaced: StrategyAnswer | None = None
    chosen: bool = False
    guessed: tuple[int, ...] = ()
    broken: frozenset[int] = frozenset()

    @property
    def board(self) -> BoardPicture | None:
        """The board as decoded from the formula."""
        return self.reading.board

    @property
    def shown_board(self) -> BoardPicture | None:
        """The decoded board, or the rules' board where the formula does not describe it."""
        if self.board is None and self.position is not None:
            return self.position.board
        return self.board

    @property
    def plies(self) -> int:
        return self.assignment.plies


def moved(
    state: PlayState, assignment: Assignment, move: LayoutMove | None, *, stopped: bool = False
) -> PlayState:
    """A play after one ply more, which ``?`` stands for where it is no move."""
    return replace(
        state,
        assignment=assignment,
        moves=(*state.moves, "?" if move is None else str(move)),
        findings=(),
        stopped=stopped,
        last=move,
        remark="",
        chosen=False,
    )


def resting_on(guessed: tuple[int, ...], findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings of a play that rests on guesses.

    That the matrix has the wrong value after such moves of the opponent's is no guess.
    """
    if not guessed:
        return tuple(findings)
    return tuple(
        f if f.kind is FindingKind.VERDICT_DIFFERS else replace(f, guessed=guessed)
        for f in findings
    )


def is_undecided(state: PlayState) -> bool:
    """True if a limit ended the play."""
    return state.ending is not None and state.ending.undecided


_Answer = TypeVar("_Answer")


def ask_each(
    ask: Callable[[Sequence[Assignment]], list[_Answer]], assignments: Sequence[Assignment]
) -> list[_Answer | NoAnswerError | UndecidedError]:
    """The answers to a batch; an error takes the place of an answer that failed."""
    try:
        return list(ask(assignments))
    except (NoAnswerError, UndecidedError) as error:
        if len(assignments) == 1:
            return [error]
    return [answer for assignment in assignments for answer in ask_each(ask, [assignment])]
