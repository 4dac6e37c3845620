"""``--timeout`` and ``--memory`` hold for reading and unpacking, too."""

from __future__ import annotations

import gzip
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from qsage_validate.errors import Exit, UndecidedError
from qsage_validate.formats import source
from qsage_validate.system.limits import Deadline
from qsage_validate.system.reading import reading, reads_within
from tests.support.command_tree import Leaf, leaves
from tests.support.commands import run_qsage
from tests.unit.cli.test_special_files import READS


def limited(leaf: Leaf) -> set[str]:
    """The limits of a command as a whole."""
    return {p.name for p in leaf.command.params if getattr(p, "panel", None) == "Limits"} & {
        "timeout",
        "memory",
    }


READING = [
    (leaf, parameter.name)
    for leaf in leaves()
    if "timeout" in limited(leaf)
    for parameter in leaf.takes_text()
    if parameter.param_type_name == "argument"
    and any(r in parameter.metavar for r in READS)
    # A bundle's folder is opened as a folder, and words are read as a formula only.
    and (str(leaf), parameter.name)
    not in {
        ("verify", "folder"),
        ("validate", "behind"),
        ("minimise", "behind"),
    }
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def pipe() -> Iterator[str]:
    """A pipe that nobody writes to; somebody does after a while, so that no test hangs."""
    os.mkfifo("pipe.qcir")
    ended = threading.Event()

    def release() -> None:
        if not ended.wait(20):
            Path("pipe.qcir").write_text("")

    waiting = threading.Thread(target=release, daemon=True)
    waiting.start()
    yield "pipe.qcir"
    ended.set()
    waiting.join()


def test_the_commands_that_have_limits() -> None:
    names = {str(leaf) for leaf, _ in READING}
    assert names >= {"solve", "certify", "validate", "minimise", "synthesize"}


@pytest.mark.parametrize(
    ("leaf", "name"), READING, ids=[f"{leaf} {name}" for leaf, name in READING]
)
def test_a_pipe_that_nobody_writes_to_ends_in_time(
    leaf: Leaf, name: str, pipe: str, capsys: pytest.CaptureFixture[str]
) -> None:
    second = [pipe] if str(leaf) in ("compare", "minimise", "layout") else []
    others = {"formula": "sample:tic", "behind": "x"}
    values = others if str(leaf) == "export page" else {}
    code = run_qsage([*leaf.line(**{**values, name: pipe}), *second, "--timeout", "0.3"])
    out, err = capsys.readouterr()
    assert (code, out) == (Exit.UNDECIDED, ""), err
    assert err == "qsage: undecided: time is up while reading\n"


def test_standard_input_is_limited_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(source, "_streams", {})
    ours, theirs = os.pipe()
    with os.fdopen(ours) as stream, os.fdopen(theirs, "w"):
        monkeypatch.setattr(sys, "stdin", stream)
        assert run_qsage(["solve", "-", "--timeout", "0.3"]) == Exit.UNDECIDED
    assert "time is up while reading" in capsys.readouterr().err


# The timer may ring where an exception gets lost, such as in a callback; it rings again.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("words", [["solve", "f.qcir"], ["certify", "f.qcir", "-o", "c.aig"]])
def test_unpacking_and_parsing_are_limited(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # However quick the machine is, time is up before the file is read.
    monkeypatch.setattr(f"{reading.__module__}._LEAST_SECONDS", 0.01)
    lines = io.StringIO()
    lines.write("#QCIR-G14\nexists(1)\noutput(400000)\n")
    for gate in range(2, 400_001):
        lines.write(f"{gate} = and({gate - 1}, 1)\n")
    Path("f.qcir").write_bytes(gzip.compress(lines.getvalue().encode(), 1))
    assert run_qsage([*words, "--timeout", "0.01"]) == Exit.UNDECIDED
    assert "time is up while reading" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_a_file_that_does_not_fit_is_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    with open("f.qcir", "wb") as file:
        file.truncate(1 << 31)
    assert run_qsage(["solve", "f.qcir", "--memory", "100"]) == Exit.UNDECIDED
    assert capsys.readouterr().err == ("qsage: undecided: more than 100 MB needed while reading\n")


def test_nothing_of_a_limit_stays() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with (
        pytest.raises(UndecidedError),
        reads_within(Deadline.after(0.0), 1),
        reading(),
        reading(),
    ):
        threading.Event().wait(20)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    with reading():
        assert signal.getsignal(signal.SIGALRM) is before
