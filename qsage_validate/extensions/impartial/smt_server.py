"""The process that z3 runs in: one JSON line in, one out, until the input ends.

z3 does not always honour its time limit, and cannot be stopped from within; a process can.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any, Final

from qsage_validate.system.limits import Stopwatch

# Seeds, and the share of the time that is left then; odd ones use z3's tactic for linear
# integer arithmetic.
_ATTEMPTS: Final = ((0, 0.15), (7, 0.3), (2, 0.4), (11, 1.0))


def main(memory_mb: int) -> None:
    """Answer questions ``{"text": SMT-LIB, "milliseconds": limit}`` from standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    import z3

    if memory_mb:
        z3.set_param("memory_max_size", memory_mb)
    _say("ready")
    for line in sys.stdin:
        _say(json.dumps(_answer(z3, json.loads(line))))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _leave_with(parent: int) -> None:
    """End when the parent process was killed: nothing else would stop a long check."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _answer(z3: Any, question: dict[str, Any]) -> dict[str, object]:
    """Try several times, with other random choices and more time each time.

    How long z3 takes varies by orders of magnitude with its choices. Each attempt has a context
    of its own, so that the answer does not depend on earlier questions.
    """
    left = max(1, question["milliseconds"])
    answer: dict[str, object] = {}
    for seed, share in _ATTEMPTS:
        watch = Stopwatch()
        limit = max(1, int(left * share))
        answer = _attempt(z3, question["text"], seed, limit)
        left -= int(1000 * watch.seconds)
        if answer["status"] != "unknown" or left <= 0:
            break
    return answer


def _attempt(z3: Any, text: str, seed: int, milliseconds: int) -> dict[str, object]:
    context = z3.Context()
    try:
        solver = z3.SolverFor("QF_LIA", ctx=context) if seed % 2 else z3.Solver(ctx=context)
        solver.set("timeout", milliseconds)
        solver.set("random_seed", seed)
        solver.from_string(text)
        status = str(solver.check())
        if status == "sat":
            model = solver.model()
            values = {d.name(): model[d].as_long() for d in model.decls() if d.arity() == 0}
            return {"status": status, "model": values}
        reason = solver.reason_unknown() if status == "unknown" else ""
        return {"status": status, "reason": reason}
    except z3.Z3Exception as error:
        return {"status": "unknown", "reason": str(error)}


if __name__ == "__main__":
    main(int(sys.argv[1]))
