"""Alarms end with their block, whenever they ring."""

from __future__ import annotations

import signal
import time

import pytest

from qsage_validate.errors import UndecidedError
from qsage_validate.system.limits import Deadline
from qsage_validate.system.signals import alarm


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_no_alarm_outlives_its_block() -> None:
    """Rung on the way in or out, it kept ringing every half second, in whatever came later."""
    rung = 0
    for k in range(1000):
        try:
            with alarm(Deadline.after(0.0003 * (k % 3) - 0.0001), "the test waits"):
                end = time.perf_counter() + 0.0004
                while time.perf_counter() < end:
                    pass
        except UndecidedError:
            rung += 1
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert rung
