"""A file of results holds what was written, says what is wrong, and survives a crash."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.errors import InputError, UsageError
from qsage_validate.extensions.bench import experiment
from qsage_validate.extensions.bench.campaign import open_results, read_all, read_runs
from qsage_validate.extensions.bench.experiment import (
    Json,
    Run,
    RunRecord,
    RunResult,
    describe,
    machine_facts,
    machine_id,
    record_from_json,
)
from qsage_validate.formats.json_text import as_json

FACTS = machine_facts()
MACHINE = machine_id(FACTS)
RUN = Run("toy", "even", "toy 0", ("0", ""), "true", seconds=30.0, options=(("sum", "abc"),))


def record(instance: str = "toy 0", status: str = "true") -> RunRecord:
    result = RunResult(status, status in ("true", "false"), 1.25, "", 1.0, 20.0, {"gates": 7})
    return RunRecord(replace(RUN, instance=instance), result, MACHINE, "2026-01-01T00:00:00+00:00")


def written(path: Path, *records: RunRecord) -> Path:
    with open_results(str(path), "toy") as file:
        for one in records:
            file.add(one, FACTS)
    return path


words = st.text(st.characters(codec="utf-8"), max_size=8)
numbers = st.none() | st.floats(0, 1e6).map(lambda x: round(x, 4))
runs = st.builds(
    Run,
    words,
    words,
    words,
    st.lists(words, max_size=3).map(tuple),
    words,
    words,
    words,
    numbers,
    st.none() | st.integers(1, 10**6),
    st.dictionaries(words, words, max_size=2).map(lambda d: tuple(d.items())),
    st.booleans(),
)
results = st.builds(
    RunResult,
    words,
    st.booleans(),
    st.floats(0, 1e6).map(lambda x: round(x, 4)),
    words,
    numbers,
    numbers,
    st.dictionaries(words, st.none() | words | st.integers() | st.booleans(), max_size=2),
)


@given(st.builds(RunRecord, runs, results, words, words))
@settings(max_examples=40)
def test_a_record_is_read_as_it_was_written(one: RunRecord) -> None:
    text = json.dumps(one.to_dict(), ensure_ascii=False)
    assert record_from_json(as_json(json.loads(text), "a record")) == one
    assert "\n" not in text


def test_what_is_added_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", record(), record("toy 1", "timeout"))
    found = read_runs(str(path))
    assert found.records == (record(), record("toy 1", "timeout"))
    assert (found.experiment, found.torn, found.warning) == ("toy", None, None)
    assert found.machines == {MACHINE: FACTS}
    written(path, record("toy 2"))
    assert [r.run.instance for r in read_runs(str(path)).records] == ["toy 0", "toy 1", "toy 2"]
    # A machine is described once.
    assert path.read_text().count('"kind": "machine"') == 1
    assert len(path.read_text().splitlines()) == 5


def test_every_torn_end_is_noticed_and_cut_off(tmp_path: Path) -> None:
    """Wherever a crash cuts the file, what was whole before is kept, and no more."""
    whole = written(tmp_path / "whole.jsonl", record(), record("toy 1")).read_bytes()
    ends = [k + 1 for k, byte in enumerate(whole) if byte == ord("\n")]
    torn = tmp_path / "torn.jsonl"
    near_ends = {end + near for end in ends for near in (-2, -1, 0, 1)}
    for size in sorted({0, *range(1, len(whole), 97), *near_ends} - {len(whole), len(whole) + 1}):
        torn.write_bytes(whole[:size])
        lines = sum(end <= size for end in ends)
        if lines:
            found = read_runs(str(torn))
            assert (found.torn is None) == (size in ends)
            assert len(found.records) == max(lines - 2, 0)
            if found.torn is not None:
                assert found.torn == lines + 1
                assert found.warning == (
                    f"{torn}:{lines + 1}: the last line is torn; its run does not count"
                )
        written(torn, record("toy 2"))
        again = read_runs(str(torn))
        assert again.torn is None
        assert again.records[-1] == record("toy 2")
        assert len(again.records) == max(lines - 2, 0) + 1


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


def rewritten(path: Path, change: Callable[[list[str]], list[str]]) -> str:
    path.write_text("".join(f"{line}\n" for line in change(lines_of(path))))
    return str(path)


def without(field: str, *places: str) -> Callable[[list[str]], list[str]]:
    """The third line, a run's, without a field."""

    def change(lines: list[str]) -> list[str]:
        whole: Json = json.loads(lines[2])
        part = whole
        for place in places:
            part = part[place]
        del part[field]
        return [*lines[:2], json.dumps(whole), *lines[3:]]

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [], "f:1:1: found an empty file, expected results of qsage bench"),
        (
            lambda lines: lines[1:],
            "f:1:1: found another kind of file, expected results of qsage bench",
        ),
        (
            lambda lines: ["p cnf 1 1", *lines],
            "f:1:1: found another kind of file, expected results of qsage bench",
        ),
        (
            lambda lines: [*lines[:2], lines[2][:50], *lines[3:]],
            r"f:3:\d+: found no JSON \(.*\), expected a JSON object",
        ),
        (
            lambda lines: [*lines, "", lines[2]],
            r"f:5:1: found no JSON \(Expecting value\), expected a JSON object",
        ),
        (lambda lines: [*lines, "[1]"], "f:5:1: found a list, expected an object"),
        (
            lambda lines: [*lines, "[" * 100_000],
            "f:5:1: found JSON that is nested too deeply, expected a JSON object",
        ),
        (
            lambda lines: [*lines, '{"kind": "walk"}'],
            "f:5:10: found 'walk', expected one of run, machine",
        ),
        (
            lambda lines: [*lines, '{"kind": "machine"}'],
            "f:5:1: found no 'id', expected a JSON object with it",
        ),
        (
            lambda lines: [*lines, lines[2].replace('"toy"', '"chess"')],
            "f:5:39: found a run of the experiment 'chess', expected runs of 'toy'",
        ),
        (without("solver", "run"), "f:3:24: found no 'solver', expected a JSON object with"),
        (without("source", "run"), "f:3:24: found no 'source'"),
        (without("options", "run"), "found no 'options'"),
        (without("run"), "f:3:1: found no 'run'"),
        (without("result"), "f:3:1: found no 'result'"),
        (without("seconds", "result"), r"f:3:26\d: found no 'seconds'"),
        (without("decided", "result"), "found no 'decided'"),
        (without("data", "result"), "found no 'data'"),
        (without("machine"), "found no 'machine'"),
    ],
)
def test_a_malformed_line_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[list[str]], list[str]],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    rewritten(written(Path("f"), record(), record("toy 1")), change)
    with pytest.raises(InputError, match=message) as caught:
        read_runs("f")
    assert "\n" not in str(caught.value)
    before = Path("f").read_bytes()
    if before:
        with pytest.raises(InputError, match=message), open_results("f", "toy"):
            raise AssertionError("it was opened")
        assert Path("f").read_bytes() == before


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = written(tmp_path / "f", record())
    path.write_bytes(path.read_bytes() + b'{"kind": "\xff"}\n')
    with pytest.raises(InputError, match="f:4:11: found byte 0xff that is not UTF-8"):
        read_runs(str(path))


def test_results_of_another_experiment_are_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", record())
    before = path.read_bytes()
    message = "has results of 'toy', expected 'chess': choose another file"
    with pytest.raises(UsageError, match=message), open_results(str(path), "chess"):
        raise AssertionError("it was opened")
    assert path.read_bytes() == before
    other = tmp_path / "o.jsonl"
    with open_results(str(other), "chess"):
        pass
    with pytest.raises(UsageError, match="expected one experiment"):
        read_all([str(path), str(other)])


def test_a_compressed_file_is_read_and_not_added_to(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", record())
    packed = tmp_path / "r.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_runs(str(packed)).records == (record(),)
    before = packed.read_bytes()
    with (
        pytest.raises(InputError, match="found the name of a compressed file"),
        open_results(str(packed), "toy"),
    ):
        raise AssertionError("it was opened")
    assert packed.read_bytes() == before


def test_several_files_are_read_as_one(tmp_path: Path) -> None:
    one = written(tmp_path / "1.jsonl", record())
    two = written(tmp_path / "2.jsonl", record("toy 1"))
    found = read_all([str(one), str(two)])
    assert found.records == (record(), record("toy 1"))
    assert read_all([str(one)]) == read_runs(str(one))


def test_one_campaign_at_a_time_adds_to_a_file(tmp_path: Path) -> None:
    path = str(tmp_path / "r.jsonl")
    with open_results(path, "toy"):
        with pytest.raises(UsageError, match="is in use by another"), open_results(path, "toy"):
            raise AssertionError("it was opened")
        assert read_runs(path).records == ()
    with open_results(path, "toy"):
        pass


@pytest.mark.parametrize("path", ["", "no/such/folder/r.jsonl", ".", "/dev/null"])
def test_what_cannot_be_written_is_one_line(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=re.escape(f"{path}: found ")), open_results(path, "toy"):
        raise AssertionError("it was opened")


def test_a_full_disk_leaves_what_was_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "r.jsonl", record())
    write = os.write
    with open_results(str(path), "toy") as file, monkeypatch.context() as patch:
        patch.setattr("os.write", lambda descriptor, data: write(descriptor, data[:20]))
        with pytest.raises(InputError, match="No space left on device"):
            file.add(record("toy 1"), FACTS)
    found = read_runs(str(path))
    assert found.records == (record(),)
    assert found.torn == 4


def test_a_machine_is_described_in_a_line() -> None:
    line = describe(FACTS)
    assert FACTS["cpu"] in line
    assert f"qsage-validate {FACTS['versions']['qsage-validate']}" in line
    assert "\n" not in line
    assert machine_id(FACTS) == MACHINE
    assert machine_id(FACTS | {"cores": 1000}) != MACHINE


def test_results_name_the_commit_of_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert describe({**FACTS, "commit": "d5d5622d0123"}).endswith("; commit d5d5622d0123")
    # A copy that was installed is in no checkout.
    monkeypatch.setattr(experiment, "__file__", str(tmp_path / "a" / "b" / "c" / "experiment.py"))
    machine_facts.cache_clear()
    try:
        facts = machine_facts()
        assert "commit" not in facts
        assert "commit" not in describe(facts)
    finally:
        machine_facts.cache_clear()
