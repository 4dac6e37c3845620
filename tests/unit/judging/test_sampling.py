"""Positions that are drawn: none is wrong of a right formula, and faults are found."""

from __future__ import annotations

import pytest

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Exit
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.judging import encoding
from qsage_validate.judging.judged import judge_formula
from qsage_validate.judging.positions import PlayDifference, Positions, SearchTally, sample
from qsage_validate.judging.python_rules import GameValues, simulator_of
from qsage_validate.judging.sandwich import Scripts
from qsage_validate.kernel.claims import ClaimsTimeoutError
from qsage_validate.system.limits import NEVER
from qsage_validate.validation.finding import Proved, Refuted, Sampled, Verdict
from tests.support.places import SAMPLES
from tests.support.readers import read_qcir


def _puzzle() -> tuple[TwoPlayerGame, Layout]:
    game = load_game(find_command([str(SAMPLES / "puzzle.pg")]))
    layout = judge_formula(read_qcir(SAMPLES / "puzzle.qcir"), game).layout
    assert layout is not None
    return game, layout


def _positions(name: str) -> Positions:
    game, layout = _puzzle()
    return Positions(read_qcir(SAMPLES / name), layout, GameValues.of_game(game))


def test_positions_of_both_winners_are_drawn_and_none_twice() -> None:
    """6 moves, 5 and 4: 157 positions."""
    drawn = sample(_positions("puzzle.qcir"), NEVER)
    assert not drawn.differences
    assert min(drawn.black, drawn.white) > 5
    assert 40 < drawn.positions <= 1 + 6 + 30 + 120
    assert drawn.white <= 20 + 2 * drawn.black + 1


def test_plays_that_are_known_are_left_out() -> None:
    assert sample(_positions("puzzle.qcir"), NEVER, beyond=3).positions == 0


def test_a_fault_is_found_and_is_one() -> None:
    positions = _positions("puzzle-wrong.qcir")
    (found,) = sample(positions, NEVER).differences
    game, _ = _puzzle()
    assert GameValues(simulator_of(game)).value(found.moves) is found.game
    values = positions.codes.of_play(found.moves)
    assert positions.residuals.value(values, len(found.moves)) is found.formula
    assert found.formula is not found.game


def _large() -> tuple[Qbf, Layout, TwoPlayerGame]:
    model = harary_model("el", 4, 4, maker_breaker=True, plies=9)
    encoded = encode(model, "sn-httt")
    return encoded.qbf, encoded.layout, load_game(model)


def test_a_large_game_without_a_proof_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proof on whole scripts is tried; there are millions of positions."""
    monkeypatch.setattr(encoding._Judgement, "_half", lambda *_: [])
    formula, layout, game = _large()
    verdict = encoding.judge(formula, layout, game, patience=6.0).verdict
    assert isinstance(verdict, Sampled), str(verdict)
    assert verdict.exit_code is Exit.UNDECIDED
    assert "positions drawn at random and from both players' strategies" in str(verdict)
    assert str(verdict).startswith("no fault found in ")


def test_a_late_fault_of_a_large_game_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The output is denied: each position is wrong, and a late one is known first."""
    monkeypatch.setattr(encoding._Judgement, "_half", lambda *_: [])
    monkeypatch.setattr(Positions, "search", lambda *_, **__: SearchTally())
    formula, layout, game = _large()
    wrong = Qbf(formula.scopes, formula.gates, -formula.output)
    verdict = encoding.judge(wrong, layout, game, patience=6.0).verdict
    assert isinstance(verdict, Refuted), str(verdict)
    moves = verdict.findings[0].moves
    wins = GameValues(simulator_of(game)).value(moves)
    assert ("and Black wins" in verdict.findings[0].text) is wins


def test_a_difference_along_a_play_is_kept_where_more_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The search for more found none in time, and the known one was forgotten."""
    known = PlayDifference((), True, False)
    monkeypatch.setattr(encoding._Judgement, "_half", lambda *_: [])
    monkeypatch.setattr(Positions, "along", lambda *_: [known])
    monkeypatch.setattr(Positions, "search", lambda *_, **__: SearchTally())
    monkeypatch.setattr(Positions, "confirmed", lambda _, difference, __: difference)
    formula, layout, game = _large()
    judged = encoding.judge(formula, layout, game, patience=1.0, most_differences=3, cores=False)
    assert isinstance(judged.verdict, Refuted), str(judged.verdict)


@pytest.mark.parametrize(("name", "kind"), [("puzzle", Proved), ("puzzle-wrong", Refuted)])
def test_positions_decide_where_scripts_take_too_long(
    name: str, kind: type[Verdict], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was undecided once, whatever positions would have said."""

    def too_long(*_: object, **__: object) -> None:
        raise ClaimsTimeoutError(0)

    monkeypatch.setattr(Scripts, "failure", too_long)
    game, layout = _puzzle()
    verdict = encoding.judge(read_qcir(SAMPLES / f"{name}.qcir"), layout, game).verdict
    assert isinstance(verdict, kind), str(verdict)
