"""The configurations in which the harness solves: search, QBF solvers, and certificates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.bench.experiment import Run, RunRecord, RunResult, Selection
from qsage_validate.extensions.bench.papers.table2 import EXPERIMENT
from qsage_validate.extensions.bench.solving import FORMULAS, certificates, configurations, execute
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.registry import resolve_command
from qsage_validate.solvers.backend import Missing, SolverProgram
from qsage_validate.solvers.backends import backends, get_backend
from tests.support.readers import write_qdimacs

TIC = ("httt", "--size", "4x4", "--shape", "tic", "--depth")
DOMINO = ("httt", "--size", "3x3", "--shape", "domino", "--depth")

AVAILABILITY = "qsage_validate.solvers.backend.Backend.availability"


def game(words: tuple[str, ...], solver: str, encoding: str = "lifted") -> Run:
    return Run("table2", "HTTT", " ".join(words), words, solver, encoding, seconds=60.0)


def needs(solver: str) -> None:
    found = get_backend(solver).availability()
    if isinstance(found, Missing):
        pytest.skip(f"no {solver}: {found.reason}")


@pytest.mark.parametrize(("depth", "truth"), [("5", True), ("3", False)])
def test_a_search_says_who_wins_and_how_deep_it_went(depth: str, truth: bool) -> None:
    result = execute(game((*TIC, depth), "search", "-"))
    assert (result.truth, result.decided) == (truth, True)
    assert result.data["critical_plies"] == (5 if truth else None)
    assert result.data["refuted_plies"] == (4 if truth else 3)
    assert result.data["plies"] == int(depth)


def test_a_search_out_of_time_says_what_it_has_refuted() -> None:
    run = replace(game(("connect-c", "--size", "6x6", "--connect", "4"), "search"), seconds=0.2)
    result = execute(run)
    assert (result.status, result.decided, result.truth) == ("timeout", False, None)
    assert 1 <= result.data["refuted_plies"] < result.data["plies"]
    assert "critical_plies" not in result.data


@pytest.mark.parametrize("solver", ["depqbf", "qute", "caqe", "rareqs", "qfun"])
@pytest.mark.parametrize(("size", "truth"), [("2x2", True), ("2x3", False)])
def test_a_qbf_solver_agrees_with_the_search(solver: str, size: str, truth: bool) -> None:
    needs(solver)
    words = ("domineering", "--size", size, "--depth", "2")
    result = execute(game(words, solver))
    assert result.truth is truth
    assert result.truth is execute(game(words, "search", "-")).truth
    assert result.data["gates"] == len(encode(resolve_command(words)).qbf.gates)
    assert result.data["by"].lower().startswith(solver)
    assert result.cpu_seconds is not None


def test_a_preprocessed_formula_has_the_same_truth() -> None:
    needs("depqbf")
    for depth, truth in (("5", True), ("3", False)):
        run = replace(game((*TIC, depth), "depqbf"), preprocessor="bloqqer")
        result = execute(run)
        assert result.truth is truth
        assert 0 < result.data["preprocess_seconds"] <= result.seconds


def test_what_a_one_sided_formula_does_not_say_is_no_answer() -> None:
    needs("depqbf")
    words = ("harary", "--size", "3x3", "--shape", "el", "--maker-breaker", "--depth")
    assert execute(game((*words, "5"), "depqbf", "cover")).truth is True
    result = execute(game((*words, "3"), "depqbf", "cover"))
    assert (result.truth, result.decided) == (None, False)
    assert "no winner follows" in result.why


def test_a_solver_out_of_time_is_a_result() -> None:
    needs("depqbf")
    result = execute(replace(game((*TIC, "9"), "depqbf"), seconds=0.3))
    assert (result.status, result.decided, result.truth) == ("timeout", False, None)
    assert result.why


@pytest.mark.parametrize(("depth", "truth"), [("3", True), ("1", False)])
def test_a_certificate_is_made_and_checked(depth: str, truth: bool) -> None:
    result = execute(game((*DOMINO, depth), "certify:search"))
    assert result.truth is truth
    assert result.data["route"] == "search"
    assert result.data["certificate_gates"] >= 0
    stages = result.data["stages"].values()
    assert sum(stages) <= result.seconds + len(stages) * 0.00005  # stages are rounded


def test_a_certificate_out_of_time_is_undecided() -> None:
    run = game(("connect-c", "--size", "6x6", "--connect", "4"), "certify:search")
    with pytest.raises(UndecidedError):
        execute(replace(run, seconds=0.2))


def test_formulas_are_solved_from_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("depqbf")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.qcir").write_text(qcir_text(encode(resolve_command((*DOMINO, "3"))).qbf))
    write_qdimacs(encode(resolve_command((*DOMINO, "1"))).qbf, tmp_path / "b.qdimacs")
    (tmp_path / "notes.txt").write_text("no formula\n")
    runs = FORMULAS.select(Selection(inputs=(".",), solvers=("depqbf",)))
    assert [execute(run).truth for run in runs] == [True, False]
    assert [run.instance for run in runs] == ["./a.qcir", "./b.qdimacs"]
    (tmp_path / "a.qcir").write_text((tmp_path / "a.qcir").read_text() + "# changed\n")
    again = FORMULAS.select(Selection(inputs=(".",), solvers=("depqbf",)))
    assert [one.key == two.key for one, two in zip(runs, again, strict=True)] == [False, True]


def test_certificates_have_a_table() -> None:
    run = game((*DOMINO, "3"), "certify:search")
    late = replace(run, solver="certify:bloqqer")
    other = game((*DOMINO, "3"), "search", "-")
    made = execute(run)
    records = [
        RunRecord(run, made, "m", "now"),
        RunRecord(late, RunResult("timeout", decided=False, seconds=60.0), "m", "now"),
        RunRecord(other, execute(other), "m", "now"),
    ]
    table = certificates(records)
    assert table.columns[2:] == (
        "certify:search: AND gates",
        "certify:search: seconds",
        "certify:bloqqer: AND gates",
        "certify:bloqqer: seconds",
    )
    ((_, answer, gates, seconds, none, why),) = table.rows
    assert (answer, none, why) == ("true", "", "timeout")
    assert int(gates.replace(",", "")) == made.data["certificate_gates"]
    assert float(seconds) == pytest.approx(made.seconds, abs=0.01)


# --- Ways -----------------------------------------------------------------------------------


@pytest.fixture
def _all_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every solver of the registry is found."""
    there = SolverProgram("/bin/true", "1")
    monkeypatch.setattr(AVAILABILITY, lambda self: there)


@pytest.mark.usefixtures("_all_here")
def test_ways_are_crossed_where_they_fit() -> None:
    selection = Selection(
        solvers=("search", "depqbf", "quabs", "certify:search"), preprocessors=("none", "bloqqer")
    )
    found = [(w.solver, w.encoding, w.preprocessor) for w in configurations(selection, games=True)]
    assert found == [
        ("search", "-", "none"),
        ("depqbf", "lifted", "none"),
        ("depqbf", "lifted", "bloqqer"),
        ("quabs", "lifted", "none"),
        ("certify:search", "lifted", "none"),
    ]
    with pytest.raises(UsageError, match="do not fit together"):
        configurations(Selection(solvers=("quabs",), preprocessors=("bloqqer",)), games=True)


def test_the_usual_ways_are_search_for_games_and_a_solver_for_formulas() -> None:
    assert [configuration.solver for configuration in configurations(Selection(), games=True)] == [
        "search"
    ]
    needs("depqbf")
    assert [configuration.solver for configuration in configurations(Selection(), games=False)] == [
        "depqbf"
    ]


def test_a_solver_that_is_not_there_is_named_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = Missing("no program on the PATH")
    monkeypatch.setattr(AVAILABILITY, lambda self: gone)
    for solver in (*backends(), "certify:trace:depqbf"):
        with pytest.raises(UsageError, match="is not there: no program on the PATH"):
            EXPERIMENT.select(Selection(solvers=(solver,)))


def test_a_preprocessor_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("depqbf")
    gone = Missing("no program on the PATH")
    monkeypatch.setattr("qsage_validate.solvers.bloqqer.availability", lambda: gone)
    with pytest.raises(UsageError, match="the preprocessor 'bloqqer' is not there: no program"):
        EXPERIMENT.select(Selection(solvers=("depqbf",), preprocessors=("bloqqer",)))


@pytest.mark.parametrize("solver", ["certify:chess", "certify:", "chess"])
def test_unknown_solvers_are_one_line(solver: str) -> None:
    with pytest.raises(UsageError, match="expected"):
        EXPERIMENT.select(Selection(solvers=(solver,)))
