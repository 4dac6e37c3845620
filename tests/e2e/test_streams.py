"""Streams that are closed or full: data is data, and the exit code is that of the work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system"),
]
GAME = "httt --size 3x3 --shape el --depth 3"


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A line of a shell, in which ``qsage`` is the command."""
    qsage = f"{sys.executable} -m qsage_validate"
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("qsage ", f"{qsage} ", 1)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip


def test_narration_never_gets_into_the_data(tmp_path: Path) -> None:
    done = shell(f"qsage encode {GAME} -o - 2>&-", tmp_path)
    assert done.returncode == Exit.FINE
    assert done.stdout.startswith("#QCIR-G14")
    assert "scopes," not in done.stdout
    done = shell(f"qsage encode {GAME} -o f.qcir --json 2>&-", tmp_path)
    assert done.returncode == Exit.FINE
    assert json.loads(done.stdout)["file"] == "f.qcir"
    # A file that is opened does not get the number of standard error, into which a library prints.
    assert (tmp_path / "f.qcir").read_text().startswith("#QCIR-G14")


@pytest.mark.parametrize(
    ("line", "begins", "told"),
    [
        ("compare f.qcir f.qcir --cert c.aag -o - --as qbfcert-ascii", "aag ", "f.qcir: wins: "),
        ("explain f.qcir --write-certificate e.aig --write-formula -", "#QCIR", "\nProved: "),
        ("explain f.qcir --no-boards -o -", "White wins ", "\nProved: "),
        ("validate f.qcir c.aag --level formula --report -", "<!DOCTYPE", "\nformula  "),
        ("layout sample:puzzle sample:puzzle.pg -o -", "#QCIR", "\n<stdout>: the layout is"),
        ("hex-strategy h.hexs -o c.aag --formula -", "#QCIR", "structure proved"),
    ],
)
def test_a_file_is_alone_on_standard_output(
    qsage: Qsage, line: str, begins: str, told: str
) -> None:
    assert qsage("certify", *GAME.split(), "-o", "c.aag", "--formula", "f.qcir").code == Exit.FINE
    assert qsage("hex-strategy", "--find", "2x2", "--save", "h.hexs").code == Exit.FINE
    done = qsage(*line.split())
    assert done.code == Exit.FINE
    assert done.out.startswith(begins)
    assert told in f"\n{done.err}"
    assert told not in done.out
    assert "found --json with output to '-'" in qsage(*line.split(), "--json").err
    folder = qsage("synthesize", "take-away-3", "-o", "-")
    assert (folder.code, folder.out) == (Exit.BAD_INPUT, "")


def test_two_files_on_standard_output_are_refused(qsage: Qsage) -> None:
    done = qsage("certify", *GAME.split(), "-o", "-", "--formula", "-")
    assert (done.code, done.out) == (Exit.BAD_INPUT, "")


@pytest.mark.parametrize("where", ["2>/dev/full", "2>&-"])
def test_the_exit_code_is_that_of_the_work(where: str, tmp_path: Path) -> None:
    done = shell(f"qsage encode {GAME} -o f.qcir {where}", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (Exit.FINE, "", "")
    assert (tmp_path / "f.qcir").read_text().endswith("\n")
    assert shell(f"qsage encode nowhere -o f.qcir {where}", tmp_path).returncode == Exit.BAD_INPUT


def test_data_that_nobody_gets_is_an_error(tmp_path: Path) -> None:
    for where in (">/dev/full", ">&-", ">&- 2>&-", "<&- >&- 2>&-", "<&- >/dev/full 2>/dev/full"):
        done = shell(f"qsage encode {GAME} -o f.qcir --json {where}", tmp_path)
        assert done.returncode == Exit.BAD_INPUT, where
        done = shell(f"qsage solve {GAME} {where}", tmp_path)
        assert done.returncode == Exit.BAD_INPUT, where


def test_what_was_found_is_written_though_nobody_reads_it(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    line = "qsage synthesize take-away-3 -q -o found --python winning.py >/dev/full"
    assert shell(line, tmp_path).returncode == Exit.BAD_INPUT
    assert (tmp_path / "found" / "report.txt").exists()
    assert (tmp_path / "winning.py").exists()


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("validate sample:tic sample:tic.aig --level formula --report r.html --proof p",
         "r.html p/formula.cnf"),
        ("layout sample:puzzle sample:puzzle.pg -o r.qcir", "r.qcir"),
        (f"solve {GAME} --solution s.qsol", "s.qsol"),
        (f"certify {GAME} -o - --formula f.qcir", "f.qcir"),
        (f"certify {GAME} -o c.aag --formula -", "c.aag"),
        ("play sample:tic sample:tic.aig --moves 'occupy(1,1)' --export p.json", "p.json"),
    ],
)  # fmt: skip
def test_files_are_written_whole_before_it_is_an_error_that_nobody_reads(
    line: str, files: str, tmp_path: Path
) -> None:
    done = shell(f"qsage {line} >/dev/full", tmp_path)
    assert done.returncode == Exit.BAD_INPUT
    assert done.stderr.endswith("qsage: error: No space left on device\n")
    for name in files.split():
        assert (tmp_path / name).stat().st_size, name


def test_work_without_data_needs_no_streams(tmp_path: Path) -> None:
    for where in (">/dev/full", ">&-", "<&- >&- 2>&-", "<&- >/dev/full 2>/dev/full"):
        done = shell(f"qsage encode {GAME} -o f.qcir {where}", tmp_path)
        assert done.returncode == Exit.FINE, (where, done.stderr)
        assert (tmp_path / "f.qcir").read_text().startswith("#QCIR-G14")
        (tmp_path / "f.qcir").unlink()
