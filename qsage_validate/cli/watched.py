"""Commands in a limited address space, loaded there alone: a library's death is no answer.

Libraries in C end the process where they get no memory: OpenBLAS by exit code 1, which would mean
"refuted", others by a signal.  So where the address space is limited (``ulimit -v``) the command
runs in a child, which reports its exit code before it ends.  A child that ends without has run out
of memory.  Without such a limit nothing is forked, and this module is not loaded.
"""

import os
import signal
import sys
from collections.abc import Callable

_UNDECIDED = 3  # Exit.UNDECIDED, which is not loaded: there may be no memory for more modules


def _known(*names: str) -> tuple[signal.Signals, ...]:
    # As in system.signals, which is not loaded for the same reason.
    return tuple(getattr(signal, name) for name in names if hasattr(signal, name))


_PASSED_ON = _known("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
# Signals by which a process ends itself, or is ended for what it does.
_DEATHS = _known("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE")
_SENT_BY_A_PROCESS = 0  # si_code SI_USER
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def run_watched(work: Callable[[], int], limit: int) -> int:
    """The exit code of ``work``, done in a child; ``limit`` is that of the address space in bytes.

    Signals are passed on to the child, and a child that was ended or stopped by one does the same
    to this process.
    """
    awaited = {signal.SIGCHLD, *_PASSED_ON}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    reports, report = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reports)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _work(work, report)
    os.close(report)
    status = _wait(child, awaited)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    with os.fdopen(reports, "rb") as pipe:
        reported = pipe.read()
    if reported:
        return int(reported)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) not in _DEATHS:
        ended = os.WTERMSIG(status)
        if ended != signal.SIGKILL:
            signal.signal(ended, signal.SIG_DFL)
        os.kill(os.getpid(), ended)
    if sys.stderr is not None:
        megabytes = limit // 1_000_000
        print(
            f"qsage: undecided: out of memory (the address space is limited to {megabytes:,} MB)",
            file=sys.stderr,
        )
    return _UNDECIDED


def _work(work: Callable[[], int], report: int) -> None:
    """Do the work, report its exit code, and end."""
    _die_with_the_parent()
    if sys.stderr is not None:
        _silence_libraries()
    try:
        code = work()
    except SystemExit as end:  # a signal that asks the command to end
        code = end.code if isinstance(end.code, int) else 1
    if sys.stdout is not None:
        sys.stdout.flush()
    os.write(report, str(int(code)).encode())
    sys.exit(code)


def _silence_libraries() -> None:
    """Give standard error another descriptor: what C libraries write to theirs is lost.

    Several lines of theirs would stand before the one that says what has happened.
    """
    own = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.close(null)
    given = sys.stderr
    sys.stderr = open(own, "w", encoding=given.encoding, errors=given.errors, buffering=1)  # noqa: SIM115
    sys.__stderr__ = sys.stderr  # type: ignore[misc]  # the board paints there
    try:
        import logging
    except (ImportError, MemoryError):
        return
    # Python's own library does the same: hashlib logs what it cannot load.
    logging.getLogger().addHandler(logging.NullHandler())


def _die_with_the_parent() -> None:
    """Where the system can, end when the parent has been killed."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)
    except (ImportError, OSError, AttributeError, MemoryError):
        pass


def _wait(child: int, awaited: set[signal.Signals]) -> int:
    """The status with which the child has ended."""
    while True:
        told = signal.sigwaitinfo(awaited)
        if told.si_signo == signal.SIGCHLD:
            found, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
            if found and os.WIFSTOPPED(status):
                # The shell waits for this process; its SIGCONT goes to both.
                os.kill(os.getpid(), signal.SIGSTOP)
            elif found:
                return status
        elif told.si_code == _SENT_BY_A_PROCESS:
            # The terminal sends its own signals to the child as well.
            os.kill(child, told.si_signo)
