"""The steps of a play as pictures and texts show them, wherever the play comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qsage_validate.arena.frame import Frame, PlayState
from qsage_validate.errors import IllegalMoveError, MalformedMoveError
from qsage_validate.games.protocol import BoardPicture, Player, Position, TwoPlayerGame, said_move
from qsage_validate.strategies.reader import LayoutMove, SquareXY

if TYPE_CHECKING:
    from qsage_validate.render.svg import Marks


@dataclass(frozen=True, slots=True)
class RenderedStep:
    """A play after one ply (ply 0: the start, without player and move).

    ``remarks`` are sentences about this step: what is illegal or wrong in it; ``ending`` says
    who won and why, where the play is over.  ``rules_board`` is set where the rules' board is
    another one than ``board``.
    """

    ply: int
    player: Player | None
    move: str
    board: BoardPicture | None
    marks: Marks
    remarks: tuple[str, ...] = ()
    ending: str = ""
    rules_board: BoardPicture | None = None

    @property
    def caption(self) -> str:
        """``3. Black b2``."""
        return "Start" if self.player is None else f"{self.ply}. {self.player} {self.move}"


def steps_of_frames(frames: Iterable[Frame]) -> tuple[RenderedStep, ...]:
    steps: list[RenderedStep] = []
    before: BoardPicture | None = None
    for frame in frames:
        remarks = []
        if frame.board_by_rules:
            remarks.append("The formula does not describe this board; it is the rules' board.")
        if frame.illegal is not None:
            remarks.append(f"Let happen: {frame.illegal}")
        if frame.stopped:
            remarks.append(f"{frame.player} claims the goal.")
        remarks += frame.remarks
        remarks += [finding.text for finding in frame.findings]
        ending = "" if frame.outcome is None else frame.outcome.line
        last = frame.move.square if isinstance(frame.move, LayoutMove) else None
        rules = None if frame.position is None else frame.position.board
        move = "?" if frame.move is None and frame.player is not None else frame.said
        boards = (before, frame.board, rules)
        steps.append(_step(frame.ply, frame.player, move, boards, last, remarks, ending))
        before = frame.board
    return tuple(steps)


def steps_of_states(
    states: Iterable[PlayState], mover: Callable[[int], Player]
) -> tuple[RenderedStep, ...]:
    """The steps of a play that a play engine made; ``mover`` says who makes a ply (from 1)."""
    steps: list[RenderedStep] = []
    before: BoardPicture | None = None
    position: Position | None = None
    for state in states:
        player = mover(state.plies) if state.plies else None
        remarks = [finding.text for finding in state.findings]
        ending = ""
        if state.ending is not None:
            winner = state.ending.winner
            ending = ("" if winner is None else f"{winner} wins: ") + state.ending.reason
        board = state.shown_board
        last = state.last.square if isinstance(state.last, LayoutMove) else None
        rules = None if state.position is None else state.position.board
        move = state.moves[-1] if state.moves else ""
        move = move if position is None else said_move(position, move)
        boards = (before, board, rules)
        steps.append(_step(state.plies, player, move, boards, last, remarks, ending))
        before, position = board, state.position
    return tuple(steps)


def steps_by_rules(game: TwoPlayerGame, moves: Sequence[str]) -> tuple[RenderedStep, ...]:
    """The steps of a play by the rules alone, up to the first illegal move."""
    position = game.initial
    steps = [_step(0, None, "", (None, position.board, None), None, [])]
    for ply, text in enumerate(moves, start=1):
        player = game.player_at(ply)
        before = position.board
        try:
            move = position.named(text)
            position = position.play(move)
        except (IllegalMoveError, MalformedMoveError) as error:
            steps.append(_step(ply, player, text, (before, before, None), None, [str(error)]))
            return tuple(steps)
        outcome = position.outcome
        ending = "" if outcome is None else f"{outcome.winner} wins: {outcome.reason}"
        last = game.square_of(str(move))
        boards = (before, position.board, None)
        steps.append(_step(ply, player, game.say(move, player, before), boards, last, [], ending))
    return tuple(steps)


def _step(
    ply: int,
    player: Player | None,
    move: str,
    boards: tuple[BoardPicture | None, BoardPicture | None, BoardPicture | None],
    last: SquareXY | None,
    remarks: Sequence[str],
    ending: str = "",
) -> RenderedStep:
    from qsage_validate.render.svg import Marks

    before, board, rules = boards
    changed = [] if before is None or board is None else before.differences(board)
    wrong: list[SquareXY] = []
    if board is not None and rules is not None:
        # Only the rules know what a board looks like: state variables have no shape, no sides.
        board = replace(rules, squares=board.squares, pieces=board.pieces)
        wrong = board.differences(rules)
    if board is None or last is None or not _on(board, last):
        last = None
    elif changed and last not in changed:
        # A move may name another square than it changes: a column, in which a stone falls.
        last = changed[0] if len(changed) == 1 else None
    marks = Marks(tuple(changed), last, tuple(wrong))
    shown = rules if wrong else None
    return RenderedStep(ply, player, move, board, marks, tuple(remarks), ending, shown)


def _on(board: BoardPicture, square: SquareXY) -> bool:
    return 1 <= square[0] <= board.width and 1 <= square[1] <= board.height


def diagram(steps: Sequence[RenderedStep]) -> tuple[BoardPicture, Marks] | None:
    """A whole play in one board: its end, each square labelled with the ply that changed it.

    ``None`` for a play without boards.
    """
    from qsage_validate.render.svg import Marks

    boards = [(step, step.board) for step in steps if step.board is not None]
    if not boards:
        return None
    labels: dict[SquareXY, str] = {}
    for step, _ in boards:
        labels.update(dict.fromkeys(step.marks.changed, str(step.ply)))
    last, board = boards[-1]
    return board, Marks(wrong=last.marks.wrong, labels=labels)
