"""Games written in other languages have the same plays, and nothing else is called the same."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.comparing.compare import walk
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.conversion import Conversion, as_grid, conversion, converted
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.solvers.search import search_for
from tests.support.commands import run_qsage

GRIDS = [
    "httt --size 3x3 --shape el --depth 4",
    "httt --size 3x3 --shape tic --maker-breaker --second --depth 4",
    # White moves first, pieces are taken, and a player may be stuck.
    "breakthrough --size 2x4 --second --depth 7",
    "domineering --size 3x3 --depth 9",
    "konane --size 4x4 --depth 6",
    # Goals that hold at the beginning do not end a play of BDDL.
    "evader-pursuer --size 4x4 --pursuer 2,3 --depth 3",
    "connect-c --size 3x3 --connect 2 --depth 3",
]
PUZZLE = """\
#blackinitials
b1
#whiteinitials
a1
#times
t1 t2 t3
#blackturns
t1 t3
#positions
a1 a2 a3 b1 b2 b3
#blackwins
b1 a2 a3
a2 b2
a1 b3
a2 a3 b2 b3
#whitewins
a2 b2
"""


def model_of(words: str) -> Model:
    model = find_command(tuple(shlex.split(words)))
    assert isinstance(model, Model)
    return model


def puzzle(tmp_path: Path) -> PositionalModel:
    path = tmp_path / "puzzle.pg"
    path.write_text(PUZZLE)
    model = find_command((str(path),))
    assert isinstance(model, PositionalModel)
    return model


@pytest.mark.parametrize("words", GRIDS)
def test_grid_games_are_the_same_in_gdl(words: str) -> None:
    model = model_of(words)
    count, whole = walk(model, converted(model, "gdl"), 5000)
    assert whole
    assert count > 20


def test_positional_games_are_the_same_on_grids_and_in_gdl(tmp_path: Path) -> None:
    model = puzzle(tmp_path)
    grid = as_grid(model)
    assert (grid.problem.width, grid.problem.height) == (2, 3)
    # Black's stones are no part of goals; sets with White's stones are none, and of three stones
    # Black has two at most.
    goals = [" ".join(map(str, goal)) for goal in grid.problem.black_goals]
    assert goals == ["black(1,2) black(1,3)", "black(1,2) black(2,2)"]
    assert len(grid.problem.white_goals) == 0
    for target in ("bddl", "gdl"):
        assert walk(model, converted(model, target), 5000) == (29, True), target
    assert walk(model, converted(model, "bddl"), 5) == (5, False)


def test_white_begins_where_white_began(tmp_path: Path) -> None:
    model = replace(puzzle(tmp_path), turns=alternating(4, Player.WHITE))
    grid = as_grid(model)
    assert (grid.problem.first_player, grid.plies, grid.depth) == (Player.WHITE, 4, 5)
    assert grid.problem.white_goals
    assert walk(model, grid, 5000)[1]
    assert walk(model, converted(model, "gdl"), 5000)[1]


def test_a_goal_that_is_missing_or_too_many_is_found(tmp_path: Path) -> None:
    model = puzzle(tmp_path)
    grid = as_grid(model)
    for goals in (grid.problem.black_goals[:1], (*grid.problem.black_goals, ())):
        wrong = replace(grid, problem=replace(grid.problem, black_goals=goals))
        with pytest.raises(AssertionError, match="has won"):
            walk(model, wrong, 5000)
    black, white = replace(grid.domain.black_actions[0], name="put"), grid.domain.white_actions
    wrong = replace(grid, domain=replace(grid.domain, black_actions=(black,), white_actions=white))
    with pytest.raises(AssertionError, match="moves of one game only"):
        walk(model, wrong, 5000)


def test_what_bddl_has_no_words_for_is_refused(tmp_path: Path) -> None:
    model = puzzle(tmp_path)
    both = replace(model, turns=(Player.BLACK, Player.BLACK, Player.WHITE))
    with pytest.raises(UsageError, match="turns of several stones"):
        as_grid(both)
    with pytest.raises(UsageError, match="reached at the beginning"):
        as_grid(replace(model, black_wins=(model.black,)))
    with pytest.raises(UsageError, match="expected a grid game or a positional game"):
        converted(find_command(("trails", "--depth", "3")), "bddl")
    with pytest.raises(UsageError, match=r"found .*puzzle.*expected one of: bddl, gdl"):
        converted(model, "pg")


def test_an_encoding_of_another_language_encodes_the_converted_game(tmp_path: Path) -> None:
    model = puzzle(tmp_path)
    made = encode(model, "lifted")
    assert made.model == as_grid(model)
    assert made.layout.game == "bddl"
    assert encode(model, "gdl-gd").layout.game == "gdl"
    with pytest.raises(UsageError, match="found the encoding et for"):
        encode(model_of(GRIDS[0]), "et")


@pytest.mark.parametrize(
    "name", ["hein_04_3x3-05", "hein_09_4x4-05", "hein_09_4x4-07", "hein_12_4x4-07"]
)
def test_hex_as_sets_is_the_same_game(shared_data: Path, name: str) -> None:
    """Section 5 of the BDDL paper has Hex as explicit winning sets."""
    file = shared_data / "pg" / "sat2023" / "Hein" / "B-Hex" / f"{name}.pg"
    model = find_command((str(file),))
    assert isinstance(model, PositionalModel)
    grid = as_grid(model)
    walk(model, grid, 300)
    found = [search_for(load_game(one)).solve() for one in (model, grid)]
    assert found[0].winner is found[1].winner
    assert found[0].critical_plies == found[1].critical_plies
    theirs = find_command(
        (*(str(shared_data / "bddl" / "hex" / n) for n in ("domain.ig", f"{name}.pg")),)
    )
    assert isinstance(theirs, Model)
    # Preparation leaves the authors fewer squares, and so fewer sets.
    assert len(grid.problem.black_goals) >= len(theirs.problem.black_goals)
    assert search_for(load_game(theirs)).solve().winner is found[0].winner


def test_strategies_of_both_languages_win_in_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "puzzle.pg"
    path.write_text(PUZZLE)
    assert run_qsage(["compare", str(path), "--encodings", "lifted,lifted-guarded,cor-lean"]) == 0
    said = capsys.readouterr().out
    assert said.endswith("all 3 agree: each strategy wins in every formula\n")


def test_the_command_writes_what_the_other_commands_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, stem = tmp_path / "puzzle.pg", tmp_path / "out"
    path.write_text(PUZZLE)
    for language in ("bddl", "gdl"):
        assert run_qsage(["export", "game", str(path), "--to", language, "-o", str(stem)]) == 0
        said = capsys.readouterr().err
        assert said.endswith(": puzzle; the same plays in all 29 positions\n")
    for words in (
        [str(path)],
        [f"{stem}-domain.ig", f"{stem}.ig"],
        [f"{stem}.gdl", "--depth", "3"],
    ):
        assert run_qsage(["solve", *words]) == 10
        assert capsys.readouterr().out.startswith("Black wins within 3 ")
    # Who writes the end of a file means that file.
    for language, ending in (("bddl", ".ig"), ("bddl", "-domain.ig"), ("gdl", ".gdl")):
        named = tmp_path / f"{language}{ending}"
        assert run_qsage(["export", "game", str(path), "--to", language, "-o", str(named)]) == 0
        assert named.is_file()
        assert capsys.readouterr().err.startswith(f"{tmp_path / language}")
    assert run_qsage(["export", "game", str(path), "--to", "bddl", "-o", "-"]) == 2
    assert "expected a name" in capsys.readouterr().err


def test_a_conversion_that_says_wrong_moves_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, stem = tmp_path / "puzzle.pg", tmp_path / "out"
    path.write_text(PUZZLE)
    way = conversion("positional", "bddl")
    assert way is not None
    wrong = Conversion(
        lambda model: replace(
            as_grid(model), problem=replace(as_grid(model).problem, black_goals=())
        ),
        way.said,
    )
    monkeypatch.setattr("qsage_validate.games.conversion.TO_GRID", wrong)
    with pytest.raises(AssertionError):
        walk(puzzle(tmp_path), wrong.make(puzzle(tmp_path)), 100)
    assert run_qsage(["export", "game", str(path), "--to", "bddl", "-o", str(stem)]) == 70
    assert not list(tmp_path.glob("out*"))
