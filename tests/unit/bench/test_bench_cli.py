"""``qsage bench`` from the command line: runs, resumes, tables, plots, and bad input."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Exit, InputError, UsageError
from qsage_validate.extensions.bench.campaign import read_runs
from qsage_validate.extensions.bench.experiment import ResultTable, Run, RunResult, Selection
from qsage_validate.extensions.bench.solving import FORMULAS, MODELS, execute
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.registry import resolve_command
from tests.conftest import REPOSITORY
from tests.support.commands import run_qsage

pytestmark = pytest.mark.slow

DOMINO = "httt size 3x3 shape domino*"


def qsage(*words: str) -> int:
    return run_qsage(["bench", *words])


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_an_experiment_is_run_shown_and_not_repeated(capfd: pytest.CaptureFixture[str]) -> None:
    assert qsage("table2", "--only", DOMINO) == Exit.FINE
    out, err = capfd.readouterr()
    assert "Table 2: critical depths" in out
    assert "HTTT 3x3 domino" in out
    assert err.splitlines()[0].startswith("[1/2] httt size 3x3 shape domino depth 3: search: true")
    found = read_runs("bench-table2.jsonl")
    assert [r.result.data["critical_plies"] for r in found.records] == [3, 3]
    assert qsage("table2", "--only", DOMINO, "--json") == Exit.FINE
    out, err = capfd.readouterr()
    assert json.loads(out) == {
        "schema": 1,
        "experiment": "table2",
        "results": "bench-table2.jsonl",
        "made": 0,
        "questions": 2,
        "decided": 2,
        "disagreements": [],
    }
    assert err == "bench-table2.jsonl: 2 of 2 runs have results\n"
    assert len(read_runs("bench-table2.jsonl").records) == 2


def test_limits_are_of_processor_time_when_asked_for() -> None:
    words = ("table2", "--only", DOMINO, "-o", "r.jsonl", "--timeout", "5")
    assert qsage(*words, "--processor-time") == Exit.FINE
    record = read_runs("r.jsonl").records[0]
    assert (record.run.seconds, record.run.processor_time) == (5.0, True)
    assert record.result.decided
    assert record.result.cpu_seconds is not None
    assert abs(record.result.seconds - record.result.cpu_seconds) < 0.05


def test_runs_are_listed_and_not_made(capfd: pytest.CaptureFixture[str]) -> None:
    assert qsage("table2", "--list") == Exit.FINE
    out, _ = capfd.readouterr()
    assert len(out.splitlines()) == 144
    assert not os.path.exists("bench-table2.jsonl")
    assert qsage("table2", "--list", "--only", DOMINO, "--solver", "certify:search") == Exit.FINE
    # What has no rules to search further is asked at the printed depth only.
    assert capfd.readouterr().out == "httt size 3x3 shape domino depth 3: certify:search\n"


def results(name: str, *, truth: str = "true", experiment: str = "table2") -> str:
    """A file of results of two ways."""
    from qsage_validate.extensions.bench.campaign import open_results
    from qsage_validate.extensions.bench.experiment import RunRecord, machine_facts, machine_id

    with open_results(name, experiment) as file:
        for solver, status in (("depqbf", "true"), ("caqe", truth)):
            made = Run(experiment, "HTTT", "i", (), solver, "lifted", "bloqqer", 60.0)
            result = RunResult(status, decided=True, seconds=1.5)
            file.add(RunRecord(made, result, machine_id(machine_facts()), "now"), machine_facts())
    return name


def test_tables_are_made_of_results(capfd: pytest.CaptureFixture[str]) -> None:
    path = results("r.jsonl")
    assert qsage("table", path, "--table", "times", "--markdown") == Exit.FINE
    out, err = capfd.readouterr()
    assert "| i | true | 1.50 | 1.50 |" in out
    assert err.startswith("made on: ")
    assert qsage("table", path, "--table", "summary", "-o", "t.md") == Exit.FINE
    assert capfd.readouterr().out == ""
    assert "| HTTT | 1 | 1 | 1 |" in Path("t.md").read_text("utf-8")


def test_solvers_that_contradict_each_other_are_refuted(capfd: pytest.CaptureFixture[str]) -> None:
    path = results("r.jsonl", truth="false")
    assert qsage("table", path, "--table", "times") == Exit.REFUTED
    out, err = capfd.readouterr()
    assert "true / false" in out
    line = "solvers contradict each other on i: true say bloqqer+depqbf; false say bloqqer+caqe"
    assert err.splitlines()[-1] == line


def test_plots_are_shown_as_text_and_written(capfd: pytest.CaptureFixture[str]) -> None:
    path = results("r.jsonl")
    assert qsage("cactus", path) == Exit.FINE
    assert "within so many seconds" in capfd.readouterr().out
    assert qsage("scatter", path) == Exit.FINE
    assert "1 instances: 1 decided by both" in capfd.readouterr().out
    assert qsage("scatter", path, "-x", "bloqqer+caqe") == Exit.FINE
    assert "bloqqer+depqbf took 1.00 times as long as bloqqer+caqe" in capfd.readouterr().out
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    assert qsage("cactus", path, "-o", "c.svg") == Exit.FINE
    assert "c.svg: written" in capfd.readouterr().err
    assert Path("c.svg").read_text("utf-8").startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["chess"],
            "found the unknown experiment 'chess', expected one of table2, models, formulas,",
        ),
        (["table2", "--timeout", "0"], "found 0 for --timeout, expected more than 0 seconds"),
        (["table2", "--timeout", "nan"], "found nan for --timeout, expected more than 0 seconds"),
        (["table2", "--timeout=-1"], "found -1 for --timeout, expected more than 0 seconds"),
        (
            ["table2", "--processor-time", "--solver", "certify:search"],
            "found --processor-time for certify:search, which keeps wall-clock time",
        ),
        (["impartial", "--processor-time"], "found --processor-time for impartial, which keeps"),
        (["table2", "--memory", "0"], "found 0 for --memory, expected 1 MB or more"),
        (["table2", "--jobs", "0"], "found 0 for --jobs, expected 1 or more"),
        (["table2", "--retry", "some"], "found 'some' for --retry, expected one of undecided, all"),
        (["table2", "--set", "x"], "found 'x' for --set, expected NAME=VALUE"),
        (["table2", "--set", "x=1"], "found the option 'x' for table2, expected: below"),
        (["table2", "--only", "chess*"], "found no instance called 'chess*', expected one"),
        (["table2", "--solver", "chess"], "chess"),
        (["table2", "--preprocess", "chess"], "found the preprocessor 'chess', expected one of"),
        (
            ["table2", "--encoding", "chess", "--solver", "certify:search"],
            "unknown encoding 'chess', expected one of",
        ),
        (["table2", "-o", "no/such/folder"], "no/such/folder: found an error: No such file"),
        (
            ["table2", "-o", "r.jsonl.gz"],
            "r.jsonl.gz: found the name of a compressed file",
        ),
        (["table2", "-o", "-"], "found '-' for the results, expected a file"),
        (["table2", "-o", "packed"], "packed:1:1: found a compressed file, expected a plain one"),
        (["table2", "-o", "."], ".: found a directory"),
        (["models"], "found no files for models, expected files or folders"),
        (["models", "empty"], "found no BDDL problem in empty"),
        (["models", "--model", "htt --size 3x3"], "unknown game 'htt' (did you mean 'httt'?)"),
        (["models", "--model", ""], "found no game, expected a file"),
        (["models", "--model", "'"], "for --model: No closing quotation, expected words"),
        (["models", "--model", "r.jsonl"], "found the file r.jsonl for --model, expected the name"),
        (["formulas", "--model", "httt"], "found --model for formulas, which takes no games by"),
        (["formulas", "--solver", "search", "r.jsonl"], "found r.jsonl, expected a QCIR or QDIM"),
        (["formulas", "none.qcir"], "none.qcir: found no such file, expected a readable file"),
        (["table", "none.jsonl"], "none.jsonl: found no such file, expected a readable file"),
        (["table", "r.jsonl", "--table", "chess"], "found 'chess' for --table, expected one of"),
        (["table", "r.jsonl", "-o", "r.jsonl"], "writing r.jsonl would overwrite r.jsonl"),
        (["table", "r.jsonl", "o.jsonl"], "expected one experiment"),
        (["table", "r.jsonl", "--only", "x*"], "r.jsonl: found no runs of 'x*', expected results"),
        (["table2", "-o", "o.jsonl"], "o.jsonl has results of 'models', expected 'table2'"),
        (["table2", "--list", "-o", "o.jsonl"], "o.jsonl has results of 'models'"),
        (["table", "bad.jsonl"], "bad.jsonl:4:1: found no JSON (Expecting value), expected"),
        (["table2", "-o", "bad.jsonl"], "bad.jsonl:4:1: found no JSON (Expecting value)"),
        (["cactus", "r.jsonl", "-o", "c.gif"], "found 'c.gif' for a picture, expected a name"),
        (["scatter", "r.jsonl", "-x", "qute"], "found no results of 'qute', expected one of"),
        (["table2", "--scheduler", "tcp://127.0.0.1:9", "--jobs", "2"], "found --jobs with"),
        (["table2", "--scheduler", "x", "--scheduler-file", "y"], "found --scheduler with --sched"),
        (["table2", "--shard", "3/2"], "found '3/2' for --shard, expected K/N with K from 1 to N"),
        (["table2", "--shard", "0/2"], "found '0/2' for --shard, expected K/N"),
        (["table", "r.jsonl", "--csv", "--markdown"], "found --markdown with --csv, expected one"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str], line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    os.mkdir("empty")
    results("r.jsonl")
    results("o.jsonl", experiment="models")
    Path("packed").write_bytes(gzip.compress(Path("r.jsonl").read_bytes()))
    bad = Path("bad.jsonl")
    results("bad.jsonl")
    lines = bad.read_text().splitlines()
    bad.write_text("\n".join([*lines[:3], "rubbish", *lines[3:]]) + "\n")
    before = bad.read_bytes()
    assert qsage(*words) == Exit.BAD_INPUT
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert line in err
    assert bad.read_bytes() == before


@pytest.mark.parametrize("name", ["table2", "models", "formulas", "table", "cactus", "scatter"])
def test_every_command_has_help_and_takes_wrong_usage_in_one_line(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert qsage(name, "--help") == Exit.FINE
    assert capfd.readouterr().out.startswith(f"Usage: qsage bench {name} ")
    assert qsage(name, "--no-such-option") == Exit.BAD_INPUT
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("qsage: error: No such option '--no-such-option'")


def test_shards_share_the_runs_and_their_results_are_joined(
    capfd: pytest.CaptureFixture[str],
) -> None:
    wanted = ["table2", "--only", "httt size 3x3 shape d*"]

    def listed(*words: str) -> list[str]:
        assert qsage(*wanted, "--list", *words) == Exit.FINE
        return capfd.readouterr().out.splitlines()

    parts = [listed("--shard", f"{k}/3") for k in (1, 2, 3)]
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert sorted(line for part in parts for line in part) == sorted(listed())
    assert parts[1] == listed("--shard", "2/3")
    for k in (1, 2, 3):
        assert qsage(*wanted, "--shard", f"{k}/3") == Exit.FINE
    files = [f"bench-table2-{k}-of-3.jsonl" for k in (1, 2, 3)]
    assert [len(read_runs(file).records) for file in files] == list(map(len, parts))
    assert qsage(*wanted, "-o", "whole.jsonl") == Exit.FINE
    capfd.readouterr()
    assert qsage("table", *files, "--table", "summary", "--csv") == Exit.FINE
    joined = capfd.readouterr().out
    assert qsage("table", "whole.jsonl", "--table", "summary", "--csv") == Exit.FINE
    whole = capfd.readouterr().out
    tables = [list(csv.reader(io.StringIO(text))) for text in (joined, whole)]
    counts = [[row for row in rows if not row[0].startswith("seconds")] for rows in tables]
    assert counts[0] == counts[1]
    assert len(counts[0]) > 1
    # A shard without runs leaves a file that can be joined.
    assert qsage("table2", "--only", DOMINO, "--shard", "9/9", "-o", "no.jsonl") == Exit.FINE
    assert qsage("table", *files, "no.jsonl", "--table", "runs") == Exit.FINE


def test_a_table_is_written_as_csv(capfd: pytest.CaptureFixture[str]) -> None:
    results("r.jsonl")
    assert qsage("table", "r.jsonl", "--table", "runs", "--csv", "-o", "t.csv") == Exit.FINE
    written = Path("t.csv").read_text()
    capfd.readouterr()
    assert qsage("table", "r.jsonl", "--table", "runs", "--csv") == Exit.FINE
    assert capfd.readouterr().out == written
    head, *rows = csv.reader(io.StringIO(written))
    assert {len(row) for row in rows} == {len(head)}
    assert len(rows) == len(read_runs("r.jsonl").records)
    tricky = ResultTable("t", ("a", "b"), (('say "x", y', "two\nlines"),))
    assert list(csv.reader(io.StringIO(tricky.csv()))) == [["a", "b"], [*tricky.rows[0]]]


def test_nothing_to_tabulate_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    from qsage_validate.extensions.bench.campaign import open_results

    with open_results("r.jsonl", "table2"):
        pass
    assert qsage("table", "r.jsonl") == Exit.BAD_INPUT
    assert capfd.readouterr().err == "r.jsonl: found no runs, expected results of qsage bench\n"


def test_a_torn_line_is_told_of_and_made_again(capfd: pytest.CaptureFixture[str]) -> None:
    assert qsage("table2", "--only", DOMINO) == Exit.FINE
    path = Path("bench-table2.jsonl")
    path.write_bytes(path.read_bytes()[:-30])
    capfd.readouterr()
    assert qsage("table", str(path)) == Exit.FINE
    assert "bench-table2.jsonl:4: the last line is torn" in capfd.readouterr().err
    assert qsage("table2", "--only", DOMINO) == Exit.FINE
    err = capfd.readouterr().err
    assert "bench-table2.jsonl:4: the last line is torn; its run does not count and is made" in err
    assert "[1/1]" in err
    assert len(read_runs(str(path)).records) == 2


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_leaves_a_file_that_the_same_command_continues() -> None:
    # The second run is one that lasts.
    words = ["table2", "--only", DOMINO, "--only", "connect-c size 6x6 connect 4 complete"]
    process = subprocess.Popen(
        [sys.executable, "-m", "qsage_validate", "bench", *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ, PYTHONPATH=str(REPOSITORY)),
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("[2/3]"):
            break
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == Exit.INTERRUPTED
    assert out == ""
    assert err.splitlines() == [
        "bench-table2.jsonl: 2 of 3 runs were made; the same command continues",
        "qsage: interrupted",
    ]
    assert len(read_runs("bench-table2.jsonl").records) == 2


# --- Files ----------------------------------------------------------------------------------


def write_models(folder: Path) -> None:
    folder.mkdir()
    for depth in (3, 5):
        model = resolve_command(["httt", "--size", "3x3", "--shape", "el", "--depth", str(depth)])
        (folder / "domain.ig").write_text(str(model.domain))
        (folder / f"el-{depth}.ig").write_text(str(model.problem))
    (folder / "README").write_text("no game\n")


def test_a_folder_of_models_is_solved(tmp_path: Path) -> None:
    write_models(tmp_path / "games")
    runs = MODELS.select(Selection(inputs=("games",)))
    assert [run.instance for run in runs] == ["games/el-3.ig", "games/el-5.ig"]
    assert [execute(run).truth for run in runs] == [False, True]
    alone = MODELS.select(Selection(inputs=("games/el-5.ig",)))
    assert alone == runs[1:]


def test_a_game_by_name_is_solved_in_encodings_of_both_languages() -> None:
    words = "httt --size 2x2 --shape domino --maker-breaker --depth 3"
    wanted = Selection(("certify:search",), None, ("lifted", "ea"), models=(words,))
    runs = MODELS.select(wanted)
    assert [(run.instance, run.encoding) for run in runs] == [(words, "lifted"), (words, "ea")]
    assert [execute(run).truth for run in runs] == [True, True]


def test_a_model_that_has_changed_is_another_one(tmp_path: Path) -> None:
    write_models(tmp_path / "games")
    before = MODELS.select(Selection(inputs=("games",)))
    domain = tmp_path / "games" / "domain.ig"
    domain.write_text(domain.read_text() + "\n")
    after = MODELS.select(Selection(inputs=("games",)))
    assert {run.key for run in before}.isdisjoint(run.key for run in after)


def test_problems_need_one_domain(tmp_path: Path) -> None:
    write_models(tmp_path / "games")
    (tmp_path / "games" / "domain.ig").rename(tmp_path / "domain.ig")
    with pytest.raises(UsageError, match="found 0 BDDL domains in games, expected one"):
        MODELS.select(Selection(inputs=("games",)))


def test_a_family_of_table_3_is_added_from_its_folder(tmp_path: Path) -> None:
    from qsage_validate.extensions.bench.papers.table2 import EXPERIMENT

    write_models(tmp_path / "hex")
    runs = EXPERIMENT.select(Selection(inputs=("hex",), only=("hex/*",)))
    assert [(run.family, run.instance) for run in runs] == [
        ("Hex", "hex/el-3.ig"),
        ("Hex", "hex/el-5.ig"),
    ]


def test_formulas_cannot_be_searched(tmp_path: Path) -> None:
    model = resolve_command(["httt", "--size", "2x2", "--shape", "domino", "--depth", "3"])
    (tmp_path / "f.qcir").write_text(qcir_text(encode(model).qbf))
    with pytest.raises(UsageError, match="formulas, which have no rules"):
        FORMULAS.select(Selection(inputs=("f.qcir",), solvers=("search",)))
    with pytest.raises(InputError, match="no such file"):
        FORMULAS.select(Selection(inputs=("none.qcir",), solvers=("search",)))


# --- Progress -------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_a_bar_with_the_results_so_far_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from qsage_validate.extensions.bench.campaign import CampaignTally
    from qsage_validate.extensions.bench.cli import CampaignProgress
    from qsage_validate.extensions.bench.experiment import RunRecord

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    stream = Terminal()
    tally = CampaignTally(3)
    with CampaignProgress(stream, 3, "toy") as progress:
        for status in ("true", "crashed"):
            result = RunResult(status, status == "true", 1.5, "" if status == "true" else "[b]")
            made = RunRecord(Run("toy", "f", "i", (), status), result, "m", "now")
            tally.count(made)
            progress.tell(made, tally)
    shown = stream.getvalue()
    assert "i: crashed: crashed, 1.50 s ([b])" in shown
    assert "2/3" in shown
    assert "1 true, 1 crashed" in shown
    assert str(tally) == "2 of 3 runs made: 1 true, 1 crashed"
