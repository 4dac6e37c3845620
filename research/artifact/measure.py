"""Run a step of smoke.sh or tables.sh: its time, its memory, and whether it ended as expected.

    python measure.py NAME OUTPUT CODES COMMAND ...

What the command prints goes to OUTPUT, which is there only when the exit code is one of CODES
(``0,3``); else it is kept in OUTPUT.failed, and the exit code is 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time


def main() -> int:
    """Run the step; returns the exit code."""
    name, output, codes, *command = sys.argv[1:]
    partial = f"{output}.failed"
    began = time.monotonic()
    with open(partial, "wb") as file:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
    code = process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    megabytes = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    fine = str(code) in codes.split(",")
    word = "ok" if fine else f"FAILED with exit code {code}: see {partial}"
    print(f"{seconds:8.1f} s {megabytes:7.0f} MB  {name}: {word}", flush=True)
    if fine:
        os.replace(partial, output)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
