"""``qsage bench httt --set depth=...``: maker-breaker polyominoes within some plies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench.experiment import Run, RunRecord, RunResult, Selection
from qsage_validate.extensions.bench.papers.httt import (
    EXPERIMENT,
    SHAPES,
    bounded_model,
    depths,
    execute,
    shapes,
    winners,
)
from qsage_validate.games.positional.harary import named, polyomino_of
from qsage_validate.games.positional.language import read_positional
from qsage_validate.games.positional.model import sound_first_moves
from qsage_validate.games.positional.polyominoes import canonical

PAPER = "7,9,11,13,15"


def runs(depth: str = PAPER, **settings: Any) -> list[Run]:
    options = {"depth": depth, **settings.pop("options", {})}
    return EXPERIMENT.select(Selection(options=options, **settings))


def record(run: Run, status: str, seconds: float = 1.0) -> RunRecord:
    decided = status in ("true", "false")
    data = {"plies": int(dict(run.options)["plies"])}
    return RunRecord(run, RunResult(status, decided, seconds, data=data), "here", "now")


# --- instances ------------------------------------------------------------------------------


def test_the_instances_are_the_papers_55_and_the_pentomino_z() -> None:
    found = runs(solvers=("search",))
    assert [(r.instance, r.family) for r in found[:2]] == [
        ("5x5 domino-07", "5x5, 7 plies"),
        ("5x5 domino-09", "5x5, 9 plies"),
    ]
    assert len([r for r in found if r.source[0] != "z"]) == 55
    assert len(found) == 60
    model = bounded_model(found[-1])
    assert (model.name, model.plies) == ("maker-breaker httt 5x5 z", 15)
    torus = runs("7", solvers=("search",), options={"board": "4x4 torus"})
    assert bounded_model(torus[0]).name == "maker-breaker httt 4x4 torus domino"


def test_the_usual_ways_are_search_and_the_papers() -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    found = [r.configuration for r in runs("7", only=("5x5 tic*",))]
    assert found == ["search", "bloqqer+caqe (sn-httt)"]


@pytest.mark.parametrize(
    ("depth", "settings", "words"),
    [
        ("7,8", {}, "found the depth 8, expected odd ones"),
        ("x", {}, "found 'x' for depth, expected numbers of plies"),
        (
            "7",
            {"encodings": ("sn",)},
            "found the encoding .sn., expected one of: sn-httt, ea",
        ),
        ("7", {"encodings": ("cover",)}, "found the encoding 'cover'"),
        ("7", {"solvers": ("positional",)}, "found the solver 'positional'"),
        ("7", {"preprocessors": ("nothing",)}, "found the preprocessor 'nothing'"),
        ("7", {"options": {"board": "6x6"}}, "found the board '6x6'"),
    ],
)
def test_wrong_words_are_refused(depth: str, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        runs(depth, **settings)


# --- the authors' files -----------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "z"])
def test_the_authors_files_have_these_polyominoes_and_call_the_n_a_z(
    name: str, shared_data: Path
) -> None:
    file = {"n": "Z", "l": "L"}.get(name, name)
    path = shared_data / "pg" / "sat2023" / "GTTT" / f"test_5_5_{file}.pg"
    model = read_positional(str(path), 7)
    board = polyomino_of(model)
    assert board is not None
    assert canonical(board.cells) == canonical(named()[name])
    assert (board.width, board.height, board.torus) == (5, 5, False)
    # Six of the files name the first moves of smaller boards, which are not all that there are.
    complete = name in ("n", "l", "knobby", "skinny", "snaky")
    assert bool(sound_first_moves(model)) == complete


# --- runs -------------------------------------------------------------------------------------


def test_formulas_agree_with_the_rules() -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    found = {}
    for run in runs("3,5", only=("5x5 tic*", "5x5 domino-03")):
        result = execute(run)
        found[run.instance, run.solver] = result.status
        if run.solver == "caqe":
            assert result.data["plies"] == bounded_model(run).plies
            assert result.data["scopes"] == result.data["plies"]
    assert {place: status for place, status in found.items() if place[1] == "caqe"} == {
        ("5x5 tic-03", "caqe"): "false",
        ("5x5 tic-05", "caqe"): "true",
        ("5x5 domino-03", "caqe"): "true",
    }
    assert all(found[name, "search"] == status for (name, _), status in found.items())


def test_a_fence_of_depths_is_no_iterative_deepening() -> None:
    """Black wins n within 11 plies: not within 9, and then within any greater depth."""
    found = {
        r.instance: execute(r).truth
        for r in runs("9,11,15", only=("5x5 n*", "5x5 z*"), solvers=("search",))
    }
    assert found == {
        "5x5 n-09": False,
        "5x5 n-11": True,
        "5x5 n-15": True,
        "5x5 z-09": False,
        "5x5 z-11": False,
        "5x5 z-15": False,
    }


# --- tables -----------------------------------------------------------------------------------


def test_the_table_has_a_row_for_each_polyomino_and_way() -> None:
    first, second, other = runs("7,9", solvers=("search",), only=("5x5 n*", "5x5 fatty-07"))
    made = [record(first, "false"), record(second, "false", 2.0), record(other, "timeout")]
    table = depths(made)
    assert table.columns == ("polyomino", "the paper", "way", "7 plies", "9 plies")
    assert table.rows == (
        ("fatty", "no win; open at 15", "search", "false 1.00", ""),
        ("n", "as Z: true at 11, 8 min", "search", "false 2.00", "-"),
    )
    # Boucher and Villemaire ask something else.
    assert winners(made).rows == (("5x5, 7 plies", "0/2/0"), ("5x5, 9 plies", "0/0/1"))
    assert winners(made).notes == ("Black wins / White blocks / unknown",)
    assert shapes(made).rows[0] == ("fatty", "W 7", "")
