from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tests.support.stuck import SIGNAL, ending_within

pytestmark = pytest.mark.skipif(SIGNAL is None, reason="the system has no signals to send")


def _sleeps() -> None:
    time.sleep(60)


def _reads() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
        finally:
            process.kill()


def _swallows() -> None:
    for _ in range(2):
        try:
            time.sleep(30)
        except BaseException:  # noqa: BLE001 - as an event loop does
            continue


@pytest.mark.parametrize("hang", [_sleeps, _reads])
def test_what_does_not_end_fails(hang: object) -> None:
    assert callable(hang)
    began = time.monotonic()
    with (
        pytest.raises(pytest.fail.Exception, match=r"did not end within 0\.1 s"),
        ending_within(0.1, again=0.05),
    ):
        hang()
    assert time.monotonic() - began < 30


def test_an_interruption_that_is_swallowed_comes_again() -> None:
    began = time.monotonic()
    with ending_within(0.1, again=0.05):
        _swallows()
    assert time.monotonic() - began < 30


_DEAF = (
    "signal.pthread_sigmask(signal.SIG_BLOCK, [SIGNAL]); signal.sigwait([signal.SIGTERM])",
    # The lock of the interpreter is held meanwhile.
    "ctypes.PyDLL(None).sleep(60)",
)


@pytest.mark.parametrize("deaf", _DEAF)
def test_who_hears_no_signal_is_ended_with_a_traceback(deaf: str) -> None:
    program = (
        "import ctypes, signal\n"
        "from tests.support.stuck import SIGNAL, ending_within\n"
        "with ending_within(0.1, again=0.02, deaf=0.5):\n"
        f"    {deaf}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=50
    )
    assert done.returncode == 1
    assert 'File "<string>", line 4' in done.stderr


def test_what_ends_in_time_is_left_alone() -> None:
    for _ in range(5):
        with ending_within(0.3, again=0.02):
            time.sleep(0.1)
    time.sleep(0.4)
