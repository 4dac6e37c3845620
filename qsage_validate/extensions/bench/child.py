"""A run in a process of its own, so that whatever happens to it is a result and no failure.

The process is started afresh and told its run through standard input, which stays open: when it
is closed, no parent waits for the result, and the process ends itself with all that it has
started in its group.  Its answer is one JSON line on standard output; what the run or its libraries
print goes to standard error.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from dataclasses import replace
from importlib import import_module
from typing import IO, Final, cast

from qsage_validate.errors import InputError, QsageError, UndecidedError, one_line
from qsage_validate.extensions.bench.experiment import (
    Experiment,
    Json,
    Run,
    RunResult,
    machine_facts,
    result_from_json,
    run_from_json,
)
from qsage_validate.formats.json_text import parse_json
from qsage_validate.formats.source import Source
from qsage_validate.system.limits import Stopwatch, count_processor_time, now
from qsage_validate.system.memory import limit_memory, resources_used
from qsage_validate.system.programs import PREFIX, mark_folder, remove_left
from qsage_validate.system.signals import kill_group

# A run keeps its time limit itself; so much later it is ended.
_GRACE_SECONDS: Final = 20.0
# A long task may also need long to say so.
_GRACE_SHARE: Final = 0.1
# A second of a processor may take so many on a busy machine; a program may also wait for ever.
_WALL_PER_PROCESSOR: Final = 20.0
_OUTPUT: Final = "output"
_ERRORS: Final = "errors"


class Child:
    """One run in a process; :meth:`wait` for it, or :meth:`kill` it from another thread.

    ``reference`` says where its experiment is: ``module:attribute``.
    """

    def __init__(self, reference: str, run: Run) -> None:
        self._run = run
        self._watch = Stopwatch()
        self._ended = False
        # Removed when the process was waited for, with what a process that was killed left there.
        remove_left()
        self._folder = tempfile.mkdtemp(prefix=PREFIX)
        self._mark = mark_folder(self._folder)
        paths = os.pathsep.join(filter(None, sys.path))
        try:
            with self._file(_OUTPUT, "wb") as output, self._file(_ERRORS, "wb") as errors:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "qsage_validate.extensions.bench.child"],
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=errors,
                    env=dict(os.environ, PYTHONPATH=paths, TMPDIR=self._folder),
                    start_new_session=True,
                )
        except OSError:
            os.close(self._mark)
            _remove(self._folder)
            raise
        self._tell({"experiment": reference, "run": run.to_dict(), "folder": self._folder})

    def wait(self) -> tuple[RunResult, Json]:
        """The result, and the facts of the machine; the process and its group have ended."""
        timeout = None
        if self._run.seconds is not None:
            timeout = self._run.seconds * (1 + _GRACE_SHARE) + _GRACE_SECONDS
            if self._run.processor_time:
                timeout *= _WALL_PER_PROCESSOR
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            why = "it did not keep its limit, and was ended"
            return self._without_answer("timeout", why), machine_facts()
        finally:
            self.kill()
            self._ended = True
            if self._process.stdin is not None:
                self._process.stdin.close()
            output, errors = self._content(_OUTPUT), self._content(_ERRORS)
            os.close(self._mark)
            _remove(self._folder)
        try:
            answer = parse_json(Source.decode(output), "an answer")
            return result_from_json(answer["result"], self._run.experiment), dict(
                answer["machine"].mapping()
            )
        except InputError:
            return self._without_answer(*self._ending(code, errors)), machine_facts()

    def kill(self) -> None:
        """End the process and all that it has started in its group."""
        if self._ended:
            return  # the number may belong to another group by now
        if not kill_group(self._process.pid):
            self._process.kill()
        self._process.wait()

    def _file(self, name: str, mode: str) -> IO[bytes]:
        return cast("IO[bytes]", open(os.path.join(self._folder, name), mode))

    def _content(self, name: str) -> bytes:
        try:
            with self._file(name, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""  # removed by another program; the exit of the process is known

    def _tell(self, request: Json) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            # It ended at once; wait() says how.
            pass

    def _without_answer(self, status: str, why: str) -> RunResult:
        return RunResult(status, decided=False, seconds=self._watch.seconds, why=why)

    def _ending(self, code: int, errors: bytes) -> tuple[str, str]:
        """Status and explanation for a process that ended without an answer."""
        last = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
        how = f"signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"exit code {code}"
        return "crashed", one_line(f"it ended with {how}" + (f": {last}" if last else ""))


def _remove(folder: str) -> None:
    """Remove a run's folder; a program that is just being killed may still write there."""
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.05)


def run_in_child(reference: str, run: Run) -> tuple[Json, Json]:
    """The result of a run in a process of its own, and the machine's facts, both as JSON.

    This is the task that a cluster's workers get.
    """
    result, facts = Child(reference, run).wait()
    return result.to_dict(), facts


def find_experiment(reference: str) -> Experiment:
    """The experiment at ``module:attribute``."""
    module, _, attribute = reference.partition(":")
    experiment = getattr(import_module(module), attribute)
    assert isinstance(experiment, Experiment)
    return experiment


def main() -> None:
    """The work of the process."""
    answers = os.dup(1)
    os.dup2(2, 1)
    request = parse_json(Source.decode(sys.stdin.buffer.readline()), "a request")
    threading.Thread(target=_end_with_caller, args=(request["folder"].text(),), daemon=True).start()
    run = run_from_json(request["run"])
    result = _executed(find_experiment(request["experiment"].text()), run)
    answer = {"result": result.to_dict(), "machine": machine_facts()}
    with os.fdopen(answers, "wb") as stream:
        stream.write(json.dumps(answer).encode())


def _end_with_caller(folder: str) -> None:
    """Wait for the end of standard input, and end the group; nothing of it stays behind."""
    while os.read(0, 1 << 16):
        pass
    _remove(folder)
    if not kill_group(0):
        os._exit(1)


def _executed(experiment: Experiment, run: Run) -> RunResult:
    started = now()
    status, why = "crashed", ""
    try:
        if run.processor_time:
            count_processor_time()
            started = now()
        if run.memory_mb is not None:
            limit_memory(run.memory_mb)
        result = experiment.execute(run)
    except UndecidedError as error:
        status, why = "undecided", str(error)
    except MemoryError:
        status, why = "memory", f"more than {run.memory_mb} MB needed"
    except QsageError as error:
        status, why = "failed", str(error)
    except Exception as error:  # noqa: BLE001 (a run that fails is a result)
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
        why = one_line(f"{type(error).__name__}: {error} ({place})")
    else:
        return _measured(result)
    return _measured(RunResult(status, decided=False, seconds=now() - started, why=why))


def _measured(result: RunResult) -> RunResult:
    """The result with processor time and memory of this process, where the run does not say."""
    cpu, peak = resources_used()
    return replace(
        result,
        cpu_seconds=cpu if result.cpu_seconds is None else result.cpu_seconds,
        peak_mb=peak if result.peak_mb is None else result.peak_mb,
    )


if __name__ == "__main__":
    main()
