"""Findings: illegal moves and claims of a goal that the certificate should beat and does not."""

from __future__ import annotations

from qsage_validate.arena.conductor import Conductor
from qsage_validate.arena.play_state import PlayState
from qsage_validate.certificates.oracles.oracle import NoAnswerError
from qsage_validate.problems.script_moves import marked
from qsage_validate.strategies.readings import LayoutMove
from qsage_validate.validation.finding import Evidence, Finding, FindingKind


def broken_promise(conductor: Conductor, state: PlayState, move: LayoutMove) -> tuple[Finding, ...]:
    """The finding that the verdict is wrong when an illegal ``move`` is let happen in ``state``.

    After it the certificate has won, whatever follows: the rest of the opponent's variables is
    false here.  There is none where the verdict is right, or the certificate has no answer: that
    is a finding of its own when it is asked.
    """
    assignment = conductor.reader.with_move(state.assignment, move)
    try:
        (reading,) = conductor.reader.verdicts([assignment])
    except NoAnswerError:
        return ()
    if reading.value is not (not conductor.promised_verdict):
        return ()
    return (broken_by(conductor, state, move, "!", reading.note),)


def broken_when_stuck(conductor: Conductor, state: PlayState) -> tuple[Finding, ...]:
    """The first such finding of an opponent who has no legal move, in a play that has ended.

    The formula has more plies than the play: there any move of the opponent's is an illegal one.
    """
    if not conductor.is_stuck(state):
        return ()
    found = (broken_promise(conductor, state, move) for move in conductor.candidates(state))
    return next(filter(None, found), ())


def broken_by(
    conductor: Conductor, state: PlayState, move: LayoutMove, mark: str, note: str
) -> Finding:
    """The finding that the verdict is wrong after a move that is illegal or claims a goal.

    ``mark`` is how a script says so: ``!`` or ``!stop``.
    """
    literal = conductor.layout.verdict or 0
    names = frozenset(text for ply in conductor.layout.moves for text in ply.moves)
    what = "the illegal move" if mark == "!" else "a goal claimed with"
    return Finding(
        FindingKind.VERDICT_DIFFERS,
        state.plies + 1,
        f"after {what} {move} the verdict is not what was promised {note}".rstrip(),
        player=conductor.player.other,
        move=str(move),
        squares=() if move.square is None else (move.square,),
        evidence=(Evidence(literal, str(literal), not conductor.promised_verdict, "verdict"),),
        moves=(*state.moves, marked(str(move), mark, names)),
    )
