from __future__ import annotations

import pickle
import subprocess
import sys
from math import inf
from threading import Event

import pytest

from qsage_validate.errors import CancelledError, UndecidedError
from qsage_validate.system import limits
from qsage_validate.system.limits import NEVER, Deadline

pytestmark = pytest.mark.slow


def test_a_deadline_comes() -> None:
    deadline = Deadline.after(100)
    assert 99 < deadline.left() <= 100
    assert deadline.left(5) == 5
    assert not deadline.over
    deadline.check("it was waited for")
    assert deadline.seconds == 100


def test_one_that_has_passed_has_nothing_left() -> None:
    deadline = Deadline.after(-1)
    assert deadline.over
    assert deadline.left() == 0
    assert deadline.share(0.5).over
    assert deadline.sooner(10).over
    assert not deadline.later(10).over
    with pytest.raises(UndecidedError, match=r"^time is up while it was waited for$"):
        deadline.check("it was waited for")


def test_one_that_never_comes_needs_no_other_questions() -> None:
    assert Deadline.after(None) == NEVER
    assert NEVER.left() == inf
    assert NEVER.left(3) == 3
    assert not NEVER.over
    assert NEVER.share(0.5) == NEVER
    assert NEVER.later(5) == NEVER
    assert NEVER.sooner(inf) == NEVER
    assert 4 < NEVER.sooner(5).left() <= 5
    assert 4 < NEVER.or_after(5).left() <= 5


def test_parts_of_a_deadline() -> None:
    deadline = Deadline.after(100)
    assert 49 < deadline.share(0.5).left() <= 50
    assert 9 < deadline.sooner(10).left() <= 10
    assert deadline.sooner(1000) is deadline
    assert deadline.later(10) is deadline
    assert deadline.or_after(10) is deadline
    assert 999 < deadline.later(1000).left() <= 1000


def test_patience_is_work_and_not_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with other work takes longer by the clock, and no answer is another one."""
    work = [100.0]
    monkeypatch.setattr(limits, "worked", lambda: work[0])
    deadline = Deadline.after(1000)
    patience = deadline.sooner_by_work(10)
    assert patience.left() == 10
    assert patience.sooner_by_work(20).left() == 10
    assert patience.share(0.5).left() == 5
    assert patience.sooner(500).left() == 10
    arrived = pickle.loads(pickle.dumps(patience))
    work[0] += 4
    assert patience.left() == 6
    assert not patience.over
    assert arrived.left() == 6
    work[0] += 6
    assert patience.over
    assert patience.share(0.5).over
    assert not deadline.over
    assert not patience.without_time.over


def test_patience_ends_by_the_clock_where_nobody_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that waits for another one does no work; a deadline comes all the same."""
    time = [0.0]
    monkeypatch.setattr(limits, "worked", lambda: 0.0)
    monkeypatch.setattr(limits, "now", lambda: time[0])
    patience = NEVER.or_after_work(10)
    time[0] = 199
    assert not patience.over
    time[0] = 200
    assert patience.over
    deadline = Deadline.after(5)
    assert deadline.or_after_work(1) is deadline
    assert deadline.sooner_by_work(1).left() == 1
    time[0] = 205
    assert deadline.sooner_by_work(1).over


_ARRIVES = "import pickle, sys; print(pickle.load(sys.stdin.buffer).left())"
_BY_PROCESSOR = """
import pickle, sys, time
from qsage_validate.system.limits import count_processor_time
from qsage_validate.system.limits import NEVER, Deadline
count_processor_time()
deadlines = Deadline.after(100), NEVER
sys.stdout.buffer.write(pickle.dumps(deadlines))
"""


@pytest.mark.parametrize("deadline", [Deadline.after(1000), NEVER])
def test_it_is_the_same_moment_in_another_process(deadline: Deadline) -> None:
    assert pickle.loads(pickle.dumps(deadline)) == deadline
    words = [sys.executable, "-c", _ARRIVES]
    left = subprocess.run(words, input=pickle.dumps(deadline), capture_output=True, check=True)
    assert deadline.left() <= float(left.stdout) <= deadline.left() + 60


def test_what_is_left_of_processor_time_begins_anew() -> None:
    words = [sys.executable, "-c", _BY_PROCESSOR]
    sent = subprocess.run(words, capture_output=True, check=True).stdout
    deadline, never = pickle.loads(sent)
    assert 95 < deadline.left() <= 100
    assert never == NEVER


def test_whoever_waits_can_call_it_off() -> None:
    stopped = Event()
    deadline = Deadline.after(None, stopped.is_set)
    parts = [deadline, deadline.sooner(60), deadline.or_after(60), deadline.without_time]
    assert not any(part.over for part in parts)
    stopped.set()
    assert all(part.over and part.left() == 0.0 for part in parts)
    with pytest.raises(CancelledError):
        deadline.check("something")
    assert not pickle.loads(pickle.dumps(deadline)).over, "another process is stopped by its own"
