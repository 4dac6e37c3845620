"""``qsage`` and ``qsage-play`` without their start: each is forked where all is loaded already.

To start Python and load a command takes longer than most commands of a document.  So one process
loads all of them and waits at a socket (:func:`forking`); a program that is hardly more than that
socket (:func:`client`) hands it arguments, folder, environment and standard streams, and leaves
with the exit code of the process that was forked for it.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn

import qsage_validate
from qsage_validate.cli.app import PROGRAMS
from tests.support.commands import run_play, run_qsage
from tests.support.places import NEEDS_AN_EXTRA

_CLIENT: Final = """#!{python} -SE
import json, os, socket, sys

request = json.dumps([{name!r}, sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"%20d" % len(request)], [0, 1, 2])
    server.sendall(request)
    answer = server.recv(20)
sys.exit(int(answer))
"""


def client(name: str, address: Path) -> str:
    """The text of a program that runs ``name`` (``qsage`` or ``qsage-play``) by a server."""
    return _CLIENT.format(python=sys.executable, name=name, address=str(address))


@contextmanager
def forking(address: Path, variables: Mapping[str, str]) -> Iterator[None]:
    """A server at the socket ``address``, loaded under the environment ``variables``."""
    command = [sys.executable, "-m", "tests.support.forks", str(address)]
    with subprocess.Popen(
        command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        try:
            assert server.stdout.readline() == b"ready\n"
            yield
        finally:
            server.terminate()


@cache
def load_commands() -> None:
    """Load all that commands may need, and put their options together."""
    for module in pkgutil.walk_packages(qsage_validate.__path__, "qsage_validate."):
        if not module.name.endswith(("__main__", *NEEDS_AN_EXTRA)):
            importlib.import_module(module.name)
    waiting: list[Any] = list(PROGRAMS.values())
    while waiting:
        command = waiting.pop()
        command = getattr(command, "loaded", command)
        waiting += getattr(command, "commands", {}).values()
        assert command.params is not None


def _serve(address: str) -> NoReturn:
    load_commands()
    # No process looks at what is loaded here to find what is garbage.
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        while True:
            asked, _ = listener.accept()
            with asked:
                if os.fork() == 0:
                    listener.close()
                    _answer(asked)
            # Those who have answered leave no trace.
            while _ended():
                pass


def _ended() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


def _answer(asked: socket.socket) -> NoReturn:
    """Run the command in a process of its own, and say its exit code."""
    length, streams, _, _ = socket.recv_fds(asked, 20, 3)
    with asked.makefile("rb") as request:
        name, arguments, folder, variables = json.loads(request.read(int(length)))
    process = os.fork()
    if process == 0:
        asked.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        # The streams of the server know where its own files are.
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", closefd=False)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
        random.seed()
        sys.argv = [name, *arguments]
        _run(name, arguments)
    for stream in streams:
        os.close(stream)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    asked.sendall(b"%d" % (code if code >= 0 else 128 - code))
    os._exit(0)


def _run(name: str, arguments: list[str]) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    code = run_qsage(arguments) if name == "qsage" else run_play(arguments)
    # To take the interpreter down would copy all that the server has loaded.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
