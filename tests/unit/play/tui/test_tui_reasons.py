"""The pane of reasons: what several actions share is told once."""

from __future__ import annotations

from qsage_validate.arena.frame import by_reason
from qsage_validate.games.protocol import Square
from qsage_validate.play.tui.model import requests
from qsage_validate.play.tui.panes import _why
from tests.support.plays import BREAKTHROUGH, match_for


def test_a_reason_that_all_actions_share_is_told_once() -> None:
    match = match_for(BREAKTHROUGH)
    board = match.board
    assert board is not None
    squares = [(x, y) for y in range(1, board.height + 1) for x in range(1, board.width + 1)]
    others = next(s for s in reversed(squares) if board[s] is Square.BLACK)
    answer = requests.explain_square(match, others)
    assert isinstance(answer, requests.Explained)
    group = max(by_reason(answer.whys), key=len)
    assert len(group) > 1
    first = group[0].illegality
    assert first is not None
    (block,) = [b for b in _why(answer).plain.split("\n\n") if str(group[0].move) in b]
    head, sentence, *rest = block.splitlines()
    assert head == ", ".join(str(why.move) for why in group) + " illegal"
    assert sentence == first.sentence
    assert any(line.startswith("rules    ") for line in rest)
    assert len(set(rest)) == len(rest)
    assert not any(line.startswith(f"rules    {group[0].move}") for line in rest)
