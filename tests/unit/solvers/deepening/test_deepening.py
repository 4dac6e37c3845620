"""Deepening finds the critical depth, says what it is not sure of, and goes on from a file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.errors import InputError, UsageError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import resolve_command
from qsage_validate.solvers.deepening import (
    Ask,
    DeepeningFile,
    DepthAnswer,
    deepen,
    deepen_by_search,
)
from qsage_validate.solvers.search import search_for
from qsage_validate.system.limits import Deadline, Limits
from tests.support.answer_files import resealed
from tests.support.minimax import minimax
from tests.support.wild_models import positional_models, wild_models


def game(words: str) -> Model:
    return resolve_command(words.split())


EL = game("httt --size 3x3 --shape el")


def asker(asked: list[int], *, unsure: int | None = None, lie: int | None = None) -> Ask:
    """Answers by minimax, and keeps what it was asked."""

    def ask(model: GameModel, _: Deadline) -> DepthAnswer:
        assert isinstance(model, Model)
        plies = model.problem.plies
        asked.append(plies)
        if plies == unsure:
            return DepthAnswer(plies, None, "minimax", 0.0, "the solver ran out of memory")
        truth = minimax(BddlGame(model)) is Player.BLACK
        return DepthAnswer(plies, truth != (plies == lie), "minimax", 0.0)

    return ask


@given(st.one_of(wild_models(max_side=2), positional_models()))
def test_asking_and_searching_agree(model: Model) -> None:
    asked: list[int] = []
    one = deepen(model, asker(asked), last=4)
    two = deepen_by_search(model, last=4)
    assert (one.critical, one.truth) == (two.critical, two.truth) or two.never
    assert asked == sorted(set(asked))
    if one.critical is not None:
        winners = [minimax(BddlGame(model.at_plies(k))) for k in range(1, one.critical + 1)]
        assert winners == [Player.WHITE] * (one.critical - 1) + [Player.BLACK]
    if two.never and one.truth is None:
        assert one.refuted is None or one.refuted <= 4


def test_only_odd_depths_are_asked_about() -> None:
    asked: list[int] = []
    found = deepen(EL, asker(asked))
    assert asked == [1, 3, 5]
    assert (found.critical, found.refuted, found.truth) == (5, 3, True)
    assert found.why == "Black wins within 5 plies and not in fewer"
    assert [answer.truth for answer in found.answers] == [False, False, True]


def test_depths_of_a_second_player_are_told_in_both_counts() -> None:
    model = game("breakthrough --size 2x4 --second")
    found = deepen_by_search(model)
    assert (found.critical, found.depth) == (8, 9)
    assert found.why == "Black wins within 8 plies (depth 9) and not in fewer"


def test_no_win_at_any_depth_is_an_answer_where_there_is_a_bound() -> None:
    fatty = game("httt --size 2x3 --shape fatty")
    asked: list[int] = []
    for found in (deepen(fatty, asker(asked)), deepen_by_search(fatty)):
        assert (found.truth, found.never, found.critical) == (False, True, None)
        assert found.why == "Black wins at no depth: the board is full after 6 plies"
    assert asked == [1, 3, 5]


def test_a_search_that_sees_it_all_needs_no_bound() -> None:
    found = deepen_by_search(game("breakthrough --size 2x4"))
    assert (found.truth, found.why) == (False, "Black does not win within any number of plies")


def test_no_depth_beyond_the_last_is_asked_about_and_nothing_is_claimed_of_it() -> None:
    tic = game("httt --size 4x4 --shape elly")
    asked: list[int] = []
    shallow = tuple(deepen(EL, asker(asked), last=4).why.split(" (", 1))
    assert asked == [1, 3]
    assert shallow == (
        "undecided: no greater depth was asked for",
        "Black does not win within 3 plies)",
    )
    found = deepen_by_search(tic, last=6)
    assert (found.truth, found.critical, found.refuted) == (None, None, 6)


def test_a_limit_keeps_what_is_known() -> None:
    found = deepen(EL, asker([], unsure=5))
    assert (found.truth, found.refuted) == (None, 3)
    expected = "undecided: the solver ran out of memory (Black does not win within 3 plies)"
    assert found.why == expected
    assert (
        deepen(EL, asker([]), deadline=Deadline.after(0)).why
        == "undecided: 0 seconds are over (nothing is known)"
    )
    hard = game("httt --size 6x6 --shape skinny")
    limited = deepen_by_search(hard, limits=Limits(positions=1000))
    assert limited.truth is None
    assert limited.why.startswith("undecided: 1,000 positions are in the table (Black does not")
    assert limited.why.count("(") == 1


def test_answers_that_contradict_each_other_are_an_error(tmp_path: Path) -> None:
    file = DeepeningFile(tmp_path / "s.json", EL)
    file.entries = [DepthAnswer(3, True, "one", 0.0), DepthAnswer(5, False, "two", 0.0)]
    with pytest.raises(UsageError, match=r"within 3 plies \(one\), none within 5 \(two\)"):
        deepen(EL, asker([]), file=file)


# --- The file --------------------------------------------------------------------------------


def test_a_run_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    first: list[int] = []
    assert deepen(EL, asker(first, unsure=5), file=DeepeningFile(path, EL)).truth is None
    assert first == [1, 3, 5]
    second: list[int] = []
    # The depth of the model that is asked about does not matter.
    other = EL.at_depth(7)
    found = deepen(other, asker(second), file=DeepeningFile(path, other))
    assert second == [5]
    assert (found.critical, found.refuted) == (5, 3)
    third: list[int] = []
    again = deepen(EL, asker(third), file=DeepeningFile(path, EL))
    assert third == []
    assert again.answers == found.answers
    assert deepen_by_search(EL, file=DeepeningFile(path, EL)).answers == found.answers


def test_two_runs_with_one_file_keep_the_answers_of_both(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    one, other = DeepeningFile(path, EL), DeepeningFile(path, EL)
    one.add(DepthAnswer(3, False, "one", 0.5))
    other.add(DepthAnswer(5, True, "other", 0.5))
    one.add(DepthAnswer(4, False, "one", 0.5))
    assert sorted(a.plies for a in DeepeningFile(path, EL).entries) == [3, 4, 5]


def test_a_search_keeps_what_it_found_out_on_the_way(tmp_path: Path) -> None:
    """Who wins at the last depth, and then each depth that is refuted."""
    path = tmp_path / "s.json"
    line = game("connect-c --size 4x4 --connect 3")
    assert deepen_by_search(line, last=5, file=DeepeningFile(path, line)).refuted == 5
    assert [(a.plies, a.truth) for a in DeepeningFile(path, line).entries] == [(5, False)]
    found = deepen_by_search(line, file=DeepeningFile(path, line))
    assert (found.critical, found.refuted) == (9, 8)
    kept = [(a.plies, a.truth) for a in DeepeningFile(path, line).entries]
    assert kept == [(5, False), (16, True), (6, False), (7, False), (8, False), (9, True)]


def test_the_winner_alone() -> None:
    line = game("connect-c --size 4x4 --connect 3")
    won = deepen_by_search(line, winner_only=True)
    assert (won.truth, won.critical, won.within) == (True, None, 16)
    assert won.why == "Black wins within 16 plies"
    assert won.first_move.startswith("occupyBottom")
    # On the full board of nine squares White cannot move: what is asked is who wins before.
    full = deepen_by_search(game("hex --size 3x3"), winner_only=True)
    assert (full.why, full.within) == ("Black wins within 9 plies", 9)
    lost = deepen_by_search(game("domineering --size 5x5"), winner_only=True)
    assert (lost.truth, lost.never, lost.within) == (False, True, None)
    open_ended = game("evader-pursuer --size 4x4")
    with pytest.raises(UsageError, match="of which no last depth is known"):
        deepen_by_search(open_ended, winner_only=True)
    assert deepen_by_search(open_ended, winner_only=True, last=3).within == 3


@pytest.mark.parametrize(
    "words",
    [
        "connect-c --size 3x3 --connect 3",
        "httt --size 3x3 --shape fatty",
        "hex --size 2x2 --second",
    ],
)
def test_white_who_cannot_move_on_the_full_board_has_lost(words: str) -> None:
    """Without --depth, with it, and by the formula: the same answer of each number of plies."""
    odd = game(words)
    found = deepen_by_search(odd)
    full = found.critical
    assert full is not None
    assert found.truth
    ends = ", when White has no legal move, and not in fewer"
    assert found.why.startswith(f"Black wins within {full} plies")
    assert found.why.endswith(ends)
    assert deepen(odd, asker([])).why == found.why
    alone = deepen_by_search(odd, winner_only=True)
    assert (alone.critical, alone.why) == (full, found.why)
    for plies in (full - 1, full, full + 1, full + 2):
        result = search_for(load_game(odd.at_depth(found.depths.depth(plies)))).solve()
        assert (result.winner is Player.BLACK) == (plies >= full)
        if plies >= full:
            assert result.critical_plies == full
            within = f"Black wins within {full} plies, when White has no legal move"
            assert result.reason == within


def test_a_question_that_takes_too_long_leaves_time_for_the_smaller_ones() -> None:
    hard = game("connect-c --size 6x6 --connect 4")
    found = deepen_by_search(hard, limits=Limits(positions=20_000))
    assert (found.truth, found.critical) == (None, None)
    assert found.refuted is not None
    assert found.refuted > 5


def test_each_answer_is_in_the_file_before_the_next_question(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    seen: list[int] = []

    def ask(model: GameModel, _: Deadline) -> DepthAnswer:
        assert isinstance(model, Model)
        seen.append(len(json.loads(path.read_text())["answers"]))
        if model.problem.plies == 5:
            raise KeyboardInterrupt
        return DepthAnswer(model.problem.plies, False, "nobody", 0.0)

    with pytest.raises(KeyboardInterrupt):
        deepen(EL, ask, file=DeepeningFile(path, EL))
    assert seen == [0, 1, 2]
    assert [p.name for p in tmp_path.iterdir()] == ["s.json"]


def test_the_fingerprint_is_of_the_game_not_of_its_depth() -> None:
    assert EL.fingerprint() == EL.at_depth(3).fingerprint() == replace(EL, name="x").fingerprint()
    others = [
        game(words)
        for words in ("httt --size 3x4 --shape el", "httt --size 3x3 --shape el --second")
    ]
    assert len({model.fingerprint() for model in (EL, *others)}) == 3


GOOD = {"plies": 3, "truth": False, "by": "search", "seconds": 0.5}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"format": "qsage deepening 0"}, "1:12: found 'qsage deepening 0'"),
        ({"model": "0"}, "1:65: found answers about another game (httt 3x3 el)"),
        ({"answers": {}}, "1:144: found an object for 'answers', expected a list"),
        ({"answers": [{**GOOD, "truth": 1}]}, "1:167: found a number for 'truth'"),
        ({"answers": [{**GOOD, "plies": True}]}, "1:155: found a truth value for 'plies'"),
        ({"answers": [{**GOOD, "plies": -1}]}, "1:155: found '-1', expected a whole number"),
        (
            {"answers": [GOOD, {**GOOD, "plies": 2, "truth": True}]},
            "1:144: found a win within 2 plies and none",
        ),
    ],
)
def test_damaged_files_are_input_errors(
    tmp_path: Path, change: dict[str, object], found: str
) -> None:
    path = tmp_path / "s.json"
    DeepeningFile(path, EL).add(DepthAnswer(3, False, "search", 0.5))
    read = json.loads(path.read_text())
    path.write_text(json.dumps(resealed({**read, **change})))
    with pytest.raises(InputError) as error:
        DeepeningFile(path, EL)
    assert str(error.value).startswith(f"{path}:{found}")


def test_what_is_no_json_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{\n "format": }')
    with pytest.raises(InputError, match=r"s\.json:2:12: found no JSON"):
        DeepeningFile(path, EL)


def test_a_file_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a file that can be written"):
        DeepeningFile(tmp_path / "nowhere" / "s.json", EL)
