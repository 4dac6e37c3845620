from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench.experiment import Run, RunRecord, RunResult, Selection
from qsage_validate.extensions.bench.papers.httt import (
    EXPERIMENT,
    cover,
    deepening,
    execute,
    formulas,
    model_of,
    shapes,
    winners,
)


def runs(**settings: Any) -> list[Run]:
    return EXPERIMENT.select(Selection(**settings))


def record(
    run: Run, status: str, plies: int | None = None, *answers: tuple[int, float]
) -> RunRecord:
    data = {
        "plies": plies,
        "answers": [
            {"player": "black", "plies": at, "truth": at == plies, "seconds": seconds}
            for at, seconds in answers
        ],
    }
    decided = status in ("true", "false")
    return RunRecord(run, RunResult(status, decided, 1.0, data=data), "here", "now")


# --- instances ------------------------------------------------------------------------------


def test_the_instances_are_the_polyominoes_of_the_paper_and_a_few_more() -> None:
    found = runs(solvers=("search",))
    by_board = {
        board: [r for r in found if r.family == board] for board in {r.family for r in found}
    }
    assert {board: len(own) for board, own in by_board.items()} == {
        "5x5": 50,
        "5x5 torus": 50,
        "4x4": 48,
        "4x4 torus": 48,
    }
    printed = [r for r in by_board["5x5"] if dict(r.options)["printed"] == "yes"]
    assert len(printed) == 48
    others = {r.source[0] for r in by_board["5x5"]} - {r.source[0] for r in printed}
    assert others == {"i", "snaky"}
    assert model_of(by_board["5x5 torus"][0].source).name == "httt 5x5 torus domino"


def test_every_encoding_is_run_with_each_solver() -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    found = runs(solvers=("search", "depqbf", "depqbf+pairs"), only=("4x4 el",))
    assert [r.configuration for r in found] == [
        "search",
        "depqbf (cor+)",
        "depqbf (cover)",
        "depqbf+pairs (cor+)",
        "depqbf+pairs (cover)",
    ]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"options": {"board": "6x6"}}, "found the board '6x6', expected one of: 5x5"),
        ({"encodings": ("lifted",)}, "unknown encoding 'lifted'"),
        ({"solvers": ("nobody",)}, "nobody"),
        ({"preprocessors": ("nothing",)}, "found the preprocessor 'nothing'"),
    ],
)
def test_wrong_words_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        runs(**settings)


# --- a run ----------------------------------------------------------------------------------


def test_a_run_by_search_says_who_wins_and_what_was_asked() -> None:
    (won,) = runs(solvers=("search",), only=("4x4 elly",))
    result = execute(won)
    assert (result.status, result.data["plies"]) == ("true", 7)
    assert [(a["player"], a["plies"]) for a in result.data["answers"]] == [
        ("black" if plies % 2 else "white", plies) for plies in range(8)
    ]
    (lost,) = runs(solvers=("search",), only=("5x5 torus fatty",))
    result = execute(lost)
    assert (result.status, result.data["plies"]) == ("false", 2)


def test_a_run_ends_at_its_limit() -> None:
    (run,) = runs(solvers=("search",), only=("5x5 torus y",), seconds=0.2)
    result = execute(run)
    assert (result.status, result.decided) == ("timeout", False)
    assert result.why.startswith("undecided: ")


def test_a_run_by_formulas_agrees_with_search() -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    for run in runs(solvers=("depqbf", "depqbf+pairs"), only=("4x4 tic",)):
        result = execute(run)
        assert (result.status, result.data["plies"]) == ("true", 5), run.configuration


# --- tables ---------------------------------------------------------------------------------


def test_the_tables_count_winners_and_compare_encodings() -> None:
    base = runs(solvers=("search",), only=("5x5 tic", "5x5 torus tic", "5x5 i"))
    tic, torus, i = (
        next(r for r in base if r.instance == name)
        for name in ("5x5 tic", "5x5 torus tic", "5x5 i")
    )

    def configurations(run: Run) -> tuple[Run, Run]:
        other = replace(run, solver="depqbf")
        return replace(other, encoding="cor+"), replace(other, encoding="cover")

    records = [
        record(configurations(tic)[0], "true", 5, (1, 0.001), (3, 0.5), (5, 20.0)),
        record(configurations(tic)[1], "true", 5, (1, 0.002), (3, 0.6), (5, 2.0)),
        record(configurations(torus)[0], "timeout", None, (1, 0.05)),
        record(configurations(torus)[1], "true", 3, (1, 0.04), (3, 0.1)),
        record(configurations(i)[1], "false", 4),
    ]
    table = winners(records)
    assert table.columns == ("board", "depqbf (cor+)", "depqbf (cover)")
    assert table.rows == (
        ("5x5", "1/0/0", "1/1/0"),
        ("5x5 torus", "0/0/1", "1/0/0"),
        ("5x5, both, shapes of the paper", "1/0/1", "2/0/0"),
    )
    assert shapes(records).rows == (("tic", "B 5", "B 3"), ("i", "W 4", ""))
    assert [row[:2] for row in cover(records).rows] == [
        ("over 0.01 s", "67 % (2/3)"),
        ("over 0.1 s", "50 % (1/2)"),
        ("over 1 s", "100 % (1/1)"),
        ("over 10 s", "100 % (1/1)"),
    ]


def test_questions_for_blacks_win_are_taken_apart() -> None:
    (base,) = runs(solvers=("search",), only=("5x5 tic",))
    run = replace(base, solver="depqbf", encoding="cor+")
    found = formulas([record(run, "true", 5, (3, 0.5), (5, 2.0)), record(base, "false", 2)])
    assert [(r.run.instance, r.result.truth, r.result.seconds) for r in found] == [
        ("5x5 tic, 3 plies", False, 0.5),
        ("5x5 tic, 5 plies", True, 2.0),
    ]
    unanswered = {
        "answers": [
            {"player": "white", "plies": 6, "truth": False, "seconds": 0.1},
            {"player": "black", "plies": 7, "truth": None, "seconds": 9.0},
        ]
    }
    open_run = RunRecord(run, RunResult("timeout", False, 9.0, data=unanswered), "here", "now")
    (one,) = formulas([open_run])
    assert (one.result.status, one.result.decided, one.result.truth) == ("timeout", False, None)


def test_the_paper_s_table_1_stands_beside_ours() -> None:
    tic, i = runs(solvers=("search",), only=("5x5 torus tic", "5x5 i"))[::-1]
    made = [
        record(replace(run, solver="depqbf+pairs", encoding=encoding), status, 5)
        for run, status in ((tic, "true"), (i, "false"))
        for encoding in ("cor+", "cover")
    ]
    made[1] = replace(made[1], result=RunResult("timeout", False, 40.0, data={"answers": []}))
    table = deepening(made)
    # The longer pentomino is none of the paper's.
    (row,) = table.rows
    assert dict(zip(table.columns, row, strict=True)) == {
        "solver": "depqbf+pairs",
        "preprocessor": "none",
        "paper": "14/62/18",
        "paper: COR+ s": "46669.55",
        "paper: COVER s": "45903.58",
        "paper: limit s": "2,500",
        "COR+": "1/0/0",
        "COR+ s": "1.00",
        "COVER": "0/0/1",
        "COVER s": "40.0",
        "limit s": "60",
    }
