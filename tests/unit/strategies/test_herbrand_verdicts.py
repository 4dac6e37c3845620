"""A verdict against a Herbrand certificate takes Black's moves as given, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.strategies.reader import Assignment, CertificateReader, LayoutMove
from tests.support.plays import HELD, certified, reader_for, with_function
from tests.support.plies import indicators_of


def played(reader: CertificateReader, *moves: tuple[int, int]) -> Assignment:
    """The play of Black's moves, with White's replies between them."""
    play = reader.start()
    for ply in range(1, 4):
        if ply % 2:
            x, y = moves[ply // 2]
            play = reader.with_move(play, LayoutMove.on_grid("occupy", x, y))
        else:
            (answer,) = reader.answers([play])
            play = reader.with_answer(play, answer)
    return play


def test_goals_states_and_indicators_are_looked_for() -> None:
    """Whatever a play says of them: a broken promise is seen all the same."""
    made = certified(HELD)
    layout, certificate = made.encoding.layout, made.certificate
    # White's reply is always the first square, which is taken.
    for literal in layout.moves[1].variables:
        certificate = with_function(certificate, abs(literal), 0)
    reader = reader_for(made.encoding, certificate)
    play = played(reader, (1, 1), (2, 1))
    (expected,) = reader.verdicts([play])
    assert expected.value is True
    ((_, indicators),) = indicators_of(layout)
    others = (
        *indicators.literals,
        *layout.goals.black_condition,
        *layout.goals.black_x,
        *layout.state.literals,
    )
    for variable in map(abs, others):
        for value in (False, True):
            told = replace(play, choice={**play.choice, variable: value})
            assert reader.verdicts([told]) == [expected], variable
