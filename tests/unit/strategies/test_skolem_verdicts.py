"""A verdict says "all values" only when it has looked at all of them."""

from __future__ import annotations

import pytest

from qsage_validate.arena.open import open_engine
from qsage_validate.play.match import PlayMatch
from qsage_validate.problems.load import Files, load
from qsage_validate.strategies import skolem
from qsage_validate.strategies.reader import LayoutMove
from tests.support.places import SAMPLES
from tests.support.plays import EL, certified, reader_for


def ended() -> PlayMatch:
    """A play of the sample in which White always makes the first legal move, to its end."""
    files = Files(str(SAMPLES / "tic.qcir"), str(SAMPLES / "tic.aig"))
    match = PlayMatch(open_engine(load(files)))
    while not match.over:
        match.push(match.legal_moves()[0])
    return match


def test_all_values_are_looked_at_where_they_are_few() -> None:
    outcome = ended().outcome
    assert outcome is not None
    assert outcome.promised is True
    assert outcome.verdict_note == "under all 16 values of the symbolic position"


def test_a_part_of_them_is_not_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skolem, "_MOST_GOALS", 4)
    outcome = ended().outcome
    assert outcome is not None
    assert outcome.verdict is True
    assert "all" not in outcome.verdict_note
    assert outcome.verdict_note.startswith("under 4 values of ")


def test_values_drawn_twice_are_one() -> None:
    drawn = [{3: True, 5: False}, {3: False, 5: False}, {3: True, 5: False}]
    assert skolem._distinct(drawn) == drawn[:2]


@pytest.mark.parametrize("claimed", [(), (2,), (4,), (2, 4)])
def test_one_claim_of_several_makes_whites_goal_matter(claimed: tuple[int, ...]) -> None:
    made = certified(EL)
    reader = reader_for(made.encoding, made.certificate)
    assert isinstance(reader, skolem.SkolemReader)
    play = reader.start()
    for ply in range(1, 6):
        if ply % 2:
            (answer,) = reader.answers([play])
            play = reader.with_answer(play, answer)
        else:
            play = reader.with_move(
                play, LayoutMove.on_grid("occupy", 3, ply // 2), stop=ply in claimed
            )
    goals, position = made.encoding.layout.goals, made.encoding.layout.state.position
    own = (*goals.white_condition, *goals.white_x, *goals.white_y)
    assert reader.rest(play) == [*position, *(own if claimed else ())]
    (reading,) = reader.verdicts([play])
    assert ("White's goal" in reading.note) is bool(claimed)
