"""What the commands do differently where a person sits at a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pexpect
import pytest

from qsage_validate.errors import Exit
from tests.support.terminal import spawn

# Python 3.12 and later warn of forking while pytest-xdist's threads run.
pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")


def qsage(tmp_path: Path, *words: str) -> Any:
    return spawn(["qsage", *words], folder=tmp_path, encoding="utf-8")


def test_an_input_error_shows_the_line_and_a_caret(tmp_path: Path) -> None:
    (tmp_path / "f.qcir").write_text("exists(1)\noutput(2)\n2 = and(1, 77)\n")
    child = qsage(tmp_path, "info", "f.qcir")
    child.expect(pexpect.EOF)
    lines = child.before.splitlines()
    child.close()
    assert child.exitstatus == Exit.BAD_INPUT
    assert lines[0].startswith("f.qcir:3:12: found ")
    assert lines[1] == "  2 = and(1, 77)"
    assert lines[2] == "  " + " " * 11 + "^"


def test_ctrl_c_leaves_one_line_and_a_clean_terminal(tmp_path: Path) -> None:
    child = qsage(tmp_path, "solve", "httt", "--size", "6x6", "--shape", "skinny")
    child.expect("searching depth")
    child.sendintr()
    child.expect(pexpect.EOF)
    shown = child.before
    child.close()
    assert child.exitstatus == Exit.INTERRUPTED
    # The progress is wiped before the last line is written.
    assert shown.rpartition("\r\x1b[K")[2].strip() == "qsage: interrupted"


def test_progress_is_wiped_before_the_answer(tmp_path: Path) -> None:
    child = qsage(tmp_path, "certify", "httt", "--depth", "5", "-o", "tic.aig")
    child.expect(pexpect.EOF)
    shown = child.before
    child.close()
    assert child.exitstatus == 0
    assert "\r\x1b[Ksearching" in shown
    assert shown.rpartition("\r\x1b[K")[2].startswith("tic.aig: Skolem certificate")
