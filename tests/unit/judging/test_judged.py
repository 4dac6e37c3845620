"""Formulas without a layout: a difference under a reading that may be wrong refutes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Undecided
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.games.bddl.language import BDDL
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.judging import judged, readings
from qsage_validate.judging.judged import judge_formula, judge_found
from qsage_validate.judging.python_rules import GameValues
from qsage_validate.judging.readings import Standing, find_layout
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.finding import Claimed, Proved, Refuted
from qsage_validate.validation.proofs import LevelAnswer
from research.benchmarks.models import Case
from tests.support.qbf_truth import qbf_truth
from tests.support.scrambled import Claiming, numbered

LOST = Claiming(("a1", "a2", "b1", "b2"), (frozenset({"a1", "a2"}),), 3)
WIDTH = 2


def game_of(claiming: Claiming, folder: Path) -> TwoPlayerGame:
    (folder / "claiming.pg").write_text(claiming.pg())
    return load_game(find_command([str(folder / "claiming.pg")]))


def universal_first(formula: Qbf) -> Qbf:
    """The formula with Black's first block universal."""
    first, *rest = formula.scopes
    return replace(formula, scopes=(Scope(Quantifier.FORALL, first.variables), *rest))


def with_idle_plies(formula: Qbf) -> Qbf:
    """The formula with a ply of White's and of Black's that no gate reads, behind the others."""
    free = max(formula.gates, default=0) + 1
    idle = [tuple(range(free + k * WIDTH, free + (k + 1) * WIDTH)) for k in range(2)]
    scopes = (Scope(Quantifier.FORALL, idle[0]), Scope(Quantifier.EXISTS, idle[1]))
    return replace(formula, scopes=(*formula.scopes, *scopes))


def test_another_block_for_a_universal_first_ply_refutes_nothing(tmp_path: Path) -> None:
    """The value of each position is the game's: White wins them all, whoever chooses at first."""
    formula, game = with_idle_plies(universal_first(numbered(LOST))), game_of(LOST, tmp_path)
    values = GameValues.of_game(game)
    numbers = {move: number for number, move in enumerate(LOST.positions)}
    assert qbf_truth(formula) is values.value(())
    for move, number in numbers.items():
        fixed = {1: bool(number & 2), 2: bool(number & 1)}
        assert qbf_truth(residual(formula, fixed)) is values.value((move,))
    answer = judge_formula(formula, game)
    assert not isinstance(answer.verdict, Refuted), str(answer.verdict)


def test_a_block_that_is_passed_over_leaves_a_dead_formula_undecided(tmp_path: Path) -> None:
    formula, game = universal_first(numbered(LOST, dummy=True)), game_of(LOST, tmp_path)
    found = find_layout(formula, game)
    assert found.standing is Standing.BEST
    answer = judge_found(formula, found)
    assert isinstance(answer.verdict, Undecided)
    assert "variables 1, 2 could be a move too" in answer.verdict.reason
    assert "plays agree with moves as numbers in the game's order" in answer.verdict.reason


def test_a_doubt_about_the_reading_leaves_a_difference_undecided(tmp_path: Path) -> None:
    game = game_of(LOST, tmp_path)
    found = find_layout(numbered(LOST), game)
    wrong = numbered(LOST, wrong=lambda circuit, chosen: -chosen[0]["a1"])
    alone = judge_found(wrong, replace(found, answer=None, also=(), doubt=""))
    assert isinstance(alone.verdict, Refuted)
    assert "(with moves as numbers in the game's order" in alone.verdict.findings[0].text
    assert alone.answer.evidence == {"any reading": False, "rests on": found.why}
    whatever = replace(found, answer=None, also=(), standing=Standing.ANY, why="it is false")
    every = judge_found(wrong, whatever)
    assert isinstance(every.verdict, Refuted)
    assert every.verdict.findings[0].text.endswith("(it is false)")
    assert every.answer.evidence["any reading"] is True
    rival = judge_found(wrong, replace(found, answer=None, also=(), doubt="another reading agrees"))
    assert isinstance(rival.verdict, Undecided)


def test_what_the_search_has_judged_is_not_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    formula, game = numbered(LOST), game_of(LOST, tmp_path)
    found = find_layout(formula, game)
    answer = judge_found(formula, found).answer
    assert isinstance(answer.verdict, Proved)

    def never(*words: object, **options: object) -> None:
        raise AssertionError("judged again")

    monkeypatch.setattr(judged, "judge", never)
    assert judge_found(formula, replace(found, answer=answer)).answer is answer


def test_one_of_several_readings_that_fit_is_proved(shared_data: Path) -> None:
    """Another encoder's formula that several readings fit, of which one is right."""
    folder = shared_data / "strangers" / "grid"
    if not folder.is_dir():
        pytest.skip("the shared data has no strangers")
    formula = parse_qcir((folder / "bwnib_3x3_3_el.qcir").read_text())
    files = [str(folder / f"3x3_3_el.{part}.ig") for part in ("domain", "problem")]
    game = load_game(BDDL.read(files, {}))
    found = find_layout(formula, game, deadline=Deadline.after(600))
    answer = judge_found(formula, found, deadline=Deadline.after(600))
    assert isinstance(answer.verdict, Proved), str(answer.verdict)
    assert found.answer is not None
    assert isinstance(found.answer.verdict, Proved | Claimed), "the search judged one of them"


def test_a_solvers_word_of_the_search_is_confirmed(tmp_path: Path) -> None:
    """The search judges in seconds; a busy machine left it with a word where there was time."""
    formula, game = numbered(LOST), game_of(LOST, tmp_path)
    found = replace(find_layout(formula, game), answer=LevelAnswer(Claimed("by a solver's word")))
    assert isinstance(judge_found(formula, found).verdict, Proved)


@pytest.mark.parametrize("guard", ["goals", "plays"])
def test_a_board_alone_refutes_nothing(guard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """White's goal is left out.  With squares in another order the board would be the same.

    Either guard will do here: that White's goal is not claimed, and that plays disagree.
    """
    if guard == "goals":
        monkeypatch.setattr(readings, "_BOARD_PLAYS", 0)
    else:
        monkeypatch.setattr(readings._ReadingSearch, "_tells_goals", lambda *_: True)
    model = Case("connect", "connect-c --connect 2 --size 3x2 --depth 5").model()
    problem = replace(model.problem, white_goals=())
    formula, game = encode(replace(model, problem=problem)).qbf, BddlGame(model)
    found = find_layout(formula, game)
    assert found.standing is Standing.OPEN
    assert isinstance(judge_found(formula, found).verdict, Undecided)
    assert isinstance(judge_formula(encode(model).qbf, game).verdict, Proved)
