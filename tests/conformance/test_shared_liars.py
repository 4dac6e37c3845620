"""Files of which something false was once said: none of it is said again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import run_qsage

BAD_INPUT, REFUTED = 2, 1

# Folder, formula, certificate, further words, and the exit code.
LIARS = [
    ("01-missing-white-move", "X.qcir", "X.aag", ["--model", "Y.pg"], REFUTED),
    ("01-missing-white-move", "X.qcir", "X.aag", ["--model", "ab.pg"], REFUTED),
    ("01-missing-white-move", "A.qcir", "A.aag", [], REFUTED),
    ("01-missing-white-move", "G.qcir", "G.aag", [], REFUTED),
    ("04-encoding-universal", "dom_u.qcir", None, [], REFUTED),
    ("04-encoding-universal", "flip.qcir", None, [], BAD_INPUT),
    ("05b-levels-alone", "peek.qcir", "peek.aag", [], REFUTED),
    ("05b-levels-alone", "peek.qcir", "peek.aag", ["--level", "dependencies"], REFUTED),
    ("06-spare-ply", "depth2.qcir", None, [], REFUTED),
    ("07-crash-widths", "goal-gate.qcir", "goal-gate.aag", [], BAD_INPUT),
    ("07-crash-widths", "goal-width.qcir", None, [], BAD_INPUT),
    ("07-crash-widths", "list-short.qcir", "list-short.aag", [], REFUTED),
    ("07-crash-widths", "move-width.qcir", None, [], BAD_INPUT),
    ("08-table-fewer-plies", "E.qcir", "E.aag", [], REFUTED),
    ("08-table-fewer-plies", "X1.qcir", "X1.aag", ["--model", "Y2.pg"], REFUTED),
    ("08-table-fewer-plies", "X2.qcir", "X2.aag", ["--model", "Y2.pg"], REFUTED),
    ("08-table-fewer-plies", "X2.qcir", "X2.aag", ["--model", "Y3.pg"], BAD_INPUT),
    ("10-trace-claim", "t.qdimacs", "t.aag", ["--trace", "t.qrp"], REFUTED),
]


def folder_of(shared_data: Path, name: str) -> Path:
    place = shared_data / "liars" / name
    if not place.is_dir():
        pytest.skip("the folder of lying files is not there")
    return place


@pytest.mark.parametrize(
    ("folder", "formula", "certificate", "more", "code"),
    LIARS,
    ids=lambda value: "-".join(value) if isinstance(value, list) else str(value),
)
def test_nothing_false_is_said(
    shared_data: Path,
    capsys: pytest.CaptureFixture[str],
    folder: str,
    formula: str,
    certificate: str | None,
    more: list[str],
    code: int,
) -> None:
    place = folder_of(shared_data, folder)
    words = ["validate", str(place / formula), "--json"]
    words += [] if certificate is None else ["--cert", str(place / certificate)]
    words += [str(place / word) if (place / word).is_file() else word for word in more]
    assert run_qsage(words) == code
    out, err = capsys.readouterr()
    if code == BAD_INPUT:
        assert out == ""
        assert err.count("\n") == 1
        return
    read = json.loads(out)
    assert read["verdict"] == "refuted"
    assert "game" not in {said["about"] for said in read["statements"]}


def test_functions_that_peek_prove_no_formula(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder_of(shared_data, "05b-levels-alone")
    words = ["validate", str(place / "peek.qcir"), "--cert", str(place / "peek.aag")]
    assert run_qsage([*words, "--level", "formula", "--json"]) == 3
    read = json.loads(capsys.readouterr().out)
    assert read["verdict"] == "undecided"
    assert read["statements"] == []
    assert "reads 2" in read["levels"][0]["text"]


def test_a_trace_speaks_for_itself(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = folder_of(shared_data, "10-trace-claim")
    words = ["validate", str(place / "t.qdimacs"), "--cert", str(place / "t.aag")]
    words += ["--trace", str(place / "t.qrp"), "--level", "trace", "--json"]
    assert run_qsage(words) == 0
    read = json.loads(capsys.readouterr().out)
    assert [(said["about"], said.get("value")) for said in read["statements"]] == [
        ("formula", True)
    ]
