"""Where the processes of ``qsage`` and ``qsage-play`` begin.

Loading the modules of a command takes a tenth of a second, in which somebody may press Ctrl-C:
it is answered like any other one. So this module itself imports next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys


def main(name: str = "qsage") -> None:
    """Run ``qsage`` on the arguments of the process, and exit."""
    # PySAT imports py-aiger-cnf where it is installed, a third of its start; no command uses it.
    # None in sys.modules is Python's documented way to make an import raise ModuleNotFoundError.
    # PySAT catches that. A program that imports the package keeps its own py-aiger-cnf.
    sys.modules["aiger_cnf"] = None  # type: ignore[assignment]
    # numpy's OpenBLAS makes a thread for each further core when it is loaded. The commands multiply
    # small matrices only, so that these threads cost each start time and memory, and save nothing.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    limit = _address_space()
    if limit is None:
        sys.exit(_run(name))
    from qsage_validate.cli.watched import run_watched

    sys.exit(run_watched(lambda: _run(name), limit))


def _address_space() -> int | None:
    """The limit of this process's address space in bytes, where there is one."""
    try:
        import resource
    except ImportError:  # a system other than Unix
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def _run(name: str) -> int:
    """The exit code of a program, whose errors have become lines."""
    try:
        from qsage_validate.cli import app

        code = app.run(app.PROGRAMS[name], sys.argv[1:], name)
    except BaseException as error:
        from qsage_validate.cli.streams import was_interrupt

        if not was_interrupt(error):
            raise
        code = 130  # Exit.INTERRUPTED, which may not have been loaded
        if sys.stderr is not None:
            print("qsage: interrupted", file=sys.stderr)
    finally:
        # A second Ctrl-C would end the last steps of Python with a traceback.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # CPython remembers a Ctrl-C that has left exec() of a text, as of dataclasses: "python -m"
    # would then end by the signal. The next text that is evaluated clears that.
    try:
        eval("0")
    except MemoryError:
        return code  # the command has ended, and has said that there is none
    return code


def play_main() -> None:
    """Run ``qsage-play``, which is ``qsage play``, on the arguments of the process, and exit."""
    main("qsage-play")
