"""The pack for authors of solvers: every encoding, proved values, the same bytes."""

from __future__ import annotations

import csv
import hashlib
import io
import runpy
import sys
import tarfile
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from qsage_validate.encodings.registry import encoders
from research.pack import make

ONE = [each for each in make.instances() if each.name == "hex-network_2x2_d3_pairing"]


def packed(folder: Path) -> bytes:
    folder.mkdir()
    make.fill(folder, ONE)
    return make.archive(folder)


def test_each_encoding_is_there_at_three_sizes() -> None:
    every = list(make.instances())
    assert [each.encoding for each in every] == [e for e in encoders() for _ in range(3)]
    assert len({each.name for each in every}) == len(every)


def test_the_seconds_are_of_formulas_that_are_there() -> None:
    with (make.HERE / "difficulty.csv").open(encoding="utf-8") as file:
        measured = {row["name"] for row in csv.DictReader(file)}
    assert measured == {each.name for each in make.instances()}


def test_the_bytes_are_the_same_each_time_and_the_hashes_are_theirs(tmp_path: Path) -> None:
    first = packed(tmp_path / "first")
    assert packed(tmp_path / "second") == first
    with tarfile.open(fileobj=io.BytesIO(first)) as tar:
        files: dict[str, bytes] = {}
        for member in tar:
            content = tar.extractfile(member)
            assert content is not None
            files[member.name.partition("/")[2]] = content.read()
    (row,) = csv.DictReader(io.StringIO(files["manifest.csv"].decode()))
    for suffix in ("qcir", "qdimacs", "aig"):
        packed_file = files[f"hex-network_2x2_d3_pairing.{suffix}"]
        assert row[f"sha256 {suffix}"] == hashlib.sha256(packed_file).hexdigest()
    assert f"expected_verdict: {row['value']}" in files["hex-network_2x2_d3_pairing.yml"].decode()
    assert {"README.md", "qsage.xml", "value.prp", "tools/qsage.py"} < files.keys()


def test_a_certificate_that_proves_nothing_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = make.qsage

    def doubting(*words: str) -> dict[str, object]:
        return {"verdict": "refuted"} if words[0] == "validate" else real(*words)

    monkeypatch.setattr(make, "qsage", doubting)
    with pytest.raises(SystemExit, match="hex-network_2x2_d3_pairing: the certificate is refuted"):
        make.fill(tmp_path, ONE)


@pytest.mark.parametrize(
    ("output", "code", "answer"),
    [
        (["s cnf 1\n"], 10, "true"),
        (["warning: x\n", "s cnf 0\n"], 20, "false"),
        ([], 3, "unknown"),
        (["s cnf 1\n"], 20, "error"),
        (["s cnf 1\n", "s cnf 0\n"], 10, "error"),
        ([], 2, "error"),
    ],
)
def test_benchexec_is_told_what_line_and_exit_code_agree_on(
    monkeypatch: pytest.MonkeyPatch, output: list[str], code: int, answer: str
) -> None:
    """BenchExec is not installed here: its constants and the base class have stand-ins."""
    result = SimpleNamespace(
        RESULT_TRUE_PROP="true",
        RESULT_FALSE_PROP="false",
        RESULT_UNKNOWN="unknown",
        RESULT_ERROR="error",
    )
    package, tools, template = (
        ModuleType(f"benchexec{x}") for x in ("", ".tools", ".tools.template")
    )
    monkeypatch.setattr(package, "result", result, raising=False)
    monkeypatch.setattr(template, "BaseTool2", object, raising=False)
    for module in (package, tools, template):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    loaded: dict[str, Any] = runpy.run_path(str(make.HERE / "benchexec" / "tools" / "qsage.py"))
    run = SimpleNamespace(output=output, exit_code=SimpleNamespace(value=code))
    assert loaded["Tool"]().determine_result(run) == answer


def test_a_place_that_is_none_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(make, "fill", None)
    for place, told in (
        (tmp_path, "found a directory, expected"),
        (tmp_path / "file" / "p", "ile"),
    ):
        monkeypatch.setattr("sys.argv", ["make.py", "--only", ONE[0].name, "-o", str(place)])
        with pytest.raises(SystemExit, match="2"):
            make.main()
        assert told in capsys.readouterr().err.splitlines()[-1]
