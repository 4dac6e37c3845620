"""Where the processes of ``qsage`` and ``qsage-play`` begin.

Loading the modules of a command takes a tenth of a second, in which somebody may press Ctrl-C:
it is answered like any other one. So this module itself imports next to nothing.
"""

import sys


def main() -> None:
    """Run ``qsage`` on the arguments of the process, and exit."""
    try:
        from qsage_validate.cli import app

        app.main()
    except KeyboardInterrupt:
        _interrupted()


def play_main() -> None:
    """Run ``qsage-play``, which is ``qsage play``, on the arguments of the process, and exit."""
    try:
        from qsage_validate.cli import app

        app.play_main()
    except KeyboardInterrupt:
        _interrupted()


def _interrupted() -> None:
    if sys.stderr is not None:
        print("qsage: interrupted", file=sys.stderr)
    sys.exit(130)  # Exit.INTERRUPTED, which may not have been loaded
