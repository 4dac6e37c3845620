"""What the benchmark of encodings computes from its runs, and that it runs them by turns."""

from __future__ import annotations

from typing import Any

import pytest

from qsage_validate.encodings.registry import encoders
from research.benchmarks.solving import (
    INSTANCES,
    STYLES,
    Options,
    add_baseline,
    contradiction,
    means,
    measure,
)


def way(seconds: float | None, before: float = 1.0, answer: str = "true") -> dict[str, Any]:
    return {"answer": answer, "preprocessing": before, "seconds": seconds, "clauses": 5}


def row(**ways: dict[str, Any]) -> dict[str, Any]:
    named = {name.replace("_", ":").replace("Q:sage", "Q-sage"): w for name, w in ways.items()}
    return {"model": "m", "preprocessor": "bloqqer", "solver": "caqe", "ways": named}


def test_means_compare_the_same_clausal_form() -> None:
    rows = [
        row(lifted=way(1.0), lifted_early=way(8.0), Q_sage=way(3.0), Q_sage_early=way(2.0)),
        row(lifted=way(9.0, 2.0), lifted_early=way(None), Q_sage=way(3.0), Q_sage_early=way(1.0)),
    ]
    found = {(m["way"], m["over"]): m for m in means(rows)}
    assert set(found) == {("lifted", "Q-sage"), ("lifted:early", "Q-sage:early")}
    plain, early = found["lifted", "Q-sage"], found["lifted:early", "Q-sage:early"]
    assert plain["solver's time"] == pytest.approx(1.0)
    # (1 + 1) / (3 + 1) and (9 + 2) / (3 + 1)
    assert plain["total"] == pytest.approx((2 / 4 * 11 / 4) ** 0.5, abs=1e-3)
    assert (early["models"], early["here only"], early["there only"]) == (1, 0, 1)
    assert early["solver's time"] == pytest.approx(4.0)


def test_what_the_preprocessor_decides_counts_in_the_total_only() -> None:
    (mean,) = means([row(lifted=way(0.0, 1.0), Q_sage=way(1.0, 1.0))])
    assert mean["solver's time"] is None
    assert mean["total"] == pytest.approx(0.5)


def test_baselines_are_put_beside_where_they_are_numbers() -> None:
    figures = {"caqe_after_bloqqer_s": "4.0", "bloqqer_s": "0.5", "bloqqer_clauses": "7"}
    solved = row(lifted=way(2.0, 0.25))
    add_baseline(solved, {**figures, "result": "true"})
    (mean,) = means([solved])
    assert (mean["over"], mean["solver's time"], mean["total"]) == ("baseline", 0.5, 0.5)
    not_solved = row(lifted=way(2.0))
    add_baseline(not_solved, {**figures, "caqe_after_bloqqer_s": "TO", "result": "?"})
    assert "baseline" not in not_solved["ways"]


def test_contradictions_are_seen_within_a_way_and_between_ways() -> None:
    assert not contradiction(row(lifted=way(1.0), Q_sage=way(None, answer="time-out")))
    assert contradiction(row(lifted=way(1.0), Q_sage=way(1.0, answer="false")))
    assert contradiction(row(lifted=way(None, answer="false/true")))


def test_all_ways_of_a_model_answer_alike() -> None:
    pytest.importorskip("pyqbf", reason="needs the extra 'solve'")
    ways = tuple(
        f"{name}:{style}".removesuffix(":") for name in encoders("bddl") for style in STYLES
    )
    options = Options(None, ways, ("depqbf",), ("bloqqer", "none"), 1, 60.0, exp_mini=False)
    model = INSTANCES[0].model(None)
    assert model is not None
    rows = list(measure(INSTANCES[0], model, options))
    assert [r["preprocessor"] for r in rows] == ["bloqqer", "none"]
    for each in rows:
        assert set(each["ways"]) == set(ways)
        assert {w["answer"] for w in each["ways"].values()} == {"true"}
