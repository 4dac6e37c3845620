"""Work that is watched: it says what it does, and hears where it is that it was called off."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest

from qsage_validate.circuit.aig import Aig
from qsage_validate.cli.common import SearchLine, narrate
from qsage_validate.errors import CancelledError, UsageError
from qsage_validate.formats.source import sample_path
from qsage_validate.play.tui.start import Background
from qsage_validate.problems.load import Files, load
from qsage_validate.system.limits import Progress, Task, go_on, stage
from tests.unit.formats.test_formats_aiger import large_graph


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nobody_watches_other_threads() -> None:
    stage("reading")
    go_on()
    released = threading.Event()
    work = Background(released.wait)
    work.task.close()
    go_on()  # of this thread nothing was called off
    released.set()
    assert work.wait(10)
    assert work.result() is True


def test_reading_says_its_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(Task, "tell", lambda self, progress: told.append(str(progress)))
    files = Files(formula=sample_path("sample:tic"), certificate=sample_path("sample:tic.aig"))
    work = Background(lambda: load(files))
    assert work.wait(60)
    assert work.result().certificate is not None
    assert told[:3] == ["reading the formula", "reading the certificate", "reading 201 gates"]


def test_loops_over_gates_hear_that_they_were_called_off() -> None:
    aig: Aig = large_graph(200_000)
    begun, seen = threading.Event(), [0]

    def work() -> None:
        for _ in range(10_000):
            for _ in aig.pairs():
                seen[0] += 1
                begun.set()

    background = Background(work)
    assert begun.wait(10)
    background.task.cancel()
    assert background.wait(20)
    with pytest.raises(CancelledError):
        background.result()
    assert 0 < seen[0] < 10_000 * aig.num_gates


def test_tasks_inside_are_called_off_with_the_whole() -> None:
    ready, stopped = threading.Event(), threading.Event()

    def work() -> bool:
        deadline = Task().deadline(None)
        assert not deadline.over
        ready.set()
        stopped.wait(10)
        return deadline.over

    background = Background(work)
    assert ready.wait(10)
    background.task.close()
    stopped.set()
    assert background.wait(10)
    assert background.result()


def test_what_work_raises_is_raised_where_its_result_is_asked_for() -> None:
    def work() -> None:
        raise UsageError("found nothing")

    background = Background(work)
    assert background.wait(10)
    with pytest.raises(UsageError, match="found nothing"):
        background.result()


def test_lines_for_people_wait_while_the_screen_is_in_use(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    terminal = Terminal()

    def work() -> None:
        narrate("a certificate was made")
        with SearchLine(terminal) as line:
            line.tell(Progress("check"))

    background = Background(work)
    assert background.wait(10)
    background.result()
    assert background.task.notes == ["a certificate was made"]
    assert terminal.getvalue() == ""
    assert capsys.readouterr().err == ""
    with SearchLine(terminal) as line:
        line.tell(Progress("check"))
    assert "proving the certificate" in terminal.getvalue()
